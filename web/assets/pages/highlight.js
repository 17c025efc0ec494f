// A game that is worth a look, in large type: why, who, and the position, which leads to its ply.

import { BOARDS, stillContext } from '../boards/index.js';
import { h } from '../dom.js';
import { called } from '../stage.js';

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
