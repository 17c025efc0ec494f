import assert from 'node:assert/strict';
import test from 'node:test';

import { find, textOf } from '../../assets/dom.js';
import { ladder, ladderList } from '../../assets/pages/ladder.js';
import { appIn } from './mocks.js';

const entry = (number, more) => ({ number, name: `e${number}`, house: false, engine: null, rank: null, rating: 10 * number, half_width: null, games: 8, wins: 4, faults: {}, ...more });
const STATE = {
  title: 'Club', game: 'blokus', connects_to: { e0: '[::1]:4444' }, guests: false, tables: [], games: 8, rows: [entry(0, { rank: 1, half_width: 30 }), entry(1, { house: true, engine: 'greedy', faults: { timeout: 2, crash: 1 } })],
  waiting: [{ name: 'e0', since: 3, why: 'it has left 2 tables today, and waits 50 s more' }],
};
const ENTRANT = { ...entry(0), name: 'a]b', versions: [{ name: 'a]b', number: 0 }], history: [{ day: '2026-11-30', rating: 0, half_width: null, games: 8 }], opponents: [], last: [{ day: '2026-11-30.2', record: '1.0', game: 2, seats: ['x', 'y'], places: [1, 0], fault: 'crash' }] };

/** A page of a ladder once it has its answers, by address; `posted` gets what it posts, and `at` where it goes. */
async function opened(context, answers, number = null, language = 'en') {
  const heard = { posted: [], at: [] };
  globalThis.fetch = async (path, { body } = {}) => {
    if (body) heard.posted.push([path, JSON.parse(body)]);
    const [status, value] = answers[path] ?? [404, { error: 'there is no such ladder' }];
    return { ok: status < 300, status, statusText: '', text: async () => JSON.stringify(value) };
  };
  Object.assign(globalThis, { document: { hidden: false }, location: { hostname: 'club.example', origin: 'http://club.example' } });
  heard.page = ladder({ ...appIn(language), go: (path) => heard.at.push(path) }, 'c l', number);
  context.after(() => heard.page.close());
  await new Promise(setImmediate);
  return heard;
}

const all = (page, tag) => find(page.draw(), (node) => node.tag === tag);

test('a ladder has its rows, those that wait, and a table against its bots alone', async (context) => {
  const games = [{ name: 'blokus', seats: 4, levels: ['level-1'] }];
  const made = { table: 't 1', tokens: [{ seat: 0, token: 'k' }] };
  const { page, posted, at } = await opened(context, { '/api/ladders/c%20l': [200, STATE], '/api/games': [200, games], '/api/tables': [201, made] });
  assert.equal(page.title, 'Club');
  assert.deepEqual(all(page, 'tr').slice(1).map((node) => node.children.map(textOf).join('|')), ['e0|1|0 ±30||8|4|0|', 'e1 house|–|10 no interval||8|4|3|Play']);
  assert.ok(all(page, 'li').map(textOf).includes('e0, for 3 s: it has left 2 tables today, and waits 50 s more'));
  assert.match(textOf(all(page, 'details')[0]), / club\.example:4444 /);
  assert.equal(all(page, 'a')[0].props.href, '/ladder/c%20l/0');
  await all(page, 'button')[0].props.onclick();
  const bot = { kind: 'bot', spec: 'greedy', move_ms: 1000 };
  assert.deepEqual(posted.map(([path, body]) => [path, body.game, body.seats]), [['/api/tables', 'blokus', [{ kind: 'person' }, bot, bot, bot]]]);
  assert.deepEqual(at, ['/t/t%201#k']);
});

test('a guest asks the ladder for an entrant that is no bot of its house, but not in Geister', async (context) => {
  const answers = { '/api/games': [200, [{ name: 'blokus', seats: 4, levels: [] }]], '/api/ladders/c%20l/entrants/0/tables': [201, { table: 't', tokens: [{ seat: 0, token: 'k' }] }] };
  const { page, posted, at } = await opened(context, { ...answers, '/api/ladders/c%20l': [200, { ...STATE, guests: true }] });
  assert.equal(all(page, 'button').length, 2);
  await all(page, 'button')[0].props.onclick();
  assert.deepEqual([posted, at], [[['/api/ladders/c%20l/entrants/0/tables', {}]], ['/t/t#k']]);
  const geister = await opened(context, { '/api/ladders/c%20l': [200, { ...STATE, guests: true, game: 'geister' }] });
  assert.equal(all(geister.page, 'button').length, 1);
});

test('what is wrong is told in the words of the reader', async (context) => {
  const { page } = await opened(context, {}, null, 'ja');
  assert.deepEqual(find(page.draw(), (node) => node.props.role === 'alert').map(textOf), ['そのラダーはありません。']);
  const busy = await opened(context, { '/api/ladders/c%20l': [200, STATE] }, null, 'ja');
  await all(busy.page, 'button')[0].props.onclick();
  assert.equal(find(busy.page.draw(), (node) => node.props.role === 'alert').length, 1);
  assert.match(all(busy.page, 'li').map(textOf).join(), /e0（3秒）：今日2回離席したため、あと50秒待ちます/);
});

test('an entrant of a day has no graph, a name of its own in the badge, and links to its games', async (context) => {
  const answers = { '/api/ladders/c%20l': [200, STATE], '/api/ladders/c%20l/entrants/0': [200, ENTRANT] };
  const { page } = await opened(context, answers, '0');
  assert.equal(page.title, 'a]b');
  assert.equal(all(page, 'figure').length, 0);
  assert.equal(all(page, 'input')[0].props.value, '[![a\\]b](http://club.example/api/ladders/c%20l/entrants/0/badge.svg)](http://club.example/ladder/c%20l/0)');
  const [game] = find(page.draw(), (node) => node.props.href?.startsWith('/g/'));
  assert.deepEqual([game.props.href, textOf(game)], ['/g/c%2520l%3A2026-11-30.2%3A1.0#game=2', '2026-11-30.21. y, 2. xprogram ended']);
});

test('a course has the interval of each day that has one', async (context) => {
  const day = (at, half_width) => ({ day: `2026-11-${at}`, rating: 10 * at, half_width, games: at });
  const { page } = await opened(context, { '/api/ladders/c%20l': [200, STATE], '/api/ladders/c%20l/entrants/0': [200, { ...ENTRANT, history: [day(10, null), day(11, 900), day(20, 50)] }] }, '0');
  const points = (tag) => all(page, tag)[0].props.points.split(' ').map((one) => one.split(',').map(Number));
  const [band, line] = ['polygon', 'polyline'].map(points);
  // An interval that tells nothing is drawn up to 400 points.
  assert.deepEqual(all(page, 'text').map(textOf), ['510', '-290']);
  assert.deepEqual([band.length, band[0], band[1][1]], [6, line[0], 12]);
  assert.ok(line[1][0] - line[0][0] < (line[2][0] - line[1][0]) / 8, 'days have their distances');
  assert.deepEqual(all(page, 'tbody')[0].children.map((node) => textOf(node.children[0])), ['2026-11-20', '2026-11-11', '2026-11-10']);
});

test('the list of ladders leads to them, and is nothing without any', async () => {
  const list = async (found) => {
    globalThis.fetch = async () => ({ ok: true, text: async () => JSON.stringify(found) });
    const draw = ladderList(appIn('en'));
    await new Promise(setImmediate);
    return draw();
  };
  assert.equal(await list([]), null);
  const [link] = find(await list([{ name: 'c l', title: 'Club', when: null }]), (node) => node.tag === 'a');
  assert.deepEqual([link.props.href, textOf(link)], ['/ladder/c%20l', 'Club']);
});
