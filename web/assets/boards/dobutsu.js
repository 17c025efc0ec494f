// Dobutsu shogi: three files, four ranks, and the pieces in hand.

import { h } from '../dom.js';
import { exactSigns } from '../panel.js';
import { animal } from './animals.js';
import { holdCursor, moveEvents } from './pick.js';

const FILES = 3;
const RANKS = 4;
const SIDE = 100;
const HAND = 74;
/** Room between the squares and what is in hand: above them stand the numbers of the files. */
const ABOVE = 34;
const BELOW = 16;

const squareName = (x, y) => `${3 - x}${'abcd'[y]}`;

/** The pieces and hands of a position such as `gle/1c1/1C1/ELG b - 1`; upper case is seat 0. */
export function position(sfen) {
  const [rows = '', side = 'b', hand = '-'] = (sfen ?? '').split(' ');
  const seatOf = (letter) => (letter === letter.toUpperCase() ? 0 : 1);
  const squares = new Map();
  rows.split('/').forEach((row, y) => {
    let x = 0;
    let promoted = false;
    for (const letter of row) {
      if (letter === '+') {
        promoted = true;
      } else if (/\d/.test(letter)) {
        x += Number(letter);
      } else {
        squares.set(squareName(x, y), { kind: promoted ? 'H' : letter.toUpperCase(), seat: seatOf(letter) });
        promoted = false;
        x += 1;
      }
    }
  });
  const hands = [{ C: 0, E: 0, G: 0 }, { C: 0, E: 0, G: 0 }];
  for (const [, count, letter] of hand.matchAll(/(\d*)([A-Za-z])/g)) hands[seatOf(letter)][letter.toUpperCase()] = Number(count || 1);
  return { squares, hands, toMove: side === 'b' ? 0 : 1 };
}

/** A move in its parts: `2c2b`, `2b2a+`, `C*2c`. */
export function parts(move) {
  const drop = move.match(/^([CEG])\*([1-3][a-d])$/);
  if (drop) return { move, from: `hand${drop[1]}`, to: drop[2], piece: drop[1], promotes: false };
  const step = move.match(/^([1-3][a-d])([1-3][a-d])(\+?)$/);
  return step ? { move, from: step[1], to: step[2], promotes: step[3] === '+' } : { move, from: null, to: null, promotes: false };
}

/**
 * What is to be drawn, as the seat `seat` sees it: `squares` with their places and marks, `hands` below (own) and above.
 * A square's `isTry` tells that the lion may go there to win by reaching the far rank.
 */
export function scene(views, { seat = 0, mover = seat, moves = [], from = null, last = null } = {}) {
  const { squares: pieces, hands } = position(views[0]?.board);
  const isTurned = seat === 1;
  const legal = moves.map(parts);
  const targets = new Set(legal.filter((move) => move.from === from).map((move) => move.to));
  const starts = new Set(legal.map((move) => move.from));
  const lastParts = last ? parts(last) : null;
  const squares = [];
  for (let y = 0; y < RANKS; y += 1) {
    for (let x = 0; x < FILES; x += 1) {
      const at = squareName(x, y);
      const piece = pieces.get(at) ?? null;
      const mover = from && !from.startsWith('hand') ? pieces.get(from) : null;
      const isFar = mover && y === (mover.seat === 0 ? 0 : RANKS - 1);
      squares.push({
        at, piece,
        x: ((isTurned ? FILES - 1 - x : x) + 0.5) * SIDE,
        y: ((isTurned ? RANKS - 1 - y : y) + 0.5) * SIDE,
        rank: y,
        isStart: starts.has(at),
        isTarget: targets.has(at),
        isTry: targets.has(at) && mover?.kind === 'L' && isFar,
        isLast: lastParts?.to === at || lastParts?.from === at,
        isTried: piece?.kind === 'L' && y === (piece.seat === 0 ? 0 : RANKS - 1),
      });
    }
  }
  const held = (owner, isBelow) => ['C', 'E', 'G'].map((kind, index) => ({
    at: owner === mover ? `hand${kind}` : `other${kind}`, kind, seat: owner, count: hands[owner][kind], isHand: owner === mover,
    x: isBelow ? 60 + 90 * index : 240 - 90 * index,
    y: isBelow ? RANKS * SIDE + BELOW + HAND / 2 : -ABOVE - HAND / 2,
    isStart: owner === mover && starts.has(`hand${kind}`),
  }));
  return { squares, hands: [held(isTurned ? 1 : 0, true), held(isTurned ? 0 : 1, false)] };
}

function pieceNode(piece, seat, { x, y, scale = 1, key, marks = '', from }) {
  const turn = piece.seat === (seat ?? 0) ? 0 : 180;
  return h('g', { key, 'data-from': from, class: `beast seat${piece.seat} ${marks}`, transform: `translate(${x} ${y}) rotate(${turn}) scale(${scale})` }, animal(piece.kind));
}

export const board = {
  scene,

  draw(ctx) {
    const { ui, t } = ctx;
    const moves = ctx.ask?.moves ?? [];
    const picture = scene(ctx.views, { seat: ctx.seat ?? 0, mover: ctx.mover, moves, from: ui.from, last: ctx.lastMove?.move });
    const points = [...picture.squares, ...picture.hands.flat().filter((hand) => hand.isHand)];
    holdCursor(ui, points, ctx.seat === 1 ? '2b' : '2c');
    const events = ctx.isActive ? moveEvents(ctx, points, moves.map(parts), 50) : {};
    const nameOf = (piece) => `${t(`db.seat${piece.seat}`)} ${t(`db.${piece.kind}`)}`;
    const dragged = ui.drag?.moved ? ui.drag.at : null;
    const played = ctx.played ? parts(ctx.lastMove.move) : null;
    const travels = (at) => (played?.to === at ? { key: `played${ctx.played}`, marks: 'played', from: played.from } : {});
    const common = (point) => ({
      'data-at': point.at, role: 'button', tabindex: ctx.isActive && ui.cursor === point.at ? 0 : -1, 'aria-pressed': ui.from === point.at,
    });
    const values = exactSigns(ctx);
    const hinted = ctx.best ? [parts(ctx.best).from, parts(ctx.best).to] : [];
    const floating = dragged && (picture.squares.find((square) => square.at === dragged)?.piece ?? { kind: dragged.slice(4), seat: ctx.mover ?? ctx.seat ?? 0 });
    return h('div', { class: 'board dobutsu' },
      h('svg', { class: `dobutsu-board ${ctx.isActive ? 'active' : ''}`, viewBox: `-30 ${-HAND - ABOVE - 4} 360 ${RANKS * SIDE + 2 * HAND + ABOVE + BELOW + 8}`, role: 'group', 'aria-label': t('boardOf', { game: t('game.dobutsu') }), ...events },
        [1, 0].map((which) => h('g', { key: `stand${which}`, class: 'stand' },
          h('rect', { class: `stand-ground seat${picture.hands[which][0].seat}`, x: 6, y: which === 0 ? RANKS * SIDE + BELOW : -ABOVE - HAND, width: 288, height: HAND, rx: 10 }),
          picture.hands[which].map((hand) => h('g', {
            key: hand.at, class: `held ${hand.count === 0 ? 'none' : ''} ${ui.from === hand.at ? 'picked' : ''} ${hinted.includes(hand.at) ? 'hinted' : ''} ${hand.isStart ? 'start' : ''}`,
            ...(hand.isHand ? common(hand) : { 'data-place': `hand${hand.kind}` }), 'aria-label': t('db.inHand', { piece: nameOf(hand), n: hand.count }), ...(hand.isHand ? {} : { role: 'img' }),
          },
          h('circle', { class: 'held-spot', cx: hand.x, cy: hand.y, r: 33 }),
          hand.count > 0 && !(dragged === hand.at && hand.count === 1) ? pieceNode(hand, ctx.seat, { x: hand.x, y: hand.y, scale: 0.66 }) : null,
          hand.count > 1 ? h('g', { class: 'count' }, h('circle', { cx: hand.x + 26, cy: hand.y - 20, r: 12 }), h('text', { x: hand.x + 26, y: hand.y - 15 }, hand.count)) : null,
          h('circle', { class: 'focus-ring', cx: hand.x, cy: hand.y, r: 35 }))))),
        h('rect', { class: 'mat', x: -6, y: -6, width: FILES * SIDE + 12, height: RANKS * SIDE + 12, rx: 14 }),
        picture.squares.map((square) => h('g', {
          key: square.at, ...common(square),
          class: `square rank${square.rank} ${square.isStart ? 'start' : ''} ${square.isTarget ? 'target' : ''} ${square.isTry ? 'try' : ''} ${square.isTried ? 'tried' : ''} ${square.isLast ? 'last' : ''} ${hinted.includes(square.at) ? 'hinted' : ''} ${ui.from === square.at ? 'picked' : ''}`,
          'aria-label': `${square.at} ${square.piece ? nameOf(square.piece) : t('empty')}${square.isTarget ? `, ${t('canGo')}` : ''}`,
        },
        h('rect', { class: 'ground', x: square.x - 48, y: square.y - 48, width: 96, height: 96, rx: 9 }),
        square.piece && dragged !== square.at ? pieceNode(square.piece, ctx.seat, { x: square.x, y: square.y, ...travels(square.at) }) : null,
        square.isTry ? h('path', { class: 'try-star', d: starPath(square.x, square.y) }) : null,
        square.isTarget && !square.isTry ? (square.piece ? h('circle', { class: 'take-ring', cx: square.x, cy: square.y, r: 45 }) : h('circle', { class: 'go-dot', cx: square.x, cy: square.y, r: 13 })) : null,
        h('rect', { class: 'focus-ring', x: square.x - 47, y: square.y - 47, width: 94, height: 94, rx: 9 }))),
        values.size > 0 ? moves.map(parts).filter((move) => move.from === ui.from && values.has(move.move)).map((move) => {
          const square = picture.squares.find((one) => one.at === move.to);
          return h('text', { key: `value${move.move}`, class: 'exact', x: square.x, y: square.y + 40 }, values.get(move.move));
        }) : null,
        [0, 1, 2].map((x) => h('text', { class: 'coordinate', x: (x + 0.5) * SIDE, y: -14 }, ctx.seat === 1 ? x + 1 : 3 - x)),
        [0, 1, 2, 3].map((y) => h('text', { class: 'coordinate', x: FILES * SIDE + 17, y: (y + 0.5) * SIDE + 5 }, 'abcd'[ctx.seat === 1 ? 3 - y : y])),
        floating ? pieceNode(floating, ctx.seat, { x: ui.drag.to[0], y: ui.drag.to[1], scale: 1.06, key: 'floating', marks: 'floating' }) : null),
      ui.choice ? h('div', { class: 'choice', role: 'group', 'aria-label': t('choose') }, ui.choice.map((move) => h('button', { type: 'button', onclick: () => { Object.assign(ui, { choice: null, from: null }); ctx.play(move.move); } }, move.promotes ? t('db.promote') : t('db.stay')))) : null);
  },

  read(text, moves) {
    const wanted = text.trim().toLowerCase();
    return moves.find((move) => move.toLowerCase() === wanted) ?? moves.find((move) => move.toLowerCase() === `${wanted}+`) ?? null;
  },
  example: '2c2b, C*2c',

  seatName: (t, seat) => t(`db.seat${seat}`),
  say: (t, frame) => frame.move,

  /** Whether fewer squares are taken than before. */
  isCapture(frame, before) {
    const count = (one) => position(one?.views[0]?.board).squares.size;
    return count(frame) < count(before);
  },
};

function starPath(cx, cy) {
  const points = Array.from({ length: 10 }, (_, i) => {
    const r = i % 2 === 0 ? 17 : 7.5;
    const angle = (i * Math.PI) / 5 - Math.PI / 2;
    return `${(cx + r * Math.cos(angle)).toFixed(1)} ${(cy + r * Math.sin(angle)).toFixed(1)}`;
  });
  return `M${points.join('L')}Z`;
}
