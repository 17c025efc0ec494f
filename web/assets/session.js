// A seat at a table, or a place beside it: all that the gateway has told, and what the page answers.

import { Clock } from './clock.js';
import { Reel } from './reel.js';

export class Session {
  /** `now` gives milliseconds from any beginning. */
  constructor(now) {
    this.now = now;
    this.clear();
  }

  clear() {
    this.table = null;
    this.reel = new Reel();
    this.clock = new Clock();
    this.ask = null;
    this.hint = null;
    this.over = null;
    /** The level that is offered after the match. */
    this.offered = null;
    /** The players who want another match. */
    this.again = [];
    this.error = null;
    this.said = null;
    /** What is wrong with the move that was typed. */
    this.typedError = null;
    this.sent = null;
    this.isResigning = false;
    /** What a player offers the other, or the answer to the last offer, until the next move. */
    this.offer = null;
    /** Number of the game whose end the reader has closed. */
    this.closedEnd = null;
    /** Number of the game whose end was said with a question of the next one. */
    this.saidEnd = null;
    this.gone = new Set();
    this.boardUi = {};
    /** A frame as the reader may see it. */
    this.seen = (frame) => frame;
    /** The variations of a replay, and whether its reader tries moves. */
    this.variations = null;
    this.isTrying = false;
  }

  /** Takes a message; returns the change: `table`, `frame`, `ask`, `result`, `over`, `again`, `offer`, `error`, `said` or `null`. */
  take(message) {
    switch (message.type) {
      case 'table':
        // The same table again, after a lost connection, sends its frames anew; another match begins from nothing.
        if (this.over || this.table?.id !== message.id) {
          this.clear();
        } else if (this.table.record !== message.record) {
          // Moves are taken back: what was thought of them is of no more use, and the last of the others is shown.
          this.reel.thoughts.clear();
          this.reel.live = true;
          this.boardUi = {};
        }
        this.table = message;
        // Who is away is told anew.
        this.gone.clear();
        this.said = null;
        this.ask = null;
        this.sent = null;
        this.offer = null;
        // The server of the page is there again.
        if (this.error?.code === 'stopped') this.error = null;
        return 'table';
      case 'frame': {
        const isNew = this.reel.last === null || message.game !== this.reel.last.game;
        // A player sees how a game has ended, though the next one may begin at once; a watcher follows.
        if (isNew && typeof this.table?.you === 'number' && this.reel.results.has(this.reel.last?.game)) this.reel.live = false;
        // What was offered holds until the next move. An earlier frame may come late, or again.
        if (isNew || message.ply > (this.offer?.ply ?? -1)) this.offer = null;
        this.reel.add(message);
        if (isNew) this.boardUi = {};
        this.said = null;
        this.ask = null;
        this.sent = null;
        this.hint = null;
        // The game has gone on before the reader sees that its time was up.
        if (isNew || !this.error?.code?.startsWith('timeout')) this.error = null;
        this.typedError = null;
        this.clock.set(message.clocks ?? null, message.to_move, message.at ?? this.now());
        return 'frame';
      }
      case 'ask': {
        this.ask = { kind: 'move', ...message, moves: message.moves ?? [] };
        this.sent = null;
        // The end of the game before may still be shown, where the seats were others.
        const seat = this.seatIn(this.reel.last);
        if (typeof message.left_ms === 'number' && seat !== null) {
          const left = [...(this.clock.left ?? (this.reel.last?.players ?? []).map(() => null))];
          left[seat] = message.left_ms;
          this.clock.set(left, seat, message.at ?? this.now());
        }
        return 'ask';
      }
      case 'clock':
        this.clock.set(message.left_ms, message.running, message.at ?? this.now());
        return null;
      case 'thoughts':
        for (const one of message.thoughts ?? []) this.reel.think(one);
        return null;
      case 'hint':
        this.hint = message;
        return 'hint';
      case 'presence':
        if (message.here) this.gone.delete(message.player);
        else this.gone.add(message.player);
        return null;
      case 'result':
        this.reel.addResult(message);
        this.ask = null;
        this.isResigning = false;
        this.offer = null;
        this.clock.stop(this.now());
        return 'result';
      case 'over':
        this.over = message;
        this.said = null;
        this.ask = null;
        this.clock.stop(this.now());
        return 'over';
      case 'offer':
        this.offer = message;
        this.error = null;
        return 'offer';
      case 'again':
        this.again = message.players ?? [];
        return 'again';
      case 'error':
        this.error = message;
        this.sent = null;
        return 'error';
      case 'said':
        this.said = message.text;
        return 'said';
      default:
        return null;
    }
  }

  /** Shows a game that is over as its record has it. Not every protocol tells who has lost it by what, and no record of the match so far. */
  unveil({ game, frames, result }) {
    const told = this.reel.results.get(game);
    this.reel.unveil(game, frames);
    this.reel.addResult({ ...told, ...result });
  }

  /** The seat of this browser in the game shown; `null` beside the table. */
  get seat() {
    return this.seatIn(this.reel.frame);
  }

  seatIn(frame) {
    const you = this.table?.you;
    if (you === null || you === undefined) return null;
    const seat = (frame?.players ?? []).indexOf(you);
    return seat >= 0 ? seat : null;
  }

  /**
   * Whether the page has its seat: not while its connection is lost or its server ends, nor once another page has the seat. A
   * replay has none to lose.
   */
  get isConnected() {
    return this.net !== 'lost' && this.net !== 'closed' && this.error?.code !== 'stopped';
  }

  /** Whether a move can be made now: asked, not yet answered, and the newest position is shown. */
  get isActive() {
    if (this.isTrying) return this.ask !== null && this.reel.result === null;
    return this.isConnected && this.ask !== null && this.sent === null && this.reel.isAtEnd && this.reel.result === null;
  }

  /** Whether the last own move can be taken back. */
  get canTakeBack() {
    const { table, reel } = this;
    if (!table?.can?.takeback || !this.isConnected || this.over || reel.results.size > 0 || this.isOffered) return false;
    return reel.frames.some((frame) => frame.move && frame.players?.[frame.seat] === table.you);
  }

  /** Whether an offer waits for its answer. */
  get isOffered() {
    return this.offer?.act === 'offer';
  }

  /** Whether a draw can be offered. */
  get canOfferDraw() {
    const { table, reel } = this;
    return Boolean(table?.can?.draw) && this.isConnected && !this.over && !reel.results.has(reel.last?.game) && !this.isOffered;
  }

  /** Whether another person has to agree when a move is taken back. */
  get asksToTakeBack() {
    const { players, you } = this.table;
    return players.some((one) => one.player !== you && one.kind === 'person');
  }

  /** The answer to the ask. */
  answer(move) {
    this.sent = move;
    this.error = null;
    return { type: 'move', game: this.ask.game, ply: this.ask.ply, move };
  }

  /** The player in a seat of the game shown, or of that of another frame. */
  playerAt(seat, frame = this.reel.frame) {
    const player = frame?.players?.[seat] ?? seat;
    return this.table?.players?.[player] ?? null;
  }
}
