// The list of finished matches, and of leagues with a report; and a way to bring one.

import { api } from '../connection.js';
import { h } from '../dom.js';
import { called, scoreText } from '../stage.js';
import { importer } from './import.js';
import { ladderList } from './ladder.js';

/** The players of a record, with their points once the match is over. */
export function playersText(app, { players = [], scores }) {
  if (scores) return scoreText(app, { table: { players: players.map((name) => ({ name })), you: null } }, scores);
  return players.map((name) => called(app.t, name)).join(' – ');
}

export function records(app) {
  const { t } = app;
  let list = null;
  let leagues = [];
  let failed = null;
  const brought = importer(app);
  const ladders = ladderList(app);
  api('/api/records').then((found) => { list = found; app.redraw(); }, (error) => { failed = error.status ? error.message : t('home.noServer'); app.redraw(); });
  // Where they do not come the games are shown alone.
  api('/api/leagues').then((found) => { leagues = found; app.redraw(); }, () => {});
  const when = (text) => {
    const date = new Date(text);
    return Number.isNaN(date.getTime()) ? String(text ?? '') : date.toLocaleString(app.settings.language, { dateStyle: 'medium', timeStyle: 'short' });
  };
  return {
    get title() { return t('records'); },
    draw: () => h('main', { id: 'main', key: 'main', class: 'page' },
      h('div', { class: 'heading' }, h('h1', {}, t('records'))),
      brought.draw(),
      failed ? h('p', { class: 'bad' }, app.reason(failed)) : null,
      ladders(),
      leagues.length > 0 ? h('section', { class: 'record-leagues' }, h('h2', {}, t('watch.leagues')), h('ul', { class: 'record-list' }, leagues.map((one) => h('li', { key: one.name }, h('a', { href: `/leagues/${encodeURIComponent(one.name)}/report.html` },
        h('b', {}, t('records.league')), h('span', {}, one.title), h('small', {}, when(one.when))))))) : null,
      list?.length === 0 && leagues.length === 0 ? h('p', { class: 'quiet' }, t('records.none')) : null,
      list?.length > 0 ? h('ul', { class: 'record-list' }, list.map((one) => h('li', { key: one.id }, h('a', { href: `/g/${encodeURIComponent(one.id)}`, onclick: app.follow },
        h('b', {}, t(`game.${one.game}`)), h('span', {}, playersText(app, one)), h('small', {}, [when(one.when), one.played ?? one.games ? t('records.games', { n: one.played ?? one.games }) : ''].filter(Boolean).join(' · ')))))) : null),
    close: () => brought.close(),
  };
}
