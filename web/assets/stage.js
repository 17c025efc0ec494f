// The board with all that stands around it: players and clocks, whose turn it is, the scrubber, moves and thoughts.

import { BOARDS, isOpenGame, stillContext } from './boards/index.js';
import { timeText } from './clock.js';
import { h } from './dom.js';
import { icon } from './icons.js';
import { hintPanel, thoughtPanel, unitOf, valueText } from './panel.js';
import { rulesPanel } from './rules.js';
import { gameValues, turnText, valueBar, valuesAt } from './values.js';

/** A player's name. The gateway calls persons, and bots of a level, by what they are, in English. */
export function called(t, name) {
  const found = /^(person|guest)(\d*)$/.exec(name ?? '');
  const level = /^level-(\d)(?:-(\d+))?$/.exec(name ?? '');
  if (level) return t('home.level', { n: level[1] }) + (level[2] ? ` (${level[2]})` : '');
  return found ? t({ person: 'who.person', guest: 'who.guest' }[found[1]], { n: found[2] }) : name;
}

/** The names of the seats of the game shown, or of that of another frame. */
export function namesOf(session, t, frame = session.reel.frame) {
  const count = frame?.players?.length ?? 0;
  return Array.from({ length: count }, (_, seat) => {
    const player = session.playerAt(seat, frame);
    return player && player.player === session.table?.you && player.kind !== 'bot' ? t('who.you') : called(t, player?.name) || t('who.seat', { n: seat + 1 });
  });
}

/** Why the match ended early, and what is wrong with its record, in words; `null` where all is well. */
function whyOver(app, session) {
  const { reason, note } = session.over;
  const nameOf = (player) => called(app.t, session.table?.players?.[player]?.name) || app.t('who.seat', { n: player + 1 });
  return [reason, note].filter(Boolean).map((text) => app.reason(text, nameOf)).join(' ') || null;
}

/** Why a game ended, in words. */
export function why(t, end) {
  const key = `why.${end}`;
  const text = t(key);
  return text === key ? end ?? '' : text;
}

/** Why a seat of the game shown plays no more, as far as its game or its server says so, in words; else `null`. */
function whyOut(t, { frame, result }, seat) {
  const own = result?.ends?.[seat];
  const end = (own === result?.end && result?.by !== seat ? null : own) ?? frame.views[0]?.out?.[seat] ?? null;
  // A colour alone is out before the game is over.
  return end === null ? null : end === 'no-moves' ? t('bl.out') : why(t, end);
}

/** Texts of the errors that end a connection for good. */
const LAST = { replaced: 'net.replaced', token: 'net.token', taken: 'net.taken', 'no-table': 'net.token' };

/** What is wrong, in the reader's words where the code of an error says enough; else with those of the gateway. */
export function wrong(t, { code, message }) {
  const key = LAST[code] ?? `wrong.${code}`;
  const text = t(key, { why: message });
  return text === key ? t('wrong.other', { why: message }) : text;
}

/** What a board is given. `act.play` sends a move; `seat` is the one that looks. */
export function boardContext(app, session, { seat, act }) {
  const { reel } = session;
  const { frame, result } = reel;
  const names = namesOf(session, app.t);
  const isPlayer = session.seat !== null || session.isTrying;
  const views = result?.views ?? frame.views;
  return {
    t: app.t, views, seat, mover: session.isTrying ? frame.to_move ?? seat : seat, result, history: reel.history, isSmall: false, isPlayer, ui: session.boardUi,
    ask: session.isActive ? session.ask : null, isActive: session.isActive, hint: session.hint, // The first move of a hint is the engine's.
    best: session.hint && session.isActive ? session.hint.moves?.[0]?.move ?? null : null,
    lastMove: frame.move ? { seat: frame.seat, move: frame.move } : null,
    // The ply of another player's move: the reader has already seen their own.
    played: frame.move && frame.seat !== session.seat ? frame.ply : null,
    toMove: result ? null : frame.to_move,
    nameOf: (at) => names[at] ?? app.t('who.seat', { n: at + 1 }),
    isLive: reel.isAtEnd,
    clockOf: (at) => (reel.isAtEnd ? session.clock.of(at, performance.now()) : frame.clocks?.[at] ?? null),
    play: act.play ?? (() => {}),
    redraw: app.redraw,
  };
}

/** A move as people write it. */
export function moveText(app, session, move) {
  const board = BOARDS[session.table.game];
  return board.short ? board.short(app.t, move) : move;
}

/** The line that is said aloud for a frame. */
export function sentence(app, session, frame) {
  const board = BOARDS[session.table.game];
  if (!frame.move || frame.seat === null) return '';
  return app.t('say.move', { who: namesOf(session, app.t, frame)[frame.seat] ?? '', move: board.say(app.t, frame) });
}

function players(app, session, seat, known) {
  const { t } = app;
  const { frame, result } = session.reel;
  const board = BOARDS[session.table.game];
  const names = namesOf(session, t);
  const now = performance.now();
  // The own seat stands last, below, as at a table.
  const order = frame.players.map((_, index) => (frame.players.length === 2 && seat === 0 ? 1 - index : index));
  return h('ul', { class: `players of${frame.players.length}` }, order.map((at) => {
    const player = session.playerAt(at);
    const left = session.reel.isAtEnd ? session.clock.of(at, now) : frame.clocks?.[at] ?? null;
    const isTurn = !result && frame.to_move === at;
    return h('li', { key: at, class: `player ${isTurn ? 'turn' : ''} ${session.seat === at ? 'own' : ''}` },
      h('span', { class: `seat-mark game-${session.table.game} mark${at}`, 'aria-hidden': 'true' }),
      h('span', { class: 'player-name' }, h('b', {}, names[at]), h('small', {}, [board.seatName(t, at), player?.kind === 'bot' ? t('who.bot') : null, session.gone.has(frame.players[at]) ? t('who.gone') : null, whyOut(t, session.reel, at)].filter(Boolean).join(' · '))),
      known.length > 2 && known[at] !== null ? h('span', { class: 'player-value', title: t(`unit.${unitOf(session.table.game)}`) }, valueText(t, session.table.game, known[at])) : null,
      result ? h('span', { class: 'place' }, result.places?.length > 0 ? t('end.place', { n: result.places[at] }) : '') : null,
      left !== null ? h('span', { class: `clock ${left < 10_000 ? 'low' : ''}`, 'data-clock': session.reel.isAtEnd ? at : null, role: 'timer' }, timeText(left)) : null);
  }));
}

/** Writes the times that run into the clocks on the page. */
export function tick(session) {
  const now = performance.now();
  for (const element of document.querySelectorAll('[data-clock]')) {
    const left = session.clock.of(Number(element.dataset.clock), now);
    if (left === null) continue;
    const text = timeText(left);
    if (element.textContent !== text) element.firstChild.data = text;
    element.classList.toggle('low', left < 10_000);
  }
}

/** What a player says about an offer, in a line; `null` for what the reader has answered. */
export function offerLine(app, { offer, table }) {
  const isOwn = offer.player === table.you;
  const who = called(app.t, table.players[offer.player]?.name) || app.t('who.seat', { n: offer.player + 1 });
  if (offer.act === 'offer') return isOwn ? app.t(`offer.own.${offer.about}`) : app.t(`offer.${offer.about}`, { who });
  return isOwn ? null : app.t(`offer.${offer.act}`, { who });
}

/** The offer that waits for its answer, with the buttons for it. */
function offerPanel(app, session, act) {
  const { t } = app;
  const { offer, table } = session;
  if (!session.isOffered || !session.isConnected || session.over) return null;
  const answer = (says) => () => act[offer.about](says);
  const buttons = offer.player === table.you ? [['withdraw', '']] : [['accept', 'primary'], ['decline', '']];
  return h('div', { key: 'offer', class: 'offer', role: 'group', 'aria-label': t(`offer.title.${offer.about}`) },
    h('p', {}, offerLine(app, session)),
    h('div', { class: 'actions' }, buttons.map(([says, look]) => h('button', { key: says, type: 'button', class: look, onclick: answer(says) }, t(`do.${says}`)))));
}

function status(app, session) {
  const { t } = app;
  const { reel } = session;
  if (session.error?.code in LAST) return [wrong(t, session.error), 'bad'];
  if (session.net === 'lost') return [t(session.error?.code === 'stopped' ? 'wrong.stopped' : 'net.lost'), 'bad'];
  if (session.error?.code === 'again') return [wrong(t, session.error), 'bad'];
  if (session.said) return [app.reason(session.said), 'bad'];
  if (reel.result && (!session.over || !wantAgain(app, session))) return [endLine(app, session), ''];
  if (session.over && wantAgain(app, session)) return [wantAgain(app, session), 'yours'];
  if (session.over && reel.isAtEnd) return [whyOver(app, session) ?? t('turn.over'), whyOver(app, session) ? 'bad' : ''];
  const asks = session.isOffered && session.offer.player !== session.table.you;
  // The reader's own offer stands beside the button that takes it back.
  if (session.offer && session.isOffered === asks && offerLine(app, session)) {
    return [[offerLine(app, session), session.isActive ? t('say.your') : ''].join(' ').trim(), asks || session.isActive ? 'yours' : ''];
  }
  if (!reel.isAtEnd && session.seat !== null) return [t('turn.past'), 'past'];
  // What is wrong with the last wish stands beside the question until the next.
  if (session.isActive && session.error) return [wrong(t, session.error), 'bad'];
  if (session.isActive && !session.isTrying) return [t({ give: 'turn.give', place: 'turn.place' }[session.ask.kind] ?? 'turn.you'), 'yours'];
  if (session.error) return [wrong(t, session.error), 'bad'];
  const { frame } = reel;
  if (frame.to_move === null || frame.to_move === undefined) return [t(session.table.game === 'geister' && frame.ply < 2 ? 'gs.setUp' : 'turn.over'), ''];
  return frame.to_move === session.seat ? [t('turn.you'), 'yours'] : [t('turn.other', { who: namesOf(session, t)[frame.to_move] }), ''];
}

/** First, back, on and last, with a slider. */
export function scrubber(app, session, extra = null) {
  const { t } = app;
  const { reel } = session;
  const { frame } = reel;
  const [first, last] = [reel.firstOf(frame.game), reel.lastOf(frame.game)];
  const to = (index) => { reel.show(index); session.onSeek?.(); app.redraw(); };
  const label = t('reel.at', { ply: frame.ply, plies: reel.frames[last].ply });
  return h('div', { class: 'scrubber' },
    h('div', { class: 'scrub-row' },
      h('button', { type: 'button', 'aria-label': t('reel.first'), title: t('reel.first'), disabled: reel.index === first, onclick: () => to(first) }, icon('first')),
      h('button', { type: 'button', 'aria-label': t('reel.back'), title: `${t('reel.back')} ←`, disabled: reel.index === 0, onclick: () => to(reel.index - 1) }, icon('back')),
      extra,
      h('button', { type: 'button', 'aria-label': t('reel.on'), title: `${t('reel.on')} →`, disabled: reel.isAtEnd, onclick: () => to(reel.index + 1) }, icon('on')),
      h('button', { type: 'button', 'aria-label': t('reel.last'), title: t('reel.last'), disabled: reel.index === last, onclick: () => to(last) }, icon('last'))),
    h('input', { type: 'range', min: first, max: Math.max(last, first), value: reel.index, disabled: last === first, 'aria-label': label, 'aria-valuetext': label, oninput(event) { to(Number(event.target.value)); } }),
    h('span', { class: 'scrub-at' }, `${frame.ply} / ${reel.frames[last].ply}`));
}

/** The sign of a seat beside a move: its mark, or its number where all seats have the same mark. */
function sign(game, seat) {
  return game === 'daihinmin' ? h('span', { class: 'seat-number', 'aria-hidden': 'true' }, seat + 1) : h('span', { class: `seat-mark game-${game} mark${seat}`, 'aria-hidden': 'true' });
}

function moveList(app, session) {
  const { t } = app;
  const { reel } = session;
  const names = namesOf(session, t);
  const { variations } = session;
  const shown = variations?.node ?? null;
  const frames = variations ? variations.main.frames.filter((frame) => frame.game === reel.frame.game) : reel.gameFrames;
  const peek = (frame) => { session.boardUi.peek = reel.gameFrames.includes(frame) ? frame.ply : null; app.redraw(); };
  const item = (frame, isHere, go) => h('button', { type: 'button', class: isHere ? 'here' : '', title: names[frame.seat], 'aria-current': isHere ? 'step' : null, tabindex: isHere ? 0 : -1, onfocus: () => peek(frame), onblur: () => peek(null), onpointerenter: (event) => { if (event.pointerType === 'mouse') peek(frame); }, onpointerleave: () => peek(null), onclick: go },
    h('i', {}, frame.ply), ' ', sign(session.table.game, frame.seat), ' ', frame.move ? moveText(app, session, frame.move) : '…');
  // The other moves that were tried at the same ply come as lists of their own.
  const branch = (nodes) => nodes.map((node) => h('li', { key: `branch${node.moves.join('.')}`, class: 'variation' }, h('ol', { 'aria-label': t('analysis.variation', { move: moveText(app, session, node.frame.move) }) }, tail(node))));
  const tail = (node) => [h('li', { key: node.frame.ply }, item(node.frame, node === shown, () => session.showVariation(node))), branch(node.children.slice(1)), node.children.length > 0 ? tail(node.children[0]) : null];
  const toGame = (frame) => {
    if (variations?.leaf) session.showVariation(null);
    session.reel.seek(frame.game, frame.ply);
    session.boardUi.peek = null;
    session.onSeek?.();
    app.redraw();
  };
  // A frame as one seat sees it is another object; all of these are of the same game.
  return h('ol', { class: 'moves', 'aria-label': t('panel.moves') }, frames.filter((frame) => frame.seat !== null && frame.seat !== undefined).map((frame) => [
    h('li', { key: frame.ply }, item(frame, !shown && frame.ply === reel.frame.ply, () => toGame(frame))),
    branch(variations?.of(frame.game, frame.ply - 1) ?? [])]), branch(variations?.of(reel.frame.game, frames.at(-1)?.ply) ?? []));
}

/** The position after the move of the list at which the pointer or the focus is, where it is not the one shown. */
function peekNode(app, session, seat) {
  const { reel, boardUi, table } = session;
  const frames = reel.gameFrames;
  const at = frames.findIndex((one) => one.ply === boardUi.peek);
  if (at < 0 || boardUi.peek === reel.frame.ply) return null;
  const frame = session.seen(frames[at]);
  return BOARDS[table.game].draw(stillContext({ t: app.t, views: frame.views, seat, frame, history: frames.slice(0, at + 1), names: namesOf(session, app.t, frame), isSmall: false }));
}

/** Whether the thought of a move may be shown now: after the game, or during an open one for a reader who wants it. */
function mayShowThought(app, session) {
  const { reel } = session;
  const isDone = reel.results.has(reel.frame.game) || session.over || session.variations;
  return isDone || (isOpenGame(session.table.game) && app.settings.thoughts);
}

function thoughts(app, session, act) {
  const { t } = app;
  const { reel } = session;
  const { frame } = reel;
  // What is tried in a replay comes after the game, too.
  const isDone = reel.results.has(frame.game) || session.over || session.variations;
  const any = reel.gameFrames.some((one) => one.thought);
  // During an open game at a table with bots the reader may ask for them.
  const canAsk = !isDone && act.thoughts && isOpenGame(session.table.game) && session.table.players.some((player) => player.kind === 'bot');
  if (!any && !canAsk) {
    const found = isDone ? swings(app, session) : null;
    return found && h('div', { class: 'panel' }, found);
  }
  // Below a move without a thought stands the last one before it.
  const of = reel.history.findLast((one) => one.thought) ?? frame;
  const who = namesOf(session, t)[of.seat] ?? '';
  return h('details', { class: 'panel', open: true },
    h('summary', {}, t('panel.thought')),
    canAsk ? h('label', { class: 'check' }, h('input', { type: 'checkbox', checked: app.settings.thoughts, onchange() { app.settings.toggleThoughts(); act.thoughts(app.settings.thoughts); app.redraw(); } }), t('panel.live')) : null,
    mayShowThought(app, session)
      ? [of.thought ? h('h2', {}, t('panel.of', { who, move: moveText(app, session, of.move) })) : null, thoughtPanel(t, session.table.game, of.thought, (move) => moveText(app, session, move), of.value)]
      : isOpenGame(session.table.game) ? null : h('p', { class: 'quiet' }, t('panel.hidden')),
    isDone ? swings(app, session) : null);
}

/** The turning points of the game shown, with the values before and after and what would have been better. */
export function turningPoints(session) {
  const asked = session.asked ?? new Map();
  const { reel } = session;
  const found = reel.highlights(BOARDS[session.table.game].notable, asked);
  return found.map((one) => {
    const { ply, move } = reel.frames[one.index];
    const before = asked.get(ply - 1);
    const best = before?.best ?? null;
    return { ...one, ply, before: before?.value, after: (before?.value ?? 0) + (one.by ?? 0), better: best === null || best === move ? null : best };
  });
}

function swings(app, session) {
  const { t } = app;
  const found = turningPoints(session);
  if (found.length === 0) return null;
  const names = namesOf(session, t);
  return [h('h2', {}, t('panel.swings')), h('ul', { class: 'swings' }, found.map((one) => h('li', { key: `${one.index}${one.kind}` },
    h('button', { type: 'button', onclick() { session.reel.show(one.index); session.onSeek?.(); app.redraw(); } },
      turnText(app, { ...one, game: session.table.game, who: names[one.seat], better: one.better && moveText(app, session, one.better), note: one.kind === 'swing' ? null : t(`note.${one.kind}`) })))))];
}

/** What the page knows of the worth of the position shown, by seat: from a hint for it, or from what bots have written. */
function knownValues(app, session) {
  const { reel, hint } = session;
  const { frame } = reel;
  const count = frame.players.length;
  const known = mayShowThought(app, session) ? valuesAt(gameValues(session, frame), count, frame.ply) : frame.players.map(() => null);
  const [best] = hint?.game === frame.game && hint.ply === frame.ply ? hint.moves : [];
  const isKnown = hint?.engine && typeof best?.value === 'number' && typeof frame.to_move === 'number';
  return isKnown ? valuesAt([...known.flatMap((value, seat) => (value === null ? [] : [{ ply: 0, seat, value }])), { ply: frame.ply, seat: frame.to_move, value: best.value }], count, frame.ply) : known;
}

function typed(app, session, act) {
  const { t } = app;
  const board = BOARDS[session.table.game];
  const send = (event) => {
    event.preventDefault();
    const input = event.currentTarget.querySelector('input');
    // Japanese keyboards write letters and digits in full width, too.
    const move = session.isActive ? board.read(input.value.normalize('NFKC'), session.ask.moves, session.ask) : null;
    if (move === null) {
      session.typedError = t('type.bad', { move: input.value });
    } else {
      session.typedError = null;
      input.value = '';
      act.play(move);
    }
    app.redraw();
  };
  return h('form', { class: 'typed', onsubmit: send },
    h('label', { for: 'typed' }, t('type.label')),
    h('div', { class: 'typed-row' },
      h('input', { id: 'typed', type: 'text', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', placeholder: session.ask?.kind === 'place' ? 'ABCD' : t('type.example', { example: board.example }), 'aria-describedby': 'typed-error' }),
      h('button', { type: 'submit', disabled: !session.isActive }, t('type.send'))),
    h('p', { id: 'typed-error', class: 'bad', role: 'alert' }, session.typedError ?? ''));
}

/** How the game shown has ended for the reader, and why, in words. */
function verdict(app, session) {
  const { t } = app;
  const { result } = session.reel;
  const { seat } = session;
  const names = namesOf(session, t);
  const places = result.places ?? [];
  const best = places.flatMap((place, at) => (place === 1 ? [at] : []));
  const isDraw = best.length > 1 && best.length === places.length;
  const head = isDraw ? t('end.draw') : seat !== null && places.length === 2 ? t(places[seat] === 1 ? 'end.won' : 'end.lost')
    : seat !== null && places.length > 2 ? (places[seat] === 1 ? t('end.won') : t('end.place', { n: places[seat] }))
      : best.length === 1 ? t('end.wins', { who: names[best[0]] }) : t('end.over');
  const mood = seat === null || isDraw || places.length === 0 ? '' : places[seat] === 1 ? 'won' : 'lost';
  const by = typeof result.by === 'number' ? names[result.by] : null;
  const reason = by ? t('end.by', { who: by, end: why(t, result.end) }) : why(t, result.end);
  return { head, reason, mood, places };
}

/** The same in a line. */
export function endLine(app, session) {
  const { head, reason } = verdict(app, session);
  return reason ? app.t('end.by', { who: head, end: reason }) : head;
}

/** The scores of a match, each beside the name of its player. */
export function scoreText(app, session, scores) {
  const { t } = app;
  const { players, you } = session.table;
  const names = scores.map((_, at) => (at === you && players?.[at]?.kind !== 'bot' ? t('who.you') : called(t, players?.[at]?.name) || t('who.seat', { n: at + 1 })));
  return scores.length === 2 ? `${names[0]} ${scores[0]} – ${scores[1]} ${names[1]}` : scores.map((score, at) => `${names[at]} ${score}`).join(', ');
}

/** The way from the end of a game to the one that has begun meanwhile. A replay, which has no connection, goes on by its scrubber. */
function nextGame(app, session) {
  const { reel } = session;
  if (!session.net || !reel.result || reel.isAtEnd) return null;
  return h('button', { key: 'next', type: 'button', class: 'primary', onclick() { reel.show(reel.frames.length - 1); app.redraw(); } }, app.t('do.next'));
}

/** The end of a game, beside the board; on a small page, below it. */
function ending(app, session, act) {
  const { t } = app;
  const { result } = session.reel;
  if (!result || session.closedEnd === result.game) return null;
  const names = namesOf(session, t);
  const board = BOARDS[session.table.game];
  const { seat, over } = session;
  const { head, reason, mood, places } = verdict(app, session);
  const order = places.map((_, at) => at).sort((a, b) => places[a] - places[b]);
  const close = () => { session.closedEnd = result.game; app.redraw(); };
  const next = nextGame(app, session);
  // The points of a match of one game are its result.
  const scores = over ? over.games > 1 && over.scores : session.table.games !== 1 && result.match_scores;
  return h('section', { key: 'ending', class: `ending ${mood}`, role: 'dialog', 'aria-label': t('end.over') },
    h('button', { type: 'button', class: 'close', 'aria-label': t('close'), onclick: close }, '×'),
    h('h2', {}, head),
    h('p', { class: 'why' }, reason),
    places.length > 2 ? h('ol', { class: 'order' }, order.map((at) => h('li', { key: at, class: at === seat ? 'own' : '' }, h('b', {}, places[at]), h('span', {}, names[at]), h('small', {}, [result.game_points?.length > 0 ? t('end.points', { n: result.game_points[at] }) : board.placeName?.(t, places[at]), whyOut(t, session.reel, at)].filter(Boolean).join(' · '))))) : null,
    board.reveal?.({ t, seat: seat ?? 0, names, frames: session.reel.gameFrames }) ?? null,
    scores ? h('p', { class: 'quiet' }, t('end.score', { scores: scoreText(app, session, scores) })) : null,
    over && whyOver(app, session) ? h('p', { class: 'quiet' }, whyOver(app, session)) : null,
    over && wantAgain(app, session) ? h('p', { class: 'wants' }, wantAgain(app, session)) : null,
    next ? h('p', { class: 'quiet' }, t('end.begun'), session.ask ? ` ${t('say.your')}` : '')
      : !over && session.net === 'open' && (session.table.games === null || session.table.games > result.game) ? h('p', { class: 'quiet' }, t('end.next')) : null,
    h('div', { class: 'ending-actions' },
      next,
      playAgain(app, session, act),
      replayLink(app, session)));
}

/** A sentence on the other players who want another match; `null` if there are none or the reader wants it too. */
export function wantAgain(app, { again, table }) {
  const who = again.filter((player) => player !== table.you).map((player) => called(app.t, table.players[player]?.name)).join(', ');
  return who && !again.includes(table.you) ? app.t('again.wants', { who }) : null;
}

/** The button for another match, which each person of the table has to press. */
function playAgain(app, session, act) {
  const { t } = app;
  const { again, error, over, table } = session;
  if (!over || !act.again) return null;
  const others = table.players.filter((one) => one.kind === 'person' && one.player !== table.you && !again.includes(one.player));
  const waits = again.includes(table.you);
  return [
    !table.can?.again || error || (waits && others.length > 0) ? h('a', { key: 'new', class: 'button', href: `/play/${table.game}`, onclick: app.follow }, t('do.new')) : null,
    session.offered && act.playLevel ? h('button', { key: 'level', type: 'button', onclick: () => act.playLevel(session.offered) }, t('do.level', { n: session.offered })) : null,
    table.can?.again ? h('button', { key: 'again', type: 'button', class: 'primary', disabled: waits && !error, onclick: act.again }, waits && !error ? t('again.waits', { who: others.map((one) => called(t, one.name)).join(', ') }) : t('do.again')) : null,
  ];
}

/** The way to the record of a match that is over, as seen by the reader's player. */
function replayLink(app, { over, table }) {
  if (!over?.record) return null;
  const from = typeof table.you === 'number' ? `#from=${table.you}` : '';
  return h('a', { class: 'button', href: `/g/${encodeURIComponent(over.record)}${from}`, onclick: app.follow }, app.t('do.replay'));
}

/** The way on where the page has lost its seat. */
function wayOn(app, session, act) {
  const { t } = app;
  if (session.isConnected || session.over) return null;
  if (session.error?.code === 'replaced') return h('button', { key: 'on', type: 'button', class: 'primary', onclick: act.takeOver }, t('do.takeOver'));
  return h('a', { key: 'on', class: 'button', href: `/play/${session.table.game}`, onclick: app.follow }, t('do.new'));
}

function actions(app, session, act) {
  const { t } = app;
  const can = session.table.can ?? {};
  const isPlaying = session.seat !== null && !session.over && !session.reel.results.has(session.reel.last?.game);
  if (!isPlaying) {
    return h('div', { class: 'actions' }, wayOn(app, session, act), nextGame(app, session), playAgain(app, session, act),
      replayLink(app, session));
  }
  if (session.isResigning && session.isConnected) {
    // The answer that does nothing has the focus.
    return h('div', { class: 'actions', role: 'group', 'aria-labelledby': 'sure' },
      h('p', { key: 'sure', id: 'sure' }, t(can.resign ? 'do.sure' : 'do.sureLeave')),
      h('button', { key: 'no', type: 'button', 'data-at': 'resign-no', onclick() { session.isResigning = false; app.redraw('resign'); } }, t('do.no')),
      h('button', {
        key: 'yes', type: 'button', class: 'danger',
        onclick(event) {
          // The second half of a double click was meant for the button before.
          if (event.detail > 1) return;
          session.isResigning = false;
          (can.resign ? act.resign : act.leave)();
          app.redraw();
        },
      }, t(can.resign ? 'do.yes' : 'do.leave')));
  }
  // Without resignation a person may still leave, and the game goes on without it.
  const goes = can.resign ? 'do.resign' : act.leave ? 'do.leave' : null;
  return h('div', { class: 'actions' },
    wayOn(app, session, act),
    nextGame(app, session),
    can.hint ? h('button', { type: 'button', disabled: !session.isActive, onclick: act.hint }, t('do.hint')) : null,
    can.takeback ? h('button', { key: 'takeback', type: 'button', title: `${t('do.takeback')} U`, disabled: !session.canTakeBack, onclick: () => act.takeback('offer') }, t(session.asksToTakeBack ? 'do.askBack' : 'do.takeback')) : null,
    can.draw ? h('button', { key: 'draw', type: 'button', disabled: !session.canOfferDraw, onclick: () => act.draw('offer') }, t('do.draw')) : null,
    goes ? h('button', { key: 'resign', type: 'button', 'data-at': 'resign', disabled: !session.isConnected, onclick() { session.isResigning = true; app.redraw('resign-no'); } }, t(goes)) : null);
}

/** The whole. `seat` looks at the board, `act` has what can be done, `tools` stands below the scrubber. */
export function stage(app, session, { seat, looks = seat, act = {}, tools = null, play = null, below = null }) {
  const { t } = app;
  const { frame } = session.reel;
  if (!frame) {
    const { error, over } = session;
    const said = error && wrong(t, error);
    const line = said ?? (over ? whyOver(app, session) ?? t('turn.over') : t(session.net === 'lost' ? 'net.lost' : 'turn.wait'));
    const isReplaced = error?.code === 'replaced' && act.takeOver;
    return h('main', { id: 'main', key: 'main', class: 'loading' }, h('h1', {}, line), tools, isReplaced ? wayOn(app, session, act) : error || over ? h('a', { class: 'button', href: '/', onclick: app.follow }, t('home.back')) : null);
  }
  const board = BOARDS[session.table.game];
  const [line, mood] = status(app, session);
  const name = (move) => moveText(app, session, move);
  const games = session.table.games;
  const end = ending(app, session, act);
  const known = knownValues(app, session);
  const peeked = peekNode(app, session, seat);
  return h('main', { id: 'main', key: 'main', class: `stage game-${session.table.game}` },
    h('div', { class: 'heading' }, h('h1', {}, t(`game.${session.table.game}`)), games === 1 ? null : h('span', { class: 'quiet' }, games ? t('watch.of', { n: frame.game, games }) : t('watch.game', { n: frame.game }))),
    players(app, session, seat, known),
    // The end says the same.
    end && mood !== 'bad' ? null : h('p', { class: `status ${mood}` }, line),
    h('div', { class: `board-area ${peeked ? 'peek' : ''} ${frame.players.length === 2 && (session.seat === null || session.table.can?.hint) ? 'valued' : ''}` },
      valueBar(app, { game: session.table.game, names: namesOf(session, t), seat: looks, known }),
      peeked ?? board.draw(boardContext(app, session, { seat, act })), below),
    h('aside', { class: 'side' }, end,
      session.isTrying ? typed(app, session, act) : null,
      session.seat !== null && act.draw ? offerPanel(app, session, act) : null,
      session.seat !== null && act.play ? [end ? null : actions(app, session, act), !session.over ? typed(app, session, act) : null] : null,
      session.hint?.game === frame.game && session.hint.ply === frame.ply ? hintPanel(t, session.table.game, session.hint, name) : null,
      scrubber(app, session, play), tools,
      moveList(app, session), thoughts(app, session, act),
      rulesPanel(app, session.table.game)));
}

/** Keys of the scrubber, for what no board has taken. */
export function scrubKeys(app, session, event) {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.('input, select, textarea')) return false;
  const { reel } = session;
  if (!reel.frame) return false;
  const to = { ArrowLeft: reel.index - 1, ArrowRight: reel.index + 1, Home: reel.firstOf(reel.frame.game), End: reel.lastOf(reel.frame.game) }[event.key];
  if (to === undefined) return false;
  event.preventDefault();
  session.boardUi.peek = null;
  reel.show(to);
  session.onSeek?.();
  app.redraw();
  return true;
}
