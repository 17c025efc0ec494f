// Shows the other players' moves one after the other, at a pace that a reader can follow.

import { h } from './dom.js';

/** Milliseconds from one move to the next, by the name of the pace. */
export const PACES = Object.fromEntries([['off', 0], ['quick', 250], ['normal', 500], ['slow', 1000]]);
/** Maximum number of pending messages: a page that falls further behind shows all of them at once. */
const MOST_WAITING = 128;
/** Maximum delay of all pending moves while the reader's clock runs, in milliseconds and as a part of the remaining time. */
const MOST_LATE_MS = 500;
const LATE_PART = 0.05;
/** The same before a question or the end of a game where no clock of the reader runs, in milliseconds. */
const MOST_BEHIND_MS = 2000;

/** The pace for players or for watchers. The default is `off` for watchers and for readers who prefer reduced motion. */
export function paceOf({ paces }, place) {
  const isCalm = globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches ?? true;
  return paces?.[place] ?? (place === 'play' && !isCalm ? 'normal' : 'off');
}

/** The selection of a pace. */
export const paceField = (app, place) => h('label', { key: 'pace', class: 'field inline' }, h('span', {}, app.t('pace.label')),
  h('select', { value: paceOf(app.settings, place), onchange(event) { app.settings.choosePace(place, event.target.value); app.redraw(); } }, Object.keys(PACES).map((one) => h('option', { key: one, value: one }, app.t(`pace.${one}`)))));

export class Pace {
  /** `show` takes each message in its turn; `every` gives the milliseconds between two moves; `now` is a clock in ms. */
  constructor(show, every, now = () => performance.now()) {
    Object.assign(this, { show, every, now, you: null, missed: 0, waiting: [], last: -Infinity, rush: Infinity, timer: null, at: null });
  }

  /** Takes a message. The reader's own moves and missed messages wait only for the messages before them. */
  take(message) {
    // A new table and an error end all delays.
    if (message.type === 'table' || message.type === 'error') this.skip();
    if (message.type === 'table') Object.assign(this, { you: message.you, missed: message.missed ?? 0 });
    const isMissed = this.missed > 0 && ['frame', 'result'].includes(message.type);
    if (isMissed) this.missed -= 1;
    const at = message.type === 'frame' ? `${message.game}.${message.ply}` : this.at;
    const isAgain = message.type === 'frame' && at === this.at;
    this.at = at;
    const isPaced = message.type === 'frame' && Boolean(message.move) && !isAgain && !isMissed && message.players?.[message.seat] !== this.you;
    // Clocks count from the arrival of the message.
    this.waiting.push({ message: { ...message, at: this.now() }, isPaced });
    if (message.type === 'ask' || message.type === 'result') {
      const most = typeof message.left_ms === 'number' ? Math.min(MOST_LATE_MS, LATE_PART * message.left_ms) : MOST_BEHIND_MS;
      this.rush = Math.min(this.rush, most / this.waiting.filter((one) => one.isPaced).length);
    }
    if (this.waiting.length > MOST_WAITING) this.skip();
    else this.run();
  }

  get isWaiting() {
    return this.waiting.length > 0;
  }

  /** Shows all pending messages. */
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

  /** Discards all pending messages. */
  close() {
    clearTimeout(this.timer);
    this.waiting = [];
  }
}
