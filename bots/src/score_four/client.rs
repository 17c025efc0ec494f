//! The client of score four, and the game as it uses it.

use std::io::{BufRead, Write};
use std::time::Duration;

use games::score_four::{Peg, Position, Rules};
use games::{Game as _, ScoreFour, Seat};
use serde_json::{Value, json};

use crate::client::native::NativeGame;
pub use crate::client::native::PlayError;
use crate::client::{self, DuelTally, Restricted, native, sitter};
use crate::score_four::{Engine, EngineName, EngineOptions};

/// Options of the client.
pub type Options = native::Options<EngineName>;
/// What a match came to.
pub type Summary = client::Summary<DuelTally>;

/// Plays one match. A person's lines come from `lines`, which is read on a thread of its own and only
/// then; boards, or with `--json` decisions and results, and the summary go to `out`.
///
/// # Errors
/// When an option would have no effect, there is no connection or no seat, or the connection is lost for good.
pub fn run(
    options: &Options,
    lines: Box<dyn BufRead + Send>,
    out: &mut dyn Write,
) -> Result<Summary, PlayError> {
    let threads = Restricted::threads(options.threads.into());
    let base: Option<EngineOptions> = options.common.checked(&[threads])?;
    let seed = options.common.seed_or_clock();
    let engine = base.map(|base| {
        let engine = EngineOptions {
            playouts: options.playouts.or(base.playouts),
            time: options.move_time(),
            threads: usize::from(options.threads),
            ..base
        };
        options.common.supervise(engine.build(seed))
    });
    let sitter = sitter(engine, lines);
    native::run::<ScoreFour, _>(options, sitter, out)
}

impl NativeGame for ScoreFour {
    type Board = Position;
    type Engine = dyn Engine;
    type Tally = DuelTally;

    const HELP: &'static str = "  b3       drop a ball on the peg in column b, row 3
Four balls in a line win, in any direction, also across the levels.";
    const EXAMPLE: &'static str = "A peg such as b3";

    fn read_view(rules: &Rules, view: &Value) -> Result<ScoreFour, String> {
        let moves = view["moves"].as_str().ok_or("a view without moves")?;
        ScoreFour::read(rules, moves).map_err(|e| format!("the moves {moves}: {e}"))
    }

    fn board(&self) -> &Position {
        self.board()
    }

    fn log(position: &Position) -> Value {
        json!(position.to_string())
    }

    fn draw(position: &Position) -> String {
        format!("{position:#}")
    }

    fn seat_name(seat: Seat) -> &'static str {
        if seat.index() == 0 { "x" } else { "o" }
    }

    fn check(position: &Position, peg: Peg) -> Result<(), String> {
        let mut next = *position;
        next.play(peg).map_err(|e| e.to_string())
    }

    fn choose(engine: &mut Self::Engine, position: &Position, limit: Option<Duration>) -> Peg {
        engine.choose(position, limit)
    }

    fn explain(engine: &Self::Engine) -> Option<Value> {
        engine.explain()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{Asked, Player as _, Supervised};

    struct Stubborn;

    impl Engine for Stubborn {
        fn choose(&mut self, position: &Position, _: Option<Duration>) -> Peg {
            assert!(position.ply() < 6, "no idea");
            Peg::ALL[0]
        }

        fn explain(&self) -> Option<Value> {
            panic!("no reason")
        }
    }

    #[test]
    fn reasons_are_made_where_they_are_wanted_and_cost_no_move() {
        let asked = Asked {
            limit: None,
            refused: &[],
        };
        for (wanted, panics) in [(true, 1), (false, 0)] {
            let player = Supervised::<ScoreFour>::new(Box::new(Stubborn));
            let mut player = player.with_reasons(wanted);
            let decision = player.choose(&Position::START, &asked).unwrap();
            assert_eq!(decision.mv, Peg::ALL[0]);
            assert_eq!(player.thinking().corrected, panics);
        }
    }

    #[test]
    fn an_engine_never_plays_an_illegal_peg() {
        let player = Supervised::<ScoreFour>::new(Box::new(Stubborn));
        let mut player = player.with_reasons(false);
        let asked = Asked {
            limit: None,
            refused: &[],
        };
        let mut position = Position::START;
        for _ in 0..4 {
            position
                .play(player.choose(&position, &asked).unwrap().mv)
                .unwrap();
        }
        assert_eq!(player.thinking().corrected, 0);
        for corrected in 1..4 {
            let decision = player.choose(&position, &asked).unwrap();
            assert_eq!(decision.log["corrected"], true);
            position.play(decision.mv).unwrap();
            assert_eq!(player.thinking().corrected, corrected);
        }
    }
}
