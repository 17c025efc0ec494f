//! The player: asks the engine, checks what it says, and keeps the time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use games::daihinmin::{
    Cards, Meld, View, is_legal, is_valid_gift, legal_moves_no_waste, strongest,
};
use log::{error, warn};
use serde_json::{Value, json};

use crate::daihinmin::{DefaultEngine, Engine};

/// An engine under supervision.
pub struct Player {
    engine: Box<dyn Engine>,
    game_time: Option<Duration>,
    spent_in_game: Duration,
    /// Decisions made, exchanges included.
    pub decisions: u64,
    /// Time spent on them.
    pub time: Duration,
    /// The longest of them.
    pub longest: Duration,
    /// Answers of the engine that were not legal, or missing for a panic, and were replaced.
    pub corrected: u64,
}

/// A decision, and a line for the log.
pub struct Decision<T> {
    /// What is sent.
    pub choice: T,
    /// Time, engine and reasons.
    pub log: Value,
}

impl Player {
    /// Supervises `engine`; after `game_time` of decisions in one game [`DefaultEngine`] finishes
    /// the game.
    pub fn new(engine: Box<dyn Engine>, game_time: Option<Duration>) -> Player {
        Player {
            engine,
            game_time,
            spent_in_game: Duration::ZERO,
            decisions: 0,
            time: Duration::ZERO,
            longest: Duration::ZERO,
            corrected: 0,
        }
    }

    /// A deal has come.
    pub fn deal(&mut self) {
        self.spent_in_game = Duration::ZERO;
    }

    /// The exchange is done.
    pub fn game_begins(&mut self, view: &View) {
        self.guard(|engine| engine.game_begins(view));
    }

    /// Somebody moved.
    pub fn observe(&mut self, before: &View, meld: Meld) {
        self.guard(|engine| engine.observe(before, meld));
    }

    /// The cards to give: always `n` of the hand.
    pub fn gift(&mut self, view: &View, n: u32) -> Decision<Cards> {
        let (mut gift, mut log) = self.ask(|engine| engine.gift(view, n));
        if !is_valid_gift(view.hand, gift, n) {
            error!(
                "the engine wants to give {gift} out of {}: the weakest go",
                view.hand
            );
            self.corrected += 1;
            gift = view.hand - strongest(view.hand, view.hand.len().saturating_sub(n));
            log["corrected"] = json!(true);
        }
        log["hand"] = json!(view.hand.to_string());
        log["gift"] = json!(gift.to_string());
        Decision { choice: gift, log }
    }

    /// The move to make: always a legal one.
    pub fn choose(&mut self, view: &View) -> Decision<Meld> {
        let (mut meld, mut log) = self.ask(|engine| engine.choose(view));
        if let Err(reason) = is_legal(&view.table, view.hand, meld) {
            error!("the engine wants to play {meld}, but {reason}");
            self.corrected += 1;
            meld = lawful(view);
            log["corrected"] = json!(true);
        }
        log["hand"] = json!(view.hand.to_string());
        log["field"] = json!(view.table.field.to_string());
        log["move"] = json!(meld.to_string());
        Decision { choice: meld, log }
    }

    /// Asks the engine; `None` when it panicked. A match is long and an entrant's seat must not
    /// be lost to one bad position.
    fn guard<T>(&mut self, question: impl FnOnce(&mut dyn Engine) -> T) -> Option<T> {
        let engine = self.engine.as_mut();
        let answer = catch_unwind(AssertUnwindSafe(|| question(engine))).ok();
        if answer.is_none() {
            error!("the engine panicked: the default engine answers for it");
            self.corrected += 1;
        }
        answer
    }

    fn ask<T>(&mut self, question: impl Fn(&mut dyn Engine) -> T) -> (T, Value) {
        let hurried = self
            .game_time
            .is_some_and(|limit| self.spent_in_game.saturating_add(limit / 18) > limit);
        if hurried {
            if self.spent_in_game < Duration::MAX {
                warn!("the time for this game is spent: the default engine goes on");
                self.spent_in_game = Duration::MAX;
            }
            self.decisions += 1;
            return (
                question(&mut DefaultEngine),
                json!({ "ms": 0.0, "hurried": true }),
            );
        }
        let begin = Instant::now();
        let answer = self
            .guard(&question)
            .unwrap_or_else(|| question(&mut DefaultEngine));
        let spent = begin.elapsed();
        self.decisions += 1;
        self.time += spent;
        self.longest = self.longest.max(spent);
        self.spent_in_game = self.spent_in_game.saturating_add(spent);
        let ms = (spent.as_secs_f64() * 1e6).round() / 1e3;
        let mut log = json!({ "ms": ms });
        if let Some(reason) = self.engine.explain() {
            log["reason"] = reason;
        }
        (answer, log)
    }
}

/// A legal move for want of a better one: the first that is no pass when leading, else the pass.
fn lawful(view: &View) -> Meld {
    if !view.table.field.is_pass() {
        return Meld::PASS;
    }
    let mut moves = Vec::new();
    legal_moves_no_waste(&view.table, view.hand, &mut moves);
    moves
        .into_iter()
        .find(|meld| !meld.is_pass())
        .unwrap_or(Meld::PASS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::daihinmin::{Position, Rules};

    /// Never answers as it should.
    struct Broken(bool);

    impl Engine for Broken {
        fn choose(&mut self, _: &View) -> Meld {
            assert!(self.0, "on purpose");
            Meld::single(13, 0)
        }

        fn gift(&mut self, view: &View, _: u32) -> Cards {
            assert!(self.0, "on purpose");
            view.hand
        }

        fn observe(&mut self, _: &View, _: Meld) {
            panic!("on purpose");
        }
    }

    #[test]
    fn a_broken_engine_still_plays_legal_moves() {
        let hands = ["D3S4J3", "S5", "S6", "S7", "S8"].map(|text| text.parse().unwrap_or_default());
        let view = View::at_start(&Position::new(hands, Rules::default()), 0);
        for answers in [true, false] {
            let mut player = Player::new(Box::new(Broken(answers)), None);
            let meld = player.choose(&view).choice;
            assert!(!meld.is_pass() && is_legal(&view.table, view.hand, meld).is_ok());
            let gift = player.gift(&view, 2).choice;
            assert_eq!(gift.to_string(), "S4D3");
            player.observe(&view, meld);
            assert_eq!((player.decisions, player.corrected), (2, 3));
        }
    }
}
