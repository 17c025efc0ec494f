// The page: its header, its routes, and when it is drawn.

import { focusAt, h, printable, render, travel } from './dom.js';
import { reasonIn } from './i18n/reasons.js';
import { icon } from './icons.js';
import { home } from './pages/home.js';
import { table } from './pages/table.js';
import { settings } from './settings.js';
import { playSound } from './sound.js';

const root = document.getElementById('app');
const said = document.getElementById('said');
const { t } = settings;

/** Addresses, and the page or the name of one of `late.js`. */
const ROUTES = [
  [/^\/t\/([^/]+)\/?$/, table],
  [/^\/w\/([^/]+)(?:\/([^/]+))?\/?$/, 'watch'],
  [/^\/watch\/?$/, 'lobby'],
  [/^\/wall(?:\/([^/]+))?\/?$/, 'wall'],
  [/^\/g\/([^/]+)\/?$/, 'replay'],
  [/^\/records\/?$/, 'records'],
  [/^\/ladder\/([^/]+)(?:\/(\d+))?\/?$/, 'ladder'],
  [/^\/play\/([^/]+)\/?$/, home],
  [/^\/learn\/([^/]+)\/?$/, 'learn'],
  [/^\/?$/, home],
];

let page = null;
let isDue = false;
let focus = null;
let isLost = false;
let shownMove = null;
let opened = 0;

/** Brings the move shown into sight within its list, when it is another than before. */
function followMoves() {
  const moves = root.querySelector('.moves');
  const here = moves?.querySelector('.here');
  if (here && here.textContent !== shownMove) moves.scrollTop = here.offsetTop - moves.offsetTop - moves.clientHeight / 2;
  shownMove = here?.textContent ?? null;
}

function draw() {
  isDue = false;
  if (!page) return;
  const body = page.draw();
  document.title = [page.isCalled ? `● ${t('turn.you')}` : null, page.title, t('title')].filter(Boolean).join(' · ');
  document.body.classList.toggle('bare', Boolean(page.isBare));
  const wasOnBoard = isLost || Boolean(document.activeElement?.closest('.board'));
  render(root, page.isBare ? body : [header(), body]);
  followMoves();
  travel(root);
  if (focus !== null) {
    focusAt(root, focus);
    focus = null;
  }
  // A board that is drawn in another form has lost the element of the focus; the focus waits for the next one.
  isLost = wasOnBoard && document.activeElement === document.body;
  if (isLost) root.querySelector('.board [data-at][tabindex="0"]')?.focus({ preventScroll: true });
}

const app = {
  t,
  settings,

  /** Why something ended or is not there, as the program says it, in the reader's words; `nameOf` names a player. */
  reason: (text, nameOf, more) => reasonIn(settings.language, text, nameOf, more),

  /** Draws the page anew soon; with `at` the focus goes to the point of the board of that name. */
  redraw(at) {
    if (at !== undefined && at !== null) focus = at;
    if (isDue) return;
    isDue = true;
    if (document.hidden) setTimeout(draw);
    else requestAnimationFrame(draw);
  },

  /** Goes to an address of this page. */
  go(path) {
    history.pushState(null, '', path);
    open();
    window.scrollTo(0, 0);
  },

  /** Says a line to those who listen to the page. */
  say(text) {
    said.textContent = printable(text);
  },
};

function link(path, text, isHere) {
  return h('a', { href: path, 'aria-current': isHere ? 'page' : null, onclick: follow }, text);
}

/** Links within the page do not load it anew. */
function follow(event) {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  app.go(event.currentTarget.getAttribute('href'));
}
app.follow = follow;

/** Goes to the page's own part. The fragment of the address is the page's: a seat's token, or a place in a record. */
function skip(event) {
  event.preventDefault();
  const main = document.getElementById('main');
  main?.setAttribute('tabindex', '-1');
  main?.focus();
}

function header() {
  const path = location.pathname;
  return h('header', { key: 'header', class: 'masthead' },
    h('a', { class: 'skip', href: '#main', onclick: skip }, t('skip')),
    h('a', { class: 'brand', href: '/', 'aria-label': t('title'), onclick: follow }, h('svg', { viewBox: '0 0 32 32', 'aria-hidden': 'true' }, h('circle', { class: 'brand-a', cx: 12, cy: 19, r: 9 }), h('circle', { class: 'brand-b', cx: 21, cy: 12, r: 8 })), h('span', {}, settings.language === 'ja' ? '対局' : 'Taikyoku')),
    h('nav', {}, link('/', t('play'), path === '/' || path.startsWith('/play')), link('/watch', t('watch'), path.startsWith('/w')), link('/records', t('records'), path.startsWith('/records') || path.startsWith('/g/'))),
    h('div', { class: 'switches' },
      h('button', { type: 'button', class: 'quiet-button', lang: settings.language === 'ja' ? 'en' : 'ja', onclick() { settings.toggleLanguage(); app.redraw(); } }, t('language')),
      h('button', { type: 'button', class: 'quiet-button', 'aria-label': t('theme'), title: t('theme'), onclick() { settings.toggleTheme(); app.redraw(); } }, icon('theme')),
      h('button', { type: 'button', class: 'quiet-button', 'aria-label': t('sound'), title: t('sound'), 'aria-pressed': String(settings.sound), onclick() { settings.toggleSound(); if (settings.sound) playSound('move'); app.redraw(); } }, icon(settings.sound ? 'sound' : 'silent'))));
}

/** A part of the address, as it stands where it is not written properly. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Opens the page of the address; an older one that comes late is not shown. */
async function open() {
  page?.close?.();
  page = null;
  opened += 1;
  const now = opened;
  const [pattern, route] = ROUTES.find(([one]) => one.test(location.pathname)) ?? [null, home];
  const parts = pattern?.exec(location.pathname).slice(1) ?? [null];
  let make = route;
  if (typeof route === 'string') {
    const late = await import(import.meta.url.replace('/page-', '/late-')).catch(() => null);
    // The server has another version of the page now, or does not answer.
    if (!late) {
      location.reload();
      return;
    }
    make = late.PAGES[route];
  }
  if (now !== opened) return;
  page = make(app, ...parts.map((part) => (part === undefined || part === null ? null : decoded(part))));
  draw();
}

settings.apply();
window.addEventListener('popstate', open);
document.addEventListener('keydown', (event) => page?.onkeydown?.(event));
open();
