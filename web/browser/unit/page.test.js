// The models of the page: frames, clocks, the session, texts, thoughts, requests.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';

import { GAMES } from '../../assets/boards/index.js';
import { towards, nearest } from '../../assets/boards/pick.js';
import { Clock, timeText } from '../../assets/clock.js';
import { Connection } from '../../assets/connection.js';
import { textIn } from '../../assets/i18n/index.js';
import { reasonIn, sentences } from '../../assets/i18n/reasons.js';
import { find, h, printable, textOf } from '../../assets/dom.js';
import { importer } from '../../assets/pages/import.js';
import { leagueNode } from '../../assets/pages/league.js';
import { organiser } from '../../assets/pages/organiser.js';
import { byScore, sorted } from '../../assets/pages/watch.js';
import { playersText } from '../../assets/pages/records.js';
import { onlyOf, readHash } from '../../assets/pages/replay.js';
import { certainOf, exactText, hintPanel, lineOf, movesOf, thoughtPanel, valueText } from '../../assets/panel.js';
import { Reel } from '../../assets/reel.js';
import { Session } from '../../assets/session.js';
import { scoreText, stage } from '../../assets/stage.js';
import { appIn, frame, shogi, Line } from './mocks.js';

test('values of the gateway come before those of the engine, which each engine counts in its own way', () => {
  const reel = new Reel();
  [0.5, 0.4, null, -0.3].forEach((value, at) => reel.add(frame(1, at + 1, { value, thought: { value: 70 * at } })));
  assert.deepEqual(reel.highlights().map(({ index, by }) => [index, by.toFixed(2)]), [[2, '0.70']]);
});

test('a thought finds its move, whichever comes first', () => {
  const reel = new Reel();
  reel.add(frame(1, 0));
  reel.think({ game: 1, ply: 1, thought: { value: 0.7 }, value: 0.4 });
  assert.equal(reel.frame.thought, undefined);
  reel.add(frame(1, 1));
  reel.add(frame(1, 2));
  reel.think({ game: 1, ply: 2, thought: { value: 0.2 }, value: null });
  assert.deepEqual(reel.frames.map((one) => one.value), [undefined, 0.4, null]);
});

test('a game that is over is shown as its record has it, and the place in it is kept', () => {
  const reel = new Reel();
  for (const [game, ply] of [[1, 0], [1, 1], [1, 2], [2, 0], [2, 1]]) reel.add(frame(game, ply, { views: ['own'] }));
  reel.show(1);
  const open = [0, 1, 2].map((ply) => frame(1, ply, { views: ['a', 'b'], thought: {} }));
  reel.unveil(1, open);
  assert.deepEqual([reel.frame.game, reel.frame.ply, reel.frame.views.length], [1, 1, 2]);
  reel.show(4);
  reel.unveil(2, [0, 1, 2].map((ply) => frame(2, ply, { views: ['a', 'b'] })));
  assert.deepEqual([reel.frame.ply, reel.isAtEnd, reel.frames.length], [2, true, 6]);
  reel.unveil(3, open);
  assert.equal(reel.frames.length, 6);
  // The record has more plies than the seat was told, and the next game has begun.
  reel.live = false;
  reel.addResult({ game: 2, places: [1, 2] });
  reel.add(frame(3, 0));
  reel.unveil(2, [0, 1, 2, 3].map((ply) => frame(2, ply, { views: ['a', 'b'] })));
  assert.deepEqual([reel.frame.game, reel.frame.ply, reel.result.game, reel.live], [2, 3, 2, false]);
});

test('the record tells who has lost by what', () => {
  const session = new Session(() => 0);
  session.take({ type: 'table', id: '1', you: 0, players: [] });
  for (const ply of [0, 1]) session.take(frame(1, ply));
  session.take({ type: 'result', game: 1, places: [], end: 'forfeit', by: null, ends: ['timeout'] });
  const record = { game: 1, frames: [0, 1, 2].map((ply) => frame(1, ply)), result: { type: 'result', game: 1, places: [2, 1], end: 'timeout', by: 0 } };
  session.unveil(record);
  const { result } = session.reel;
  assert.deepEqual([result.places, result.end, result.by, result.ends], [[2, 1], 'timeout', 0, ['timeout']]);
});

test('an end that was closed stays closed when its record comes, and when the connection comes back', () => {
  const session = new Session(() => 0);
  const table = { type: 'table', id: '1', game: 'dobutsu', games: 3, you: 0, players: [{ name: 'ana', player: 0 }, { name: 'bo', player: 1 }] };
  const result = { type: 'result', game: 1, places: [1, 2], end: 'catch' };
  const take = () => [table, shogi(1, 0), result].forEach((message) => session.take(message));
  const app = { t: (key, values) => textIn('en', key, values), settings: { language: 'en' }, redraw() {} };
  const close = () => find(stage(app, session, { seat: 0 }), (node) => node.props?.class === 'close')[0];
  take();
  close().props.onclick();
  session.unveil({ game: 1, frames: [shogi(1, 0)], result });
  assert.equal(close(), undefined);
  take();
  assert.equal(close(), undefined);
  // That of another match is another.
  session.take({ type: 'over', games: 1, scores: [1, 0] });
  take();
  assert.ok(close());
});

test('under the end of a game stands how the match stood then', () => {
  const session = new Session(() => 0);
  session.take({ type: 'table', id: '1', game: 'dobutsu', games: 3, you: 0, players: [{ name: 'ana', player: 0 }, { name: 'bo', player: 1 }] });
  const app = { t: (key, values) => textIn('en', key, values), settings: { language: 'en' } };
  const scores = () => textOf(stage(app, session, { seat: 0 })).match(/Match: (.*?bo)/)?.[1];
  const record = (game) => ({ game, frames: [shogi(game, 0)], result: { game, places: [1, 2], end: 'catch' } });
  session.take(shogi(1, 0));
  session.take({ type: 'result', ...record(1).result, match_scores: [1, 0] });
  session.unveil(record(1));
  session.take(shogi(2, 0));
  session.take({ type: 'result', ...record(2).result, match_scores: [2, 0] });
  assert.equal(scores(), 'you 1 – 0 bo');
  session.reel.show(1);
  assert.equal(scores(), 'you 2 – 0 bo');
});

test('a game that was taken back goes on as one, before and after its record is shown', () => {
  const session = new Session(() => 0);
  const table = { type: 'table', id: 'x', game: 'dobutsu', players: [], you: 0, can: { takeback: true }, record: 'x' };
  session.take(table);
  session.take(frame(1, 0));
  assert.equal(session.canTakeBack, false);
  for (const ply of [1, 2, 3, 4]) session.take(frame(1, ply));
  assert.ok(session.canTakeBack);
  // The same table after a lost connection keeps what is shown.
  session.take(table);
  assert.equal(session.reel.last.ply, 4);
  session.reel.think({ game: 1, ply: 4, thought: {}, value: 1 });
  session.reel.show(0);
  session.take({ ...table, record: 'x-2' });
  for (const ply of [0, 1, 2, 2, 3]) session.take(frame(1, ply));
  assert.deepEqual(session.reel.frames.map((one) => [one.ply, one.move]), [[0, null], [1, 'm1'], [2, 'm2'], [3, 'm3']]);
  assert.deepEqual([session.reel.frame.ply, session.reel.thoughts.size], [3, 0]);
  session.take({ type: 'result', game: 1, places: [1, 2] });
  assert.equal(session.canTakeBack, false);
  session.reel.unveil(1, [frame(1, 2, { seat: null, move: null, views: ['a', 'b'] }), frame(1, 3, { views: ['a', 'b'] })]);
  assert.deepEqual(session.reel.frames.map((one) => [one.ply, one.move, one.views.length]), [[0, null, 1], [1, 'm1', 1], [2, 'm2', 2], [3, 'm3', 2]]);
});

test('a clock counts down the running seat alone', () => {
  const clock = new Clock();
  clock.set([60_000, 30_000], 1, 1000);
  assert.equal(clock.of(0, 5000), 60_000);
  assert.equal(clock.of(1, 5000), 26_000);
  assert.equal(clock.of(1, 99_999), 0);
  assert.equal(new Clock().of(0, 0), null);
  new Clock().stop(0);
  clock.stop(11_000);
  assert.deepEqual([0, 1].map((seat) => clock.of(seat, 99_999)), [60_000, 20_000]);
  assert.deepEqual([187_000, 7260, 3_727_000, 10_000].map(timeText), ['3:07', '7.2', '1:02:07', '0:10']);
});

test('that the time was up is told until the next answer, as the game has gone on by then', () => {
  const session = new Session(() => 0);
  session.take({ type: 'table', id: '1', you: 0, players: [] });
  session.take(frame(1, 0));
  session.take({ type: 'error', code: 'timeout', message: 'your time was up: you passed' });
  session.take(frame(1, 1));
  session.take({ type: 'ask', game: 1, ply: 1, moves: ['pass'] });
  assert.equal(session.error.code, 'timeout');
  session.answer('pass');
  assert.equal(session.error, null);
  session.take({ type: 'error', code: 'timeout', message: 'your time was up: you passed' });
  session.take(frame(2, 0));
  assert.equal(session.error, null);
});

test('a session is active from an ask until it is answered', () => {
  const session = new Session(() => 0);
  session.take({ type: 'table', id: 'x', game: 'dobutsu', players: [{ name: 'a', player: 0 }, { name: 'b', player: 1 }], you: 1 });
  session.take(frame(1, 0, { players: [1, 0] }));
  assert.equal(session.seat, 0);
  assert.equal(session.isActive, false);
  session.take({ type: 'ask', game: 1, ply: 0, moves: ['2c2b'], kind: 'move', left_ms: 5000 });
  assert.ok(session.isActive);
  assert.deepEqual(session.clock.left, [5000, null]);
  assert.deepEqual(session.answer('2c2b'), { type: 'move', game: 1, ply: 0, move: '2c2b' });
  assert.equal(session.isActive, false);
  session.take({ type: 'error', code: 'illegal', message: 'no' });
  assert.ok(session.isActive);
  session.take({ type: 'unknown-in-future' });
  session.take(frame(1, 1, { players: [1, 0] }));
  assert.equal(session.isActive, false);
});

test('a player sees the end of a game though the next one has begun, and a watcher follows', () => {
  const shown = (you) => {
    const session = new Session(() => 0);
    session.take({ type: 'table', id: 'x', game: 'dobutsu', players: [], you, games: 2 });
    for (const ply of [0, 1]) session.take(frame(1, ply));
    session.take({ type: 'result', game: 1, places: [1, 2] });
    // The seats change.
    session.take(frame(2, 0, { players: [1, 0], clocks: [9000, 9000] }));
    session.take({ type: 'ask', game: 2, ply: 0, moves: ['2c2b'], left_ms: 5000 });
    return session;
  };
  const session = shown(0);
  assert.deepEqual([session.reel.frame.game, session.reel.result.game, session.isActive], [1, 1, false]);
  assert.deepEqual([session.clock.left, session.clock.running], [[9000, 5000], 1]);
  session.reel.show(session.reel.frames.length - 1);
  assert.ok(session.isActive);
  session.take(frame(2, 1));
  assert.equal(session.reel.frame.ply, 1);
  assert.equal(shown(null).reel.frame.game, 2);
});

test('an ask without moves is one with an empty list', () => {
  const session = new Session(() => 0);
  session.take({ type: 'table', id: 'x', game: 'geister', players: [], you: 0 });
  session.take(frame(1, 0));
  session.take({ type: 'ask', game: 1, ply: 0, kind: 'place' });
  assert.deepEqual([session.ask.kind, session.ask.moves], ['place', []]);
});

test('the scores of a match stand beside the names', () => {
  const app = { t: (key, values) => textIn('en', key, values) };
  const players = (...names) => names.map((name, player) => ({ name, player, kind: name === 'best' ? 'bot' : 'person' }));
  assert.equal(scoreText(app, { table: { you: 0, players: players('person', 'best') } }, [2, 0]), 'you 2 – 0 best');
  assert.equal(scoreText(app, { table: { you: null, players: players('ana', 'bo') } }, [0.5, 1.5]), 'ana 0.5 – 1.5 bo');
  assert.equal(scoreText(app, { table: { you: 2, players: players('ana', 'best', 'person') } }, [3, 5, 4]), 'ana 3, best 5, you 4');
});

test('who is away is told anew with the table, and who has come back meanwhile is not marked', () => {
  const session = new Session(() => 0);
  const table = { type: 'table', id: '1', you: 0, players: [] };
  session.take(table);
  session.take({ type: 'presence', player: 1, here: false });
  session.take({ type: 'presence', player: 2, here: false });
  assert.deepEqual([...session.gone], [1, 2]);
  session.take(table);
  session.take({ type: 'presence', player: 2, here: false });
  assert.deepEqual([...session.gone], [2]);
});

test('why a watched match is silent stands until something of it is told', () => {
  const session = new Session(() => 0);
  const table = { type: 'table', id: '1', you: null, players: [] };
  session.take(table);
  for (const message of [frame(1, 1), table, { type: 'over', reason: null }]) {
    session.take({ type: 'said', text: 'it is silent' });
    assert.equal(session.said, 'it is silent');
    session.take(message);
    assert.equal(session.said, null, message.type);
  }
});

test('a match that is over is listed with its points', () => {
  const app = { t: (key, values) => textIn('en', key, values) };
  assert.equal(playersText(app, { players: ['person', 'best'], scores: [0.5, 1.5] }), 'person 0.5 – 1.5 best');
  assert.equal(playersText(app, { players: ['ana', 'bo', 'cy'], scores: null }), 'ana – bo – cy');
});

test('each number has the unit of what its engine estimates, and a policy has no value', () => {
  const t = (key, values) => textIn('en', key, values);
  const name = (move) => move;
  const shown = (game, thought, value) => textOf(thoughtPanel(t, game, thought, name, value));
  const heads = (node) => find(node, (one) => one.tag === 'th' && one.props.scope === 'col').map(textOf);
  // The explanations of the engines, with the gateway's values.
  const told = {
    'score-four': [{ engine: 'flat', playouts: 40, candidates: [{ peg: 'a1', playouts: 10, rate: 0.7 }, { peg: 'b1', playouts: 30, rate: 0.25 }], move: 'b1' }, -0.5, /Chance of winning 25%.*b13025%a11070%/],
    dobutsu: [{ engine: 'alphabeta', score: 120, move: '2c2b' }, 0.332, /Chance of winning 67%/],
    blokus: [{ engine: 'best', playouts: 9, depth: 2, tried: 5, value: 0.305, move: 'a1', moves: [{ move: 'a1', visits: 5, value: 0.305 }] }, -0.39, /Expected share of the win 3[01]%.*a153[01]%/],
    daihinmin: [{ reason: 'playouts', move: 'D8', candidates: [{ move: 'D8', playouts: 1999, value: 4.12 }, { move: 'S3', playouts: 1, value: 1 }] }, 0.56, /Expected points 4\.12.*D819994\.12S311\.00/],
    geister: [{ engine: 'policy', value: 0.1, move: 'A,N', moves: [{ move: 'A,N', probability: 0.88 }, { move: 'B,N', probability: 0.12 }] }, -0.8, /Chance of winning 10%Chosen with 88%.*A,N88%B,N12%/],
  };
  assert.deepEqual(Object.keys(told).sort(), [...GAMES].sort());
  for (const [game, [thought, value, text]] of Object.entries(told)) {
    const said = shown(game, thought, value).replace(/(winning|the win|points)(?=[\d])/g, '$1 ').replace('Chosen with', 'Chosen with ').replace('  ', ' ');
    assert.match(said, text, game);
    assert.doesNotMatch(said, /Value/);
  }
  const policy = thoughtPanel(t, 'geister', told.geister[0], name, -0.8);
  assert.deepEqual(heads(policy), ['Move', 'Chosen with']);
  assert.doesNotMatch(shown('geister', { engine: 'paper', move: 'A,N', moves: told.geister[0].moves }, null), /winning/);
  assert.match(shown('blokus', { engine: 'maxn', move: 'a1', squares: 74 }, null), /Expected squares74/);
  // Probabilities and shares have a bar, points do not.
  const bars = (game) => find(thoughtPanel(t, game, { move: 'x' }, name, 0.5), (one) => one.props?.class === 'bar').map((one) => one.children[0].props.style.width);
  assert.deepEqual(['dobutsu', 'blokus', 'daihinmin'].map(bars), [['75%'], ['75%'], []]);
  const hinted = hintPanel(t, 'daihinmin', { engine: 'best', moves: [{ move: 'D8', value: 0.56, visits: 9, exact: null }] }, name);
  assert.match(textOf(hinted), /Expected points.*4\.12/);
  assert.match(textOf(hintPanel(t, 'dobutsu', { engine: 'best', moves: [{ move: 'a', value: 0, visits: null, exact: null }, { move: 'b', value: null, exact: 'win in 3' }] }, name)), /bwin in 3.*a50%/);
  assert.deepEqual([valueText(t, 'dobutsu', 0.44), valueText(t, 'geister', -0.5), valueText(t, 'daihinmin', 0.5)], ['72%', '25%', '4.0 points']);
});

test('the panel of an organiser asks before grave acts, and tells why an act is refused', async () => {
  const told = [];
  const sent = [];
  const app = { t: (key, values) => textIn('en', key, values), reason: (text) => reasonIn('en', text), say: (text) => told.push(text), redraw() {} };
  const answers = [{ code: 'act', error: 'it is not paused: `taikyoku league` with its file plays on' }, { text: 'cy is disqualified: two machines' }, { code: 'token', error: 'no' }];
  const panel = organiser(app, async (body) => { sent.push(body); return answers.shift(); });
  const league = { source: '0', paused: 'lunch', played: [{ key: '0.1.1', entrants: ['ana', 'cy'] }], entrants: [{ name: 'ana' }, { name: 'cy' }] };
  const all = (test) => find(panel.draw(league), test);
  const button = (text) => all((node) => node.tag === 'button' && textOf(node) === text)[0];
  const type = (index, value) => all((node) => node.tag === 'input')[index].props.oninput({ target: { value } });
  assert.equal(button('Pause'), undefined, 'it is paused');
  // Nobody is chosen beforehand.
  assert.equal(all((node) => node.tag === 'select')[0].props.value, '');
  assert.equal(button('Disqualify'), undefined);
  type(0, 'sesame-77');
  type(1, 'two machines');
  await button('Resume').props.onclick();
  assert.deepEqual(sent, [{ source: '0', token: 'sesame-77', reason: 'two machines', act: 'resume' }]);
  assert.equal(told.pop(), 'The league is not paused.');
  all((node) => node.tag === 'select')[0].props.onchange({ target: { value: 'cy' } });
  button('Disqualify').props.onclick();
  assert.equal(sent.length, 1, 'it asks first');
  button('No').props.onclick();
  assert.equal(button('Yes'), undefined);
  button('Disqualify').props.onclick();
  await button('Yes').props.onclick();
  assert.deepEqual([sent[1].act, sent[1].entrant], ['disqualify', 'cy']);
  type(2, ' 0.1.1 ');
  button('Play it again').props.onclick();
  assert.match(textOf(panel.draw(league)), /Strike the result of game 0\.1\.1/);
  await button('Yes').props.onclick();
  assert.deepEqual([sent[2].act, sent[2].key], ['replay', '0.1.1']);
  assert.match(told.pop(), /not the organiser/);
  league.entrants[1].set_aside = true;
  assert.ok(button('Reinstate') && button('Disqualify'), 'one that is set aside may be taken back, or go');
  league.entrants[1].disqualified = true;
  assert.ok(button('Reinstate') && !button('Disqualify'));
  answers.push({ code: 'unknown', error: 'no answer has come' });
  await button('Reinstate').props.onclick();
  assert.match(told.pop(), /it may be done all the same/);
});

test('an act without an answer that can be read may be done all the same', async (context) => {
  const told = [];
  const app = { t: (key, values) => textIn('en', key, values), reason: (text) => text, say: (text) => told.push(text), redraw() {} };
  const league = { source: '0', entrants: [] };
  const answers = [() => { throw new TypeError('Failed to fetch'); }, () => new Response('<h1>Gateway Time-out</h1>', { status: 504 }), () => Response.json({ code: 'net', error: 'no connection' }, { status: 502 })];
  context.mock.method(globalThis, 'fetch', async () => answers.shift()());
  const panel = organiser(app);
  const pause = () => find(panel.draw(league), (node) => textOf(node) === 'Pause' && node.tag === 'button')[0].props.onclick();
  for (const words of [/may be done all the same/, /may be done all the same/, /nothing is done/]) {
    await pause();
    assert.match(told.pop(), words);
  }
});

test('the focus on an act that is gone passes to the one that is left', (context) => {
  const drawn = [];
  let focused = null;
  context.after(() => { delete globalThis.document; });
  globalThis.document = { activeElement: { getAttribute: () => focused } };
  const app = { t: (key, values) => textIn('en', key, values), redraw: (at) => drawn.push(at) };
  const panel = organiser(app, async () => ({ text: 'done' }));
  const one = { name: 'cy', set_aside: true };
  const league = { source: '0', entrants: [one] };
  const acts = () => find(panel.draw(league), (node) => ['disqualify', 'reinstate'].includes(node.key)).map((node) => node.key);
  find(panel.draw(league), (node) => node.tag === 'select')[0].props.onchange({ target: { value: 'cy' } });
  drawn.length = 0;
  focused = 'acts-reinstate';
  assert.deepEqual([acts(), drawn], [['disqualify', 'reinstate'], []]);
  one.set_aside = false;
  assert.deepEqual([acts(), drawn], [['disqualify'], ['acts-disqualify']]);
  focused = 'acts-disqualify';
  one.disqualified = true;
  assert.deepEqual([acts(), drawn[1]], [['reinstate'], 'acts-reinstate']);
});

test('of tables that are over the lobby shows the latest', () => {
  const over = Array.from({ length: 500 }, (_, match) => ({ match, state: 'over' }));
  const [playing, last] = sorted([{ match: 500, state: 'playing' }, ...over]);
  assert.deepEqual([playing.length, last.length, last[0].match], [1, 12, 499]);
});

test('the players of a table stand by their points, and as they came where there are none', () => {
  assert.deepEqual(byScore([50, 80, 61, 80], 4), [1, 3, 2, 0]);
  assert.deepEqual(byScore(undefined, 3), [0, 1, 2]);
});

test('a league of groups shows their points, and who is there', () => {
  const app = { t: (key, values) => textIn('en', key, values) };
  const entrants = [{ name: 'ana', faults: 0, rating: 12, state: 'playing' }, { name: 'bo', faults: 2, rating: null, state: 'missing', set_aside: true }];
  const league = { title: 'Spring', entrants, cross: [], next: [], groups: [{ name: 'groups 1', entrants: [{ name: 'ana', games: 5, points: 21 }] }, { name: 'groups 2', entrants: [{ name: 'bo', games: 5, points: 9.5 }] }] };
  const rows = (tree) => find(tree, (node) => node.tag === 'tr').map(textOf);
  assert.deepEqual(rows(leagueNode(app, league, 0)), ['PointsGames', 'ana plays215', 'PointsGames', 'bo set aside, missing, faults: 29.55']);
  const captions = (language, names) => {
    const groups = names.map((name) => ({ name, entrants: [] }));
    const reader = { t: (key, values) => textIn(language, key, values) };
    return find(leagueNode(reader, { ...league, groups }, 0), (node) => node.tag === 'caption').map(textOf);
  };
  const names = ['groups 1', 'first stage', 'final 2', ''];
  assert.deepEqual(captions('en', names), ['Group 1', 'First stage', 'final 2', 'Table']);
  assert.deepEqual(captions('ja', names).slice(0, 3), ['グループ1', '第1ステージ', 'final 2']);
  assert.equal(rows(leagueNode(app, { ...league, groups: [] }, 0)).length, 2, 'ratings, where there are no points');
});

test('an interval that is not known, or is too wide, has words in place of its width', () => {
  const app = { t: (key, values) => textIn('en', key, values) };
  const widths = [0, 120.4, 400.1, null];
  const rated = widths.map((width, place) => ({ name: `n${place}`, faults: 0, rating: 10 - place, half_width: width }));
  const entrants = [...rated, { name: 'new', faults: 0, rating: null, half_width: null }];
  const rows = find(leagueNode(app, { title: 'Spring', entrants, cross: [], next: [] }, 0), (node) => node.tag === 'tr').map(textOf);
  assert.deepEqual(rows, ['n010', 'n19±120', 'n28over ±400', 'n37no interval', 'new–']);
});

test('a connection that has died in silence is given up and opened again', (context) => {
  Object.assign(globalThis, { location: { protocol: 'http:', host: 'x' }, WebSocket: Line });
  const states = [];
  const taken = [];
  const connection = new Connection({ type: 'sit' }, (message) => taken.push(message), (state) => states.push(state));
  context.after(() => connection.close());
  const [socket] = Line.all;
  socket.onopen();
  socket.onmessage({ data: '{"type":"ping"}' });
  assert.deepEqual(socket.sent, [{ type: 'sit' }, { type: 'pong' }]);
  connection.look(connection.heard + 29_000);
  assert.deepEqual([states, taken], [['open'], []]);
  connection.look(connection.heard + 30_000);
  assert.deepEqual([states, socket.readyState], [['open', 'lost'], 3]);
  clearTimeout(connection.timer);
  connection.open();
  assert.equal(Line.all.length, 2);
  // One that was ended is not missed.
  connection.end();
  connection.look(connection.heard + 99_000);
  assert.equal(states.length, 2);
});

test('the page asks no other host and has nothing inline', () => {
  const root = new URL('../../assets/', import.meta.url);
  const html = readFileSync(new URL('index.html', root), 'utf8');
  assert.ok(!/<script(?![^>]*src=)|\sstyle=|\son\w+=/.test(html));
  for (const name of readdirSync(root, { recursive: true }).map(String).filter((one) => /\.(js|css|html)$/.test(one))) {
    const source = readFileSync(new URL(name, root), 'utf8').replaceAll('http://www.w3.org/2000/svg', '');
    assert.ok(!/https?:\/\/\w/.test(source), name);
    assert.ok(!/\binnerHTML\b|\beval\(|new Function/.test(source), name);
  }
});

test('what became of the record of a match is told at its end', () => {
  const session = new Session(() => 0);
  session.take({ type: 'table', id: '1', game: 'dobutsu', games: 1, you: 0, players: [{ name: 'ana', player: 0 }, { name: 'bo', player: 1 }] });
  session.take(shogi(1, 0));
  session.take({ type: 'result', game: 1, places: [1, 2], end: 'catch' });
  session.take({ type: 'over', games: 1, scores: [1, 0], reason: null, record: null, note: 'the record of this match is lost: the disk has not taken it' });
  assert.match(textOf(stage(appIn('en'), session, { seat: 0 })), /You win.*The record of this match is lost: the disk has not taken it\./);
  assert.match(textOf(stage(appIn('ja'), session, { seat: 0 })), /棋譜は失われました/);
  assert.ok(!/href/.test(JSON.stringify(stage(appIn('en'), session, { seat: 0 }))), 'there is nothing to replay');
});

test('arrow keys lead to the nearest point of their direction', () => {
  const points = [0, 1, 2].flatMap((y) => [0, 1, 2].map((x) => ({ at: `${x}${y}`, x, y })));
  assert.equal(towards(points, '11', 'ArrowRight'), '21');
  assert.equal(towards(points, '11', 'ArrowUp'), '10');
  assert.equal(towards(points, '21', 'ArrowRight'), null);
  assert.equal(towards(points, '11', 'x'), null);
  assert.equal(nearest(points, [1.2, 0.9], 0.5), '11');
  assert.equal(nearest(points, [5, 5], 0.5), null);
});

test('explanations of any engine give moves, visits and lines', () => {
  assert.deepEqual(movesOf({ moves: [{ move: 'a1', visits: 3, value: 0.5 }, { move: 'b1', visits: 9, value: 0.6 }] }).map((one) => one.move), ['b1', 'a1']);
  assert.deepEqual(movesOf({}), []);
  assert.deepEqual(movesOf({ candidates: [{ peg: 'a1', playouts: 5, rate: 0.25 }] }), [{ move: 'a1', value: 0.25, chance: null, visits: 5, exact: null }]);
  assert.deepEqual([{ value: 'lose', distance: 4 }, { win: 3 }, { solved: 0 }, { solved: null }, { exact: true }, null].map(certainOf), ['loss in 4', 'win in 3', 'draw', null, null, null]);
  const exact = ['loss in 2', 'draw', 'win in 3', null, 'loss in 8', 'win'].map((word, at) => ({ move: `m${at}`, exact: word, visits: at === 3 ? 9 : null }));
  assert.deepEqual(movesOf({ moves: exact }).map((one) => one.move), ['m5', 'm2', 'm3', 'm1', 'm4', 'm0']);
  assert.deepEqual(lineOf({ pv: 'a1 b2' }), ['a1', 'b2']);
  assert.deepEqual(lineOf({ line: ['a1'] }), ['a1']);
  const t = (key, values) => textIn('en', key, values);
  assert.deepEqual(exactText(t, 'win in 5'), { text: 'win in 5', short: '○5', kind: 'win' });
  assert.equal(exactText(t, 'draw').kind, 'draw');
});

test('a share link names game, ply and seat', () => {
  assert.deepEqual(readHash('#ply=37'), { game: null, ply: 37, seat: null, from: null, line: null, also: [] });
  assert.deepEqual(readHash('#game=2&ply=0&seat=1&from=3'), { game: 2, ply: 0, seat: 1, from: 3, line: null, also: [] });
  assert.deepEqual(readHash('#ply=x&line=3.2b2a%2B&also=1.C*2c&also=0.x'), { game: null, ply: null, seat: null, from: null, line: '3.2b2a+', also: ['1.C*2c', '0.x'] });
});

test('no text of others hides, or turns the direction of writing', () => {
  const hostile = '\u001b[2J\u009b\u202e\u2066\u200b\u2028\ufeff\u{e0041}';
  const shown = '\\u001b[2J\\u009b\\u202e\\u2066\\u200b\\u2028\\ufeff\\udb40\\udc41';
  assert.equal(printable(hostile), shown);
  assert.equal(textOf(h('p', {}, [hostile, ['a\n', 7]], h('b', {}, hostile))), `${shown}a\n7${shown}`);
  assert.equal(printable('é将棋葛\u{e0100}☀\ufe0f\u00a0\u3000'), 'é将棋葛\u{e0100}☀\ufe0f\u00a0\u3000');
});

test('a move of the list shows what the seat that looks saw, and nothing else', () => {
  const session = new Session(() => 0);
  session.table = { game: 'geister', games: 1, you: null, players: [{ name: 'ana', player: 0 }, { name: 'bo', player: 1 }], can: {} };
  const own = ['14R', '24R', '34R', '44R', '15B', '25B', '35B', '45B'];
  const enemy = ['41u', '31u', '21u', '11u', '40u', '30u', '20u', '10u'];
  const views = [0, 1].map((seat) => ({ seat, 'to-move': 0, ply: 2, own, enemy }));
  session.reel = Reel.ofRecord([{ game: 1, frames: [2, 3, 4].map((ply) => frame(1, ply, { views, move: 'A,N' })), result: null }]);
  session.boardUi.peek = 4;
  const hidden = (shown) => {
    const [area] = find(stage(appIn('en'), shown, { seat: 0 }), (node) => /^board-area peek/.test(node.props.class));
    return find(area, (node) => /\bghost\b.*\bhidden\b/.test(node.props.class ?? '')).length;
  };
  assert.deepEqual([hidden(session), hidden(onlyOf(session, 0)), hidden(onlyOf(session, 1))], [0, 8, 8]);
});

const OF_IMPORTS = sentences(JSON.parse(readFileSync(new URL('../../assets/i18n/imports.json', import.meta.url), 'utf8')));

test('a text or a file that is brought is sent, and what is wrong with it is told with its line', async () => {
  const heard = {};
  globalThis.window = { addEventListener(name, hear) { heard[name] = hear; }, removeEventListener(name) { delete heard[name]; } };
  const gone = [];
  const sent = [];
  let answer = { id: 'import-1', unfinished: false, variations: false };
  const app = { ...appIn('ja'), go: (path) => gone.push(path) };
  const panel = importer(app, async (text) => { sent.push(text); if (answer instanceof Error) throw answer; return answer; }, async () => OF_IMPORTS);
  const button = () => find(panel.draw(), (node) => node.props.class === 'primary')[0];
  const field = () => find(panel.draw(), (node) => node.tag === 'textarea')[0];
  const settled = () => new Promise((done) => { setImmediate(done); });
  assert.ok(button().props.disabled);
  field().props.oninput({ target: { value: 'startpos' } });
  button().props.onclick();
  await settled();
  assert.deepEqual([sent, gone], [['startpos'], ['/g/import-1']]);
  const drop = (text) => heard.drop({ target: {}, preventDefault() {}, dataTransfer: { types: ['text/plain'], files: [], getData: () => text } });
  answer = { id: 'import-2', unfinished: true, variations: true };
  drop('dropped');
  await settled();
  assert.deepEqual([sent.at(-1), gone.length], ['dropped', 1], 'what is left out is told first');
  assert.match(textOf(panel.draw()), /終局のない.*変化手順は含まれません/);
  answer = Object.assign(new Error('+B3B1HI: the piece on 2c does not step to 2a'), { status: 422, code: 'csa', line: 4 });
  drop('x');
  await settled();
  assert.match(textOf(panel.draw()), /CSA形式として読み込みました。 4行目：\+B3B1HI：2c の駒は 2a へ動けません。/);
  drop('x'.repeat((8 << 20) + 1));
  await settled();
  assert.match(textOf(panel.draw()), /8 MiBを超えています/);
  assert.equal(sent.length, 3);
  panel.close();
  assert.deepEqual(heard, {});
  delete globalThis.window;
});
