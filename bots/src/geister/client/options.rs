//! The command line of the Geister client.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use client::seconds;
use games::geister::Rules;
use protocol::gat::is_name;

use crate::clock::GameClock;
use crate::geister::{EngineName, EngineOptions, SearchPlan};
use crate::options::{CommonOptions, OptionsError, Restricted};
use crate::spec::Span;

/// The port of the first player; the second has the next one.
const FIRST_PORT: u16 = 10_000;

/// Time limit of a move, under the second that many-game events allow.
const MOVE_MS: u64 = 900;

/// Moves of one player in a game between good players: a game ends after 200 plies at the latest, and most games have 60 to 100.
const MOVES_PER_GAME: u32 = 40;

/// How long `best` may search when its move must arrive within a limit: the limit less a twentieth of it, or less 15 ms if that is
/// more, which the network and a busy machine may take; but at least half of the limit.
pub(super) fn thinking_time(limit: Duration) -> Duration {
    let margin = (limit / 20).max(Duration::from_millis(15));
    limit.saturating_sub(margin.min(limit / 2))
}

/// Options of the client.
#[derive(Args, Clone, Debug)]
pub struct GeisterOptions {
    /// Those that all clients have.
    #[command(flatten)]
    pub common: CommonOptions<EngineName>,
    /// TCP port of the server. The port is the seat: by custom 10000 for one player and 10001 for the other.
    #[arg(short, long, value_name = "PORT", conflicts_with = "seat", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
    /// Short for --port 10000 (0) or --port 10001 (1). The server decides which of the two moves first; this project's
    /// server alternates, beginning with 0.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=1), value_name = "0|1")]
    pub seat: u8,
    /// Play every second game at this port, for servers that swap the seats and leave it to the
    /// players to change ports.
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub swap_port: Option<u16>,
    /// Weights in place of those built into the program: of paper a .npy file of 8128 or 7503 numbers, of policy and best
    /// a file of networks (.i16).
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Temperature of the softmax from which paper and policy draw their moves; 0 plays the highest preference
    /// [default: 0, or that of the level].
    #[arg(long, value_parser = |text: &str| Span::Within(0.0, 1e6).read(text), value_name = "T")]
    pub temperature: Option<f64>,
    /// Simulations of best for each move. More is stronger and slower [default: as many as the time allows].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), value_name = "N")]
    pub simulations: Option<u32>,
    /// The server's limit for a move in milliseconds; best thinks a twentieth less. Of this and
    /// --simulations what is spent first ends the search [default: 900, and no limit where simulations or --game-ms
    /// are given].
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), value_name = "MS")]
    pub move_ms: Option<u64>,
    /// Milliseconds for all moves of a game, which best spreads over those that are usually to come: 600000 in the main
    /// event of GAT [default: no such clock].
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), value_name = "MS")]
    pub game_ms: Option<u64>,
    /// Milliseconds for each move once those of --game-ms are spent: 10000 in the main event of GAT.
    #[arg(long, default_value_t = 0, value_name = "MS", requires = "game_ms")]
    pub after_ms: u64,
    /// Forget each game: otherwise best learns from the games of a run, whose ends show all colours, how its opponent plays.
    #[arg(long)]
    pub no_learning: bool,
    /// Games to play in a row, each on a new connection.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..), value_name = "N")]
    pub games: u32,
    /// Send this name with the placement (letters, digits and _). Servers that take no names refuse
    /// it, and the placement is sent again without.
    #[arg(long, value_parser = name, value_name = "NAME")]
    pub name: Option<String>,
    /// Plies after which the server calls a draw: 200 in GAT since 2024, 300 before. The protocol
    /// does not tell.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u16).range(1..), value_name = "PLIES")]
    pub ply_limit: u16,
    /// Give up a game when the server says nothing for this many seconds; 0 waits for ever. The wait for
    /// an opponent counts, too.
    #[arg(long, default_value_t = 0.0, value_parser = seconds, value_name = "SECONDS")]
    pub idle_timeout: f64,
}

impl GeisterOptions {
    /// The engine; `None` for a person.
    pub fn engine(&self) -> Result<Option<EngineOptions>, OptionsError> {
        let base: Option<EngineOptions> = self.common.checked(&[
            Restricted::new("--temperature", "temperature", self.temperature.is_some()),
            Restricted::new("--weights", "weights", self.weights.is_some()),
            Restricted::learning("--no-learning", "learn", self.no_learning),
        ])?;
        Ok(base.map(|base| self.laid_over(&base)))
    }

    fn laid_over(&self, base: &EngineOptions) -> EngineOptions {
        let is_level = self.common.engine.is_level();
        let simulations = self.simulations.or(base.simulations);
        let time = match (self.move_ms, self.game_ms, simulations) {
            (Some(ms), ..) => Some(thinking_time(Duration::from_millis(ms))),
            // The clock gives each move its share.
            (None, Some(ms), None) => Some(Duration::from_millis(ms.max(self.after_ms))),
            (None, _, Some(_)) => None,
            (None, None, None) if is_level => None,
            (None, None, None) => Some(thinking_time(Duration::from_millis(MOVE_MS))),
        };
        EngineOptions {
            weights: self.weights.clone(),
            temperature: self.temperature.unwrap_or(base.temperature),
            plan: SearchPlan { time, ..base.plan },
            simulations,
            learns: base.learns && !self.no_learning,
            threads: usize::from(self.common.threads),
            ..*base
        }
    }

    pub fn clock(&self) -> Option<GameClock> {
        let game = Duration::from_millis(self.game_ms?);
        let after = Duration::from_millis(self.after_ms);
        Some(GameClock::new(game, after, MOVES_PER_GAME))
    }

    pub fn port_of(&self, game: u32) -> u16 {
        let port = self.port.unwrap_or(FIRST_PORT + u16::from(self.seat));
        match self.swap_port {
            Some(swap) if game % 2 == 1 => swap,
            _ => port,
        }
    }

    pub const fn rules(&self) -> Rules {
        Rules {
            ply_limit: self.ply_limit,
        }
    }

    pub fn idle_limit(&self) -> Option<Duration> {
        (self.idle_timeout > 0.0).then(|| Duration::from_secs_f64(self.idle_timeout))
    }
}

fn name(text: &str) -> Result<String, String> {
    if is_name(text) && (1..=64).contains(&text.len()) {
        Ok(text.to_owned())
    } else {
        Err("expected 1 to 64 letters, digits and _".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::options_of;

    /// Command lines, each with its error.
    const REFUSED: &str = "\
--temperature 1 => --temperature is for --engine paper or policy, not for best
--engine random --weights x => --weights is for --engine paper, policy or best, not for random
--engine paper --no-learning => --no-learning is for --engine best, not for paper
--engine human --weights x => not for human
--engine level-9 --temperature 1 => not for level-9 (best)
--engine level-9 --no-learning => not for level-9 (best); levels do not learn
--engine policy --threads 2 => play with one thread";

    fn refused(line: &str) -> Option<String> {
        let options: GeisterOptions = options_of(line).expect(line);
        options.engine().err().map(|error| error.to_string())
    }

    #[test]
    fn what_the_engine_does_not_read_is_refused() {
        for case in REFUSED.lines() {
            let (line, due) = case.split_once(" => ").expect(case);
            let text = refused(line).expect(line);
            assert!(text.contains(due), "{line}: {text}");
        }
        for line in [
            "--no-learning --weights x",
            "--engine policy --temperature 0 --weights x",
            "--engine paper --simulations 9 --move-ms 9 --threads 1",
        ] {
            assert_eq!(refused(line), None, "{line}");
        }
    }

    #[test]
    fn a_level_takes_another_temperature() {
        let line = options_of::<GeisterOptions>("--engine level-1 --temperature 9");
        let engine = line.expect("a line").engine().expect("options");
        let temperature = engine.expect("an engine").temperature;
        assert!((temperature - 9.0).abs() < f64::EPSILON);
    }
}
