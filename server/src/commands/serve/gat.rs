//! `taikyoku serve geister`, or `gat`: its options, and the server.

use std::path::PathBuf;

use clap::Args;
use games::geister::SEATS;

use super::uecda::set;
use super::{Output, ServeFailure, not_bound, serve};
use crate::config::{self, Gat};
use crate::lobby::GatLobby;

pub(super) const EXAMPLES: &str = "\
Examples:
  taikyoku serve geister
      serves matches of two games on ports 10000 and 10001 for ever: 10 min a side, then 10 s a move
  taikyoku serve geister --games 200 --budget-ms 0 --move-ms 500 --once --json
      plays 200 games with half a second a move; the result is the last line of the output
  taikyoku serve geister --ply-limit 300 --strict
      as the official server of 2022: the port is the seat
  taikyoku serve geister --tables 8 --games 1000 --record records/ --log logs/
      eight games at a time between the clients of the two ports, with a record and official logs

A player that leaves, sends an illegal move or is out of time loses the game; the record says why.
Set RUST_LOG=debug for more of what happens.";

/// Thirty days, so that no sum of times overflows.
pub(super) const MOST_MS: u64 = 30 * 24 * 60 * 60 * 1000;

/// Options of `taikyoku serve geister`. All times are in milliseconds.
#[derive(Clone, Debug, Default, Args)]
pub struct GatArgs {
    /// Settings file in TOML, section `[geister]`
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Address to listen on [default: 0.0.0.0]
    #[arg(long, value_name = "ADDRESS", help_heading = "Where")]
    pub host: Option<String>,
    /// Port of each player; 0 takes a free one and says which [default: 10000,10001]
    #[arg(short, long, value_name = "P0,P1", value_parser = pair::<u16>, help_heading = "Where")]
    pub ports: Option<[u16; SEATS]>,

    /// Games of a match [default: 2]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "What")]
    pub games: Option<u32>,
    /// Matches to play, then stop [default: no end]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "What")]
    pub matches: Option<u64>,
    /// Play one match, then stop
    #[arg(long, conflicts_with = "matches", help_heading = "What")]
    pub once: bool,
    /// Player 0 moves first in every other game [default, unless --strict]
    #[arg(long, conflicts_with = "no_swap", help_heading = "What")]
    pub swap: bool,
    /// Player 0 moves first in every game [default with --strict]
    #[arg(long, help_heading = "What")]
    pub no_swap: bool,
    /// Games played at the same time [default: 1]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..), help_heading = "What")]
    pub tables: Option<u16>,
    /// Clients that may wait at each port; more are turned away [default: 256]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "What")]
    pub queue: Option<u16>,
    /// Names of the players
    #[arg(long, value_name = "A,B", value_delimiter = ',', num_args = 1..=SEATS, help_heading = "What")]
    pub names: Option<Vec<String>>,
    /// Let clients name themselves with SET:ABCD,NAME:foo, which is refused otherwise
    #[arg(long, help_heading = "What")]
    pub client_names: bool,

    /// Moves of both sides together, then the game is a draw; 200 or 300 in tournaments [default: 200]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Rules")]
    pub ply_limit: Option<u16>,
    /// A refused move costs an NG only, and the player tries again
    #[arg(long, help_heading = "Rules")]
    pub no_ng_terminate: bool,
    /// Keep habits of the official server that clients may rely on: the port is the seat (unless
    /// --swap is given), a pause of 40 ms after every answer (unless --wait-ms says otherwise), and
    /// clients close first
    #[arg(long, help_heading = "Rules")]
    pub strict: bool,

    /// Time of each player for a whole game [default: 600000]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), help_heading = "Clocks")]
    pub budget_ms: Option<u64>,
    /// Time for each move once the budget is used up [default: 10000]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), help_heading = "Clocks")]
    pub move_ms: Option<u64>,
    /// Time to set up once both are connected; 0: no limit [default: 60000]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), help_heading = "Clocks")]
    pub seat_timeout: Option<u64>,
    /// Pause between an answer and the next message, for both players or for each, for clients
    /// that take one read for one message [default: 0]
    #[arg(long, alias = "wait", value_name = "MS|W0,W1", value_parser = pair_or_one, help_heading = "Clocks")]
    pub wait_ms: Option<[u64; SEATS]>,

    /// Print each result as a line of JSON instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Write a record of each match into this folder, or into this file if it ends in .jsonl
    #[arg(long, value_name = "PATH", help_heading = "Output")]
    pub record: Option<PathBuf>,
    /// Write the official server's log of each game into this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub log: Option<PathBuf>,
}

impl GatArgs {
    /// The settings: those of the file, if any, with these options laid over it.
    ///
    /// # Errors
    /// When the file cannot be used, a number in it may not be 0, or nobody would have time to move.
    pub fn settings(&self) -> Result<Gat, ServeFailure> {
        let mut settings = match &self.config {
            None => Gat::default(),
            Some(path) => config::read_gat(path)?,
        };
        let s = &mut settings;
        set(&mut s.bind, self.host.clone());
        set(&mut s.ports, self.ports);
        set(&mut s.games, self.games);
        s.once |= self.once;
        s.json |= self.json;
        let swap = [(self.swap, true), (self.no_swap, false)];
        let swap = swap.iter().find(|(given, _)| *given);
        s.swap = swap.map(|(_, swap)| *swap).or(s.swap);
        set(&mut s.tables, self.tables.map(usize::from));
        set(&mut s.queue, self.queue.map(usize::from));
        for (name, given) in s.names.iter_mut().zip(self.names.iter().flatten()) {
            name.clone_from(given);
        }
        s.client_names |= self.client_names;
        set(&mut s.ply_limit, self.ply_limit);
        s.ng_terminates &= !self.no_ng_terminate;
        s.strict |= self.strict;
        set(&mut s.budget_ms, self.budget_ms);
        set(&mut s.move_ms, self.move_ms);
        set(&mut s.seat_timeout_ms, self.seat_timeout);
        s.wait_ms = self.wait_ms.or(s.wait_ms);
        s.records = self.record.clone().or_else(|| s.records.take());
        s.official_log = self.log.clone().or_else(|| s.official_log.take());
        // The file has no limits of its own.
        s.budget_ms = s.budget_ms.min(MOST_MS);
        s.move_ms = s.move_ms.min(MOST_MS);
        if let Some(name) = s.zero() {
            return Err(ServeFailure::Zero(name));
        }
        if s.budget_ms == 0 && s.move_ms == 0 {
            return Err(ServeFailure::NoTime);
        }
        Ok(settings)
    }
}

/// Two numbers with a comma.
fn pair<N: std::str::FromStr>(text: &str) -> Result<[N; SEATS], String> {
    let two = text.split_once(',').and_then(|(first, second)| {
        Some([first.trim().parse().ok()?, second.trim().parse().ok()?])
    });
    two.ok_or_else(|| "write two numbers with a comma, one for each player".to_owned())
}

/// Two numbers with a comma, or one for both.
fn pair_or_one(text: &str) -> Result<[u64; SEATS], String> {
    let waits = match text.trim().parse() {
        Ok(one) => [one; SEATS],
        Err(_) => pair(text)?,
    };
    if waits.iter().any(|&ms| ms > MOST_MS) {
        return Err("that is more than 30 days".to_owned());
    }
    Ok(waits)
}

/// Runs the server, see [`super::run`].
pub(super) fn run(args: &GatArgs) -> Result<bool, ServeFailure> {
    let settings = args.settings()?;
    let matches = if settings.once { Some(1) } else { args.matches };
    let json = settings.json;
    let output = Output { matches, json };
    serve(settings.tables <= 1, output, async |stop, reports| {
        let host = settings.bind.clone();
        let lobby = GatLobby::bind(settings, matches, stop, reports);
        let lobby = lobby.await.map_err(|(port, e)| not_bound(host, port, e))?;
        Ok((lobby.addresses()?.to_vec(), lobby.run()))
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: GatArgs,
    }

    fn settings(line: &str) -> Result<Gat, String> {
        let words = std::iter::once("geister").chain(line.split_whitespace());
        let line = Line::try_parse_from(words).map_err(|e| e.to_string())?;
        line.args.settings().map_err(|e| e.to_string())
    }

    #[test]
    fn options_are_laid_over_the_defaults() {
        assert_eq!(settings(""), Ok(Gat::default()));
        let given = settings(
            "--ports 4000,4001 --games 200 --ply-limit 300 --budget-ms 0 --move-ms 500 --once \
             --json --no-swap --no-ng-terminate --names ana,bo --wait-ms 40,0 --tables 3",
        );
        let due = Gat {
            ports: [4000, 4001],
            games: 200,
            ply_limit: 300,
            budget_ms: 0,
            move_ms: 500,
            once: true,
            json: true,
            swap: Some(false),
            ng_terminates: false,
            names: ["ana", "bo"].map(str::to_owned),
            wait_ms: Some([40, 0]),
            tables: 3,
            ..Gat::default()
        };
        assert_eq!(given, Ok(due));
    }

    #[test]
    fn the_strict_mode_has_a_pause_of_its_own() {
        let waits = |line| settings(line).map(|s| s.waits());
        assert_eq!(waits(""), Ok([0, 0]));
        assert_eq!(waits("--strict"), Ok([40, 40]));
        assert_eq!(waits("--strict --wait 0"), Ok([0, 0]));
        assert_eq!(waits("--wait 7"), Ok([7, 7]));
    }

    #[test]
    fn a_file_is_laid_under_the_options() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.toml");
        let text = "[geister]\nports = [1, 2]\ngames = 7\nswap = false\nofficial-log = \"here\"\n";
        std::fs::write(&path, text).unwrap();
        let read = settings(&format!("--config {} --games 9", path.display())).unwrap();
        assert_eq!((read.ports, read.games, read.swaps()), ([1, 2], 9, false));
        assert_eq!(read.official_log, Some(PathBuf::from("here")));
        std::fs::write(&path, "[geister]\n\nport = 1\n").unwrap();
        let error = settings(&format!("--config {}", path.display())).unwrap_err();
        assert!(error.contains("t.toml:3: unknown field `port`"), "{error}");
    }

    #[test]
    fn the_strict_mode_keeps_the_port_the_seat_unless_told_otherwise() {
        let swaps = |line| settings(line).map(|s| s.swaps());
        assert_eq!(swaps(""), Ok(true));
        assert_eq!(swaps("--no-swap"), Ok(false));
        assert_eq!(swaps("--strict"), Ok(false));
        assert_eq!(swaps("--strict --no-swap"), Ok(false));
        assert_eq!(swaps("--strict --swap"), Ok(true));
        assert!(swaps("--swap --no-swap").is_err());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.toml");
        std::fs::write(&path, "[geister]\nswap = true\nstrict = true\n").unwrap();
        let config = format!("--config {}", path.display());
        assert!(settings(&config).unwrap().swaps());
        let no_swap = format!("{config} --no-swap");
        assert!(!settings(&no_swap).unwrap().swaps());
    }

    #[test]
    fn zeros_of_a_file_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.toml");
        for key in ["games", "ply-limit", "tables", "queue"] {
            std::fs::write(&path, format!("[geister]\n{key} = 0\n")).unwrap();
            let error = settings(&format!("--config {}", path.display())).unwrap_err();
            assert!(error.contains(&format!("`{key}`")), "{error}");
            let given = format!("--config {} --{key} 1", path.display());
            assert!(settings(&given).is_ok(), "{key}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        for line in [
            "--ports 1",
            "--ports 1,99999",
            "--games 0",
            "--ply-limit 0",
            "--budget-ms 0 --move-ms 0",
            "--move-ms 99999999999999",
            "--wait 1,x",
            "--once --matches 2",
        ] {
            assert!(settings(line).is_err(), "{line}");
        }
    }
}
