// The boards by the name of the game, and what a board is given to draw itself.

import { board as blokus } from './blokus.js';
import { board as daihinmin } from './daihinmin.js';
import { board as dobutsu } from './dobutsu.js';
import { board as geister } from './geister.js';
import { board as scoreFour } from './score_four.js';

export const BOARDS = { 'score-four': scoreFour, blokus, dobutsu, geister, daihinmin };
export const GAMES = Object.keys(BOARDS);

/** Games in which every seat sees everything. */
export const isOpenGame = (game) => ['score-four', 'blokus', 'dobutsu'].includes(game);

/** What a board needs that shows a position with nothing to do. */
export function stillContext({ t, views, seat = 0, result = null, frame = null, history = [], names = [], isSmall = true }) {
  return {
    t, views, seat, result, history, isSmall, ui: {}, ask: null, hint: null, best: null, isActive: false, isPlayer: false,
    lastMove: frame?.move ? { seat: frame.seat, move: frame.move } : null,
    toMove: frame?.to_move ?? null,
    nameOf: (at) => names[at] ?? t('who.seat', { n: at + 1 }),
    clockOf: () => null,
    play() {},
    redraw() {},
  };
}
