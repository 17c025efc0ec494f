//! `taikyoku serve dobutsu`: the server of Dobutsu shogi.

use std::path::PathBuf;

use clap::Args;
use games::GameName;
use games::dobutsu::Rules as DobutsuRules;
use jiff::Zoned;

use super::native;
use crate::config::limits::most_random_plies;
use crate::config::{Native, Overrides};
use crate::lobby::native::OtherPort;
use crate::table::interpreter::AnimalShogi;
use program::Failure;

pub(super) const EXAMPLES: &str = "\
Examples:
  taikyoku serve dobutsu
      serves matches of two games on port 4444 for ever, 10 s a move
  taikyoku serve dobutsu --games 100 --move-ms 1000 --once --json
      plays 100 games with a second a move; the result is the last line of the output
  taikyoku serve dobutsu --games 200 --random-plies 4 --seed 1 --records records/ --csa sheets/
      games in pairs from the same four random plies, each player once first, with a record of the
      match, and the moves of each game as CSA-like text
  taikyoku serve dobutsu --ply-limit 256 --repetition 2
      a game is a draw after 256 plies, and when a position occurs for the second time
  taikyoku serve dobutsu --animal-shogi 8080
      clients of the AnimalShogiServer (Keio University, 2018) have a port of their own; a client
      that waits plays the next one that comes, in whatever protocol

A player that sends an illegal move, is out of time or stays away loses the game; the record says why.
A match with a client of another protocol is one game, and sides are drawn. The protocols are specified
in protocol/NATIVE.md and protocol/ANIMAL_SHOGI.md. Set RUST_LOG=debug for more of what happens.";

/// Options of `taikyoku serve dobutsu`.
#[derive(Clone, Debug, Args)]
pub struct Dobutsu {
    #[command(flatten)]
    native: Native,
    /// Port for clients of the `AnimalShogiServer` of Keio University as well; 0 takes a free one and says which
    #[arg(long, value_name = "PORT", help_heading = "Where")]
    animal_shogi: Option<u16>,
    /// Play by the rules of the `AnimalShogiServer` of 2018: every try wins at once, a chick may stay a chick, and no
    /// repetition is a draw
    #[arg(long, conflicts_with = "repetition", help_heading = "What")]
    keio_rules: bool,
    /// A position that occurs for the N-th time, with the same player to move, is a draw; 0 lets games repeat
    /// positions [default: 3]
    #[arg(long, value_name = "N", value_parser = repetition, help_heading = "What")]
    repetition: u8,
    /// Plies of both players together after which an undecided game is a draw, 2048 at the most; 0 is the most [default: 0]
    #[arg(long, value_name = "PLIES", help_heading = "What")]
    ply_limit: u32,
    /// Write the moves of each game as CSA-like text into this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    csa: Option<PathBuf>,
}

/// A number of occurrences that makes a draw.
fn repetition(text: &str) -> Result<u8, String> {
    match text.parse() {
        Ok(1) => Err("every position occurs once: give 2 or more, or 0".to_owned()),
        parsed => parsed.map_err(|e: std::num::ParseIntError| e.to_string()),
    }
}

fn settings(
    options: &Overrides<Dobutsu>,
) -> Result<(Native, DobutsuRules, Vec<OtherPort>), Failure> {
    let rules = DobutsuRules::default();
    let options = options.over(Dobutsu {
        native: Native::default(),
        animal_shogi: None,
        keio_rules: false,
        repetition: rules.repetition,
        ply_limit: rules.ply_limit,
        csa: None,
    });
    let mut settings = native::checked(options.native, most_random_plies(GameName::Dobutsu))?;
    settings.game_files = options.csa;
    let rules = if options.keio_rules {
        DobutsuRules::ANIMAL_SHOGI_SERVER
    } else {
        DobutsuRules {
            repetition: options.repetition,
            ..rules
        }
    };
    let rules = DobutsuRules {
        ply_limit: options.ply_limit,
        ..rules
    };
    let mut others: Vec<OtherPort> = Vec::new();
    if let Some(port) = options.animal_shogi {
        let variant = rules.variant();
        let today = || Zoned::now().strftime("%Y%m%d").to_string();
        let client = move || AnimalShogi::new(today(), variant);
        others.push((port, Box::new(client)));
    }
    Ok((settings, rules, others))
}

pub(super) fn run(options: &Overrides<Dobutsu>) -> Result<bool, Failure> {
    let (settings, rules, others) = settings(options)?;
    native::run::<games::Dobutsu>(settings, rules, others)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(line: &str) -> Result<(Native, DobutsuRules, Vec<OtherPort>), String> {
        super::settings(&Overrides::parse(line)?).map_err(|e| e.to_string())
    }

    #[test]
    fn rules_are_those_of_tournaments_unless_options_say_otherwise() {
        let (default, rules, others) = settings("").unwrap();
        assert!(others.is_empty());
        assert_eq!(
            (default, rules),
            (Native::default(), DobutsuRules::default())
        );
        let given = settings("--repetition 2 --ply-limit 256 --csa here");
        let (given, rules, _) = given.unwrap();
        assert_eq!(given.game_files, Some(PathBuf::from("here")));
        assert_eq!((rules.repetition, rules.ply_limit), (2, 256));
    }

    #[test]
    fn another_protocol_has_a_port_and_keio_its_rules() {
        let given = settings("--animal-shogi 8080 --keio-rules --ply-limit 9");
        let (_, rules, others) = given.unwrap();
        let ports: Vec<u16> = others.iter().map(|(port, _)| *port).collect();
        assert_eq!(ports, [8080]);
        let due = DobutsuRules {
            repetition: 0,
            ply_limit: 9,
            any_try: true,
            free_promotion: true,
        };
        assert_eq!(rules, due);
        assert!(settings("--keio-rules --repetition 2").is_err());
    }
}
