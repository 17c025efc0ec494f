// The frames of a match: one model for live play, watching, replay and the scrubber.

const MOST_TURNS = 5;
/** Values go from -1, a loss, to 1, a win; what turns a game changes one by so much. */
const LEAST_SWING = 0.3;
/** How grave the others are, among swings. */
const WEIGHTS = { timeout: 2, revolution: 1, capture: 0.5 };

export class Reel {
  constructor() {
    this.frames = [];
    this.results = new Map();
    this.thoughts = new Map();
    this.index = -1;
    this.live = true;
  }

  /** Takes a frame in. It replaces the frame of the same ply and all after it: a game taken back, or sent anew. */
  add(frame) {
    const at = this.frames.findIndex((old) => old.game > frame.game || (old.game === frame.game && old.ply >= frame.ply));
    if (at >= 0) {
      this.frames.length = at;
      for (const game of this.results.keys()) if (game >= frame.game) this.results.delete(game);
    }
    // What a bot thinks may come before the move.
    this.frames.push({ ...this.thoughts.get(`${frame.game}.${frame.ply}`), ...frame });
    if (this.live || this.index >= this.frames.length) this.index = this.frames.length - 1;
  }

  /** Takes in what a bot thought of the move that leads to a ply. */
  think({ game, ply, thought, value }) {
    this.thoughts.set(`${game}.${ply}`, { thought, value });
    const frame = this.frames.find((one) => one.game === game && one.ply === ply);
    if (frame) Object.assign(frame, { thought, value });
  }

  /**
   * Puts the frames of the record of a game, which hide nothing, in the place of those of a seat. A game whose moves were
   * taken back is recorded from there on.
   */
  unveil(game, frames) {
    const { frame, isAtEnd } = this;
    const first = this.firstOf(game);
    if (first < 0 || frames.length === 0) return;
    const wasLast = this.index === this.lastOf(game);
    const earlier = this.frames.slice(first, this.lastOf(game) + 1).filter((one) => one.ply < frames[0].ply);
    // The first of them has no move in the record.
    const [head, ...rest] = frames;
    const same = this.frames.find((one) => one.game === game && one.ply === head.ply);
    const { seat, move, used_ms, thought, value } = same ?? head;
    const begun = earlier.length > 0 ? { ...head, seat, move, used_ms, thought, value } : head;
    this.frames.splice(first, this.lastOf(game) - first + 1, ...earlier, begun, ...rest);
    if (isAtEnd) this.index = this.frames.length - 1;
    // A seat is not told of every ply, and its reader goes on looking at the end of the game.
    else if (wasLast) this.show(this.lastOf(game));
    else this.seek(frame.game, frame.ply);
  }

  addResult(result) {
    this.results.set(result.game, result);
  }

  /** All of a finished match: `games` as a record has them. */
  static ofRecord(games) {
    const reel = new Reel();
    reel.live = false;
    for (const game of games) reel.put(game);
    reel.index = reel.frames.length > 0 ? 0 : -1;
    return reel;
  }

  /** Puts the frames of a game between those of the others; a long record has some games without theirs. */
  put({ game, frames, result }) {
    if (result) this.addResult(result);
    const after = this.frames.findIndex((frame) => frame.game > game);
    if (frames) this.frames.splice(after < 0 ? this.frames.length : after, 0, ...frames);
  }

  get frame() {
    return this.frames[this.index] ?? null;
  }

  get last() {
    return this.frames[this.frames.length - 1] ?? null;
  }

  get isAtEnd() {
    return this.index >= this.frames.length - 1;
  }

  /** The result of the game shown, once its last frame is shown. */
  get result() {
    const { frame } = this;
    if (!frame || this.frames[this.index + 1]?.game === frame.game) return null;
    return this.results.get(frame.game) ?? null;
  }

  /** Frames of the game shown up to the one shown. */
  get history() {
    const { frame } = this;
    return frame ? this.frames.slice(0, this.index + 1).filter((one) => one.game === frame.game) : [];
  }

  /** All frames of the game shown. */
  get gameFrames() {
    const { frame } = this;
    return frame ? this.frames.filter((one) => one.game === frame.game) : [];
  }

  get games() {
    return [...new Set(this.frames.map((frame) => frame.game))];
  }

  /** Shows a frame by index; at the last one a live reel follows again. */
  show(index) {
    this.index = Math.max(0, Math.min(this.frames.length - 1, index));
    this.live = this.index === this.frames.length - 1;
  }

  step(by) {
    this.show(this.index + by);
  }

  /** Shows a ply of a game, or the nearest before it. */
  seek(game, ply) {
    let found = 0;
    this.frames.forEach((frame, index) => {
      if (frame.game < game || (frame.game === game && frame.ply <= ply)) found = index;
    });
    this.show(found);
  }

  /** The first frame of the game shown, or of a neighbour. */
  firstOf(game) {
    return this.frames.findIndex((frame) => frame.game === game);
  }

  lastOf(game) {
    return this.frames.findLastIndex((frame) => frame.game === game);
  }

  /**
   * What has turned the game shown: `{index, seat, kind, by}`, the gravest first, at most `MOST_TURNS`. A swing is a change of
   * what a seat thinks of its own chances, from one of its moves to the next; with two at the table the move between has made
   * it, and `by` counts for its mover. The values of an engine that was `asked`, by ply as `{seat, value}`, stand in the place of
   * what the seats thought. The others are what `notable(frame, before)` names, and seats that ran out of time.
   */
  highlights(notable = () => null, asked = new Map()) {
    const values = new Map();
    const found = [];
    const late = new Set();
    const add = (index, seat, kind, by = null) => found.push({ index, seat, kind, by });
    const outOfTime = (index, seat) => {
      if (!late.has(seat)) add(index, seat, 'timeout');
      late.add(seat);
    };
    const game = this.frame?.game;
    this.frames.forEach((frame, index) => {
      if (frame.game !== game) return;
      for (const out of frame.outs ?? []) if (out.end === 'timeout') outOfTime(index, out.seat);
      const { seat } = frame;
      if (seat === null || seat === undefined) return;
      const before = this.frames[index - 1];
      const kind = notable(frame, before);
      if (kind) add(index, seat, kind);
      const own = asked.get(frame.ply - 1)?.value;
      const next = asked.get(frame.ply);
      if (asked.size > 0 && frame.players?.length === 2) {
        if (typeof own !== 'number' || typeof next?.value !== 'number') return;
        const made = (next.seat === seat ? next.value : -next.value) - own;
        if (Math.abs(made) >= LEAST_SWING) add(index, seat, 'swing', made);
        return;
      }
      const value = asked.size > 0 ? own : 'value' in frame ? frame.value : frame.thought?.value;
      if (typeof value !== 'number') return;
      const by = values.has(seat) ? value - values.get(seat) : 0;
      values.set(seat, value);
      if (Math.abs(by) < LEAST_SWING) return;
      const isAnswer = frame.players?.length === 2 && before.seat === 1 - seat;
      add(isAnswer ? index - 1 : index, isAnswer ? before.seat : seat, 'swing', isAnswer ? -by : by);
    });
    const result = this.results.get(game);
    if (result?.end === 'timeout' && typeof result.by === 'number') outOfTime(this.lastOf(game), result.by);
    const weight = (one) => WEIGHTS[one.kind] ?? Math.abs(one.by);
    return found.sort((a, b) => weight(b) - weight(a) || a.index - b.index).slice(0, MOST_TURNS);
  }
}
