// What a page does beside the moves: both languages, a reload, two browsers, a watcher, a replay, accessibility.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { APART, accessibility, addressOf, against, asked, browser, drawn, GAMES, inspect, makeTable, movers, noFaults, open, pictures, playOn, SEATS, server, stand, start, stop, tapTower } from './harness.js';

stand();

test('a newcomer comes from the first page to a first move', async () => {
  const page = await open(browser, server.url);
  await page.click('a[href="/play/dobutsu"]');
  await page.selectOption('.opponent select >> nth=0', 'random');
  await page.click('button[type=submit]');
  await page.waitForURL(/\/t\/.+#[0-9a-f]{32}$/);
  await asked(page);
  await movers.dobutsu(page, 'mouse', 0);
  await page.waitForFunction(() => document.querySelector('.moves button') !== null);
  await page.click('.actions button:has-text("Resign")');
  await page.click('.actions .danger');
  const before = await addressOf(page);
  await page.click('.ending .primary');
  await page.waitForSelector('.status.yours');
  assert.equal(await addressOf(page), before);
  noFaults(page);
  await page.context().close();
});

test('Japanese and English, light and dark are switched and kept', async () => {
  const page = await open(browser, server.url, { locale: 'ja-JP' });
  assert.equal(await page.getAttribute('html', 'lang'), 'ja');
  assert.match(await page.textContent('main'), /大貧民/);
  await page.click('.switches button:first-child');
  assert.equal(await page.getAttribute('html', 'lang'), 'en');
  await page.waitForSelector('main:has-text("Dobutsu shogi")');
  await page.click('.switches button:nth-child(2)');
  const theme = await page.getAttribute('html', 'data-theme');
  await page.reload();
  assert.equal(await page.getAttribute('html', 'lang'), 'en');
  assert.equal(await page.getAttribute('html', 'data-theme'), theme);
  noFaults(page);
  await page.context().close();
});

test('the first board comes in few requests, and the next page brings nothing that is known', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const line = await context.newCDPSession(page);
  await line.send('Network.enable');
  let requests = 0;
  let bytes = 0;
  line.on('Network.requestWillBeSent', () => { requests += 1; });
  line.on('Network.loadingFinished', ({ encodedDataLength }) => { bytes += encodedDataLength; });
  await page.goto(`${server.url}/play/dobutsu`, { waitUntil: 'networkidle' });
  // The pictures of the rules come last.
  await page.waitForSelector('.setup');
  await page.waitForSelector('.rule-pictures figure');
  assert.ok(requests <= 6 && bytes < 100_000, `${requests} requests, ${bytes} bytes`);
  bytes = 0;
  await page.goto(`${server.url}/play/blokus`, { waitUntil: 'networkidle' });
  await page.waitForSelector('.setup');
  await page.waitForSelector('.rule-pictures figure');
  // These pictures are most of it.
  assert.ok(bytes < 10_000, `${bytes} bytes`);
  await context.close();
});

test('the title, a sound and a notice call the reader to a turn', async () => {
  const { addresses } = await makeTable(server.url, 'dobutsu');
  const page = await open(browser, `${server.url}/`);
  await page.addInitScript(() => {
    globalThis.sounds = 0;
    const { start } = OscillatorNode.prototype;
    OscillatorNode.prototype.start = function begin(at) { globalThis.sounds += 1; return start.call(this, at); };
    globalThis.notices = [];
    globalThis.Notification = class {
      static permission = 'default';
      static async requestPermission() { this.permission = 'granted'; return 'granted'; }
      constructor(title) { globalThis.notices.push(title); }
      close() {}
    };
    Object.defineProperty(document, 'hidden', { get: () => globalThis.isHidden ?? false });
  });
  await page.goto(addresses[0].address);
  await asked(page);
  assert.match(await page.title(), /^● Your move · Dobutsu shogi/);
  const heard = () => page.evaluate(() => globalThis.sounds);
  await playOn(page, 'dobutsu', 'mouse', 1);
  assert.equal(await heard(), 0, 'off until the reader chooses');
  await page.click('.switches [aria-pressed=false]');
  await page.waitForFunction(() => globalThis.sounds === 1);
  await page.waitForSelector('.switches [aria-pressed=true]');
  await page.waitForSelector('.typed button:enabled');
  await playOn(page, 'dobutsu', 'mouse', 1);
  await page.waitForFunction(() => globalThis.sounds > 1);
  assert.deepEqual(await page.evaluate(() => globalThis.notices), []);
  await page.check('.side label:has-text("Notify me")');
  await page.waitForSelector('.typed button:enabled');
  await page.evaluate(() => { globalThis.isHidden = true; });
  await movers.dobutsu(page, 'mouse', 3);
  await page.waitForFunction(() => globalThis.notices.length > 0);
  assert.equal((await page.evaluate(() => globalThis.notices))[0], 'Your move');
  await page.click('.actions [data-at=resign]');
  await page.click('.actions .danger');
  await page.waitForFunction(() => document.title.startsWith('Dobutsu'));
  noFaults(page);
  await page.context().close();
});

test('a reload in mid-game gives the seat back', async () => {
  const { addresses } = await makeTable(server.url, 'score-four');
  const page = await open(browser, addresses[0].address);
  await playOn(page, 'score-four', 'mouse', 2);
  // The list of moves comes with the frames of the game, which follow the table.
  const toldOf = (moves) => page.waitForFunction((count) => document.querySelectorAll('.moves button').length === count, moves);
  await toldOf(4);
  await page.reload();
  await toldOf(4);
  await playOn(page, 'score-four', 'mouse', 1);
  noFaults(page);
  await page.context().close();
});

/** Elements in the colour of what is wrong, by their texts. */
const reds = (page) => page.evaluate(() => [...document.querySelectorAll('main, main *')].filter((one) => one.matches('.bad') && one.textContent).map((one) => one.textContent));

test('a seat that another window takes over says so, and can be taken back', async () => {
  const { addresses } = await makeTable(server.url, 'score-four');
  const first = await open(browser, addresses[0].address);
  await first.waitForSelector('.status.yours');
  const second = await open(browser, addresses[0].address);
  await second.waitForSelector('.status.yours');
  await first.waitForSelector('.status.bad');
  assert.equal(await first.textContent('#said'), 'Another window has taken this seat.');
  assert.deepEqual(await reds(first), ['Another window has taken this seat.']);
  assert.equal(await first.locator('.actions button:enabled, .typed button:enabled').count(), 1);
  assert.deepEqual(await accessibility(first), []);
  await first.screenshot({ path: `${pictures}/replaced.png`, fullPage: true });
  await first.click('.actions button:has-text("Take it back")');
  await first.waitForSelector('.typed button:enabled');
  await second.waitForSelector('.actions button:has-text("Take it back")');
  noFaults(first);
  noFaults(second);
  await first.context().close();
  await second.context().close();
});

test('after a restart of the server the page has no dead buttons, and a way on', { timeout: 240_000 }, async (t) => {
  if (process.env.TAIKYOKU_WEB_URL) return t.skip('the server is another\'s');
  const begin = (listen) => start('taikyoku-web', ['web', '--listen', listen], (told) => told.match(/http:\/\/[\d.]+:\d+/)?.[0]);
  const url = await begin(APART);
  const { addresses } = await makeTable(url, 'dobutsu');
  const page = await open(browser, addresses[0].address);
  await page.waitForSelector('.status.yours');
  const dead = async (text) => {
    await page.waitForSelector(`.status.bad:has-text("${text}")`);
    assert.equal(await page.locator('.actions button:enabled, .typed button:enabled').count(), 0, text);
    assert.deepEqual(await reds(page), [text]);
  };
  await stop(url);
  await dead('The server of the page has ended.');
  await page.screenshot({ path: `${pictures}/server-ended.png`, fullPage: true });
  await begin(new URL(url).host);
  await dead('There is no such seat, or its table has ended.');
  await page.click('.actions a:has-text("New game")');
  await page.waitForURL(`${url}/play/dobutsu`);
  await page.waitForSelector('.setup');
  // Of the table that is gone nothing is listed.
  assert.equal(await page.locator('.own-tables').count(), 0);
  await page.context().close();
  return undefined;
});

test('the tables of a browser are listed, to come back to or to end', { timeout: 240_000 }, async () => {
  const { addresses } = await makeTable(server.url, 'dobutsu');
  const page = await open(browser, addresses[0].address);
  // The gateway is asked once whose turn it is.
  await asked(page);
  await page.click('.masthead .brand');
  await page.waitForSelector('.own-tables li:has-text("Dobutsu shogi"):has-text("Your move")');
  assert.deepEqual(await accessibility(page), []);
  await page.screenshot({ path: `${pictures}/own-tables.png`, fullPage: true });
  await page.click('.own-tables a:has-text("Resume")');
  await page.waitForSelector('.status.yours');
  const seat = await addressOf(page);
  await page.goto(`${server.url}/play/geister`);
  await page.click('.own-tables button:has-text("End")');
  await page.click('.own-tables button:has-text("End it?")');
  await page.waitForSelector('.own-tables', { state: 'detached' });
  await page.goto(seat);
  await page.reload();
  await page.waitForSelector('.status:has-text("The table was ended")');
  await page.context().close();
});

test('a connection that is lost is said once, and comes back', async () => {
  const { addresses } = await makeTable(server.url, 'score-four');
  const page = await open(browser, server.url);
  const sockets = [];
  await page.routeWebSocket(/\/ws$/, (socket) => {
    socket.connectToServer();
    sockets.push(socket);
  });
  await page.goto(addresses[0].address);
  await asked(page);
  await page.evaluate(() => {
    globalThis.heard = [];
    new MutationObserver(() => globalThis.heard.push(document.getElementById('said').textContent)).observe(document.getElementById('said'), { childList: true });
  });
  await sockets[0].close();
  await page.waitForFunction(() => globalThis.heard.at(-1) === 'Your move.');
  assert.deepEqual(await page.evaluate(() => globalThis.heard), ['The connection is lost; trying again…', 'Your move.']);
  noFaults(page);
  await page.context().close();
});

test('the second player of Geister sees its own ghosts below', async () => {
  const { addresses } = await makeTable(server.url, 'geister', { you: 1 });
  const page = await open(browser, addresses[0].address);
  await playOn(page, 'geister', 'mouse', 3);
  await page.waitForSelector('.status.yours');
  assert.equal(await page.locator('.ghost.own.hidden, .ghost.enemy.red, .ghost.enemy.blue').count(), 0);
  assert.equal(await page.locator('.player.own.turn').count(), 1);
  noFaults(page);
  await page.context().close();
});

test('what the bot thought of an open game is shown when it is asked for', async () => {
  const { addresses } = await makeTable(server.url, 'score-four', { seats: against('flat:playouts=200:seed=1') });
  const page = await open(browser, addresses[0].address);
  await playOn(page, 'score-four', 'mouse', 2);
  await page.waitForSelector('.status.yours');
  assert.equal(await page.locator('.thought').count(), 0);
  await page.click('.panel .check input');
  await page.waitForSelector('.thought .thoughts tbody tr');
  assert.deepEqual(await accessibility(page), []);
  await playOn(page, 'score-four', 'mouse', 1);
  await page.waitForSelector('.thought');
  noFaults(page);
  await page.context().close();
});

test('the end of a game shows what was hidden, and what the bot thought', { timeout: 240_000 }, async () => {
  const { addresses } = await makeTable(server.url, 'geister', { seats: against('best:simulations=20:seed=1') });
  const page = await open(browser, addresses[0].address);
  await playOn(page, 'geister', 'mouse', 3);
  await page.waitForSelector('.status.yours');
  assert.equal(await page.locator('.thought, .reveal, .ghost.enemy.red, .ghost.enemy.blue').count(), 0);
  await playOn(page, 'geister', 'mouse');
  await page.waitForSelector('.ending .reveal');
  assert.equal(await page.locator('.reveal .ghost').count(), 16);
  assert.equal(await page.locator('.reveal .ghost.red').count(), 8);
  await page.waitForSelector('.thought');
  await page.click('.ending .close');
  // At an earlier position of the same game the colours are open, too.
  await page.keyboard.press('Home');
  await page.waitForFunction(() => document.querySelectorAll('.geister-board .ghost.enemy.red').length === 4 || document.querySelector('.set-up-text'));
  assert.deepEqual(await accessibility(page), []);
  noFaults(page);
  await page.context().close();
});

test('no clock runs while ghosts are placed, and who has lost on time is named', async () => {
  const { addresses } = await makeTable(server.url, 'geister', { clock: { move_ms: 4000 }, practice: false });
  const page = await open(browser, addresses[0].address);
  await asked(page);
  assert.equal(await page.locator('.clock').count(), 0);
  // The page looks for the clock from now on: on a slow machine the time may be up when the mover comes back.
  const clock = page.waitForSelector('.player.own .clock');
  await movers.geister(page, 'mouse', 0);
  await clock;
  await page.waitForSelector('.ending .why:has-text("you: out of time")');
  noFaults(page);
  await page.context().close();
});

test('who lets the time pass in Daihinmin is told so, and the game goes on to its result', { timeout: 240_000 }, async () => {
  const { addresses } = await makeTable(server.url, 'daihinmin', { clock: { move_ms: 400 }, practice: false });
  const page = await open(browser, addresses[0].address);
  await page.waitForSelector('.status:has-text("Your time was up: you passed.")');
  await page.waitForSelector('.ending .order li.own:has-text("you")');
  assert.doesNotMatch(await page.textContent('.ending h2'), /over/);
  // The record of the game, which is shown with the hands, blames nobody for its end either. Whether the server has found the
  // person too late, or the gateway was faster, depends on the machine.
  await page.waitForSelector('.reveal', { state: 'attached' });
  assert.match(await page.textContent('.ending .why'), /^(all places are decided|ranked by lot after twenty passes)$/);
  noFaults(page);
  await page.context().close();
});

test('a move is typed, and one that is no move is refused', async () => {
  const { addresses } = await makeTable(server.url, 'score-four');
  const page = await open(browser, addresses[0].address);
  await asked(page);
  await page.fill('#typed', 'z9');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#typed-error:has-text("z9")');
  // In full width, as a Japanese keyboard writes it.
  await page.fill('#typed', 'Ｂ３');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.moves button:has-text("b3")');
  // A legal move in another way ends the complaint about one that was typed.
  await asked(page);
  await page.fill('#typed', 'z9');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#typed-error:has-text("z9")');
  await playOn(page, 'score-four', 'mouse', 1);
  assert.equal(await page.textContent('#typed-error'), '');
  noFaults(page);
  await page.context().close();
});

test('a finger drops a ball on the tower by two taps', async () => {
  const { addresses } = await makeTable(server.url, 'score-four');
  const page = await open(browser, addresses[0].address, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await asked(page);
  const peg = await tapTower(page);
  await page.waitForSelector(`.moves button:has-text("${peg}")`);
  noFaults(page);
  await page.context().close();
});

test('a move is made by dragging', async () => {
  const { addresses } = await makeTable(server.url, 'dobutsu');
  const page = await open(browser, addresses[0].address);
  await asked(page);
  const box = (at) => page.locator(`[data-at="${at}"] .ground`).boundingBox();
  const [from, to] = [await box('2c'), await box('2b')];
  await page.mouse.move(from.x + 30, from.y + 30);
  await page.mouse.down();
  await page.mouse.move(to.x + 30, to.y + 40, { steps: 5 });
  await page.mouse.up();
  await page.waitForSelector('.moves button:has-text("2c2b")');
  noFaults(page);
  await page.context().close();
});

test('a piece of Blokus is dragged from the tray, turned and flipped', async () => {
  const { addresses } = await makeTable(server.url, 'blokus');
  const page = await open(browser, addresses[0].address);
  await asked(page);
  const tray = await page.locator('[data-piece="V5"]').boundingBox();
  const board = await page.locator('.board-area .blokus-board').boundingBox();
  await page.mouse.move(tray.x + tray.width / 2, tray.y + tray.height / 2);
  await page.mouse.down();
  await page.mouse.move(board.x + 80, board.y + 80, { steps: 6 });
  await page.waitForSelector('.tile.ghost');
  const ghost = () => page.locator('.tile.ghost .tile-edge').getAttribute('d');
  const first = await ghost();
  await page.keyboard.press('r');
  await page.waitForFunction((before) => document.querySelector('.tile.ghost .tile-edge')?.getAttribute('d') !== before, first);
  await page.mouse.move(board.x + 40, board.y + 40, { steps: 3 });
  await page.mouse.up();
  await page.waitForSelector('.moves button:has-text("V5")');
  noFaults(page);
  await page.context().close();
});

test('a card is drawn up to the pile', async () => {
  const { addresses } = await makeTable(server.url, 'daihinmin');
  const page = await open(browser, addresses[0].address);
  await playOn(page, 'daihinmin', 'mouse', 1);
  let isLaid = false;
  for (let i = 0; i < 30; i += 1) {
    await page.waitForSelector('.typed button:enabled, .ending');
    if (await page.locator('.ending').count()) break;
    const card = page.locator('.hand .card:not(.shut)');
    const before = await page.locator('.hand .card').count();
    const ply = await page.textContent('.scrub-at');
    if ((await card.count()) > 0) {
      const box = await card.first().boundingBox();
      await page.mouse.move(box.x + 12, box.y + 20);
      await page.mouse.down();
      await page.mouse.move(box.x + 12, box.y - 90, { steps: 4 });
      await page.mouse.up();
      await drawn(page);
    }
    if (await page.locator('.typed button:enabled').count()) {
      await page.keyboard.press('p');
      await drawn(page);
    }
    // What is sent comes back as the next position.
    if ((await page.locator('.typed button:enabled').count()) === 0) await page.waitForFunction((was) => document.querySelector('.scrub-at')?.textContent !== was, ply);
    isLaid = (await page.locator('.hand .card').count()) < before;
    if (isLaid) break;
  }
  assert.ok(isLaid);
  noFaults(page);
  await page.context().close();
});

test('the clocks of Daihinmin are seen at every width', async () => {
  const { addresses } = await makeTable(server.url, 'daihinmin', { clock: { budget_ms: 180_000 }, practice: false });
  const page = await open(browser, addresses[0].address);
  await page.waitForSelector('.typed button:enabled, .ending');
  for (const width of [1280, 901, 900, 700, 561, 560, 390]) {
    await page.setViewportSize({ width, height: 850 });
    const shown = await page.evaluate(() => [...document.querySelectorAll('.clock, .seat-clock')].filter((one) => one.checkVisibility()).length);
    assert.equal(shown, 5, `clocks at ${width}`);
  }
  noFaults(page);
  await page.context().close();
});

test('the focus stays on the board when it is drawn anew, and moves are said', async () => {
  const { addresses } = await makeTable(server.url, 'score-four');
  const page = await open(browser, addresses[0].address);
  await asked(page);
  await movers['score-four'](page, 'keys', 1);
  await page.waitForFunction(() => document.querySelectorAll('.moves button').length >= 2);
  await page.waitForSelector('.status.yours');
  assert.ok(await page.evaluate(() => Boolean(document.activeElement?.closest('.tower'))), 'the focus is on the board');
  assert.match(await page.textContent('#said'), /[a-d][1-4]/);
  noFaults(page);
  await page.context().close();
});

test('the maker of a table sees the links to its open seats again', async () => {
  const page = await open(browser, `${server.url}/play/score-four`);
  await page.selectOption('.opponent select >> nth=0', 'open');
  await page.click('button[type=submit]');
  await page.waitForURL(/\/t\//);
  await page.waitForSelector('.loading .invite input');
  const link = await page.inputValue('.invite input >> nth=0');
  // The page is for this machine alone.
  assert.match(await page.textContent('.invite'), /on this computer only.*--listen 0\.0\.0\.0:8080/);
  assert.deepEqual(await accessibility(page), []);
  await page.screenshot({ path: `${pictures}/invitation.png`, fullPage: true });
  await page.reload();
  await page.waitForSelector('.loading .invite input');
  assert.equal(await page.inputValue('.invite input >> nth=0'), link);
  const guest = await open(browser, link);
  await guest.click('.greeting button');
  await page.waitForSelector('.status.yours');
  // A guest sees only the link for watchers.
  assert.equal(await guest.locator('.invite input').count(), 1);
  await page.click('.invite summary');
  assert.equal(await page.inputValue('.invite input >> nth=0'), link);
  assert.deepEqual(await accessibility(page), []);
  noFaults(page);
  noFaults(guest);
  await page.context().close();
  await guest.context().close();
});

test('the link to an open seat is of use to one browser, which keeps the seat', { timeout: 240_000 }, async () => {
  const { addresses: [own, invited] } = await makeTable(server.url, 'score-four', { seats: [{ kind: 'person' }, { kind: 'open' }], practice: false });
  const maker = await open(browser, own.address);
  const guest = await open(browser, invited.address);
  await guest.waitForSelector('.player');
  assert.notEqual(await addressOf(guest), invited.address);
  const other = await open(browser, invited.address);
  await other.waitForFunction(() => document.getElementById('said').textContent === 'The seat is taken: this link has been used, or somebody was quicker.');
  assert.equal(await other.locator('.player').count(), 0);
  await guest.reload();
  await guest.waitForSelector('.player');
  const again = await guest.context().newPage();
  await again.goto(invited.address);
  await again.waitForSelector('.player');
  await guest.waitForFunction(() => document.getElementById('said').textContent === 'Another window has taken this seat.');
  for (const page of [maker, guest, other]) {
    noFaults(page);
    await page.context().close();
  }
});

test('two browsers play each other at one table', { timeout: 240_000 }, async () => {
  const { addresses } = await makeTable(server.url, 'score-four', { seats: [{ kind: 'person' }, { kind: 'open' }], practice: false });
  const pages = [];
  for (const { address } of addresses) pages.push(await open(browser, address));
  await Promise.all(pages.map((page) => playOn(page, 'score-four', 'mouse')));
  const heads = await Promise.all(pages.map((page) => page.textContent('.ending h2')));
  assert.ok(new Set(heads).size === 2 || heads[0] === 'Draw', heads.join());
  pages.forEach(noFaults);
  await Promise.all(pages.map((page) => page.context().close()));
});

test('who leaves the page is marked at the other one, until the page is back', { timeout: 240_000 }, async () => {
  const { addresses } = await makeTable(server.url, 'score-four', { seats: [{ kind: 'person' }, { kind: 'open' }], practice: false });
  const [page, other] = [await open(browser, addresses[0].address), await open(browser, addresses[1].address)];
  for (const one of [page, other]) await one.waitForSelector('.player');
  // The link itself is used up.
  const own = await addressOf(other);
  await other.context().close();
  const mark = page.locator('.player:not(.own) small:has-text("connection lost")');
  await mark.waitFor();
  // A reload tells it anew.
  await page.reload();
  await mark.waitFor();
  const back = await open(browser, own);
  await mark.waitFor({ state: 'detached' });
  for (const one of [page, back]) {
    noFaults(one);
    await one.context().close();
  }
});

test('a press counts where the pointer has only just come, though the ball that it shows is drawn meanwhile', async () => {
  const { addresses } = await makeTable(server.url, 'score-four');
  const page = await open(browser, addresses[0].address);
  await page.waitForSelector('.typed button:enabled');
  // Frames are drawn only when this test says so.
  await page.evaluate(() => {
    const frames = [];
    window.requestAnimationFrame = (draw) => frames.push(draw);
    window.drawFrames = () => frames.splice(0).forEach((draw) => draw());
  });
  const { x, y, width, height } = await page.locator('.spot.open').nth(5).boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.evaluate(() => window.drawFrames());
  assert.equal(await page.locator('.level .ball.ghost').count(), 1);
  await page.mouse.up();
  await page.waitForFunction(() => {
    window.drawFrames();
    return document.querySelector('.moves button');
  });
  noFaults(page);
  await page.context().close();
});

test('resigning asks first and ends the game', async () => {
  const { addresses } = await makeTable(server.url, 'dobutsu');
  const page = await open(browser, addresses[0].address);
  await page.waitForSelector('.status.yours');
  const focused = (text) => page.waitForFunction((wanted) => document.activeElement?.textContent === wanted, text);
  const resign = page.locator('.actions button:last-child');
  // The answer that does nothing has the focus, and gives it back.
  await resign.press('Enter');
  await focused('No');
  await page.keyboard.press('Enter');
  await focused('Resign');
  // A double click is one wish: its second half falls on the answer that resigns.
  const { x, y, width, height } = await resign.boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
  await focused('No');
  assert.ok(await page.evaluate(([left, top]) => document.elementFromPoint(left, top).closest('.danger'), [x + width / 2, y + height / 2]));
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await drawn(page);
  await page.click('.actions .danger');
  await page.waitForSelector('.ending.lost');
  assert.equal(await page.textContent('#said'), 'You lose: you: resignation');
  noFaults(page);
  await page.context().close();
});

test('the end of a game of a match stays with the score so far until its reader goes on', async () => {
  const { addresses } = await makeTable(server.url, 'dobutsu', { games: 2, practice: false });
  const page = await open(browser, addresses[0].address);
  const resign = async () => {
    await page.click('.actions button:has-text("Resign")');
    await page.click('.actions .danger');
    await page.waitForSelector('.ending.lost');
  };
  await page.waitForSelector('.status.yours');
  await resign();
  await page.waitForSelector('.ending:has-text("The next game has begun.")');
  assert.match(await page.textContent('.ending'), /resignation.*Match: you 0 – 1 random/);
  assert.deepEqual(await accessibility(page), []);
  // The way on stays where the end is closed.
  await page.click('.ending .close');
  await page.click('.actions button:has-text("Next game")');
  await page.waitForSelector('.heading:has-text("Game 2 of 2")');
  await page.waitForSelector('.status.yours');
  await resign();
  await page.waitForSelector('.ending:has-text("Match: you 0 – 2 random")');
  assert.equal(await page.locator('button:has-text("Next game")').count(), 0);
  noFaults(page);
  await page.context().close();
});

for (const game of GAMES) {
  test(`${game}: pictures, and no rule of accessibility is broken`, { timeout: 240_000 }, async () => {
    const { addresses } = await makeTable(server.url, game);
    const page = await open(browser, addresses[0].address);
    await playOn(page, game, 'mouse', SEATS[game] > 2 ? 3 : 2);
    await page.waitForSelector('.status.yours, .ending');
    await inspect(page, `${game}`);
    noFaults(page);
    await page.context().close();
  });
}

test('the first page breaks no rule of accessibility in either language', async () => {
  for (const locale of ['en', 'ja']) {
    const page = await open(browser, server.url, { locale });
    await page.waitForSelector('.game-card');
    assert.deepEqual(await accessibility(page), []);
    await page.click('.game-card');
    await page.waitForSelector('.setup');
    assert.deepEqual(await accessibility(page), []);
    noFaults(page);
    await page.context().close();
  }
});
