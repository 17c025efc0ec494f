// The seats of this browser. Their tokens are kept, so that a person finds its tables again and can end them.

import { api } from './connection.js';
import { h } from './dom.js';
import { called } from './stage.js';

const KEY = 'taikyoku.seats';
/** Seats that are kept, the latest. */
const MOST = 32;

function kept() {
  try {
    const list = JSON.parse(localStorage.getItem(KEY));
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

function keep(list) {
  try {
    localStorage.setItem(KEY, JSON.stringify(list.slice(-MOST)));
  } catch {
    // A browser that keeps nothing shows no tables of its own.
  }
}

/** Forgets a seat, whose match is over or whose table is gone. */
export const forgetSeat = (token) => keep(kept().filter((one) => one.token !== token));

export function keepSeat(table, token) {
  forgetSeat(token);
  keep([...kept(), { table, token }]);
}

/** The tables at which this browser has a seat: to come back to, or to end. */
export function ownTables(app) {
  const { t } = app;
  let list = [];
  let ending = null;

  /** Asks which of them there still are. */
  async function look() {
    const held = kept();
    let found = [];
    try {
      if (held.length > 0) found = await api('/api/seats', held);
    } catch {
      return;
    }
    list = held.flatMap(({ token }, at) => (found[at] ? [{ ...found[at], token }] : []));
    for (const { token } of held) if (list.every((one) => one.token !== token)) forgetSeat(token);
    app.redraw();
  }

  async function end({ table, token }) {
    // One that has ended meanwhile is gone as well.
    await api('/api/seats/end', { table, token }).catch(() => {});
    ending = null;
    forgetSeat(token);
    await look();
  }

  function row(one) {
    const game = t(`game.${one.game}`);
    const others = one.players.filter((_, player) => player !== one.you).map((name) => called(t, name)).join(', ');
    const state = one.waits ? t('turn.wait') : one.yours ? t('turn.you') : null;
    const button = (text, props) => h('button', { key: text, type: 'button', 'aria-label': `${text}: ${game}`, ...props }, text);
    return h('li', { key: one.token },
      h('span', {}, h('b', {}, game), h('small', {}, [others, state].filter(Boolean).join(' · '))),
      h('a', { class: 'button', href: `/t/${encodeURIComponent(one.table)}#${one.token}`, 'aria-label': `${t('home.resume')}: ${game}`, onclick: app.follow }, t('home.resume')),
      ending === one.token
        ? button(t('home.endSure'), { class: 'danger', onclick: () => end(one) })
        : button(t('home.end'), { onclick() { ending = one.token; app.redraw(); } }));
  }

  look();
  return {
    look,
    draw: () => (list.length === 0 ? null : h('section', { key: 'own', class: 'own-tables' }, h('h2', {}, t('home.own')), h('ul', {}, list.map(row)))),
  };
}
