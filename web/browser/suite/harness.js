// What the tests of the browser share: the program, the browser, tables, and players of each game by mouse, keys and touch.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const pictures = fileURLToPath(new URL('../pictures/', import.meta.url));
mkdirSync(pictures, { recursive: true });

/** Where the programs are. */
export const folder = process.env.TAIKYOKU_PROGRAMS ?? `${root}target/debug`;

export const SEATS = { 'score-four': 2, blokus: 4, dobutsu: 2, geister: 2, daihinmin: 5 };
export const GAMES = Object.keys(SEATS);

/**
 * Until what the page has to draw is drawn, whether it waits for a frame or, as a page that is hidden, for a timer. How long
 * that takes depends on the machine.
 */
export const drawn = (page) => page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))); }));

/** Until the reader can move: the status calls the turn the reader's with the position, before the question has come. */
export const asked = (page) => page.waitForSelector('.typed button:enabled');

/** The address of the page by its own word: the driver hears of a changed fragment a moment later. */
export const addressOf = (page) => page.evaluate(() => location.href);

/** Whether the program has a page for this path. */
export const has = async (url, path) => (await fetch(url + path)).ok;

const children = [];

/** Starts a program; gives what `found` makes of all that it has told, once that is something. */
export function start(program, args, found = () => true) {
  const child = spawn(`${folder}/${program}`, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let told = '';
  return new Promise((resolve, reject) => {
    const look = (bytes) => {
      told += bytes;
      const wanted = found(told);
      if (wanted) {
        child.found = wanted;
        resolve(wanted);
      }
    };
    look('');
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`${program} ended with ${code}: ${told}`)));
  });
}

/** Ends the program in which that was found, and waits for its end. */
export async function stop(wanted) {
  const child = children.find((one) => one.found === wanted && one.exitCode === null);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Ends all programs. */
export function end() {
  for (const child of children) child.kill('SIGTERM');
}

// Tests that fail leave their programs behind, and Node waits for the pipes of each.
after(end);

/** Loopback apart from that of all connections, whose own ports would else be those of a program that is away for a moment. */
export const APART = '127.0.2.1:0';

/** The page's program on a port of its own, or the server that `TAIKYOKU_WEB_URL` names. */
export async function serve(...options) {
  if (process.env.TAIKYOKU_WEB_URL) return { url: process.env.TAIKYOKU_WEB_URL };
  const url = await start('taikyoku-web', ['web', '--listen', '127.0.0.1:0', ...options], (told) => told.match(/http:\/\/[\d.]+:\d+/)?.[0]);
  return { url };
}

export const launch = () => chromium.launch({ executablePath: process.env.TAIKYOKU_CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });

/** What the tests of a file share once `stand` is called: the program, and the browser. */
export let server = null;
export let browser = null;

export function stand() {
  before(async () => {
    server = await serve();
    browser = await launch();
  });
  after(() => browser?.close());
}

/** A page that notes every error, and every request that goes elsewhere. A reader who has been here has closed the rules, with their boards. */
export async function open(browser, url, { isFirstVisit = false, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en', reducedMotion: 'reduce', ...options });
  if (!isFirstVisit) await context.addInitScript((games) => {
    try {
      for (const game of games) localStorage[`taikyoku.rules.${game}`] ??= 'closed';
    } catch {
      // A framed document keeps nothing.
    }
  }, GAMES);
  // Twice the usual: a machine may be slow.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  page.faults = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) page.faults.push(`console: ${message.text()}`); });
  page.on('pageerror', (error) => page.faults.push(`error: ${error.message}`));
  const { host } = new URL(url);
  page.on('request', (request) => { if (!request.url().startsWith('data:') && new URL(request.url()).host !== host) page.faults.push(`request: ${request.url()}`); });
  await page.goto(url);
  return page;
}

export const noFaults = (page) => assert.deepEqual(page.faults, []);

/** Rules of accessibility that the page breaks. */
export async function accessibility(page) {
  // The policy of the page forbids foreign scripts; the debugger's own context does not.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary?.split('\n')[1] ?? ''}`).join(' | ')}`);
}

/** Looks at what a page shows, wide and narrow, light and dark: a picture each, nothing wider than the window, and accessible. */
export async function inspect(page, name) {
  for (const [width, height] of [[1280, 800], [390, 844]]) {
    for (const colorScheme of ['light', 'dark']) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${pictures}/${name}-${width}-${colorScheme}.png`, fullPage: true });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${name} is wider than ${width}`);
      assert.deepEqual(await accessibility(page), [], `${name} ${width} ${colorScheme}`);
    }
  }
}

let guests = 0;

/** Posts from an address of its own, as many guests would: the program limits the tables of each address. */
function post(url, value) {
  guests += 1;
  const { hostname, port, pathname } = new URL(url);
  return new Promise((found, failed) => {
    const request = http.request({ hostname, port, path: pathname, method: 'POST', localAddress: `127.0.1.${guests}`, headers: { 'content-type': 'application/json' } }, (answer) => {
      let text = '';
      answer.on('data', (part) => { text += part; });
      answer.on('end', () => found({ status: answer.statusCode, body: JSON.parse(text) }));
    });
    request.on('error', failed);
    request.end(JSON.stringify(value));
  });
}

/** A table with a person in seat `you` against bots, the same in every run; `more` overrides what is asked for. */
export async function makeTable(url, game, { you = 0, ...more } = {}) {
  const bot = (seat) => ({ kind: 'bot', spec: `random:seed=${seat + 1}`, move_ms: 20 });
  const seats = more.seats ?? Array.from({ length: SEATS[game] }, (_, seat) => (seat === you ? { kind: 'person' } : bot(seat)));
  // A seed tells all deals: a table with an open seat has none.
  const seed = seats.some((seat) => seat.kind === 'open') ? null : 7;
  const { status, body } = await post(`${url}/api/tables`, { game, games: 1, practice: true, clock: null, seed, ...more, seats });
  assert.equal(status, 201, JSON.stringify(body));
  return { ...body, addresses: body.tokens.map(({ seat, token }) => ({ seat, address: `${url}/t/${body.table}#${token}` })) };
}

/** Seats of a person and a bot. */
export const against = (spec) => [{ kind: 'person' }, { kind: 'bot', spec, move_ms: 50 }];

/** Ways to press a point of the page. */
const press = {
  mouse: (page, locator, options) => locator.click({ force: true, ...options }),
  touch: (page, locator, options) => locator.tap({ force: true, ...options }),
};

const last = async (locator) => {
  const count = await locator.count();
  return count > 0 ? locator.nth(count - 1) : null;
};

async function walk(page, wanted) {
  const here = () => page.evaluate(() => document.activeElement?.getAttribute('data-at') ?? null);
  const centre = (at) => page.evaluate((name) => {
    const box = document.querySelector(`[data-at="${name}"]`)?.getBoundingClientRect();
    return box ? [box.x + box.width / 2, box.y + box.height / 2] : null;
  }, at);
  const to = await centre(wanted);
  if (!to) return false;
  for (let i = 0; i < 24; i += 1) {
    const at = await here();
    if (at === wanted) return true;
    const from = at === null ? null : await centre(at);
    if (!from) return false;
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const keys = [dx < 0 ? 'ArrowLeft' : 'ArrowRight', dy < 0 ? 'ArrowUp' : 'ArrowDown'];
    // Where the longer way is barred, the other is taken.
    const order = Math.abs(dx) > Math.abs(dy) ? keys : keys.reverse();
    await page.keyboard.press(order[i % 5 === 4 ? 1 : 0]);
    await drawn(page);
  }
  return (await here()) === wanted;
}

/** Brings the focus to the board, by the tabulator alone. */
async function enterBoard(page, selector) {
  for (let i = 0; i < 60; i += 1) {
    if (await page.evaluate((wanted) => Boolean(document.activeElement?.closest(wanted)), selector)) return true;
    await page.keyboard.press('Tab');
  }
  return false;
}

async function byPoints(page, way, turn, selector) {
  const from = page.locator(`${selector} .start[data-at]`);
  const count = await from.count();
  if (count === 0) return;
  const chosen = from.nth(turn % count);
  const at = await chosen.getAttribute('data-at');
  if (way === 'keys') {
    if (!(await enterBoard(page, selector)) || !(await walk(page, at))) return;
    if ((await chosen.getAttribute('aria-pressed')) !== 'true') await page.keyboard.press('Enter');
  } else if ((await chosen.getAttribute('aria-pressed')) !== 'true') {
    await press[way](page, chosen);
  }
  await drawn(page);
  // A capture ends games sooner than a step aside.
  const takes = page.locator(`${selector} .target:has(.take-ring), ${selector} .way-out.target, ${selector} .try`);
  const targets = (await takes.count()) > 0 ? takes : page.locator(`${selector} .target[data-at]`);
  const target = await last(targets);
  if (!target) return;
  const to = await target.getAttribute('data-at');
  if (way === 'keys') {
    if (await walk(page, to)) await page.keyboard.press('Enter');
  } else {
    await press[way](page, target);
  }
  await drawn(page);
  const choice = page.locator('.choice button').first();
  if (await choice.count()) await choice.click();
}

/** Taps a peg of the tower twice, one whose foot no other peg hides: the first touch shows the ball, the second drops it. */
export async function tapTower(page) {
  await page.locator('.board-area .tower').scrollIntoViewIfNeeded();
  const foot = await page.evaluate(() => {
    const feet = [...document.querySelectorAll('.tower .peg.legal .peg-foot')].map((one) => {
      const box = one.getBoundingClientRect();
      return { one, x: box.x + box.width / 2, y: box.y + box.height / 2 };
    });
    const free = feet.find(({ one, x, y }) => one.parentNode.contains(document.elementFromPoint(x, y)));
    return free ? { at: free.one.parentNode.getAttribute('data-at'), x: free.x, y: free.y } : null;
  });
  if (!foot) return null;
  await page.touchscreen.tap(foot.x, foot.y);
  await page.waitForSelector(`.tower .peg[data-at="${foot.at}"] .ghost`);
  await page.touchscreen.tap(foot.x, foot.y);
  return foot.at;
}

/** One move of each game; `turn` counts moves, so that play varies. */
export const movers = {
  async 'score-four'(page, way, turn) {
    if (way === 'keys') {
      const pegs = page.locator('.tower .peg.legal');
      const at = await pegs.nth((turn * 7) % (await pegs.count())).getAttribute('data-at');
      if ((await enterBoard(page, '.tower')) && (await walk(page, at))) await page.keyboard.press('Enter');
      return;
    }
    // A finger plays on the tower and on the levels beside it in turn.
    if (way === 'touch' && turn % 2 === 1) {
      await tapTower(page);
      return;
    }
    const spots = page.locator('.spot.open');
    const count = await spots.count();
    if (count === 0) return;
    const spot = spots.nth((turn * 5) % count).locator('.spot-ground');
    await press[way](page, spot);
    if (way === 'touch') {
      await drawn(page);
      await press.touch(page, page.locator('.spot:has(.ghost) .spot-ground'));
    }
  },

  async blokus(page, way) {
    if (way === 'keys') {
      if (!(await enterBoard(page, '.blokus-board'))) return;
      await page.keyboard.press('.');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      return;
    }
    const piece = page.locator('.tray-piece:not(:disabled)').first();
    if (!(await piece.count())) return;
    await press[way](page, piece);
    await drawn(page);
    if (way === 'touch') {
      await press.touch(page, page.locator('.tray-actions .primary:enabled'));
      return;
    }
    // The piece lies somewhere legal already; a click on it lays it down.
    const box = await page.locator('.tile.ghost .tile-body').boundingBox();
    if (!box) return;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 2 });
    await drawn(page);
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  },

  dobutsu: (page, way, turn) => byPoints(page, way, turn, '.dobutsu-board'),

  async geister(page, way, turn) {
    if (await page.locator('.placed').count()) {
      if (way === 'keys') {
        if (!(await enterBoard(page, '.geister-board'))) return;
        for (let i = 0; i < 4; i += 1) {
          await page.keyboard.press('Enter');
          await page.keyboard.press('ArrowRight');
          await drawn(page);
        }
        await enterBoard(page, '.board-actions .primary');
        await page.keyboard.press('Enter');
      } else {
        for (const letter of 'ABCD') await press[way](page, page.locator(`.placed[data-at=${letter}]`));
        // A forced press waits for no button to be enabled, and the page draws a frame after each choice.
        await press[way](page, page.locator('.board-actions .primary:enabled'));
      }
      return;
    }
    await byPoints(page, way, turn, '.geister-board');
  },

  async daihinmin(page, way) {
    const isGift = (await page.locator('.lay').textContent())?.match(/\d/);
    const open = page.locator('.hand .card:not(.shut):not(.chosen)');
    if ((await page.locator('.lay:enabled, .choice .primary').count()) === 0 && (await open.count()) === 0) {
      if (way === 'keys') {
        await enterBoard(page, '.hand');
        await page.keyboard.press('p');
      } else {
        await press[way](page, page.locator('.pass'));
      }
      return;
    }
    for (let i = 0; i < 5; i += 1) {
      if ((await page.locator('.lay:enabled, .choice .primary').count()) > 0 && !isGift) break;
      if ((await open.count()) === 0) break;
      const card = open.first();
      if (way === 'keys') {
        const at = await card.getAttribute('data-at');
        await enterBoard(page, '.hand');
        await page.keyboard.press('Home');
        for (let k = 0; k < 14; k += 1) {
          await drawn(page);
          if ((await page.evaluate(() => document.activeElement?.getAttribute('data-at'))) === at) break;
          await page.keyboard.press('ArrowRight');
        }
        await page.keyboard.press('Space');
      } else {
        await press[way](page, card);
      }
      await drawn(page);
    }
    const go = page.locator('.lay:enabled, .choice .primary').first();
    if (!(await go.count())) return;
    if (way === 'keys') await page.keyboard.press('Enter');
    else await press[way](page, go);
  },
};

/** Plays until the game is over, or `most` moves are made; gives the number of moves. */
export async function playOn(page, game, way, most = 400) {
  let moves = 0;
  for (let turn = 0; turn < 4 * most + 20 && moves < most; turn += 1) {
    // The question comes after the position, whose status may call the turn one's own before.
    const state = await Promise.race([
      asked(page).then(() => 'yours'),
      page.waitForSelector('.ending').then(() => 'over'),
    ]);
    if (state === 'over' || (await page.locator('.ending').count())) return moves;
    const before = await page.locator('.scrub-at').textContent();
    await movers[game](page, way, turn).catch((error) => {
      // The position may change between a look and a press, as at a real table; a game that stops altogether is found below.
      if (!/Timeout|detached|closed|not visible|null/.test(error.message)) throw error;
    });
    // A move that was sent comes back, however slow the machine is.
    await drawn(page);
    const isOpen = (await page.locator('.typed button:enabled').count()) > 0;
    if (!isOpen) await page.waitForFunction((was) => document.querySelector('.scrub-at')?.textContent !== was, before);
    if ((await page.locator('.scrub-at').textContent()) !== before) moves += 1;
  }
  return moves;
}
