// The frames of a match: one model for live play, watching, replay and the scrubber.

/** Time trouble. */
const SHORT_MS = 10_000;

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
    const earlier = this.frames.slice(first, this.lastOf(game) + 1).filter((one) => one.ply < frames[0].ply);
    // The first of them has no move in the record.
    const [head, ...rest] = frames;
    const same = this.frames.find((one) => one.game === game && one.ply === head.ply);
    const { seat, move, used_ms, thought, value } = same ?? head;
    const begun = earlier.length > 0 ? { ...head, seat, move, used_ms, thought, value } : head;
    this.frames.splice(first, this.lastOf(game) - first + 1, ...earlier, begun, ...rest);
    if (isAtEnd) this.index = this.frames.length - 1;
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
   * What is worth a look: `{index, kind, by}` in order, at most `count` swings of the movers' own values and as many
   * others: what `notable(frame, before)` names, and the first time that a seat has less than `SHORT_MS` left.
   */
  highlights(count = 5, notable = () => null) {
    const values = new Map();
    const short = new Set();
    const found = [];
    const others = [];
    this.frames.forEach((frame, index) => {
      if (frame.seat === null || frame.seat === undefined) return;
      const who = `${frame.game}.${frame.seat}`;
      const kind = notable(frame, this.frames[index - 1]);
      if (kind) others.push({ index, kind });
      const left = frame.clocks?.[frame.seat];
      if (typeof left === 'number' && left < SHORT_MS && !short.has(who)) {
        short.add(who);
        others.push({ index, kind: 'time' });
      }
      const value = 'value' in frame ? frame.value : frame.thought?.value;
      if (typeof value !== 'number') return;
      const by = values.has(who) ? value - values.get(who) : 0;
      values.set(who, value);
      if (Math.abs(by) >= 0.1) found.push({ index, kind: 'swing', by });
    });
    found.sort((a, b) => Math.abs(b.by) - Math.abs(a.by));
    return [...found.slice(0, count), ...others.slice(0, count)].sort((a, b) => a.index - b.index);
  }
}
