//! The client of Geister.

mod options;

use std::io::{BufRead, Write};
use std::time::Duration;

use client::gat::{self, Choice, Followed, Geister, Settings, Sight};
use client::{DuelTally, Summary};
use serde_json::Value;

use super::Engine;
use crate::supervised::{EngineGame, sitter};

pub use client::gat::{GameError, PlayError};
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
) -> Result<Summary<DuelTally>, PlayError> {
    let engine = options.engine().map_err(PlayError::player)?;
    let seed = options.common.seed_or_clock();
    let engine = engine.map(|engine| engine.build(seed)).transpose();
    let engine = engine.map_err(PlayError::player)?;
    let engine = engine.map(|engine| {
        let engine = options.common.supervise(engine);
        engine.with_clock(options.clock())
    });
    let settings = Settings {
        server: &options.common.server,
        name: options.name.as_deref(),
        rules: options.rules(),
        idle: options.idle_limit(),
        json: options.common.json,
    };
    let ports = (0..options.games).map(|game| options.port_of(game));
    gat::run(&settings, ports, sitter(engine, lines), out)
}

impl EngineGame for Geister {
    type Engine = dyn Engine;

    fn choose(engine: &mut Self::Engine, sight: &Sight, limit: Option<Duration>) -> Choice {
        if let Some(limit) = limit {
            engine.set_time(thinking_time(limit));
        }
        match sight {
            Sight::Placing => Choice::Place(engine.placement()),
            Sight::Playing(view) => Choice::Go(engine.choose(view)),
        }
    }

    fn begin(engine: &mut Self::Engine, sight: &Sight) {
        if let Sight::Playing(view) = sight {
            engine.begin(view);
        }
    }

    fn observe(engine: &mut Self::Engine, followed: &Followed) {
        engine.observe(&followed.before, followed.mv, followed.captured);
    }

    fn end(engine: &mut Self::Engine, sight: &Sight) {
        if let Sight::Playing(view) = sight {
            engine.end(view);
        }
    }

    fn explain(engine: &Self::Engine) -> Option<Value> {
        engine.explain()
    }

    fn is_decision(sight: &Sight) -> bool {
        matches!(sight, Sight::Playing(_))
    }
}

#[cfg(test)]
mod tests {
    use games::geister::{Direction, Ghost, Move, Placement, Rules, View};

    use super::*;
    use crate::supervised::Supervised;
    use client::{Asked, ClientGame as _, Player as _};

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
            let mut player = Supervised::<Geister>::new(Box::new(Broken(answers)));
            let asked = |refused| Asked {
                limit: None,
                refused,
            };
            let placed = player.choose(&Sight::Placing, &asked(&[])).expect("one").mv;
            let Choice::Place(placement) = placed else {
                panic!("{placed} is not a placement")
            };
            let view = View::start(0, placement, Rules::default());
            let sight = Sight::Playing(view);
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
