// The texts of the page in its languages.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';

import { GAMES } from '../../assets/boards/index.js';
import { languageOf, textIn, TEXTS } from '../../assets/i18n/index.js';
import { reasonIn, sentences } from '../../assets/i18n/reasons.js';
import { captionsOf, rulesOf } from '../../assets/i18n/rules.js';
import { find, textOf } from '../../assets/dom.js';
import { pictures, rulesPanel } from '../../assets/rules.js';

test('each game has its rules in both languages', () => {
  for (const game of GAMES) {
    const [en, ja] = ['en', 'ja'].map((language) => rulesOf(language, game));
    assert.ok(en.length >= 5 && en.length <= 9 && en.length === ja.length, `${game}: ${en.length}, ${ja.length}`);
    for (const sentence of en) assert.match(sentence, /^[A-Z][ -~]+\.$/);
    for (const sentence of ja) assert.match(sentence, /[ぁ-ん].*。$/u);
  }
  const panel = rulesPanel({ t: (key) => textIn('ja', key), settings: { language: 'ja' } }, 'dobutsu');
  assert.deepEqual([panel.tag, panel.props.open, textOf(panel.children[0])], ['details', true, 'ルール']);
  assert.equal(find(panel, (node) => node.tag === 'li').length, rulesOf('ja', 'dobutsu').length);
});

test('each picture of the rules has a caption, and nothing but that is read out', () => {
  for (const game of GAMES) {
    const [en, ja] = ['en', 'ja'].map((language) => captionsOf(language, game));
    // As many as the gateway has positions.
    assert.deepEqual([en.length, ja.length], game === 'blokus' || game === 'daihinmin' ? [3, 3] : [4, 4], game);
    for (const sentence of en) assert.match(sentence, /^[A-Z][ -~]+\.$/);
    for (const sentence of ja) assert.match(sentence, /[ぁ-ん].*。$/u);
  }
  const frame = { views: [{ moves: 'b2' }], players: [0, 1], to_move: 1, seat: 0, move: 'b2' };
  const drawn = pictures({ t: (key) => textIn('en', key), settings: { language: 'en' } }, 'score-four', [frame, frame]);
  const [first] = find(drawn, (node) => node.tag === 'figure');
  const [thumb, caption] = first.children;
  assert.deepEqual([thumb.props['aria-hidden'], textOf(caption)], ['true', captionsOf('en', 'score-four')[0]]);
});

test('both languages have the same keys and the same places for values', () => {
  assert.deepEqual(Object.keys(TEXTS.ja).sort(), Object.keys(TEXTS.en).sort());
  const holes = (text) => [...text.matchAll(/\{\w+\}/g)].map(([hole]) => hole).sort();
  for (const [key, text] of Object.entries(TEXTS.en)) assert.deepEqual(holes(TEXTS.ja[key]), holes(text), key);
  assert.equal(textIn('ja', 'turn.other', { who: 'best' }), 'bestの手番');
  assert.equal(languageOf(['fr-FR', 'ja-JP', 'en']), 'ja');
  assert.equal(languageOf(['fr']), 'en');
});

test('reasons of programs are told in the words of the reader', () => {
  const nameOf = (player) => ['ana', 'bo'][player];
  const left = 'player 1 is gone: it gave up its seat';
  assert.equal(reasonIn('en', left, nameOf), 'bo has left the table.');
  assert.equal(reasonIn('ja', left, nameOf), 'bo が席を離れました。');
  assert.equal(reasonIn('ja', 'player 0 was out of time in 3 games in a row', nameOf), 'ana が3局続けて時間切れになりました。');
  assert.equal(reasonIn('ja', 'the bot best2 has ended (exit status: 3)'), 'ボット best2 が終了しました。');
  assert.equal(reasonIn('ja', 'cannot connect to localhost:1: refused. Is it there?'), 'localhost:1 に接続できません。');
  assert.equal(reasonIn('ja', 'perfect cannot play: it needs the table of dobutsu-solve'), 'perfect は対局できません。dobutsu-solve で作る表が必要です。');
  assert.equal(reasonIn('ja', 'alphazero cannot play: it needs its network'), 'alphazero は対局できません。ネットワークのファイルが必要です。');
  for (const language of ['en', 'ja']) assert.equal(reasonIn(language, 'something new'), 'something new');
  // People are counted from 1, and a name comes before a number.
  assert.equal(reasonIn('en', 'player 0 is gone: it gave up its seat'), 'player 1 has left the table.');
  assert.equal(reasonIn('ja', 'something new of player 4'), 'something new of 対局者5');
  assert.equal(reasonIn('en', 'something new of player 1', nameOf), 'something new of bo');
  assert.equal(reasonIn('ja', 'that was too fast: try again in 6 s'), '操作が速すぎます。6秒後にもう一度お試しください。');
  for (const limit of ['you have 8 tables already: end a table', 'at most 24 bots play at your tables at the same time: end a table', 'all 32 tables of this page are in use: try again later']) {
    assert.doesNotMatch(reasonIn('ja', limit), /[a-z]/);
  }
  // The sentences are those of the programs.
  const root = new URL('../../../', import.meta.url);
  for (const [file, ...sentences] of [
    ['web/src/table/conduct.rs', 'the disk does not take the record of this match; it is tried for a minute', 'the record of this match is lost: the disk has not taken it', 'the table was ended by the person that made it', 'the gateway ends', 'nobody was at the table any more', 'a person has left', 'the player has ended', 'the match was not played to its end'],
    ['web/src/watched/mod.rs', 'the connection with the watched server is lost; it is tried again'],
    ['web/src/watched/matches.rs', 'the server tells no more of this match', 'the server could not keep up: this game is told no further'],
    ['web/src/routes.rs', 'there is no such record'],
    ['web/src/replay.rs', 'the record is too large'],
    ['server/src/referee/mod.rs', 'the server was stopped'],
    ['server/src/referee/native/mod.rs', 'no more games are played', 'its connection was lost', 'it gave up its seat'],
    ['server/src/table/mod.rs', 'the server failed'],
    ['league/src/commands/league/acts.rs', 'it is not paused: `taikyoku league` with its file plays on'],
    ['league/src/commands/league/organiser.rs', 'say the reason: it stands in the journal and in the report'],
  ]) {
    const source = readFileSync(new URL(file, root), 'utf8');
    for (const sentence of sentences) {
      assert.ok(source.includes(`"${sentence}"`), `${file}: ${sentence}`);
      const reason = /^(its connection|it gave)/.test(sentence) ? `player 0 is gone: ${sentence}` : sentence;
      assert.doesNotMatch(reasonIn('ja', reason, nameOf).replace('ana', ''), /[a-z]/);
    }
  }
});

test('what is wrong with a text that is brought is told in Japanese', () => {
  const root = new URL('../../../', import.meta.url);
  const more = sentences(JSON.parse(readFileSync(new URL('web/assets/i18n/imports.json', root), 'utf8')));
  const told = (reason) => reasonIn('ja', reason, undefined, more);
  assert.equal(told('game 2: move 3: blue cannot play b19: the square b19 is covered already'), '第2局：3手目：b19 には置けません。b19 は埋まっています。');
  for (const [file, ...reasons] of [
    ['web/src/routes.rs', 'this page keeps no records: start it with --records', 'these are the records of a league or a ladder: no others are added'],
    ['web/src/import.rs', 'the records that were brought here take up all their room', 'the folder of records cannot be written'],
    ['record/src/import/draft.rs', 'there is no game in it'],
    ['record/src/import/uecda.rs', 'the game lacks a gift: its exchange is not whole', 'the moves lead to another result', 'the numbers 0 to 4 are wanted in some order'],
    ['record/src/import/geister.rs', 'the moves lead to no such winner', 'a line behind the winner: a log has one game', 'a move behind the end'],
    ['record/src/import/blokus.rs', 'it begins from pieces that are set up, which no record of Blokus can tell', 'it is of other players than the first game'],
  ]) {
    const source = readFileSync(new URL(file, root), 'utf8');
    for (const reason of reasons) {
      assert.ok(source.includes(`"${reason}"`), `${file}: ${reason}`);
      assert.doesNotMatch(told(reason).replace('--records', ''), /[a-z]/);
    }
  }
});

test('every text that the sources name exists', () => {
  const root = new URL('../../assets/', import.meta.url);
  const files = readdirSync(root, { recursive: true }).map(String).filter((name) => name.endsWith('.js') && !name.startsWith('i18n'));
  for (const name of files) {
    const source = readFileSync(new URL(name, root), 'utf8');
    for (const [, key] of source.matchAll(/\bt\('([\w.-]+)'/g)) assert.ok(key in TEXTS.en, `${name}: ${key}`);
  }
});

test('every text is used, and has the same key in both languages', () => {
  const root = new URL('../../assets/', import.meta.url);
  const files = readdirSync(root, { recursive: true }).map(String).filter((name) => name.endsWith('.js') && !name.startsWith('i18n'));
  const source = files.map((name) => readFileSync(new URL(name, root), 'utf8')).join('');
  const words = new Set([...source.matchAll(/'([\w.-]+)'/g)].map(([, word]) => word));
  const parts = [...source.matchAll(/`([\w-]+\.[\w.-]*)\$\{[^`]*\}([\w-]*)`/g)].map(([, before, behind]) => [before, behind]);
  // The ends of games, the reasons of engines and errors are named by servers.
  const named = ['why.', 'because.', 'wrong.'];
  const isUsed = (key) => words.has(key) || parts.some(([before, behind]) => {
    if (!key.startsWith(before) || !key.endsWith(behind)) return false;
    const rest = key.slice(before.length, key.length - behind.length);
    return named.includes(before) || rest.length === 1 || words.has(rest);
  });
  for (const texts of Object.values(TEXTS)) assert.deepEqual(Object.keys(texts).filter((key) => !isUsed(key)), []);
});
