// Each game is played to its end by mouse, by keys and by touch.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { against, browser, GAMES, makeTable, noFaults, open, pictures, playOn, server, stand } from './harness.js';

const WAYS = {
  mouse: {},
  keys: {},
  touch: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

stand();

for (const game of GAMES) {
  for (const [way, options] of Object.entries(WAYS)) {
    test(`${game} is played to its end by ${way}`, { timeout: 240_000 }, async () => {
      // Against a bot that plays at random a game of Geister takes a hundred moves.
      const { addresses } = await makeTable(server.url, game, game === 'geister' ? { seats: against('best:simulations=20:seed=1') } : {});
      const page = await open(browser, addresses[0].address, { ...options, locale: way === 'keys' ? 'ja' : 'en' });
      const moves = await playOn(page, game, way);
      await page.waitForSelector('.ending h2');
      assert.ok(moves > 0, 'moves were made');
      if (game === 'blokus') {
        // No colour plays any more, and why stands beside each, in the head and at the end.
        const isOut = /no move left|all pieces placed|手詰まり|すべて置いた/;
        for (const place of ['.player-name small', '.ending .order small']) {
          const said = await page.locator(place).allTextContents();
          assert.ok(said.length === 4 && said.every((text) => isOut.test(text)), said.join());
        }
      }
      assert.equal(await page.getAttribute('html', 'lang'), way === 'keys' ? 'ja' : 'en');
      await page.screenshot({ path: `${pictures}/${game}-${way}-end.png`, fullPage: true });
      noFaults(page);
      await page.context().close();
    });
  }
}
