// How the points or ratings of a league have gone while the page was open.

import { h } from '../dom.js';

/** Most moments that are kept of a league; every other one is dropped beyond. */
const MOST = 240;
/** Most lines of the chart. */
const LINES = 8;
const [WIDTH, HEIGHT] = [320, 120];

/** What each entrant has, by name: points where the league counts them, else ratings. */
export function figures(league) {
  const groups = league.groups ?? [];
  const rows = groups.length > 0 ? groups.flatMap((group) => group.entrants.map((one) => [one.name, one.points]))
    : (league.entrants ?? []).map((one) => [one.name, one.rating]);
  return new Map(rows.filter(([, figure]) => typeof figure === 'number'));
}

export class Course {
  moments = [];

  /** Takes in how the league stands. A league that was begun again, or a stage with other points, begins a new course. */
  note(league) {
    const values = figures(league);
    const at = league.fixtures;
    const last = this.moments.at(-1);
    if (typeof at !== 'number' || values.size === 0 || last?.at === at) return;
    const unit = (league.groups ?? []).length > 0 ? 'points' : 'rating';
    if (last && (last.at > at || last.unit !== unit)) this.moments = [];
    this.moments.push({ at, unit, values });
    if (this.moments.length > MOST) this.moments = this.moments.filter((_, index) => index % 2 === 0 || index === MOST);
  }

  /** The lines of the first entrants, as `{name, points: [x, y][]}` within the chart; none before there are three moments. */
  lines() {
    if (this.moments.length < 3) return [];
    const first = [...this.moments.at(-1).values].sort(([, a], [, b]) => b - a).slice(0, LINES).map(([name]) => name);
    const all = this.moments.flatMap(({ values }) => first.map((name) => values.get(name)).filter((value) => value !== undefined));
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const [from, to] = [this.moments[0].at, this.moments.at(-1).at];
    const place = (value, least, most, length) => (most > least ? ((value - least) / (most - least)) * length : length / 2);
    return first.map((name) => ({
      name,
      points: this.moments.filter(({ values }) => values.has(name))
        .map(({ at, values }) => [place(at, from, to, WIDTH), HEIGHT - place(values.get(name), low, high, HEIGHT)]),
    }));
  }

  /** The chart, whose figures stand in the table beside it. */
  draw({ t }) {
    const lines = this.lines();
    if (lines.length === 0) return null;
    const title = t(this.moments.at(-1).unit === 'points' ? 'watch.points' : 'watch.rating');
    return h('figure', { class: 'course' }, h('figcaption', {}, t('watch.course', { what: title })),
      h('svg', { viewBox: `-4 -6 ${WIDTH + 8} ${HEIGHT + 12}`, 'aria-hidden': 'true', preserveAspectRatio: 'none' },
        lines.map(({ name, points }, index) => h('polyline', { key: name, class: `course-line line${index}`, points: points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ') }))),
      h('ul', { 'aria-hidden': 'true' }, lines.map(({ name }, index) => h('li', { key: name, class: `line${index}` }, name))));
  }
}

/** The courses of leagues, by what each league is. */
export class Courses {
  all = new Map();

  note(leagues) {
    for (const league of leagues) this.of(league).note(league);
  }

  of(league) {
    const key = `${league.source ?? ''} ${league.title}`;
    if (!this.all.has(key)) this.all.set(key, new Course());
    return this.all.get(key);
  }
}
