// The page for a hall: boards, leagues and highlights in large type, in turns and with nothing to choose.

import { BOARDS, stillContext } from '../boards/index.js';
import { Connection, api } from '../connection.js';
import { h } from '../dom.js';
import { called } from '../stage.js';
import { Courses } from './course.js';
import { leagueNode } from './league.js';
import { tableCard } from './watch.js';

/** The kinds that the page has words for. */
export const KINDS = ['upset', 'comeback', 'closest', 'longest', 'shortest'];

/** Where a highlight leads to. */
export const addressOf = (one) => `/w/${encodeURIComponent(one.source)}/${one.match}#game=${one.game_no}&ply=${one.ply}`;

/** Names from the first place to the last. */
export function ranked(one) {
  const seats = one.seats.map((player, seat) => ({ name: one.players[player], place: one.places[seat] ?? 0 }));
  return seats.sort((a, b) => a.place - b.place);
}

/** Why it is one, in words. */
export function reason(t, one) {
  const n = Math.round(one.measure);
  if (one.kind === 'comeback') return t(`highlight.comeback.${one.game === 'daihinmin' ? 'cards' : 'points'}`, { n });
  if (one.kind === 'closest' && n === 0) return t('highlight.level');
  return t(`highlight.why.${one.kind}`, { n });
}

export function highlightCard(app, one, isBig = false) {
  const { t } = app;
  const names = one.seats.map((player) => called(t, one.players[player]));
  const rows = ranked(one);
  const isWon = rows.length > 1 && rows[0].place < rows[1].place;
  return h('a', { key: `highlight ${addressOf(one)} ${one.kind}`, class: `highlight${isBig ? ' big' : ''}`, href: addressOf(one), onclick: app.follow },
    h('div', { class: 'highlight-text' },
      h('p', { class: 'highlight-kind' }, t(`highlight.${one.kind}`)),
      h('p', { class: 'highlight-who' }, rows.map(({ name }, index) => [index > 0 ? h('span', {}, ' – ') : null, h(index === 0 && isWon ? 'strong' : 'span', {}, called(t, name))])),
      h('p', {}, reason(t, one)),
      h('p', { class: 'quiet' }, t('highlight.at', { n: one.ply }))),
    h('div', { class: 'thumb' }, BOARDS[one.game].draw(stillContext({ t, views: one.views, names, frame: { to_move: one.to_move } }))));
}

const TURN_MS = 12_000;
/** How long no game is played before the tables that are over leave the wall, so that they stay in the pause between two games. */
const QUIET_MS = 3000;

/** What stands under the ratings in a turn: the cross table, the course, or a highlight of so many, by its index. */
export function turnOf(turn, highlights) {
  const all = highlights > 0 ? ['cross', 'highlight', 'course', 'highlight'] : ['cross', 'course'];
  const what = all[turn % all.length];
  // Every second turn has one.
  return { what, highlight: what === 'highlight' ? Math.floor(turn / 2) % highlights : null };
}

export function wall(app, source) {
  const { t } = app;
  const state = { tables: [], leagues: [], highlights: [], at: 0, isQuiet: false, net: null };
  let quiet = null;
  const isPlaying = (one) => one.state === 'playing';
  const courses = new Courses();
  const connection = new Connection({ type: 'watch', source: null, match: null }, (message) => {
    if (message.type === 'lobby') {
      state.tables = (message.tables ?? []).filter((one) => source === null || String(one.source) === source);
      state.leagues = (message.leagues ?? []).filter((one) => source === null || one.source === source);
      if (state.tables.some(isPlaying)) {
        clearTimeout(quiet);
        quiet = null;
        state.isQuiet = false;
      } else {
        quiet ??= setTimeout(() => {
          state.isQuiet = true;
          app.redraw();
        }, QUIET_MS);
      }
      courses.note(state.leagues);
    }
    app.redraw();
  }, (net) => {
    state.net = net;
    app.redraw();
  });
  // More tables than a wall holds are shown in turns.
  const perWall = () => (window.innerWidth > 1500 ? 6 : window.innerWidth > 900 ? 4 : 2);
  const look = () => api('/api/highlights').then((all) => {
    state.highlights = all.filter((one) => KINDS.includes(one.kind) && (source === null || one.source === source));
    app.redraw();
  }, () => { /* They come with the next turn. */ });
  look();
  const timer = setInterval(() => {
    state.at += 1;
    look();
    app.redraw();
  }, TURN_MS);
  return {
    isBare: true,
    get title() { return t('wall'); },
    draw() {
      const playing = state.tables.filter(isPlaying);
      const all = playing.length > 0 ? playing : state.tables;
      const count = perWall();
      const parts = Math.max(1, Math.ceil(all.length / count));
      const part = state.at % parts;
      const league = state.leagues.length > 0 ? state.at % state.leagues.length : 0;
      // Beside the tables there is room for one of these at a time.
      const shown = turnOf(Math.floor(state.at / Math.max(1, state.leagues.length)), state.highlights.length);
      const highlight = shown.highlight === null ? null : state.highlights[shown.highlight];
      // Between games a highlight takes the place of the tables that are over, every other turn.
      const isBetween = state.isQuiet && state.highlights.length > 0 && (all.length === 0 || state.at % 2 === 0);
      const big = isBetween ? state.highlights[Math.floor(state.at / 2) % state.highlights.length] : null;
      return h('main', { id: 'main', key: 'wall', class: 'wall' },
        h('h1', { class: 'unseen' }, t(playing.length > 0 || all.length === 0 ? 'watch.lead' : 'watch.finished')),
        state.net === 'lost' ? h('p', { class: 'wall-lost bad' }, t('net.lost')) : null,
        big ? highlightCard(app, big, true)
          : all.length === 0 ? h('p', { class: 'wall-none' }, t('watch.none')) : h('div', { class: 'wall-tables' }, all.slice(part * count, (part + 1) * count).map((one) => tableCard(app, one, true))),
        state.leagues.length > 0 ? h('div', { class: 'wall-league' },
          leagueNode(app, state.leagues[league], league, shown.what === 'course' ? courses.of(state.leagues[league]) : null, shown.what === 'cross'),
          highlight && !big ? highlightCard(app, highlight) : null) : null);
    },
    close() {
      clearInterval(timer);
      clearTimeout(quiet);
      connection.close();
    },
  };
}
