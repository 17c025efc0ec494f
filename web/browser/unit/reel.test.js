// The reel: the frames of a match, and its turning points.

import assert from 'node:assert/strict';
import test from 'node:test';

import { BOARDS, GAMES } from '../../assets/boards/index.js';
import { Reel } from '../../assets/reel.js';
import { frame } from './mocks.js';

test('a reel follows live play, and stays where its reader looks', () => {
  const reel = new Reel();
  for (const ply of [0, 1, 2]) reel.add(frame(1, ply));
  assert.equal(reel.frame.ply, 2);
  reel.step(-1);
  reel.add(frame(1, 3));
  assert.equal(reel.frame.ply, 1);
  reel.show(99);
  reel.add(frame(1, 4));
  assert.equal(reel.frame.ply, 4);
});

test('a frame of an earlier ply takes back what came after it', () => {
  const reel = new Reel();
  for (const ply of [0, 1, 2, 3]) reel.add(frame(1, ply));
  reel.addResult({ game: 1, places: [1, 2] });
  reel.add(frame(1, 1, { move: 'again' }));
  assert.deepEqual(reel.frames.map((one) => one.ply), [0, 1]);
  assert.equal(reel.frame.move, 'again');
  assert.equal(reel.result, null);
});

test('frames that come anew after a lost connection stand once', () => {
  const reel = new Reel();
  for (const ply of [0, 1, 2, 0, 1, 2, 3]) reel.add(frame(1, ply));
  assert.deepEqual(reel.frames.map((one) => one.ply), [0, 1, 2, 3]);
});

test('a record is sought by game and ply, and shows a result at the end of its game only', () => {
  const games = [1, 2].map((game) => ({ game, frames: [0, 1, 2].map((ply) => frame(game, ply)), result: { game, places: [1, 2] } }));
  const reel = Reel.ofRecord(games);
  assert.equal(reel.frame.ply, 0);
  reel.seek(2, 1);
  assert.deepEqual([reel.frame.game, reel.frame.ply, reel.result], [2, 1, null]);
  reel.seek(1, 99);
  assert.deepEqual([reel.frame.game, reel.frame.ply, reel.result.game], [1, 2, 1]);
  assert.deepEqual([reel.firstOf(2), reel.lastOf(2)], [3, 5]);
  assert.deepEqual(reel.games, [1, 2]);
  const long = Reel.ofRecord([games[0], { ...games[1], frames: null }, { game: 3, frames: [frame(3, 0)] }]);
  assert.deepEqual(long.games, [1, 3]);
  long.put(games[1]);
  assert.deepEqual(long.games, [1, 2, 3]);
});

test('turning points are the largest changes of the mover\'s own value', () => {
  const reel = new Reel();
  const values = [null, 0.5, 0.4, 0.55, 0.9, 0.1];
  values.forEach((value, ply) => reel.add(frame(1, ply, value === null ? {} : { thought: { value } })));
  // The move between has made it, be it a person's without a value of its own.
  assert.deepEqual(reel.highlights().map(({ index, seat, by }) => [index, seat, by.toFixed(2)]), [[3, 0, '-0.50'], [4, 1, '0.45']]);
  assert.deepEqual(reel.highlights((one) => (one.ply === 2 ? 'revolution' : null)).map(({ index, kind }) => [index, kind]), [[2, 'revolution'], [3, 'swing'], [4, 'swing']]);
  // Among more than two it is not known whose move it was.
  const many = new Reel();
  [0.5, null, null, -0.5].forEach((value, at) => many.add(frame(1, at, { seat: at % 3, players: [0, 1, 2], value })));
  assert.deepEqual(many.highlights().map(({ index, seat, by }) => [index, seat, by]), [[3, 0, -1]]);
});

test('where nothing turned there are no turning points, and a capture is one in Geister alone', () => {
  const reel = new Reel();
  ['gle/1c1/1C1/ELG b - 1', 'gle/1C1/3/ELG w C 2', 'g1e/1l1/3/ELG b Cc 3'].forEach((board, ply) => reel.add(frame(1, ply, { views: [{ board }], value: 0.2, clocks: [500, 500] })));
  reel.addResult({ game: 1, end: 'catch', by: 1, places: [1, 2] });
  assert.deepEqual(reel.highlights(BOARDS.dobutsu.notable), []);
  assert.deepEqual(GAMES.filter((game) => BOARDS[game].notable), ['geister', 'daihinmin']);
});

test('a seat that ran out of time is a turning point once, and that of another game is none', () => {
  const reel = new Reel();
  reel.add(frame(1, 0, { outs: [{ seat: 0, end: 'timeout', reason: 'too slow' }] }));
  reel.add(frame(2, 0));
  reel.add(frame(2, 1, { players: [1, 0], outs: [{ seat: 1, end: 'timeout', reason: 'too slow' }] }));
  reel.addResult({ game: 2, end: 'timeout', by: 1, places: [1, 2] });
  assert.deepEqual(reel.highlights().map(({ index, seat, kind }) => [index, seat, kind]), [[2, 1, 'timeout']]);
});
