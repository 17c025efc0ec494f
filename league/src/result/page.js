'use strict';

// The page of a league, made from its result, which stands in the page as JSON. Text from the result becomes text nodes only.

const { report, words, settings, entrants: setups, games } = JSON.parse(document.getElementById('result').textContent);
const NONE = '–';
const COLOURS = 7;
const noun = report.duplicate ? 'deal' : 'block';
const hasPoints = report.ranked_by !== 'rating';
const byNumber = new Map(report.entrants.map((line) => [line.number, line]));

/* Elements */

// Characters that hide or turn the direction of writing are shown as their escapes.
const hidden = /(?![\ufe00-\ufe0f\u{e0100}-\u{e01ef}])[\p{Cc}\p{DI}\u2028\u2029\ufff9-\ufffb]/gu;
const escaped = (letter) => Array.from({ length: letter.length }, (_, at) => `\\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
const printable = (text) => String(text).replace(hidden, escaped);

function add(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, printable(value));
  }
  for (const child of children.flat(3)) {
    if (child !== null && child !== undefined) element.append(child instanceof Node ? child : printable(child));
  }
  return element;
}
const h = (tag, attributes = {}, ...children) => add(document.createElement(tag), attributes, children);
const s = (tag, attributes = {}, ...children) => add(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

const named = (text) => h('bdi', {}, text);
const section = (title, lead, ...children) => h('section', {}, h('h2', {}, title), lead ? h('p', { class: 'lead' }, lead) : null, children);
const wide = (title, lead, ...children) => add(section(title, lead, ...children), { class: 'wide' }, []);
const list = (items) => h('ul', { class: 'plain' }, items.map((item) => h('li', {}, item)));
const rowHead = (text) => h('th', { class: 'name', scope: 'row' }, named(text));
const dot = (rank) => h('span', { class: `dot k${rank % COLOURS}` });

/** A table that scrolls by itself. Columns are `[heading, isName]`; a cell is a value, `[value, interval]` or an element. */
function table(columns, rows, options = {}) {
  const cell = ([, isName], value) => {
    if (value instanceof HTMLTableCellElement) return value;
    const [main, interval] = Array.isArray(value) ? value : [value, null];
    return h('td', { class: isName ? 'name' : null }, main, interval ? h('small', {}, interval) : null);
  };
  return h('div', { class: 'scroll', tabindex: 0 }, h('table', { class: options.class },
    h('thead', {}, h('tr', {}, columns.map(([head, isName]) => (head === '' ? h('td') : h('th', { scope: 'col', class: isName ? 'name' : null }, head))))),
    h('tbody', {}, rows.map((row, at) => h('tr', { class: options.first && at === 0 ? 'first' : null }, row.map((value, column) => cell(columns[column], value)))))));
}

/* Figures */

const count = (n) => n.toLocaleString('en');
const counted = (n, what, many = `${what}s`) => `${count(n)} ${n === 1 ? what : many}`;
const points = (n) => (Number.isInteger(n) && n >= 0 ? count(n) : n.toFixed(1));
const isKnown = (n) => n !== null && n !== undefined;

/** With a sign and a true minus; a zero has none. */
function signed(n, digits = 0) {
  const text = Math.abs(n).toFixed(digits);
  if (!/[1-9]/.test(text)) return text;
  return (n < 0 ? '−' : '+') + text;
}

/** A mean with its interval: half its width where both sides are about as long, else both ends. */
function mean(of, scale, digits) {
  if (of.blocks === 0) return [NONE, ''];
  const text = (n) => (n * scale).toFixed(digits).replace('-', '−');
  const hasEnds = isKnown(of.low) && isKnown(of.high);
  const isEven = hasEnds && Math.abs(of.mean - of.low - (of.high - of.mean)) <= 0.2 * of.half_width;
  if (hasEnds && !isEven) return [text(of.mean), text(of.low) + (of.low < 0 ? ' to ' : '–') + text(of.high)];
  return [text(of.mean), `±${isKnown(of.half_width) ? text(of.half_width) : NONE}`];
}

function rating(line) {
  if (!isKnown(line.rating)) return [NONE, ''];
  const width = line.rating_half_width;
  const wideOrNone = isKnown(width) ? 'over ±400' : 'no interval';
  const interval = isKnown(width) && width <= 400 ? `±${width.toFixed(0)}` : wideOrNone;
  return [signed(line.rating), line.name === report.anchor ? 'anchor' : interval];
}

function elo({ value, low, high }) {
  const text = (n) => (isKnown(n) ? signed(n) : NONE);
  return isKnown(value) ? [text(value), `${text(low)} to ${text(high)}`] : [NONE, ''];
}

function time(ms) {
  if (!isKnown(ms)) return NONE;
  if (ms < 1) return '< 1 ms';
  if (ms < 1000) return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
  return `${(ms / 1000).toFixed(ms < 100_000 ? 2 : 0)} s`;
}

function hours(n) {
  if (n * 60 < 1) return `${(n * 3600).toFixed(0)} s`;
  return n < 1.5 ? `${(n * 60).toFixed(0)} min` : `${n.toFixed(1)} h`;
}

/** In percent, never rounded to certainty. */
function chance(share) {
  if (!isKnown(share)) return '';
  if (share > 0.999) return '> 99.9';
  return share < 0.001 ? '< 0.1' : (share * 100).toFixed(1);
}

function date(text) {
  const at = new Date(text ?? '');
  return Number.isNaN(at.getTime()) ? text ?? '' : `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/* Charts */

const WIDTH = 440;

/** A scale over all known values, with a little room at its ends, and about `parts` round values on it. */
function axis(values, [from, to], parts) {
  const known = values.filter((n) => Number.isFinite(n));
  let [low, high] = [Math.min(...known), Math.max(...known)];
  if (known.length === 0) [low, high] = [0, 0];
  const room = high > low ? (high - low) * 0.06 : 1;
  [low, high] = [low - room, high + room];
  const rough = (high - low) / parts;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough * 0.999);
  const ticks = [];
  for (let tick = Math.ceil(low / step); tick * step <= high; tick += 1) ticks.push(tick * step + 0);
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  const at = (n) => (from + (Math.min(Math.max(n, low), high) - low) / (high - low) * (to - from)).toFixed(1);
  return { at, ticks, text: (n) => n.toFixed(digits).replace('-', '−') };
}

const svg = (height, label, ...children) => s('svg', { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': label }, children);
const short = (name, most) => ([...name].length > most ? `${[...name].slice(0, most - 1).join('')}…` : name);

/** Ratings with their intervals. */
function forest() {
  const rated = report.entrants.filter((line) => isKnown(line.rating));
  if (rated.length === 0) return h('p', {}, NONE);
  const ends = (line) => (isKnown(line.rating_half_width) ? [line.rating - line.rating_half_width, line.rating + line.rating_half_width] : [line.rating]);
  const x = axis([0, ...rated.flatMap(ends)], [118, 340], 5);
  const bottom = 30 * rated.length + 6;
  return svg(bottom + 22, 'Ratings with intervals',
    x.ticks.map((tick) => [
      s('line', { class: tick === 0 ? 'zero' : 'grid', x1: x.at(tick), x2: x.at(tick), y1: 0, y2: bottom }),
      s('text', { class: 'soft', x: x.at(tick), y: bottom + 16, 'text-anchor': 'middle' }, x.text(tick))]),
    rated.map((line, row) => {
      const y = 30 * row + 18;
      const [low, high] = ends(line);
      return s('g', { class: `k${report.entrants.indexOf(line) % COLOURS}` },
        s('text', { x: 0, y: y + 4.5 }, s('title', {}, line.name), short(line.name, 14)),
        isKnown(high) ? s('line', { class: 'whisker', x1: x.at(low), x2: x.at(high), y1: y, y2: y }) : null,
        s('circle', { class: 'mark', cx: x.at(line.rating), cy: y, r: 6 }),
        s('text', { x: WIDTH, y: y + 4.5, 'text-anchor': 'end' }, rating(line).join(' ')));
    }));
}

/** Lines over the number of blocks: `{ points: [[blocks, value]], name, colour }`, and values with a line of their own. */
function course(label, lines, marks, wild = 0) {
  const [from, to, height] = [44, lines.some((line) => line.name) ? 320 : WIDTH - 12, 250];
  const all = lines.flatMap((line) => line.points);
  const settled = all.filter(([blocks]) => blocks >= wild);
  const y = axis([...settled.map(([, value]) => value), ...marks], [height - 26, 8], 5);
  const x = axis([0, ...all.map(([blocks]) => blocks)], [from, to], 4);
  // Names that would lie on each other move down.
  const ends = lines.map((line) => ({ ...line, y: Number(y.at(line.points.at(-1)[1])) })).sort((a, b) => a.y - b.y);
  ends.forEach((end, at) => { if (at > 0) end.y = Math.max(end.y, ends[at - 1].y + 15); });
  return svg(Math.max(height, (ends.at(-1)?.y ?? 0) + 12), label,
    [...new Set([...y.ticks, ...marks])].map((tick) => [
      s('line', { class: marks.includes(tick) ? 'zero' : 'grid', x1: from, x2: to, y1: y.at(tick), y2: y.at(tick) }),
      s('text', { class: 'soft', x: from - 6, y: Number(y.at(tick)) + 4, 'text-anchor': 'end' }, marks.includes(tick) && tick !== 0 ? signed(tick, 2) : y.text(tick))]),
    x.ticks.filter((tick) => tick >= 0 && Number.isInteger(tick)).map((tick) => s('text', { class: 'soft', x: x.at(tick), y: height - 8, 'text-anchor': 'middle' }, count(tick))),
    lines.map((line) => s('polyline', {
      class: `course k${line.colour % COLOURS}`, 'stroke-dasharray': line.colour < COLOURS ? null : '5 3',
      points: line.points.map(([blocks, value]) => `${x.at(blocks)},${y.at(value)}`).join(' '),
    })),
    ends.filter((end) => end.name).map((end) => s('g', { class: `k${end.colour % COLOURS}` },
      s('circle', { class: 'mark', cx: to + 8, cy: end.y, r: 4 }), s('text', { x: to + 17, y: end.y + 4.5 }, short(end.name, 13)))));
}

/** A cell with the colour of its score. */
function heat(score, interval, title) {
  // Small differences are seen, too.
  const strength = Math.min(Math.abs(score - 0.5) * 2, 1) ** 0.7 * 0.55;
  const cell = h('td', { class: score >= 0.5 ? 'high' : 'low', title }, (score * 100).toFixed(1), interval ? h('small', {}, interval) : null);
  cell.style.setProperty('--a', strength.toFixed(2));
  return cell;
}

/* Parts of the page */

function header() {
  const { totals, began } = report;
  const fact = (value, what) => h('li', {}, h('b', {}, value), h('span', {}, what));
  const scheduled = totals.scheduled === totals.fixtures ? 'fixtures, all of the schedule' : `of ${count(totals.scheduled ?? 0)} fixtures`;
  return h('header', {}, h('h1', {}, named(report.title)), h('p', {}, `${report.game}: ${report.format}`), h('ul', { class: 'facts' },
    fact(count(totals.games), 'games'),
    fact(count(totals.fixtures), isKnown(totals.scheduled) ? scheduled : 'fixtures so far'),
    fact(count(totals.blocks), report.duplicate ? 'deals from every seat' : `blocks of ${report.block_games} games, each with its own deal`),
    totals.incomplete > 0 ? fact(count(totals.incomplete), `${noun}s not finished, left out`) : null,
    totals.repeats > 0 ? fact(count(totals.repeats), `${noun}s with the games of an earlier one: intervals are too narrow${words.openings}`) : null,
    fact(hours(report.table_hours), 'of play at all tables together'),
    fact(date(began[0]), began.length > 1 ? `begun; last taken up ${date(began.at(-1))}` : 'begun')));
}

function standings() {
  const hasRefused = report.entrants.some((line) => line.refused > 0);
  const means = [['rating', rating], ['total', (line) => points(line.points_total)], ['place', (line) => mean(line.place, 1, 2)],
    ['points', (line) => mean(line.points, 1, 2)], ['wins %', (line) => mean(line.wins, 100, 1)], ['score %', (line) => mean(line.score, 100, 1)]];
  // A contest is about points.
  if (hasPoints) means.push(means.shift());
  const faults = (line) => Object.values(line.faults).reduce((sum, n) => sum + n, 0);
  const columns = [...means, ['games', (line) => count(line.games)], ...(hasRefused ? [['refused', (line) => count(line.refused)]] : []),
    ['faults', (line) => count(faults(line))], ['stronger %', (line) => chance(line.superior_to_next)]];
  return wide('Standings', null, table([['#'], ['entrant', true], ...columns.map(([head]) => [head])],
    report.entrants.map((line, rank) => [rank + 1, h('td', { class: 'name' }, dot(rank), named(line.name)), ...columns.map(([, value]) => value(line))]), { first: true }));
}

function stages() {
  return [...report.stages].reverse().flatMap((stage) => stage.groups.map((group, at) => wide(
    (stage.name || 'table') + (stage.groups.length > 1 ? ` ${at + 1}` : ''), null,
    table([['#'], ['entrant', true], ['points'], ['wins'], ['buchholz'], ['games'], ['']],
      group.map((place, rank) => [rank + 1, named(place.name), points(place.points), count(place.wins), points(place.buchholz), count(place.games), place.goes_on ? 'goes on' : ''])))));
}

function sprt() {
  if (!report.sprt) return null;
  const { course: ratios, bounds } = report.sprt;
  const chart = ratios.length > 1 ? course(`Log likelihood ratio by the number of ${noun}s`, [{ points: ratios, colour: 0 }], [bounds[0], 0, bounds[1]]) : null;
  return wide('Sequential test', words.sprt, chart);
}

function duels() {
  const lines = report.entrants.filter((line) => line.duels);
  if (lines.length === 0) return null;
  const hasPairs = report.duplicate && report.block_games === 2;
  const lead = `Of whole ${noun}s. Elo of the mean score against all whom an entrant has met, with 95 % interval; normalized: by the deviation of a game.`
    + (hasPairs ? ' Pairs: both games of a deal, by the points in them, a draw one half.' : '');
  const pairs = hasPairs ? ['0', '½', '1', '1½', '2'].map((head) => [head]) : [];
  return wide('Wins, draws and losses', lead, table([['entrant', true], ['W – D – L'], ...pairs, ['Elo'], ['normalized']],
    lines.map(({ name, duels: all }) => [named(name), [all.won, all.drawn, all.lost].map(count).join(' – '),
      ...(hasPairs ? all.pairs.map(count) : []), elo(all.elo), elo(all.normalized_elo)])));
}

function cross() {
  if (report.entrants.length < 2) return null;
  const cell = (row, column) => {
    const met = report.cross[row][column];
    if (!met) return row === column ? h('td', { class: 'self' }, '■') : NONE;
    const [a, b] = [row, column].map((rank) => report.entrants[rank].name);
    return heat(met.score.mean, mean(met.score, 100, 1)[1], `${a} against ${b}: ${count(met.ahead)} ahead, ${count(met.level)} level, ${count(met.behind)} behind`);
  };
  return wide('Cross table', 'Row against column: share of meetings in which it finished ahead, ties one half, with 95 % interval',
    table([['#'], ['score %', true], ...report.entrants.map((_, rank) => [rank + 1])],
      report.entrants.map((line, row) => [row + 1, rowHead(line.name), ...report.entrants.map((_, column) => cell(row, column))]), { class: 'heat' }));
}

function progress() {
  const steps = report.progress;
  if (steps.length < 5) return null;
  const shown = report.entrants.slice(0, 10);
  const lines = shown.map((line, rank) => ({
    name: line.name, colour: rank, points: steps.filter((step) => isKnown(step.ratings[rank])).map((step) => [step.blocks, step.ratings[rank]]),
  }));
  const lead = `By whole ${noun}s, in the order of the schedule${report.entrants.length > shown.length ? `; the first ${shown.length}` : ''}`;
  // The first ratings are wild.
  const wild = steps[Math.floor(steps.length * 0.15)].blocks;
  return section('Ratings over the course of the league', lead, course('Ratings by the number of deals', lines.filter((line) => line.points.length > 0), [0], wild));
}

function seats() {
  const rows = report.entrants.map((line) => [rowHead(line.name), ...line.by_seat.map((score) => (isKnown(score) ? heat(score) : NONE))]);
  const all = [rowHead('all'), ...report.seats.map((seat) => (seat.score.blocks > 0 ? heat(seat.score.mean, mean(seat.score, 100, 1)[1]) : NONE))];
  return section('Score by seat', 'What a seat is worth, whoever sits there, and each entrant in it',
    table([['score % in seat', true], ...report.seats.map((seat) => [seat.seat + 1])], [all, ...rows], { class: 'heat' }));
}

function thinking() {
  return section('Thinking time', null, table([['entrant', true], ['a move'], ['slowest'], ['a game'], ['longest'], ['moves']],
    report.entrants.map(({ name, thinking: all }) => [named(name), time(all.move_ms), time(all.slowest_move_ms), time(all.game_ms), time(all.longest_game_ms), count(all.moves)])));
}

function faults() {
  const faulty = report.entrants.filter((line) => Object.keys(line.faults).length > 0);
  if (faulty.length === 0) return section('Faults', 'None: all games were played to their end by the rules');
  const kinds = [...new Set(faulty.flatMap((line) => Object.keys(line.faults)))].sort();
  return section('Faults', 'They cost what the rules of the game say',
    table([['entrant', true], ...kinds.map((kind) => [kind])], faulty.map((line) => [named(line.name), ...kinds.map((kind) => count(line.faults[kind] ?? 0))])));
}

function notes() {
  const ends = Object.entries(report.ends);
  return [
    ends.length > 0 ? section('Ends of games', 'By the rule that ended them', list(ends.map(([rule, n]) => `${rule}: ${count(n)}`))) : null,
    report.voids.length > 0 ? section('Void fixtures', 'Not counted, and played again', list(report.voids.map((one) => `${count(one.fixtures)} × ${one.reason}`))) : null,
    words.acts.length > 0 ? section('Acts of the organiser', 'What was done while the league ran, with its reason', list(words.acts)) : null,
    words.not_played.length > 0 ? section('Not played', 'Fixtures that were begun in vain, with a reason', list(words.not_played)) : null,
  ];
}

function setup() {
  const hasClients = setups.some((one) => one.clients.length > 0);
  const rows = report.entrants.map((line, rank) => [named(line.name), h('td', { class: 'words' }, setups[rank].plays),
    ...(hasClients ? [h('td', { class: 'words' }, setups[rank].clients.join('; ') || NONE)] : [])]);
  return wide('Settings', null, h('dl', { class: 'settings' }, settings.map(([what, value]) => h('div', {}, h('dt', {}, what), h('dd', {}, value)))),
    table([['entrant', true], ['what plays', true], ...(hasClients ? [['calls itself', true]] : [])], rows, { class: 'games' }));
}

function played() {
  if (games.shown.length === 0) return null;
  const name = (entrant) => named(byNumber.get(entrant).name);
  const hasSessions = games.session > 1;
  const link = (one) => (one.record ? h('a', { href: `${games.records}/${one.record}#game=${one.record_game}` }, `${one.record}, game ${one.record_game}`) : NONE);
  const end = (one) => [one.rule, ...one.kinds.map(([kind, entrant]) => [`${kind} of `, name(entrant)])].filter((part) => part).flatMap((part, at) => (at > 0 ? [', ', part] : [part]));
  const seat = (one, at) => h('td', { class: one.places[at] === 0 && one.places.some((place) => place > 0) ? 'name won' : 'name' }, name(one.entrants[at]), h('small', {}, points(one.points[at])));
  const matchups = new Map();
  for (const one of games.shown) {
    const [matchup] = one.key.split('.');
    if (!matchups.has(matchup)) matchups.set(matchup, []);
    matchups.get(matchup).push(one);
  }
  const folded = [...matchups.values()].map((all) => {
    const entrants = [...new Set(all[0].entrants)].sort((a, b) => a - b);
    const columns = [['key', true], ...(hasSessions ? [['game']] : []), ...all[0].entrants.map((_, at) => [`seat ${at + 1}`, true]), ['end', true], ['plies'], ['time'], ['record', true]];
    const row = (one) => [h('td', { class: 'key' }, one.key), ...(hasSessions ? [one.game] : []), ...one.entrants.map((_, at) => seat(one, at)),
      h('td', { class: 'name' }, end(one).length > 0 ? end(one) : NONE), count(one.plies), time(one.ms), h('td', { class: 'name' }, link(one))];
    return h('details', { open: report.totals.games <= 40 ? '' : null },
      h('summary', {}, entrants.flatMap((entrant, at) => (at > 0 ? [' – ', name(entrant)] : [name(entrant)])), `: ${counted(all.length, 'game')}`), table(columns, all.map(row), { class: 'games' }));
  });
  const lead = h('p', { class: 'lead' },
    report.totals.games > games.shown.length ? [`The first ${count(games.shown.length)} of ${counted(report.totals.games, 'game')}; `, h('a', { href: 'games.csv' }, 'games.csv'), ' has all. '] : null,
    'Key: matchup, deal and rotation. Time: of all moves together. ',
    games.command
      ? [h('code', {}, 'taikyoku web --records .'), ' in the folder of the league shows this page under “Games played”, and there a link to a record leads to its replay; in a terminal ', h('code', {}, games.command), ' shows that game.']
      : ['There are no records; ', h('code', {}, 'records = true'), ' in the file of a league keeps them.']);
  return h('section', { class: 'wide', id: 'games' }, h('h2', {}, 'Games'), lead, folded);
}

function highlights() {
  const name = (entrant) => named(byNumber.get(entrant).name);
  const unit = report.game === 'daihinmin' ? 'card' : 'point';
  const kinds = {
    upset: ({ measure }) => `rated ${count(Math.round(measure))} below an opponent`,
    comeback: ({ measure }) => `was ${counted(measure, unit)} behind`,
    closest: ({ measure }) => (measure > 0 ? `${counted(measure, 'point')} apart` : 'level'),
    'rare-end': ({ measure, rule }) => `${rule}, as ${measure > 1 ? `only ${counted(measure, 'game')}` : 'no other game'}`,
    longest: ({ measure }) => `the longest: ${counted(measure, 'ply', 'plies')}`,
    shortest: ({ measure }) => `the shortest: ${counted(measure, 'ply', 'plies')}`,
  };
  if (report.highlights.length === 0 || report.totals.games < 8) return null;
  const place = ({ record, ply }) => (record ? h('a', { href: `${games.records}/${record.file}#game=${record.game}${ply === null ? '' : `&ply=${ply}`}` }, ply === null ? 'the game' : `ply ${ply}`) : NONE);
  return wide('Highlights', 'Found by simple measures, at most three of each kind', table([['game', true], ['why', true], ['key', true], ['look', true]],
    report.highlights.map((one) => [h('td', { class: 'name' }, one.entrants.flatMap((entrant, at) => (at > 0 ? [' – ', name(entrant)] : [name(entrant)]))),
      h('td', { class: 'words' }, kinds[one.kind](one)), h('td', { class: 'key' }, one.key), h('td', { class: 'name' }, place(one))]), { class: 'games' }));
}

function footer() {
  const model = isKnown(report.draw) ? 'win : draw : loss = w₁ : ν√(w₁w₂) : w₂ (Davidson 1970)'
    : 'the best of a game is entrant i with the chance wᵢ / Σw, then the same among the others (Plackett 1975, Luce 1959; equal places after Efron 1977)';
  const unit = report.duplicate ? 'the deal, played once from every seat, for its games are not independent of each other' : `the block of ${report.block_games} games, each with its own deal`;
  const rank = { points: 'Ranked by total, the sum of all points', rating: 'Ranked by rating; total: the sum of all points', table: 'Ranked by the tables of points; total: the sum of all points of games' };
  return h('footer', {}, h('h2', { id: 'reading' }, 'How to read this'), h('p', {}, h('code', {}, words.reading), ' of Taikyoku explains this page in plain words.'),
    h('p', {}, `± is half of a 95 % interval; where its two sides differ, both ends are given. The unit of all intervals is ${unit}; ${noun}s that are not finished are left out of ratings, means and tables. Faults and times count all games.`),
    h('p', {}, `${rank[report.ranked_by]}. Rating: 400 log₁₀ w above `, named(report.anchor), `; ${model}. Its intervals: bootstrap over ${noun}s (Efron 1979), each resample with a random game or so between any two that have met (after Rubin 1981), and Student’s quantile; those of means: empirical likelihood of ${noun}s, each set of opponents a stratum (Owen 1988, Zhong and Rao 2000). `
      + 'Score: share of the seats of others that finished behind, ties one half. Place, wins and points are means of a seat, copies of the same entrant included; wins that k share count 1/k. Stronger %: chance that an entrant is stronger than the next below, Student’s distribution of the difference. Still needed: n (h / margin)² for a half width h after n. '
      + `Sequential test: generalised likelihood ratio of the mean score of a ${noun} (Wald 1945, Van den Bergh 2019). Elo of a mean score s: 400 log₁₀ (s / (1 − s)); normalized: 800 / ln 10 (s − ½) / d for the standard deviation d of a game (Van den Bergh 2020), its interval by the delta method.`),
    h('p', {}, `Made by Taikyoku from the journal of the league.${isKnown(report.seed) ? ` All deals follow from its seed, ${settings.find(([what]) => what === 'seed')[1]}.` : ''}`));
}

function main() {
  const hasGames = report.totals.fixtures > 0;
  const figures = hasGames ? [
    h('section', { class: 'wide' }, h('p', {}, words.summary.join(' ')), h('p', {}, h('a', { href: '#reading' }, 'How to read this'))),
    hasPoints ? [stages(), standings(), sprt()] : [standings(), sprt(), stages()], duels(), cross(),
  ] : h('section', { class: 'wide' }, h('p', { class: 'lead' }, words.no_game));
  const cards = hasGames ? [section('Ratings', `With 95 % intervals${words.needed ? `; ${words.needed}` : ''}`, forest()), progress(), seats(), thinking(), faults()] : [];
  return h('main', {}, figures, h('div', { class: 'cards' }, cards, notes()), highlights(), setup(), played());
}

document.title = printable(report.title);
// A fault in one part leaves those before it to be seen.
for (const part of [header, main, footer]) document.body.append(part());
