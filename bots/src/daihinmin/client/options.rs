//! The command line of the Daihinmin client.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum};
use client::uecda::Assumptions;
use games::daihinmin::Rules;
use protocol::uecda::Version;

use crate::clock::GameClock;
use crate::daihinmin::{EngineName, EngineOptions};
use crate::options::{CommonOptions, OptionsError, Restricted};
use crate::spec::Span;

/// Decisions of one player in a game: `UECda` games take 77 to 81 turns, about 18 of which are one player's own.
const DECISIONS_PER_GAME: u32 = 18;

/// Options of the client. As with the official client, `-h` is the host; help is `-?`.
#[derive(Args, Clone, Debug)]
#[command(
    disable_help_flag = true,
    mut_arg("host", |host| host.short('h')),
    mut_arg("connect_timeout", |seconds| seconds.visible_alias("wait")),
)]
pub struct DaihinminOptions {
    /// Those that all clients have.
    #[command(flatten)]
    pub common: CommonOptions<EngineName>,
    /// TCP port of the server.
    #[arg(short, long, default_value_t = 42485, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: u16,
    /// Name shown at the table: the name of the engine unless given. The official server keeps
    /// nine characters.
    #[arg(short, long, value_name = "NAME")]
    pub name: Option<String>,
    /// Random games played out for each decision of mc, crow and best. More is stronger and
    /// slower [default: 2000, or those of the level].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), value_name = "N")]
    pub playouts: Option<u32>,
    /// Weight of the latest term in the value of a playout of crow, above 0 and up to 1; with 1
    /// crow plays move for move as mc [default: 0.9].
    #[arg(long, value_parser = |text: &str| Span::Above(0.0, 1.0).read(text), value_name = "A")]
    pub alpha: Option<f64>,
    /// End each decision after this many milliseconds even if playouts are left [default: no limit].
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), value_name = "MS")]
    pub move_ms: Option<u64>,
    /// Milliseconds for all decisions of a game. A decision gets an equal share of what is left for those that are
    /// usually to come; when all is spent, the default engine plays the rest of the game [default: no limit].
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), value_name = "MS")]
    pub game_ms: Option<u64>,
    /// Networks of best and policy, in place of those built into the program.
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Take the others for players like best itself. Without this option it has policies of other programs, and learns from
    /// finished games, which show all hands, how each of the others plays.
    #[arg(long)]
    pub no_learning: bool,
    /// Policies of other programs, in place of those built into the program.
    #[arg(long, value_name = "FILE", conflicts_with = "no_learning")]
    pub field: Option<PathBuf>,
    /// Matches to play; the client connects anew for each.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..), value_name = "N")]
    pub matches: u32,
    /// Games of a match, if you know it: best values its place by what the next games bring [default: unknown].
    #[arg(long, value_name = "N")]
    pub games: Option<u32>,
    /// Ranks are reset every N games, as the organiser has announced; 0 if unknown.
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub rank_reset: u32,
    /// Rules that the organiser has switched off; repeat it or separate them by commas.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "RULE")]
    pub off: Vec<Rule>,
    /// Version of the protocol: 20070 for every server in use.
    #[arg(long, default_value = "20070", value_parser = version, value_name = "N")]
    pub protocol: Version,
    /// Print help.
    #[arg(short = '?', long, action = ArgAction::Help)]
    pub help: Option<bool>,
}

/// A rule that can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Rule {
    /// Groups of four and sequences of five turn the ranks over.
    Revolution,
    /// Equal suits lock the trick.
    Lock,
    /// Sequences are melds.
    Sequences,
    /// An 8 ends the trick.
    EightCut,
}

impl DaihinminOptions {
    /// The engine; `None` for a person.
    pub fn engine(&self) -> Result<Option<EngineOptions>, OptionsError> {
        let base: Option<EngineOptions> = self.common.checked(&[
            Restricted::new("--alpha", "alpha", self.alpha.is_some()),
            Restricted::new("--weights", "weights", self.weights.is_some()),
            Restricted::learning("--no-learning", "learn", self.no_learning),
            Restricted::learning("--field", "field", self.field.is_some()),
        ])?;
        Ok(base.map(|base| EngineOptions {
            learn: base.learn && !self.no_learning,
            playouts: self.playouts.unwrap_or(base.playouts),
            alpha: self.alpha.unwrap_or(base.alpha),
            time: self.move_ms.map(Duration::from_millis),
            threads: usize::from(self.common.threads),
            weights: self.weights.clone(),
            field: self.field.clone(),
            ..base
        }))
    }

    pub fn player_name(&self) -> String {
        let name = self.name.clone();
        name.unwrap_or_else(|| self.common.engine.name())
    }

    pub fn assumptions(&self) -> Assumptions {
        let on = |rule| !self.off.contains(&rule);
        Assumptions {
            rules: Rules {
                revolution: on(Rule::Revolution),
                lock: on(Rule::Lock),
                sequences: on(Rule::Sequences),
                eight_cut: on(Rule::EightCut),
            },
            rank_reset: self.rank_reset,
            games: self.games,
        }
    }

    pub fn clock(&self) -> Option<GameClock> {
        let game = Duration::from_millis(self.game_ms?);
        Some(GameClock::new(game, Duration::ZERO, DECISIONS_PER_GAME))
    }
}

fn version(text: &str) -> Result<Version, String> {
    let number = text.parse().ok();
    number
        .and_then(Version::from_number)
        .ok_or_else(|| "the supported versions are 20070, 20060 and 20140".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{check_default, options_of};

    /// Command lines, each with its error.
    const REFUSED: &str = "\
--engine best --alpha 0.5 => --alpha is for --engine crow, not for best
--engine mc --weights x => --weights is for --engine policy or best, not for mc
--engine policy --no-learning => --no-learning is for --engine best, not for policy
--engine human --field x => --field is for --engine best, not for human
--engine level-2 --field x => --field is for --engine best, not for level-2 (mc)
--engine level-9 --field x => not for level-9 (best); levels do not learn
--engine level-9 --no-learning => not for level-9 (best); levels do not learn
--engine random --threads 2 => --threads is for --engine mc, crow or best, not for random; other engines play with one thread";

    fn refused(line: &str) -> Option<String> {
        let options: DaihinminOptions = options_of(line).expect(line);
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
            "",
            "--engine crow --alpha 1",
            "--engine policy --weights x",
            "--field x --weights x",
            "--no-learning",
            "--engine random --playouts 7 --move-ms 9 --threads 1",
        ] {
            assert_eq!(refused(line), None, "{line}");
        }
        assert!(options_of::<DaihinminOptions>("--field x --no-learning").is_err());
    }

    #[test]
    fn a_level_takes_other_playouts() {
        let line = options_of::<DaihinminOptions>("--engine level-3 --playouts 9");
        let engine = line.expect("a line").engine().expect("options");
        assert_eq!(engine.expect("an engine").playouts, 9);
    }
    #[test]
    fn the_help_names_the_defaults() {
        let options = EngineOptions::default();
        check_default::<DaihinminOptions>("playouts", &options.playouts.to_string());
        check_default::<DaihinminOptions>("alpha", &options.alpha.to_string());
    }
}
