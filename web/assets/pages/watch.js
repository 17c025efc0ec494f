// Watching: the lobby of tables in play, and one of them.

import { BOARDS, stillContext } from '../boards/index.js';
import { Connection } from '../connection.js';
import { h } from '../dom.js';
import { Session } from '../session.js';
import { organiser } from './organiser.js';
import { called, scrubKeys, sentence, stage, tick } from '../stage.js';

/** `/w/SOURCE/MATCH`. */
export function watch(app, source, match) {
  const session = new Session(() => performance.now());
  let seat = 0;
  const take = (message) => {
    const what = session.take(message);
    if (what === 'table') page.title = app.t(`game.${message.game}`);
    if (what === 'frame' && message.move && session.reel.isAtEnd) app.say(sentence(app, session, message));
    // Nothing more comes of it.
    if (what === 'over') connection.end();
    app.redraw();
  };
  const connection = new Connection({ type: 'watch', source, match: match === null ? null : Number(match) }, take, (state) => {
    session.net = state;
    app.redraw();
  });
  const timer = setInterval(() => tick(session), 100);
  const page = {
    title: '',
    draw: () => stage(app, session, { seat, tools: session.reel.frame ? viewpoint(app, session, seat, (to) => { seat = to; app.redraw(); }, false) : null }),
    onkeydown: (event) => scrubKeys(app, session, event),
    close() {
      clearInterval(timer);
      connection.close();
    },
  };
  return page;
}

/** From which seat the board is seen; with `hasAll` also with everything open. */
export function viewpoint(app, session, now, choose, hasAll) {
  const { t } = app;
  const count = session.reel.frame.players.length;
  return h('label', { class: 'field inline' }, h('span', {}, t('reel.as')),
    h('select', { value: String(now), onchange: (event) => choose(event.target.value === 'all' ? 'all' : Number(event.target.value)) },
      hasAll ? h('option', { value: 'all' }, t('reel.all')) : null,
      Array.from({ length: count }, (_, seat) => h('option', { key: seat, value: String(seat) }, `${BOARDS[session.table.game].seatName(t, seat)} · ${called(t, session.playerAt(seat)?.name) ?? ''}`))));
}

/** A table of the lobby: its board, small, and what it stands at. */
export function tableCard(app, one, isBig = false) {
  const { t } = app;
  const names = one.players ?? [];
  // Names and scores go by player, the board and whose turn it is by seat.
  const seats = one.seats ?? names.map((_, index) => index);
  const mover = one.state === 'playing' && typeof one.to_move === 'number' ? seats[one.to_move] : null;
  const board = BOARDS[one.game];
  const address = `/w/${encodeURIComponent(one.source)}${one.match === null || one.match === undefined ? '' : `/${one.match}`}`;
  const inside = [
    h('div', { class: 'thumb' }, board && one.views?.length > 0 ? board.draw(stillContext({ t, views: one.views, names: seats.map((player) => called(t, names[player])), frame: { to_move: one.to_move } })) : null),
    h('div', { class: 'thumb-text' }, h('h2', {}, t(`game.${one.game}`)),
      h('ul', {}, names.map((name, index) => h('li', { key: index, class: mover === index ? 'turn' : '' }, h('span', {}, called(t, name)), h('b', {}, one.scores?.[index] ?? '')))),
      h('p', { class: 'quiet' }, one.state === 'over' ? t('watch.over') : one.games ? t('watch.of', { n: one.game_no ?? 1, games: one.games }) : t('watch.game', { n: one.game_no ?? 1 }))),
  ];
  const key = `${one.source}/${one.match}`;
  return isBig ? h('article', { key, class: `table-card ${one.state}` }, inside) : h('a', { key, href: address, onclick: app.follow, class: `table-card ${one.state}` }, inside);
}

/** `/watch`. */
export function lobby(app) {
  const { t } = app;
  const state = { tables: null, leagues: [], net: null };
  const panels = new Map();
  /** The panel of the organiser of a league, where one may act. */
  const panelOf = (league) => {
    if (!league.acts) return null;
    if (!panels.has(league.source)) panels.set(league.source, organiser(app));
    return panels.get(league.source).draw(league);
  };
  const connection = new Connection({ type: 'watch', source: null, match: null }, (message) => {
    if (message.type === 'lobby') Object.assign(state, { tables: message.tables ?? [], leagues: message.leagues ?? [] });
    app.redraw();
  }, (net) => {
    state.net = net;
    app.redraw();
  });
  return {
    get title() { return t('watch'); },
    draw: () => h('main', { id: 'main', key: 'main', class: 'page' },
      h('div', { class: 'heading' }, h('h1', {}, t('watch.lead')), h('a', { class: 'button', href: '/wall', onclick: app.follow }, t('watch.wall'))),
      state.net === 'lost' ? h('p', { class: 'bad' }, t('net.lost')) : null,
      state.tables === null ? null : state.tables.length === 0 ? h('p', { class: 'quiet' }, t('watch.none')) : h('div', { class: 'tables' }, state.tables.map((one) => tableCard(app, one))),
      state.leagues.map((league, index) => [leagueNode(app, league, index), panelOf(league)])),
    close: () => connection.close(),
  };
}

/** A league: how far it is, ratings with bars of their intervals, the cross table, and the next pairings. */
export function leagueNode(app, league, index) {
  const { t } = app;
  const entrants = league.entrants ?? [];
  const rated = entrants.filter((one) => typeof one.rating === 'number');
  const low = Math.min(...rated.map((one) => one.low ?? one.rating));
  const high = Math.max(...rated.map((one) => one.high ?? one.rating));
  const at = (value) => (high > low ? (100 * (value - low)) / (high - low) : 50);
  const bar = (one) => h('svg', { class: 'rating', viewBox: '-3 0 106 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    h('path', { class: 'rating-line', d: 'M0 4H100' }),
    h('rect', { class: 'rating-bar', x: at(one.low ?? one.rating), y: 2, width: Math.max(0.8, at(one.high ?? one.rating) - at(one.low ?? one.rating)), height: 4, rx: 1 }),
    h('rect', { class: 'rating-dot', x: at(one.rating) - 0.5, y: 0.5, width: 1, height: 7 }));
  const cross = league.cross ?? [];
  const next = league.next ?? [];
  return h('section', { key: `league${league.source ?? index}`, class: 'league' },
    h('div', { class: 'league-head' }, h('h2', {}, league.title || t('watch.leagues')),
      typeof league.fixtures === 'number' ? h('span', { class: 'quiet' }, typeof league.scheduled === 'number' ? t('watch.fixtures', { n: league.fixtures, of: league.scheduled }) : t('watch.fixturesOpen', { n: league.fixtures })) : null,
      typeof league.paused === 'string' ? h('strong', { class: 'paused' }, league.paused === '' ? t('watch.paused') : t('watch.pausedFor', { why: league.paused })) : null),
    h('table', { class: 'ratings' }, h('caption', {}, t('watch.rating')), h('tbody', {}, entrants.map((one) => h('tr', { key: one.name },
      h('th', { scope: 'row' }, one.name, one.disqualified ? h('small', { class: 'bad' }, ` ${t('watch.disqualified')}`) : null, one.faults > 0 ? h('small', { class: 'bad' }, ` ${t('watch.faults', { n: one.faults })}`) : null),
      h('td', { class: 'number' }, typeof one.rating === 'number' ? Math.round(one.rating) : '–'),
      h('td', { class: 'number quiet' }, one.half_width > 0 ? `±${Math.round(one.half_width)}` : ''),
      h('td', { class: 'rating-cell' }, typeof one.rating === 'number' ? bar(one) : null))))),
    cross.length > 0 ? h('div', { class: 'scrolls' }, h('table', { class: 'cross' }, h('caption', {}, t('watch.cross')),
      h('thead', {}, h('tr', {}, h('td', {}), entrants.map((one, x) => h('th', { key: one.name, scope: 'col', title: one.name }, h('span', { class: 'unseen' }, one.name), h('span', { 'aria-hidden': 'true' }, x + 1))))),
      h('tbody', {}, cross.map((row, y) => h('tr', { key: y }, h('th', { scope: 'row' }, h('small', { class: 'quiet', 'aria-hidden': 'true' }, `${y + 1} `), entrants[y]?.name ?? ''),
        row.map((value, x) => h('td', { key: x, class: value === null ? (x === y ? 'self' : '') : `share${Math.round(value * 4)}` }, value === null ? '' : value.toFixed(2).replace(/^0/, '')))))))) : null,
    next.length > 0 ? h('div', { class: 'league-next' }, h('h3', {}, t('watch.next')), h('ul', {}, next.map((names, y) => h('li', { key: y }, names.join(' – '))))) : null);
}
