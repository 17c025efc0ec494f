//! An engine under supervision.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use games::score_four::{Peg, Position};
use log::error;
use serde_json::{Value, json};

use crate::score_four::Engine;

/// An engine, what it was asked and how long it took.
pub(super) struct Player {
    engine: Box<dyn Engine>,
    /// Moves chosen.
    pub(super) decisions: u64,
    /// Time spent on them.
    pub(super) time: Duration,
    /// The longest of them.
    pub(super) longest: Duration,
    /// Answers that were illegal, or missing for a panic, and were replaced.
    pub(super) corrected: u64,
}

/// A decision, and a line for the log.
pub(super) struct Decision {
    pub(super) peg: Peg,
    pub(super) log: Value,
}

impl Player {
    pub(super) fn new(engine: Box<dyn Engine>) -> Player {
        Player {
            engine,
            decisions: 0,
            time: Duration::ZERO,
            longest: Duration::ZERO,
            corrected: 0,
        }
    }

    /// A legal peg for a position that is not over.
    pub(super) fn choose(&mut self, position: &Position, limit: Option<Duration>) -> Decision {
        let began = Instant::now();
        let answer = catch_unwind(AssertUnwindSafe(|| self.engine.choose(position, limit)));
        let spent = began.elapsed();
        self.decisions += 1;
        self.time += spent;
        self.longest = self.longest.max(spent);
        let mut log = json!({ "ms": (spent.as_secs_f64() * 1e6).round() / 1e3 });
        let peg = match answer {
            Ok(peg) if position.is_legal(peg) => {
                if let Some(reason) = self.engine.explain() {
                    log["reason"] = reason;
                }
                peg
            }
            answer => {
                let first = position.legal_pegs().next().unwrap_or(Peg::ALL[0]);
                match answer {
                    Ok(peg) => error!("the engine wants {peg}, which is illegal: playing {first}"),
                    Err(_) => error!("the engine panicked: playing {first}"),
                }
                self.corrected += 1;
                log["corrected"] = json!(true);
                first
            }
        };
        log["move"] = json!(peg.to_string());
        Decision { peg, log }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Stubborn;

    impl Engine for Stubborn {
        fn choose(&mut self, position: &Position, _: Option<Duration>) -> Peg {
            assert!(position.ply() < 6, "no idea");
            Peg::ALL[0]
        }
    }

    #[test]
    fn an_engine_never_plays_an_illegal_peg() {
        let mut player = Player::new(Box::new(Stubborn));
        let mut position = Position::START;
        for _ in 0..4 {
            position.play(player.choose(&position, None).peg).unwrap();
        }
        assert_eq!(player.corrected, 0);
        for corrected in 1..4 {
            let decision = player.choose(&position, None);
            assert_eq!(decision.log["corrected"], true);
            position.play(decision.peg).unwrap();
            assert_eq!(player.corrected, corrected);
        }
    }
}
