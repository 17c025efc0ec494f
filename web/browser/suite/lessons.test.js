// Rules, lessons and levels for somebody who learns a game, in Chromium.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accessibility, browser, GAMES, makeTable, noFaults, open, pictures, playOn, server, stand } from './harness.js';

stand();

test('the rules have pictures, each with a caption and nothing to stop at', { timeout: 300_000 }, async () => {
  for (const [game, count] of [['dobutsu', 4], ['score-four', 4], ['blokus', 3], ['geister', 4], ['daihinmin', 3]]) {
    for (const colorScheme of ['light', 'dark']) {
      const page = await open(browser, `${server.url}/play/${game}`, { colorScheme, isFirstVisit: true });
      await page.waitForFunction((n) => document.querySelectorAll('.rule-pictures figure').length === n, count);
      const drawn = await page.evaluate(() => [...document.querySelectorAll('.rule-pictures .board')].every((one) => one.getBoundingClientRect().height > 60 && one.innerHTML.length > 200));
      assert.ok(drawn, game);
      const reached = await page.evaluate(() => [...document.querySelectorAll('.rule-pictures .thumb')].every((one) => one.inert && one.ariaHidden === 'true'));
      assert.ok(reached, game);
      assert.deepEqual(await accessibility(page), []);
      for (const [width, height] of [[1280, 800], [390, 844]]) {
        await page.setViewportSize({ width, height });
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth), false, `${game} at ${width}`);
        await page.locator('.rules').screenshot({ path: `${pictures}/rules-${game}-${colorScheme}-${width}.png` });
      }
      noFaults(page);
      await page.context().close();
    }
  }
});

test('a move of the list is shown on the board, rules stay closed, and after two losses an easier level is offered', { timeout: 240_000 }, async () => {
  const { addresses } = await makeTable(server.url, 'dobutsu', { seats: [{ kind: 'person' }, { kind: 'bot', spec: 'level-3' }] });
  const page = await open(browser, addresses[0].address, { isFirstVisit: true });
  await page.waitForSelector('.player-name:has-text("Level 3")');
  assert.ok(await page.locator('.rules[open]').count(), 'open on a first visit');
  await page.click('.rules summary');
  await playOn(page, 'dobutsu', 'mouse', 1);
  await page.waitForSelector('.typed button:enabled');
  const board = () => page.locator('.board-area').innerHTML();
  const now = await board();
  await page.hover('.moves button >> nth=0');
  await page.waitForSelector('.board-area.peek');
  assert.notEqual(await board(), now);
  await page.screenshot({ path: `${pictures}/peek.png` });
  await page.mouse.move(5, 5);
  await page.waitForSelector('.board-area:not(.peek)');
  assert.equal(await board(), now);
  // A move that was chosen in the list does not hold the board against the keys.
  await page.click('.moves button >> nth=0');
  await page.keyboard.press('End');
  await page.waitForSelector('.board-area:not(.peek)');
  await page.waitForFunction((wanted) => document.querySelector('.board-area').innerHTML === wanted, now);
  const lose = async () => {
    await page.waitForSelector('.typed button:enabled');
    await page.click('.actions [data-at=resign]');
    await page.click('.actions .danger');
    await page.waitForSelector('.ending h2');
  };
  await lose();
  await page.waitForSelector('.ending-actions button');
  assert.equal(await page.locator('.ending-actions button').count(), 1);
  await page.click('.ending .primary');
  await lose();
  assert.deepEqual(await accessibility(page), []);
  await page.screenshot({ path: `${pictures}/offer.png` });
  await page.click('.ending-actions button:has-text("Play level 2")');
  await page.waitForSelector('.player-name:has-text("Level 2")');
  assert.equal(await page.locator('.rules[open]').count(), 0, 'closed as the reader left it');
  noFaults(page);
  await page.context().close();
});

test('a reader practises on the board: right moves are said, and wrong ones explained', { timeout: 240_000 }, async () => {
  const page = await open(browser, `${server.url}/play/dobutsu`);
  await page.click('.setup a[href="/learn/dobutsu"]');
  const move = async (from, to) => {
    await page.waitForSelector('.status.yours');
    await page.locator(`.square[data-at="${from}"]`).click({ force: true });
    await page.locator(`.square.target[data-at="${to}"]`).click({ force: true });
    await page.waitForSelector('.verdict');
    return page.locator('.verdict').textContent();
  };
  const next = () => page.click('.actions button:has-text("Next")');
  assert.match(await move('2c', '2b'), /^Right\. The chick is yours/);
  await next();
  assert.match(await move('2d', '1d'), /^Not yet\. The enemy lion/);
  await page.click('.actions button:has-text("Try again")');
  assert.match(await move('2c', '2b'), /^Right/);
  await next();
  assert.match(await move('3b', '2a'), /^Not yet.*The answer is [13]a2a\.$/);
  await page.click('.actions a:has-text("Play")');
  await page.waitForSelector('.setup');
  noFaults(page);
  await page.context().close();
  for (const [size, options] of Object.entries({ 1280: {}, 390: { viewport: { width: 390, height: 844 }, colorScheme: 'dark', locale: 'ja' } })) {
    const one = await open(browser, server.url, options);
    for (const game of GAMES) {
      await one.goto(`${server.url}/learn/${game}`);
      await one.waitForSelector('.status.yours');
      await one.screenshot({ path: `${pictures}/learn-${game}-${size}.png` });
      assert.deepEqual(await accessibility(one), [], `${game} ${size}`);
      assert.ok(await one.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${game} ${size}`);
    }
    noFaults(one);
    await one.context().close();
  }
});
