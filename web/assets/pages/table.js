// A seat at a table: `/t/ID#TOKEN`.

import { isOpenGame } from '../boards/index.js';
import { call, noticeField } from '../calls.js';
import { Connection, api } from '../connection.js';
import { h } from '../dom.js';
import { levelAfter, tableOf } from '../ladder.js';
import { openLobby } from '../open.js';
import { Pace, PACES, paceField, paceOf } from '../pace.js';
import { forgetSeat, keepSeat } from '../seats.js';
import { Session } from '../session.js';
import { endLine, offerLine, scrubKeys, sentence, stage, tick, wantAgain, wrong } from '../stage.js';
import { inviteList, inviteTo, nameInput } from './home.js';

/** The token that this browser was given for a link to an open seat, or null. The guest may open the used link again. */
function givenFor(link) {
  // Every table whose seats everybody may take has no more of a link.
  if (link === '') return null;
  try {
    return localStorage.getItem(`taikyoku.seat.${link}`);
  } catch {
    // The address of the page has it.
    return null;
  }
}

function keepGiven(link, token) {
  if (link === '') return;
  try {
    localStorage.setItem(`taikyoku.seat.${link}`, token);
  } catch {
    // As above.
  }
}

export function table(app, id) {
  const session = new Session(() => performance.now());
  const link = location.hash.slice(1);
  const { t } = app;
  let isCaughtUp = false;
  /** Says that a move was taken back, until a move is due. */
  let takenBack = '';
  /** The record of the match after which the reader wants another, until the gateway is told. */
  let wantsAgain = null;

  /** Shows a game that is over as its record has it: what was hidden, and what the bots thought. */
  async function unveil(game) {
    const { record, id: of } = session.table;
    for (let tries = 0; record && tries < 10 && session.over?.record !== null; tries += 1) {
      // The server may not have written it yet; a busy one takes longer.
      if (tries > 0 || !session.over) await new Promise((done) => { setTimeout(done, 300 * (tries + 1)); });
      try {
        const { games: [found] } = await api(`/api/records/${encodeURIComponent(record)}/games/${game}`);
        if (found.result) {
          // The seat may have begun anew meanwhile.
          if (session.table.id === of && session.table.record === record) session.unveil(found);
          app.redraw();
          return;
        }
      } catch {
        // It is asked for again.
      }
    }
  }

  const show = (message) => {
    const was = session.reel.last;
    const { over, table: known } = session;
    const what = session.take(message);
    if (what === 'table') {
      const { token } = connection.hello;
      if (token !== link) {
        keepGiven(link, token);
        // Another page may be quicker. Until the seat is this page's, a reload needs the link.
        history.replaceState(history.state, '', `#${token}`);
      }
      keepSeat(id, token);
      // The table comes again when the match begins.
      if (!over && known?.record !== undefined && known.record !== message.record) {
        takenBack = `${t('offer.takenBack')} `;
        app.say(takenBack);
      }
      // Another match may have begun.
      connection.ended = false;
      page.title = t(`game.${message.game}`);
      isCaughtUp = false;
      if (app.settings.thoughts) act.thoughts(true);
    }
    // While an earlier game is shown, the moves of the next one are not said; what is said last is heard.
    const { result, last, frame: shown } = session.reel;
    // The moves that follow at once would take the place of it.
    const late = session.error?.code?.startsWith('timeout') ? `${wrong(t, session.error)} ` : '';
    const isAgain = was?.game === last?.game && was?.ply === last?.ply;
    if (isCaughtUp && !(what === 'frame' && isAgain)) call(app, session, what, was);
    if (what === 'frame' && !isAgain && isCaughtUp && last.move && shown.game === last.game) app.say(late + sentence(app, session, last));
    if (what === 'ask') {
      // The end stays until the reader goes on, and is said once, when the next game begins.
      const isNews = result && result.game === last?.game - 1 && (session.saidEnd ?? 0) < result.game;
      const end = isNews ? `${endLine(app, session)}. ${t('end.begun')} ` : '';
      const before = !result && last?.move ? `${sentence(app, session, last)}. ` : end;
      if (isNews) session.saidEnd = result.game;
      app.say(late + takenBack + before + t('say.your'));
      takenBack = '';
      isCaughtUp = true;
    }
    if (what === 'frame' && message.to_move !== null) isCaughtUp ||= session.reel.last?.seat !== null;
    if (what === 'result') {
      // The end of the game before may still be shown.
      app.say(result?.game === message.game ? endLine(app, session) : t('turn.over'));
      unveil(message.game);
    }
    if (what === 'over') {
      const { players, can, you, record } = session.table;
      // Another person may ask for the next match.
      if (!can?.again || !players.some((one) => one.kind === 'person' && one.player !== you)) connection.end();
      if (wantsAgain !== null && wantsAgain === record) connection.send({ type: 'again' });
      wantsAgain = null;
      session.offered = levelAfter(session);
      forgetSeat(connection.hello.token);
      if (message.note) app.say(app.reason(message.note));
      // The last thoughts of the bots may have come after the result.
      if (session.reel.last) unveil(session.reel.last.game);
    }
    if (what === 'offer' && offerLine(app, session)) app.say(offerLine(app, session));
    if (what === 'again' && wantAgain(app, session)) app.say(wantAgain(app, session));
    if (what === 'error') app.say(wrong(t, message));
    if (what === 'said') app.say(message.text);
    app.redraw();
  };
  const pace = new Pace(show, () => PACES[paceOf(app.settings, 'play')]);
  const take = (message) => {
    // The maker of the table also knows the link, so the gateway gives this page its own token for the seat.
    if (message.type === 'token') {
      connection.hello.token = message.token;
      connection.send(connection.hello);
      return;
    }
    pace.take(message);
  };
  let connection = null;
  const connect = () => {
    connection = new Connection({ type: 'sit', table: id, token: givenFor(link) ?? link, name: app.settings.name ?? '' }, take, (state) => {
      // Every failed attempt to reconnect reports `lost` again.
      if (state === 'lost' && session.net !== 'lost') app.say(t('net.lost'));
      session.net = state;
      app.redraw();
    });
  };
  // A guest may enter a name first: the match begins when the guest sits.
  const open = new URLSearchParams(location.search).has('guest') && app.settings.name === null ? openLobby(app) : null;
  if (!open) connect();
  const greeting = () => h('main', { id: 'main', key: 'main', class: 'loading' }, open.heading(id),
    h('form', { class: 'greeting', onsubmit(event) { event.preventDefault(); app.settings.keepName(app.settings.name ?? ''); open.close(); connect(); app.redraw(); } },
      h('label', { class: 'field' }, h('span', {}, t('home.name')), nameInput(app)), h('button', { type: 'submit', class: 'primary' }, t('home.sit'))));

  /** While moves are pending, a click or key shows them and is not passed on: the position on the board changes. */
  let isSwallowing = false;
  const swallow = (event) => {
    if (event.type === 'click') {
      if (isSwallowing) event.stopPropagation();
      isSwallowing = false;
      return;
    }
    isSwallowing = false;
    const isTyping = event.target.closest?.('input, select, textarea') || ['Tab', 'Shift', 'Control', 'Alt', 'Meta'].includes(event.key);
    if (!pace.isWaiting || (event.type === 'keydown' && isTyping)) return;
    pace.skip();
    const isOnBoard = Boolean(event.target.closest?.('.board'));
    if (event.type === 'pointerdown' && !isOnBoard) return;
    // These keys press the button that has the focus.
    isSwallowing = isOnBoard && (event.type === 'pointerdown' || event.key === 'Enter' || event.key === ' ');
    event.stopPropagation();
  };
  for (const type of ['pointerdown', 'click', 'keydown']) document.addEventListener(type, swallow, true);
  const timer = setInterval(() => tick(session), 100);

  const act = {
    play(move) {
      if (!session.isActive) return;
      connection.send(session.answer(move));
      app.redraw();
    },
    resign: () => connection.send({ type: 'resign', game: session.reel.last?.game ?? 0 }),
    leave: () => connection.send({ type: 'leave' }),
    takeback: (says) => connection.send({ type: 'takeback', act: says }),
    draw: (says) => connection.send({ type: 'draw', game: session.reel.last?.game ?? 0, act: says }),
    thoughts(live) {
      if (isOpenGame(session.table.game)) connection.send({ type: 'thoughts', live });
    },
    hint: () => connection.send({ type: 'hint' }),
    again() {
      session.error = null;
      wantsAgain = connection.send({ type: 'again' }) ? null : session.table.record;
      // After the match a connection that is lost may not be opened again by itself.
      if (wantsAgain !== null && connection.ended) connection.resume();
    },
    /** Begins a match like this one against bots of another level. */
    async playLevel(level) {
      app.go(await tableOf(level, session.table).catch(() => `/play/${session.table.game}`));
    },
    /** Takes the seat back from another window. */
    takeOver() {
      session.error = null;
      connection.resume();
      app.redraw();
    },
  };

  const invite = inviteTo(id);
  /** The link for watchers, and for the maker of the table also the links to its open seats. */
  const links = () => (!session.table?.can?.watch || session.over ? null
    : h('details', { key: 'invite', class: 'panel invite', open: invite.links.length > 1 && session.reel.frame === null }, h('summary', {}, t(invite.links.length > 1 ? 'home.invite' : 'home.toWatch')), inviteList(app, invite)));

  const page = {
    title: '',
    get isCalled() { return session.isConnected && session.ask !== null && session.sent === null; },
    draw: () => (connection === null ? greeting() : stage(app, session, { seat: session.seat ?? 0, act, tools: [session.reel.frame && !session.over ? [paceField(app, 'play'), noticeField(app)] : null, links()] })),
    onkeydown(event) {
      const { result } = session.reel;
      if (event.key === 'Escape' && result && session.closedEnd !== result.game) {
        session.closedEnd = result.game;
        app.redraw();
        return;
      }
      // One key passes, wherever the focus is.
      if (event.key.toLowerCase() === 'p' && !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest?.('input') && session.isActive && session.ask.moves.includes('pass')) {
        act.play('pass');
        return;
      }
      if (event.key.toLowerCase() === 'u' && !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest?.('input') && session.canTakeBack) {
        act.takeback('offer');
        return;
      }
      scrubKeys(app, session, event);
    },
    close() {
      clearInterval(timer);
      pace.close();
      for (const type of ['pointerdown', 'click', 'keydown']) document.removeEventListener(type, swallow, true);
      open?.close();
      connection?.close();
    },
  };
  return page;
}

