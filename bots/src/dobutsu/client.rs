//! The client of Dobutsu shogi, and the game as it uses it.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use games::dobutsu::{Dobutsu, IllegalMove, Move, Rules};
use games::{Game as _, Seat};
use models::{NnEngine, PrecisionChoice};
use serde_json::{Value, json};

use super::options::MOST_HASH;
use super::{
    AlphaBetaEngine, BuildError, Engine, EngineName, EngineOptions, Exploration, ZeroOptions,
};
use crate::client::native::{NativeGame, PlayError};
use crate::client::{self, DuelTally, Sitter, animal_shogi, native, sitter};
use crate::search::network::ModelOptions;

/// Options of the client.
#[derive(Args, Clone, Debug)]
#[group(id = "DobutsuOptions")]
pub struct Options {
    /// Those of all clients of the native protocol.
    #[command(flatten)]
    pub native: native::Options<EngineName>,
    /// Megabytes of the transposition table of alphabeta.
    #[arg(long, default_value_t = AlphaBetaEngine::HASH, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_HASH)))]
    pub hash: u32,
    /// The folder of the table of perfect [default: taikyoku/dobutsu in the user's folder for data].
    #[arg(long, value_name = "DIR")]
    pub table: Option<PathBuf>,
    /// Simulations of alphazero for each move; the same as --playouts [default: as many as the time allows].
    #[arg(long, visible_alias = "nodes", value_name = "N", conflicts_with = "playouts", value_parser = clap::value_parser!(u64).range(1..))]
    pub simulations: Option<u64>,
    /// Network of alphazero, an .onnx file [default: models/dobutsu/dobutsu-pairs.onnx in a folder above this program or
    /// the current one, or among the installed data].
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// What runs the network of alphazero.
    #[arg(long, value_enum, default_value_t, value_name = "ENGINE")]
    pub nn_engine: NnEngine,
    /// Which of NAME.onnx and NAME.int8.onnx alphazero plays with.
    #[arg(long, value_enum, default_value_t, value_name = "PRECISION")]
    pub precision: PrecisionChoice,
    /// Positions that each thread of alphazero has evaluated together.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub batch: u16,
    /// C of the search of alphazero: a number, or `log` for that of `AlphaZero`, which grows with the visits.
    #[arg(long, default_value_t = ZeroOptions::default().exploration, value_name = "C")]
    pub exploration: Exploration,
    /// Look for wins of up to this many plies before the search of alphazero.
    #[arg(long, default_value_t = ZeroOptions::MATE, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(..=i64::from(ZeroOptions::MOST_MATE)))]
    pub mate: u32,
    /// Protocol of the server; --token and --token-file are for the native one.
    #[arg(long, value_enum, default_value_t = Protocol::Native)]
    pub protocol: Protocol,
    /// Games in a row, each on a connection of its own. In the native protocol the server says how many there are.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub games: u32,
    /// The server has the rules of Keio's own: any try wins, promotion is free, and no repetition ends a game. In
    /// the native protocol the server tells its rules.
    #[arg(long)]
    pub keio_rules: bool,
}

/// Protocols of servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Protocol {
    /// The native protocol.
    Native,
    /// The lines of `AnimalShogiServer`.
    AnimalShogi,
}

impl Options {
    /// The engine; `None` for a person.
    pub fn engine(&self) -> Option<EngineOptions> {
        let base: EngineOptions = self.native.common.engine.options()?;
        Some(EngineOptions {
            nodes: self.native.playouts.or(self.simulations).or(base.nodes),
            time: self.native.move_time(),
            hash: self.hash,
            table: self.table.clone(),
            threads: usize::from(self.native.threads),
            zero: ZeroOptions {
                network: ModelOptions {
                    model: self.model.clone(),
                    nn_engine: self.nn_engine,
                    precision: self.precision,
                },
                batch: usize::from(self.batch),
                exploration: self.exploration,
                mate: self.mate,
                ..ZeroOptions::default()
            },
            ..base
        })
    }

    /// The player that these options name. A person's lines come from `lines`.
    ///
    /// # Errors
    /// The engine cannot be made.
    pub(crate) fn sitter(
        &self,
        lines: Box<dyn BufRead + Send>,
    ) -> Result<Sitter<Dobutsu>, BuildError> {
        let seed = self.native.common.seed_or_clock();
        let engine = self.engine().map(|engine| engine.build(seed)).transpose()?;
        let common = &self.native.common;
        let engine = engine.map(|engine| common.supervise(engine));
        Ok(sitter(engine, lines, common.screen))
    }
}

/// What a match came to.
pub type Summary = client::Summary<DuelTally>;

/// Why a match was not played to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The engine cannot be made.
    #[error(transparent)]
    Engine(#[from] BuildError),
    /// It began.
    #[error(transparent)]
    Play(#[from] PlayError),
}

impl RunError {
    /// The exit status of a program that ends with this: 2 a file of the command line, 3 no connection or no seat, 4 the
    /// match has no end.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Engine(_) => program::USAGE,
            Self::Play(error) => error.exit_code(),
        }
    }
}

/// Plays one match, or the games of a server without matches. A person's lines come from `lines`, which is read on a thread of its own and only
/// then; boards, or with `--json` decisions and results, and the summary go to `out`.
///
/// # Errors
/// Before there is a connection, when the engine cannot be made; when there is no connection or no seat, or the connection
/// is lost for good.
pub fn run(
    options: &Options,
    lines: Box<dyn BufRead + Send>,
    out: &mut dyn Write,
) -> Result<Summary, RunError> {
    let sitter = options.sitter(lines)?;
    if options.protocol == Protocol::Native {
        return Ok(native::run::<Dobutsu, _>(&options.native, sitter, out)?);
    }
    let common = &options.native.common;
    let settings = animal_shogi::Settings {
        server: &common.server,
        port: options.native.port,
        name: &options.native.name(),
        games: options.games,
        rules: if options.keio_rules {
            Rules::ANIMAL_SHOGI_SERVER
        } else {
            Rules::default()
        },
        json: common.json,
    };
    Ok(animal_shogi::run(&settings, sitter, out)?)
}

impl NativeGame for Dobutsu {
    type Board = Dobutsu;
    type Engine = dyn Engine;
    type Tally = DuelTally;

    const HELP: &'static str =
        "  2c2b     move the piece of one square to another: file 3 to 1 from left to right, rank
           a to d from the top; 2b2a+ for a chick that becomes a hen
  C*2b     drop a piece of your hand: C chick, E elephant, G giraffe
Catch the lion (L), or bring yours to the far rank where it cannot be caught. The first player's
pieces are capitals and move up the board.";
    const EXAMPLE: &'static str = "A move such as 2c2b";

    fn read_view(rules: &Rules, view: &Value) -> Result<Dobutsu, String> {
        let position = view["position"].as_str().ok_or("a view without position")?;
        Dobutsu::read(rules, position).map_err(|e| format!("the position {position}: {e}"))
    }

    fn board(&self) -> &Dobutsu {
        self
    }

    fn log(game: &Dobutsu) -> Value {
        json!(game.board().to_string())
    }

    fn draw(game: &Dobutsu) -> String {
        let times = game.occurrences();
        let repetition = usize::from(game.rules().repetition);
        let warning = if times > 1 && times < repetition {
            format!("This position has occurred {times} times; {repetition} times are a draw.\n")
        } else {
            String::new()
        };
        format!("{:#}{warning}", game.board())
    }

    fn seat_name(seat: Seat) -> &'static str {
        if seat.index() == 0 { "first" } else { "second" }
    }

    fn check(game: &Dobutsu, mv: Move) -> Result<(), String> {
        let over = || IllegalMove::Over(mv).to_string();
        games::Game::to_move(game).ok_or_else(over)?;
        let mut next = *game.board();
        next.play(mv).map_err(|e| e.to_string())
    }

    fn choose(engine: &mut Self::Engine, game: &Dobutsu, limit: Option<Duration>) -> Move {
        engine.choose(game, limit)
    }

    fn forget(engine: &mut Self::Engine) {
        engine.forget();
    }

    fn explain(engine: &Self::Engine) -> Option<Value> {
        engine.explain()
    }
}
