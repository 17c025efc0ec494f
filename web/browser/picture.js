// The pictures of the documentation, their first half. A match of Blokus between four bots is played, recorded and replayed on the page,
// and each ply becomes a PNG in pictures/readme; then a person plays some moves of each game, whose table becomes a PNG in
// pictures/tables, and a league is played, whose report becomes one there. `picture.py` makes the files of them. Both halves: web/browser/picture

import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';

import { GAMES, end, launch, makeTable, open, pictures, playOn, serve, start } from './suite/harness.js';

const NAMES = ['Ada', 'Bea', 'Cem', 'Dov'];
/** How many moves the person makes at the table of each game. */
const MOVES = { 'score-four': 4, blokus: 6, dobutsu: 2, geister: 4, daihinmin: 1 };
/** The part of the page below its head, with the board and the players. */
const BOARD = { x: 0, y: 58, width: 1040, height: 442 };
const frames = `${pictures}readme/`;
const tables = `${pictures}tables/`;
for (const folder of [frames, tables]) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

const records = mkdtempSync(`${tmpdir()}/taikyoku-picture-`);
const serving = ['serve', 'blokus', '--host', '127.0.0.1', '--port', '0', '--games', '1', '--once', '--records', records];
const port = await start('taikyoku', serving, (told) => told.match(/127\.0\.0\.1:(\d+)/)?.[1]);
const bot = (name, i) => start('blokus', ['--port', port, '--name', name, '--engine', 'best', '--playouts', '400', '--seed', `${i + 1}`], () => false);
// Each ends with the match.
await Promise.allSettled(NAMES.map(bot));

const { url } = await serve('--records', records);
const browser = await launch();
const record = readdirSync(records).find((name) => name.endsWith('.jsonl')).replace('.jsonl', '');
const page = await open(browser, `${url}/g/${record}`, { viewport: { width: 1040, height: 720 }, colorScheme: 'light' });
const at = page.locator('.scrub-at');
await at.waitFor();
const plies = Number((await at.textContent()).split('/')[1]);
for (let ply = 0; ply <= plies; ply += 1) {
  await page.goto(`${url}/g/${record}#game=1&ply=${ply}`);
  await page.waitForFunction((wanted) => document.querySelector('.scrub-at')?.textContent.startsWith(`${wanted} /`), ply);
  await page.evaluate(() => new Promise((drawn) => { requestAnimationFrame(() => requestAnimationFrame(drawn)); }));
  await page.screenshot({ path: `${frames}${String(ply).padStart(3, '0')}.png`, clip: BOARD });
}

for (const game of GAMES) {
  const { addresses } = await makeTable(url, game);
  const table = await open(browser, addresses[0].address, { viewport: { width: 1040, height: 640 }, colorScheme: 'light' });
  await playOn(table, game, 'mouse', MOVES[game]);
  await table.waitForSelector('.status.yours', { timeout: 10_000 }).catch(() => {});
  await table.screenshot({ path: `${tables}${game}.png`, clip: { x: 0, y: 58, width: 1040, height: 582 } });
  await table.context().close();
}
// The seed is that of docs/read_report.md. The league has played all games when its program ends.
const league = readFileSync('../../examples/leagues/uecda.toml');
writeFileSync(`${records}/league.toml`, `seed = 1\n${league}`);
await Promise.allSettled([start('taikyoku', ['league', `${records}/league.toml`, '--out', `${records}/league`], () => false)]);
const report = await open(browser, `file://${records}/league/report.html`, { viewport: { width: 1280, height: 1560 }, colorScheme: 'light' });
await report.screenshot({ path: `${tables}league.png` });
await browser.close();
rmSync(records, { recursive: true });
end();
