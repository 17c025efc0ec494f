// Compares the values that the page shows with how games end, in ten bins: of the positions that are told as 70 % about seven in
// ten have to be won. The games are all that a page lists, such as those of a league:
//
//   taikyoku league FILE                                    # with `records = true`
//   taikyoku web --records FILE.league/records
//   node web/browser/calibration.js --engine best --every 5
//
// An engine is asked for the value of each N-th position, as a reader of a replay asks. Intervals are over games, as the positions
// of a game end alike; games of engines without chance are copies of each other, and count as one only if the league has openings.

import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';

import { outcomeOf } from '../assets/values.js';

const BINS = 10;

/** Sums of a bin, by game: predicted and actual shares of the win, and their number. */
export function bins(seen) {
  const all = Array.from({ length: BINS }, () => new Map());
  for (const { game, predicted, actual } of seen) {
    const of = all[Math.min(BINS - 1, Math.floor(predicted * BINS))];
    const [p, a, n] = of.get(game) ?? [0, 0, 0];
    of.set(game, [p + predicted, a + actual, n + 1]);
  }
  return all.map((of, index) => {
    const games = [...of.values()];
    const count = games.reduce((sum, [, , n]) => sum + n, 0);
    if (count === 0) return { from: index / BINS, count, games: 0 };
    const [predicted, actual] = [0, 1].map((at) => games.reduce((sum, one) => sum + one[at], 0) / count);
    // The positions of a game are no independent draws: the error is that of a mean over games.
    const square = games.reduce((sum, [, a, n]) => sum + (a - actual * n) ** 2, 0);
    const spread = games.length > 1 ? 1.96 * Math.sqrt((square * games.length) / (games.length - 1)) / count : 1;
    // Games that all end alike leave out what happens in less than 3 of so many.
    return { from: index / BINS, count, games: games.length, predicted, actual, spread: spread > 0 ? spread : Math.min(1, 3 / games.length) };
  });
}

/** The mean distance between predicted and actual shares, weighted by positions. */
export const error = (all) => all.reduce((sum, one) => sum + (one.count ? one.count * Math.abs(one.predicted - one.actual) : 0), 0) / Math.max(1, all.reduce((sum, one) => sum + one.count, 0));

const ask = async (url, body) => {
  const answer = await fetch(url, body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const value = await answer.json();
  if (!answer.ok && answer.status !== 404) throw new Error(`${url}: ${value.error}`);
  return value;
};

/** What an engine says of the positions of all games of a page, by game. */
async function values(url, engine, every) {
  const seen = {};
  for (const { id } of await ask(`${url}/api/records`)) {
    const path = `${url}/api/records/${encodeURIComponent(id)}`;
    const { table, games } = await ask(path);
    for (const { game, frames, result } of games) {
      const outcome = outcomeOf(table.game, result);
      if (outcome === null || frames === null) continue;
      for (const frame of frames.filter((one, at) => typeof one.to_move === 'number' && (at + game) % every === 0)) {
        const { hint } = await ask(`${path}/games/${game}/plies/${frame.ply}`, { engine });
        const value = hint?.moves[0]?.value;
        if (typeof value !== 'number') continue;
        (seen[table.game] ??= []).push({ game: `${id}.${game}`, predicted: (value + 1) / 2, actual: (outcome[frame.to_move] + 1) / 2 });
      }
    }
  }
  return seen;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values: { url, engine, every } } = parseArgs({ options: { url: { type: 'string', default: 'http://127.0.0.1:8080' }, engine: { type: 'string', default: 'best' }, every: { type: 'string', default: '5' } } });
  const percent = (value) => `${(100 * value).toFixed(1)}%`.padStart(6);
  for (const [game, seen] of Object.entries(await values(url, engine, Number(every)))) {
    const all = bins(seen);
    console.log(`${game}, ${engine}: ${seen.length} positions of ${new Set(seen.map((one) => one.game)).size} games, mean error ${percent(error(all)).trim()}`);
    for (const one of all.filter(({ count }) => count > 0)) console.log(`  predicted ${percent(one.predicted)}  actual ${percent(one.actual)} ±${percent(one.spread)}  (${one.count} positions, ${one.games} games)`);
  }
}
