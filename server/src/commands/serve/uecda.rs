//! `taikyoku serve daihinmin`, or `uecda`: its options, and the server.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};
use games::daihinmin::{DealerKind, SEATS};

use super::{Output, ServeFailure, bind, drawn_seed, serve};
use crate::config::{self, Compat, Uecda};

pub(super) const EXAMPLES: &str = "\
Examples:
  taikyoku serve uecda
      serves 1000-game matches on port 42485 for ever
  taikyoku serve uecda --port 42500 --games 100 --seed 7 --once --json
      plays one match; its result is the last line of the output
  taikyoku serve uecda --tndhms tndhms.cfg --compat official
      does what the official server does with this file, faults included
  taikyoku serve uecda --move-ms 1000 --game-ms 20000 --record records/
      gives each move a second and each player 20 s a game, and keeps a record

A player that is silent for too long, or leaves, passes from then on; the record says why.
Set RUST_LOG=debug for more of what happens.";

/// Generators, as the command line names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DealerName {
    /// MT19937 as the official server draws: its seeds give its games
    Official,
    /// xoshiro256++ with unbiased shuffles
    Modern,
}

/// Compatibilities, as the command line names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompatName {
    /// The same bytes to honest clients, the known exploits closed
    Safe,
    /// The same bytes to any client, exploits included
    Official,
}

/// Options of `taikyoku serve uecda`.
#[derive(Clone, Debug, Default, Args)]
pub struct UecdaArgs {
    /// Settings file in TOML, section `[uecda]`
    #[arg(long, value_name = "FILE", conflicts_with = "tndhms")]
    pub config: Option<PathBuf>,
    /// Settings file of the official server, as it is
    #[arg(long, value_name = "FILE")]
    pub tndhms: Option<PathBuf>,

    /// Address to listen on [default: 0.0.0.0]
    #[arg(long, value_name = "ADDRESS", help_heading = "Where")]
    pub host: Option<String>,
    /// Port; 0 takes a free one and says which [default: 42485]
    #[arg(short, long, help_heading = "Where")]
    pub port: Option<u16>,

    /// Games of a match [default: 1000]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "What")]
    pub games: Option<u32>,
    /// Matches to play, then stop [default: no end]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "What")]
    pub matches: Option<u64>,
    /// Play one match, then stop
    #[arg(long, conflicts_with = "matches", help_heading = "What")]
    pub once: bool,
    /// Seed of the first match, the next has the next number [default: drawn]
    #[arg(long, help_heading = "What")]
    pub seed: Option<u64>,
    /// Generator of seats and deals [default: official]
    #[arg(long, value_enum, help_heading = "What")]
    pub dealer: Option<DealerName>,
    /// How close to keep to the official server's faults [default: safe]
    #[arg(long, value_enum, help_heading = "What")]
    pub compat: Option<CompatName>,
    /// Names of players that send none
    #[arg(long, value_name = "A,B,C,D,E", value_delimiter = ',', num_args = 1..=SEATS, help_heading = "What")]
    pub names: Option<Vec<String>>,

    /// New seats every N games; 0: never [default: 3]
    #[arg(long, value_name = "N", help_heading = "Rules")]
    pub seat_change: Option<u32>,
    /// No ranks and no exchange every N games; 0: only in the first [default: 100]
    #[arg(long, value_name = "N", help_heading = "Rules")]
    pub rank_reset: Option<u32>,
    /// Exchange of cards between rich and poor [default: true]
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, help_heading = "Rules")]
    pub exchange: Option<bool>,
    /// Revolution [default: true]
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, help_heading = "Rules")]
    pub revolution: Option<bool>,
    /// Suit lock [default: true]
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, help_heading = "Rules")]
    pub lock: Option<bool>,
    /// Sequences [default: true]
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, help_heading = "Rules")]
    pub sequences: Option<bool>,
    /// Eight cut [default: true]
    #[arg(long, value_name = "BOOL", action = ArgAction::Set, help_heading = "Rules")]
    pub eight_cut: Option<bool>,

    /// Milliseconds for one decision [default: no limit]
    #[arg(long, value_name = "MS", help_heading = "Clocks")]
    pub move_ms: Option<u64>,
    /// Milliseconds for all decisions of one player in one game [default: no limit]
    #[arg(long, value_name = "MS", help_heading = "Clocks")]
    pub game_ms: Option<u64>,

    /// Print each result as a line of JSON instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Write a record of each match into this folder, or into this file if it ends in .jsonl
    #[arg(long, value_name = "PATH", help_heading = "Output")]
    pub record: Option<PathBuf>,
    /// Write the official server's log into the folder logs/ of this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub log: Option<PathBuf>,
    /// Write debug.dat and debug2.dat into this folder (the same as that of --log)
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub debug_dat: Option<PathBuf>,
}

impl UecdaArgs {
    /// The settings: those of the file, if any, with these options laid over them.
    ///
    /// # Errors
    /// When the file cannot be used.
    pub fn settings(&self) -> Result<Uecda, ServeFailure> {
        let mut settings = match self.config.as_ref().or(self.tndhms.as_ref()) {
            None => Uecda::default(),
            Some(path) => {
                let (settings, warnings) = config::read(path)?;
                for warning in warnings {
                    log::warn!("{warning}");
                }
                settings
            }
        };
        let s = &mut settings;
        set(&mut s.bind, self.host.clone());
        set(&mut s.port, self.port);
        set(&mut s.games, self.games);
        s.seed = self.seed.or(s.seed);
        s.once |= self.once;
        s.json |= self.json;
        let dealer = self.dealer.map(|name| match name {
            DealerName::Official => DealerKind::Official,
            DealerName::Modern => DealerKind::Modern,
        });
        set(&mut s.dealer, dealer);
        let compat = self.compat.map(|name| match name {
            CompatName::Safe => Compat::Safe,
            CompatName::Official => Compat::Official,
        });
        set(&mut s.compat, compat);
        for (name, given) in s.names.iter_mut().zip(self.names.iter().flatten()) {
            name.clone_from(given);
        }
        set(&mut s.rules.seat_change, self.seat_change);
        set(&mut s.rules.rank_reset, self.rank_reset);
        set(&mut s.rules.exchange, self.exchange);
        set(&mut s.rules.game.revolution, self.revolution);
        set(&mut s.rules.game.lock, self.lock);
        set(&mut s.rules.game.sequences, self.sequences);
        set(&mut s.rules.game.eight_cut, self.eight_cut);
        s.move_ms = self.move_ms.or(s.move_ms);
        s.game_ms = self.game_ms.or(s.game_ms);
        s.records = self.record.clone().or_else(|| s.records.take());
        if let (Some(log), Some(dat)) = (&self.log, &self.debug_dat)
            && log != dat
        {
            return Err(ServeFailure::TwoFolders);
        }
        s.official_log |= self.log.is_some();
        s.debug_dat |= self.debug_dat.is_some();
        set(
            &mut s.directory,
            self.log.clone().or(self.debug_dat.clone()),
        );
        Ok(settings)
    }
}

pub(super) fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// Runs the server, see [`super::run`].
pub(super) fn run(args: &UecdaArgs) -> Result<bool, ServeFailure> {
    let settings = args.settings()?;
    let matches = if settings.once { Some(1) } else { args.matches };
    let seed = settings.seed.unwrap_or_else(|| drawn_seed(settings.dealer));
    let json = settings.json;
    let output = Output { matches, json };
    serve(matches == Some(1), output, async |stop, reports| {
        let lobby = bind(settings, matches, seed, &stop, reports).await?;
        Ok((vec![lobby.address()?], lobby.run()))
    })
}
