// The page of a table: its pace, its connection, a rematch.

import assert from 'node:assert/strict';
import test from 'node:test';

import { find, textOf } from '../../assets/dom.js';
import { levelAfter } from '../../assets/ladder.js';
import { Pace } from '../../assets/pace.js';
import { Session } from '../../assets/session.js';
import { stage } from '../../assets/stage.js';
import { appIn, frame, shogi, Line, listener } from './mocks.js';

test('moves of others are shown one after the other, and what came before the reader at once', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let [now, every, ply] = [0, 500, 0];
  const shown = [];
  const pace = new Pace((message) => shown.push(message.move ?? message.type), () => every, () => now);
  const later = (ms) => { now += ms; context.mock.timers.tick(ms); return shown.splice(0); };
  const by = (seat, move) => ({ type: 'frame', game: 1, ply: ply += 1, seat, move, players: [0, 1, 2] });
  const take = (...messages) => { for (const message of messages) pace.take(message); return shown.splice(0); };
  assert.deepEqual(take({ type: 'table', you: 0, missed: 2 }, by(1, 'a'), by(2, 'b'), { type: 'ask', left_ms: null }), ['table', 'a', 'b', 'ask']);
  // The reader's own move, and the replies before the next request.
  assert.deepEqual(take(by(0, 'c'), by(1, 'd'), by(2, 'e'), { type: 'ask', left_ms: null }), ['c']);
  assert.deepEqual([later(499), later(1), later(500)], [[], ['d'], ['e', 'ask']]);
  // A click shows all pending moves.
  take(by(0, 'f'), by(1, 'g'), by(2, 'h'), { type: 'result' });
  assert.ok(pace.isWaiting);
  pace.skip();
  assert.deepEqual([shown.splice(0), pace.isWaiting], [['g', 'h', 'result'], false]);
  // While the reader's clock runs, all pending moves take at most half a second, or a part of the remaining time.
  const clocked = (left_ms) => { take(by(0, 'i'), by(1, 'j'), by(2, 'k'), { type: 'ask', left_ms }); };
  clocked(60_000);
  assert.deepEqual([later(249), later(1), later(250)], [[], ['j'], ['k', 'ask']]);
  clocked(1000);
  assert.deepEqual([later(25), later(25)], [['j'], ['k', 'ask']]);
  // Without a clock, too, the end of a game and a question wait for so long only.
  every = 1000;
  take(by(0, 'n'), ...[...'opqrs'].map((move) => by(1, move)), { type: 'result' });
  assert.deepEqual(Array.from({ length: 5 }, () => later(400)), [['o'], ['p'], ['q'], ['r'], ['s', 'result']]);
  // A frame that is sent again, as when a seat is out, waits for nothing.
  later(1000);
  const once = by(1, 't');
  assert.deepEqual(take(once, once), ['t', 't']);
  every = 0;
  assert.deepEqual(take(by(1, 'l'), by(2, 'm')), ['l', 'm']);
});

test('a clock runs from when its message came, whenever that is shown', () => {
  let now = 1000;
  const session = new Session(() => now);
  session.take({ type: 'table', id: '1', you: 0, players: [] });
  session.take(frame(1, 0));
  now = 1400;
  session.take({ type: 'ask', game: 1, ply: 0, moves: [], left_ms: 9000, at: 1000 });
  assert.equal(session.clock.of(0, now), 8600);
});

test('a rematch is offered to the others at the table, and waits for them', () => {
  const session = new Session(() => 0);
  const players = [{ name: 'ana', player: 0, kind: 'person' }, { name: 'guest', player: 1, kind: 'person' }];
  session.take({ type: 'table', id: '1', game: 'dobutsu', games: 1, you: 0, players, can: { again: true } });
  session.take(shogi(1, 0));
  session.take({ type: 'result', game: 1, places: [1, 2], end: 'catch' });
  session.take({ type: 'over', games: 1, scores: [1, 0], reason: null, record: null });
  const drawn = () => stage(appIn('en'), session, { seat: 0, act: { again() {} } });
  const button = () => find(drawn(), (node) => node.props?.key === 'again').map((node) => [textOf(node), Boolean(node.props.disabled)]);
  assert.deepEqual(button(), [['Play again', false]]);
  session.take({ type: 'again', players: [1] });
  assert.match(textOf(drawn()), /guest wants to play again/);
  session.take({ type: 'again', players: [0] });
  assert.deepEqual(button(), [['Waiting for guest', true]]);
  assert.equal(find(drawn(), (node) => node.props?.href === '/play/dobutsu').length, 1, 'the guest may be gone');
  session.error = { code: 'again', message: 'x' };
  assert.equal(find(drawn(), (node) => node.props?.href === '/play/dobutsu').length, 1);
  session.take({ type: 'table', id: '1', game: 'dobutsu', games: 1, you: 1, players });
  assert.deepEqual([session.over, session.again, session.reel.frame], [null, [], null]);
});

test('a page keeps the token that it is given for a link, also when it loads the link again', (context) => {
  const kept = new Map();
  const localStorage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  Object.defineProperty(globalThis, 'localStorage', { value: localStorage, configurable: true });
  const addresses = [];
  globalThis.history = { state: null, replaceState: (...state) => addresses.push(state) };
  context.after(() => {
    delete globalThis.localStorage;
    delete globalThis.history;
  });
  const { about, take } = listener(context);
  const first = Line.all.at(-1);
  const sits = (token) => [{ type: 'sit', table: '1', token, name: '' }];
  first.onopen();
  assert.deepEqual(first.sent, sits('t'));
  take({ type: 'token', token: 'own' });
  assert.deepEqual(first.sent, [...sits('t'), ...sits('own')]);
  assert.deepEqual([kept.size, addresses], [0, []], 'the seat may go to another page still');
  take(about);
  assert.deepEqual(addresses, [[null, '', '#own']]);
  const again = listener(context);
  const second = Line.all.at(-1);
  second.onopen();
  assert.deepEqual(second.sent, sits('own'));
  assert.deepEqual(again.take({ type: 'error', code: 'taken', message: 'x' }), ['The seat is taken: this link has been used, or somebody was quicker.']);
});

test('a page that comes back after a match asks for another one when it is told that this one is over', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  for (const [record, asks] of [['1', 1], ['1-2', 0]]) {
    const { about, take, page } = listener(context);
    const match = { ...about, games: 1, can: { again: true }, players: about.players.map((one) => ({ ...one, kind: 'person' })) };
    const over = { type: 'over', games: 1, scores: [0, 1], reason: null, record: null };
    const end = [frame(1, 0), { type: 'result', game: 1, places: [2, 1], end: 'line' }, over];
    take({ ...match, record: '1' }, ...end);
    // Another person may ask meanwhile: the page comes back by itself.
    const first = Line.all.at(-1);
    first.readyState = 3;
    first.onclose();
    find(page.draw(), (node) => node.props?.key === 'again')[0].props.onclick();
    context.mock.timers.tick(250);
    const second = Line.all.at(-1);
    assert.notEqual(second, first);
    second.onopen();
    assert.deepEqual(second.sent.map((one) => one.type), ['sit']);
    take({ ...match, record }, ...end);
    assert.equal(second.sent.filter((one) => one.type === 'again').length, asks);
  }
});

test('a click or a key that shows pending moves presses nothing on the board', (context) => {
  const { about, take, heard } = listener(context, { paces: { play: 'slow' } });
  const moved = (ply) => frame(1, ply, { seat: 1, move: 'b3', players: [0, 1] });
  const target = { closest: (what) => (what === '.board' ? {} : null) };
  let stopped = 0;
  const event = (type, key) => heard[type]({ type, key, target, stopPropagation() { stopped += 1; } });
  take(about, frame(1, 0));
  for (const [at, [type, key]] of [['pointerdown'], ['keydown', 'Enter'], ['keydown', ' ']].entries()) {
    take(moved(2 * at + 1), moved(2 * at + 2));
    stopped = 0;
    event(type, key);
    event('click');
    assert.equal(stopped, 2, type);
    event(type, key);
    event('click');
    assert.equal(stopped, 2, 'nothing is pending');
  }
});

test('who listens hears of the game that is told, whichever is shown', (context) => {
  const { about, take, key } = listener(context);
  const ask = (game, ply) => ({ type: 'ask', game, ply, moves: ['b3'] });
  // The seats change with every game.
  const at = (game, ply) => frame(game, ply, { move: ply === 0 ? null : 'b3', players: game === 2 ? [1, 0] : [0, 1], views: [{ moves: 'b3'.repeat(ply) }] });
  const end = (game) => ({ type: 'result', game, places: game === 1 ? [2, 1] : [1, 2], end: 'line' });
  assert.deepEqual(take(about, at(1, 0), ask(1, 0), at(1, 1)), ['Your move.', 'you: b3']);
  assert.deepEqual(take(end(1)), ['You lose: four in a row']);
  assert.deepEqual(take(at(2, 0), at(2, 1), ask(2, 1)), ['You lose: four in a row. The next game has begun. Your move.']);
  assert.deepEqual(take(at(2, 2), at(2, 3), ask(2, 3)), ['Your move.'], 'the end is said once');
  assert.deepEqual(take(about, at(2, 0), at(2, 1), at(2, 2), at(2, 3), ask(2, 3)), ['Your move.'], 'the connection has come back');
  key('ArrowLeft');
  assert.deepEqual(take(at(2, 4), at(2, 5), ask(2, 5)), ['bo: b3. Your move.'], 'the first seat is that of bo now');
  key('End');
  assert.deepEqual(take(end(2)), ['The game is over'], 'the end of the first game is shown');
  // Another match.
  assert.deepEqual(take({ type: 'over', games: 2, scores: [0, 2] }, about, at(1, 0), end(1), at(2, 0), at(2, 1), ask(2, 1)).at(-1), 'You lose: four in a row. The next game has begun. Your move.');
});

test('who listens hears that the time was up until the next question', (context) => {
  const { about, take, key } = listener(context);
  const at = (ply) => frame(1, ply, { move: ply === 0 ? null : 'b3', views: [{ moves: 'b3'.repeat(ply) }] });
  const ask = (ply) => ({ type: 'ask', game: 1, ply, moves: ['pass'] });
  take(about, at(0), ask(0));
  const late = 'Your time was up: you passed.';
  assert.deepEqual(take({ type: 'error', code: 'timeout', message: 'late' }, at(1), at(2), ask(2)), [late, `${late} you: b3`, `${late} bo: b3`, `${late} bo: b3. Your move.`]);
  key('p');
  assert.deepEqual(take(at(3)), ['you: b3']);
});

test('an offer has an answer, and holds until the next move', () => {
  const session = new Session(() => 0);
  const players = [{ name: 'ana', player: 0, kind: 'person' }, { name: 'bo', player: 1, kind: 'person' }];
  session.take({ type: 'table', id: '1', game: 'dobutsu', you: 0, players, can: { takeback: true, draw: true } });
  for (const ply of [0, 1]) session.take({ ...shogi(1, ply), to_move: ply });
  session.net = 'open';
  const said = [];
  const act = { play() {}, draw: (says) => said.push(['draw', says]), takeback: (says) => said.push(['takeback', says]) };
  const drawn = () => stage(appIn('en'), session, { seat: 0, act });
  const buttons = () => find(drawn(), (node) => node.tag === 'button' && ['takeback', 'draw', 'accept', 'decline', 'withdraw'].includes(node.props.key) && !node.props.disabled);
  const press = (name) => buttons().find((node) => textOf(node) === name).props.onclick({});
  const can = () => buttons().map(textOf);
  const status = () => textOf(find(drawn(), (node) => node.props?.class?.startsWith('status'))[0]);
  const offer = (about, player, says) => session.take({ type: 'offer', about, player, act: says });
  assert.deepEqual(can(), ['Ask to take back', 'Offer a draw']);
  press('Offer a draw');
  press('Ask to take back');
  offer('draw', 0, 'offer');
  assert.deepEqual(can(), ['Withdraw']);
  assert.equal(textOf(find(drawn(), (node) => node.props?.key === 'offer')[0]), 'You offer a draw.Withdraw');
  press('Withdraw');
  offer('draw', 1, 'decline');
  assert.deepEqual([can(), status()], [['Ask to take back', 'Offer a draw'], 'bo declines.']);
  offer('takeback', 1, 'offer');
  assert.deepEqual([can(), status()], [['Accept', 'Decline'], 'bo asks to take the last move back.']);
  press('Accept');
  press('Decline');
  assert.deepEqual(said, [['draw', 'offer'], ['takeback', 'offer'], ['draw', 'withdraw'], ['takeback', 'accept'], ['takeback', 'decline']]);
  session.take({ ...shogi(1, 2), to_move: 0 });
  assert.deepEqual(can(), ['Ask to take back', 'Offer a draw']);
  offer('draw', 1, 'offer');
  session.take({ type: 'result', game: 1, places: [1, 1], end: 'agreed' });
  assert.deepEqual(can(), []);
  assert.equal(textOf(find(drawn(), (node) => node.props?.class === 'why')[0]), 'by agreement');
});

test('a page that has lost its seat has no buttons for it, and a way on', () => {
  const session = new Session(() => 0);
  session.take({ type: 'table', id: '1', game: 'dobutsu', you: 0, players: [{ name: 'ana', player: 0 }, { name: 'bo', player: 1 }], can: { resign: true, takeback: true, hint: true } });
  for (const ply of [0, 1, 2]) session.take({ ...shogi(1, ply), to_move: 0 });
  session.take({ type: 'ask', game: 1, ply: 2, moves: ['2c2b'] });
  const taken = [];
  const act = { play() {}, takeOver: () => taken.push('over') };
  const drawn = () => stage(appIn('en'), session, { seat: 0, act });
  const can = () => find(drawn(), (node) => node.tag === 'button' && ['Hint', 'Take back', 'Resign', 'Move'].includes(textOf(node))).map((node) => !node.props.disabled);
  const ways = () => find(drawn(), (node) => node.props?.key === 'on');
  session.net = 'open';
  assert.deepEqual([can(), ways()], [[true, true, true, true], []]);
  for (const [net, code, text, way] of [
    ['lost', null, 'The connection is lost; trying again…', 'New game'],
    ['open', 'stopped', 'The server of the page has ended.', 'New game'],
    ['lost', 'stopped', 'The server of the page has ended.', 'New game'],
    ['closed', 'token', 'There is no such seat, or its table has ended.', 'New game'],
    ['closed', 'replaced', 'Another window has taken this seat.', 'Take it back'],
  ]) {
    Object.assign(session, { net, error: code && { code } });
    const page = drawn();
    assert.deepEqual(can(), [false, false, false, false], code);
    assert.deepEqual(ways().map(textOf), [way]);
    assert.deepEqual(find(page, (node) => node.props?.class?.split(' ').includes('bad')).map(textOf).filter(Boolean), [text]);
    ways()[0].props.onclick?.();
  }
  assert.deepEqual(taken, ['over']);
});

test('after a win the next level is offered, after two losses the one below, and each match counts once', (context) => {
  const kept = new Map();
  const before = globalThis.localStorage;
  context.after(() => { globalThis.localStorage = before; });
  globalThis.localStorage = { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value) };
  const player = (name, at) => ({ name, player: at, kind: name.startsWith('person') ? 'person' : 'bot' });
  const after = (scores, match, level = 3, names = ['person', `level-${level}`]) => levelAfter({ table: { game: 'dobutsu', you: 0, record: match, players: names.map(player) }, over: { scores } });
  assert.equal(after([1, 0], 'a'), 4);
  assert.equal(after([1, 0], 'b', 9), null);
  assert.equal(after([0, 1], 'c'), null);
  assert.equal(after([0, 1], 'c'), null);
  assert.equal(after([0.5, 0.5], 'd'), null);
  assert.equal(after([0, 1], 'e'), null);
  assert.equal(after([0, 1], 'f', 2), null);
  assert.equal(after([0, 1], 'g'), null);
  assert.equal(after([0, 1], 'h'), 2);
  assert.equal(after([0, 1], 'h'), 2);
  assert.equal(after([0, 1], 'i', 1), null);
  assert.equal(after([0, 1], 'j', 1), null);
  assert.equal(after(null, 'k'), null);
  assert.equal(after([4, 5, 3, 2, 1], 'l', 3, ['person', ...['', '-2', '-3', '-4'].map((n) => `level-3${n}`)]), null);
  assert.equal(after([5, 4, 3, 2, 1], 'm', 3, ['person', ...['', '-2', '-3', '-4'].map((n) => `level-3${n}`)]), 4);
  for (const names of [['person', 'best'], ['person', 'person2'], ['person', 'level-2', 'level-3']]) assert.equal(after([1, 0], 'n', 3, names), null, names.join());
});
