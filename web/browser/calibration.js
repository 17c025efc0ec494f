// Compares the values that the page shows with how games end, in ten bins: of the positions that the page values at 70 % about
// seven in ten have to be won. The games are all that a page lists, such as those of a league:
//
//   taikyoku league FILE                                    # with `records = true`
//   taikyoku web --records FILE.league/records
//   node web/browser/calibration.js --engine best --every 5
//
// The script asks an engine for the value of each N-th position, as a reader of a replay does, at other plies in each game. A
// logistic curve is fitted to half of the games; the bins of the other half are printed without and with the curve. Intervals are
// over games, as the positions of a game end alike; engines without chance repeat the same game unless the league has openings.

import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';

import { outcomeOf } from '../assets/values.js';

const BINS = 10;
/** Games of the same opening follow each other; this many games stay in the same half. */
const BLOCK = 20;

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
    // The rule of three: where all games end alike, another end may still have a share of 3 over their number.
    return { from: index / BINS, count, games: games.length, predicted, actual, spread: spread > 0 ? spread : Math.min(1, 3 / games.length) };
  });
}

/** The mean distance between predicted and actual shares, weighted by positions. */
export const error = (all) => all.reduce((sum, one) => sum + (one.count ? one.count * Math.abs(one.predicted - one.actual) : 0), 0) / Math.max(1, all.reduce((sum, one) => sum + one.count, 0));

const logit = (share) => Math.log(share / (1 - share));
/** A share that is almost certain would weigh more than all others. */
const within = (share) => Math.min(0.99, Math.max(0.01, share));
/** Whether a value is an estimate: a proved value is certain, whatever the players made of it. */
const isOpen = ({ predicted }) => predicted > 0 && predicted < 1;

/** A share on a curve `{slope, shift}`: its logit is multiplied and moved. */
export const mapped = (share, { slope, shift = 0 }) => (share > 0 && share < 1 ? 1 / (1 + Math.exp(-(slope * logit(share) + shift))) : share);

/** The curve that fits best, by Newton's method. */
export function fit(seen) {
  let [slope, shift] = [1, 0];
  for (let step = 0; step < 50; step += 1) {
    let [g, f, gg, gf, ff] = [0, 0, 1e-6, 0, 1e-6];
    for (const { predicted, actual } of seen) {
      const x = logit(within(predicted));
      const told = mapped(within(predicted), { slope, shift });
      const weight = told * (1 - told);
      g += (actual - told) * x;
      f += actual - told;
      gg += weight * x * x;
      gf += weight * x;
      ff += weight;
    }
    const of = gg * ff - gf * gf;
    slope += (g * ff - f * gf) / of;
    shift += (f * gg - g * gf) / of;
  }
  return { slope, shift };
}

const ask = async (url, body) => {
  const answer = await fetch(url, body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const value = await answer.json();
  if (!answer.ok && answer.status !== 404) throw new Error(`${url}: ${value.error}`);
  return value;
};

/** What an engine says of the positions of all games of a page, by game. */
async function values(url, engine, every) {
  const seen = {};
  let number = 0;
  for (const { id } of await ask(`${url}/api/records`)) {
    const path = `${url}/api/records/${encodeURIComponent(id)}`;
    const { table, games } = await ask(path);
    for (const { game, frames, result } of games) {
      const outcome = outcomeOf(table.game, result);
      if (outcome === null || frames === null) continue;
      number += 1;
      for (const frame of frames.filter((one, at) => typeof one.to_move === 'number' && (at + number) % every === 0)) {
        const { hint } = await ask(`${path}/games/${game}/plies/${frame.ply}`, { engine });
        const value = hint?.moves[0]?.value;
        if (typeof value !== 'number') continue;
        (seen[table.game] ??= []).push({ game: `${id}.${game}`, half: Math.floor((number - 1) / BLOCK) % 2, predicted: (value + 1) / 2, actual: (outcome[frame.to_move] + 1) / 2 });
      }
    }
  }
  return seen;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values: { url, engine, every } } = parseArgs({ options: { url: { type: 'string', default: 'http://127.0.0.1:8080' }, engine: { type: 'string', default: 'best' }, every: { type: 'string', default: '5' } } });
  const percent = (value) => `${(100 * value).toFixed(1)}%`.padStart(6);
  for (const [game, all] of Object.entries(await values(url, engine, Number(every)))) {
    const seen = all.filter(isOpen);
    const won = all.filter((one) => one.predicted === 1);
    console.log(`${game}, ${engine}: ${all.length - seen.length} of ${all.length} positions are certain; of ${won.length} that are won the players made ${percent(won.reduce((sum, { actual }) => sum + actual, 0) / Math.max(1, won.length)).trim()}`);
    const curve = fit(seen.filter(({ half }) => half === 0));
    const tested = seen.filter(({ half }) => half === 1);
    const show = (what, told) => {
      const found = bins(told);
      console.log(`${what}: ${told.length} positions of ${new Set(told.map((one) => one.game)).size} games, mean error ${percent(error(found)).trim()}`);
      for (const one of found.filter(({ count }) => count > 0)) console.log(`  predicted ${percent(one.predicted)}  actual ${percent(one.actual)} ±${percent(one.spread)}  (${one.count} positions, ${one.games} games)`);
    };
    show(`${game}, ${engine}`, seen);
    show(`${game}, ${engine}, the second half`, tested);
    show(`${game}, ${engine}, the second half on the curve of the first, slope ${curve.slope.toFixed(2)}, shift ${curve.shift.toFixed(2)}`, tested.map((one) => ({ ...one, predicted: mapped(one.predicted, curve) })));
    const whole = fit(seen);
    console.log(`${game}, ${engine}: slope ${whole.slope.toFixed(2)}, shift ${whole.shift.toFixed(2)} of all`);
  }
}
