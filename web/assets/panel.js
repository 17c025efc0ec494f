// What the bots thought: visits, values and lines of play; and hints with their exact values.

import { h } from './dom.js';

const EXACT = /^(win|loss|draw)(?: in (\d+))?$/;
/** Rows of a table of visits. */
const MOST_ROWS = 10;

const number = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : null);

/**
 * The moves of an explanation as `{move, value, chance, visits, exact}`, the same for all engines; the best first. `value` is
 * the engine's estimate, `chance` the probability that it chooses the move.
 */
export function movesOf(thought) {
  const list = [thought?.moves, thought?.candidates, thought?.children, thought?.pegs].find(Array.isArray) ?? [];
  return list.filter((one) => one && typeof one === 'object' && (one.move ?? one.peg) !== undefined).map((one) => ({
    move: String(one.move ?? one.peg), value: number(one.value ?? one.rate), chance: number(one.probability), visits: number(one.visits ?? one.playouts), exact: typeof one.exact === 'string' ? one.exact : null,
  })).sort((a, b) => worth(b.exact) - worth(a.exact) || (b.visits ?? 0) - (a.visits ?? 0) || (b.value ?? 0) - (a.value ?? 0) || (b.chance ?? 0) - (a.chance ?? 0));
}

/** The order of exact values: quick wins first, quick losses last. */
function worth(exact) {
  const [, kind, n] = EXACT.exec(exact ?? '') ?? [];
  return kind === 'win' ? 1000 - (n ?? 0) : kind === 'loss' ? Number(n ?? 0) - 1000 : 0;
}

/** The principal line of an explanation, as moves. */
export function lineOf(thought) {
  const line = thought?.pv ?? thought?.line ?? null;
  if (Array.isArray(line)) return line.map(String);
  return typeof line === 'string' ? line.split(/\s+/).filter(Boolean) : [];
}

/** An exact value such as `win in 5`, `loss in 4` or `draw` in the reader's language, and as a short sign. */
export function exactText(t, exact) {
  const found = EXACT.exec(exact ?? '');
  if (!found) return { text: exact ?? '', short: exact ?? '', kind: null };
  const [, kind, n] = found;
  const sign = { win: '○', loss: '●', draw: '=' }[kind];
  return { text: t(n ? `exact.${kind}In` : `exact.${kind}`, { n }), short: `${sign}${n ?? ''}`, kind };
}

/** The exact values of the moves of a hint as short signs, by move. */
export function exactSigns(ctx) {
  return new Map((ctx.hint?.moves ?? []).filter((one) => one.exact).map((one) => [one.move, exactText(ctx.t, one.exact).short]));
}

const percent = (value) => `${Math.round(100 * value)}%`;

/** The unit of the estimates in a game: chance of winning, in Blokus expected share of the win, in Daihinmin points. */
export const unitOf = (game) => ({ blokus: 'share', daihinmin: 'points' })[game] ?? 'chance';

/** Converts a value of the gateway, from -1 to 1, to its unit: points from 1 to 5, the others from 0 to 1. */
export const estimate = (unit, value) => (value === null ? null : unit === 'points' ? 3 + 2 * value : (value + 1) / 2);

/** A value of the gateway in its unit, as a text. */
export function valueText(t, game, value) {
  const unit = unitOf(game);
  return unit === 'points' ? t('end.points', { n: estimate(unit, value).toFixed(1) }) : percent(estimate(unit, value));
}

/** A number with a bar in proportion to it. */
const bar = (share, text) => h('span', { class: 'bar' }, h('i', { style: { width: `${100 * share}%` } }), h('span', {}, text));

/** An estimate; probabilities and shares have a bar. */
const worthNode = (unit, worth) => (worth === null ? '' : unit === 'points' ? worth.toFixed(2) : bar(worth, percent(worth)));

/** The table of an explanation's moves with their estimates. */
function table(t, moves, name, unit, chosen = null) {
  const most = Math.max(1, ...moves.map((one) => one.visits ?? 0));
  const [hasVisits, hasChances, hasValues] = ['visits', 'chance', 'value'].map((field) => moves.some((one) => one[field] !== null));
  // Every move that is exactly known is shown.
  const rows = moves.filter((one, index) => index < MOST_ROWS || one.exact !== null);
  return h('table', { class: 'thoughts' },
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, t('panel.move')), hasVisits ? h('th', { scope: 'col' }, t('panel.visits')) : null, hasChances ? h('th', { scope: 'col' }, t('panel.chosen')) : null,
      hasValues || moves.some((one) => one.exact) ? h('th', { scope: 'col', class: 'value' }, t(hasValues ? `unit.${unit}` : 'panel.exact')) : null)),
    h('tbody', {}, rows.map((one) => {
      const exact = one.exact ? exactText(t, one.exact) : null;
      return h('tr', { key: one.move, class: `${exact?.kind ? `exact-${exact.kind}` : ''} ${one.move === chosen ? 'chosen' : ''}` },
        h('th', { scope: 'row' }, name(one.move)),
        hasVisits ? h('td', {}, one.visits === null ? '' : bar(one.visits / most, one.visits)) : null,
        hasChances ? h('td', {}, one.chance === null ? '' : bar(one.chance, percent(one.chance))) : null,
        hasValues || exact ? h('td', { class: 'value' }, exact ? exact.text : one.visits === 0 ? '' : worthNode(unit, one.value)) : null);
    })));
}

/** What an engine is sure of: `win in 5`, from any of the ways in which engines write it; `null` where it is not. */
export function certainOf(thought) {
  const { value, distance, win, loss, exact, solved } = thought ?? {};
  const word = { win: 'win', lose: 'loss', loss: 'loss', draw: 'draw' }[value];
  if (word) return typeof distance === 'number' && word !== 'draw' ? `${word} in ${distance}` : word;
  if (typeof win === 'number') return `win in ${win}`;
  if (typeof loss === 'number') return `loss in ${loss}`;
  if (typeof solved === 'number') return solved > 0 ? 'win' : solved < 0 ? 'loss' : 'draw';
  return [exact, solved].find((one) => typeof one === 'string') ?? null;
}

/** What a bot of Geister believes of the colours of the eight ghosts before it. */
function belief(t, red) {
  return h('figure', { class: 'belief' }, h('figcaption', {}, t('panel.belief')),
    h('ol', {}, [...'ABCDEFGH'].slice(0, red.length).map((letter, index) => h('li', { key: letter, 'aria-label': `${letter} ${percent(red[index] ?? 0)}` },
      h('span', { class: 'belief-bar', 'aria-hidden': 'true' }, h('i', { style: { height: `${100 * (red[index] ?? 0)}%` } })), h('span', {}, letter)))));
}

/** Why an engine did not search, in the reader's words where they are known. */
function reasonText(t, reason) {
  if (typeof reason !== 'string') return null;
  const key = `because.${reason.replaceAll(' ', '-')}`;
  const text = t(key);
  return text === key ? reason : text;
}

/** The explanation of a move. `name` writes a move as people do, `value` is that of the position from -1 to 1. */
export function thoughtPanel(t, game, thought, name, value = null) {
  if (!thought) return h('p', { class: 'quiet' }, t('panel.none'));
  const moves = movesOf(thought);
  const line = lineOf(thought);
  const certain = certainOf(thought);
  const unit = unitOf(game);
  const chance = moves.find((one) => one.move === thought.move)?.chance ?? null;
  const amount = number(thought.playouts ?? thought.simulations);
  const facts = [
    [t('panel.exact'), certain === null ? null : exactText(t, certain).text],
    [t(`unit.${unit}`), certain !== null ? null : worthNode(unit, estimate(unit, number(value)))],
    [t('panel.chosen'), chance === null ? null : bar(chance, percent(chance))],
    [t('panel.squares'), number(thought.squares)?.toFixed(0)],
    [t('panel.reason'), reasonText(t, thought.reason)],
    [t('panel.playouts'), amount?.toLocaleString()], [t('panel.nodes'), number(thought.nodes)?.toLocaleString()], [t('panel.depth'), number(thought.depth)?.toFixed(Number.isInteger(thought.depth) ? 0 : 1)],
    [t('panel.ms'), number(thought.ms) === null ? null : `${Math.round(thought.ms)} ms`],
  ].filter(([, value]) => value);
  const red = Array.isArray(thought.red) ? thought.red.map(number) : [];
  return h('div', { class: 'thought' },
    facts.length > 0 ? h('dl', { class: 'facts' }, facts.map(([label, value]) => h('div', { key: label }, h('dt', {}, label), h('dd', {}, value)))) : null,
    red.length > 0 && red.length <= 8 ? belief(t, red) : null,
    moves.length > 0 ? table(t, moves, name, unit, thought.move) : null,
    line.length > 0 ? h('p', { class: 'pv' }, h('b', {}, `${t('panel.line')} `), line.slice(0, 12).map(name).join('  ')) : null);
}

/** The moves of a hint, whose values go from -1 to 1, or exact values alone where no engine has played. */
export function hintPanel(t, game, hint, name) {
  const unit = unitOf(game);
  const moves = movesOf(hint).map((one) => ({ ...one, value: estimate(unit, one.value) }));
  const [before, behind] = t('panel.noTable', { program: '\0' }).split('\0');
  return h('div', { class: 'hint' }, h('h2', {}, hint.engine === null ? t('panel.exactValues') : t('panel.hint', { engine: hint.engine ?? 'best' })),
    moves.length > 0 ? table(t, moves, name, unit) : hint.missing ? null : h('p', { class: 'quiet' }, t('panel.notSolved')),
    hint.missing === 'table' ? h('p', { class: 'quiet' }, before, h('code', {}, 'dobutsu-solve'), behind) : null);
}
