//! Players: what is asked for moves and told of events. An engine under supervision is here, a person in `person`.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use log::{error, warn};
use protocol::native::ServerMessage;
use serde_json::{Value, json};

use super::ClientGame;
use super::clock::GameClock;

/// Tells people that a server is silent: those at a terminal by their player, others in the log.
pub(crate) fn tell_of_silence<G: ClientGame>(
    player: &mut dyn Player<G>,
    sentence: &str,
    out: &mut dyn Write,
) {
    if !player.wakes() || player.shows() {
        warn!("{sentence}");
    }
    player.tell(News::Said(sentence), out);
}

/// A player in a seat.
///
/// A protocol's client tells it what happens and lets it act after everything that happens. A player that cannot
/// answer at once wakes the client when it can.
pub trait Player<G: ClientGame> {
    /// Takes notice of something. What is to be shown goes to `out`.
    fn tell(&mut self, news: News<'_, G>, out: &mut dyn Write);

    /// What the player does now; `None` if nothing. `view` is absent before the first game, `asked` unless a move of
    /// this seat is due.
    fn act(
        &mut self,
        view: Option<&G::View>,
        asked: Option<Asked<'_, G>>,
        out: &mut dyn Write,
    ) -> Option<Act<G::Move>>;

    /// Whether it wakes the client by itself; otherwise it acts only when something has happened.
    fn wakes(&self) -> bool {
        false
    }

    /// Whether it shows the table to others. Then it is told of all that happens there.
    fn shows(&self) -> bool {
        false
    }

    /// Takes notice of what has happened at the table, in the words of the native protocol, whatever protocol the table
    /// has: a `view` comes after whatever changes it. Numbers of events, and times that the protocol does not tell,
    /// are 0.
    fn show(&mut self, _message: &ServerMessage) {}

    /// What its decisions took.
    fn thinking(&self) -> Thinking {
        Thinking::default()
    }
}

/// Something that a player is told.
pub enum News<'a, G: ClientGame> {
    /// Rules of the server.
    Rules(&'a Value),
    /// The last game is over, another one comes.
    NewGame,
    /// The view at the beginning of a game, where the protocol has one.
    Begun(&'a G::View),
    /// A move.
    Played(&'a G::Played),
    /// The view at the end of a game, with what was hidden, where the protocol shows it.
    Ended(&'a G::View),
    /// What the seat sees from now on.
    Seen(&'a G::View),
    /// A sentence for people.
    Said(&'a str),
}

/// A request for a move.
pub struct Asked<'a, G: ClientGame> {
    /// Most time; without it the player's own budget counts.
    pub limit: Option<Duration>,
    /// Moves that the server has refused.
    pub refused: &'a [G::Move],
}

/// What a player does.
pub enum Act<M> {
    /// It makes a move, where one is due.
    Move(Decision<M>),
    /// It finds no move that is legal and was not refused.
    NoMove,
    /// It gives the game up.
    Resign,
    /// It leaves the match.
    Leave,
}

/// A decision.
pub struct Decision<M> {
    /// The move.
    pub mv: M,
    /// Time and reasons for the log, an object.
    pub log: Value,
}

/// What decisions took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thinking {
    /// Decisions made.
    pub decisions: u64,
    /// Time spent on them.
    pub time: Duration,
    /// The longest of them.
    pub longest: Duration,
    /// Answers of the engine that were illegal, or missing for a panic, and were replaced.
    pub corrected: u64,
}

impl Thinking {
    /// Mean milliseconds of a decision; 0 without decisions.
    pub fn mean_ms(&self) -> f64 {
        1e3 * self.time.as_secs_f64() / self.decisions.max(1) as f64
    }

    /// Milliseconds of the longest decision.
    pub fn longest_ms(&self) -> f64 {
        1e3 * self.longest.as_secs_f64()
    }
}

/// An engine under supervision: its moves are checked and timed, and another move answers for it when it panics. A
/// match is long, and an entrant's seat must not be lost to one bad position.
pub struct Supervised<G: ClientGame> {
    engine: Box<G::Engine>,
    thinking: Thinking,
    overrun: Overrun,
    clock: Option<GameClock>,
    gives_reasons: bool,
}

impl<G: ClientGame> Supervised<G> {
    /// Supervises an engine.
    pub fn new(engine: Box<G::Engine>) -> Supervised<G> {
        Supervised {
            engine,
            thinking: Thinking::default(),
            overrun: Overrun::default(),
            clock: None,
            gives_reasons: true,
        }
    }

    /// Sets whether decisions have the engine's reasons; the default is that they do. To make them takes time, which is not
    /// counted as thinking.
    #[must_use]
    pub fn with_reasons(self, gives_reasons: bool) -> Supervised<G> {
        Supervised {
            gives_reasons,
            ..self
        }
    }

    /// Gives each decision its share of the time of a game. When that is spent, the rest of the game is played without the
    /// engine.
    #[must_use]
    pub fn with_clock(self, clock: Option<GameClock>) -> Supervised<G> {
        Supervised { clock, ..self }
    }

    /// The engine.
    pub fn engine(&self) -> &G::Engine {
        &self.engine
    }

    /// Forgets the last game.
    pub fn new_game(&mut self) {
        if let Some(clock) = &mut self.clock {
            clock.new_game();
        }
        self.guard(G::new_game);
    }

    /// A move for the seat of the view; `None` if every legal one was refused. An engine that took longer than its
    /// limit before gets so much less, to keep to this one.
    pub fn choose(&mut self, view: &G::View, asked: &Asked<'_, G>) -> Option<Decision<G::Move>> {
        let refused = asked.refused;
        let moves = G::legal_moves(view);
        let first = *moves.iter().find(|mv| !refused.contains(mv))?;
        let share = match &self.clock {
            None => None,
            Some(clock) => match clock.share() {
                Some(share) => Some(share),
                None => return self.hurried(view, refused),
            },
        };
        let limit = match (asked.limit, share) {
            (Some(limit), Some(share)) => Some(limit.min(share)),
            (limit, share) => limit.or(share),
        };
        let limit = limit.map(|limit| self.overrun.allow_for(limit));
        let began = Instant::now();
        let answer = self.guard(|engine| G::choose(engine, view, limit));
        let spent = began.elapsed();
        if let Some(limit) = limit {
            self.overrun.add(limit, spent);
        }
        if G::is_decision(view) {
            if let Some(clock) = &mut self.clock {
                clock.add(spent);
            }
            self.thinking.decisions += 1;
            self.thinking.time += spent;
            self.thinking.longest = self.thinking.longest.max(spent);
        }
        let mut log = json!({ "ms": (spent.as_secs_f64() * 1e6).round() / 1e3 });
        if answer.is_some()
            && self.gives_reasons
            && let Some(reason) = self.guard(|engine| G::explain(engine)).flatten()
        {
            log["reason"] = reason;
        }
        if let Some(mv) = answer
            && G::is_legal(view, mv)
        {
            if !refused.contains(&mv) {
                return Some(Decision { mv, log });
            }
        } else if let Some(mv) = answer {
            error!("the engine wants {mv}, which is illegal: another move answers for it");
            self.thinking.corrected += 1;
        }
        log["corrected"] = json!(true);
        let mv = G::stand_in(view, refused).unwrap_or(first);
        Some(Decision { mv, log })
    }

    fn hurried(&mut self, view: &G::View, refused: &[G::Move]) -> Option<Decision<G::Move>> {
        warn!("the time for this game is spent: a move is made without the engine");
        self.thinking.decisions += u64::from(G::is_decision(view));
        let log = json!({ "ms": 0.0, "hurried": true });
        G::stand_in(view, refused).map(|mv| Decision { mv, log })
    }

    /// Asks the engine; `None` when it panicked.
    fn guard<T>(&mut self, question: impl FnOnce(&mut G::Engine) -> T) -> Option<T> {
        let engine = self.engine.as_mut();
        let answer = catch_unwind(AssertUnwindSafe(|| question(engine))).ok();
        if answer.is_none() {
            error!("the engine panicked");
            self.thinking.corrected += 1;
        }
        answer
    }
}

impl<G: ClientGame> Player<G> for Supervised<G> {
    fn tell(&mut self, news: News<'_, G>, _out: &mut dyn Write) {
        match news {
            News::Rules(rules) => {
                if let Some(warning) = G::warning(rules) {
                    warn!("{warning}");
                }
            }
            News::NewGame => self.new_game(),
            News::Begun(view) => {
                self.guard(|engine| G::begin(engine, view));
            }
            News::Played(played) => {
                self.guard(|engine| G::observe(engine, played));
            }
            News::Ended(view) => {
                self.guard(|engine| G::end(engine, view));
            }
            News::Seen(_) | News::Said(_) => {}
        }
    }

    fn act(
        &mut self,
        view: Option<&G::View>,
        asked: Option<Asked<'_, G>>,
        _out: &mut dyn Write,
    ) -> Option<Act<G::Move>> {
        let decision = self.choose(view?, &asked?);
        Some(decision.map_or(Act::NoMove, Act::Move))
    }

    fn thinking(&self) -> Thinking {
        self.thinking
    }
}

/// How much longer than it may an engine takes, on a machine that is busy with other things as well.
#[derive(Clone, Copy, Debug, Default)]
struct Overrun(Duration);

impl Overrun {
    /// Books a decision: what it might take, and what it took. The worst is forgotten by a tenth with each.
    fn add(&mut self, limit: Duration, spent: Duration) {
        self.0 = spent.saturating_sub(limit).max(self.0 * 9 / 10);
    }

    /// A limit to give to the engine that this one may be kept to, no less than half of it.
    fn allow_for(self, limit: Duration) -> Duration {
        limit.saturating_sub(self.0.min(limit / 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_overran_its_limit_gets_less() {
        let ms = Duration::from_millis;
        let mut overrun = Overrun::default();
        overrun.add(ms(900), ms(850));
        assert_eq!(overrun.allow_for(ms(900)), ms(900));
        overrun.add(ms(900), ms(1000));
        assert_eq!(overrun.allow_for(ms(900)), ms(800));
        assert_eq!(overrun.allow_for(ms(100)), ms(50));
        overrun.add(ms(800), ms(810));
        assert_eq!(overrun.allow_for(ms(900)), ms(810));
    }
}
