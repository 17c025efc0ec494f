// The page for a hall: boards and leagues in large type, with nothing to click.

import { Connection } from '../connection.js';
import { h } from '../dom.js';
import { Courses } from './course.js';
import { leagueNode } from './league.js';
import { tableCard } from './watch.js';

const TURN_MS = 12_000;

export function wall(app, source) {
  const { t } = app;
  const state = { tables: [], leagues: [], at: 0, net: null };
  const courses = new Courses();
  const connection = new Connection({ type: 'watch', source: null, match: null }, (message) => {
    if (message.type === 'lobby') {
      state.tables = (message.tables ?? []).filter((one) => source === null || String(one.source) === source);
      state.leagues = message.leagues ?? [];
      courses.note(state.leagues);
    }
    app.redraw();
  }, (net) => {
    state.net = net;
    app.redraw();
  });
  // More tables than a wall holds are shown in turns.
  const perWall = () => (window.innerWidth > 1500 ? 6 : window.innerWidth > 900 ? 4 : 2);
  const timer = setInterval(() => {
    state.at += 1;
    app.redraw();
  }, TURN_MS);
  return {
    isBare: true,
    get title() { return t('wall'); },
    draw() {
      const playing = state.tables.filter((one) => one.state === 'playing');
      const all = playing.length > 0 ? playing : state.tables;
      const count = perWall();
      const parts = Math.max(1, Math.ceil(all.length / count));
      const part = state.at % parts;
      const league = state.leagues.length > 0 ? state.at % state.leagues.length : 0;
      // There is room for the course or the cross table.
      const hasCourse = Math.floor(state.at / Math.max(1, state.leagues.length)) % 2 === 1;
      return h('main', { id: 'main', key: 'wall', class: 'wall' },
        h('h1', { class: 'unseen' }, t(playing.length > 0 || all.length === 0 ? 'watch.lead' : 'watch.finished')),
        state.net === 'lost' ? h('p', { class: 'wall-lost bad' }, t('net.lost')) : null,
        all.length === 0 ? h('p', { class: 'wall-none' }, t('watch.none')) : h('div', { class: 'wall-tables' }, all.slice(part * count, (part + 1) * count).map((one) => tableCard(app, one, true))),
        state.leagues.length > 0 ? h('div', { class: 'wall-league' }, leagueNode(app, state.leagues[league], league, hasCourse ? courses.of(state.leagues[league]) : null, !hasCourse)) : null);
    },
    close() {
      clearInterval(timer);
      connection.close();
    },
  };
}
