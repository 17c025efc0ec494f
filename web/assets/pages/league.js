// A league that is watched: its tables, and what entrants are marked with.

import { h } from '../dom.js';

/** What is good and what is bad of an entrant: that it is here or plays; that it is out, set aside, missing, and its faults. */
function marksOf(app, one) {
  const { t } = app;
  const isThere = one.state === 'here' || one.state === 'playing';
  const bad = [
    one.disqualified ? t('watch.disqualified') : null,
    one.set_aside ? t('watch.aside') : null,
    one.state === 'missing' ? t('watch.state.missing') : null,
    one.faults > 0 ? t('watch.faults', { n: one.faults }) : null,
  ];
  return { good: isThere ? [t(`watch.state.${one.state}`)] : [], bad: bad.filter((text) => text !== null) };
}

/** All of it, as texts. */
export function marks(app, one) {
  const { good, bad } = marksOf(app, one);
  return [...good, ...bad];
}

/** Half the width of an interval that tells nothing: 400 points are odds of ten to one. */
const WIDEST = 400;

/** Half the width of the interval of a rating as it is drawn. */
export const half = (one) => Math.min(WIDEST, one.half_width ?? 0);

/** Half the width of the interval of a rating, as a text. */
export function interval(app, { rating, half_width: width }) {
  if (typeof rating !== 'number') return '';
  if (width === null) return app.t('watch.noInterval');
  if (width > WIDEST) return app.t('watch.wide');
  return width > 0 ? `±${Math.round(width)}` : '';
}

/** An entrant in a table, with its marks. */
function nameCell(app, one) {
  const { good, bad } = marksOf(app, one);
  const small = (name, texts) => (texts.length > 0 ? h('small', { class: name }, ` ${texts.join(', ')}`) : null);
  return h('th', { scope: 'row' }, one.name, small('quiet', good), small('bad', bad));
}

/** The name of a group: the organiser's, or that of a stage to which the league's file gives none. */
function groupName({ t }, name) {
  const number = /^groups (\d+)$/.exec(name)?.[1];
  if (number !== undefined) return t('watch.group', { n: number });
  return name === 'first stage' ? t('watch.first') : name || t('watch.table');
}

/** The groups of a stage, each by points. */
function groupNodes(app, league) {
  const { t } = app;
  const known = new Map((league.entrants ?? []).map((one) => [one.name, one]));
  return h('div', { class: 'groups' }, league.groups.map((group, index) => h('table', { key: `group${index}`, class: 'points' }, h('caption', {}, groupName(app, group.name)),
    h('thead', {}, h('tr', {}, h('td', {}), h('th', { scope: 'col', class: 'number' }, t('watch.points')), h('th', { scope: 'col', class: 'number' }, t('watch.games')))),
    h('tbody', {}, group.entrants.map((row) => h('tr', { key: row.name }, nameCell(app, known.get(row.name) ?? row),
      h('td', { class: 'number' }, row.points), h('td', { class: 'number quiet' }, row.games)))))));
}

/** What draws the rating of one of these entrants with its interval as a bar, all on one scale. */
export function ratingBars(entrants) {
  const rated = entrants.filter((one) => typeof one.rating === 'number');
  const low = Math.min(...rated.map((one) => one.rating - half(one)));
  const high = Math.max(...rated.map((one) => one.rating + half(one)));
  const at = (value) => (high > low ? (100 * (value - low)) / (high - low) : 50);
  return (one) => h('svg', { class: 'rating', viewBox: '-3 0 106 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    h('path', { class: 'rating-line', d: 'M0 4H100' }),
    h('rect', { class: 'rating-bar', x: at(one.rating - half(one)), y: 2, width: Math.max(0.8, at(one.rating + half(one)) - at(one.rating - half(one))), height: 4, rx: 1 }),
    h('rect', { class: 'rating-dot', x: at(one.rating) - 0.5, y: 0.5, width: 1, height: 7 }));
}

/** A league: how far it is, the tables of its groups or ratings with bars of their intervals, their course, the cross table, and the next pairings. */
export function leagueNode(app, league, index, course = null, hasCross = true) {
  const { t } = app;
  const entrants = league.entrants ?? [];
  const hasGroups = (league.groups ?? []).length > 0;
  const bar = ratingBars(entrants);
  const cross = league.cross ?? [];
  const next = league.next ?? [];
  return h('section', { key: `league${league.source ?? index}`, class: 'league' },
    h('div', { class: 'league-head' }, h('h2', {}, league.title || t('watch.leagues')),
      typeof league.fixtures === 'number' ? h('span', { class: 'quiet' }, typeof league.scheduled === 'number' ? t('watch.fixtures', { n: league.fixtures, of: league.scheduled }) : t('watch.fixturesOpen', { n: league.fixtures })) : null,
      typeof league.paused === 'string' ? h('strong', { class: 'paused' }, league.paused === '' ? t('watch.paused') : t('watch.pausedFor', { why: league.paused })) : null),
    hasGroups ? groupNodes(app, league) : h('table', { class: 'ratings' }, h('caption', {}, t('watch.rating')), h('tbody', {}, entrants.map((one) => h('tr', { key: one.name },
      nameCell(app, one),
      h('td', { class: 'number' }, typeof one.rating === 'number' ? Math.round(one.rating) : '–'),
      h('td', { class: 'number quiet' }, interval(app, one)),
      h('td', { class: 'rating-cell' }, typeof one.rating === 'number' ? bar(one) : null))))),
    course?.draw(app) ?? null,
    hasCross && cross.length > 0 && (league.groups ?? []).length < 2 ? h('div', { class: 'scrolls' }, h('table', { class: 'cross' }, h('caption', {}, t('watch.cross')),
      h('thead', {}, h('tr', {}, h('td', {}), entrants.map((one, x) => h('th', { key: one.name, scope: 'col', title: one.name }, h('span', { class: 'unseen' }, one.name), h('span', { 'aria-hidden': 'true' }, x + 1))))),
      h('tbody', {}, cross.map((row, y) => h('tr', { key: y }, h('th', { scope: 'row' }, h('small', { class: 'quiet', 'aria-hidden': 'true' }, `${y + 1} `), entrants[y]?.name ?? ''),
        row.map((value, x) => h('td', { key: x, class: value === null ? (x === y ? 'self' : '') : `share${Math.round(value * 4)}` }, value === null ? '' : value.toFixed(2).replace(/^0/, '')))))))) : null,
    next.length > 0 ? h('div', { class: 'league-next' }, h('h3', {}, t('watch.next')), h('ul', {}, next.map((names, y) => h('li', { key: y }, names.join(' – '))))) : null);
}
