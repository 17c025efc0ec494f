// Watching: the lobby of tables in play, and one of them.

import { BOARDS, stillContext } from '../boards/index.js';
import { call } from '../calls.js';
import { Connection } from '../connection.js';
import { h } from '../dom.js';
import { openSeats } from '../open.js';
import { Pace, PACES, paceField, paceOf } from '../pace.js';
import { Session } from '../session.js';
import { Courses } from './course.js';
import { ladderList } from './ladder.js';
import { leagueNode } from './league.js';
import { organiser } from './organiser.js';
import { called, scrubKeys, sentence, stage, tick } from '../stage.js';

/** `/w/SOURCE/MATCH`; `#game=2&ply=17` shows this ply of a game that is over. */
export function watch(app, source, match) {
  const words = new URLSearchParams(location.hash.slice(1));
  const [game, ply] = ['game', 'ply'].map((word) => (/^\d+$/.test(words.get(word) ?? '') ? Number(words.get(word)) : null));
  let isSought = game !== null && ply !== null;
  const session = new Session(() => performance.now());
  let seat = 0;
  const show = (message) => {
    // The gateway has closed the table of a finished match.
    if (session.over && message.type === 'error') {
      connection.end();
      return;
    }
    const before = session.reel.last;
    const what = session.take(message);
    call(app, session, what, before);
    if (what === 'table') page.title = app.t(`game.${message.game}`);
    if (what === 'frame' && message.move && session.reel.isAtEnd) app.say(sentence(app, session, message));
    // The frames of such a game come at once.
    if (isSought && what === 'frame' && message.game === game && message.ply >= ply) {
      isSought = false;
      session.reel.seek(game, ply);
    }
    if (what === 'said') app.say(app.reason(message.text));
    // A finished match has no more messages; a table may have another match.
    if (what === 'over' && match !== null) connection.end();
    app.redraw();
  };
  const pace = new Pace(show, () => PACES[paceOf(app.settings, 'watch')]);
  const connection = new Connection({ type: 'watch', source, match: match === null ? null : Number(match), game }, (message) => pace.take(message), (state) => {
    session.net = state;
    app.redraw();
  });
  const timer = setInterval(() => tick(session), 100);
  const page = {
    title: '',
    draw: () => stage(app, session, { seat, tools: session.reel.frame ? [viewpoint(app, session, seat, (to) => { seat = to; app.redraw(); }, false), paceField(app, 'watch')] : null }),
    onkeydown: (event) => scrubKeys(app, session, event),
    close() {
      clearInterval(timer);
      pace.close();
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

/** The players of a table, the most points first. */
export function byScore(scores, count) {
  const of = (player) => scores?.[player] ?? 0;
  return Array.from({ length: count }, (_, player) => player).sort((a, b) => of(b) - of(a));
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
      h('ul', {}, byScore(one.scores, names.length).map((index) => h('li', { key: index, class: mover === index ? 'turn' : '' }, h('span', {}, called(t, names[index])), h('b', {}, one.scores?.[index] ?? '')))),
      h('p', { class: 'quiet' }, one.state === 'over' ? t(one.scores?.every((score) => score === 0) ? 'watch.brokenOff' : 'watch.over') : one.games ? t('watch.of', { n: one.game_no ?? 1, games: one.games }) : t('watch.game', { n: one.game_no ?? 1 }))),
  ];
  const key = `${one.source}/${one.match}`;
  return isBig ? h('article', { key, class: `table-card ${one.state}` }, inside) : h('a', { key, href: address, onclick: app.follow, class: `table-card ${one.state}` }, inside);
}

/** Tables that are over of which the lobby shows so many, the latest. */
const OVER = 12;

/** The tables in play, and the latest of those that are over. */
export function sorted(tables) {
  const isOver = (one) => one.state === 'over';
  return [tables.filter((one) => !isOver(one)), tables.filter(isOver).slice(-OVER).reverse()];
}

/** `/watch`. */
export function lobby(app) {
  const { t } = app;
  const cards = (tables) => h('div', { class: 'tables' }, tables.map((one) => tableCard(app, one)));
  const state = { tables: null, open: [], leagues: [], net: null };
  const ladders = ladderList(app);
  const panels = new Map();
  const courses = new Courses();
  /** The panel of the organiser of a league, where one may act. */
  const panelOf = (league) => {
    if (!league.acts) return null;
    if (!panels.has(league.source)) panels.set(league.source, organiser(app));
    return panels.get(league.source).draw(league);
  };
  const connection = new Connection({ type: 'watch', source: null, match: null }, (message) => {
    if (message.type === 'lobby') Object.assign(state, { tables: message.tables ?? [], open: message.open ?? [], leagues: message.leagues ?? [] });
    courses.note(state.leagues);
    app.redraw();
  }, (net) => {
    state.net = net;
    app.redraw();
  });
  return {
    get title() { return t('watch'); },
    draw() {
      const [playing, over] = sorted(state.tables ?? []);
      return h('main', { id: 'main', key: 'main', class: 'page' },
        h('div', { class: 'heading' }, h('h1', {}, t('watch.lead')), h('a', { class: 'button', href: '/wall', onclick: app.follow }, t('watch.wall'))),
        state.net === 'lost' ? h('p', { class: 'bad' }, t('net.lost')) : null,
        openSeats(app, state.open),
        ladders(),
        state.tables === null ? null : playing.length === 0 ? h('p', { class: 'quiet' }, t('watch.none')) : cards(playing),
        state.leagues.map((league, index) => [leagueNode(app, league, index, courses.of(league)), panelOf(league)]),
        over.length > 0 ? h('section', { key: 'over', class: 'finished' }, h('h2', {}, t('watch.finished')), cards(over)) : null);
    },
    close: () => connection.close(),
  };
}
