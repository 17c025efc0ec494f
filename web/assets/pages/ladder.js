// A ladder: its table, and each of its entrants.

import { api } from '../connection.js';
import { h } from '../dom.js';
import { sentences } from '../i18n/reasons.js';
import { HEIGHT, PAD, width } from '../values.js';
import { USUAL_THINK, copyRow, request } from './home.js';
import { half, interval, ratingBars } from './league.js';

const REFRESH_MS = 5000;
const REASONS = sentences([
  ['others are before it, or all tables are taken', '順番待ち、または空いている卓がありません'],
  ['(?<n>\\d+) more within (?<reach>\\d+) rating points are needed', 'レーティング差{reach}以内の相手があと{n}人必要です'],
  ['(?<n>\\d+) more within (?<reach>\\d+) rating points are needed; the house sits down in (?<s>\\d+) s', 'レーティング差{reach}以内の相手があと{n}人必要です。{s}秒後にハウスが座ります'],
  ['it has left (?<n>\\d+) tables today, and waits (?<s>\\d+) s more', '今日{n}回離席したため、あと{s}秒待ちます'],
  ['there is no such ladder', 'そのラダーはありません。'], ['the ladder has rated no such entrant', 'その参加者はいないか、まだ対局していません。'],
  ["the ladder's file is not whole, try again in some seconds: .*", 'ラダーのファイルを書き込み中です。数秒後にもう一度お試しください。'],
]);
const encoded = encodeURIComponent;

/** The ladders of the gateway, for another page. */
export function ladderList(app) {
  let all = [];
  // Where they do not come the page stands without them.
  api('/api/ladders').then((found) => { all = found; app.redraw(); }, () => {});
  return () => (all.length === 0 ? null : h('section', { key: 'ladders', class: 'record-leagues' }, h('h2', {}, app.t('ladder.all')), h('ul', { class: 'record-list' }, all.map((one) => h('li', { key: one.name }, h('a', { href: `/ladder/${encoded(one.name)}`, onclick: app.follow, style: { 'grid-template-columns': '1fr' } }, h('b', {}, one.title)))))));
}

/** A table whose first cell of a row is its heading. */
const tableOf = (name, heads, rows) => h('table', { class: name }, h('thead', {}, h('tr', {}, heads.map((head, at) => h(head === '' ? 'td' : 'th', { key: at, scope: head === '' ? null : 'col', class: at > 0 ? 'number' : '' }, head)))),
  h('tbody', {}, rows.map(([key, first, ...cells]) => h('tr', { key }, h('th', { scope: 'row' }, first), cells.map((cell, at) => h('td', { key: at, class: 'number' }, cell))))));

/** The course of a rating and of its interval over days; its figures stand in the table below. */
function course(app, history) {
  const { t } = app;
  if (history.length < 2) return null;
  const [wide, times] = [width(), history.map(({ day }) => Date.parse(day))];
  const edge = (sign) => history.map((one) => one.rating + sign * half(one));
  const [low, high] = [Math.min(...edge(-1)), Math.max(...edge(1))];
  const points = (values) => values.map((value, at) => `${(PAD + ((times[at] - times[0]) / Math.max(1, times.at(-1) - times[0])) * (wide - 2 * PAD)).toFixed(1)},${(PAD + ((high - value) / Math.max(1, high - low)) * (HEIGHT - 2 * PAD)).toFixed(1)}`);
  return h('figure', { class: 'value-graph', style: { 'max-width': '720px' } }, h('figcaption', {}, t('ladder.course'), ' ', h('small', {}, `${history[0].day} – ${history.at(-1).day}`)),
    h('svg', { viewBox: `0 0 ${wide} ${HEIGHT}`, 'aria-hidden': 'true' },
      h('polygon', { class: 'rating-bar', points: [...points(edge(1)), ...points(edge(-1)).reverse()].join(' ') }), h('polyline', { class: 'graph-line line0', points: points(edge(0)).join(' ') }),
      [high, low].map((value, at) => h('text', { key: at, class: 'graph-scale', x: PAD + 2, y: at === 0 ? PAD + 8 : HEIGHT - 4 }, Math.round(value)))),
    h('details', { class: 'value-table' }, h('summary', {}, t('value.table')), h('div', { tabindex: 0, role: 'region', 'aria-label': t('value.table') },
      tableOf('points', [t('ladder.day'), t('watch.rating'), t('ladder.interval'), t('watch.games')], history.map((one) => [one.day, one.day, Math.round(one.rating), interval(app, one), one.games]).reverse()))));
}

/** `/ladder/LADDER`, and `/ladder/LADDER/NUMBER` of an entrant. */
export function ladder(app, name, number) {
  const { t } = app;
  const path = `/api/ladders/${encoded(name)}`;
  const badge = { path: `${path}/entrants/${encoded(number)}` };
  let [state, entrant, failed, refused] = [null, null, null, null];
  const reason = (error) => (error.status ? app.reason(error.message, undefined, REASONS) : t('home.noServer'));
  const look = async () => {
    if (document.hidden) return;
    try {
      [state, entrant] = await Promise.all([api(path), number === null ? null : api(badge.path)]);
      failed = null;
    } catch (error) {
      failed = reason(error);
    }
    app.redraw();
  };
  /** Makes a table against the engine of an entrant, as the form for a new table does, or at the ladder. */
  const play = async ({ engine, number: of }) => {
    try {
      const { seats, levels } = (await api('/api/games')).find((one) => one.name === state.game);
      const others = Array(seats - 1).fill({ kind: 'bot', spec: engine, think: levels.includes(engine) ? null : USUAL_THINK });
      const { table, tokens: [{ token }] } = await (engine ? api('/api/tables', request({ game: state.game, seat: 0, others, games: 1, practice: true, clock: null, listed: null }, seats)) : api(`${path}/entrants/${of}/tables`, {}));
      app.go(`/t/${encoded(table)}#${token}`);
    } catch (error) {
      refused = reason(error);
      app.redraw();
    }
  };
  const to = (one) => h('a', { key: one.number, href: `/ladder/${encoded(name)}/${one.number}`, onclick: app.follow }, one.name);
  const button = (one) => (one?.engine || (one && state.guests && state.game !== 'geister') ? h('button', { type: 'button', 'aria-label': t('ladder.playWith', { who: one.name }), onclick: () => play(one) }, t('play')) : null);
  const rated = (one) => `${Math.round(one.rating)} ${interval(app, one)}`;
  const faults = (one) => Object.values(one.faults).reduce((sum, n) => sum + n, 0);
  const whole = () => {
    const bar = ratingBars(state.rows);
    const port = state.game === 'geister' ? null : Object.values(state.connects_to)[0]?.split(':').at(-1);
    return [
      h('section', { class: 'league' }, h('div', { class: 'scrolls' }, tableOf('ratings', [t('ladder.entrant'), t('ladder.rank'), t('watch.rating'), '', t('watch.games'), t('ladder.wins'), t('ladder.faults'), ''],
        state.rows.map((one) => [one.number, [to(one), one.house ? h('small', { class: 'quiet' }, ` ${t('ladder.house')}`) : null], one.rank ?? '–', rated(one), bar(one), one.games, one.wins, faults(one), button(one)])))),
      h('section', { class: 'league' }, h('div', { class: 'league-head' }, h('h2', {}, t('watch.lead')), h('a', { class: 'button', href: '/watch', onclick: app.follow }, t('watch'))),
        state.tables.length > 0 ? h('ul', {}, state.tables.map((names, at) => h('li', { key: at }, names.join(' – ')))) : h('p', { class: 'quiet' }, t('watch.none')),
        state.waiting.length > 0 ? [h('h2', {}, t('ladder.waiting')), h('ul', {}, state.waiting.map((one) => h('li', { key: one.name }, t('ladder.waits', { who: one.name, n: one.since, why: app.reason(one.why, undefined, REASONS) }))))] : null),
      h('details', { class: 'panel' }, h('summary', {}, t('ladder.connect')), h('p', {}, t('ladder.connectLead', { address: port ? `${location.hostname}:${port}` : t('ladder.ownPort') }))),
    ];
  };
  const one = () => [
    h('dl', { class: 'facts' }, [
      [t('ladder.rank'), entrant.rank ?? '–'], [t('watch.rating'), rated(entrant)], [t('watch.games'), entrant.games], [t('ladder.wins'), entrant.wins],
      [t('ladder.faults'), Object.entries(entrant.faults).map(([kind, n]) => `${t(`why.${kind}`)}: ${n}`).join(', ') || 0], [t('ladder.versions'), entrant.versions.length > 1 && entrant.versions.filter((version) => version.number !== entrant.number).map((version) => [to(version), ' '])],
    ].filter(([, value]) => value || value === 0).map(([label, value]) => h('div', { key: label }, h('dt', {}, label), h('dd', {}, value)))),
    course(app, entrant.history),
    entrant.opponents.length > 0 ? h('section', { class: 'league' }, h('div', { class: 'scrolls' }, tableOf('points', [t('home.opponents'), t('watch.games'), t('ladder.score')], entrant.opponents.map((other) => [other.number, to(other), other.games, `${Math.round(100 * other.score)}%`])))) : null,
    entrant.last.length > 0 ? h('section', { class: 'record-leagues' }, h('h2', {}, t('ladder.last')), h('ul', { class: 'record-list' }, entrant.last.filter(({ record }) => record !== null).map((game) => h('li', { key: `${game.day}:${game.record}:${game.game}` }, h('a', { href: `/g/${encoded(`${encoded(name)}:${game.day}:${game.record}`)}#game=${game.game}`, onclick: app.follow },
      h('b', {}, game.day), h('span', {}, game.seats.map((who, seat) => [game.places[seat], `${game.places[seat] + 1}. ${who}`]).sort(([a], [b]) => a - b).map(([, text]) => text).join(', ')), h('small', {}, game.fault ? t(`why.${game.fault}`) : '')))))) : null,
    h('section', { class: 'panel invite' }, h('img', { src: `${badge.path}/badge.svg`, alt: t('ladder.badge') }), h('ul', {}, copyRow(app, badge, t('ladder.badge')))),
  ];
  look();
  const timer = setInterval(look, REFRESH_MS);
  return {
    get title() { return entrant?.name ?? state?.title ?? ''; },
    draw() {
      const isThere = number === null ? state : entrant;
      if (entrant) badge.url = `[![${entrant.name.replace(/[[\]\\]/g, '\\$&')}](${location.origin}${badge.path}/badge.svg)](${location.origin}/ladder/${encoded(name)}/${number})`;
      return h('main', { id: 'main', key: `ladder${number}`, class: 'page' },
        h('div', { class: 'heading' }, h('h1', {}, entrant?.name ?? (state?.title || name)), number === null || !state ? null : button(state.rows.find((row) => row.number === entrant?.number)),
          number === null ? null : h('a', { class: 'button', href: `/ladder/${encoded(name)}`, onclick: app.follow }, state?.title || name)),
        isThere && number === null ? h('p', { class: 'quiet' }, `${t(`game.${state.game}`)} · ${t('records.games', { n: state.games })} · ${t('ladder.lead')}`) : null,
        [failed, refused].filter(Boolean).map((text) => h('p', { key: text, class: 'bad', role: 'alert' }, text)),
        isThere ? (number === null ? whole() : one()) : null);
    },
    close: () => clearInterval(timer),
  };
}
