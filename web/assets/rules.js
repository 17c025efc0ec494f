// The rules of a game: its sentences, and positions that show them.

import { BOARDS, stillContext } from './boards/index.js';
import { api } from './connection.js';
import { find, h } from './dom.js';
import { captionsOf, rulesOf } from './i18n/rules.js';
import { read, write } from './kept.js';

/** The frames of the pictures by game, as far as they have come. */
const known = new Map();

function framesOf(app, game) {
  if (!known.has(game)) {
    known.set(game, []);
    api(`/api/pictures/${game}`).then((frames) => {
      known.set(game, frames);
      app.redraw();
    }, () => { /* The page then shows the sentences alone. */ });
  }
  return known.get(game);
}

/** A drawing whose parts are not taken for those of the board that is played on. */
function unnamed(drawing) {
  for (const { props } of find(drawing, (node) => node.props?.['data-at'] !== undefined)) delete props['data-at'];
  return drawing;
}

/** The pictures, whose captions say what a screen reader cannot see. */
export function pictures({ t, settings }, game, frames) {
  const captions = captionsOf(settings.language, game);
  const names = (frames[0]?.players ?? []).map((_, seat) => BOARDS[game].seatName(t, seat));
  return frames.length === 0 ? null : h('div', { class: 'rule-pictures' }, frames.map((frame, index) => h('figure', { key: index },
    h('div', { class: 'thumb', 'aria-hidden': 'true', inert: true }, unnamed(BOARDS[game].draw(stillContext({ t, views: frame.views, frame, names })))),
    h('figcaption', {}, captions[index]))));
}

/** The rules of a game. They are open until the reader closes them, and then stay closed. */
export function rulesPanel(app, game) {
  const isOpen = read(`rules.${game}`) !== 'closed';
  return h('details', { key: `rules.${game}`, class: 'panel rules', open: isOpen, ontoggle(event) { write(`rules.${game}`, event.currentTarget.open ? 'open' : 'closed'); app.redraw?.(); } }, h('summary', {}, app.t('panel.rules')),
    isOpen ? pictures(app, game, framesOf(app, game)) : null,
    h('ol', {}, rulesOf(app.settings.language, game).map((sentence, index) => h('li', { key: index }, sentence))));
}
