// Replays, their analysis, and the ways to them, in Chromium.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';

import { accessibility, addressOf, against, browser, drawn, folder, inspect, makeTable, noFaults, open, playOn, serve, server, stand } from './harness.js';

stand();

/** Analyses the replay of a game of Geister from ply 3 on: a hint, the engine's own moves, a link to them, and values. */
async function analyse(page) {
  await page.click('.analysis button');
  await page.selectOption('.analysis select', 'level-4');
  await page.click('.analysis button:has-text("Hint")');
  await page.waitForSelector('.hint:has-text("“level-4” would play")');
  await page.waitForSelector('.value-bar[aria-valuetext]');
  await page.selectOption('.tools .field:has-text("Seen by") select', '0');
  await page.waitForSelector('.analysis:has-text("only moves of")');
  assert.ok(await page.isDisabled('.analysis button:has-text("Hint")'), 'the other seat is to move');
  await page.selectOption('.tools .field:has-text("Seen by") select', 'all');
  // A move on the board, made from above by the seat that plays there.
  const piece = page.locator('.geister-board .square.start').first();
  await piece.click({ force: true });
  await page.locator('.geister-board .square.target').first().click({ force: true });
  await page.waitForSelector('.moves .variation .here');
  await page.click('.analysis button:has-text("Let it play on")');
  await page.waitForFunction(() => document.querySelectorAll('.moves .variation button').length > 3);
  await page.click('.analysis button:has-text("Stop")');
  await page.waitForSelector('.analysis button:has-text("Let it play on"):enabled');
  await page.waitForFunction(() => /ply=\d+&line=3\./.test(location.hash) && location.hash.split('.').length === document.querySelectorAll('.moves .variation button').length + 1);
  assert.deepEqual(await accessibility(page), []);
  const shared = await open(browser, await addressOf(page));
  await shared.waitForSelector('.moves .variation .here');
  assert.equal(await shared.textContent('.moves'), await page.textContent('.moves'));
  noFaults(shared);
  await shared.context().close();
  await page.click('.analysis button:has-text("Back to the game")');
  await page.waitForFunction(() => /^#ply=3&also=3\./.test(location.hash));
  await page.click('.analysis button:has-text("Value every move")');
  // The button is away until all are valued.
  await drawn(page);
  await page.waitForSelector('.analysis button:has-text("Value every move"):enabled', { timeout: 180_000 });
  await page.waitForSelector('.value-graph:has-text("by level-4") .graph-line');
  await page.focus('.value-graph svg');
  await page.keyboard.press('ArrowRight');
  await page.waitForSelector('.value-graph svg[aria-valuenow="4"]');
  assert.match(await page.getAttribute('.value-graph svg', 'aria-valuetext'), /^Move 4 of \d+: .+: \d+%$/);
  await page.click('.value-table summary');
  assert.ok((await page.locator('.value-table tbody tr').count()) > 3);
  await inspect(page, 'analysis');
}

test('a finished game is replayed, by keys, by a link, and as one seat', { timeout: 600_000 }, async () => {
  const { addresses } = await makeTable(server.url, 'geister', { seats: against('best:simulations=20:seed=1') });
  const page = await open(browser, addresses[0].address);
  await playOn(page, 'geister', 'mouse');
  await page.waitForSelector('.ending a[href^="/g/"]');
  await page.click('.ending a[href^="/g/"]');
  // The table that is left has a scrubber too, which stays until the replay is there.
  await page.waitForSelector('.tools a[download]');
  for (let i = 0; i < 5; i += 1) await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => /^#ply=5(&|$)/.test(location.hash));
  await page.waitForFunction(() => /^5 /.test(document.querySelector('.scrub-at').textContent));
  // All colours are open, and a single seat's view hides the other's again.
  assert.equal(await page.locator('.ghost.enemy.hidden').count(), 0);
  await page.selectOption('.tools .field:has-text("Seen by") select', '0');
  await page.waitForFunction(() => location.hash.includes('seat=0'));
  await page.waitForFunction(() => document.querySelector('.ghost.enemy.hidden'));
  // The list of moves keeps its place.
  assert.match(await page.textContent('.moves .here[aria-current="step"]'), /^5 /);
  const link = await open(browser, (await addressOf(page)).replace(/#.*/, '#ply=3'));
  await link.waitForFunction(() => /^3 /.test(document.querySelector('.scrub-at')?.textContent));
  await analyse(link);
  await link.keyboard.press('End');
  await link.waitForSelector('.ending');
  assert.deepEqual(await accessibility(link), []);
  noFaults(page);
  noFaults(link);
  await page.context().close();
  await link.context().close();
});

test('the list of games played leads to a replay', async () => {
  const page = await open(browser, `${server.url}/records`);
  await page.click('.record-list a');
  await page.waitForSelector('.scrubber');
  noFaults(page);
  await page.context().close();
});

test('the report of a league leads to the replay of each of its games, and back', { timeout: 240_000 }, async (t) => {
  if (process.env.TAIKYOKU_WEB_URL) return t.skip('the league is played here');
  const records = mkdtempSync(`${tmpdir()}/league-`);
  const file = `${records}/spring.toml`;
  writeFileSync(file, 'game = "dobutsu"\ntitle = "Spring"\ndeals = 10\nrecords = true\n[sprt]\nelo0 = -100\nelo1 = 100\n'
    + ['ana', 'bo', 'W'.repeat(32)].map((name) => `[[entrants]]\nname = "${name}"\nengine = "random"\n`).join(''));
  const played = spawnSync(`${folder}/taikyoku`, ['league', file], { encoding: 'utf8' });
  assert.equal(played.status, 0, played.stderr);
  const { url } = await serve('--records', records);
  const page = await open(browser, `${url}/records`);
  await page.click('.record-leagues a');
  await page.waitForURL(/\/leagues\/spring\.league\/report\.html$/);
  await inspect(page, 'report');
  await page.click('#games summary');
  const row = page.locator('#games tr:has(a)').first();
  const seats = await row.locator('bdi').allTextContents();
  await row.locator('a').click();
  await page.waitForURL(/\/g\/spring\.league:0\.0\.0#game=1/);
  await page.waitForSelector('.scrubber');
  const shown = await page.locator('.player-name b').allTextContents();
  assert.deepEqual(shown.sort(), seats.slice(0, 2).sort());
  await page.click('.links a[href$="report.html"]');
  await page.waitForSelector('#games');
  noFaults(page);
  await page.context().close();
  return undefined;
});
