// The screens around a game, in both languages: wide and narrow, light and dark, accessible.

import { test } from 'node:test';

import { GAMES, browser, inspect, makeTable, noFaults, open, server, stand } from './harness.js';

stand();

const SCREENS = [
  ['/', '.own-tables a.button'],
  ...GAMES.map((game) => [`/play/${game}`, '.setup']),
  ['/records', 'main h1'],
  ['/watch', '.own-tables a.button'],
  ['/wall', '.wall'],
];

for (const locale of ['en', 'ja']) {
  test(`each screen, in ${locale}`, { timeout: 240_000 }, async () => {
    const waiting = await makeTable(server.url, 'score-four', { seats: [{ kind: 'person' }, { kind: 'open' }], practice: false, anybody: true, clock: { budget_ms: 300_000, increment_ms: 3000 } });
    const page = await open(browser, waiting.addresses[0].address, { locale, isFirstVisit: true });
    await page.waitForSelector('.invite');
    await inspect(page, `waiting-${locale}`);
    for (const [path, shown] of SCREENS) {
      await page.goto(server.url + path);
      await page.waitForSelector(shown);
      await inspect(page, `screen${path.replaceAll('/', '-')}-${locale}`);
    }
    noFaults(page);
    await page.context().close();
  });
}
