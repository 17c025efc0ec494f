// The rules of a game, and three positions in which the reader looks for a move: `/learn/GAME`.

import { BOARDS, GAMES } from '../boards/index.js';
import { api } from '../connection.js';
import { h } from '../dom.js';
import { rulesPanel } from '../rules.js';
import { Session } from '../session.js';
import { boardContext, moveText } from '../stage.js';

export function learn(app, wanted) {
  const { t } = app;
  const game = GAMES.includes(wanted) ? wanted : GAMES[0];
  const board = BOARDS[game];
  const session = new Session(() => performance.now());
  let lessons = null;
  let lessonsOf = null;
  let at = 0;
  let verdict = null;
  let failed = null;

  function begin(number) {
    at = number;
    verdict = null;
    const { frame, moves, seat } = lessons[at];
    session.clear();
    session.take({ type: 'table', id: `${game}${at}`, game, games: 1, you: seat, players: frame.players.map((player) => ({ player, name: '', kind: player === seat ? 'person' : 'bot' })), can: {} });
    session.take({ type: 'frame', ...frame });
    session.take({ type: 'ask', game: frame.game, ply: frame.ply, kind: 'move', moves });
    window.scrollTo(0, 0);
    app.redraw();
  }

  async function play(move) {
    if (!session.isActive) return;
    session.answer(move);
    app.redraw();
    try {
      const found = await api(`/api/lessons/${game}/${at}/${encodeURIComponent(move)}`);
      for (const frame of found.frames) session.take({ type: 'frame', ...frame });
      verdict = { ...found, move };
      const [, right, wrong] = lessonsOf(app.settings.language, game)[at];
      app.say(found.right ? `${t('learn.right')} ${right}` : `${t('learn.wrong')} ${wrong}`);
    } catch {
      failed = t('home.noServer');
    }
    app.redraw();
  }

  // No other page needs the texts: they are a file of their own.
  Promise.all([api(`/api/lessons/${game}`), import('/assets/lessons.js')]).then(([found, texts]) => {
    lessons = found;
    ({ lessonsOf } = texts);
    begin(0);
  }, () => {
    failed = t('home.noServer');
    app.redraw();
  });

  function answer() {
    if (verdict === null) return null;
    const [, right, wrong] = lessonsOf(app.settings.language, game)[at];
    const punished = verdict.frames[1];
    return h('div', { key: 'answer', class: `panel verdict ${verdict.right ? 'won' : 'lost'}` },
      h('p', {}, h('b', {}, t(verdict.right ? 'learn.right' : 'learn.wrong')), ' ', verdict.right ? right : wrong),
      punished ? h('p', {}, t('learn.answer', { move: moveText(app, session, punished.move) })) : null);
  }

  return {
    get title() { return `${t('learn.title')} · ${t(`game.${game}`)}`; },
    draw() {
      if (!session.reel.frame) return h('main', { id: 'main', key: 'main', class: 'loading' }, failed ? h('h1', {}, failed) : null);
      const [task] = lessonsOf(app.settings.language, game)[at];
      const isLast = at === lessons.length - 1;
      const step = (number, text, props = {}) => h('button', { key: text, type: 'button', onclick: () => begin(number), ...props }, text);
      return h('main', { id: 'main', key: `learn${game}`, class: `stage learn game-${game}` },
        h('div', { class: 'heading' }, h('h1', {}, t(`game.${game}`)), h('span', { class: 'quiet' }, t('learn.of', { n: at + 1, of: lessons.length }))),
        answer() ?? h('p', { key: 'task', class: `status ${session.isActive ? 'yours' : ''}` }, task),
        h('div', { class: 'board-area' }, board.draw(boardContext(app, session, { seat: lessons[at].seat, act: { play } }))),
        h('aside', { class: 'side' },
          failed ? h('p', { class: 'bad', role: 'alert' }, failed) : null,
          h('div', { class: 'actions' },
            verdict && !verdict.right ? step(at, t('learn.again'), { class: 'primary' }) : null,
            at > 0 ? step(at - 1, t('learn.back')) : null,
            isLast ? null : step(at + 1, t('learn.next'), { class: verdict?.right ? 'primary' : '' }),
            h('a', { key: 'play', class: `button ${isLast && verdict?.right ? 'primary' : ''}`, href: `/play/${game}`, onclick: app.follow }, t('learn.play'))),
          rulesPanel(app, game)));
    },
  };
}
