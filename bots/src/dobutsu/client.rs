//! The client of Dobutsu shogi.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use client::MatchError;
use client::{DuelCounts, Summary, animal_shogi, native};
use games::dobutsu::{Dobutsu, Move, Rules};
use serde_json::Value;

use super::options::MOST_HASH;
use super::{AlphaZeroOptions, DobutsuEngine, EngineName, EngineOptions, Exploration};
use crate::options::{NativeOptions, NetworkOptions, OptionsError, Restricted};
use crate::supervised::EngineGame;

/// Options of the client.
#[derive(Args, Clone, Debug)]
pub struct DobutsuOptions {
    /// Those of all clients of the native protocol.
    #[command(flatten)]
    pub native: NativeOptions<EngineName>,
    /// Megabytes of the transposition table of alphabeta, which also plays where the table of perfect ends [default: 16].
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_HASH)))]
    pub hash: Option<u32>,
    /// The folder of the table of perfect and best; best plays without a table only where none is given [default:
    /// taikyoku/dobutsu in the user's folder for data].
    #[arg(long, value_name = "DIR")]
    pub table: Option<PathBuf>,
    /// Simulations of alphazero for each move; the same as --playouts [default: as many as the time allows].
    #[arg(long, visible_alias = "nodes", value_name = "N", conflicts_with = "playouts", value_parser = clap::value_parser!(u64).range(1..))]
    pub simulations: Option<u64>,
    /// Those of the network of alphazero.
    #[command(flatten)]
    pub network: NetworkOptions,
    /// C of the search of alphazero: a number, or `log` for that of `AlphaZero`, which grows with the visits [default: 1].
    #[arg(long, value_name = "C")]
    pub exploration: Option<Exploration>,
    /// Look for wins of up to this many plies before the search of alphazero [default: 7].
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(..=i64::from(AlphaZeroOptions::MOST_MATE)))]
    pub mate: Option<u32>,
    /// Protocol of the server; --tls, --tls-ca, --token and --token-file are for the native one.
    #[arg(long, value_enum, default_value_t = ServerProtocol::Native)]
    pub protocol: ServerProtocol,
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
pub enum ServerProtocol {
    /// The native protocol.
    Native,
    /// The lines of `AnimalShogiServer`.
    AnimalShogi,
}

impl DobutsuOptions {
    /// The engine of a match; `None` for a person.
    pub fn engine(&self) -> Result<Option<EngineOptions>, OptionsError> {
        let restricted = self.network.restricted([
            Restricted::new("--hash", "hash", self.hash.is_some()),
            Restricted::new("--table", "table", self.table.is_some()),
            Restricted::new("--exploration", "c", self.exploration.is_some()),
            Restricted::new("--mate", "mate", self.mate.is_some()),
        ]);
        let base = self.native.common.checked(&restricted)?;
        let tls = &self.native.tls;
        let native = [
            ("--tls", tls.tls),
            ("--tls-ca", tls.tls_ca.is_some()),
            ("--token", self.native.has_token_on_line()),
            ("--token-file", self.native.token_file.is_some()),
        ];
        let given = native.into_iter().find(|(_, is_given)| *is_given);
        match given {
            Some((option, _)) if self.protocol == ServerProtocol::AnimalShogi => {
                let reason = "is for --protocol native; animal-shogi has neither TLS nor tokens";
                Err(OptionsError::new(option, reason))
            }
            _ => Ok(base.map(|base| self.laid_over(base))),
        }
    }

    /// The engine with which a controller of USI begins; `None` for a person. No option is refused: the controller may choose
    /// another engine, which reads it.
    pub fn usi_engine(&self) -> Option<EngineOptions> {
        let base = self.native.common.engine.options()?;
        Some(self.laid_over(base))
    }

    fn laid_over(&self, base: EngineOptions) -> EngineOptions {
        let zero = AlphaZeroOptions::default();
        EngineOptions {
            nodes: self.native.playouts.or(self.simulations).or(base.nodes),
            time: self.native.move_time(),
            hash: self.hash.unwrap_or(base.hash),
            table: self.table.clone(),
            threads: usize::from(self.native.common.threads),
            zero: AlphaZeroOptions {
                network: self.network.network(),
                batch: self.network.batch.map_or(zero.batch, usize::from),
                exploration: self.exploration.unwrap_or(zero.exploration),
                mate: self.mate.unwrap_or(zero.mate),
            },
            ..base
        }
    }
}

/// Plays one match, or the games of a server without matches. A person's lines come from `lines`, which is read on a thread of
/// its own and only then; boards, or with `--json` decisions and results, and the summary go to `out`.
///
/// # Errors
/// Before there is a connection, when the engine cannot be made; when there is no connection or no seat, or the connection
/// is lost for good.
pub fn run(
    options: &DobutsuOptions,
    lines: Box<dyn BufRead + Send>,
    out: &mut dyn Write,
) -> Result<Summary<DuelCounts>, MatchError> {
    let sitter = (options.native.common).sitter(options.engine(), None, lines)?;
    if options.protocol == ServerProtocol::Native {
        return native::run::<Dobutsu>(&options.native.settings()?, sitter, out);
    }
    let rules = if options.keio_rules {
        Rules::ANIMAL_SHOGI_SERVER
    } else {
        Rules::default()
    };
    let settings = options.native.settings();
    animal_shogi::run(&settings?, options.games, rules, sitter, out)
}

impl EngineGame for Dobutsu {
    type Engine = dyn DobutsuEngine;

    fn choose(engine: &mut Self::Engine, game: &Dobutsu, limit: Option<Duration>) -> Move {
        engine.choose(game, limit)
    }

    fn new_game(engine: &mut Self::Engine) {
        engine.new_game();
    }

    fn explain(engine: &Self::Engine) -> Option<Value> {
        engine.explain()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{check_default, options_of};

    /// Command lines, each with its error.
    const REFUSED: &str = "\
--exploration log => --exploration is for --engine alphazero, not for best
--engine alphabeta --mate 3 => --mate is for --engine alphazero, not for alphabeta
--engine perfect --batch 2 => --batch is for
--model x => --model is for
--precision int8 => --precision is for
--nn-engine rten => --nn-engine is for
--engine alphazero --hash 1 => --hash is for --engine alphabeta, perfect or best, not for alphazero
--engine level-4 --table x => --table is for --engine perfect or best, not for level-4 (alphabeta)
--engine human --table x => not for human
--engine random --threads 2 => not for random
--threads 2 => --threads is for --engine alphazero, not for best; other engines play with one thread
--protocol animal-shogi --tls => --tls is for --protocol native
--protocol animal-shogi --tls-ca x => --tls-ca is for --protocol native
--protocol animal-shogi --token x => --token is for --protocol native
--protocol animal-shogi --token-file x => --token-file is for";

    fn refused(line: &str) -> Option<String> {
        let options: DobutsuOptions = options_of(line).expect(line);
        options.engine().err().map(|error| error.to_string())
    }

    #[test]
    fn what_the_engine_or_the_protocol_does_not_read_is_refused() {
        for case in REFUSED.lines() {
            let (line, due) = case.split_once(" => ").expect(case);
            let text = refused(line).expect(line);
            assert!(text.contains(due), "{line}: {text}");
        }
        for line in [
            "--table x --hash 1 --threads 1",
            "--engine alphazero --threads 2 --mate 0 --batch 2 --exploration log --model x",
            "--engine random --playouts 7 --move-ms 9 --threads 1",
            "--tls --token-file x",
            "--protocol animal-shogi --games 3 --keio-rules",
        ] {
            assert_eq!(refused(line), None, "{line}");
        }
    }
    #[test]
    fn the_help_names_the_defaults() {
        let options = EngineOptions::default();
        let zero = options.zero;
        check_default::<DobutsuOptions>("hash", &options.hash.to_string());
        check_default::<DobutsuOptions>("batch", &zero.batch.to_string());
        check_default::<DobutsuOptions>("exploration", &zero.exploration.to_string());
        check_default::<DobutsuOptions>("mate", &zero.mate.to_string());
    }
}
