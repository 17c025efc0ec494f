// Analysis of a game that is over: moves are tried from any position, engines are asked, and every move gets a value.

import { isOpenGame } from './boards/index.js';
import { api } from './connection.js';
import { h } from './dom.js';
import { Variations, readLine } from './variations.js';

/** Games whose field has a format of its own. */
export const HAVE_SHEETS = ['blokus', 'dobutsu'];
/** Engines that are offered without a choice: the strongest, whatever it is called. */
const STRONGEST = 'best';

const keyOf = ({ game, base, moves }) => `${game}/${base}/${moves.join('.')}`;

/** `path` is the address of the record; `moved` is called when another position is shown. */
export function analysis(app, session, path, moved) {
  const { t } = app;
  let isOn = false;
  let engine = STRONGEST;
  let engines = null;
  let failed = null;
  /** What goes on by itself: `on` an engine plays, `values` every move is valued; else `null`. */
  let busy = null;
  const asks = new Map();
  const hints = new Map();
  const values = new Map();

  const question = ({ game, base, moves }, more = {}) => api(`${path}/games/${game}/plies/${base}`, { moves, ...more });
  const place = () => session.variations.place;
  const say = (error) => {
    failed = app.reason(error.message);
    busy = null;
    app.redraw();
  };

  /** Shows a move of a variation, or with `null` the game. */
  function show(node) {
    session.variations.show(node);
    session.reel = session.variations.reel;
    session.boardUi = {};
    moved();
    app.redraw();
  }

  /** Learns the legal moves of the position shown. */
  function look() {
    const at = place();
    const key = keyOf(at);
    if (asks.has(key)) return;
    asks.set(key, null);
    question(at).then(({ ask }) => { asks.set(key, ask); app.redraw(); }, say);
  }

  /** Plays a move on from the position shown. The game's own move leads along the game. */
  async function play(asked) {
    const at = place();
    const { variations } = session;
    const parent = variations.node;
    failed = null;
    try {
      const answer = await question({ ...at, moves: [...at.moves, asked] });
      const frame = answer.frames.at(-1);
      const next = parent ? null : variations.main.frames.find((one) => one.game === at.game && one.ply === at.base + 1);
      if (next?.move === frame.move) {
        show(null);
        variations.main.seek(at.game, next.ply);
        moved();
      } else {
        const node = variations.add({ ...at, parent, asked, frame, result: answer.result });
        asks.set(keyOf({ ...at, moves: node.moves }), answer.ask);
        show(node);
      }
      return answer;
    } catch (error) {
      say(error);
      return null;
    }
  }

  async function askFor(at, more) {
    const key = `${keyOf(at)}/${more.engine ?? ''}`;
    if (!hints.has(key)) {
      const { hint } = await question(at, more);
      hints.set(key, hint ?? { game: at.game, ply: at.base + at.moves.length, engine: more.engine ?? null, moves: [] });
    }
    return hints.get(key);
  }

  const hint = () => askFor(place(), { engine }).then(() => app.redraw(), say);

  /** Lets the engine play on, until the game is over or the reader stops it. */
  async function playOn() {
    busy = 'on';
    app.redraw();
    while (busy === 'on') {
      try {
        const { moves: [best] } = await askFor(place(), { engine });
        if (busy !== 'on' || !best) break;
        if (!(await play(best.move))) break;
      } catch (error) {
        say(error);
      }
    }
    busy = null;
    app.redraw();
  }

  /** Asks the engine for the value of every position of the game. */
  async function valueAll() {
    busy = 'values';
    const { game } = session.reel.frame;
    const of = new Map();
    values.set(game, of);
    for (const frame of session.variations.main.frames.filter((one) => one.game === game && isDue(one))) {
      try {
        const { moves: [best] } = await askFor({ game, base: frame.ply, moves: [] }, { engine });
        if (busy !== 'values') break;
        if (typeof best?.value === 'number') of.set(frame.ply, { ply: frame.ply, seat: frame.to_move, value: best.value, best: best.move, by: engine });
      } catch (error) {
        say(error);
      }
      if (busy !== 'values') break;
      app.redraw();
    }
    busy = null;
    app.redraw();
  }

  /** Gives the reader a file of the line up to the position shown: its `sheet` or `record`. */
  async function download(kind) {
    try {
      const { [kind]: file } = await question(place(), { [kind]: true });
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([file.text], { type: 'text/plain' }));
      link.download = `${place().game}-${place().base}.${file.ending}`;
      link.click();
      URL.revokeObjectURL(link.href);
    } catch (error) {
      say(error);
    }
  }

  function toggle() {
    isOn = !isOn;
    failed = null;
    if (!isOn) busy = null;
    if (isOn && engines === null) {
      engines = [];
      api('/api/games').then((games) => {
        const about = games.find((one) => one.name === session.table.game);
        engines = [...about.engines.filter((name) => name !== 'random'), ...[...about.levels].reverse()];
        app.redraw();
      }, say);
    }
    app.redraw();
  }

  /** Whether a move is due after this frame. The ghosts of Geister are placed at once, and nothing is tried before. */
  const isDue = (frame) => typeof frame.to_move === 'number' && (session.table.game !== 'geister' || frame.ply >= 2);

  /** Whether the reader, who looks as a seat or at `all`, may try moves in the position shown. */
  const mayTry = (seat) => isOpenGame(session.table.game) || seat === 'all' || seat === session.reel.frame.to_move;

  function note(seat, nameOf) {
    if (isOpenGame(session.table.game)) return null;
    return h('p', { class: 'quiet' }, seat === 'all' ? t('analysis.all') : t('analysis.seat', { who: nameOf(seat) }));
  }

  const button = (name, onclick, more = {}) => h('button', { key: name, type: 'button', onclick, ...more }, t(name));

  return {
    get isOn() { return isOn; },

    /** The session for a reader who looks as a seat or at `all`: what may be played, and what engines say. */
    prepare(seat) {
      const at = place();
      session.isTrying = isOn && mayTry(seat);
      session.ask = session.isTrying && busy === null ? asks.get(keyOf(at)) ?? null : null;
      const found = isOn && mayTry(seat) ? hints.get(`${keyOf(at)}/${engine}`) : null;
      // Behind the end of a game there is none.
      session.hint = found?.moves.length > 0 ? found : null;
    },

    /** Learns about the position shown, once the reader rests there. */
    rest() {
      if (isOn && busy === null && isDue(session.reel.frame)) look();
    },

    /** The exact values of the moves of the position shown, once they have come. */
    exact() {
      const at = place();
      const key = `${keyOf(at)}/`;
      if (!hints.has(key)) askFor(at, { exact: true }).then(() => app.redraw(), () => {});
      return hints.get(key) ?? null;
    },

    /** The values of the engine that was asked, of the game shown; none in a variation. */
    values: () => (session.variations.leaf ? new Map() : values.get(session.reel.frame.game) ?? new Map()),

    play,
    show,

    /** Takes in the variations of a link, and shows the first of them where it is wanted. */
    async read(game, texts, isShown, ply) {
      for (const [index, text] of texts.entries()) {
        const line = readLine(text);
        if (!line) continue;
        try {
          const { frames, result } = await question({ game, ...line });
          let parent = null;
          frames.forEach((frame, at) => {
            parent = session.variations.add({ game, base: line.base, parent, asked: line.moves[at], frame, result: at === frames.length - 1 ? result : null });
          });
          if (isShown && index === 0) {
            if (!isOn) toggle();
            show(parent.path.findLast((node) => node.frame.ply <= ply) ?? parent.path[0]);
          }
        } catch (error) {
          say(error);
        }
      }
      app.redraw();
    },

    draw(seat, nameOf) {
      const { node } = session.variations;
      const { game } = session.table;
      const over = !isDue(session.reel.frame);
      const of = values.get(session.reel.frame.game);
      return h('section', { key: 'analysis', class: 'panel analysis', 'aria-label': t('analysis.title') },
        h('button', { type: 'button', class: isOn ? '' : 'primary', 'aria-expanded': isOn, onclick: toggle }, t(isOn ? 'analysis.off' : 'analysis.title')),
        isOn ? [
          h('p', { key: 'lead', class: 'quiet' }, t('analysis.lead')),
          h('label', { key: 'engine', class: 'field inline' }, h('span', {}, t('analysis.engine')), h('select', { value: engine, disabled: busy !== null, onchange(event) { engine = event.target.value; app.redraw(); } },
            (engines?.length > 0 ? engines : [engine]).map((name) => {
              const level = /^level-(\d)$/.exec(name);
              return h('option', { key: name, value: name }, level ? t('home.level', { n: level[1] }) : name);
            }))),
          h('div', { key: 'buttons', class: 'links' },
            button('do.hint', hint, { disabled: busy !== null || over || !mayTry(seat) }),
            seat !== 'all' && !isOpenGame(game) ? null : busy === 'on' ? button('analysis.stop', () => { busy = null; }) : button('analysis.playOn', playOn, { disabled: busy !== null || over }),
            node || (seat !== 'all' && !isOpenGame(game)) ? null : busy === 'values' ? button('analysis.stop', () => { busy = null; }) : button('analysis.values', valueAll, { disabled: busy !== null })),
          busy === 'values' ? h('p', { key: 'progress', class: 'quiet' }, t('analysis.progress', { n: of.size })) : null,
          node ? h('div', { key: 'variation', class: 'links' },
            button('analysis.back', () => show(null)),
            button('analysis.remove', () => { session.variations.remove(node); session.reel = session.variations.reel; moved(); app.redraw(); }, { disabled: busy !== null }),
            button('analysis.record', () => download('record')),
            HAVE_SHEETS.includes(game) ? button('analysis.download', () => download('sheet')) : null) : null,
          note(seat, nameOf),
          failed ? h('p', { key: 'failed', class: 'bad', role: 'alert' }, failed) : null,
        ] : null);
    },

    close() { busy = null; },
  };
}

/** Begins the variations of a record. */
export function begin(session) {
  session.variations = new Variations(session.reel);
}
