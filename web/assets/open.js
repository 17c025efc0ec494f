// Tables with open seats that everybody may take.

import { clockText } from './clock.js';
import { Connection } from './connection.js';
import { h } from './dom.js';
import { called } from './stage.js';

/** What a visitor knows of a table before sitting down: who is there, the clock, the games, the seats. */
const about = ({ t }, one) => [one.players.map((name) => called(t, name)).join(', '), clockText(t, one.clock), one.games > 1 ? `${t('home.games')}: ${one.games}` : null, t('open.free', { n: one.free })].filter(Boolean).join(' · ');

/** The tables, each with a button to sit down. */
export function openSeats(app, tables) {
  const { t } = app;
  if (tables.length === 0) return null;
  const row = (one) => {
    const game = t(`game.${one.game}`);
    return h('li', { key: one.table },
      h('span', {}, h('b', {}, game), h('small', {}, about(app, one))),
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
  return {
    draw: () => openSeats(app, tables),
    /** The heading of a page on which a visitor sits down: what is known of the table, if everybody may take its seats. */
    heading(id) {
      const one = tables.find(({ table }) => table === id);
      return one ? [h('h1', {}, app.t(`game.${one.game}`)), h('p', { class: 'quiet' }, about(app, one))] : h('h1', {}, app.t('home.invited'));
    },
    close: () => connection.close(),
  };
}
