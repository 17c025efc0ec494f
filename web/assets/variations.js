// Variations of a game that is over: moves that a reader tries from any of its positions, as a tree beside the game.

import { Reel } from './reel.js';

/** Variations that a link carries. */
const MOST_SHARED = 8;

/** A move of a variation. `base` is the ply of the game that the variation leaves; `asked` is the move as the reader made it. */
class Node {
  constructor(base, parent, asked, frame, result) {
    Object.assign(this, { base, parent, asked, frame, result, children: [] });
  }

  /** The moves from the game to this one. */
  get path() {
    return [...(this.parent?.path ?? []), this];
  }

  /** The same, and on along the first moves that were tried. */
  get line() {
    const [next] = this.children;
    return next ? next.line : this.path;
  }

  get moves() {
    return this.path.map((node) => node.asked);
  }
}

export class Variations {
  /** `reel` has the games as they were played. */
  constructor(reel) {
    this.main = reel;
    /** The first moves of variations, by game and ply. */
    this.roots = new Map();
    /** The move whose variation is shown; `null` while the game itself is. */
    this.leaf = null;
    this.reel = reel;
  }

  of(game, base) {
    return this.roots.get(`${game}.${base}`) ?? [];
  }

  /** Takes in a move behind another, or behind a ply of the game; gives its node. */
  add({ game, base, parent, asked, frame, result = null }) {
    const siblings = parent ? parent.children : this.of(game, base);
    const known = siblings.find((node) => node.frame.move === frame.move);
    if (known) return known;
    const node = new Node(base, parent, asked, frame, result);
    if (!parent) this.roots.set(`${game}.${base}`, siblings);
    siblings.push(node);
    return node;
  }

  /** Shows a move of a variation, or with `null` the game, at the same ply or at that where the variation left it. */
  show(node) {
    const { frame } = this.reel;
    if (node === null) {
      const ply = this.leaf && frame ? Math.min(frame.ply, this.leaf.base) : frame?.ply;
      const { game } = frame;
      Object.assign(this, { leaf: null, reel: this.main });
      this.main.seek(game, ply);
      return;
    }
    const { line } = node;
    const reel = new Reel();
    const before = this.main.frames.filter((one) => one.game === node.frame.game && one.ply <= node.base);
    reel.put({ game: node.frame.game, frames: [...before, ...line.map((one) => one.frame)], result: line.at(-1).result });
    Object.assign(this, { leaf: line.at(-1), reel });
    reel.seek(node.frame.game, node.frame.ply);
    reel.live = false;
  }

  /** The move of the variation that is shown; `null` on the game itself. */
  get node() {
    const { frame } = this.reel;
    return this.leaf?.path.find((node) => node.frame === frame) ?? null;
  }

  /** Where the position shown is: a ply of the game, and the moves from there. */
  get place() {
    const { node } = this;
    const { game, ply } = this.reel.frame;
    return { game, base: node?.base ?? ply, moves: node?.moves ?? [] };
  }

  /** Takes away a move with all behind it. */
  remove(node) {
    const { game } = node.frame;
    const siblings = node.parent ? node.parent.children : this.of(game, node.base);
    siblings.splice(siblings.indexOf(node), 1);
    if (node.parent) {
      this.show(node.parent);
    } else {
      this.show(null);
      this.main.seek(game, node.base);
    }
  }

  /** The variations of a game for a link, each as a text: `line`, the one shown, and the others. */
  shared(game) {
    const leaves = (nodes) => nodes.flatMap((node) => (node.children.length > 0 ? leaves(node.children) : [node]));
    const all = [...this.roots].filter(([key]) => key.startsWith(`${game}.`)).flatMap(([, nodes]) => leaves(nodes));
    const text = (leaf) => [leaf.base, ...leaf.moves].join('.');
    const { node, leaf } = this;
    return { line: node && text(leaf), others: all.filter((one) => !node || one !== leaf).slice(0, MOST_SHARED).map(text) };
  }
}

/** The ply and the moves of a variation in a link; `null` where it is none. */
export function readLine(text) {
  const [base, ...moves] = text.split('.');
  return /^\d+$/.test(base) && moves.length > 0 && moves.every(Boolean) ? { base: Number(base), moves } : null;
}
