// The moves of others, one after the other at a pace that eyes can follow.

import { h } from './dom.js';

/** Milliseconds from one move to the next, by the name of the pace. */
export const PACES = Object.fromEntries([['off', 0], ['quick', 250], ['normal', 500], ['slow', 1000]]);
/** Messages that wait at most: a page that falls further behind shows all of them. */
const MOST_WAITING = 128;
/** How long all moves that wait may take while the reader's own time runs, and which part of what is left of it. */
const MOST_LATE_MS = 500;
const LATE_PART = 0.05;

/** The pace at a table or beside it; a reader who wants less motion, and a watcher, ask for one. */
export function paceOf({ paces }, place) {
  const isCalm = globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches ?? true;
  return paces?.[place] ?? (place === 'play' && !isCalm ? 'normal' : 'off');
}

/** The choice of a pace. */
export const paceField = (app, place) => h('label', { key: 'pace', class: 'field inline' }, h('span', {}, app.t('pace.label')),
  h('select', { value: paceOf(app.settings, place), onchange(event) { app.settings.choosePace(place, event.target.value); app.redraw(); } }, Object.keys(PACES).map((one) => h('option', { key: one, value: one }, app.t(`pace.${one}`)))));

export class Pace {
  /** `show` takes each message in its turn; `every` gives the milliseconds between two moves, `now` those from any beginning. */
  constructor(show, every, now = () => performance.now()) {
    Object.assign(this, { show, every, now, you: null, missed: 0, waiting: [], last: -Infinity, rush: Infinity, timer: null });
  }

  /** Takes a message in. The reader's own moves, and what came before the reader, wait for nothing but those before them. */
  take(message) {
    // What takes the place of all before it, or tells what is wrong, is not late.
    if (message.type === 'table' || message.type === 'error') this.skip();
    if (message.type === 'table') Object.assign(this, { you: message.you, missed: message.missed ?? 0 });
    const isMissed = this.missed > 0 && ['frame', 'result'].includes(message.type);
    if (isMissed) this.missed -= 1;
    const isPaced = message.type === 'frame' && Boolean(message.move) && !isMissed && message.players?.[message.seat] !== this.you;
    // A clock runs from now on.
    this.waiting.push({ message: { ...message, at: this.now() }, isPaced });
    if (message.type === 'ask' && typeof message.left_ms === 'number') {
      this.rush = Math.min(MOST_LATE_MS, LATE_PART * message.left_ms) / this.waiting.filter((one) => one.isPaced).length;
    }
    if (this.waiting.length > MOST_WAITING) this.skip();
    else this.run();
  }

  get isWaiting() {
    return this.waiting.length > 0;
  }

  /** Shows all that waits. */
  skip() {
    while (this.isWaiting) this.next();
    this.run();
  }

  next() {
    const { message } = this.waiting.shift();
    if (message.type === 'frame') this.last = this.now();
    this.show(message);
  }

  run() {
    clearTimeout(this.timer);
    while (this.isWaiting) {
      const step = globalThis.document?.hidden || !this.waiting[0].isPaced ? 0 : Math.min(this.every(), this.rush);
      const wait = step > 0 ? this.last + step - this.now() : 0;
      if (wait > 0) {
        this.timer = setTimeout(() => this.run(), wait);
        return;
      }
      this.next();
    }
    this.rush = Infinity;
  }

  /** Shows nothing more. */
  close() {
    clearTimeout(this.timer);
    this.waiting = [];
  }
}
