// Blokus: the board, the tray, and a piece in the hand that snaps to the squares where it may lie.

import { h, pointIn } from '../dom.js';
import { icon } from '../icons.js';
import { towards } from './pick.js';

const SHAPES = {
  1: '00', 2: '00 01', I3: '00 01 02', V3: '00 10 01', I4: '00 01 02 03', L4: '00 10 01 02', O: '00 10 01 11', T4: '00 10 20 11',
  Z4: '10 20 01 11', F: '10 01 11 12 22', I5: '00 01 02 03 04', L5: '00 10 01 02 03', N: '00 01 11 12 13', P: '00 01 11 02 12',
  T5: '10 11 02 12 22', U: '00 10 20 01 21', V5: '00 10 20 01 02', W: '10 20 01 11 02', X: '10 01 11 21 12', Y: '00 01 11 02 03',
  Z5: '10 20 11 02 12',
};
export const PIECES = ['Z5', 'Y', 'X', 'W', 'V5', 'U', 'T5', 'P', 'N', 'L5', 'I5', 'F', 'Z4', 'T4', 'O', 'L4', 'I4', 'V3', 'I3', '2', '1'];
const COLOURS = 'byrg';
const STARTS = [[0, 19], [19, 19], [19, 0], [0, 0]];
const SIDE = 20;
const UNIT = 10;
/** How far, in squares, a piece in the hand snaps. */
const SNAP = 2.6;
/** Pixels of a square in the tray. */
const TRAY_SQUARE = 12;
/** Long pieces lie in the tray, so that its rows are low. */
const LYING = { I3: { turns: 1 }, I4: { turns: 1 }, I5: { turns: 1 }, L5: { turns: 1 }, L4: { turns: 1 }, Y: { turns: 1 }, N: { turns: 1 }, 2: { turns: 1 }, P: { turns: 1 } };

/** Squares moved to the bottom left, in the order of the notation. */
function settle(cells) {
  const left = Math.min(...cells.map(([x]) => x));
  const bottom = Math.min(...cells.map(([, y]) => y));
  return cells.map(([x, y]) => [x - left, y - bottom]).sort((a, b) => a[1] - b[1] || a[0] - b[0]);
}

const keyOf = (cells) => settle(cells).map(([x, y]) => `${x}${y}`).join(' ');

/** The squares of a piece, flipped first and then turned anticlockwise by quarters. */
export function shape(name, { turns = 0, flipped = false } = {}) {
  let cells = SHAPES[name].split(' ').map(([x, y]) => [Number(x), Number(y)]);
  if (flipped) cells = cells.map(([x, y]) => [-x, y]);
  for (let i = 0; i < ((turns % 4) + 4) % 4; i += 1) cells = cells.map(([x, y]) => [-y, x]);
  return settle(cells);
}

const PIECE_OF = new Map();
for (const name of PIECES) {
  for (const flipped of [false, true]) {
    for (let turns = 0; turns < 4; turns += 1) {
      const key = keyOf(shape(name, { turns, flipped }));
      if (!PIECE_OF.has(key)) PIECE_OF.set(key, { name, turns, flipped });
    }
  }
}

/** The squares of a move, columns and rows from the bottom left. */
export function cellsOf(move) {
  return move.split(',').map((cell) => [cell.trim().charCodeAt(0) - 97, Number(cell.trim().slice(1)) - 1]);
}

/** The name of the piece of a move. */
export const pieceOf = (move) => PIECE_OF.get(keyOf(cellsOf(move)))?.name ?? '?';

/** The legal moves by form: `{move, cells, x, y}` with the centre of each. Reading twelve hundred moves is done once. */
const places = new WeakMap();
export function placements(moves) {
  if (places.has(moves)) return places.get(moves);
  const found = new Map();
  for (const move of moves) {
    const cells = cellsOf(move);
    const key = keyOf(cells);
    const mean = (k) => cells.reduce((sum, cell) => sum + cell[k] + 0.5, 0) / cells.length;
    if (!found.has(key)) found.set(key, []);
    found.get(key).push({ move, at: move, cells, x: mean(0), y: SIDE - mean(1) });
  }
  places.set(moves, found);
  return found;
}

/** The legal placement of a form nearest to a point of the board, rows counted from the top. */
export function snap(found, [x, y], reach = SNAP) {
  let best = null;
  let least = reach;
  for (const place of found) {
    const far = Math.hypot(place.x - x, place.y - y);
    if (far < least) [best, least] = [place, far];
  }
  return best;
}

/**
 * What is to be drawn: `pieces` with their seats and squares, `corners` where the seat's next piece may touch, `counts` of
 * squares placed and left, by seat.
 */
export function scene(views, { seat = null, moves = [], last = null } = {}) {
  const view = views[0] ?? {};
  const rows = view.board ?? [];
  const owner = (x, y) => COLOURS.indexOf(rows[SIDE - 1 - y]?.[x] ?? '.');
  const played = view.moves ?? [];
  const pieces = played.map(([by, move], index) => ({ seat: by, move, cells: cellsOf(move), isLast: index === played.length - 1 && (last === null || last.move === move) }));
  const corners = [];
  if (seat !== null && moves.length > 0) {
    const open = new Set(moves.flatMap((move) => move.split(',')));
    const isFirst = !played.some(([by]) => by === seat);
    for (let y = 0; y < SIDE; y += 1) {
      for (let x = 0; x < SIDE; x += 1) {
        if (!open.has(String.fromCharCode(97 + x) + (y + 1))) continue;
        const touches = isFirst
          ? STARTS[seat][0] === x && STARTS[seat][1] === y
          : [[1, 1], [1, -1], [-1, 1], [-1, -1]].some(([dx, dy]) => owner(x + dx, y + dy) === seat);
        if (touches) corners.push([x, y]);
      }
    }
  }
  const left = view.left ?? [[], [], [], []];
  const counts = left.map((names) => {
    const rest = names.reduce((sum, name) => sum + SHAPES[name].split(' ').length, 0);
    return { left: rest, placed: 89 - rest, pieces: names.length };
  });
  const starts = STARTS.map(([x, y], by) => ({ x, y, seat: by, isFree: owner(x, y) < 0 }));
  return { pieces, corners, counts, starts, left };
}

const rect = ([x, y], inset = 0) => `M${x * UNIT + inset} ${(SIDE - 1 - y) * UNIT + inset}h${UNIT - 2 * inset}v${UNIT - 2 * inset}h${2 * inset - UNIT}Z`;

/** The sign of a colour, for eyes that see no colours: disc, triangle, square, lozenge. */
function sign(seat, cx, cy, r) {
  if (seat === 0) return `M${cx - r} ${cy}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
  if (seat === 1) return `M${cx} ${cy - r}L${cx + r} ${cy + 0.8 * r}H${cx - r}Z`;
  if (seat === 2) return `M${cx - 0.8 * r} ${cy - 0.8 * r}h${1.6 * r}v${1.6 * r}h${-1.6 * r}Z`;
  return `M${cx} ${cy - 1.15 * r}L${cx + 1.15 * r} ${cy}L${cx} ${cy + 1.15 * r}L${cx - 1.15 * r} ${cy}Z`;
}

/** The letters of the columns below the board, and the numbers of the rows beside it. */
function coordinates() {
  return h('g', { 'aria-hidden': 'true' }, Array.from({ length: SIDE }, (_, i) => [
    h('text', { key: `column${i}`, class: 'coordinate', x: (i + 0.5) * UNIT, y: SIDE * UNIT + 7.5 }, String.fromCharCode(97 + i)),
    h('text', { key: `row${i}`, class: 'coordinate', x: -5.5, y: (SIDE - 0.5 - i) * UNIT + 2 }, i + 1)]));
}

/** The outline of a set of squares. */
function outline(cells) {
  const has = new Set(cells.map(([x, y]) => `${x},${y}`));
  return cells.map(([x, y]) => {
    const [l, t] = [x * UNIT, (SIDE - 1 - y) * UNIT];
    return [[0, 1, `M${l} ${t}h${UNIT}`], [0, -1, `M${l} ${t + UNIT}h${UNIT}`], [-1, 0, `M${l} ${t}v${UNIT}`], [1, 0, `M${l + UNIT} ${t}v${UNIT}`]]
      .filter(([dx, dy]) => !has.has(`${x + dx},${y + dy}`)).map(([, , path]) => path).join('');
  }).join('');
}

function pieceNode(cells, seat, marks, key) {
  return h('g', { key, class: `tile colour${seat} ${marks}` },
    h('path', { class: 'tile-body', d: cells.map((cell) => rect(cell)).join('') }),
    h('path', { class: 'tile-light', d: cells.map(([x, y]) => `M${x * UNIT + 0.9} ${(SIDE - y) * UNIT - 0.9}v${1.8 - UNIT}h${UNIT - 1.8}`).join('') }),
    h('path', { class: 'tile-shade', d: cells.map(([x, y]) => `M${x * UNIT + 0.9} ${(SIDE - y) * UNIT - 0.9}h${UNIT - 1.8}v${1.8 - UNIT}`).join('') }),
    h('path', { class: 'tile-sign', d: cells.map(([x, y]) => sign(seat, x * UNIT + 5, (SIDE - 1 - y) * UNIT + 5, 1.7)).join('') }),
    h('path', { class: 'tile-edge', d: outline(cells) }));
}

/** A piece alone, in a drawing of its own size. */
export function pieceIcon(cells, seat, box = 5) {
  const width = Math.max(...cells.map(([x]) => x)) + 1;
  const height = Math.max(...cells.map(([, y]) => y)) + 1;
  const [dx, dy] = [(box - width) / 2, (box - height) / 2];
  return h('svg', { class: 'piece-icon', viewBox: `${-dx * UNIT - 1} ${(SIDE - height) * UNIT - dy * UNIT - 1} ${box * UNIT + 2} ${box * UNIT + 2}`, 'aria-hidden': 'true' }, pieceNode(cells, seat, '', 'piece'));
}

/** A piece of the tray, in squares of one size for all. */
function trayIcon(cells, seat) {
  const [width, height] = [0, 1].map((k) => Math.max(...cells.map((cell) => cell[k])) + 1);
  return h('svg', { class: 'piece-icon', viewBox: `-0.5 ${(SIDE - height) * UNIT - 0.5} ${width * UNIT + 1} ${height * UNIT + 1}`, style: { width: `${width * TRAY_SQUARE}px`, height: `${height * TRAY_SQUARE}px` }, 'aria-hidden': 'true' }, pieceNode(cells, seat, '', 'piece'));
}

/** The forms of the piece in the hand that can be laid now, in the order of turning. */
function orient(ui, by) {
  const hand = ui.hand;
  if (by === 'flip') {
    // A flip mirrors what is seen, left and right.
    hand.flipped = !hand.flipped;
    hand.turns = (4 - hand.turns) % 4;
  } else {
    hand.turns = (hand.turns + by + 4) % 4;
  }
}

/** The first form of a piece that has a place, beginning with the present one. */
export function formWithPlace(found, name, now = { turns: 0, flipped: false }) {
  for (const flipped of [now.flipped, !now.flipped]) {
    for (let by = 0; by < 4; by += 1) {
      const form = { turns: (now.turns + by) % 4, flipped };
      if (found.has(keyOf(shape(name, form)))) return form;
    }
  }
  return null;
}

function take(ctx, found, name) {
  const { ui } = ctx;
  const form = formWithPlace(found, name, ui.hand ?? undefined);
  ui.hand = { name, turns: 0, flipped: false, ...form };
  ui.place = null;
}

function actions(ctx, found) {
  const { ui } = ctx;
  const forms = () => (ui.hand ? found.get(keyOf(shape(ui.hand.name, ui.hand))) ?? [] : []);
  const centre = () => (ui.place ? [ui.place.x, ui.place.y] : ui.at ?? [10, 10]);
  const settleHand = () => {
    const near = centre();
    ui.place = snap(forms(), near, Infinity);
  };
  return {
    forms,
    turn(by) {
      if (!ui.hand) return;
      const start = JSON.stringify(ui.hand);
      // Forms with no place anywhere are passed over.
      for (let i = 0; i < 8; i += 1) {
        orient(ui, by);
        if (forms().length > 0 || JSON.stringify(ui.hand) === start || by === 'flip') break;
      }
      if (forms().length === 0) {
        const form = formWithPlace(found, ui.hand.name, ui.hand);
        if (form) Object.assign(ui.hand, form);
      }
      settleHand();
      ctx.redraw();
    },
    next(by) {
      const names = PIECES.filter((name) => formWithPlace(found, name));
      if (names.length === 0) return;
      const now = ui.hand ? names.indexOf(ui.hand.name) : -1;
      const near = centre();
      take(ctx, found, names[(now + by + names.length) % names.length]);
      ui.at = near;
      settleHand();
      ctx.redraw();
    },
    lay() {
      if (!ui.place) return;
      const { move } = ui.place;
      Object.assign(ui, { hand: null, place: null });
      ctx.play(move);
    },
    settleHand,
  };
}

function tray(ctx, picture, found, act) {
  const { ui, t } = ctx;
  const seat = ctx.seat;
  const here = new Set(picture.left[seat] ?? []);
  const names = PIECES.filter((name) => here.has(name));
  return h('div', { class: 'tray' },
    h('p', { class: 'quiet' }, `${t(`bl.seat${seat}`)} – ${t('bl.count', { n: picture.counts[seat].placed })}`),
    h('div', { class: 'tray-pieces', role: 'group', 'aria-label': t('bl.tray') },
      names.map((name) => {
        const canGo = ctx.isActive && formWithPlace(found, name) !== null;
        const isHeld = ui.hand?.name === name;
        return h('button', {
          key: name, type: 'button', class: 'tray-piece', 'aria-pressed': isHeld, 'aria-label': t('bl.piece', { name }), title: name,
          disabled: !canGo, 'data-piece': name,
          onclick(event) {
            if (ui.dragged) return;
            if (isHeld && !event.detail) return;
            take(ctx, found, name);
            act.settleHand();
            ctx.redraw();
          },
          onpointerdown(event) {
            if (!canGo || event.button !== 0) return;
            event.currentTarget.releasePointerCapture?.(event.pointerId);
            ui.dragging = { x: event.clientX, y: event.clientY, name };
            ui.dragged = false;
          },
        }, trayIcon(shape(name, isHeld ? ui.hand : LYING[name]), seat));
      })),
    h('div', { class: 'tray-actions' },
      h('button', { type: 'button', disabled: !ui.hand, title: `${t('bl.left')} (Shift+R)`, 'aria-label': t('bl.left'), onclick: () => act.turn(1) }, icon('left')),
      h('button', { type: 'button', disabled: !ui.hand, title: `${t('bl.right')} (R)`, 'aria-label': t('bl.right'), onclick: () => act.turn(-1) }, icon('right')),
      h('button', { type: 'button', disabled: !ui.hand, title: `${t('bl.flip')} (F)`, 'aria-label': t('bl.flip'), onclick: () => act.turn('flip') }, icon('flip')),
      h('button', { type: 'button', class: 'primary', disabled: !ui.place, onclick: () => act.lay() }, t('bl.lay'))));
}

/** What the other seats have left, as small shapes. */
function others(ctx, picture) {
  const { t } = ctx;
  const seats = [0, 1, 2, 3].filter((seat) => seat !== ctx.seat || !ctx.isPlayer);
  return h('div', { class: 'lefts' }, seats.map((seat) => h('div', { key: seat, class: `left colour${seat}` },
    h('span', { class: 'left-name' }, h('svg', { class: 'seat-sign', viewBox: '0 0 10 10', 'aria-hidden': 'true' }, h('path', { class: `sign colour${seat}`, d: sign(seat, 5, 5, 3.6) })), t(`bl.seat${seat}`),
      h('b', {}, t('bl.count', { n: picture.counts[seat].placed }))),
    h('span', { class: 'left-pieces' }, picture.left[seat]?.length === 0 ? t('bl.allPlaced') : PIECES.filter((name) => picture.left[seat]?.includes(name)).map((name) => h('span', { key: name, class: 'left-piece', title: name }, pieceIcon(shape(name), seat, 5)))))));
}

export const board = {
  scene,

  draw(ctx) {
    const { ui, t } = ctx;
    const moves = ctx.ask?.moves ?? [];
    const picture = scene(ctx.views, { seat: ctx.isActive ? ctx.seat : null, moves, last: ctx.lastMove });
    const found = placements(moves);
    const act = actions(ctx, found);
    if (ui.hand && !formWithPlace(found, ui.hand.name, ui.hand)) Object.assign(ui, { hand: null, place: null });
    if (ui.place && !moves.includes(ui.place.move)) ui.place = null;
    const track = (event, svg) => {
      const [x, y] = pointIn(svg, event);
      ui.at = [x / UNIT, y / UNIT];
      const place = snap(act.forms(), ui.at);
      if (place?.move === ui.place?.move) return false;
      ui.place = place;
      return true;
    };
    const onBoard = (event) => event.currentTarget.querySelector('svg.blokus-board');
    const isInside = (event, svg) => {
      const box = svg.getBoundingClientRect();
      return event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
    };
    const isTurning = ui.hand && act.forms().length > 0;
    return h('div', {
      class: 'board blokus',
      onpointermove(event) {
        const svg = onBoard(event);
        if (ui.dragging && !ui.dragged && Math.hypot(event.clientX - ui.dragging.x, event.clientY - ui.dragging.y) > 8) {
          ui.dragged = true;
          take(ctx, found, ui.dragging.name);
        }
        if (!ui.hand || !svg || (!ui.dragged && event.pointerType === 'touch' && !event.buttons)) return;
        if (isInside(event, svg)) {
          if (track(event, svg)) ctx.redraw();
        } else if (ui.dragged) {
          ctx.redraw();
        }
      },
      onpointerup(event) {
        const svg = onBoard(event);
        const { dragged } = ui;
        ui.dragging = null;
        setTimeout(() => { ui.dragged = false; });
        // A finger hides what it places: it lets go first, and confirms.
        if (dragged && svg && isInside(event, svg) && ui.place && event.pointerType !== 'touch') act.lay();
      },
      onkeydown(event) {
        if (!ctx.isActive || event.ctrlKey || event.altKey || event.metaKey || event.target.closest('input')) return;
        const key = event.key.toLowerCase();
        if (key === 'r') act.turn(event.shiftKey ? 1 : -1);
        else if (key === 'f') act.turn('flip');
        else if (key === ',' || key === '.') act.next(key === '.' ? 1 : -1);
        else if (key === 'escape' && ui.hand) Object.assign(ui, { hand: null, place: null });
        else if (key.startsWith('arrow') && ui.hand) {
          if (!ui.place) act.settleHand();
          const to = ui.place && towards(act.forms(), ui.place.move, event.key);
          if (to) ui.place = act.forms().find((place) => place.move === to);
        } else if (key === 'enter' && ui.place && !event.target.closest('button')) act.lay();
        else if (key === 'enter' && ui.place && event.target.getAttribute?.('aria-pressed') === 'true') act.lay();
        else return;
        event.preventDefault();
        event.stopPropagation();
        ctx.redraw();
      },
    },
    h('div', { class: 'blokus-box' },
      h('svg', {
        class: `blokus-board ${isTurning ? 'holding' : ''}`, viewBox: ctx.isSmall ? '-1 -1 202 202' : '-10 -1 211 211', tabindex: ctx.isActive ? 0 : -1, 'data-at': 'board', role: ctx.isActive ? 'application' : 'img',
        'aria-label': ctx.isActive ? t('bl.keys') : t('boardOf', { game: t('game.blokus') }),
        onpointerdown(event) {
          ui.isTouch = event.pointerType === 'touch';
          if (!ctx.isActive || event.button !== 0) return;
          if (ui.hand) track(event, event.currentTarget);
          ui.pressed = ui.place?.move ?? null;
          ctx.redraw();
        },
        onclick() {
          if (!ui.isTouch && ui.place && ui.pressed === ui.place.move) act.lay();
        },
      },
      h('rect', { class: 'ground', x: -1, y: -1, width: 202, height: 202, rx: 3 }),
      ctx.isSmall ? null : coordinates(),
      h('path', { class: 'lines', d: Array.from({ length: 21 }, (_, i) => `M0 ${i * UNIT}h200M${i * UNIT} 0v200`).join('') }),
      picture.starts.filter((start) => start.isFree).map((start) => h('path', { key: `start${start.seat}`, class: `start colour${start.seat}`, d: sign(start.seat, start.x * UNIT + 5, (SIDE - 1 - start.y) * UNIT + 5, 2.6) })),
      picture.pieces.map((piece) => pieceNode(piece.cells, piece.seat, piece.isLast ? `last ${ctx.played ? 'played' : ''}` : '', piece.move)),
      picture.pieces.filter((piece) => piece.isLast).map((piece) => h('path', { key: 'last', class: 'last-edge', d: outline(piece.cells) })),
      picture.corners.map(([x, y]) => h('circle', { key: `corner${x}.${y}`, class: `corner colour${ctx.seat}`, cx: x * UNIT + 5, cy: (SIDE - 1 - y) * UNIT + 5, r: 1.5 })),
      ctx.best ? h('path', { key: 'hinted', class: 'hinted-edge', d: outline(cellsOf(ctx.best)) }) : null,
      ui.hand && ui.place ? pieceNode(ui.place.cells, ctx.seat, 'ghost', 'ghost') : null)),
    ctx.isSmall ? null : h('div', { class: 'blokus-side' },
      ctx.isPlayer && !ctx.result ? tray(ctx, picture, found, act) : null,
      others(ctx, picture)));
  },

  read(text, moves) {
    const norm = (move) => move.toLowerCase().split(/[\s,]+/).filter(Boolean).sort().join(',');
    const wanted = norm(text);
    return moves.find((move) => norm(move) === wanted) ?? null;
  },
  example: 'b18,c18,b19',

  seatName: (t, seat) => t(`bl.seat${seat}`),
  say: (t, frame) => (frame.move ? t('bl.said', { piece: pieceOf(frame.move), cells: frame.move }) : ''),
  short: (t, move) => `${pieceOf(move)} ${move.split(',')[0]}`,
};
