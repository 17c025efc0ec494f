//! An engine under supervision.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use log::error;
use serde_json::{Value, json};

use super::native::Game;
use super::native::clock::Overrun;

/// An engine, what it was asked and how long it took.
pub(crate) struct Player<G: Game> {
    engine: Box<G::Engine>,
    /// Moves chosen.
    pub(crate) decisions: u64,
    /// Time spent on them.
    pub(crate) time: Duration,
    /// The longest of them.
    pub(crate) longest: Duration,
    /// Answers that were illegal, or missing for a panic, and were replaced.
    pub(crate) corrected: u64,
    overrun: Overrun,
}

/// A decision, and a line for the log.
pub(crate) struct Decision<M> {
    pub(crate) mv: M,
    pub(crate) log: Value,
}

impl<G: Game> Player<G> {
    pub(crate) fn new(engine: Box<G::Engine>) -> Player<G> {
        Player {
            engine,
            decisions: 0,
            time: Duration::ZERO,
            longest: Duration::ZERO,
            corrected: 0,
            overrun: Overrun::default(),
        }
    }

    /// The engine.
    pub(crate) fn engine(&self) -> &G::Engine {
        &self.engine
    }

    /// A new game begins.
    pub(crate) fn new_game(&mut self) {
        let told = catch_unwind(AssertUnwindSafe(|| G::new_game(&mut self.engine)));
        if told.is_err() {
            error!("the engine panicked at the beginning of a game");
        }
    }

    /// A legal move; `None` if the seat to move has none, or the game is over. An engine that took longer than
    /// its limit before gets so much less, to keep to this one.
    pub(crate) fn choose(
        &mut self,
        position: &G::Position,
        limit: Option<Duration>,
    ) -> Option<Decision<G::Move>> {
        let first = *G::legal_moves(position).first()?;
        let limit = limit.map(|limit| self.overrun.allow_for(limit));
        let began = Instant::now();
        let answer = catch_unwind(AssertUnwindSafe(|| {
            G::choose(&mut self.engine, position, limit)
        }));
        let spent = began.elapsed();
        if let Some(limit) = limit {
            self.overrun.add(limit, spent);
        }
        self.decisions += 1;
        self.time += spent;
        self.longest = self.longest.max(spent);
        let mut log = json!({ "ms": (spent.as_secs_f64() * 1e6).round() / 1e3 });
        let mv = match answer {
            Ok(mv) if G::is_legal(position, mv) => {
                if let Some(reason) = G::explain(&self.engine) {
                    log["reason"] = reason;
                }
                mv
            }
            answer => {
                match answer {
                    Ok(mv) => error!("the engine wants {mv}, which is illegal: playing {first}"),
                    Err(_) => error!("the engine panicked: playing {first}"),
                }
                self.corrected += 1;
                log["corrected"] = json!(true);
                first
            }
        };
        log["move"] = json!(mv.to_string());
        Some(Decision { mv, log })
    }
}
