// What positions are worth, in one unit a game: a bar beside the board, a graph of the game, and turning points in words.

import { h } from './dom.js';
import { estimate, unitOf, valueText } from './panel.js';

export const HEIGHT = 130;
export const PAD = 12;
/** On a small screen the graph is less wide, and so its letters are as large as elsewhere. */
export const width = () => (globalThis.innerWidth < 700 ? 330 : 640);

/** The value of a game that is over for each seat, from -1 to 1; `null` where it does not count. */
export function outcomeOf(game, result) {
  if (!result || !(result.places?.length > 0)) return null;
  if (result.places.length === 2) return result.places.map((place, seat) => Math.sign(result.places[1 - seat] - place));
  if (game === 'daihinmin') return result.places.map((place) => (3 - place) / 2);
  return result.scores?.length === result.places.length ? result.scores.map((score) => 2 * score - 1) : null;
}

/**
 * What is known of the positions of a game: `{ply, seat, value}` in their order, values for `seat` from -1 to 1. Those of the
 * engine that was asked for, by ply, stand in the place of what the bots wrote of their moves.
 */
export function valuesOf(frames, asked = new Map()) {
  if (asked.size > 0) return [...asked.values()].filter((one) => typeof one.value === 'number').sort((a, b) => a.ply - b.ply);
  return frames.filter((one) => typeof one.value === 'number' && typeof one.seat === 'number').map((one) => ({ ply: one.ply - 1, seat: one.seat, value: one.value }));
}

/** All that is known of the positions of the game shown, its end included. */
export function gameValues(session, frame) {
  const { reel, table } = session;
  const frames = reel.frames.filter((one) => one.game === frame.game);
  const values = valuesOf(frames, session.asked);
  const outcome = values.length > 0 ? outcomeOf(table.game, reel.results.get(frame.game)) : null;
  const seats = session.asked?.size > 0 && frame.players.length === 2 ? [0] : [...new Set(values.map((one) => one.seat))];
  const end = outcome === null ? [] : seats.map((seat) => ({ ply: frames.at(-1).ply, seat, value: outcome[seat], by: values[0].by }));
  return [...values, ...end];
}

/** The curves of the values: one for each seat that has any; with two at the table all tell the chance of the seat `of`. */
export function curves(values, count, of) {
  const isOne = count === 2;
  const seats = [...new Set(values.map((one) => one.seat))].sort();
  // One engine that values the moves of both sides has one curve.
  const isMixed = isOne && values.some((one) => one.by);
  const points = (wanted) => values.filter((one) => isMixed || one.seat === wanted).map((one) => ({ ply: one.ply, value: isOne && one.seat !== of ? -one.value : one.value }));
  return isMixed ? [{ seat: of, points: points(of) }] : seats.map((seat) => ({ seat, points: points(seat) }));
}

/** The last value that is known of each seat at a ply; with two at the table that of either tells both. */
export function valuesAt(values, count, ply) {
  const known = Array.from({ length: count }, () => null);
  for (const one of values) {
    if (one.ply > ply) break;
    known[one.seat] = one.value;
    if (count === 2) known[1 - one.seat] = -one.value;
  }
  return known;
}

/** The bar beside the board of two: how likely the seat that looks from below wins. */
export function valueBar(app, { game, names, seat, known }) {
  const { t } = app;
  if (known.length !== 2 || known[seat] === null) return null;
  const share = estimate(unitOf(game), known[seat]);
  const text = t('value.of', { who: names[seat], value: valueText(t, game, known[seat]) });
  return h('div', { key: 'value', class: 'value-bar', role: 'meter', 'aria-label': t(`unit.${unitOf(game)}`), 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': Math.round(100 * share), 'aria-valuetext': text, title: text },
    h('i', { class: `game-${game} fill${seat}`, style: { height: `${100 * share}%` } }),
    h('b', { class: share < 0.08 ? 'bare' : '' }, valueText(t, game, known[seat])));
}

/**
 * The graph of a game. `turns` are the turning points, `go` shows a ply, `seat` looks. Arrow keys walk as everywhere.
 */
export function valueGraph(app, { game, names, seat, values, turns, ply, plies, moveAt, go, source }) {
  const { t } = app;
  const count = names.length;
  const wide = width();
  const of = count === 2 ? seat : null;
  const lines = curves(values, count, of);
  if (lines.every((line) => line.points.length < 2)) return null;
  const x = (at) => PAD + (at / Math.max(1, plies)) * (wide - 2 * PAD);
  const y = (value) => PAD + ((1 - value) / 2) * (HEIGHT - 2 * PAD);
  const said = (at) => {
    const known = valuesAt(values, count, at);
    return names.map((who, one) => (known[one] === null || (of !== null && one !== of) ? null : t('value.of', { who, value: valueText(t, game, known[one]) }))).filter(Boolean).join(', ') || t('value.none');
  };
  const seek = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const at = ((event.clientX - box.x) / box.width) * wide;
    go(Math.max(0, Math.min(plies, Math.round(((at - PAD) / (wide - 2 * PAD)) * plies))));
  };
  const scale = [1, 0, -1].map((value) => h('text', { key: value, class: 'graph-scale', x: PAD + 2, y: y(value) + (value === 1 ? 11 : -4) }, valueText(t, game, value)));
  const label = t('value.graph', { unit: of === null ? t(`unit.${unitOf(game)}`) : t('value.chanceOf', { who: names[of] }) });
  return h('figure', { key: 'graph', class: 'value-graph' },
    h('figcaption', {}, label, ' ', h('small', {}, source)),
    h('svg', {
      viewBox: `0 0 ${wide} ${HEIGHT}`, tabindex: 0, role: 'slider', 'aria-label': label, 'aria-valuemin': 0, 'aria-valuemax': plies, 'aria-valuenow': ply,
      'aria-valuetext': `${t('reel.at', { ply, plies })}: ${said(ply)}`, onclick: seek,
    },
    h('path', { class: 'graph-middle', d: `M${PAD} ${y(0)}H${wide - PAD}` }),
    h('path', { class: 'graph-here', d: `M${x(ply)} 0V${HEIGHT}` }),
    lines.map((line) => h('polyline', { key: line.seat, class: `graph-line game-${game} line${line.seat}`, points: line.points.map((one) => `${x(one.ply).toFixed(1)},${y(one.value).toFixed(1)}`).join(' ') })),
    turns.filter((one) => one.kind === 'swing').map((one) => {
      const at = valuesAt(values, count, one.ply)[of ?? one.seat] ?? valuesAt(values, count, one.ply - 1)[of ?? one.seat] ?? 0;
      return h('circle', { key: one.ply, class: `graph-turn ${one.by < 0 ? 'loss' : 'gain'}`, cx: x(one.ply), cy: y(at), r: 6 });
    }),
    scale),
    count > 2 ? h('p', { class: 'graph-names' }, lines.map((line) => h('span', { key: line.seat }, h('i', { class: `game-${game} line${line.seat}` }), names[line.seat]))) : null,
    h('details', { class: 'value-table' }, h('summary', {}, t('value.table')),
      h('div', { tabindex: 0, role: 'region', 'aria-label': t('value.table') }, h('table', { class: 'thoughts' },
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, t('value.ply')), h('th', { scope: 'col' }, t('panel.move')), h('th', { scope: 'col' }, t('value.for')), h('th', { scope: 'col', class: 'value' }, t(`unit.${unitOf(game)}`)))),
        h('tbody', {}, values.map((one) => h('tr', { key: `${one.ply}.${one.seat}` }, h('td', {}, one.ply), h('td', {}, moveAt(one.ply)), h('td', {}, names[one.seat]), h('td', { class: 'value' }, valueText(t, game, one.value)))))))));
}

/** A turning point in words: what it cost or brought, and what would have been better. */
export function turnText(app, { game, who, ply, by, before, after, better, note }) {
  const { t } = app;
  if (note) return t('panel.swing', { ply, who, by: note });
  const change = t(by < 0 ? 'value.lost' : 'value.gained', { ply, who, by: changeOf(t, game, by) });
  if (!better || by > 0) return change;
  const keeps = before > 0 && after <= 0 && unitOf(game) === 'chance' ? 'value.keptLead' : 'value.kept';
  return t('value.better', { change, kept: t(keeps, { move: better, value: valueText(t, game, before) }) });
}

/** The size of a change of a value, in the unit of the game. */
function changeOf(t, game, by) {
  return unitOf(game) === 'points' ? t('end.points', { n: (2 * Math.abs(by)).toFixed(1) }) : `${Math.round(50 * Math.abs(by))}%`;
}
