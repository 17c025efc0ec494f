//! The client of Geister.

mod options;

use std::io::{BufRead, Write};
use std::time::Duration;

use client::gat::{self, Followed, GatSettings, Geister, GeisterChoice, GeisterSight};
use client::{DuelCounts, Summary};
use serde_json::Value;

use super::Engine;
use crate::supervised::EngineGame;

pub use client::{GameError, MatchError};
pub use options::GeisterOptions;
use options::thinking_time;

/// Plays the games that the options ask for. A person's lines come from `lines`, which is read on a thread of its own
/// and only then. What a person sees, or with `--json` decisions and results, and the summary go to `out`; the summary
/// comes even when a game could not be played; without `--json` it does not if that was the first.
///
/// # Errors
/// If an option would have no effect, the engine cannot be made, there is no connection, or game after game breaks. A single game
/// without a result is counted in [`Summary::broken`], and the next is played.
pub fn run(
    options: &GeisterOptions,
    lines: Box<dyn BufRead + Send>,
    out: &mut dyn Write,
) -> Result<Summary<DuelCounts>, MatchError> {
    let sitter = (options.common).sitter(options.engine(), options.clock(), lines)?;
    let settings = GatSettings {
        server: &options.common.server,
        name: options.name.as_deref(),
        rules: options.rules(),
        idle: options.idle_limit(),
        json: options.common.json,
    };
    let ports = (0..options.games).map(|game| options.port_of(game));
    gat::run(&settings, ports, sitter, out)
}

impl EngineGame for Geister {
    type Engine = dyn Engine;

    fn choose(
        engine: &mut Self::Engine,
        sight: &GeisterSight,
        limit: Option<Duration>,
    ) -> GeisterChoice {
        match sight {
            GeisterSight::Placing => GeisterChoice::Place(engine.placement()),
            GeisterSight::Playing(view) => {
                GeisterChoice::Go(engine.choose(view, limit.map(thinking_time)))
            }
        }
    }

    fn begin(engine: &mut Self::Engine, sight: &GeisterSight) {
        if let GeisterSight::Playing(view) = sight {
            engine.begin(view);
        }
    }

    fn observe(engine: &mut Self::Engine, followed: &Followed) {
        engine.observe(&followed.before, followed.mv, followed.captured);
    }

    fn end(engine: &mut Self::Engine, sight: &GeisterSight) {
        if let GeisterSight::Playing(view) = sight {
            engine.end(view);
        }
    }

    fn explain(engine: &Self::Engine) -> Option<Value> {
        engine.explain()
    }

    fn is_decision(sight: &GeisterSight) -> bool {
        matches!(sight, GeisterSight::Playing(_))
    }
}

#[cfg(test)]
mod tests {
    use games::geister::{Direction, Ghost, Move, Placement, Rules, View};

    use super::*;
    use crate::supervised::Supervised;
    use client::{ClientGame as _, MoveRequest, Player as _};

    /// Never answers as it should.
    struct Broken(bool);

    impl Engine for Broken {
        fn placement(&mut self) -> Placement {
            panic!("on purpose");
        }

        fn choose(&mut self, _: &View, _: Option<Duration>) -> Move {
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
            let mut player = Supervised::<Geister>::new(Box::new(Broken(answers)));
            let asked = |refused| MoveRequest {
                limit: None,
                refused,
            };
            let placed = player
                .choose(&GeisterSight::Placing, &asked(&[]))
                .expect("one")
                .mv;
            let GeisterChoice::Place(placement) = placed else {
                panic!("{placed} is not a placement")
            };
            let view = View::start(0, placement, Rules::default());
            let sight = GeisterSight::Playing(view);
            let first = player.choose(&sight, &asked(&[])).expect("a move");
            assert!(Geister::is_legal(&sight, first.mv));
            assert_eq!(first.log["corrected"], true);
            let thinking = player.thinking();
            assert_eq!((thinking.decisions, thinking.corrected), (1, 2));
            let second = player
                .choose(&sight, &asked(&[first.mv]))
                .expect("another")
                .mv;
            assert!(Geister::is_legal(&sight, second) && second != first.mv);
        }
    }
}
