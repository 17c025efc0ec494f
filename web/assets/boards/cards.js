// Cards of Daihinmin: their texts, their order, and how they look.

import { h } from '../dom.js';

export const SUITS = 'SHDC';
export const RANKS = '3456789TJQKA2';
const JOKER_ROWS = 'KLMNJ';

const PATHS = {
  S: 'M12 2C9 7 3 10 3 15C3 19 8 20.5 11 17.5C11 20 10 21.5 8 22.5H16C14 21.5 13 20 13 17.5C16 20.5 21 19 21 15C21 10 15 7 12 2Z',
  H: 'M12 21.5C5 16 2 12 2 8C2 2.5 9 1.5 12 6.5C15 1.5 22 2.5 22 8C22 12 19 16 12 21.5Z',
  D: 'M12 1.5L20 12L12 22.5L4 12Z',
  C: 'M12 2A5 5 0 0 0 8 10A5 5 0 1 0 11 17C11 20 10 21.5 8 22.5H16C14 21.5 13 20 13 17A5 5 0 1 0 16 10A5 5 0 0 0 12 2Z',
};

/** The card of a text of two letters. In a meld the joker has the suit and rank of the card that it stands for. */
export function card(text) {
  const row = JOKER_ROWS.indexOf(text[0]);
  const isJoker = row >= 0;
  const suit = isJoker ? SUITS[row] ?? null : text[0];
  const rank = text[1] === 'x' || (isJoker && row === 4 && text === 'J3') ? null : text[1];
  return { text, isJoker, suit, rank, held: isJoker ? 'J3' : text };
}

/** The cards of a text such as `H8L9HT`; none for a pass. */
export function cardsOf(text) {
  if (!text || text === 'pass' || text === 'give') return [];
  return (text.replace(/^give /, '').match(/\S\S/g) ?? []).map(card);
}

/** The cards of the hand that a move lays down, as a set of texts. */
export const heldOf = (move) => new Set(cardsOf(move).map((one) => one.held));

/** Strength from 0 for a 3 to 12 for a 2, and 13 for the joker. */
const strength = (one) => (one.isJoker ? 13 : RANKS.indexOf(one.rank));

/** Cards from the weakest to the strongest; in a revolution the other way round but for the joker. */
export function inOrder(cards, isRevolution = false) {
  const order = (one) => (isRevolution && !one.isJoker ? 12 - strength(one) : strength(one));
  return [...cards].sort((a, b) => order(a) - order(b) || SUITS.indexOf(a.suit) - SUITS.indexOf(b.suit));
}

/** What a card is called: `♠3`, `♥10`, the joker by name. */
export function cardName(t, one) {
  const rank = one.rank === 'T' ? '10' : one.rank;
  if (one.isJoker) return one.suit && one.rank ? `${t('dh.joker')} (${t(`dh.${one.suit}`)}${rank})` : t('dh.joker');
  return `${t(`dh.${one.suit}`)}${rank}`;
}

export const suitSign = (suit) => h('svg', { class: `suit ${suit}`, viewBox: '0 0 24 24', 'aria-hidden': 'true' }, h('path', { d: PATHS[suit] }));

const jester = () => h('svg', { class: 'suit jester', viewBox: '0 0 24 24', 'aria-hidden': 'true' },
  h('path', { d: 'M12 1.5L15 8.6L22.6 9.3L16.9 14.3L18.6 21.8L12 17.8L5.4 21.8L7.1 14.3L1.4 9.3L9 8.6Z' }));

/** The face of a card. */
export function face(one) {
  const rank = one.rank === 'T' ? '10' : one.rank;
  const red = one.suit === 'H' || one.suit === 'D';
  const inside = one.isJoker
    ? [h('span', { class: 'corner' }, h('b', {}, rank && one.suit ? rank : 'J'), rank && one.suit ? suitSign(one.suit) : null), jester(), h('span', { class: 'joker-word' }, 'JOKER')]
    : [h('span', { class: 'corner' }, h('b', {}, rank), suitSign(one.suit)), h('span', { class: 'pip' }, suitSign(one.suit)), one.text === 'S3' ? h('span', { class: 'beats-joker' }, '★') : null];
  return h('span', { class: `face ${one.isJoker ? 'joker' : red ? 'red' : 'black'}` }, inside);
}

/** A card that lies on the table. */
export const lying = (t, one, key) => h('span', { key, class: 'card', role: 'img', 'aria-label': cardName(t, one) }, face(one));
