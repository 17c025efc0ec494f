// Mocks of the application, of messages and of connections.

import { textIn } from '../../assets/i18n/index.js';
import { reasonIn } from '../../assets/i18n/reasons.js';
import { table } from '../../assets/pages/table.js';

/** A mock application in a language. */
export const appIn = (language) => ({ t: (key, values) => textIn(language, key, values), settings: { language }, reason: (text, nameOf, more) => reasonIn(language, text, nameOf, more), follow() {}, redraw() {}, go() {} });

export const frame = (game, ply, more = {}) => ({ type: 'frame', game, ply, seat: ply === 0 ? null : (ply - 1) % 2, move: ply === 0 ? null : `m${ply}`, to_move: ply % 2, views: [{ ply }], clocks: null, players: [0, 1], ...more });

/** One of Dobutsu shogi, which can be drawn. */
export const shogi = (game, ply) => frame(game, ply, { views: [{ board: 'gle/1c1/1C1/ELG b - 1', moves: [], position: '' }] });

/** A socket that does what a test says. */
export class Line {
  static OPEN = 1;
  static all = [];
  constructor() {
    this.readyState = 1;
    this.sent = [];
    Line.all.push(this);
  }
  send(text) { this.sent.push(JSON.parse(text)); }
  close() { this.readyState = 3; }
}

/** The page of the first of two at a table of four-in-a-row: `take` gives what it says on messages, `key` presses a key. */
export function listener(context, settings = {}) {
  const heard = {};
  Object.assign(globalThis, { location: { protocol: 'http:', host: 'x', hash: '#t', search: '' }, WebSocket: Line, document: { addEventListener(type, hear) { heard[type] = hear; }, removeEventListener() {} } });
  const said = [];
  const page = table({ t: (key, values) => textIn('en', key, values), settings, say: (text) => said.push(text), follow() {}, redraw() {} }, '1');
  context.after(() => page.close());
  return {
    page, heard,
    about: { type: 'table', id: '1', game: 'score-four', games: 3, you: 0, players: [{ name: 'person', player: 0, kind: 'person' }, { name: 'bo', player: 1, kind: 'bot' }] },
    take(...messages) {
      said.length = 0;
      for (const message of messages) Line.all.at(-1).onmessage({ data: JSON.stringify(message) });
      return [...said];
    },
    key: (key) => page.onkeydown({ key, target: {}, preventDefault() {} }),
  };
}
