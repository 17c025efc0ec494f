//! What a league is played by: its file, laid over a preset, laid over the defaults of the game.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use games::daihinmin::SessionRules;
use serde::{Deserialize, Serialize};

use super::process::Mounts;
use super::schedule::{self, LeagueSeed};
use games::GameName;
use games::blokus::Rules as BlokusRules;
use games::dobutsu::Rules as DobutsuRules;
use games::geister::Rules as GeisterRules;
use games::score_four::Rules as ScoreFourRules;
use stats::Hypotheses;

pub use super::schedule::Format;
pub use aliases::NameRule;
pub(crate) use house::has;
#[cfg(test)]
pub(crate) use order::cells;
pub use preset::{Preset, plain};
pub(crate) use read::check_name;
pub use read::{error_of_entrant, parse, read};
pub use remote::{AbandonmentRule, Absent, Access, Contest, Disqualified, LadderRules};
pub use stages::{Groups, MoveDelay, Ranking, Stage, TieBreak};

mod aliases;
mod file;
mod house;
mod order;
mod preset;
mod read;
mod remote;
mod stages;
#[cfg(test)]
mod tests;

/// A whole league. It is written into the first line of the journal as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    pub title: String,
    pub rules: Rules,
    /// The one seed of deals, seats and openings.
    pub seed: LeagueSeed,
    pub format: Format,
    #[serde(default, skip_serializing_if = "Groups::is_one")]
    pub groups: Groups,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Stage>,
    /// How entrants are ranked, where it is not by rating or by all points.
    #[serde(default, skip_serializing_if = "Ranking::is_default")]
    pub ranking: Ranking,
    /// Deals of each matchup; in formats with rounds, of each matchup in each round.
    pub deals: u32,
    /// Whether each deal is played once per rotation of the seats.
    pub duplicate: bool,
    /// Games of a session: ranks carry over from one to the next, and a deal is a whole session. 1 in games
    /// without ranks.
    pub session: u32,
    pub process: ProcessLife,
    /// Random first plies, the same for all rotations of a deal; 0 in games that the protocol gives no openings.
    pub random_plies: u32,
    /// Points of a win, a draw and a loss of two seats; `None` keeps those of the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<[f64; 3]>,
    pub clocks: Clocks,
    /// The entrant whose rating is 0, by number.
    pub anchor: usize,
    /// Wanted half width of the interval of a rating, in rating points, for the forecast of games still needed.
    pub margin: f64,
    /// A test that ends the league when it has a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<Sprt>,
    /// Whether a record of each sitting is kept.
    pub records: bool,
    pub entrants: Vec<Entrant>,
    #[serde(skip)]
    pub run: Run,
}

/// How a league is run on a machine. It is no part of the league, and all of it may change.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Whether the file states the seed; otherwise one is drawn when the league begins.
    pub has_seed: bool,
    /// Whether the file says how entrants are ranked. A preset may say otherwise than when the league began.
    pub has_ranking: bool,
    /// Tables that are played at the same time.
    pub at_once: usize,
    /// Fixtures in a row in which an entrant may be out of time until it is set aside; 0 is any number.
    pub timeouts: u32,
    /// What becomes of its games then, if the file says so.
    pub set_aside: Option<ExclusionRule>,
    pub archive: bool,
    pub names: NameRule,
    /// The pace of the first games of a stage, by its number; 0 is the first.
    pub paces: BTreeMap<usize, MoveDelay>,
    /// Ports of remote entrants, and how long they are waited for.
    pub contest: Contest,
    /// How it is played if it is a ladder.
    pub ladder: Option<LadderRules>,
    /// Folder of the league's file, from which the folders of entrants are named.
    pub folder: PathBuf,
}

impl Default for Run {
    fn default() -> Run {
        Run {
            has_seed: false,
            has_ranking: false,
            at_once: std::thread::available_parallelism().map_or(1, NonZero::get),
            timeouts: TIMEOUTS,
            set_aside: None,
            archive: false,
            names: NameRule::default(),
            paces: BTreeMap::new(),
            contest: Contest::default(),
            ladder: None,
            folder: PathBuf::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProcessLife {
    /// A fresh one for each fixture: what it does depends on nothing that was before.
    Fixture,
    /// One for all fixtures of so many deals of a matchup.
    Deals(u32),
}

/// Limits of time in milliseconds; `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Clocks {
    /// From the start of a program until it is ready to play.
    pub start_ms: u64,
    /// For a move; once the budget is used up, where there is one.
    pub move_ms: Option<u64>,
    /// Budget of a player for all its moves of a game.
    pub game_ms: Option<u64>,
    /// What is added to the budget after each own move.
    pub increment_ms: Option<u64>,
    /// Least time between two messages of GAT to a program that is not this project's; `None` is the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
}

impl From<Clocks> for record::Clocks {
    fn from(clocks: Clocks) -> record::Clocks {
        record::Clocks {
            move_ms: clocks.move_ms,
            game_ms: clocks.game_ms,
            increment_ms: clocks.increment_ms,
        }
    }
}

impl Default for Clocks {
    /// Ten seconds to start, without other limits.
    fn default() -> Clocks {
        Clocks {
            start_ms: 10_000,
            move_ms: None,
            game_ms: None,
            increment_ms: None,
            wait_ms: None,
        }
    }
}

/// Fixtures in a row in which an entrant may be out of time, unless the file says otherwise.
pub(crate) const TIMEOUTS: u32 = 3;

/// Most connections of a remote entrant that wait for a game; another one replaces the oldest.
pub(crate) const MOST_VISITORS: usize = 16;

/// Bytes of all files of an archive that are unpacked.
pub(crate) const MOST_ARCHIVED: u64 = 64 << 30;

/// Files of an archive that are unpacked.
pub(crate) const MOST_ARCHIVED_FILES: u32 = 1_000_000;

/// Most random plies of a league, of any game.
pub(crate) const MOST_PLIES: u32 = 40;

/// What becomes of the games of an entrant that is set aside, as it was out of time again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExclusionRule {
    /// They are played without it: its seat is that of a player that has left.
    Lost,
    /// They are left, and played when the league is taken up again.
    Later,
}

/// A sequential test of one entrant's mean score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Sprt {
    pub entrant: usize,
    #[serde(flatten)]
    pub hypotheses: Hypotheses,
}

impl Settings {
    pub const fn game(&self) -> GameName {
        self.rules.game()
    }

    pub const fn seats(&self) -> usize {
        self.rules.game().seats()
    }

    /// What becomes of the games of an entrant that is set aside. What is left can be played when its program is mended,
    /// but for games that others wait for.
    pub fn set_aside(&self) -> ExclusionRule {
        let is_local = || self.entrants.iter().all(|e| e.start != Start::Remote);
        self.run.set_aside.unwrap_or_else(|| {
            if is_local() && !self.pairs_rounds() {
                ExclusionRule::Later
            } else {
                ExclusionRule::Lost
            }
        })
    }

    pub fn clocks_of(&self, entrant: &Entrant) -> Clocks {
        Clocks {
            start_ms: entrant.start_ms.unwrap_or(self.clocks.start_ms),
            ..entrant.clocks.unwrap_or(self.clocks)
        }
    }

    pub const fn plan(&self) -> schedule::Plan {
        schedule::Plan {
            entrants: self.entrants.len(),
            seats: self.seats(),
            deals: self.deals,
            duplicate: self.duplicate,
            seed: self.seed,
        }
    }

    pub fn names(&self) -> Vec<&str> {
        self.entrants.iter().map(|e| &e.name[..]).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Entrant {
    /// Its name, which no other entrant has.
    pub name: String,
    pub start: Start,
    /// Folder in which it runs; `None` is that of the league's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<PathBuf>,
    /// Variables of its environment, beside those of this program. They may be secret: the journal has none of them.
    #[serde(skip)]
    pub environment: BTreeMap<String, String>,
    /// Processors that it may run on; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<usize>,
    /// Limit of its start in milliseconds, where it is not that of the league.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_ms: Option<u64>,
    /// Its time limits, apart from the limit of its start, if they differ from the league's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<Clocks>,
    /// KiB of its standard error that are kept of one process.
    pub stderr_kib: u32,
    /// Whether its player may be a program that the league has not started, such as one on another machine. It is no
    /// part of the league.
    #[serde(skip)]
    pub remote: bool,
    /// Where it connects and how it is known, if it is remote. It is no part of the league.
    #[serde(skip)]
    pub access: Access,
    /// What each of its programs may use up. It is no part of the league.
    #[serde(skip)]
    pub limits: Limits,
    /// Whether its programs run in the sandbox, where the file says so. It is no part of the league.
    #[serde(skip)]
    pub sandbox: Option<SandboxName>,
    /// What its programs may read in the sandbox beside the system's folders and its own. It is no part of the league.
    #[serde(skip)]
    pub reads: Vec<PathBuf>,
    /// The files of its programs in the sandbox; `None` until the league begins, and without a sandbox.
    #[serde(skip)]
    pub mounts: Option<Mounts>,
}

/// Default for the KiB of standard error that the league keeps.
const STDERR_KIB: u32 = 64;

impl Entrant {
    pub fn new(name: impl Into<String>, start: Start) -> Entrant {
        Entrant {
            name: name.into(),
            start,
            directory: None,
            environment: BTreeMap::new(),
            cpus: Vec::new(),
            start_ms: None,
            clocks: None,
            stderr_kib: STDERR_KIB,
            remote: false,
            access: Access::default(),
            limits: Limits::default(),
            sandbox: None,
            reads: Vec::new(),
            mounts: None,
        }
    }

    /// Whether the league starts nothing for it: its program connects from a machine of its own.
    pub fn comes_itself(&self) -> bool {
        self.start == Start::Remote
    }
}

/// What a program of an entrant may use up; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Args)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limits {
    /// Address space of each process, MiB
    #[arg(long)]
    pub memory_mib: Option<u64>,
    /// Processes and threads of the user, beside those that run when the program starts
    #[arg(long)]
    pub processes: Option<u64>,
    /// Open files of each process
    #[arg(long)]
    pub open_files: Option<u64>,
    /// Seconds of a processor for each process
    #[arg(long)]
    pub cpu_s: Option<u64>,
    /// Longest file that a process writes, MiB
    #[arg(long)]
    pub file_mib: Option<u64>,
    /// All files of its `directory`, MiB. The league looks at it.
    #[arg(skip)]
    pub folder_mib: Option<u64>,
}

impl Limits {
    /// Each with the option of `taikyoku launch` that sets it.
    pub(crate) const fn options(&self) -> [(&'static str, Option<u64>); 5] {
        [
            ("--memory-mib", self.memory_mib),
            ("--processes", self.processes),
            ("--open-files", self.open_files),
            ("--cpu-s", self.cpu_s),
            ("--file-mib", self.file_mib),
        ]
    }

    /// These, and where they say nothing those of `base`; 0 takes a limit away.
    const fn over(self, base: Limits) -> Limits {
        const fn limit(own: Option<u64>, base: Option<u64>) -> Option<u64> {
            match own {
                None => base,
                Some(0) => None,
                own => own,
            }
        }
        Limits {
            memory_mib: limit(self.memory_mib, base.memory_mib),
            processes: limit(self.processes, base.processes),
            open_files: limit(self.open_files, base.open_files),
            cpu_s: limit(self.cpu_s, base.cpu_s),
            file_mib: limit(self.file_mib, base.file_mib),
            folder_mib: limit(self.folder_mib, base.folder_mib),
        }
    }
}

/// The sandbox of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxName {
    /// The program runs as its user, unprotected
    #[serde(alias = "off")]
    None,
    /// Namespaces, a private file system and a filter of system calls, by bubblewrap
    Bubblewrap,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    House {
        engine: String,
        /// More options of the client program, such as `--playouts 2000`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<String>,
    },
    /// A program that connects as a client in the protocol of the game. `{host}`, `{port}`, `{name}`, `{games}`,
    /// `{seed}` and `{move-ms}` in its words are filled in.
    Command(Vec<String>),
    /// An engine that speaks GTP on its standard input and output (Blokus).
    Gtp(Vec<String>),
    /// An engine that speaks USI on its standard input and output (Dobutsu shogi).
    Usi {
        /// The program and its arguments.
        command: Vec<String>,
        /// Its options, such as `Threads=2`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<String>,
    },
    /// Nothing: its program runs on a machine of its own and connects to the port of the entrant.
    Remote,
}

impl Start {
    /// The words of a program that is not of this project; none of one that is, or that comes itself.
    pub fn words(&self) -> &[String] {
        match self {
            Start::Command(words) | Start::Gtp(words) | Start::Usi { command: words, .. } => words,
            Start::House { .. } | Start::Remote => &[],
        }
    }
}

/// A word of a command with what stands in braces filled in, by name; other braces stay as they are.
pub fn fill_in(word: &str, values: &[(&str, String)]) -> String {
    let mut filled = word.to_owned();
    for (name, value) in values {
        filled = filled.replace(&format!("{{{name}}}"), value);
    }
    filled
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rules {
    Daihinmin(SessionRules),
    Geister(GeisterRules),
    Blokus(BlokusRules),
    ScoreFour(ScoreFourRules),
    Dobutsu(DobutsuRules),
}

impl Rules {
    /// The rules of a game that says nothing of them.
    pub fn usual(game: GameName) -> Rules {
        match game {
            GameName::Daihinmin => Rules::Daihinmin(SessionRules::default()),
            GameName::Geister => {
                let ply_limit = games::geister::Rules::default().ply_limit;
                Rules::Geister(GeisterRules { ply_limit })
            }
            GameName::Blokus => Rules::Blokus(BlokusRules::default()),
            GameName::ScoreFour => Rules::ScoreFour(ScoreFourRules::default()),
            GameName::Dobutsu => Rules::Dobutsu(DobutsuRules::default()),
        }
    }

    pub const fn game(&self) -> GameName {
        match self {
            Rules::Daihinmin(_) => GameName::Daihinmin,
            Rules::Geister(_) => GameName::Geister,
            Rules::Blokus(_) => GameName::Blokus,
            Rules::ScoreFour(_) => GameName::ScoreFour,
            Rules::Dobutsu(_) => GameName::Dobutsu,
        }
    }
}
