//! `taikyoku serve geister`, or `gat`.

use std::mem::take;

use super::{Service, allow_connections, name_all, no_clock, number_of_matches, serve, zero};
use crate::config::{self, Gat, MOST_MS, Overrides};
use crate::lobby::GatSeats;
use crate::table::Journal;
use program::Failure;

pub(super) const EXAMPLES: &str = "\
Examples:
  taikyoku serve geister
      serves matches of two games on ports 10000 and 10001 for ever: 10 min a side, then 10 s a move
  taikyoku serve geister --games 200 --swap --budget-ms 0 --move-ms 500 --once --json
      plays 200 games, 100 from each seat, with half a second a move; the result is the last line of the output
  taikyoku serve geister --games 100 --swap --wait-ms 0
      100 games in which the players take turns in moving first, between clients that read line by line
  taikyoku serve geister --tables 8 --games 1000 --records records/ --log logs/
      eight games at a time between the clients of the two ports, with a record and official logs

A player that leaves, sends an illegal move or is out of time loses the game; the record says why.
Set RUST_LOG=debug for more of what happens.";

/// The settings: those of the file, if any, with the options laid over it.
fn settings(options: &Overrides<Gat>) -> Result<Gat, Failure> {
    let mut settings = options.over(Gat::default());
    if let Some(path) = &settings.config {
        settings = options.over(config::read_gat(path)?);
    }
    if take(&mut settings.no_swap) {
        settings.swap = false;
    }
    let names = take(&mut settings.given_names);
    name_all(&mut settings.names, names)?;
    // The file has no limits of its own.
    settings.budget_ms = settings.budget_ms.min(MOST_MS);
    settings.move_ms = settings.move_ms.min(MOST_MS);
    if let Some(name) = settings.zero() {
        return Err(zero(name));
    }
    let [first, second] = settings.ports;
    if first == second && first != 0 {
        return Err(Failure::usage(format_args!(
            "both players have the port {first}: each needs one of its own, such as --ports 10000,10001 (0 takes a free one)"
        )));
    }
    if settings.budget_ms == 0 && settings.move_ms == 0 {
        return Err(no_clock());
    }
    Ok(settings)
}

pub(super) fn run(options: &Overrides<Gat>) -> Result<bool, Failure> {
    let mut settings = settings(options)?;
    allow_connections(&mut settings.limits, settings.watch);
    let matches = number_of_matches(settings.matches, settings.once);
    let service = Service {
        matches,
        json: settings.json,
        is_one_task: settings.tables <= 1,
        watch: settings.watch,
        tls: None,
        records: settings.records.clone(),
        files: settings.official_log.clone(),
    };
    let mut seats = GatSeats::new(settings);
    seats.journal = Journal::of_environment()?;
    serve(service, seats)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn settings(line: &str) -> Result<Gat, String> {
        super::settings(&Overrides::parse(line)?).map_err(|e| e.to_string())
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
            ng_terminates: false,
            names: ["ana", "bo"].map(str::to_owned),
            wait_ms: [40, 0],
            tables: 3,
            ..Gat::default()
        };
        assert_eq!(given, Ok(due));
    }

    /// The settings of a file and a line.
    fn over_file(text: &str, line: &str) -> Result<Gat, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.toml");
        std::fs::write(&path, format!("[geister]\n{text}\n")).unwrap();
        settings(&format!("--config {} {line}", path.display()))
    }

    #[test]
    fn the_pause_is_the_usual_one_unless_an_option_says_so() {
        let waits = |line| settings(line).map(|s| s.wait_ms);
        assert_eq!(waits(""), Ok([100, 100]));
        assert_eq!(waits("--strict"), Ok([100, 100]));
        assert_eq!(waits("--strict --wait 0"), Ok([0, 0]));
        assert_eq!(waits("--wait 7"), Ok([7, 7]));
    }

    #[test]
    fn a_file_is_laid_under_the_options() {
        let text = "ports = [1, 2]\ngames = 7\nofficial-log = \"here\"\nonce = true\nng-terminates = false\nstrict = true";
        let read = over_file(text, "--games 9 --json --names ana,bo").unwrap();
        assert_eq!((read.ports, read.games), ([1, 2], 9));
        assert_eq!(read.official_log, Some(PathBuf::from("here")));
        assert!(read.once && read.strict && read.json && !read.ng_terminates);
        assert_eq!(read.names, ["ana", "bo"].map(str::to_owned));
        let number = |more| {
            let settings = over_file("once = true", more).unwrap();
            number_of_matches(settings.matches, settings.once)
        };
        assert_eq!([number(""), number("--matches 3")], [Some(1), Some(3)]);
    }

    #[test]
    fn the_port_is_the_seat_unless_told_otherwise() {
        let swaps = |line| settings(line).map(|s| s.swap);
        assert_eq!(swaps(""), Ok(false));
        assert_eq!(swaps("--no-swap"), Ok(false));
        assert_eq!(swaps("--swap"), Ok(true));
        assert!(swaps("--swap --no-swap").is_err());
        let swaps = |line| over_file("swap = true\nstrict = true", line).map(|s| s.swap);
        assert_eq!((swaps(""), swaps("--no-swap")), (Ok(true), Ok(false)));
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let error = over_file("\nport = 1", "").unwrap_err();
        assert!(error.contains("t.toml:3: unknown field `port`"), "{error}");
        for key in ["games", "ply-limit", "tables", "queue"] {
            let zero = format!("{key} = 0");
            let error = over_file(&zero, "").unwrap_err();
            assert!(error.contains(&format!("`{key}`")), "{error}");
            assert!(over_file(&zero, &format!("--{key} 1")).is_ok(), "{key}");
        }
    }
}
