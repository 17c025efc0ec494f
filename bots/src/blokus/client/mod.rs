//! The client of the native protocol: an engine or a person, through one match.

mod options;

use std::io::{BufRead, Write};
use std::time::Duration;

use client::MatchError;
use client::Summary;
use client::native::{self, BlokusCounts};
use games::Blokus;
use games::blokus::{Board, Placement};
use serde_json::Value;

use crate::engine::Engine;
pub use crate::options::OptionsError;
use crate::supervised::EngineGame;
pub use options::BlokusOptions;

/// Plays one match. A person's lines come from `lines`, which is read on a thread of its own and only
/// then; boards, or with `--json` decisions and results, and the summary go to `out`.
///
/// # Errors
/// Before there is a connection, when the engine cannot be made; when there is no connection or no seat, or the connection
/// is lost for good.
pub fn run(
    options: &BlokusOptions,
    lines: Box<dyn BufRead + Send>,
    out: &mut dyn Write,
) -> Result<Summary<BlokusCounts>, MatchError> {
    let sitter = (options.native.common).sitter(options.engine(), None, lines)?;
    native::run::<Blokus>(&options.native.settings()?, sitter, out)
}

impl EngineGame for Blokus {
    type Engine = dyn Engine<Board>;

    fn choose(engine: &mut Self::Engine, board: &Board, limit: Option<Duration>) -> Placement {
        engine.choose(board, limit)
    }

    fn new_game(engine: &mut Self::Engine) {
        engine.new_game();
    }

    fn explain(engine: &Self::Engine) -> Option<Value> {
        engine.reasons()
    }

    fn warning(rules: &Value) -> Option<String> {
        match &rules["scoring"] {
            Value::Null => None,
            Value::String(scoring) if scoring == "advanced" => None,
            other => {
                let scoring: String = other.to_string().chars().take(40).collect();
                Some(format!(
                    "the server's scoring is {scoring}, the engines play for the advanced score"
                ))
            }
        }
    }
}
