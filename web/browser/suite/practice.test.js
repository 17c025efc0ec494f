// Practice against bots: hints, and moves that are taken back, in Chromium.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { browser, makeTable, noFaults, open, playOn, SEATS, server, stand } from './harness.js';

stand();

test('in practice a hint names a move', async () => {
  const { addresses } = await makeTable(server.url, 'dobutsu');
  const page = await open(browser, addresses[0].address);
  await page.waitForSelector('.status.yours');
  await page.click('.actions button:has-text("Hint")');
  await page.waitForSelector('.hint tbody tr');
  await page.waitForSelector('.hinted');
  noFaults(page);
  await page.context().close();
});

for (const game of ['score-four', 'dobutsu', 'blokus']) {
  test(`${game}: in practice moves are taken back by the button and by a key, and the game goes on to its end`, { timeout: 240_000 }, async () => {
    const { addresses } = await makeTable(server.url, game, { you: 1 });
    const page = await open(browser, addresses[0].address, { locale: 'ja' });
    const moves = (count) => page.waitForFunction((n) => document.querySelectorAll('.moves button').length === n, count);
    const yours = () => page.waitForSelector('.typed button:enabled');
    const back = page.locator('.actions button:has-text("待った")');
    await yours();
    assert.ok(await back.isDisabled(), 'there is no move to take back');
    const first = await page.textContent('.moves');
    await playOn(page, game, 'mouse', 2);
    await yours();
    const seats = SEATS[game];
    await moves(1 + 2 * seats);
    await back.click();
    await moves(1 + seats);
    await yours();
    await page.keyboard.press('u');
    await moves(1);
    await yours();
    assert.equal(await page.textContent('.moves'), first);
    // It is there after a reload, too.
    await page.reload();
    await moves(1);
    await yours();
    await playOn(page, game, 'mouse', game === 'blokus' ? 2 : 400);
    if (game !== 'blokus') await page.waitForFunction(() => document.querySelector('.ending h2') && document.querySelector('.moves button i').textContent === '1');
    noFaults(page);
    await page.context().close();
  });
}

test('moves are not taken back where something is hidden', async () => {
  const { addresses } = await makeTable(server.url, 'geister');
  const page = await open(browser, addresses[0].address);
  await page.waitForSelector('.status.yours');
  assert.equal(await page.locator('.actions button:has-text("Take back")').count(), 0);
  noFaults(page);
  await page.context().close();
});
