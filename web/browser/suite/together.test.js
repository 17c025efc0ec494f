// Tables with several persons: pace of moves, names, another match, and watchers.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';

import { APART, accessibility, against, asked, browser, makeTable, noFaults, open, pictures, playOn, server, stand, start, stop } from './harness.js';

stand();

const INVITING = { seats: [{ kind: 'person' }, { kind: 'open' }], practice: false };

/** Records each length of the list of moves from now on. */
const watchMoves = (page) => page.evaluate(() => {
  globalThis.lengths = [];
  new MutationObserver(() => {
    const count = document.querySelectorAll('.moves button').length;
    if (globalThis.lengths.at(-1) !== count) globalThis.lengths.push(count);
  }).observe(document.getElementById('app'), { childList: true, subtree: true });
});

/** Plays a move by typing it. */
async function typeMove(page, move) {
  await asked(page);
  await page.fill('#typed', move);
  await page.press('#typed', 'Enter');
}

test('bots move one after the other, what they play travels, and a press skips the wait', { timeout: 240_000 }, async () => {
  const { addresses } = await makeTable(server.url, 'blokus');
  const page = await open(browser, addresses[0].address, { reducedMotion: 'no-preference' });
  await page.waitForSelector('.status.yours');
  assert.equal(await page.inputValue('.side label:has-text("Pace of moves") select'), 'normal');
  let asks = 0;
  page.on('websocket', (line) => line.on('framereceived', ({ payload }) => { asks += String(payload).includes('"type":"ask"') ? 1 : 0; }));
  const told = async (count) => { while (asks < count) await page.waitForTimeout(10); };
  await page.reload();
  await asked(page);
  await watchMoves(page);
  // From here on time passes only where this test says so: a slow page would else draw two moves at once.
  await page.clock.install();
  // The moment has to be one to come, and the page gives a connection up on which nothing has come for thirty seconds.
  const halt = async () => page.clock.pauseAt((await page.evaluate(() => Date.now())) + 15_000);
  await halt();
  await typeMove(page, 'a20');
  await told(2);
  await page.clock.runFor(400);
  assert.equal(await page.locator('.moves button').count(), 1);
  // The request for a move follows after the page has shown all three moves.
  while ((await page.locator('.typed button:enabled').count()) === 0) await page.clock.runFor(100);
  await page.waitForSelector('.tile.played');
  assert.deepEqual(await page.evaluate(() => globalThis.lengths.filter((one) => one > 0)), [1, 2, 3, 4]);
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('.tile.played')).animationName), 'played');
  await page.selectOption('.side label:has-text("Pace of moves") select', 'slow');
  await page.clock.resume();
  asks = 0;
  await page.reload();
  await asked(page);
  assert.equal(await page.inputValue('.side label:has-text("Pace of moves") select'), 'slow');
  assert.equal(asks, 1);
  await halt();
  await typeMove(page, 'b19,c19');
  // All have moved. A click on the board shows the moves at once and plays no move.
  await told(2);
  await page.clock.runFor(100);
  assert.equal(await page.locator('.typed button:enabled').count(), 0);
  await page.locator('.board-area .blokus-board').click();
  await page.clock.runFor(100);
  assert.equal(await page.locator('.moves button').count(), 8);
  assert.equal(await page.locator('.typed button:enabled').count(), 1);
  noFaults(page);
  await page.context().close();
});

test('a reader who wants less motion sees all at once', async () => {
  const { addresses } = await makeTable(server.url, 'daihinmin');
  const page = await open(browser, addresses[0].address);
  await page.waitForSelector('.status.yours, .ending');
  assert.equal(await page.inputValue('.side label:has-text("Pace of moves") select'), 'off');
  await page.context().close();
});

test('two people with names play, are watched, and play again on the other sides', { timeout: 240_000 }, async () => {
  const maker = await open(browser, `${server.url}/play/score-four`);
  await maker.fill('.setup input[autocomplete=nickname]', 'Ana 葛');
  await maker.selectOption('.opponent select >> nth=0', 'open');
  // The page draws the choice with the next picture.
  await maker.waitForSelector('label:has-text("Let everybody watch") input:not(:checked)');
  assert.deepEqual(await accessibility(maker), []);
  await maker.screenshot({ path: `${pictures}/form-name.png`, fullPage: true });
  await maker.click('button[type=submit]');
  await maker.waitForSelector('.loading .invite input');
  const [link, toWatch] = await maker.locator('.invite input').evaluateAll((all) => all.map((one) => one.value));
  const guest = await open(browser, link);
  await guest.fill('.greeting input', 'Bo, <b>');
  assert.deepEqual(await accessibility(guest), []);
  await guest.screenshot({ path: `${pictures}/greeting.png`, fullPage: true });
  await guest.click('.greeting button');
  await guest.waitForSelector('.player:has-text("Ana 葛")');
  await maker.waitForSelector('.player:has-text("Bo  <b>")');
  const watcher = await open(browser, toWatch);
  await watcher.waitForSelector('.player:has-text("Ana 葛")');
  // The lobby does not list the table.
  const lobby = await open(browser, `${server.url}/watch`);
  await lobby.waitForSelector('main > .tables, main > .quiet');
  assert.equal(await lobby.locator('.table-card:has-text("Ana")').count(), 0);
  const seatOf = (page) => page.locator('.player.own small').textContent();
  assert.deepEqual([await seatOf(maker), await seatOf(guest)], ['dark ×', 'light ○']);
  await Promise.all([maker, guest].map((page) => playOn(page, 'score-four', 'mouse')));
  await watcher.waitForSelector('.status:has-text("wins"), .ending, .status:has-text("Draw")');
  await guest.click('.ending button:has-text("Play again")');
  await guest.waitForSelector('.ending button:has-text("Waiting for Ana 葛")');
  await maker.waitForSelector('.ending .wants:has-text("wants to play again")');
  await maker.screenshot({ path: `${pictures}/rematch.png`, fullPage: true });
  assert.deepEqual(await accessibility(maker), []);
  await maker.click('.ending button:has-text("Play again")');
  for (const page of [maker, guest]) await page.waitForSelector('.status:not(:has-text("wins")) >> nth=0');
  await guest.waitForSelector('.status.yours');
  assert.deepEqual([await seatOf(maker), await seatOf(guest)], ['light ○', 'dark ×']);
  await watcher.waitForFunction(() => document.querySelectorAll('.moves button').length === 0);
  await guest.reload();
  await Promise.all([maker, guest].map((page) => playOn(page, 'score-four', 'mouse')));
  await guest.click('.ending a:has-text("Replay")');
  await guest.waitForSelector('.tools a[download]');
  await guest.waitForSelector('.player:has-text("Ana 葛")');
  const records = await open(browser, `${server.url}/records`);
  await records.waitForSelector('.record-list:has-text("Ana 葛")');
  for (const page of [maker, guest, watcher, lobby, records]) {
    noFaults(page);
    await page.context().close();
  }
});

test('two people take a move back and agree on a draw, on a wide page and a phone, and are watched', { timeout: 240_000 }, async () => {
  const maker = await open(browser, `${server.url}/play/dobutsu`);
  await maker.selectOption('.opponent select >> nth=0', 'open');
  await maker.fill('.setup input[autocomplete=nickname]', 'Ana');
  await maker.click('button[type=submit]');
  await maker.waitForSelector('.loading .invite input');
  const [link, toWatch] = await maker.locator('.invite input').evaluateAll((all) => all.map((one) => one.value));
  const guest = await open(browser, link, { viewport: { width: 390, height: 800 }, colorScheme: 'dark', hasTouch: true });
  await guest.fill('.greeting input', 'Bo');
  await guest.click('.greeting button');
  const watcher = await open(browser, toWatch);
  const has = (page, count) => page.waitForSelector(`.scrub-at:text-is("${count} / ${count}")`);
  const spoken = (page, text) => page.waitForFunction((wanted) => [...document.querySelectorAll('[aria-live]')].some((one) => one.textContent.includes(wanted)), text);
  await typeMove(maker, '2c2b');
  await typeMove(guest, '2a2b');
  for (const page of [maker, guest, watcher]) await has(page, 2);
  // A key asks, buttons answer.
  await maker.locator('h1').click();
  await maker.keyboard.press('u');
  await guest.waitForSelector('.status.yours:has-text("Ana asks to take the last move back.")');
  await spoken(guest, 'Ana asks to take the last move back.');
  await guest.waitForSelector('.offer button:has-text("Decline")');
  assert.deepEqual(await accessibility(guest), []);
  await guest.screenshot({ path: `${pictures}/offer-phone.png`, fullPage: true });
  await maker.waitForSelector('button:has-text("Ask to take back"):disabled');
  assert.deepEqual(await accessibility(maker), []);
  await maker.screenshot({ path: `${pictures}/offer.png`, fullPage: true });
  await maker.click('.offer button:has-text("Withdraw")');
  await guest.waitForSelector('.offer', { state: 'detached' });
  await spoken(guest, 'Ana takes that back.');
  await guest.tap('button:has-text("Ask to take back")');
  await maker.waitForSelector('.offer button:has-text("Accept")');
  await maker.locator('.offer button:has-text("Accept")').press('Enter');
  for (const page of [maker, guest, watcher]) await has(page, 1);
  await spoken(guest, 'The last move is taken back.');
  await maker.waitForSelector('.offer', { state: 'detached' });
  await guest.reload();
  await has(guest, 1);
  assert.equal(await guest.locator('.moves button').count(), 1);
  await typeMove(guest, '3a3b');
  await has(watcher, 2);
  await guest.tap('button:has-text("Offer a draw")');
  await maker.waitForSelector('.status:has-text("Bo offers a draw.")');
  await maker.click('.offer button:has-text("Decline")');
  await guest.waitForSelector('.status:has-text("Ana declines.")');
  await maker.click('button:has-text("Offer a draw")');
  // A reload keeps the offer.
  await guest.waitForSelector('.offer');
  await guest.reload();
  await guest.tap('.offer button:has-text("Accept")');
  for (const page of [maker, guest]) await page.waitForSelector('.ending:has-text("Draw"):has-text("by agreement")');
  await watcher.waitForSelector('.status:has-text("Draw: by agreement"), .ending:has-text("by agreement")');
  assert.deepEqual(await accessibility(maker), []);
  await guest.screenshot({ path: `${pictures}/agreed-phone.png`, fullPage: true });
  // The next match has the sides changed.
  await guest.click('.ending button:has-text("Play again")');
  await maker.click('.ending button:has-text("Play again")');
  await guest.waitForSelector('.player.own:has-text("first")');
  await typeMove(guest, '2c2b');
  for (const page of [maker, guest, watcher]) await has(page, 1);
  for (const page of [maker, guest, watcher]) {
    noFaults(page);
    await page.context().close();
  }
});

test('a game with bots is among the tables to be watched, and no hand is shown', { timeout: 240_000 }, async () => {
  const { addresses, table } = await makeTable(server.url, 'daihinmin', { listed: true });
  const page = await open(browser, addresses[0].address);
  await page.waitForSelector('.status.yours');
  const watcher = await open(browser, `${server.url}/watch`);
  await watcher.click(`a.table-card[href="/w/${table}"]`);
  // The card of the lobby has these seats, too.
  await watcher.waitForSelector('.stage .dh-seat');
  assert.equal(await watcher.locator('.hand .card, .open-hand .card').count(), 0);
  assert.equal(await watcher.inputValue('label:has-text("Pace of moves") select'), 'off');
  assert.deepEqual(await accessibility(watcher), []);
  await watcher.screenshot({ path: `${pictures}/watch-own.png`, fullPage: true });
  const hidden = await makeTable(server.url, 'dobutsu', { listed: false });
  const other = await open(browser, hidden.addresses[0].address);
  await other.waitForSelector('.status.yours');
  await watcher.goto(`${server.url}/watch`);
  await watcher.waitForSelector(`a.table-card[href="/w/${table}"]`);
  assert.equal(await watcher.locator(`a.table-card[href="/w/${hidden.table}"]`).count(), 0);
  await watcher.goto(`${server.url}/w/${hidden.table}`);
  await watcher.waitForSelector('.dobutsu-board');
  noFaults(watcher);
  for (const one of [page, watcher, other]) await one.context().close();
});

test('a page finds its table again when its server starts again', { timeout: 240_000 }, async () => {
  const records = mkdtempSync(`${tmpdir()}/taikyoku-restart-`);
  const web = (listen) => start('taikyoku-web', ['web', '--listen', listen, '--records', records], (told) => told.match(/http:\/\/[\d.]+:\d+/)?.[0]);
  const url = await web(APART);
  const { addresses } = await makeTable(url, 'dobutsu', { seats: against('best:simulations=20:seed=1') });
  const page = await open(browser, addresses[0].address);
  await typeMove(page, '2c2b');
  await page.waitForFunction(() => document.querySelectorAll('.moves button').length === 2);
  const moves = await page.locator('.moves').textContent();
  await stop(url);
  await page.waitForSelector('.status.bad:has-text("The server of the page has ended")');
  await web(new URL(url).host);
  await page.waitForSelector('.typed button:enabled');
  assert.equal(await page.locator('.moves').textContent(), moves);
  assert.equal(await page.locator('.status.bad').count(), 0);
  await page.screenshot({ path: `${pictures}/restart.png`, fullPage: true });
  await playOn(page, 'dobutsu', 'mouse');
  await page.context().close();
  // It may still write.
  await stop(url);
  rmSync(records, { recursive: true });
});

test('an open seat for everybody stands on the first page, and goes to one visitor', { timeout: 240_000 }, async () => {
  const { addresses, table } = await makeTable(server.url, 'score-four', { ...INVITING, anybody: true, clock: { budget_ms: 300_000, increment_ms: 3000 } });
  const maker = await open(browser, addresses[0].address);
  const visitor = await open(browser, server.url);
  const sit = '.own-tables:has-text("Open seats") a:has-text("Sit down")';
  await visitor.waitForSelector(sit);
  assert.deepEqual(await accessibility(visitor), []);
  await visitor.screenshot({ path: `${pictures}/open-seats.png`, fullPage: true });
  const other = await open(browser, `${server.url}/watch`, { viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
  await other.waitForSelector(sit);
  assert.deepEqual(await accessibility(other), []);
  await other.screenshot({ path: `${pictures}/open-seats-phone.png`, fullPage: true });
  await visitor.click(sit);
  await visitor.fill('.greeting input', 'Bo');
  await visitor.click('.greeting button');
  await maker.waitForSelector('.player:has-text("Bo")');
  // A reload before the visitor's page has the seat would lose it.
  await visitor.waitForSelector('.player.own');
  await other.waitForFunction((wanted) => !document.body.textContent.includes(wanted), 'Open seats');
  await other.goto(`${server.url}/t/${table}`);
  await other.waitForFunction((wanted) => document.body.textContent.includes(wanted), 'The seat is taken');
  await visitor.reload();
  await visitor.waitForSelector('.player.own:has-text("light ○")');
  for (const page of [maker, visitor, other]) {
    noFaults(page);
    await page.context().close();
  }
});
