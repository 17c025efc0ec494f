// The first page: a game, a seat, the others at the table, the clock.

import { BOARDS, GAMES, stillContext } from '../boards/index.js';
import { cardsOf, lying } from '../boards/cards.js';
import { clockText } from '../clock.js';
import { api } from '../connection.js';
import { h } from '../dom.js';
import { openLobby } from '../open.js';
import { rulesPanel } from '../rules.js';
import { ownTables } from '../seats.js';

const THINK = [100, 300, 1000, 3000, 10_000];
/** Thinking time of an engine that is not a level. */
export const USUAL_THINK = 1000;
const CLOCKS = [
  null, { budget_ms: 180_000 }, { budget_ms: 600_000 },
  { budget_ms: 180_000, increment_ms: 2000 }, { budget_ms: 300_000, increment_ms: 3000 }, { budget_ms: 600_000, increment_ms: 5000 },
  { move_ms: 10_000 }, { move_ms: 30_000 },
];
/** Positions for the pictures of the games. */
const SAMPLES = {
  'score-four': { board: 'xo/-/x/-/o/xoxo/x/-/-/ox/oxx/-/-/-/o/x', moves: '' },
  dobutsu: { board: 'g1e/1lc/LC1/E1G b c 9', moves: [] },
  geister: { 'to-move': 0, ply: 12, ghosts: [['13u', '24u', '43u', '44u', '15u', '25u', '99r', '45u'], ['13u', '33u', '34u', '44u', '15u', '25u', '35u', '99b']] },
  blokus: { moves: [[0, 'a18,a19,a20,b18,b19'], [1, 's19,s20,t20,r19,s18'], [2, 't1,t2,s2,s3,r3'], [3, 'a1,a2,a3,b3,c3'], [0, 'c17,d17,c16,d16,d15'], [1, 'q18,q17,p17,q16,r17'], [2, 'q4,q5,q6,p4,o4'], [3, 'd4,e4,e5,f5,f6'], [0, 'e14,f14,g14,h14,e13'], [1, 'o16,o15,n15,o14,n14'], [2, 'n5,n6,n7,m7,n8'], [3, 'g7,g8,h8,i8,h9'], [0, 'i13,j13,j12,k12,k11'], [1, 'm13,l13,l14,l15,k15'], [2, 'l8,l9,k9,m9,l10'], [3, 'j10,i10,j9,j8']], left: [[], [], [], []], out: [null, null, null, null] },
};

function blokusRows(moves) {
  const rows = Array.from({ length: 20 }, () => Array(20).fill('.'));
  for (const [seat, move] of moves) for (const cell of move.split(',')) rows[20 - Number(cell.slice(1))][cell.charCodeAt(0) - 97] = 'byrg'[seat];
  return rows.map((row) => row.join(''));
}
SAMPLES.blokus.board = blokusRows(SAMPLES.blokus.moves);

function picture(app, game) {
  const { t } = app;
  if (game === 'daihinmin') {
    return h('div', { class: 'fan' }, cardsOf('S3H8DQCAJ3').map((one) => lying(t, one, one.text)));
  }
  return BOARDS[game].draw(stillContext({ t, views: [SAMPLES[game]], frame: { to_move: null } }));
}

/** The input field for a person's name. */
export const nameInput = (app) => h('input', { type: 'text', maxlength: 20, autocomplete: 'nickname', spellcheck: 'false', value: app.settings.name ?? '', placeholder: app.t('who.person', { n: '' }), oninput: (event) => app.settings.keepName(event.target.value) });

/** The body of the request for a table. */
export function request(form, seats) {
  const you = form.seat === 'any' ? Math.floor(Math.random() * seats) : form.seat;
  let other = 0;
  const list = Array.from({ length: seats }, (_, seat) => {
    if (seat === you) return { kind: 'person' };
    const one = form.others[other];
    other += 1;
    if (one.kind === 'open') return { kind: 'open' };
    return one.think === null ? { kind: 'bot', spec: one.spec } : { kind: 'bot', spec: one.spec, move_ms: one.think };
  });
  const hasOpen = list.some((one) => one.kind === 'open');
  return { game: form.game, seats: list, games: form.games, practice: form.practice && !hasOpen && form.clock === null, clock: form.clock, listed: form.listed, anybody: hasOpen && form.anybody };
}

/** Keeps the links to the open seats of a table for its maker: `{seat, token}` of each, and where others reach the page. */
function keepInvite(id, tokens, others) {
  try {
    sessionStorage.setItem(`taikyoku.invite.${id}`, JSON.stringify({ tokens, others }));
  } catch {
    // Only the page that has asked for them would have them.
  }
}

/**
 * Where others reach a page that this browser has at `here`: a name of its own machine leads them to theirs, and `others` is
 * what the gateway has for them; `null` where they do not reach it.
 */
export function openOrigin(here, others) {
  return /^https?:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(here) ? others : here;
}

/**
 * The links of a table that this browser knows: `{links, isOpen}`. If the table was made here, the list begins with the
 * links to its open seats. The last link is for watchers.
 */
export function inviteTo(id) {
  let kept = null;
  try {
    kept = JSON.parse(sessionStorage.getItem(`taikyoku.invite.${id}`));
  } catch {
    // As above.
  }
  const open = openOrigin(location.origin, kept?.others ?? null);
  const at = (path) => `${open ?? location.origin}${path}`;
  const links = (kept?.tokens ?? []).map(({ seat, token }) => ({ seat, url: at(`/t/${encodeURIComponent(id)}?guest#${token}`) }));
  return { links: [...links, { seat: null, url: at(`/w/${encodeURIComponent(id)}`) }], isOpen: open !== null };
}

/** A text with a button to copy it: the `url` of `one`, which also notes that it is copied. */
export const copyRow = (app, one, label) => h('li', { key: label }, h('span', {}, label), h('input', { readonly: true, value: one.url, 'aria-label': label, onfocus: (event) => event.target.select() }),
  h('button', { type: 'button', async onclick() { try { await navigator.clipboard.writeText(one.url); one.isCopied = true; } catch { one.isCopied = false; } app.redraw(); } }, app.t(one.isCopied ? 'home.copied' : 'home.copy')));

/** The list of a table's links, with buttons to copy them. Another match changes the seats to which they lead. */
export function inviteList(app, { links, isOpen }) {
  const { t } = app;
  const [before, behind] = t('home.onlyHere', { option: '\0' }).split('\0');
  const named = (seat, index) => (seat === null ? t('home.toWatch') : t('who.guest', { n: index === 0 ? '' : index + 1 }));
  return [
    isOpen ? null : h('p', { class: 'quiet' }, before, h('code', {}, '--listen 0.0.0.0:8080'), behind),
    h('ul', {}, links.map((one, index) => copyRow(app, one, named(one.seat, index)))),
  ];
}

export function home(app, wanted) {
  const { t } = app;
  let games = null;
  let failed = null;
  let isBusy = false;
  const own = ownTables(app);
  // The form for a new table does not show them.
  const open = GAMES.includes(wanted) ? null : openLobby(app);
  const form = { game: GAMES.includes(wanted) ? wanted : null, seat: 0, others: [], clock: null, games: 1, practice: true, listed: null, anybody: false };
  api('/api/games').then((found) => {
    games = new Map(found.map((one) => [one.name, one]));
    fill();
    app.redraw();
  }, () => {
    failed = t('home.noServer');
    app.redraw();
  });

  function fill() {
    if (!form.game || !games?.has(form.game)) return;
    const { seats, usual_level: spec } = games.get(form.game);
    form.others = Array.from({ length: seats - 1 }, () => ({ kind: 'bot', spec, think: null }));
  }

  async function start(event) {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    failed = null;
    app.redraw();
    try {
      const body = request(form, games.get(form.game).seats);
      const made = await api('/api/tables', body);
      const mine = made.tokens.find((one) => body.seats[one.seat].kind === 'person');
      const rest = made.tokens.filter((one) => one !== mine);
      keepInvite(made.table, rest, made.others);
      // The table shows the links, and waits there: a table that no page shows ends.
      app.go(`/t/${encodeURIComponent(made.table)}#${mine.token}`);
    } catch (error) {
      failed = error.status ? app.reason(error.message) : t('home.noServer');
      // Those that can be ended make room.
      own.look();
    }
    isBusy = false;
    app.redraw();
  }

  const field = (label, control) => h('label', { class: 'field' }, h('span', {}, label), control);
  const options = (list) => list.map(([key, text]) => h('option', { key, value: String(key) }, text));
  const selectOf = (value, children, choose, label) => h('select', { value: String(value), 'aria-label': label, onchange: (event) => { choose(event.target.value); app.redraw(); } }, children);
  const select = (value, list, choose, label) => selectOf(value, options(list), choose, label);

  function levelText(index, count) {
    const word = { 0: 'home.levelFirst', [count - 1]: 'home.levelLast' }[index] ?? 'home.level';
    return t(word, { n: index + 1 });
  }

  function opponent(one, index) {
    const { levels, engines } = games.get(form.game);
    const kinds = [
      h('optgroup', { key: 'levels', label: t('home.levels') }, options(levels.map((level, at) => [level, levelText(at, levels.length)]))),
      h('optgroup', { key: 'engines', label: t('home.engines') }, options(engines.map((engine) => [engine, engine]))),
      ...options([['open', t('home.open')]]),
    ];
    return h('div', { key: index, class: 'opponent' },
      selectOf(one.kind === 'open' ? 'open' : one.spec, kinds, (value) => {
        if (value === 'open') Object.assign(one, { kind: 'open' });
        else Object.assign(one, { kind: 'bot', spec: value, think: levels.includes(value) ? null : one.think ?? USUAL_THINK });
      }, `${t('home.opponents')} ${index + 1}`),
      one.kind === 'open' || one.think === null ? null : select(one.think, THINK.map((ms) => [ms, t('home.thinkS', { s: ms / 1000 })]), (value) => { one.think = Number(value); }, `${t('home.think')} ${index + 1}`));
  }

  function set() {
    const { seats } = games.get(form.game);
    const board = BOARDS[form.game];
    const isOpen = form.others.some((one) => one.kind === 'open');
    return h('form', { class: 'setup', onsubmit: start },
      h('div', { class: 'setup-picture' }, picture(app, form.game)),
      h('div', { class: 'setup-fields' },
        h('h1', {}, t(`game.${form.game}`)), h('p', { class: 'quiet' }, t(`about.${form.game}`)),
        field(t('home.name'), nameInput(app)),
        board.drawsSeats ? null : field(t('home.seat'), select(form.seat, [...Array.from({ length: seats }, (_, seat) => [seat, board.seatName(t, seat)]), ['any', t('home.random')]], (value) => { form.seat = value === 'any' ? 'any' : Number(value); })),
        h('fieldset', { class: 'field' }, h('legend', {}, t('home.opponents')), form.others.map(opponent)),
        field(t('home.clock'), select(CLOCKS.indexOf(form.clock), CLOCKS.flatMap((clock, index) => (clock?.increment_ms && !games.get(form.game).increments ? [] : [[index, clockText(t, clock)]])), (value) => { form.clock = CLOCKS[Number(value)]; })),
        field(t('home.games'), select(form.games, [1, 2, 3, 5, 10].map((n) => [n, n]), (value) => { form.games = Number(value); })),
        h('label', { class: 'check' }, h('input', { type: 'checkbox', checked: form.practice && form.clock === null, disabled: form.clock !== null, onchange(event) { form.practice = event.target.checked; app.redraw(); } }), t('home.practice')),
        isOpen ? h('label', { key: 'anybody', class: 'check' }, h('input', { type: 'checkbox', checked: form.anybody, onchange(event) { form.anybody = event.target.checked; app.redraw(); } }), t('home.anybody')) : null,
        h('label', { class: 'check' }, h('input', { type: 'checkbox', checked: form.listed ?? !isOpen, onchange(event) { form.listed = event.target.checked; app.redraw(); } }), t('home.listed')),
        failed ? h('p', { class: 'bad', role: 'alert' }, failed) : null,
        h('div', { class: 'setup-actions' }, h('button', { type: 'submit', class: 'primary big', disabled: isBusy }, t('home.start')), h('a', { href: `/learn/${form.game}`, class: 'button', onclick: app.follow }, t('learn.title')), h('a', { href: '/', class: 'button', onclick: app.follow }, t('home.back')))),
      rulesPanel(app, form.game));
  }

  return {
    get title() { return form.game ? t(`game.${form.game}`) : ''; },
    draw: () => h('main', { id: 'main', key: `home${form.game ?? ''}`, class: 'page home' },
      form.game ? [games?.has(form.game) ? set() : h('p', { class: 'bad' }, failed ?? ''), own.draw()] : [
        h('h1', { class: 'lead' }, t('home.lead')),
        own.draw(),
        open.draw(),
        failed ? h('p', { class: 'bad', role: 'alert' }, failed) : null,
        h('div', { class: 'games' }, GAMES.map((game) => h('a', { key: game, class: `game-card of-${game}`, href: `/play/${game}`, onclick: app.follow }, h('div', { class: 'thumb' }, picture(app, game)), h('h2', {}, t(`game.${game}`)), h('p', {}, t(`about.${game}`))))),
      ]),
    close: () => open?.close(),
  };
}
