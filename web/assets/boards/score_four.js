// 3D four-in-a-row: a tower that turns, and its four levels beside it.

import { h } from '../dom.js';
import { icon } from '../icons.js';
import { exactSigns } from '../panel.js';
import { holdCursor } from './pick.js';

const PITCH = 0.52;
const UNIT = 66;
const RADIUS = 25;
const RISE = 46;
const START_YAW = -0.42;

const pegName = (index) => 'abcd'[index % 4] + (1 + (index >> 2));

/** The place of a point of the tower in the drawing, and how far from the eye it lies. */
export function project(x, y, z, yaw) {
  const [sin, cos] = [Math.sin(yaw), Math.cos(yaw)];
  const [across, depth] = [(x - 1.5) * cos - (y - 1.5) * sin, (x - 1.5) * sin + (y - 1.5) * cos];
  return { x: across * UNIT, y: -depth * UNIT * Math.sin(PITCH) - z * RISE, depth };
}

/** The peg beside a peg that an arrow key leads to, whichever way the tower is turned; `null` beyond the edge. */
export function neighbour(peg, key, yaw) {
  const wanted = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  if (!wanted || !peg) return null;
  const [x, y] = ['abcd'.indexOf(peg[0]), Number(peg[1]) - 1];
  const from = project(x, y, 0, yaw);
  const along = ([dx, dy]) => {
    const to = project(x + dx, y + dy, 0, yaw);
    // The drawing is lower than wide; directions are compared as if it were not.
    return (to.x - from.x) * wanted[0] + ((to.y - from.y) / Math.sin(PITCH)) * wanted[1];
  };
  const [best] = [[1, 0], [-1, 0], [0, 1], [0, -1]].sort((a, b) => along(b) - along(a));
  const to = [x + best[0], y + best[1]];
  return to.every((n) => n >= 0 && n < 4) ? pegName(to[0] + 4 * to[1]) : null;
}

/** The squares of the line that has won, as `a2.1`: from the result, or from the board where the result names none. */
export function lineOf(result, views = [], last = null) {
  const text = Array.isArray(result?.line) ? result.line.join(' ') : (result?.end === 'line' && result?.reason) || '';
  const named = [...text.matchAll(/([a-d][1-4])(?:\.| level )([1-4])/g)].map(([, peg, level]) => `${peg}.${level}`);
  return named.length > 0 || result?.end !== 'line' ? named : rowOf(views[0]?.board ?? '', last);
}

/** The row of four balls of one colour through the ball that has ended a game, where nobody names it. */
function rowOf(board, last) {
  const stacks = board.split('/');
  const at = ([x, y, z]) => (x >= 0 && x < 4 && y >= 0 && y < 4 && z >= 0 ? stacks[x + 4 * y]?.[z] : undefined);
  if (!/^[a-d][1-4]$/.test(last ?? '')) return [];
  const [x, y] = ['abcd'.indexOf(last[0]), Number(last[1]) - 1];
  const ball = [x, y, (stacks[x + 4 * y] ?? '').length - 1];
  const steps = [-1, 0, 1].flatMap((dx) => [-1, 0, 1].flatMap((dy) => [-1, 0, 1].map((dz) => [dx, dy, dz]))).filter((step) => step.some((n) => n !== 0));
  for (const step of steps) {
    for (const before of [0, 1, 2, 3]) {
      const row = [0, 1, 2, 3].map((n) => ball.map((from, k) => from + (n - before) * step[k]));
      if (row.every((one) => at(one) === at(ball))) return row.map(([a, b, level]) => `${'abcd'[a]}${b + 1}.${level + 1}`);
    }
  }
  return [];
}

/**
 * What is to be drawn: `pegs` from the farthest to the nearest, each with its balls; `levels` from the bottom to the top,
 * each of 16 squares from the far row to the near one.
 */
export function scene(views, { yaw = START_YAW, last = null, line = [], moves = [] } = {}) {
  const stacks = (views[0]?.board ?? '').split('/').map((stack) => (stack === '-' ? '' : stack));
  const legal = new Set(moves);
  const pegs = Array.from({ length: 16 }, (_, index) => {
    const name = pegName(index);
    const [x, y] = [index % 4, index >> 2];
    const stack = stacks[index] ?? '';
    const balls = [...stack].map((ball, level) => ({
      seat: ball === 'x' ? 0 : 1,
      level,
      place: project(x, y, level + 0.5, yaw),
      isLast: name === last && level === stack.length - 1,
      isLit: line.includes(`${name}.${level + 1}`),
    }));
    return { name, index, foot: project(x, y, 0, yaw), top: project(x, y, 4.15, yaw), next: project(x, y, stack.length + 0.5, yaw), balls, isLegal: legal.has(name) };
  });
  const levels = [0, 1, 2, 3].map((level) => [3, 2, 1, 0].flatMap((y) => [0, 1, 2, 3].map((x) => {
    const peg = pegs[x + 4 * y];
    const ball = peg.balls[level];
    return { peg: peg.name, x, y, seat: ball?.seat ?? null, isLast: ball?.isLast ?? false, isLit: ball?.isLit ?? false, isOpen: peg.isLegal && peg.balls.length === level, isNext: peg.balls.length === level };
  })));
  pegs.sort((a, b) => b.foot.depth - a.foot.depth);
  const corners = [[-0.6, -0.6], [3.6, -0.6], [3.6, 3.6], [-0.6, 3.6]].map(([x, y]) => project(x, y, 0, yaw));
  return { pegs, levels, corners, lit: line.map((square) => {
    const index = 'abcd'.indexOf(square[0]) + 4 * (Number(square[1]) - 1);
    return project(index % 4, index >> 2, Number(square[3]) - 0.5, yaw);
  }) };
}

function ball(seat, { x, y }, radius, marks, key) {
  return h('g', { key, class: `ball seat${seat} ${marks}` },
    h('circle', { cx: x, cy: y, r: radius, fill: `url(#ball${seat})` }),
    seat === 0
      ? h('path', { class: 'ball-sign', d: `M${x - radius / 4} ${y - radius / 4}l${radius / 2} ${radius / 2}m0 ${-radius / 2}l${-radius / 2} ${radius / 2}` })
      : h('circle', { class: 'ball-sign', cx: x, cy: y, r: radius / 3 }));
}

const gradients = () => h('defs', {}, [0, 1].map((seat) => h('radialGradient', { id: `ball${seat}`, cx: '36%', cy: '30%', r: '75%' },
  h('stop', { offset: '0', class: `ball${seat}-light` }), h('stop', { offset: '0.55', class: `ball${seat}-body` }), h('stop', { offset: '1', class: `ball${seat}-dark` }))));

function tower(ctx, picture) {
  const { ui, t } = ctx;
  const { pegs, corners, lit } = picture;
  const points = pegs.map((peg) => ({ at: peg.name, x: peg.foot.x, y: peg.foot.y }));
  holdCursor(ui, points, 'b2');
  const shown = ctx.isActive ? (ui.hover ?? (ui.hasFocus ? ui.cursor : null)) : null;
  const turn = (by) => {
    ui.yaw = (ui.yaw ?? START_YAW) + by;
    ctx.redraw();
  };
  const drop = (peg, event) => {
    if (!peg.isLegal) return;
    // A finger cannot hover: its first touch shows where the ball comes to rest, the second drops it.
    if (ui.isTouch && event.type === 'click' && ui.hover !== peg.name) {
      ui.hover = peg.name;
      ui.cursor = peg.name;
      ctx.redraw(peg.name);
      return;
    }
    ui.hover = null;
    ctx.play(peg.name);
  };
  const edge = (x, y) => project(x, y, 0, ui.yaw ?? START_YAW);
  const front = edge(1.5, -1).depth < edge(1.5, 4).depth ? -1.05 : 4.05;
  const side = edge(-1, 1.5).depth < edge(4, 1.5).depth ? -1.05 : 4.05;
  const thick = 12;
  return h('svg', {
    class: 'tower', viewBox: '-205 -272 410 404', role: 'group', 'aria-label': t('boardOf', { game: t('game.score-four') }),
    onpointerdown(event) {
      ui.isTouch = event.pointerType === 'touch';
      if (event.target.closest('[data-at]') && !ui.isTouch) return;
      ui.turning = { x: event.clientX, yaw: ui.yaw ?? START_YAW, moved: false };
    },
    onpointermove(event) {
      if (!ui.turning) return;
      const by = event.clientX - ui.turning.x;
      if (Math.abs(by) > 8) ui.turning.moved = true;
      if (!ui.turning.moved) return;
      ui.yaw = ui.turning.yaw + by / 140;
      ctx.redraw();
    },
    onpointerup() {
      // The click that follows a turn is no drop.
      setTimeout(() => { ui.turning = null; });
    },
    // A finger that scrolls the page turns nothing any more.
    onpointercancel() { ui.turning = null; },
    onpointerleave(event) {
      // A finger leaves with each touch, before the click of it: what its first touch shows stays for the second.
      if (event.pointerType === 'touch') return;
      ui.turning = null;
      if (ui.hover) {
        ui.hover = null;
        ctx.redraw();
      }
    },
    onkeydown(event) {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const to = neighbour(ui.cursor, event.key, ui.yaw ?? START_YAW);
      if (event.key === 'Enter' || event.key === ' ') {
        const peg = pegs.find((one) => one.name === ui.cursor);
        if (peg) drop(peg, {});
      } else if (event.key === '[' || event.key === ']') {
        turn(event.key === '[' ? -Math.PI / 8 : Math.PI / 8);
      } else if (to !== null) {
        ui.cursor = to;
      } else if (!event.key.startsWith('Arrow')) {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
      ctx.redraw(ui.cursor);
    },
  },
  gradients(),
  h('path', { class: 'plate-side', d: `M${corners.map(({ x, y }) => `${x} ${y + thick}`).join('L')}Z` }),
  corners.map((a, i) => { const b = corners[(i + 1) % 4]; return h('path', { class: 'plate-side', d: `M${a.x} ${a.y}L${b.x} ${b.y}L${b.x} ${b.y + thick}L${a.x} ${a.y + thick}Z` }); }),
  h('path', { class: 'plate', d: `M${corners.map(({ x, y }) => `${x} ${y}`).join('L')}Z` }),
  [0, 1, 2, 3].map((i) => { const at = edge(i, front); return h('text', { class: 'peg-label', x: at.x, y: at.y + 9 }, 'abcd'[i]); }),
  [0, 1, 2, 3].map((i) => { const at = edge(side, i); return h('text', { class: 'peg-label', x: at.x, y: at.y + 9 }, i + 1); }),
  pegs.map((peg) => h('g', {
    key: peg.name, class: `peg ${peg.isLegal ? 'legal' : ''} ${ctx.best === peg.name ? 'hinted' : ''} ${shown === peg.name ? 'shown' : ''}`, 'data-at': peg.name,
    role: 'button', tabindex: ctx.isActive && peg.name === ui.cursor ? 0 : -1, 'aria-disabled': !peg.isLegal,
    'aria-label': t('s4.peg', { peg: peg.name, balls: peg.balls.map((one) => t(`s4.seat${one.seat}`)).join(', ') || t('s4.empty') }),
    onclick(event) { if (!ui.turning?.moved) { ui.cursor = peg.name; drop(peg, event); } },
    onpointerenter(event) { if (event.pointerType !== 'touch' && peg.isLegal) { ui.hover = peg.name; ctx.redraw(); } },
  },
  h('ellipse', { class: 'peg-foot', cx: peg.foot.x, cy: peg.foot.y, rx: 15, ry: 15 * Math.sin(PITCH) }),
  h('path', { class: 'peg-pole', d: `M${peg.foot.x} ${peg.foot.y}V${peg.top.y}` }),
  h('path', { class: 'peg-reach', d: `M${peg.foot.x} ${peg.foot.y}V${peg.top.y}` }),
  peg.balls.map((one) => ball(one.seat, one.place, RADIUS, `${one.isLast ? 'last' : ''} ${one.isLit ? 'lit' : ''} ${one.isLast && ctx.played ? 'played' : ''}`, one.isLast && ctx.played ? `played${ctx.played}` : undefined)),
  shown === peg.name && peg.isLegal ? ball(ctx.seat ?? 0, peg.next, RADIUS, 'ghost') : null,
  h('ellipse', { class: 'focus-ring', cx: peg.foot.x, cy: peg.foot.y, rx: 22, ry: 14 }))),
  lit.length > 1 ? h('path', { class: 'win-line', d: `M${[lit[0], lit[lit.length - 1]].map(({ x, y }) => `${x} ${y}`).join('L')}` }) : null);
}

function level(ctx, squares, number) {
  const { ui, t } = ctx;
  const exact = exactSigns(ctx);
  return h('figure', { key: `level${number}`, class: 'level' },
    h('svg', { viewBox: '0 0 100 100', 'aria-hidden': 'true', onpointerdown: (event) => { ui.isTouch = event.pointerType === 'touch'; } },
      h('rect', { class: 'level-plate', x: 1, y: 1, width: 98, height: 98, rx: 8 }),
      squares.map((square) => {
        const at = { x: 14 + 24 * square.x, y: 86 - 24 * square.y };
        const isShown = square.isOpen && ctx.isActive && ui.hover === square.peg;
        return h('g', {
          key: square.peg, class: `spot ${square.isOpen ? 'open' : ''} ${square.isOpen && ctx.best === square.peg ? 'hinted' : ''}`,
          onclick: square.isOpen ? () => {
            if (ui.isTouch && ui.hover !== square.peg) {
              ui.hover = square.peg;
              ctx.redraw();
            } else {
              ui.hover = null;
              ctx.play(square.peg);
            }
          } : null,
          onpointerenter: square.isOpen ? (event) => { if (event.pointerType !== 'touch') { ui.hover = square.peg; ctx.redraw(); } } : null,
          onpointerleave: (event) => { if (event.pointerType !== 'touch' && ui.hover === square.peg) { ui.hover = null; ctx.redraw(); } },
        },
        h('rect', { class: 'spot-ground', x: at.x - 11, y: at.y - 11, width: 22, height: 22, rx: 5 }),
        square.seat === null
          ? exact.has(square.peg) && square.isNext ? h('text', { class: 'exact', x: at.x, y: at.y + 3 }, exact.get(square.peg)) : (isShown ? ball(ctx.seat ?? 0, at, 9.5, 'ghost') : h('circle', { class: 'hole', cx: at.x, cy: at.y, r: square.isOpen ? 3.4 : 1.6 }))
          : ball(square.seat, at, 9.5, `${square.isLast ? 'last' : ''} ${square.isLit ? 'lit' : ''}`));
      })),
    h('figcaption', {}, t('s4.level', { n: number + 1 })));
}

export const board = {
  scene,
  seatSigns: ['seat-x', 'seat-o'],

  draw(ctx) {
    const { ui, t } = ctx;
    const picture = scene(ctx.views, { yaw: ui.yaw, last: ctx.lastMove?.move, line: lineOf(ctx.result, ctx.views, ctx.lastMove?.move), moves: ctx.ask?.moves ?? [] });
    return h('div', { class: 'board score-four' },
      // Listening to the focus on the drawing itself would make the drawing a stop of the tabulator.
      h('div', { class: 'tower-box', onfocusin() { if (!ui.hasFocus) { ui.hasFocus = true; ctx.redraw(); } }, onfocusout() { ui.hasFocus = false; ctx.redraw(); } },
        tower(ctx, picture),
        ctx.isSmall ? null : h('div', { class: 'turns' },
          h('button', { type: 'button', class: 'round', 'aria-label': t('s4.left'), title: `${t('s4.left')} [`, onclick() { ui.yaw = (ui.yaw ?? START_YAW) - Math.PI / 8; ctx.redraw(); } }, icon('left')),
          h('button', { type: 'button', class: 'round', 'aria-label': t('s4.right'), title: `${t('s4.right')} ]`, onclick() { ui.yaw = (ui.yaw ?? START_YAW) + Math.PI / 8; ctx.redraw(); } }, icon('right')))),
      ctx.isSmall ? null : h('div', { class: 'levels' }, picture.levels.map((squares, number) => level(ctx, squares, number))));
  },

  read(text, moves) {
    const wanted = text.trim().toLowerCase();
    return moves.find((move) => move === wanted) ?? null;
  },
  example: 'b3',

  seatName: (t, seat) => t(`s4.seat${seat}`),
  say: (t, frame) => frame.move,
};

