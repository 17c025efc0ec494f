// The pages of a ladder that is made up: its table, its entrants, the ways to them, and a table against one of its bots.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, test } from 'node:test';

import { inspect, launch, noFaults, open, serve } from './harness.js';

const LONG = 'a-program-with-a-very-long-name-of-fifty-four-letters!';
const row = (number, more) => ({ number, rank: number + 1, name: `level-${number}`, house: false, engine: null, rating: 400 - 130 * number, half_width: 30 + 40 * number, games: 100, wins: 50, faults: {}, ...more });
const STATE = {
  title: 'The ladder of the club', game: 'score-four', at: '2026-11-30T12:00:00Z', connects_to: { hana: '127.0.0.1:4444' }, guests: true, tables: [['hana', 'level-2']], games: 400, rated: '2026-11-30T11:59:00Z',
  waiting: [{ name: LONG, since: 12, why: '1 more within 320 rating points are needed; the house sits down in 8 s' }],
  rows: [row(0, { name: 'hana' }), row(1, { name: LONG, faults: { timeout: 2, crash: 1 } }), row(2, { house: true, engine: 'level-2' }), row(3, { name: 'hana@v2', rank: null, half_width: null })],
};
const HANA = {
  ...row(0, { name: 'hana' }), faults: { timeout: 2 }, versions: [{ name: 'hana', number: 0 }, { name: 'hana@v2', number: 3 }],
  history: [{ day: '2026-11-27', rating: 250, half_width: null, games: 4 }, { day: '2026-11-28', rating: 320, half_width: 180, games: 30 }, { day: '2026-11-30', rating: 400, half_width: 30, games: 100 }],
  opponents: [{ name: LONG, number: 1, games: 60, score: 0.625 }, { name: 'level-2', number: 2, games: 40, score: 0.9 }],
  last: [{ day: '2026-11-30', record: '12.0.1', game: 1, seats: ['hana', 'level-2'], places: [1, 0], fault: 'timeout' }, { day: '2026-11-30', record: '12.0.0', game: 2, seats: ['level-2', 'hana'], places: [1, 0], fault: null }],
};
const RECORD = [
  { 'taikyoku-record': 1, game: 'score-four', match: '12.0.1', tongue: 'native', players: [{ name: 'hana' }, { name: 'level-2' }], games: 1, rules: {}, started: '2026-11-30T11:00:00Z', server: '' },
  { ms: 0, event: 'begin', game: 1, seats: [0, 1] }, { ms: 5, event: 'move', player: 0, move: 'b3' },
];

let [server, browser, folder] = [];

before(async () => {
  const records = mkdtempSync(`${tmpdir()}/ladder-`);
  folder = `${records}/club.ladder`;
  for (const name of ['entrants', '2026-11-30/records']) mkdirSync(`${folder}/${name}`, { recursive: true });
  writeFileSync(`${folder}/status.json`, JSON.stringify(STATE));
  writeFileSync(`${folder}/entrants/0.json`, JSON.stringify(HANA));
  writeFileSync(`${folder}/2026-11-30/journal.jsonl`, '{}\n');
  writeFileSync(`${folder}/2026-11-30/records/12.0.1.jsonl`, RECORD.map((line) => `${JSON.stringify(line)}\n`).join(''));
  if (!process.env.TAIKYOKU_WEB_URL) server = await serve('--records', records);
  browser = await launch();
});
after(() => browser?.close());

for (const locale of ['en', 'ja']) {
  test(`a ladder and an entrant, in ${locale}`, { timeout: 120_000 }, async (t) => {
    if (!server) return t.skip('the program has records of its own');
    const page = await open(browser, `${server.url}/records`, { locale });
    await page.click('.record-list a[href="/ladder/club.ladder"]');
    await page.waitForSelector('.ratings tbody tr');
    await inspect(page, `ladder-${locale}`);
    const shown = await page.textContent('main');
    assert.match(shown, locale === 'en' ? /for 12 s: 1 more within 320 rating points are needed; the house/ : /（12秒）：レーティング差320以内の相手があと1人必要です。8秒後/);
    await page.click('.panel summary');
    assert.match(await page.textContent('.panel'), /127\.0\.0\.1:4444/);
    await page.click('.ratings a:text-is("hana")');
    await page.waitForSelector('.value-graph polygon');
    await inspect(page, `entrant-${locale}`);
    assert.equal(await page.inputValue('.invite input'), `[![hana](${server.url}/api/ladders/club.ladder/entrants/0/badge.svg)](${server.url}/ladder/club.ladder/0)`);
    assert.ok(await page.evaluate(() => document.querySelector('.invite img').naturalWidth > 50), 'the badge is a picture');
    await page.click('.record-list a[href*="12.0.1"]');
    await page.waitForSelector('.tower');
    await page.goBack();
    await page.click('.facts a:text-is("hana@v2")');
    await page.waitForSelector('.bad');
    assert.match(await page.textContent('.bad'), locale === 'en' ? /rated no such entrant/ : /まだ対局していません/);
    // The browser notes the answer.
    page.faults = page.faults.filter((fault) => !fault.includes('404'));
    noFaults(page);
    await page.context().close();
    return undefined;
  });
}

test('the state is fetched again, and a bot of the ladder is played', { timeout: 120_000 }, async (t) => {
  if (!server) return t.skip('the program has records of its own');
  const page = await open(browser, `${server.url}/ladder/club.ladder`);
  await page.waitForSelector('.ratings tbody tr');
  writeFileSync(`${folder}/status.json`, JSON.stringify({ ...STATE, games: 404 }));
  await page.waitForSelector('main:has-text("Games: 404")');
  await page.click('button[aria-label="Play against level-2, unrated"]');
  await page.waitForURL(/\/t\//);
  await page.waitForSelector('.typed button:enabled');
  assert.match(await page.textContent('.players'), /Level 2/);
  noFaults(page);
  await page.context().close();
  return undefined;
});
