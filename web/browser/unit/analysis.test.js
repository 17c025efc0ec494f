// Variations of a game that is over, and what its positions are worth.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { textIn } from '../../assets/i18n/index.js';
import { Reel } from '../../assets/reel.js';
import { curves, outcomeOf, turnText, valuesAt, valuesOf } from '../../assets/values.js';
import { Variations, readLine } from '../../assets/variations.js';
import { bins, error, fit, mapped } from '../calibration.js';
import { appIn, frame } from './mocks.js';

const played = (plies) => Reel.ofRecord([{ game: 1, frames: Array.from({ length: plies + 1 }, (_, ply) => frame(1, ply)), result: { game: 1, places: [1, 2], scores: [1, 0], end: 'line' } }]);

test('variations leave the game and each other, and come back from a link', () => {
  const all = new Variations(played(4));
  all.main.seek(1, 2);
  const put = (parent, base, move) => all.add({ game: 1, base, parent, asked: move, frame: frame(1, (parent?.frame.ply ?? base) + 1, { move }) });
  const a = put(null, 2, 'a1');
  const b = put(a, 2, 'b1');
  const c = put(a, 2, 'c1');
  assert.equal(put(null, 2, 'a1'), a, 'a move is tried once');
  all.show(a);
  assert.deepEqual(all.reel.frames.map((one) => one.move), [null, 'm1', 'm2', 'a1', 'b1']);
  assert.deepEqual([all.node, all.leaf, all.reel.result], [a, b, null]);
  assert.deepEqual(all.place, { game: 1, base: 2, moves: ['a1'] });
  assert.deepEqual(all.shared(1), { line: '2.a1.b1', others: ['2.a1.c1'] });
  all.reel.step(-1);
  assert.deepEqual([all.node, all.place], [null, { game: 1, base: 2, moves: [] }]);
  all.show(c);
  all.remove(c);
  assert.equal(all.node, a);
  all.show(null);
  assert.deepEqual([all.reel, all.reel.frame.ply], [all.main, 2]);
  assert.deepEqual(all.shared(1), { line: null, others: ['2.a1.b1'] });
  all.show(a);
  all.remove(a);
  assert.deepEqual([all.of(1, 2), all.reel], [[], all.main]);
  assert.deepEqual(readLine('12.2b2a+.C*2c'), { base: 12, moves: ['2b2a+', 'C*2c'] });
  for (const none of ['12', 'x.a1', '3..a1', '']) assert.equal(readLine(none), null);
});

test('values are told for one side of two, and for each of more', () => {
  const bots = [frame(1, 0), frame(1, 1, { value: 0.2 }), frame(1, 2, { value: -0.4 }), frame(1, 3), frame(1, 4, { value: null })];
  const values = valuesOf(bots);
  assert.deepEqual(values, [{ ply: 0, seat: 0, value: 0.2 }, { ply: 1, seat: 1, value: -0.4 }]);
  assert.deepEqual(curves(values, 2, 1), [{ seat: 0, points: [{ ply: 0, value: -0.2 }] }, { seat: 1, points: [{ ply: 1, value: -0.4 }] }]);
  assert.deepEqual(valuesAt(values, 2, 0), [0.2, -0.2]);
  assert.deepEqual(valuesAt(values, 2, 9), [0.4, -0.4]);
  assert.deepEqual(valuesAt(values, 4, 9), [0.2, -0.4, null, null]);
  const asked = new Map([[1, { ply: 1, seat: 1, value: 0.6, by: 'best' }], [0, { ply: 0, seat: 0, value: 0.1, by: 'best' }]]);
  assert.deepEqual(curves(valuesOf(bots, asked), 2, 0), [{ seat: 0, points: [{ ply: 0, value: 0.1 }, { ply: 1, value: -0.6 }] }]);
  assert.deepEqual(outcomeOf('dobutsu', { places: [2, 1], scores: [0, 1] }), [-1, 1]);
  assert.deepEqual(outcomeOf('geister', { places: [1, 1], scores: [0.5, 0.5] }), [0, 0]);
  assert.deepEqual(outcomeOf('daihinmin', { places: [1, 3, 2, 5, 4] }), [1, 0, 0.5, -1, -0.5]);
  assert.deepEqual(outcomeOf('blokus', { places: [1, 1, 3, 4], scores: [0.5, 0.5, 0, 0] }), [0, 0, -1, -1]);
  assert.equal(outcomeOf('dobutsu', { places: [] }), null);
});

test('a turning point says what it cost and what would have been better', () => {
  const reel = played(4);
  const asked = new Map([[0, 0.2, 0], [1, -0.2, 1], [2, -0.5, 0], [3, 0.6, 1], [4, 1, 0]].map(([ply, value, seat]) => [ply, { ply, value, seat }]));
  assert.deepEqual(reel.highlights(undefined, asked).map(({ index, seat, by }) => [index, seat, by.toFixed(1)]), [[4, 1, '-1.6'], [2, 1, '0.7']]);
  const say = (more, language = 'en') => turnText(appIn(language), { game: 'dobutsu', who: 'Ana', ply: 7, by: -0.9, before: 0.4, after: -0.5, ...more });
  assert.equal(say({ better: '2c2b' }), 'Move 7: Ana lost 45%: 2c2b would have kept the lead (70%)');
  assert.equal(say({}), 'Move 7: Ana lost 45%');
  assert.equal(say({ game: 'daihinmin', by: -1.05, better: 'K' }), 'Move 7: Ana lost 2.1 points: K would have kept 3.8 points');
  assert.equal(say({ better: '2c2b' }, 'ja'), '7手目：Anaが45%損をしました。2c2bなら優勢を保てました（70%）');
  assert.equal(say({ by: 0.5, better: 'x' }), 'Move 7: Ana gained 25%');
  assert.equal(say({ note: textIn('en', 'note.capture') }), 'Move 7: Ana – capture');
});

test('predicted and actual shares are compared in ten bins, with intervals over games', () => {
  const of = (game, predicted, actual) => ({ game, predicted, actual });
  const all = bins([of('a', 0.72, 1), of('a', 0.78, 1), of('b', 0.75, 0), of('b', 1, 1), of('c', 0.05, 0)]);
  assert.deepEqual(all.map((one) => one.count), [1, 0, 0, 0, 0, 0, 0, 3, 0, 1]);
  const { predicted, actual, games, spread } = all[7];
  assert.deepEqual([predicted.toFixed(2), actual.toFixed(2), games], ['0.75', '0.67', 2]);
  assert.ok(Math.abs(spread - (1.96 * Math.sqrt((2 / 3) ** 2 * 2 * 2)) / 3) < 1e-9, spread);
  assert.equal(error(all).toFixed(2), '0.06');
});

test('a curve is fitted to what was seen, and leaves what is certain', () => {
  const shares = Array.from({ length: 99 }, (_, at) => (at + 1) / 100);
  for (const curve of [{ slope: 0.5, shift: 0 }, { slope: 1.5, shift: -0.4 }]) {
    const seen = shares.map((predicted) => ({ predicted, actual: mapped(predicted, curve) }));
    const found = fit(seen);
    assert.ok(Math.abs(found.slope - curve.slope) < 1e-3 && Math.abs(found.shift - curve.shift) < 1e-3, JSON.stringify(found));
  }
  assert.deepEqual([0, 0.5, 1].map((share) => mapped(share, { slope: 0.3 })), [0, 0.5, 1]);
});
