// The hall display: what it shows in turns, the words of highlights, and where they lead to.

import assert from 'node:assert/strict';
import test from 'node:test';

import { textIn } from '../../assets/i18n/index.js';
import { addressOf, ranked, reason, turnOf } from '../../assets/pages/wall.js';

const one = (kind, measure, game = 'blokus') => ({ source: '0', match: 3, game_no: 2, kind, measure, game, players: ['a', 'b', 'c', 'd'], seats: [2, 0, 1, 3], places: [2, 1, 3, 4], ply: 17 });

test('a highlight leads to its ply, and names the first first', () => {
  assert.equal(addressOf(one('upset', 30)), '/w/0/3#game=2&ply=17');
  assert.deepEqual(ranked(one('upset', 30)).map(({ name }) => name), ['a', 'c', 'b', 'd']);
});

test('each kind says why', () => {
  const texts = (language) => [['upset', 31.6], ['comeback', 4], ['comeback', 4, 'daihinmin'], ['closest', 0], ['closest', 2], ['longest', 80], ['shortest', 9]]
    .map(([kind, measure, game]) => reason((key, values) => textIn(language, key, values), one(kind, measure, game)));
  assert.deepEqual(texts('en'), ['against a rating 32 points higher', 'from 4 points behind', 'from 4 cards behind', 'level to the last point', 'by 2 points', '80 moves', '9 moves']);
  assert.deepEqual(texts('ja').slice(0, 3), ['レーティングが32上の相手に勝利', '4点差からの逆転', '4枚差からの逆転']);
});

test('the wall shows cross table, course and highlights in turns', () => {
  assert.deepEqual([0, 1, 2, 3].map((turn) => turnOf(turn, 0).what), ['cross', 'course', 'cross', 'course']);
  assert.deepEqual([0, 1, 2, 3, 4, 5].map((turn) => turnOf(turn, 2).what), ['cross', 'highlight', 'course', 'highlight', 'cross', 'highlight']);
  assert.deepEqual([1, 3, 5, 7].map((turn) => turnOf(turn, 3).highlight), [0, 1, 2, 0]);
});
