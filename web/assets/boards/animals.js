// The animals of Dobutsu shogi, drawn in a square of 100 by 100 around its centre.

import { h } from '../dom.js';

const eyes = (dx, y, r = 3.6) => [h('circle', { class: 'eye', cx: -dx, cy: y, r }), h('circle', { class: 'eye', cx: dx, cy: y, r })];
const cheeks = (dx, y) => [h('circle', { class: 'cheek', cx: -dx, cy: y, r: 3.4 }), h('circle', { class: 'cheek', cx: dx, cy: y, r: 3.4 })];

function lion() {
  const petals = Array.from({ length: 12 }, (_, i) => {
    const angle = (i * Math.PI) / 6;
    return h('circle', { class: 'mane', cx: 21 * Math.cos(angle), cy: 21 * Math.sin(angle), r: 8.5 });
  });
  return [petals, h('circle', { class: 'mane', cx: 0, cy: 0, r: 23 }), h('circle', { class: 'lion-face', cx: 0, cy: 0, r: 18.5 }), eyes(7.5, -4), cheeks(12, 4),
    h('path', { class: 'nose', d: 'M-4 3h8l-4 4.5Z' }), h('path', { class: 'mouth', d: 'M0 7v3M-6 10q3 4 6 0q3 4 6 0' })];
}

function giraffe() {
  return [h('path', { class: 'horn', d: 'M-6 -22V-31M6 -22V-31' }), h('circle', { class: 'horn-tip', cx: -6, cy: -31, r: 3.4 }), h('circle', { class: 'horn-tip', cx: 6, cy: -31, r: 3.4 }),
    h('path', { class: 'giraffe-body', d: 'M-21 -15q6 -4 11 0M21 -15q-6 -4 -11 0' }),
    h('path', { class: 'giraffe-face', d: 'M-13 -14C-13 -26 13 -26 13 -14C13 -4 11 2 9 8L11 31H-11L-9 8C-11 2 -13 -4 -13 -14Z' }),
    h('circle', { class: 'patch', cx: -4, cy: 17, r: 3.4 }), h('circle', { class: 'patch', cx: 5, cy: 23, r: 3 }), h('circle', { class: 'patch', cx: -5, cy: 27, r: 2.4 }), h('circle', { class: 'patch', cx: 2, cy: -20, r: 2.4 }),
    h('ellipse', { class: 'muzzle', cx: 0, cy: 4, rx: 10, ry: 7 }), eyes(6, -9), h('path', { class: 'mouth', d: 'M-4.5 5q4.5 4 9 0' })];
}

function elephant() {
  return [h('ellipse', { class: 'ear', cx: -20, cy: -5, rx: 12, ry: 16 }), h('ellipse', { class: 'ear', cx: 20, cy: -5, rx: 12, ry: 16 }),
    h('ellipse', { class: 'ear-in', cx: -20, cy: -4, rx: 6.5, ry: 10 }), h('ellipse', { class: 'ear-in', cx: 20, cy: -4, rx: 6.5, ry: 10 }),
    h('circle', { class: 'elephant-face', cx: 0, cy: -5, r: 17.5 }),
    h('path', { class: 'trunk', d: 'M-6.5 0C-6.5 12 -6.5 20 -1 25C4 29 11 27 12 21' }), h('path', { class: 'tusk', d: 'M-12 9l-2 8M12 8l2 5' }),
    eyes(9, -9), cheeks(13, -1)];
}

function chick() {
  return [h('path', { class: 'tuft', d: 'M0 -22C-2 -28 -5 -29 -7 -29M0 -22C0 -29 2 -31 4 -32' }), h('circle', { class: 'chick-body', cx: 0, cy: 2, r: 23 }),
    h('path', { class: 'wing', d: 'M-22 4q-7 6 -3 13q7 -1 9 -7M22 4q7 6 3 13q-7 -1 -9 -7' }), eyes(8.5, -4), cheeks(14, 4),
    h('path', { class: 'beak', d: 'M-5.5 2.5Q0 -2.5 5.5 2.5Q0 9.5 -5.5 2.5Z' })];
}

function hen() {
  return [h('path', { class: 'comb', d: 'M-11 -18C-15 -30 -5 -31 -4 -25C-3 -34 6 -33 5 -25C8 -31 16 -27 11 -17Z' }), h('path', { class: 'hen-body', d: 'M0 -22C16 -22 24 -8 24 5C24 19 14 26 0 26C-14 26 -24 19 -24 5C-24 -8 -16 -22 0 -22Z' }),
    h('path', { class: 'hen-wing', d: 'M-23 3q-8 7 -2 16q8 -2 10 -9M23 3q8 7 2 16q-8 -2 -10 -9' }), eyes(8.5, -5), h('path', { class: 'beak', d: 'M-6 1Q0 -4 6 1Q0 9 -6 1Z' }),
    h('path', { class: 'wattle', d: 'M0 7c-5 3 -4 9 0 9s5 -6 0 -9Z' })];
}

const DRAWN = { L: lion, G: giraffe, E: elephant, C: chick, H: hen };

/** Where a piece may step, forward being up. */
export const STEPS = {
  L: [[-1, -1], [0, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [0, 1], [1, 1]],
  G: [[0, -1], [-1, 0], [1, 0], [0, 1]],
  E: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  C: [[0, -1]],
  H: [[-1, -1], [0, -1], [1, -1], [-1, 0], [1, 0], [0, 1]],
};

/** A piece on its tile, which points forward, with a dot for each step. */
export function animal(kind) {
  return [
    h('path', { class: 'tile-shadow', d: 'M-38 -26L0 -41L38 -26V37Q38 43 32 43H-32Q-38 43 -38 37Z', transform: 'translate(0 3)' }),
    h('path', { class: 'tile-face', d: 'M-38 -26L0 -41L38 -26V37Q38 43 32 43H-32Q-38 43 -38 37Z' }),
    h('g', { class: `animal ${kind}`, transform: 'translate(0 4) scale(0.86)' }, DRAWN[kind]()),
    STEPS[kind].map(([x, y]) => h('circle', { class: 'step-dot', cx: x * 31.5, cy: y === -1 ? (x === 0 ? -33.5 : -23) : y === 0 ? 4 : 37, r: 3 })),
  ];
}
