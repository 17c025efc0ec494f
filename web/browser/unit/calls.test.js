// What calls the reader: which sound, when, and the system's notice.

import assert from 'node:assert/strict';
import test from 'node:test';

import { call, noticeField, soundOf } from '../../assets/calls.js';
import { find } from '../../assets/dom.js';
import { Session } from '../../assets/session.js';
import { isRush } from '../../assets/sound.js';
import { appIn, frame } from './mocks.js';

const BOARDS = { before: 'gle/1c1/1C1/ELG b - 1', taken: 'gle/1C1/3/ELG w C 2' };
const shown = (ply, board) => frame(1, ply, { views: [{ board, moves: [], position: '' }] });

function atTable(game, you = 0, ...messages) {
  const session = new Session(() => 0);
  session.take({ type: 'table', id: '1', game, you, players: [] });
  messages.forEach((message) => session.take(message));
  return session;
}

test('a move, a capture, a turn among several and each end have their sounds', () => {
  const first = shown(0, BOARDS.before);
  const session = atTable('dobutsu', 0, first);
  assert.equal(soundOf(session, 'frame', null, false), null);
  session.take(shown(1, BOARDS.before));
  assert.equal(soundOf(session, 'frame', first, false), 'move');
  session.take(shown(1, BOARDS.taken));
  assert.equal(soundOf(session, 'frame', first, false), 'capture');
  assert.deepEqual([false, true].map((isHidden) => soundOf(session, 'ask', null, isHidden)), [null, 'turn']);
  const many = atTable('blokus', 0, frame(1, 1, { players: [0, 1, 2, 3] }));
  assert.equal(soundOf(many, 'ask', null, false), 'turn');
  const ends = [[[1, 2], 0], [[2, 1], 0], [[1, 1], 0], [[1, 2], null]].map(([places, you]) => soundOf(atTable('dobutsu', you, first, { type: 'result', game: 1, places }), 'result', null, false));
  assert.deepEqual(ends, ['won', 'lost', 'end', 'end']);
  const ghosts = (place) => frame(1, 3, { views: [{ ghosts: [[place, '24u'], ['13u', '33u']] }] });
  const geister = atTable('geister', 0, ghosts('99r'));
  assert.equal(soundOf(geister, 'frame', ghosts('13u'), false), 'capture');
});

test('moves at full speed are silent, and a move with its answer is heard', () => {
  assert.deepEqual([0, 5, 100, 200, 900, 910, 5000].map((at) => isRush(10_000 + at)), [false, false, true, true, false, false, false]);
});

test('the system tells of a turn on a hidden page alone, once the reader wants it and the browser allows it', async (context) => {
  const before = { Notification: globalThis.Notification, document: globalThis.document };
  context.after(() => Object.assign(globalThis, before));
  const made = [];
  class Notice {
    static permission = 'default';
    static answer = 'denied';
    static async requestPermission() {
      Notice.permission = Notice.answer;
      return Notice.answer;
    }
    constructor(title, options) { made.push([title, options.body]); }
    close() { made.push('closed'); }
  }
  const app = appIn('en');
  Object.assign(app.settings, { sound: false, notices: false, keepNotices(wanted) { app.settings.notices = wanted; } });
  globalThis.Notification = undefined;
  assert.equal(noticeField(app), null);
  globalThis.Notification = Notice;
  const box = () => find(noticeField(app), (node) => node.tag === 'input')[0].props;
  assert.deepEqual([box().checked, box().disabled], [false, false]);
  await box().onchange();
  assert.deepEqual([app.settings.notices, box().disabled], [false, true]);
  Object.assign(Notice, { permission: 'default', answer: 'granted' });
  await box().onchange();
  assert.ok(app.settings.notices);
  const session = atTable('dobutsu', 0, shown(0, BOARDS.before));
  globalThis.document = { hidden: false };
  call(app, session, 'ask', null);
  assert.deepEqual(made, []);
  globalThis.document = { hidden: true };
  call(app, session, 'ask', null);
  call(app, session, 'frame', null);
  assert.deepEqual(made, [['Your move', 'Dobutsu shogi'], 'closed']);
});
