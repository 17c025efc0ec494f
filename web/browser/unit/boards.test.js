// What the boards draw, from views as the games write them.

import assert from 'node:assert/strict';
import test from 'node:test';

import { find, textOf } from '../../assets/dom.js';
import * as blokus from '../../assets/boards/blokus.js';
import * as daihinmin from '../../assets/boards/daihinmin.js';
import * as dobutsu from '../../assets/boards/dobutsu.js';
import * as geister from '../../assets/boards/geister.js';
import { BOARDS, stillContext } from '../../assets/boards/index.js';
import * as scoreFour from '../../assets/boards/score_four.js';
import { cardsOf, inOrder } from '../../assets/boards/cards.js';
import { textIn, TEXTS } from '../../assets/i18n/index.js';

const t = (key, values) => textIn('en', key, values);

/** A context in which `seat` is asked. */
function asked(views, moves, { seat = 0, kind = 'move', ui = {}, history = [] } = {}) {
  const played = [];
  const ctx = {
    ...stillContext({ t, views, seat, isSmall: false, history }),
    ui, ask: { kind, moves, game: 1, ply: 0 }, isActive: true, isPlayer: true, play: (move) => played.push(move),
  };
  return { ctx, played };
}

test('score four: balls, the last one, where a ball may land, the line', () => {
  const views = [{ board: 'xo/-/x/-/-/-/-/-/-/-/-/-/-/-/-/-', moves: 'a1a1c1' }];
  const picture = scoreFour.scene(views, { last: 'c1', moves: ['a1', 'b1'], line: ['a1.1'] });
  assert.equal(picture.pegs.length, 16);
  const peg = (name) => picture.pegs.find((one) => one.name === name);
  assert.deepEqual(peg('a1').balls.map((ball) => ball.seat), [0, 1]);
  assert.ok(peg('a1').balls[0].isLit && !peg('a1').balls[1].isLit);
  assert.ok(peg('c1').balls[0].isLast);
  assert.deepEqual(picture.levels[1].filter((square) => square.isOpen).map((square) => square.peg), []);
  assert.deepEqual(picture.levels[2].filter((square) => square.isOpen).map((square) => square.peg), ['a1']);
  assert.deepEqual(picture.levels[0].filter((square) => square.isOpen).map((square) => square.peg), ['b1']);
  // The far row of a level stands first, as a drawing has it.
  assert.equal(picture.levels[0][0].peg, 'a4');
});

test('score four: the nearest peg is drawn last from every side', () => {
  for (const yaw of [0, 1, 2.5, 4]) {
    const { pegs } = scoreFour.scene([{ board: '-/-/-/-/-/-/-/-/-/-/-/-/-/-/-/-', moves: '' }], { yaw });
    const depths = pegs.map((peg) => peg.foot.depth);
    assert.deepEqual(depths, [...depths].sort((a, b) => b - a));
  }
});

test('score four: arrow keys go to the peg beside, whichever way the tower is turned', () => {
  assert.equal(scoreFour.neighbour('b2', 'ArrowUp', -0.42), 'b3');
  assert.equal(scoreFour.neighbour('b2', 'ArrowRight', -0.42), 'c2');
  assert.equal(scoreFour.neighbour('b2', 'ArrowUp', Math.PI), 'b1');
  assert.equal(scoreFour.neighbour('d4', 'ArrowUp', 0), null);
  assert.equal(scoreFour.neighbour('b2', 'x', 0), null);
});

test('score four: a line is read from a list or from the reason', () => {
  assert.deepEqual(scoreFour.lineOf({ line: ['a2.1', 'b2.1'] }), ['a2.1', 'b2.1']);
  assert.deepEqual(scoreFour.lineOf({ end: 'line', reason: 'a2 level 1, b2 level 4' }), ['a2.1', 'b2.4']);
  assert.deepEqual(scoreFour.lineOf({ end: 'resign', reason: 'a2 level 1' }), []);
  assert.deepEqual(scoreFour.lineOf(null), []);
  const views = [{ board: 'x/o/-/-/o/xx/-/-/o/-/oox/-/-/-/-/oxox', moves: '' }];
  assert.deepEqual(scoreFour.lineOf({ end: 'line' }, [{ board: 'x/ox/oox/ooox/-/-/-/-/-/-/-/-/-/-/-/-' }], 'd1').sort(), ['a1.1', 'b1.2', 'c1.3', 'd1.4']);
  assert.deepEqual(scoreFour.lineOf({ end: 'line' }, views, 'b1'), []);
});

const EMPTY_BLOKUS = { board: Array(20).fill('.'.repeat(20)), left: [blokus.PIECES, blokus.PIECES, blokus.PIECES, blokus.PIECES], out: [null, null, null, null], moves: [] };

test('blokus: names of pieces, whatever way they lie', () => {
  assert.equal(blokus.pieceOf('a20'), '1');
  assert.equal(blokus.pieceOf('a18,a19,a20,b18,b20'), 'U');
  assert.equal(blokus.pieceOf('b1,a2,b2,c2,b3'), 'X');
  assert.equal(new Set(blokus.PIECES).size, 21);
  assert.equal(blokus.PIECES.reduce((sum, name) => sum + blokus.shape(name).length, 0), 89);
});

test('blokus: four quarter turns and two flips change nothing', () => {
  for (const name of blokus.PIECES) {
    assert.deepEqual(blokus.shape(name, { turns: 4 }), blokus.shape(name));
    const forms = new Set([0, 1, 2, 3].flatMap((turns) => [false, true].map((flipped) => JSON.stringify(blokus.shape(name, { turns, flipped })))));
    assert.ok([1, 2, 4, 8].includes(forms.size));
  }
});

test('blokus: a piece in the hand snaps to the nearest legal place of its form', () => {
  const moves = ['a20', 'c10', 'a19,a20', 'a20,b20'];
  const found = blokus.placements(moves);
  const ones = found.get('00');
  assert.equal(blokus.snap(ones, [0.4, 0.6]).move, 'a20');
  assert.equal(blokus.snap(ones, [3, 10]).move, 'c10');
  assert.equal(blokus.snap(ones, [18, 18]), null);
  assert.deepEqual(blokus.formWithPlace(found, '2'), { turns: 0, flipped: false });
  assert.equal(blokus.formWithPlace(found, 'X'), null);
  assert.equal(blokus.placements(moves), found);
});

test('blokus: corner hints come from the legal moves alone', () => {
  const first = blokus.scene([EMPTY_BLOKUS], { seat: 0, moves: ['a20', 'a19,a20'] });
  assert.deepEqual(first.corners, [[0, 19]]);
  const rows = [...EMPTY_BLOKUS.board];
  rows[0] = `b${'.'.repeat(19)}`;
  const next = blokus.scene([{ ...EMPTY_BLOKUS, board: rows, moves: [[0, 'a20']] }], { seat: 0, moves: ['b19', 'b19,c19'] });
  assert.deepEqual(next.corners, [[1, 18]]);
  assert.deepEqual(blokus.scene([EMPTY_BLOKUS], { seat: 0, moves: [] }).corners, []);
  assert.deepEqual(first.counts[0], { left: 89, placed: 0, pieces: 21 });
});

test('blokus: only pieces that have a place can be taken from the tray', () => {
  const { ctx } = asked([EMPTY_BLOKUS], ['a20', 'a20,b20']);
  const buttons = find(blokus.board.draw(ctx), (node) => node.props.class === 'tray-piece');
  assert.deepEqual(buttons.filter((node) => !node.props.disabled).map((node) => node.props['data-piece']), ['2', '1']);
});

test('blokus: the squares of the board are named at its edge, but not in small pictures', () => {
  const named = (isSmall) => {
    const drawn = blokus.board.draw(stillContext({ t, views: [EMPTY_BLOKUS], isSmall }));
    return find(drawn, (node) => node.props.class === 'coordinate').map(textOf);
  };
  assert.deepEqual(named(false).filter((text) => /[a-z]/.test(text)).join(''), 'abcdefghijklmnopqrst');
  assert.deepEqual(named(false).filter((text) => /\d/.test(text)).map(Number), Array.from({ length: 20 }, (_, i) => i + 1));
  assert.deepEqual(named(true), []);
});

test('blokus: a typed move may have its squares in any order', () => {
  assert.equal(blokus.board.read('B20, a20', ['a20', 'a20,b20']), 'a20,b20');
  assert.equal(blokus.board.read('b20', ['a20']), null);
});

test('dobutsu: a position with promoted pieces and hands', () => {
  const { squares, hands, toMove } = dobutsu.position('g+C1/1l1/3/ELG w 2Cc 9');
  assert.deepEqual(squares.get('2a'), { kind: 'H', seat: 0 });
  assert.deepEqual(squares.get('2b'), { kind: 'L', seat: 1 });
  assert.deepEqual(hands, [{ C: 2, E: 0, G: 0 }, { C: 1, E: 0, G: 0 }]);
  assert.equal(toMove, 1);
});

test('dobutsu: marks of legal moves, drops, and of a try', () => {
  const views = [{ board: '2l/L2/3/2G b C 20', moves: [] }];
  const moves = ['3b3a', '3b2a', '3b2b', 'C*2c', '1d1c'];
  const picture = dobutsu.scene(views, { moves, from: '3b' });
  const square = (at) => picture.squares.find((one) => one.at === at);
  assert.ok(square('3a').isTry && square('2a').isTry && !square('2b').isTry);
  assert.ok(square('2b').isTarget && !square('1c').isTarget);
  assert.ok(square('1d').isStart);
  const drop = dobutsu.scene(views, { moves, from: 'handC' });
  assert.deepEqual(drop.squares.filter((one) => one.isTarget).map((one) => one.at), ['2c']);
  assert.ok(picture.hands[0].find((one) => one.kind === 'C').isStart);
});

test('dobutsu: each seat sees its own side below', () => {
  const views = [{ board: 'gle/1c1/1C1/ELG b - 1', moves: [] }];
  const y = (seat, at) => dobutsu.scene(views, { seat }).squares.find((one) => one.at === at).y;
  assert.ok(y(0, '2d') > y(0, '2a'));
  assert.ok(y(1, '2d') < y(1, '2a'));
});

test('dobutsu: the numbers of the files stand between the squares and the stand', () => {
  const drawn = dobutsu.board.draw(stillContext({ t, views: [{ board: 'gle/1c1/1C1/ELG b - 1', moves: [] }] }));
  const of = (name) => find(drawn, (node) => String(node.props.class).startsWith(name)).map((node) => node.props);
  const stand = Math.min(...of('stand-ground').map((one) => one.y + one.height));
  const [mat] = of('mat');
  const files = of('coordinate').filter((one) => one.y < mat.y);
  assert.equal(files.length, 3);
  // Letters of 15 units, which no line touches.
  for (const { y } of files) assert.ok(y - 13 > stand && y + 4 < mat.y, `${stand} ${y} ${mat.y}`);
});

const OWN = ['14R', '24R', '34R', '44R', '15B', '25B', '35B', '45B'];
const ENEMY = ['41u', '31u', '21u', '11u', '40u', '30u', '20u', '10u'];

test('geister: a seat sees its own colours and no others', () => {
  const picture = geister.scene([{ seat: 0, 'to-move': 0, ply: 2, own: OWN, enemy: ENEMY }], { seat: 0, moves: ['A,N', 'A,W'], from: '1,4' });
  assert.deepEqual(picture.sides[0].map((one) => one.colour), ['red', 'red', 'red', 'red', 'blue', 'blue', 'blue', 'blue']);
  assert.ok(picture.sides[1].every((one) => one.colour === null));
  assert.deepEqual(picture.squares.filter((one) => one.isTarget).map((one) => one.at), ['1,3', '0,4']);
});

test('geister: two views show all, and the public one turns the other seat', () => {
  const second = { seat: 1, 'to-move': 0, ply: 2, own: ['14B', '24B', '34B', '44B', '15R', '25R', '35R', '45R'], enemy: ENEMY };
  const both = geister.ghosts([{ seat: 0, 'to-move': 0, ply: 2, own: OWN, enemy: ENEMY }, second], 0);
  assert.deepEqual(both[1].map((one) => one.colour).slice(3, 5), ['blue', 'red']);
  assert.deepEqual([both[1][0].x, both[1][0].y], [4, 1]);
  const open = geister.ghosts([{ 'to-move': 0, ply: 2, ghosts: [OWN.map((one) => `${one.slice(0, 2)}u`), OWN.map((one) => `${one.slice(0, 2)}u`)] }], 0);
  assert.deepEqual([open[1][0].x, open[1][0].y], [4, 1]);
  assert.deepEqual([open[0][0].x, open[0][0].y], [1, 4]);
});

test('geister: ghosts that have left, the last move, and the way out', () => {
  const own = ['99r', '24R', '34R', '44R', '00B', '25B', '35B', '45B'];
  const picture = geister.scene([{ seat: 0, 'to-move': 0, ply: 9, own, enemy: ENEMY }], { seat: 0, moves: ['E,N'], from: '0,0', last: { seat: 1, move: 'A,N' } });
  assert.equal(picture.sides[0][0].gone, 'taken');
  assert.deepEqual(picture.exits.map((one) => [one.at, one.isTarget]), [['0,-1', true]]);
  assert.deepEqual(picture.squares.filter((one) => one.isLast).map((one) => one.at), ['4,0', '4,1']);
});

test('geister: the way out is the arrow above the corner, and a press on it alone takes the ghost that may leave', () => {
  const own = ['99r', '24R', '34R', '44R', '00B', '25B', '35B', '45B'];
  const { ctx, played } = asked([{ seat: 0, 'to-move': 0, ply: 9, own, enemy: ENEMY }], ['E,W', 'B,N']);
  const drawing = geister.board.draw(ctx);
  const [out] = find(drawing, (node) => /way-out /.test(node.props.class ?? ''));
  assert.equal(out.props['data-at'], '-1,0');
  const [ground] = find(out, (node) => node.props.class === 'way-out-ground');
  assert.deepEqual([ground.props.x + ground.props.width / 2, ground.props.y + ground.props.height < 0], [50, true]);
  ctx.ui.cursor = '-1,0';
  const [board] = find(drawing, (node) => node.tag === 'svg' && /geister-board/.test(node.props.class));
  board.props.onkeydown({ key: 'Enter', preventDefault() {}, stopPropagation() {} });
  assert.deepEqual(played, ['E,W']);
});

test('geister: four reds are chosen in secret', () => {
  const ui = {};
  const { ctx, played } = asked([{ seat: 1, 'to-move': 1, own: null }], [], { seat: 1, kind: 'place', ui });
  const ghost = (letter) => find(geister.board.draw(ctx), (node) => node.props['data-at'] === letter)[0];
  for (const letter of 'CAEBH') ghost(letter).props.onclick();
  const button = find(geister.board.draw(ctx), (node) => node.props.class === 'primary')[0];
  button.props.onclick();
  assert.deepEqual(played, ['ABCE']);
  assert.equal(geister.board.read('ebca', [], { kind: 'place' }), 'ABCE');
  assert.equal(geister.board.read('aabc', [], { kind: 'place' }), null);
  assert.equal(geister.board.read('a n', ['A,N']), 'A,N');
});

const table = (more = {}) => ({ field: 'pass', owner: 0, turn: 0, passed: 0, alive: 31, lock: false, revolution: false, passes_in_row: 0, finished: 0, places: [255, 255, 255, 255, 255], rules: {}, cleared: false, ...more });
const seatView = (hand, more = {}) => ({ seat: 0, hand, table: table(more), counts: [4, 11, 11, 10, 10], played: ['', '', '', '', ''], exchanged: { partner: null, given: '', received: '', rich: false }, ranks: null, owed: [0, 0, 0, 0, 0] });

test('daihinmin: cards as texts, the joker in the place of another', () => {
  assert.deepEqual(cardsOf('H8L9HT').map((one) => [one.suit, one.rank, one.isJoker, one.held]), [['H', '8', false, 'H8'], ['H', '9', true, 'J3'], ['H', 'T', false, 'HT']]);
  assert.deepEqual(cardsOf('Kx').map((one) => [one.rank, one.held]), [[null, 'J3']]);
  assert.deepEqual(cardsOf('pass'), []);
  assert.deepEqual(cardsOf('give S3H4').map((one) => one.text), ['S3', 'H4']);
  assert.deepEqual(inOrder(cardsOf('J3S2C3D3'), false).map((one) => one.text), ['D3', 'C3', 'S2', 'J3']);
  assert.deepEqual(inOrder(cardsOf('J3S2C3D3'), true).map((one) => one.text), ['S2', 'D3', 'C3', 'J3']);
});

test('daihinmin: only cards that can still be part of a move stay open', () => {
  const moves = ['S8H8', 'S8L8', 'pass'];
  assert.deepEqual([...daihinmin.openCards(moves, new Set())].sort(), ['H8', 'J3', 'S8']);
  assert.deepEqual([...daihinmin.openCards(moves, new Set(['H8']))].sort(), ['H8', 'S8']);
  assert.deepEqual(daihinmin.matches(moves, new Set(['S8', 'J3'])), ['S8L8']);
  assert.deepEqual(daihinmin.matches(moves, new Set(['S8'])), []);
  const picture = daihinmin.scene([seatView('S8H8C4J3')], { moves, chosen: new Set(['H8']) });
  assert.deepEqual(picture.hand.map((one) => [one.text, one.isOpen]), [['C4', false], ['S8', true], ['H8', true], ['J3', false]]);
});

test('daihinmin: the joker that can stand for several cards is asked about', () => {
  const ui = { chosen: new Set(['S8', 'J3']) };
  const { ctx, played } = asked([seatView('S8C4J3')], ['S8L8', 'S8M8', 'pass'], { ui });
  const choices = find(daihinmin.board.draw(ctx), (node) => node.tag === 'button' && node.props.class === 'primary');
  assert.equal(choices.length, 2);
  choices[1].props.onclick();
  assert.deepEqual(played, ['S8M8']);
});

test('daihinmin: the trick in play, and the one that has just ended', () => {
  const frame = (field, seat, move) => ({ seat, move, views: [{ table: table({ field }) }] });
  const begin = frame('pass', null, null);
  const open = [begin, frame('S4', 0, 'S4'), frame('S4', 1, 'pass'), frame('S9', 2, 'S9')];
  assert.deepEqual(daihinmin.trick(open).map((one) => one.move), ['S4', 'pass', 'S9']);
  const cut = [...open, frame('pass', 3, 'S8')];
  assert.deepEqual(daihinmin.trick(cut).map((one) => one.move), ['S4', 'pass', 'S9', 'S8']);
  assert.deepEqual(daihinmin.trick([...cut, frame('H5', 3, 'H5')]).map((one) => one.move), ['H5']);
  assert.deepEqual(daihinmin.trick([begin]), []);
});

test('daihinmin: a seat that is out holds nothing, and one in play its number of cards', () => {
  const view = { table: table({ field: 'S8', places: [0, 255, 255, 255, 255] }), counts: [0, 9, 0, 9, 9], played: ['', '', '', '', ''], ranks: [], owed: [0, 0, 0, 0, 0] };
  const drawn = daihinmin.board.draw(stillContext({ t, views: [view] }));
  assert.deepEqual(find(drawn, (node) => node.props.class === 'backs').map(textOf), ['9', '0', '9', '9']);
});

test('daihinmin: what lies on top is shown where the moves before it are not known', () => {
  const drawn = daihinmin.board.draw(stillContext({ t, views: [seatView('S3', { field: 'S8H8', owner: 2 })], names: ['a', 'b', 'cem', 'd', 'e'] }));
  const [meld] = find(drawn, (node) => /^meld/.test(node.props.class ?? ''));
  assert.deepEqual(find(meld, (node) => node.props.role === 'img').map((node) => node.props['aria-label']), ['♠8', '♥8']);
  assert.equal(textOf(find(drawn, (node) => node.props.class === 'by')[0]), 'cem');
});

test('daihinmin: a seat that is out has its new rank alone, and small pictures have one sign of a seat', () => {
  const view = seatView('S8', { field: 'S8', places: [0, 255, 255, 255, 255], passed: 2 });
  Object.assign(view, { ranks: [4, 3, 2, 1, 0] });
  const signs = (isSmall) => find(daihinmin.board.draw(stillContext({ t, views: [view], isSmall })), (node) => /^(badge|last-rank)/.test(node.props.class ?? '')).map((node) => node.props.class).sort();
  assert.deepEqual(signs(false), ['badge passed', 'badge place0', 'last-rank', 'last-rank', 'last-rank', 'last-rank']);
  assert.deepEqual(signs(true), ['badge passed', 'badge place0', 'last-rank', 'last-rank', 'last-rank']);
});

test('daihinmin: typed cards in any order, tens as numbers, the joker by its letter', () => {
  assert.equal(daihinmin.board.read('h10 s10', ['SThT', 'STHT', 'pass']), 'SThT');
  assert.equal(daihinmin.board.read('pass', ['pass']), 'pass');
  assert.equal(daihinmin.board.read('', ['pass']), null);
  assert.equal(daihinmin.board.read('S8 J3', ['S8L8', 'pass']), 'S8L8');
  assert.equal(daihinmin.board.read('d4 s3', ['give S3D4']), 'give S3D4');
});

test('every board draws a public view and both languages name everything on it', () => {
  const views = {
    'score-four': { board: Array(16).fill('-').join('/'), moves: '' },
    blokus: EMPTY_BLOKUS,
    dobutsu: { board: 'gle/1c1/1C1/ELG b - 1', moves: [] },
    geister: { 'to-move': 0, ply: 2, ghosts: [OWN.map((one) => `${one.slice(0, 2)}u`), OWN.map((one) => `${one.slice(0, 2)}u`)] },
    daihinmin: { table: table({ field: 'S8H8' }), counts: [9, 9, 9, 9, 9], played: ['', '', '', '', ''], ranks: [0, 1, 2, 3, 4], owed: [0, 0, 0, 0, 0] },
  };
  for (const language of ['en', 'ja']) {
    const missing = [];
    const speak = (key, values) => {
      if (!(key in TEXTS[language])) missing.push(key);
      return textIn(language, key, values);
    };
    for (const [game, view] of Object.entries(views)) {
      for (const isSmall of [false, true]) {
        const drawn = BOARDS[game].draw(stillContext({ t: speak, views: [view], isSmall }));
        assert.ok(textOf(drawn) !== undefined);
      }
    }
    assert.deepEqual(missing, []);
  }
});
