// Watching a server elsewhere: its lobby, a table of it, and the wall.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { accessibility, has, launch, noFaults, open, pictures, serve, start } from './harness.js';

let server;
let browser;

/** The ports of all addresses that a program has named, once there are `count`. */
const ports = (count) => (told) => {
  const named = [...told.matchAll(/127\.0\.0\.1:(\d+)(?=\D)/g)].map(([, port]) => port);
  return named.length >= count && named;
};

before(async () => {
  if (process.env.TAIKYOKU_WEB_URL) return;
  browser = await launch();
  const [watched, first, second] = await start('taikyoku', ['serve', 'geister', '--host', '127.0.0.1', '--ports', '0,0', '--watch', '0', '--games', '20'], ports(3));
  for (const port of [first, second]) await start('geister', ['--host', '127.0.0.1', '--port', port, '--engine', 'best', '--seed', '3', '--move-ms', '2000', '--games', '20']);
  server = await serve('--watch', `127.0.0.1:${watched}`);
});
after(() => browser?.close());

test('a table elsewhere is found in the lobby and watched, and no colour of a ghost is shown', { timeout: 240_000 }, async (t) => {
  if (!server || !(await has(server.url, '/watch'))) return t.skip('the program watches nothing');
  const page = await open(browser, `${server.url}/watch`);
  const card = page.locator('a.table-card').first();
  await card.waitFor();
  await page.screenshot({ path: `${pictures}/lobby.png` });
  assert.deepEqual(await accessibility(page), []);
  await card.click();
  await page.waitForURL(/\/w\//);
  // The card of the lobby has a board, too.
  await page.waitForSelector('.stage .geister-board .square');
  const count = () => page.locator('.moves button').count();
  const before = await count();
  await page.waitForFunction((n) => document.querySelectorAll('.moves button').length > n, before + 1);
  assert.equal(await page.locator('.board-area .geister-board .ghost.red, .board-area .geister-board .ghost.blue').count(), 0);
  assert.equal(await page.locator('.typed, .actions button').count(), 0);
  // The reader who looks back is left there.
  await page.keyboard.press('Home');
  await page.waitForSelector('.scrub-row button:first-child:disabled');
  const seen = async () => (await page.textContent('.scrub-at')).split(' ')[0];
  const first = await seen();
  const now = await count();
  await page.waitForFunction((n) => document.querySelectorAll('.moves button').length > n, now);
  assert.equal(await seen(), first);
  noFaults(page);
  await page.context().close();
  return undefined;
});

test('the wall shows tables with nothing to click', { timeout: 240_000 }, async (t) => {
  if (!server || !(await has(server.url, '/wall'))) return t.skip('the program has no wall');
  const page = await open(browser, `${server.url}/wall`);
  await page.waitForSelector('.wall .table-card');
  await page.screenshot({ path: `${pictures}/wall.png` });
  assert.equal(await page.locator('a, button, input, select').count(), 0);
  noFaults(page);
  await page.context().close();
  return undefined;
});

test('names of 64 letters stay within their places', { timeout: 240_000 }, async (t) => {
  if (!server) return t.skip('the program watches nothing');
  const [watched, port] = await start('taikyoku', ['serve', 'score-four', '--host', '127.0.0.1', '--port', '0', '--watch', '0', '--games', '2'], ports(2));
  const gateway = await serve('--watch', `127.0.0.1:${watched}`);
  const page = await open(browser, `${gateway.url}/watch`);
  // The page is there first, and one of the two thinks: a server shows no match that was over before its watcher came.
  const play = (seed, ...engine) => start('score-four', ['play', '--port', port, '--seed', seed, '--name', 'W'.repeat(63) + seed, ...engine]);
  await play('1', '--engine', 'random');
  await play('2', '--engine', 'uct', '--move-ms', '50');
  await page.waitForSelector('.table-card.over');
  for (const path of ['/watch', '/w/0/1', '/wall']) {
    await page.goto(gateway.url + path);
    await page.waitForSelector(path === '/w/0/1' ? '.ending' : '.table-card');
    for (const [width, height] of [[1280, 800], [700, 900], [390, 844]]) {
      await page.setViewportSize({ width, height });
      const wide = await page.evaluate(() => {
        const parts = [document.documentElement, ...document.querySelectorAll('.player, .status, .side, .tools, .ending, .table-card, .thumb-text, .thumb-text ul')];
        return parts.filter((one) => one.scrollWidth > one.clientWidth || one.getBoundingClientRect().right > window.innerWidth + 1).map((one) => one.className || one.tagName);
      });
      assert.deepEqual(wide, [], `${path} at ${width}`);
      await page.screenshot({ path: `${pictures}/names${path.replaceAll('/', '-')}-${width}.png` });
    }
  }
  noFaults(page);
  await page.context().close();
  return undefined;
});

test('between games the wall shows a highlight, which leads to its ply', { timeout: 240_000 }, async (t) => {
  if (!server) return t.skip('the program watches nothing');
  const [watched, port] = await start('taikyoku', ['serve', 'score-four', '--host', '127.0.0.1', '--port', '0', '--watch', '0', '--games', '2'], ports(2));
  const gateway = await serve('--watch', `127.0.0.1:${watched}`);
  const page = await open(browser, `${gateway.url}/watch`);
  const play = (name, ...engine) => start('score-four', ['play', '--port', port, '--seed', '5', '--name', name, ...engine]);
  await play('ana', '--engine', 'random');
  await play('bo', '--engine', 'uct', '--move-ms', '50');
  await page.waitForSelector('.table-card.over');
  await page.goto(`${gateway.url}/wall`);
  await page.waitForSelector('.highlight.big .thumb svg');
  assert.match(await page.textContent('.highlight-kind'), /^(Longest|Shortest) game$/);
  assert.match(await page.textContent('.highlight-who'), /^(ana – bo|bo – ana)$/);
  assert.deepEqual(await accessibility(page), []);
  for (const [width, height] of [[1280, 800], [390, 844]]) {
    await page.setViewportSize({ width, height });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth), false, `${width}`);
    await page.screenshot({ path: `${pictures}/highlight-${width}.png` });
  }
  // Of two games the match shows the last; the link of each leads to its own.
  const all = await page.evaluate(async () => (await fetch('/api/highlights')).json());
  assert.deepEqual(new Set(all.map((one) => one.game_no)), new Set([1, 2]));
  for (const one of all) {
    await page.goto('about:blank');
    await page.goto(`${gateway.url}/w/0/${one.match}#game=${one.game_no}&ply=${one.ply}`);
    await page.waitForFunction((n) => document.querySelector('.scrub-at')?.textContent.startsWith(`${n} `), one.ply);
    assert.equal(await page.locator('.moves button').count(), one.ply);
  }
  noFaults(page);
  await page.context().close();
  return undefined;
});

test('a watcher is told that the server of the match is gone', { timeout: 240_000 }, async (t) => {
  if (!server) return t.skip('the program watches nothing');
  const [watched, port] = await start('taikyoku', ['serve', 'score-four', '--host', '127.0.0.1', '--port', '0', '--watch', '0', '--move-ms', '60000'], ports(2));
  // The page comes to the server by a way that is cut.
  const way = net.createServer((near) => {
    const far = net.connect(Number(watched), '127.0.0.1');
    near.pipe(far).pipe(near);
    for (const end of [near, far]) end.on('error', () => {});
    way.ends.push(near, far);
  });
  way.ends = [];
  await new Promise((open) => { way.listen(0, '127.0.0.1', open); });
  const gateway = await serve('--watch', `127.0.0.1:${way.address().port}`);
  const page = await open(browser, `${gateway.url}/watch`);
  const play = (...engine) => start('score-four', ['play', '--host', '127.0.0.1', '--port', port, ...engine]);
  await play('--engine', 'random');
  // It thinks for long: the match is not over before the way is cut.
  await play('--engine', 'uct', '--move-ms', '20000');
  await page.click('a.table-card.playing');
  // The card of the lobby has a tower, too.
  await page.waitForSelector('.stage .tower');
  way.close();
  for (const end of way.ends) end.destroy();
  await page.waitForSelector('.status.bad:has-text("The connection with the watched server is lost")');
  assert.match(await page.textContent('#said'), /watched server is lost/);
  await page.getByRole('button', { name: '日本語' }).click();
  await page.waitForSelector('.status.bad:has-text("観戦先のサーバとの接続が切れました。")');
  noFaults(page);
  await page.context().close();
  return undefined;
});

test('an organiser pauses a league and disqualifies an entrant by the keyboard', { timeout: 240_000 }, async (t) => {
  if (!server) return t.skip('the program watches nothing');
  const place = mkdtempSync(join(tmpdir(), 'league-'));
  const entrants = ['ana', 'bo'].map((name) => `[[entrants]]\nname = "${name}"\nengine = "random"\n`).join('');
  writeFileSync(join(place, 'it.toml'), `game = "score-four"\ntitle = "Spring"\nat-once = 1\ndeals = 20000\n${entrants}`);
  const token = join(place, 'token');
  const [watched] = await start('taikyoku', ['league', join(place, 'it.toml'), '--watch', '0', '--organiser', token], (told) => told.match(/watched on \S+:(\d+)\n/)?.slice(1));
  const gateway = await serve('--watch', `127.0.0.1:${watched}`, '--acts');
  const page = await open(browser, `${gateway.url}/watch`);
  await page.locator('.organiser summary').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.type('not-the-token');
  await page.keyboard.press('Tab');
  await page.keyboard.type('lunch');
  await page.keyboard.press('Tab');
  // The browser notes the refusal.
  const noted = page.waitForEvent('console', (message) => message.text().includes('403'));
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /not the organiser/.test(document.querySelector('.organiser > .bad')?.textContent ?? ''));
  await noted;
  page.faults = page.faults.filter((fault) => !fault.includes('403'));
  await page.locator('.organiser input[type="password"]').fill(readFileSync(token, 'utf8').trim());
  await page.getByRole('button', { name: 'Pause' }).press('Enter');
  await page.waitForSelector('.league-head .paused');
  assert.equal(await page.textContent('.league-head .paused'), 'Paused: lunch');
  // The focus stays where the act was done, and nobody is chosen beforehand.
  await page.waitForFunction(() => document.activeElement?.textContent === 'Resume');
  assert.equal(await page.getByRole('button', { name: 'Disqualify' }).count(), 0);
  await page.locator('.organiser select').selectOption('ana');
  await page.getByRole('button', { name: 'Disqualify' }).press('Enter');
  // The answer that does nothing has the focus.
  await page.waitForFunction(() => document.activeElement?.textContent === 'No');
  assert.deepEqual(await accessibility(page), []);
  for (const [width, height] of [[1280, 800], [390, 844]]) {
    await page.setViewportSize({ width, height });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth), false, `${width}`);
    await page.screenshot({ path: `${pictures}/organiser-${width}.png`, fullPage: true });
  }
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /ana disqualified/.test(document.querySelector('.ratings')?.textContent ?? ''));
  await page.waitForFunction(() => document.activeElement?.textContent === 'Reinstate');
  await page.getByRole('button', { name: '日本語' }).click();
  await page.waitForFunction(() => document.querySelector('.league-head .paused')?.textContent === '中断中：lunch');
  await page.screenshot({ path: `${pictures}/organiser-ja.png`, fullPage: true });
  noFaults(page);
  await page.context().close();
  return undefined;
});
