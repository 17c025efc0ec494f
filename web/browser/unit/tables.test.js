// Tables that a person makes: the form, the invitation, the list of this browser's tables.

import assert from 'node:assert/strict';
import test from 'node:test';

import { find, textOf } from '../../assets/dom.js';
import { home, inviteList, openOrigin, request } from '../../assets/pages/home.js';
import { forgetSeat, keepSeat, ownTables } from '../../assets/seats.js';
import { appIn } from './mocks.js';

test('an invitation has an address that leads its guest to this machine, or says how there is one', () => {
  const lan = 'http://192.0.2.7:8080';
  for (const here of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://127.1.2.3', 'http://[::1]:8080']) {
    assert.deepEqual([openOrigin(here, lan), openOrigin(here, null)], [lan, null], here);
  }
  for (const here of [lan, 'https://play.example', 'http://localhost.example', 'http://127.example']) assert.equal(openOrigin(here, null), here);
  const links = [{ seat: 1, url: 'a' }, { seat: 2, url: 'b' }, { seat: null, url: 'c' }];
  const shown = (language, invite) => textOf({ children: inviteList(appIn(language), invite).filter(Boolean) });
  for (const language of ['en', 'ja']) {
    assert.match(shown(language, { links, isOpen: false }), /--listen 0\.0\.0\.0:8080/);
    assert.doesNotMatch(shown(language, { links, isOpen: true }), /--listen/);
  }
  // The seats change with every match, so the links promise none.
  assert.equal(shown('en', { links, isOpen: true }), 'guestCopyguest2CopyLink for watchersCopy');
});

/** Mocks the storage of a browser and the response of each address. */
function browser(context, answers = {}) {
  const kept = new Map();
  const asked = [];
  const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  Object.defineProperty(globalThis, 'localStorage', { value: storage, configurable: true });
  context.mock.method(globalThis, 'fetch', async (path, { body } = {}) => {
    const value = body && JSON.parse(body);
    asked.push([path, value]);
    const answer = answers[path]?.(value);
    return { ok: answer !== undefined, status: answer === undefined ? 500 : 200, text: async () => JSON.stringify(answer ?? null) };
  });
  context.after(() => delete globalThis.localStorage);
  return { kept, asked, settle: () => new Promise((done) => { setTimeout(done); }) };
}

test('the tables of a browser are listed, to come back to or to end, until they are over', async (context) => {
  const alive = new Map([['a', { table: '1', game: 'dobutsu', players: ['person', 'level-3'], you: 0, waits: false, yours: true }], ['b', { table: '2', game: 'blokus', players: ['person', 'guest', 'guest2', 'guest3'], you: 1, waits: true, yours: false }]]);
  const { kept, settle } = browser(context, {
    '/api/seats': (held) => held.map(({ token }) => alive.get(token) ?? null),
    '/api/seats/end': ({ token }) => alive.delete(token),
  });
  const seats = () => JSON.parse(kept.get('taikyoku.seats')).map((one) => one.token);
  for (const [table, token] of [['1', 'a'], ['2', 'b'], ['3', 'gone'], ['1', 'a']]) keepSeat(table, token);
  forgetSeat('none');
  assert.deepEqual(seats(), ['b', 'gone', 'a']);
  const own = ownTables(appIn('en'));
  assert.equal(own.draw(), null);
  await settle();
  assert.deepEqual(seats(), ['b', 'a']);
  const rows = () => find(own.draw(), (node) => node.tag === 'li');
  assert.deepEqual(rows().map(textOf), ['Blokusperson, guest2, guest3 · Waiting for the othersResumeEnd', 'Dobutsu shogiLevel 3 · Your moveResumeEnd']);
  assert.deepEqual(find(own.draw(), (node) => node.tag === 'a').map((node) => node.props.href), ['/t/2#b', '/t/1#a']);
  // The page asks before it ends a table.
  const press = () => find(rows()[1], (node) => node.tag === 'button')[0].props.onclick();
  press();
  assert.match(textOf(rows()[1]), /End it\?$/);
  assert.equal(alive.size, 2);
  await press();
  assert.deepEqual([rows().length, [...alive.keys()], seats()], [1, ['b'], ['b']]);
});

test('a table of Daihinmin is made without a choice of the seat, as its seats are drawn', async (context) => {
  const about = { engines: [], levels: ['level-1', 'level-2', 'level-3'], usual_level: 'level-3', increments: false };
  const { settle } = browser(context, { '/api/games': () => [{ name: 'daihinmin', seats: 5, ...about }, { name: 'blokus', seats: 4, ...about }] });
  const labels = async (game) => {
    const page = home(appIn('en'), game);
    await settle();
    return find(page.draw(), (node) => node.tag === 'label').map((node) => textOf(node.children[0]));
  };
  assert.ok((await labels('blokus')).includes('Your seat'));
  assert.ok(!(await labels('daihinmin')).includes('Your seat'));
});

test('the request for a table has the person in its seat and the others in order', () => {
  const form = { game: 'daihinmin', seat: 2, others: [{ kind: 'bot', spec: 'a', think: 100 }, { kind: 'open' }, { kind: 'bot', spec: 'c', think: 300 }, { kind: 'bot', spec: 'level-3', think: null }], clock: null, games: 3, practice: true };
  const body = request(form, 5);
  assert.deepEqual(body.seats.map((one) => one.kind), ['bot', 'open', 'person', 'bot', 'bot']);
  assert.ok(!('you' in body), 'the server refuses other fields');
  assert.equal(body.practice, false);
  assert.deepEqual(body.seats[0], { kind: 'bot', spec: 'a', move_ms: 100 });
  assert.deepEqual(body.seats[4], { kind: 'bot', spec: 'level-3' }, 'a level has no thinking time of its own');
});
