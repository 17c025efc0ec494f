// Geister: the secret set-up, the ghosts with their signs, those taken, and the escapes.

import { h } from '../dom.js';
import { holdCursor, moveEvents } from './pick.js';

const SIDE = 100;
const LETTERS = 'ABCDEFGH';
const STEPS = { N: [0, -1], E: [1, 0], S: [0, 1], W: [-1, 0] };
const START = [...LETTERS].map((letter, index) => ({ letter, x: 1 + (index % 4), y: index < 4 ? 4 : 5 }));

/** A ghost of a text such as `14R`: its place, or how it has left the board; `red`, `blue` or `null`. */
export function ghost(text) {
  const [x, y, letter] = text;
  const colour = { R: 'red', r: 'red', B: 'blue', b: 'blue' }[letter] ?? null;
  const gone = x === '9' ? 'taken' : x === '8' ? 'escaped' : null;
  return { x: Number(x), y: Number(y), colour, gone, isHidden: letter === 'R' || letter === 'B' };
}

const turned = (one) => (one.gone ? one : { ...one, x: 5 - one.x, y: 5 - one.y });

/** All ghosts as the seat `seat` sees the board, from the views of that seat, of all seats or of the public. */
export function ghosts(views, seat) {
  const sides = [[], []];
  for (const view of views) {
    if (view.ghosts) {
      view.ghosts.forEach((list, owner) => {
        sides[owner] = list.map((text, index) => ({ ...ghost(text), letter: LETTERS[index], owner }));
        if (owner !== seat) sides[owner] = sides[owner].map(turned);
      });
    } else if (view.enemy) {
      const flip = view.seat === seat ? (one) => one : turned;
      const put = (owner, list, isOwn) => {
        const read = list.map((text, index) => ({ ...flip(ghost(text)), letter: LETTERS[index], owner }));
        // The view of an owner knows its colours; that of the other seat does not overwrite them.
        if (isOwn || sides[owner].length === 0) sides[owner] = read;
      };
      put(view.seat, view.own, true);
      put(1 - view.seat, view.enemy, false);
    }
  }
  return sides;
}

/** The step of a move `A,N` as the seat that looks sees it. */
export function stepOf(move, mover, seat) {
  const [letter, direction] = [move[0].toUpperCase(), move.split(',')[1]?.trim()[0]?.toUpperCase()];
  const step = STEPS[direction] ?? [0, 0];
  return { letter, step: mover === seat ? step : step.map((n) => -n) };
}

/**
 * What is to be drawn, as `seat` sees it: `sides` of eight ghosts by seat, `squares` with marks, `exits` beyond the far
 * corners that a move leads to. `placing` is set while ghosts are being placed.
 */
export function scene(views, { seat = 0, mover = seat, moves = [], from = null, last = null, kind = null } = {}) {
  const sides = ghosts(views, seat);
  const placing = sides[0].length === 0 && sides[1].length === 0;
  const own = sides[mover] ?? [];
  const legal = kind === 'place' ? [] : moves.flatMap((move) => {
    const { letter, step } = stepOf(move, mover, seat);
    const piece = own.find((one) => one.letter === letter && !one.gone);
    return piece ? [{ move, from: `${piece.x},${piece.y}`, to: `${piece.x + step[0]},${piece.y + step[1]}` }] : [];
  });
  const targets = new Set(legal.filter((move) => move.from === from).map((move) => move.to));
  const lastSquares = new Set();
  if (last?.move && !placing && /^[A-H],/i.test(last.move)) {
    const { letter, step } = stepOf(last.move, last.seat, seat);
    const piece = sides[last.seat].find((one) => one.letter === letter);
    if (piece && !piece.gone) {
      lastSquares.add(`${piece.x},${piece.y}`);
      lastSquares.add(`${piece.x - step[0]},${piece.y - step[1]}`);
    }
  }
  const point = (x, y) => ({ at: `${x},${y}`, x: (x + 0.5) * SIDE, y: (y + 0.5) * SIDE });
  const squares = [];
  for (let y = 0; y < 6; y += 1) {
    for (let x = 0; x < 6; x += 1) {
      const at = `${x},${y}`;
      squares.push({ ...point(x, y), isStart: legal.some((move) => move.from === at), isTarget: targets.has(at), isLast: lastSquares.has(at), isExit: (y === 0 || y === 5) && (x === 0 || x === 5), isOwnExit: y === 0 && (x === 0 || x === 5) });
    }
  }
  const off = [...new Set(legal.map((move) => move.to).filter((to) => squares.every((square) => square.at !== to)))];
  const exits = off.map((at) => {
    const [x, y] = at.split(',').map(Number);
    // Whichever side of its corner a ghost leaves by, the way out is the arrow above it.
    return { at, x: (Math.min(5, Math.max(0, x)) + 0.5) * SIDE, y: y > 2 ? 634 : -34, isTarget: targets.has(at), isWayOut: true };
  });
  return { sides, squares, exits, legal, placing };
}

const BODY = 'M-27 30V-6C-27 -24 -15 -34 0 -34S27 -24 27 -6V30L18 22L9 31L0 23L-9 31L-18 22Z';

/** A ghost: blue smiles and bears a disc, red frowns, has horns and bears a cross, one that is not known bears a question mark. */
export function ghostNode(colour, side) {
  const face = colour === 'red'
    ? [h('path', { class: 'horns', d: 'M-22 -20L-26 -38L-11 -31M22 -20L26 -38L11 -31' }), h('path', { class: 'ghost-body', d: BODY }), h('path', { class: 'brow', d: 'M-15 -15L-5 -10M15 -15L5 -10' }), h('circle', { class: 'ghost-eye', cx: -9, cy: -6, r: 3.8 }), h('circle', { class: 'ghost-eye', cx: 9, cy: -6, r: 3.8 }), h('path', { class: 'ghost-sign', d: 'M-8 5L8 17M8 5L-8 17' })]
    : colour === 'blue'
      ? [h('path', { class: 'ghost-body', d: BODY }), h('circle', { class: 'ghost-eye', cx: -9, cy: -10, r: 4.2 }), h('circle', { class: 'ghost-eye', cx: 9, cy: -10, r: 4.2 }), h('path', { class: 'smile', d: 'M-7 -2Q0 5 7 -2' }), h('circle', { class: 'ghost-sign', cx: 0, cy: 13, r: 5.5 })]
      : [h('path', { class: 'ghost-body', d: BODY }), h('text', { class: 'unknown', x: 0, y: 11 }, '?')];
  return h('g', { class: `ghost ${colour ?? 'hidden'} ${side}` }, face);
}

function setUp(ctx) {
  const { ui, t } = ctx;
  const view = ctx.views.find((one) => one.seat === ctx.seat) ?? ctx.views[0];
  const placed = typeof view?.own === 'string' ? view.own : null;
  const isAsked = ctx.isActive && ctx.ask?.kind === 'place';
  ui.reds ??= new Set();
  const reds = placed ? new Set(placed) : ui.reds;
  const toggle = (letter) => {
    if (!isAsked) return;
    if (reds.has(letter)) reds.delete(letter);
    else if (reds.size < 4) reds.add(letter);
    ui.cursor = letter;
    ctx.redraw(letter);
  };
  const ready = () => {
    if (reds.size === 4) ctx.play([...reds].sort().join(''));
  };
  const points = START.map((one) => ({ at: one.letter, x: one.x, y: one.y }));
  holdCursor(ui, points, 'A');
  return h('div', { class: 'board geister' },
    h('svg', { class: 'geister-board', viewBox: '-20 -60 640 720', role: 'group', 'aria-label': t('gs.setUp'),
      onkeydown(event) {
        const from = START.find((one) => one.letter === ui.cursor);
        const to = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
        const next = to && START.find((one) => one.x === from.x + to[0] && one.y === from.y + to[1]);
        if (next) ui.cursor = next.letter;
        else if (event.key === 'Enter' || event.key === ' ') toggle(ui.cursor);
        else if (!to) return;
        event.preventDefault();
        event.stopPropagation();
        ctx.redraw(ui.cursor);
      } },
    ground(),
    Array.from({ length: 36 }, (_, index) => h('rect', { key: `square${index}`, class: 'ground', x: (index % 6) * SIDE + 2, y: Math.floor(index / 6) * SIDE + 2, width: 96, height: 96, rx: 8 })),
    [...LETTERS].map((_, index) => h('g', { class: 'far', transform: `translate(${(4.5 - (index % 4)) * SIDE} ${(index < 4 ? 1.5 : 0.5) * SIDE}) rotate(180)` }, ghostNode(null, 'enemy'))),
    START.map((one) => {
      const colour = reds.has(one.letter) ? 'red' : 'blue';
      return h('g', { key: one.letter, 'data-at': one.letter, class: `placed ${isAsked ? 'start' : ''}`, role: 'button', tabindex: isAsked && ui.cursor === one.letter ? 0 : -1, 'aria-pressed': reds.has(one.letter), 'aria-label': t('gs.placed', { letter: one.letter, colour: t(`gs.${colour}`) }),
        transform: `translate(${(one.x + 0.5) * SIDE} ${(one.y + 0.5) * SIDE})`, onclick: () => toggle(one.letter) },
      h('rect', { class: 'hit', x: -48, y: -48, width: 96, height: 96, rx: 8 }), ghostNode(colour, 'own'), h('text', { class: 'letter', x: 36, y: 42 }, one.letter), h('rect', { class: 'focus-ring', x: -47, y: -47, width: 94, height: 94, rx: 10 }));
    }),
    h('text', { class: 'set-up-text', x: 300, y: 285 }, isAsked ? t('gs.choose') : placed ? t('gs.waiting') : t('gs.setUp')),
    isAsked ? h('text', { class: 'set-up-count', x: 300, y: 335 }, t('gs.count', { n: reds.size })) : null),
    isAsked ? h('div', { class: 'board-actions' },
      h('button', { type: 'button', onclick: () => { ui.reds = new Set([...LETTERS].map((letter) => [Math.random(), letter]).sort((a, b) => a[0] - b[0]).slice(0, 4).map(([, letter]) => letter)); ctx.redraw(); } }, t('gs.random')),
      h('button', { type: 'button', class: 'primary', disabled: reds.size !== 4, onclick: ready }, t('gs.ready'))) : null);
}

function ground() {
  return [
    h('rect', { key: 'mat', class: 'mat', x: -10, y: -10, width: 620, height: 620, rx: 16 }),
    [[0, 0], [5, 0], [0, 5], [5, 5]].map(([x, y]) => h('path', { key: `arrow${x}${y}`, class: `exit-arrow ${y === 0 ? 'mine' : ''}`, d: 'M-15 9L0 -8L15 9', transform: `translate(${(x + 0.5) * SIDE} ${y === 0 ? -30 : 630}) ${y === 0 ? '' : 'rotate(180)'}` })),
  ];
}

/** Ghosts that have left the board, and what may still be where. */
function gone(ctx, picture, owner) {
  const { t } = ctx;
  const out = picture.sides[owner].filter((one) => one.gone);
  const seats = (n, colour) => Array.from({ length: 4 }, (_, index) => h('span', { class: `slot ${index < n ? 'full' : ''}` }, h('svg', { viewBox: '-32 -40 64 76', 'aria-hidden': 'true' }, ghostNode(colour, 'small'))));
  const count = (colour) => out.filter((one) => one.colour === colour && one.gone === 'taken').length;
  const escaped = out.filter((one) => one.gone === 'escaped').length;
  return h('div', { key: `gone${owner}`, class: 'taken-row', role: 'img', 'aria-label': t('gs.taken', { who: ctx.nameOf(owner), blue: count('blue'), red: count('red') }) },
    h('span', { class: 'taken-name' }, t('gs.takenOf', { who: ctx.nameOf(owner) })), h('span', { class: 'slots' }, seats(count('blue'), 'blue')), h('span', { class: 'slots' }, seats(count('red'), 'red')),
    escaped > 0 ? h('b', { class: 'escaped' }, t('gs.escaped')) : null);
}

export const board = {
  scene,

  draw(ctx) {
    const { ui, t } = ctx;
    const seat = ctx.seat ?? 0;
    const mover = ctx.mover ?? seat;
    const picture = scene(ctx.views, { seat, mover, moves: ctx.ask?.moves ?? [], from: ui.from, last: ctx.lastMove, kind: ctx.ask?.kind });
    if (picture.placing) return setUp(ctx);
    const points = [...picture.squares, ...picture.exits];
    holdCursor(ui, points, '2,4');
    const events = ctx.isActive ? moveEvents(ctx, points, picture.legal, 50) : {};
    const dragged = ui.drag?.moved ? ui.drag.at : null;
    const best = picture.legal.find((move) => move.move === ctx.best);
    const hinted = best ? [best.from, best.to] : [];
    const at = (square) => picture.sides.flat().find((one) => !one.gone && `${one.x},${one.y}` === square.at) ?? null;
    const nameOf = (one) => `${one.owner === seat ? t('gs.own') : t('gs.enemy')} ${one.colour ? t(`gs.${one.colour}`) : t('gs.unknown')} ${one.letter}`;
    const last = ctx.played ? { seat: ctx.lastMove.seat, ...stepOf(ctx.lastMove.move, ctx.lastMove.seat, seat) } : null;
    const travels = (one) => (last?.seat === one.owner && last.letter === one.letter ? { key: `played${ctx.played}`, class: 'stands played', 'data-from': `${one.x - last.step[0]},${one.y - last.step[1]}` } : {});
    const pieceAt = (one, x, y) => h('g', { key: `ghost${one.owner}${one.letter}`, class: 'stands', ...travels(one), transform: `translate(${x} ${y})${one.owner === seat ? '' : ' rotate(180)'}` }, ghostNode(one.colour, one.owner === seat ? 'own' : 'enemy'));
    const floating = dragged && at({ at: dragged });
    const common = (square) => ({ key: square.at, 'data-at': square.at, role: 'button', tabindex: ctx.isActive && ui.cursor === square.at ? 0 : -1, 'aria-pressed': ui.from === square.at });
    return h('div', { class: 'board geister' },
      ctx.isSmall ? null : gone(ctx, picture, 1 - seat),
      h('svg', { class: `geister-board ${ctx.isActive ? 'active' : ''}`, viewBox: '-20 -60 640 720', role: 'group', 'aria-label': t('boardOf', { game: t('game.geister') }), ...events },
        ground(),
        picture.squares.map((square) => {
          const one = at(square);
          return h('g', { ...common(square), class: `square ${square.isStart ? 'start' : ''} ${square.isTarget ? 'target' : ''} ${square.isLast ? 'last' : ''} ${square.isExit ? 'exit' : ''} ${hinted.includes(square.at) ? 'hinted' : ''} ${ui.from === square.at ? 'picked' : ''}`,
            'aria-label': `${square.at} ${one ? nameOf(one) : t('empty')}${square.isTarget ? `, ${t('canGo')}` : ''}` },
          h('rect', { class: 'ground', x: square.x - 48, y: square.y - 48, width: 96, height: 96, rx: 8 }),
          one && dragged !== square.at ? pieceAt(one, square.x, square.y) : null,
          one && !ctx.isSmall ? h('text', { class: 'letter', x: square.x + 36, y: square.y + 42 }, one.letter) : null,
          square.isTarget ? (one ? h('circle', { class: 'take-ring', cx: square.x, cy: square.y, r: 44 }) : h('circle', { class: 'go-dot', cx: square.x, cy: square.y, r: 13 })) : null,
          h('rect', { class: 'focus-ring', x: square.x - 46, y: square.y - 46, width: 92, height: 92, rx: 8 }));
        }),
        picture.exits.map((exit) => h('g', { ...common(exit), class: `square way-out ${exit.isTarget ? 'target' : ''}`, 'aria-label': t('gs.escape') },
          h('rect', { class: 'way-out-ground', x: exit.x - 44, y: exit.y - 24, width: 88, height: 50, rx: 14 }), h('path', { class: 'way-out-arrow', d: `M${exit.x - 15} ${exit.y + 9}L${exit.x} ${exit.y - 8}L${exit.x + 15} ${exit.y + 9}`, transform: exit.y < 0 ? '' : `rotate(180 ${exit.x} ${exit.y})` }), h('rect', { class: 'focus-ring', x: exit.x - 46, y: exit.y - 25, width: 92, height: 52, rx: 15 }))),
        floating ? h('g', { key: 'floating', class: 'floating', transform: `translate(${ui.drag.to[0]} ${ui.drag.to[1]}) scale(1.08)` }, ghostNode(floating.colour, floating.owner === seat ? 'own' : 'enemy')) : null),
      ctx.isSmall ? null : gone(ctx, picture, seat));
  },

  read(text, moves, ask) {
    const wanted = text.trim().toUpperCase();
    if (ask?.kind === 'place') {
      const reds = [...new Set(wanted)].filter((letter) => LETTERS.includes(letter)).sort().join('');
      return reds.length === 4 && wanted.length === 4 ? reds : null;
    }
    const found = wanted.match(/^([A-H])[\s,]*([NESW])/);
    return found ? moves.find((move) => move === `${found[1]},${found[2]}`) ?? null : null;
  },
  example: 'A,N',

  /** A set-up says which ghosts are red. */
  short: (t, move) => (/^[A-H]{4}$/.test(move) ? t('gs.reds', { letters: [...move].join(' ') }) : move),

  seatName: (t, seat) => t(`gs.seat${seat}`),
  say: (t, frame) => frame.move,

  /** The colours of both sides, once they are open. */
  reveal({ t, seat, names, frames }) {
    const sides = ghosts(frames.findLast((one) => one.views.length > 1)?.views ?? [], seat);
    if (sides.some((side) => side.length === 0 || side.some((one) => !one.colour))) return null;
    const colours = (side) => h('span', { class: 'slots' }, side.map((one) => h('span', { key: one.letter, class: 'slot full', role: 'img', 'aria-label': `${one.letter} ${t(`gs.${one.colour}`)}` }, h('svg', { viewBox: '-32 -40 64 76' }, ghostNode(one.colour, 'small')), h('small', { 'aria-hidden': 'true' }, one.letter))));
    return h('div', { class: 'reveal geister' }, h('h3', {}, t('end.colours')), [seat, 1 - seat].map((at) => h('div', { key: at, class: 'reveal-row' }, h('b', {}, names[at]), colours(sides[at]))));
  },

  /** Whether more ghosts are taken than before. */
  isCapture(frame, before) {
    const count = (one) => ghosts(one?.views ?? [], 0).flat().filter((each) => each.gone === 'taken').length;
    return count(frame) > count(before);
  },
  notable: (frame, before) => (before && board.isCapture(frame, before) ? 'capture' : null),
};

