// Times of the seats: the server's figures, counted down between its messages.

export class Clock {
  constructor() {
    this.left = null;
    this.running = null;
    this.since = 0;
  }

  /** Takes the server's figures: times by seat, and the seat whose time runs. */
  set(left, running, now) {
    this.left = left;
    this.running = running;
    this.since = now;
  }

  /** No time runs any more; each seat keeps what it has left now. */
  stop(now) {
    this.set(this.left?.map((_, seat) => this.of(seat, now)) ?? null, null, now);
  }

  /** What a seat has left, in milliseconds; `null` without a limit. */
  of(seat, now) {
    const left = this.left?.[seat] ?? null;
    if (left === null) return null;
    return Math.max(0, this.running === seat ? left - (now - this.since) : left);
  }
}

/** `3:07`, below ten seconds `7.2`, from an hour on `1:02:07`. */
export function timeText(ms) {
  if (ms < 10_000) return (Math.floor(ms / 100) / 10).toFixed(1);
  const seconds = Math.floor(ms / 1000);
  const pad = (number) => String(number).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
}

/** The time limits of a table, as the form for a new one names them. */
export function clockText(t, clock) {
  if (!clock) return t('home.noClock');
  return clock.budget_ms ? t(clock.increment_ms ? 'home.minutes' : 'home.budget', { m: clock.budget_ms / 60_000, s: (clock.increment_ms ?? 0) / 1000 }) : t('home.perMove', { s: clock.move_ms / 1000 });
}
