//! The GAT client: one engine, one connection a game, as many games as wanted.

mod connection;
mod options;
mod player;
mod summary;

use std::io::{self, Write};
use std::time::Duration;

use games::geister::Placement;
use log::{debug, warn};
use serde_json::{Value, json};

use crate::client::gat::Game;
pub use crate::client::gat::GameError;
pub use crate::geister::diff::enemy_move;
pub use crate::geister::tracker::{Followed, News, Reason, Tracker};
pub use connection::{Connection, Lost};
pub use options::Options;
pub use player::{Decision, Player};
pub use summary::{Results, Summary};

use super::WeightsError;

/// Games in a row that may break before the client gives up.
const MOST_BROKEN: u32 = 3;

/// Why a run of games could not go on.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The engine could not be made.
    #[error(transparent)]
    Engine(#[from] WeightsError),
    /// No connection.
    #[error("cannot connect to {address}: {source}. Is the server running, and is the port right?")]
    Connect {
        /// Host and port.
        address: String,
        /// What went wrong.
        source: io::Error,
    },
    /// Connections were accepted, but dropped before the game.
    #[error(
        "{address} accepted {dropped} connections and dropped each before SET?: perhaps the seat is taken"
    )]
    Dropped {
        /// Host and port.
        address: String,
        /// How many.
        dropped: u32,
    },
    /// Nothing was said before the game.
    #[error("{address} has not said SET? within {} s: perhaps the seat is taken, or it is no GAT server", limit.as_secs_f64())]
    Silent {
        /// Host and port.
        address: String,
        /// How long was waited.
        limit: Duration,
    },
    /// Game after game had no result.
    #[error("game {game} and the {} before it have no result: {source}", MOST_BROKEN - 1)]
    Broken {
        /// The last game.
        game: u32,
        /// What went wrong in it.
        source: GameError,
    },
}

impl PlayError {
    /// The exit status of a program that ends with this: 1 engine, 3 no connection, 4 games without a
    /// result. (2 is a wrong command line.)
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Engine(_) => 1,
            Self::Connect { .. } | Self::Dropped { .. } | Self::Silent { .. } => 3,
            Self::Broken { .. } => 4,
        }
    }
}

/// Plays the games that the options ask for. Decisions and results (with `--json`) and the summary go
/// to `out`; the summary comes even when a game could not be played.
///
/// # Errors
/// If the engine cannot be made, there is no connection, or game after game breaks. A single game
/// without a result is counted in [`Summary::broken`], and the next is played.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Summary, PlayError> {
    let seed = options.seed_or_clock();
    debug!("seed {seed}");
    let mut player = Player::new(options.engine_options().build(seed)?);
    let mut summary = Summary::default();
    let played = play_games(options, &mut player, &mut summary, out);
    summary.decisions = player.decisions;
    summary.time = player.time;
    summary.longest = player.longest;
    summary.corrected = player.corrected;
    if options.json {
        write_line(out, &json!({ "summary": summary.to_json() }));
    } else {
        let _ = writeln!(out, "{summary}");
    }
    played.map(|()| summary)
}

fn play_games(
    options: &Options,
    player: &mut Player,
    summary: &mut Summary,
    out: &mut dyn Write,
) -> Result<(), PlayError> {
    let mut broken = 0;
    for n in 0..options.games {
        let connection = Connection::open(options, options.port_of(n))?;
        let mut game = Game {
            number: n + 1,
            options,
            connection,
            player: &mut *player,
            summary: &mut *summary,
            out: &mut *out,
            tracker: Tracker::new(Placement::ALL[0], options.rules()),
            refused: Vec::new(),
        };
        match game.play() {
            Ok(_) => broken = 0,
            Err(source) => {
                summary.broken += 1;
                broken += 1;
                warn!("game {}: no result: {source}", n + 1);
                if options.json {
                    let line = json!({ "broken": { "game": n + 1, "error": source.to_string() } });
                    write_line(out, &line);
                }
                if broken == MOST_BROKEN {
                    return Err(PlayError::Broken {
                        game: n + 1,
                        source,
                    });
                }
            }
        }
    }
    Ok(())
}

/// A line of JSON; a closed pipe does not stop the game.
pub(crate) fn write_line(out: &mut dyn Write, line: &Value) {
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
