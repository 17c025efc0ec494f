//! The client of score four.

use std::io::{BufRead, Write};
use std::time::Duration;

use client::{DuelCounts, Summary, native};
use games::ScoreFour;
use games::score_four::{Peg, Position};
use serde_json::Value;

use crate::engine::Engine;
use crate::options::NativeOptions;
use crate::score_four::{EngineName, EngineOptions};
use crate::supervised::EngineGame;
pub use client::MatchError;

pub type ScoreFourOptions = NativeOptions<EngineName>;
/// Plays one match. A person's lines come from `lines`, which is read on a thread of its own and only
/// then; boards, or with `--json` decisions and results, and the summary go to `out`.
///
/// # Errors
/// When an option would have no effect, there is no connection or no seat, or the connection is lost for good.
pub fn run(
    options: &ScoreFourOptions,
    lines: Box<dyn BufRead + Send>,
    out: &mut dyn Write,
) -> Result<Summary<DuelCounts>, MatchError> {
    let base = options.common.checked(&[]);
    let engine = base.map(|base| {
        base.map(|base: EngineOptions| EngineOptions {
            playouts: options.playouts.or(base.playouts),
            time: options.move_time(),
            threads: usize::from(options.common.threads),
            ..base
        })
    });
    let sitter = options.common.sitter(engine, None, lines)?;
    native::run::<ScoreFour>(&options.settings()?, sitter, out)
}

impl EngineGame for ScoreFour {
    type Engine = dyn Engine<Position>;

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
    use crate::supervised::Supervised;
    use client::{MoveRequest, Player as _};

    struct Stubborn;

    impl Engine<Position> for Stubborn {
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
        let asked = MoveRequest {
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
}
