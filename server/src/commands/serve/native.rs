//! Serving a game of the native protocol: the options that all games share, and the server.

use std::path::PathBuf;

use clap::Args;
use games::Game;
use games::daihinmin::DealerKind;
use record::files::make_folders;
use tokio::sync::mpsc;

use super::gat::MOST_MS;
use super::uecda::set;
use super::{Output, ServeFailure, drawn_seed, not_bound, serve};
use crate::commands::standings::Report;
use crate::config::Native;
use crate::lobby::{NativeLobby, NativeReport};

/// Options of a server of the native protocol. All times are in milliseconds.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct NativeArgs {
    /// Address to listen on [default: 0.0.0.0]
    #[arg(long, value_name = "ADDRESS", help_heading = "Where")]
    host: Option<String>,
    /// Port; 0 takes a free one and says which [default: 4444]
    #[arg(short, long, help_heading = "Where")]
    port: Option<u16>,

    /// Games of a match [default: as many as there are seats]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "What")]
    games: Option<u32>,
    /// Matches to play, then stop [default: no end]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "What")]
    matches: Option<u64>,
    /// Play one match, then stop
    #[arg(long, conflicts_with = "matches", help_heading = "What")]
    once: bool,
    /// Everyone keeps the seat of the first game, instead of moving on by one after every game
    #[arg(long, help_heading = "What")]
    no_swap: bool,
    /// Draw the seats of the first game of each round, in which everyone has every seat once; with
    /// --no-swap those of every game [default: by arrival]
    #[arg(long, help_heading = "What")]
    draw_seats: bool,
    /// Matches played at the same time [default: 16]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..), help_heading = "What")]
    tables: Option<u16>,
    /// Random moves at the start of each game, drawn again where they end it or put a seat out; all games
    /// of a round have the same [default: 0]
    #[arg(long, value_name = "K", help_heading = "What")]
    random_plies: Option<u32>,
    /// Seed of random moves and drawn seats of the first match, later ones have others [default: drawn]
    #[arg(long, help_heading = "What")]
    seed: Option<u64>,
    /// Illegal moves and unreadable lines that cost a player nothing in each game [default: 0]
    #[arg(long, value_name = "N", help_heading = "What")]
    retries: Option<u32>,

    /// Time of each player for a whole game, used before that of the single move [default: 0]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), help_heading = "Clocks")]
    budget_ms: Option<u64>,
    /// What is added to the budget after each own move [default: 0]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), requires = "budget_ms", help_heading = "Clocks")]
    increment_ms: Option<u64>,
    /// Time for each move once the budget is used up [default: 10000]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), help_heading = "Clocks")]
    move_ms: Option<u64>,
    /// How long the seat of a lost connection is kept; its clock goes on [default: 10000]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(..=MOST_MS), help_heading = "Clocks")]
    resume_ms: Option<u64>,

    /// Print each result as a line of JSON instead of a table
    #[arg(long, help_heading = "Output")]
    json: bool,
    /// Write a record of each match into this folder, or into this file if it ends in .jsonl
    #[arg(long, value_name = "PATH", help_heading = "Output")]
    record: Option<PathBuf>,
}

impl NativeArgs {
    /// Matches to play; `None` goes on for ever.
    pub(super) fn matches(&self) -> Option<u64> {
        if self.once { Some(1) } else { self.matches }
    }

    /// The settings for a game with so many seats that takes so many random plies.
    ///
    /// # Errors
    /// When nobody would have time to move, or games would begin when they are over.
    pub(super) fn settings(&self, seats: u32, most_plies: u32) -> Result<Native, ServeFailure> {
        let mut settings = Native {
            games: seats,
            once: self.once,
            json: self.json,
            swap: !self.no_swap,
            draw_seats: self.draw_seats,
            seed: self.seed,
            records: self.record.clone(),
            ..Native::default()
        };
        let s = &mut settings;
        set(&mut s.bind, self.host.clone());
        set(&mut s.port, self.port);
        set(&mut s.games, self.games);
        set(&mut s.tables, self.tables.map(usize::from));
        set(&mut s.random_plies, self.random_plies);
        set(&mut s.retries, self.retries);
        set(&mut s.budget_ms, self.budget_ms);
        set(&mut s.increment_ms, self.increment_ms);
        set(&mut s.move_ms, self.move_ms);
        set(&mut s.resume_ms, self.resume_ms);
        if s.budget_ms == 0 && s.increment_ms > 0 {
            return Err(ServeFailure::NoBudget);
        }
        if s.budget_ms == 0 && s.move_ms == 0 {
            return Err(ServeFailure::NoClock);
        }
        if s.random_plies > most_plies {
            return Err(ServeFailure::TooManyPlies(most_plies));
        }
        Ok(settings)
    }
}

/// Runs the server, see [`super::run`]; `report` says how its reports are shown.
pub(super) fn run<G: Game, R: Report>(
    args: &NativeArgs,
    settings: Native,
    rules: G::Rules,
    report: impl Fn(NativeReport) -> R + Send + 'static,
) -> Result<bool, ServeFailure> {
    let matches = args.matches();
    let json = settings.json;
    let seed = settings
        .seed
        .unwrap_or_else(|| drawn_seed(DealerKind::Modern));
    let output = Output { matches, json };
    serve(matches == Some(1), output, async |stop, reports| {
        // Now, not when the last player has come.
        make_folders(settings.records.as_deref(), settings.sheets.as_deref())?;
        let (host, port) = (settings.bind.clone(), settings.port);
        let (sender, mut results) = mpsc::unbounded_channel();
        let lobby = NativeLobby::<G>::bind(settings, rules, matches, seed, stop, sender);
        let lobby = lobby.await.map_err(|e| not_bound(host, port, e))?;
        tokio::spawn(async move {
            while let Some(result) = results.recv().await {
                // It is printed until the server ends.
                let _ = reports.send(report(result));
            }
        });
        Ok((vec![lobby.address()?], lobby.run()))
    })
}
