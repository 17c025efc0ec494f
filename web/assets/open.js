// Tables with open seats that everybody may take.

import { clockText } from './clock.js';
import { Connection } from './connection.js';
import { h } from './dom.js';
import { called } from './stage.js';

/** The tables, each with a button to sit down. */
export function openSeats(app, tables) {
  const { t } = app;
  if (tables.length === 0) return null;
  const row = (one) => {
    const game = t(`game.${one.game}`);
    const about = [one.players.map((name) => called(t, name)).join(', '), clockText(t, one.clock), one.games > 1 ? `${t('home.games')}: ${one.games}` : null, t('open.free', { n: one.free })];
    return h('li', { key: one.table },
      h('span', {}, h('b', {}, game), h('small', {}, about.filter(Boolean).join(' · '))),
      h('a', { class: 'button', href: `/t/${encodeURIComponent(one.table)}?guest`, 'aria-label': `${t('home.sit')}: ${game}`, onclick: app.follow }, t('home.sit')));
  };
  return h('section', { key: 'open', class: 'own-tables' }, h('h2', {}, t('open.lead')), h('ul', {}, tables.map(row)));
}

/** The same for a page that shows nothing else of the lobby: as the gateway tells it. */
export function openLobby(app) {
  let tables = [];
  const connection = new Connection({ type: 'watch', source: null, match: null }, (message) => {
    if (message.type === 'lobby') tables = message.open ?? [];
    app.redraw();
  }, () => {});
  return { draw: () => openSeats(app, tables), close: () => connection.close() };
}
