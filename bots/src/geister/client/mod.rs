//! The client of Geister.

pub(crate) mod game;
mod options;

use std::io::{self, BufRead, Write};

use games::geister::Rules;

use crate::client::gat::{MANNERS, Settings, play_games};
use crate::client::link::Inputs;
use crate::client::{self, DuelTally, ServerOptions, Sitter, sitter};

pub use crate::client::gat::{GameError, PlayError};
pub use game::{Choice, Geister, Sight};
pub use options::Options;

/// What the games came to.
pub type Summary = client::Summary<DuelTally>;

/// Plays a game at each of the ports as a player that does not come from a command line.
///
/// # Errors
/// When there is no connection, or game after game breaks.
pub fn sit(
    server: &ServerOptions,
    ports: impl Iterator<Item = u16>,
    rules: Rules,
    sitter: Sitter<Geister>,
) -> Result<Summary, PlayError> {
    let settings = Settings {
        server,
        name: None,
        rules,
        idle: None,
        json: false,
    };
    let inputs = Inputs::new();
    let mut player = sitter(inputs.waker(), MANNERS);
    let mut summary = Summary::default();
    let out = &mut io::sink();
    play_games(&settings, ports, &inputs, &mut *player, &mut summary, out)?;
    Ok(summary)
}

/// Plays the games that the options ask for. A person's lines come from `lines`, which is read on a thread of its own
/// and only then. What a person sees, or with `--json` decisions and results, and the summary go to `out`; the summary
/// comes even when a game could not be played; without `--json` it does not if that was the first.
///
/// # Errors
/// If an option would have no effect, the engine cannot be made, there is no connection, or game after game breaks. A single game
/// without a result is counted in [`Summary::broken`](client::Summary::broken), and the next is played.
pub fn run(
    options: &Options,
    lines: Box<dyn BufRead + Send>,
    out: &mut dyn Write,
) -> Result<Summary, PlayError> {
    let engine = options.engine()?;
    let seed = options.common.seed_or_clock();
    let engine = match engine {
        Some(engine) => {
            let engine = options.common.supervise(engine.build(seed)?);
            Some(engine.with_clock(options.clock()))
        }
        None => None,
    };
    let inputs = Inputs::new();
    let sitter = sitter(engine, lines);
    let mut player = sitter(inputs.waker(), MANNERS);
    let settings = Settings {
        server: &options.common.server,
        name: options.name.as_deref(),
        rules: options.rules(),
        idle: options.idle_limit(),
        json: options.common.json,
    };
    let ports = (0..options.games).map(|game| options.port_of(game));
    let mut summary = Summary::default();
    let played = play_games(&settings, ports, &inputs, &mut *player, &mut summary, out);
    summary.thinking = player.thinking();
    summary.write(options.common.json, played.is_err(), out);
    played.map(|()| summary)
}
