//! An engine as a player at a table.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use client::{Action, ClientGame, Decision, MoveRequest, Notification, Player, Thinking};
use log::{error, warn};
use serde_json::{Value, json};

use crate::clock::GameClock;

pub trait EngineGame: ClientGame {
    type Engine: ?Sized;

    /// A move for the own seat, within the engine's own budget and `limit`.
    fn choose(engine: &mut Self::Engine, view: &Self::View, limit: Option<Duration>) -> Self::Move;

    /// What answers for an engine that cannot: a legal move outside of `refused`, if there is one.
    fn stand_in(view: &Self::View, refused: &[Self::Move]) -> Option<Self::Move> {
        let mut moves = Self::legal_moves(view).into_iter();
        moves.find(|mv| !refused.contains(mv))
    }

    fn is_decision(_view: &Self::View) -> bool {
        true
    }

    /// A warning about rules of the server that the engines do not know.
    fn warning(_rules: &Value) -> Option<String> {
        None
    }

    fn new_game(_engine: &mut Self::Engine) {}

    fn begin(_engine: &mut Self::Engine, _view: &Self::View) {}

    fn observe(_engine: &mut Self::Engine, _played: &Self::Played) {}

    /// Tells an engine of the end of a game: the view shows what was hidden.
    fn end(_engine: &mut Self::Engine, _view: &Self::View) {}

    fn explain(engine: &Self::Engine) -> Option<Value>;
}

/// An engine under supervision: its moves are checked and timed, and another move answers for it when it panics. A
/// match is long, and an entrant's seat must not be lost to one bad position.
pub struct Supervised<G: EngineGame> {
    engine: Box<G::Engine>,
    thinking: Thinking,
    overrun: Overrun,
    clock: Option<GameClock>,
    gives_reasons: bool,
}

impl<G: EngineGame> Supervised<G> {
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

    pub fn engine(&self) -> &G::Engine {
        &self.engine
    }

    pub fn new_game(&mut self) {
        if let Some(clock) = &mut self.clock {
            clock.new_game();
        }
        self.guard(G::new_game);
    }

    /// A move for the seat of the view; `None` if every legal one was refused. An engine that took longer than its
    /// limit before gets so much less, to keep to this one.
    pub fn choose(
        &mut self,
        view: &G::View,
        asked: &MoveRequest<'_, G>,
    ) -> Option<Decision<G::Move>> {
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

impl<G: EngineGame> Player<G> for Supervised<G> {
    fn tell(&mut self, news: Notification<'_, G>, _out: &mut dyn Write) {
        match news {
            Notification::Rules(rules) => {
                if let Some(warning) = G::warning(rules) {
                    warn!("{warning}");
                }
            }
            Notification::NewGame => self.new_game(),
            Notification::Begun(view) => {
                self.guard(|engine| G::begin(engine, view));
            }
            Notification::Played(played) => {
                self.guard(|engine| G::observe(engine, played));
            }
            Notification::Ended(view) => {
                self.guard(|engine| G::end(engine, view));
            }
            Notification::Seen(_) | Notification::Said(_) => {}
        }
    }

    fn act(
        &mut self,
        view: Option<&G::View>,
        asked: Option<MoveRequest<'_, G>>,
        _out: &mut dyn Write,
    ) -> Option<Action<G::Move>> {
        let decision = self.choose(view?, &asked?);
        Some(decision.map_or(Action::NoMove, Action::Move))
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
