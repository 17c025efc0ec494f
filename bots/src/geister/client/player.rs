//! The player: asks the engine, checks what it says, and keeps the time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use games::geister::{Direction, Ghost, Move, MoveList, Placement, View};
use log::error;
use serde_json::{Value, json};

use crate::geister::Engine;
use crate::geister::tracker::Followed;

/// An engine under supervision.
pub struct Player {
    engine: Box<dyn Engine>,
    /// Moves chosen.
    pub decisions: u64,
    /// Time spent on them.
    pub time: Duration,
    /// The longest of them.
    pub longest: Duration,
    /// Answers of the engine that were not legal, or missing for a panic, and were replaced.
    pub corrected: u64,
}

/// A decision, and a line for the log.
pub struct Decision {
    /// What is sent.
    pub mv: Move,
    /// Time, board, moves and reasons.
    pub log: Value,
}

impl Player {
    /// Supervises `engine`.
    pub fn new(engine: Box<dyn Engine>) -> Self {
        Self {
            engine,
            decisions: 0,
            time: Duration::ZERO,
            longest: Duration::ZERO,
            corrected: 0,
        }
    }

    /// The red ghosts of the next game.
    pub fn placement(&mut self) -> Placement {
        self.guard(|engine| engine.placement())
            .unwrap_or(Placement::ALL[Placement::ALL.len() / 2])
    }

    /// A game has begun.
    pub fn begin(&mut self, view: &View) {
        self.guard(|engine| engine.begin(view));
    }

    /// Somebody moved.
    pub fn observe(&mut self, followed: &Followed) {
        self.guard(|engine| engine.observe(&followed.before, followed.mv, followed.captured));
    }

    /// The move to make, a legal one that is not among those that the server has refused, as long as
    /// there is one.
    pub fn choose(&mut self, view: &View, refused: &[Move]) -> Decision {
        let mut moves = MoveList::new();
        view.legal_moves(&mut moves);
        let fits = |mv: Move| is_legal(view, mv) && !refused.contains(&mv);
        let first = moves.iter().copied().find(|&mv| fits(mv));
        let began = Instant::now();
        let answer = match moves.len() {
            0 => None,
            _ => self.guard(|engine| engine.choose(view)),
        };
        let spent = began.elapsed();
        self.decisions += 1;
        self.time += spent;
        self.longest = self.longest.max(spent);
        let mut log = json!({
            "ms": (spent.as_secs_f64() * 1e6).round() / 1e3,
            "legal": moves.len(),
        });
        if let Some(reason) = self.engine.explain().filter(|_| answer.is_some()) {
            log["reason"] = reason;
        }
        let mv = match (answer.filter(|&mv| fits(mv)), first) {
            (Some(mv), _) => mv,
            (None, Some(first)) => {
                if let Some(mv) = answer.filter(|mv| !refused.contains(mv)) {
                    error!("the engine wants to play {mv}, which is illegal: playing {first}");
                    self.corrected += 1;
                }
                log["corrected"] = json!(true);
                first
            }
            (None, None) => {
                error!("no legal move is left: sending one that is not, to end the game");
                Move {
                    ghost: Ghost::ALL[0],
                    direction: Direction::North,
                }
            }
        };
        log["move"] = json!(mv.to_string());
        Decision { mv, log }
    }

    /// Asks the engine; `None` when it panicked. A match is long and an entrant's seat must not be
    /// lost to one bad position.
    fn guard<T>(&mut self, question: impl FnOnce(&mut dyn Engine) -> T) -> Option<T> {
        let engine = self.engine.as_mut();
        let answer = catch_unwind(AssertUnwindSafe(|| question(engine))).ok();
        if answer.is_none() {
            error!("the engine panicked: the first legal move answers for it");
            self.corrected += 1;
        }
        answer
    }
}

/// Whether a move is legal in either spelling of an escape.
fn is_legal(view: &View, mv: Move) -> bool {
    let enemy = view.placements().next();
    let position = enemy.and_then(|enemy| view.with(enemy));
    position.is_some_and(|position| position.is_legal(mv))
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::geister::Rules;

    /// Never answers as it should.
    struct Broken(bool);

    impl Engine for Broken {
        fn placement(&mut self) -> Placement {
            panic!("on purpose");
        }

        fn choose(&mut self, _: &View) -> Move {
            assert!(self.0, "on purpose");
            // An own ghost stands there.
            Move {
                ghost: Ghost::ALL[0],
                direction: Direction::East,
            }
        }
    }

    #[test]
    fn a_broken_engine_still_plays_legal_moves() {
        for answers in [true, false] {
            let mut player = Player::new(Box::new(Broken(answers)));
            let placement = player.placement();
            let view = View::start(0, placement, Rules::default());
            let first = player.choose(&view, &[]);
            assert!(is_legal(&view, first.mv));
            assert_eq!(first.log["corrected"], json!(true));
            assert_eq!((player.decisions, player.corrected), (1, 2));
            let second = player.choose(&view, &[first.mv]).mv;
            assert!(is_legal(&view, second) && second != first.mv);
        }
    }
}
