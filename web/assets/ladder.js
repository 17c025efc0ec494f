// From level to level: the next one after a win, the one below after two losses.

import { api } from './connection.js';
import { read, write } from './kept.js';

const HIGHEST = 9;
const LOSSES = 2;

/** The level of the bots at a table of one person, from 1; `null` where they have none or several. */
export function levelOf({ players }) {
  const bots = players.filter((one) => one.kind === 'bot');
  const levels = new Set(bots.map(({ name }) => Number(/^level-(\d)(-\d+)?$/.exec(name)?.[1] ?? 0)));
  const [level] = levels;
  return bots.length === players.length - 1 && levels.size === 1 && level > 0 ? level : null;
}

/** The level to offer after a match; `null` for none. A match is counted once, however often its end is told. */
export function levelAfter({ table, over }) {
  const level = levelOf(table);
  const own = over.scores?.[table.you];
  if (level === null || own === undefined) return null;
  const others = over.scores.filter((_, player) => player !== table.you);
  const name = `losses.${table.game}`;
  const [keptLevel, keptLosses, last] = (read(name) ?? '').split(' ');
  const before = Number(keptLevel) === level ? Number(keptLosses) : 0;
  const match = table.record ?? table.id;
  const isLost = own < Math.min(...others);
  const losses = last === match ? before : isLost ? before + 1 : 0;
  write(name, `${level} ${losses} ${match}`);
  if (own > Math.max(...others)) return level < HIGHEST ? level + 1 : null;
  return losses >= LOSSES && level > 1 ? level - 1 : null;
}

/** Makes a table like this one against bots of a level; gives its address. */
export async function tableOf(level, { game, games, players, practice, clocks, you }) {
  const { budget_ms, increment_ms, move_ms } = clocks ?? {};
  const clock = budget_ms || move_ms ? { budget_ms, increment_ms, move_ms } : null;
  const seats = players.map(({ player }) => (player === you ? { kind: 'person' } : { kind: 'bot', spec: `level-${level}` }));
  const { table, tokens: [{ token }] } = await api('/api/tables', { game, games, practice, clock, seats });
  return `/t/${encodeURIComponent(table)}#${token}`;
}
