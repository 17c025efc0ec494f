// A record, move by move: `/g/ID#game=1&ply=37&seat=0`; with `from=2` all is open, and player 2 looks at the board. `line` is the
// variation that is shown, its ply in the game and its moves, and each `also` another one.

import { HAVE_SHEETS, analysis, begin } from '../analysis.js';
import { call } from '../calls.js';
import { api } from '../connection.js';
import { h } from '../dom.js';
import { icon } from '../icons.js';
import { Reel } from '../reel.js';
import { Session } from '../session.js';
import { moveText, namesOf, scrubKeys, stage, turningPoints } from '../stage.js';
import { gameValues, valueGraph } from '../values.js';
import { viewpoint } from './watch.js';

/** Games in which a seat's moves are made from its own place: while moves are tried, the seat to move looks. */
const ARE_TURNED = ['score-four', 'blokus', 'daihinmin'];
/** Games whose moves have exact values. */
const ARE_SOLVED = ['dobutsu', 'score-four'];
const SPEEDS = [0.5, 1, 2, 4];
/** How long a position is looked at before it stands in the address. */
const REST_MS = 250;

/** What a share link says: `{game, ply, seat, from, line}`, each `null` where it is silent, and the variations in `also`. */
export function readHash(hash) {
  const words = new URLSearchParams(hash.replace(/^#/, ''));
  const number = (name) => (/^\d+$/.test(words.get(name) ?? '') ? Number(words.get(name)) : null);
  return { game: number('game'), ply: number('ply'), seat: number('seat'), from: number('from'), line: words.get('line'), also: words.getAll('also') };
}

export function replay(app, id) {
  const { t } = app;
  const session = new Session(() => performance.now());
  let seat = 'all';
  let from = null;
  let speed = 1;
  let timer = null;
  let address = null;
  let failed = null;
  let isCopied = false;
  let games = [];
  let wantsExact = false;

  const path = `/api/records/${encodeURIComponent(id)}`;
  api(path).then((record) => {
    session.table = { ...record.table, you: null, can: {} };
    session.reel = Reel.ofRecord(record.games);
    begin(session);
    games = record.games.map((one) => one.game);
    page.title = t(`game.${record.table.game}`);
    fromHash();
    app.redraw();
  }, (error) => {
    failed = error.message;
    app.redraw();
  });

  async function fromHash() {
    const wanted = readHash(location.hash);
    if (session.variations.leaf) tried.show(null);
    if (wanted.game !== null || wanted.ply !== null) seek(wanted.game ?? games[0], wanted.ply ?? 0);
    if (wanted.from !== null) ({ from } = wanted);
    if (wanted.seat !== null && wanted.seat < session.reel.frame.players.length) seat = wanted.seat;
    const texts = [wanted.line, ...wanted.also].filter(Boolean);
    if (texts.length > 0) await tried.read(wanted.game ?? games[0], texts, wanted.line !== null, wanted.ply ?? 0);
  }

  /** Goes to a ply of a game, which is fetched first if the record came without its frames. */
  async function seek(game, ply) {
    const { main } = session.variations;
    if (session.variations.leaf) tried.show(null);
    if (main.firstOf(game) < 0 && games.includes(game)) {
      try {
        const record = await api(`${path}/games/${game}`);
        if (main.firstOf(game) < 0) main.put(record.games[0]);
      } catch (error) {
        failed = error.message;
      }
    }
    main.seek(game, ply);
    app.redraw();
  }

  /** Browsers allow few changes of an address: what is passed over stands in none. */
  session.onSeek = () => {
    isCopied = false;
    clearTimeout(address);
    address = setTimeout(() => { writeAddress(); tried.rest(); }, REST_MS);
  };
  const tried = analysis(app, session, path, () => session.onSeek());
  session.showVariation = tried.show;

  function writeAddress() {
    clearTimeout(address);
    const { frame } = session.reel;
    const words = [games.length > 1 || frame.game !== 1 ? `game=${frame.game}` : null, `ply=${frame.ply}`, seat === 'all' ? null : `seat=${seat}`, from === null ? null : `from=${from}`,
      ...variations(frame.game)].filter(Boolean);
    history.replaceState(null, '', `#${words.join('&')}`);
  }

  function variations(game) {
    const { line, others } = session.variations.shared(game);
    const word = (name, text) => `${name}=${encodeURIComponent(text).replaceAll('%2C', ',')}`;
    return [line && word('line', line), ...others.map((text) => word('also', text))];
  }

  const stop = () => {
    clearInterval(timer);
    timer = null;
    app.redraw();
  };
  const start = () => {
    clearInterval(timer);
    if (session.reel.isAtEnd) session.reel.show(session.reel.firstOf(session.reel.frame.game));
    timer = setInterval(() => {
      const before = session.reel.frame;
      session.reel.step(1);
      call(app, session, 'frame', before, session.reel.frame);
      session.onSeek();
      if (session.reel.isAtEnd) stop();
      else app.redraw();
    }, 900 / speed);
    app.redraw();
  };

  const play = () => h('button', { type: 'button', class: 'primary', 'aria-label': t(timer ? 'reel.pause' : 'reel.play'), title: t(timer ? 'reel.pause' : 'reel.play'), onclick: () => (timer ? stop() : start()) }, icon(timer ? 'pause' : 'play'));

  function tools() {
    const { reel } = session;
    return h('div', { class: 'tools' },
      games.length > 1 ? h('label', { class: 'field inline' }, h('span', {}, t('home.game')), h('select', { value: String(reel.frame.game), async onchange(event) { await seek(Number(event.target.value), 0); session.onSeek(); } }, games.map((game) => h('option', { key: game, value: String(game) }, t('reel.game', { n: game }))))) : null,
      h('label', { class: 'field inline' }, h('span', {}, t('reel.speed')), h('select', { value: String(speed), onchange(event) { speed = Number(event.target.value); if (timer) start(); app.redraw(); } }, SPEEDS.map((one) => h('option', { key: one, value: String(one) }, `×${one}`)))),
      ARE_SOLVED.includes(session.table.game) ? h('label', { class: 'check' }, h('input', { type: 'checkbox', checked: wantsExact, onchange() { wantsExact = !wantsExact; app.redraw(); } }), t('panel.exactValues')) : null,
      viewpoint(app, session, seat, (to) => { seat = to; session.onSeek(); app.redraw(); }, true),
      h('div', { class: 'links' },
        h('button', { type: 'button', async onclick() { writeAddress(); try { await navigator.clipboard.writeText(location.href); isCopied = true; } catch { isCopied = false; } app.redraw(); } }, isCopied ? t('home.copied') : t('do.share')),
        session.table.league && !session.table.league.includes(':') ? h('a', { class: 'button', href: `/leagues/${encodeURIComponent(session.table.league)}/report.html` }, t('records.league')) : null,
        h('a', { class: 'button', href: `${path}/download`, download: '' }, t('reel.record')),
        (session.table.sheet ?? HAVE_SHEETS.includes(session.table.game)) === false ? null : h('a', { class: 'button', href: `${path}/sheet/${reel.frame.game}`, download: '' }, t('reel.sheet'))),
      h('p', { class: 'quiet' }, t('reel.keys')));
  }

  /** The values of the game shown, under the board. */
  function graph(looks, names) {
    const { reel } = session;
    const { frame } = reel;
    const values = gameValues(session, frame);
    const plies = reel.frames[reel.lastOf(frame.game)].ply;
    const by = values.find((one) => one.by)?.by;
    return valueGraph(app, {
      game: session.table.game, names, seat: looks, values, turns: turningPoints(session), ply: frame.ply, plies,
      moveAt: (ply) => { const next = reel.gameFrames.find((one) => one.ply === ply + 1); return next?.move ? moveText(app, session, next.move) : ''; },
      go: (ply) => { reel.seek(frame.game, ply); session.onSeek(); app.redraw(); },
      source: by ? t('value.by', { engine: by }) : t('value.byBots'),
    });
  }

  const page = {
    title: '',
    draw() {
      if (failed) return h('main', { id: 'main', key: 'main', class: 'page' }, h('h1', { class: 'lead bad' }, t('records.gone', { why: app.reason(failed) })));
      const { frame } = session.reel;
      if (!frame) return h('main', { id: 'main', key: 'main', class: 'loading' });
      tried.prepare(seat);
      if (tried.isOn && !timer) tried.rest();
      if (wantsExact && !session.hint && !session.reel.result && !timer) session.hint = tried.exact();
      session.asked = tried.values();
      // One seat's view alone is given to the board where only that seat looks.
      const shown = seat === 'all' || frame.views.length === 1 ? session : onlyOf(session, seat);
      const looks = seat === 'all' ? Math.max(0, frame.players.indexOf(from)) : seat;
      const isTurned = session.isTrying && ARE_TURNED.includes(session.table.game);
      const names = namesOf(session, t);
      return stage(app, shown, {
        seat: isTurned ? frame.to_move ?? looks : looks, looks, act: tried.isOn ? { play: tried.play } : {}, play: play(), below: graph(looks, names),
        tools: [tried.draw(seat, (at) => names[at]), tools()],
      });
    },
    onkeydown(event) {
      if (event.key === ' ' && !event.target.closest?.('button, input, select, a, summary')) {
        event.preventDefault();
        if (timer) stop();
        else start();
      } else {
        scrubKeys(app, session, event);
      }
    },
    close() {
      tried.close();
      clearInterval(timer);
      clearTimeout(address);
      window.removeEventListener('hashchange', onHash);
    },
  };
  const onHash = () => {
    if (!session.reel.frame) return;
    clearTimeout(address);
    fromHash();
    app.redraw();
  };
  window.addEventListener('hashchange', onHash);
  return page;
}

/** The session with the views of one seat alone; the end still shows everything. */
export function onlyOf(session, seat) {
  const seen = (frame) => ({ ...frame, views: [frame.views[seat]] });
  const reel = Object.create(session.reel, {
    frame: { get: () => seen(session.reel.frame) },
    result: { get: () => session.reel.result },
    index: { get: () => session.reel.index, set: (to) => { session.reel.index = to; } },
    live: { get: () => session.reel.live, set: (to) => { session.reel.live = to; } },
  });
  const shown = Object.create(session, { reel: { value: reel }, seen: { value: seen }, closedEnd: { get: () => session.closedEnd, set: (to) => { session.closedEnd = to; } }, boardUi: { value: session.boardUi } });
  return shown;
}
