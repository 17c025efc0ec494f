// The page for a hall: boards, leagues and highlights in large type, in turns and with nothing to choose.

import { Connection, api } from '../connection.js';
import { h } from '../dom.js';
import { Courses } from './course.js';
import { highlightCard, KINDS } from './highlight.js';
import { leagueNode } from './league.js';
import { tableCard } from './watch.js';

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
