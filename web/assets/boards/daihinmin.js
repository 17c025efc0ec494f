// Daihinmin: five seats around the pile, and the own hand of which only what can be laid may be chosen.

import { timeText } from '../clock.js';
import { h } from '../dom.js';
import { cardName, cardsOf, face, heldOf, inOrder, lying, RANKS, SUITS, suitSign } from './cards.js';

const SEATS = 5;
/** Pixels by which a card is drawn up to be laid. */
const LIFT = 60;
const TITLES = ['daifugo', 'fugo', 'heimin', 'hinmin', 'daihinmin'];

const isEmpty = (frame) => cardsOf(frame?.views?.[0]?.table?.field).length === 0;
const bit = (bits, seat) => ((bits >> seat) & 1) === 1;

/** The moves of the trick in play, or of the one that has just ended: `{seat, move}` in order. */
export function trick(history) {
  const moves = [];
  for (let k = history.length - 1; k > 0; k -= 1) {
    const { seat, move } = history[k];
    if (!move || move.startsWith('give')) break;
    moves.unshift({ seat, move });
    if (isEmpty(history[k - 1])) break;
  }
  return moves;
}

/** The cards that may join those chosen, so that a move of the list can still be made of them. */
export function openCards(moves, chosen) {
  const open = new Set();
  for (const move of moves) {
    const held = heldOf(move);
    if ([...chosen].every((one) => held.has(one))) for (const one of held) open.add(one);
  }
  return open;
}

/** The moves that are made of exactly these cards; more than one when the joker can stand for several. */
export function matches(moves, chosen) {
  if (chosen.size === 0) return [];
  return moves.filter((move) => {
    const held = heldOf(move);
    return held.size === chosen.size && [...chosen].every((one) => held.has(one));
  });
}

/** What is to be drawn: the seats in the order of play from the own one, the field, the trick, the hand, what was exchanged. */
export function scene(views, { seat = 0, moves = [], chosen = new Set(), history = [], last = null } = {}) {
  const hands = new Map(views.filter((view) => view.hand !== undefined && view.seat !== undefined).map((view) => [view.seat, view]));
  const view = hands.get(seat) ?? views[0] ?? {};
  const table = view.table ?? {};
  const open = openCards(moves, chosen);
  const seats = Array.from({ length: SEATS }, (_, index) => {
    const at = (seat + index) % SEATS;
    const place = table.places?.[at] ?? 255;
    return {
      seat: at, index, count: view.counts?.[at] ?? 0, passed: bit(table.passed ?? 0, at), plays: bit(table.alive ?? 0, at),
      place: place < SEATS ? place : null, rank: view.ranks?.[at] ?? null, owed: view.owed?.[at] ?? 0,
      hand: hands.has(at) ? inOrder(cardsOf(hands.get(at).hand), table.revolution) : null,
      isOwner: table.owner === at && cardsOf(table.field).length > 0,
      isLast: last?.seat === at, said: last?.seat === at ? last.move : null,
    };
  });
  const isSequence = (cards) => cards.length >= 3 && new Set(cards.map((one) => one.suit)).size === 1;
  const field = cardsOf(table.field);
  const seen = trick(history);
  // Without the moves before there is what lies on top.
  const moved = seen.length === 0 && field.length > 0 ? [{ seat: table.owner, move: table.field }] : seen;
  const hand = inOrder(cardsOf(view.hand), table.revolution).map((one) => ({ ...one, isChosen: chosen.has(one.text), isOpen: chosen.has(one.text) || open.has(one.text) }));
  const laid = moved.filter(({ move }) => cardsOf(move).length > 0);
  const numbers = field.length > 0 && laid.length > 1;
  return {
    seats, field, trick: moved, isCleared: field.length === 0 && moved.length > 0, hand,
    revolution: Boolean(table.revolution), lock: Boolean(table.lock),
    lockedSuits: table.lock ? [...new Set(field.map((one) => one.suit).filter(Boolean))] : [],
    isSequence: isSequence(field), hasPile: numbers,
    exchanged: view.exchanged?.partner === null || view.exchanged?.partner === undefined ? null : view.exchanged,
    played: (view.played ?? []).map((text) => cardsOf(text)),
    owed: view.owed ?? [],
  };
}

function badge(t, one) {
  if (one.place !== null) return h('span', { class: `badge place${one.place}` }, t(`dh.${TITLES[one.place]}`));
  if (one.passed) return h('span', { class: 'badge passed' }, t('dh.passed'));
  if (one.owed > 0) return h('span', { class: 'badge' }, t('dh.gives', { n: one.owed }));
  return null;
}

function seatNode(ctx, one) {
  const { t } = ctx;
  const isTurn = ctx.toMove === one.seat;
  const left = ctx.clockOf(one.seat);
  // The place in this game is of more use than that of the last one. A small picture has one of them, below the name.
  const rank = one.rank !== null && one.place === null ? h('span', { class: 'last-rank', title: t('dh.lastGame') }, t(`dh.${TITLES[one.rank]}`)) : null;
  const sign = badge(t, one);
  return h('div', { key: `seat${one.seat}`, 'data-place': `seat${one.seat}`, class: `dh-seat at${one.index} ${isTurn ? 'turn' : ''} ${one.plays ? '' : 'done'} ${one.passed ? 'has-passed' : ''}` },
    h('div', { class: 'dh-name' }, h('b', {}, ctx.nameOf(one.seat)), left === null ? null : h('span', { class: 'seat-clock', 'data-clock': ctx.isLive ? one.seat : null }, timeText(left)), ctx.isSmall ? null : rank),
    h('div', { class: 'dh-held' },
      one.hand && one.index !== 0
        ? h('span', { class: 'open-hand' }, one.hand.map((card) => lying(t, card, card.text)))
        : one.count === 0 && one.place !== null ? null : h('span', { class: 'backs', role: 'img', 'aria-label': t('dh.cards', { n: one.count }) }, Array.from({ length: Math.min(one.count, 13) }, (_, i) => h('i', { key: i })), h('b', {}, one.count)),
      sign ?? (ctx.isSmall ? rank : null)));
}

function pile(ctx, picture) {
  const { t } = ctx;
  const laid = picture.trick.filter(({ move }) => cardsOf(move).length > 0);
  const shown = laid.slice(-3);
  return h('div', { class: `pile ${picture.isCleared ? 'cleared' : ''}` },
    h('div', { class: 'signs' },
      picture.revolution ? h('span', { class: 'sign revolution' }, `⟲ ${t('dh.revolution')}`) : null,
      picture.lock ? h('span', { class: 'sign lock' }, t('dh.lock'), picture.lockedSuits.map(suitSign)) : null,
      picture.isSequence ? h('span', { class: 'sign' }, t('dh.sequence')) : null),
    h('div', { class: 'laid' }, shown.length === 0
      ? h('span', { class: 'free' }, picture.owed.some((n) => n > 0) ? t('dh.exchange') : t('dh.free'))
      : shown.map(({ seat, move }, index) => h('div', { key: `${seat}${move}`, 'data-from': `seat${seat}`, class: `meld ${index === shown.length - 1 ? `top ${ctx.played && ctx.lastMove.move === move ? 'played' : ''}` : 'under'} under${shown.length - 1 - index}` }, cardsOf(move).map((one) => lying(t, one, one.text))))),
    h('div', { class: 'by' }, picture.isCleared ? t('dh.cleared') : laid.length > 0 ? t('dh.by', { who: ctx.nameOf(laid[laid.length - 1].seat) }) : ''));
}

/** The trick in words, the newest last. */
function trickList(ctx, picture) {
  const { t } = ctx;
  if (picture.trick.length === 0) return null;
  return h('ol', { class: 'trick-list', 'aria-label': t('dh.trick') }, picture.trick.slice(-9).map(({ seat, move }, index) => h('li', { key: `${index}${seat}${move}` },
    h('span', {}, ctx.nameOf(seat)), h('b', {}, melded(t, move)))));
}

const melded = (t, move) => (move === 'pass' ? t('dh.pass') : move === 'give' ? t('dh.gift') : cardsOf(move).map((one) => cardName(t, one)).join(' '));

function hand(ctx, picture, moves) {
  const { ui, t } = ctx;
  const chosen = ui.chosen;
  const isGift = ctx.ask?.kind === 'give';
  const found = matches(moves, chosen);
  const cards = picture.hand;
  const hinted = ctx.best ? heldOf(ctx.best) : new Set();
  const toggle = (one) => {
    if (!one.isOpen) return;
    if (chosen.has(one.text)) chosen.delete(one.text);
    else chosen.add(one.text);
    ui.cursor = one.text;
    ctx.redraw(one.text);
  };
  if (!cards.some((one) => one.text === ui.cursor)) ui.cursor = cards[0]?.text;
  const lay = (move) => {
    chosen.clear();
    ctx.play(move);
  };
  const canPass = moves.includes('pass');
  return h('div', {
    class: `hand-box ${ctx.isActive ? 'active' : ''}`,
    onkeydown(event) {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest('input')) return;
      const at = cards.findIndex((one) => one.text === ui.cursor);
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: cards.length - 1 }[event.key];
      if (to !== undefined && cards[to]) {
        ui.cursor = cards[to].text;
      } else if ((event.key === 'ArrowUp' || event.key === 'ArrowDown') && ctx.isActive && cards[at]?.isOpen && cards[at].isChosen !== (event.key === 'ArrowUp')) {
        toggle(cards[at]);
      } else if (event.key === 'Enter' && ctx.isActive && found.length > 0 && event.target.closest('.card')) {
        lay(found[0]);
      } else if (event.key.toLowerCase() === 'p' && canPass) {
        lay('pass');
      } else if (event.key === 'Escape' && chosen.size > 0) {
        chosen.clear();
      } else {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
      ctx.redraw(ui.cursor);
    },
  },
  h('div', { class: 'hand', role: 'group', 'aria-label': t('dh.hand') }, cards.map((one) => h('button', {
    key: one.text, type: 'button', class: `card ${one.isChosen ? 'chosen' : ''} ${hinted.has(one.text) ? 'hinted' : ''} ${ctx.isActive && !one.isOpen ? 'shut' : ''}`, 'data-at': one.text,
    tabindex: one.text === ui.cursor ? 0 : -1, 'aria-pressed': one.isChosen, 'aria-disabled': !ctx.isActive || !one.isOpen, 'aria-label': cardName(t, one),
    onclick: () => { if (ctx.isActive && !ui.thrown) toggle(one); },
    // A card that is drawn up towards the pile is laid, with those chosen, if that makes a move.
    onpointerdown: (event) => {
      Object.assign(ui, { thrown: false, lift: event.clientY });
      if (event.pointerType !== 'touch') event.currentTarget.setPointerCapture(event.pointerId);
    },
    onpointerup: (event) => {
      if (!ctx.isActive || !one.isOpen || ui.lift - event.clientY <= LIFT) return;
      ui.thrown = true;
      chosen.add(one.text);
      const thrown = matches(moves, chosen);
      if (thrown.length === 1) lay(thrown[0]);
      else ctx.redraw();
    },
  }, face(one)))),
  ctx.isPlayer && !ctx.result ? h('div', { class: 'board-actions' },
    found.length > 1
      ? h('div', { class: 'choice inline', role: 'group', 'aria-label': t('choose') }, found.slice(0, 6).map((move) => h('button', { key: move, type: 'button', class: 'primary', onclick: () => lay(move) }, melded(t, move))))
      : h('button', { type: 'button', class: 'primary lay', disabled: found.length === 0, onclick: () => lay(found[0]) }, isGift ? t('dh.give', { n: picture.owed[ctx.seat] || '' }) : t('dh.lay')),
    h('button', { type: 'button', class: 'pass', disabled: !canPass, title: 'P', 'data-hinted': ctx.best === 'pass' ? 'yes' : null, onclick: () => lay('pass') }, t('dh.pass'), h('kbd', {}, 'P'))) : null);
}

/** Which cards have been played, by suit and rank. */
function counted(ctx, picture) {
  const { t } = ctx;
  const played = new Set(picture.played.flat().map((one) => one.held));
  const own = new Set(picture.hand.map((one) => one.text));
  const state = (text) => (played.has(text) ? 'gone' : own.has(text) ? 'own' : 'out');
  return h('details', { class: 'counted' }, h('summary', {}, t('dh.counted')),
    h('table', {}, h('thead', {}, h('tr', {}, h('td', {}), [...RANKS].map((rank) => h('th', { scope: 'col' }, rank === 'T' ? '10' : rank)))),
      h('tbody', {}, [...SUITS].map((suit) => h('tr', {}, h('th', { scope: 'row', 'aria-label': t(`dh.${suit}`) }, suitSign(suit)), [...RANKS].map((rank) => {
        const at = state(suit + rank);
        return h('td', { class: at }, at === 'gone' ? '×' : at === 'own' ? '●' : '·');
      }))))),
    h('p', {}, `${t('dh.joker')}: ${t(`dh.state.${state('J3')}`)}`));
}

export const board = {
  scene,
  /** The seats of a game are drawn, whatever the order of the players. */
  drawsSeats: true,

  draw(ctx) {
    const { ui, t } = ctx;
    ui.chosen ??= new Set();
    const moves = ctx.ask?.moves ?? [];
    const seat = ctx.seat ?? 0;
    let picture = scene(ctx.views, { seat, moves, chosen: ui.chosen, history: ctx.history, last: ctx.lastMove });
    // Cards that have gone, or that can be laid with no others any more, are let go.
    const open = openCards(moves, ui.chosen);
    if ([...ui.chosen].some((one) => !picture.hand.some((held) => held.text === one)) || (ctx.isActive && ui.chosen.size > 0 && open.size === 0)) {
      ui.chosen.clear();
      picture = scene(ctx.views, { seat, moves, chosen: ui.chosen, history: ctx.history, last: ctx.lastMove });
    }
    const { exchanged } = picture;
    const list = (text) => cardsOf(text).map((one) => cardName(t, one)).join(' ');
    return h('div', { class: `board daihinmin ${picture.revolution ? 'upside' : ''}` },
      h('div', { class: 'felt' },
        picture.seats.slice(1).map((one) => seatNode(ctx, one)),
        pile(ctx, picture),
        seatNode(ctx, picture.seats[0])),
      ctx.isSmall ? null : [
        exchanged ? h('p', { class: 'exchanged' }, t(exchanged.received && !exchanged.given ? 'dh.received' : exchanged.given && !exchanged.received ? 'dh.given' : 'dh.exchanged', { who: ctx.nameOf(exchanged.partner), given: list(exchanged.given) || '–', received: list(exchanged.received) || '–' })) : null,
        picture.hand.length > 0 || ctx.isPlayer ? hand(ctx, picture, moves) : null,
        h('div', { class: 'dh-notes' }, trickList(ctx, picture), counted(ctx, picture))]);
  },

  read(text, moves) {
    const wanted = text.trim().toUpperCase();
    if (wanted === '' || wanted === 'PASS') return moves.includes('pass') && wanted === 'PASS' ? 'pass' : null;
    const plain = wanted.replace(/^GIVE/, '').replace(/[\s,]/g, '').replace(/10/g, 'T');
    const norm = (move) => (move.replace(/^give /, '').match(/../g) ?? []).map((one) => one.toUpperCase()).sort().join('');
    const sorted = (plain.match(/../g) ?? []).sort().join('');
    const held = new Set((plain.match(/../g) ?? []).map((one) => (one[0] === 'J' || 'KLMN'.includes(one[0]) ? 'J3' : one)));
    return moves.find((move) => norm(move) === sorted) ?? matches(moves, held)[0] ?? null;
  },
  example: 'S8H8, pass',

  seatName: (t, seat) => t('dh.seat', { n: seat + 1 }),
  placeName: (t, place) => t(`dh.${TITLES[place - 1]}`),
  say: (t, frame) => melded(t, frame.move),
  short: (t, move) => melded(t, move),

  /** The hands with which play began, once they are open. */
  reveal({ t, seat, names, frames }) {
    const first = frames.find((one) => one.views.length === SEATS && one.views.every((view) => view.hand !== undefined && view.owed.every((n) => n === 0)));
    if (!first) return null;
    const at = (index) => (seat + index) % SEATS;
    return h('div', { class: 'reveal' }, h('h3', {}, t('end.hands')), first.views.map((_, index) => h('div', { key: index, class: 'reveal-row' },
      h('b', {}, names[at(index)]), h('span', { class: 'open-hand' }, inOrder(cardsOf(first.views[at(index)].hand)).map((one) => lying(t, one, one.text))))));
  },

  notable(frame, before) {
    const turned = (one) => Boolean(one?.views?.[0]?.table?.revolution);
    return before?.game === frame.game && turned(frame) !== turned(before) ? 'revolution' : null;
  },
};
