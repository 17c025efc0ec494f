//! Games of a network, and of a classical engine.

use std::io::{stdin, stdout};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use bots::blokus::EngineOptions;
use bots::blokus::zero::Mixture;
use bots::dobutsu::{self, Exploration, Framed};
use bots::search::puct::Gumbel;
use bots::search::{Game, lock};
use bots::spec::Span;
use bots::spec::Specified as _;
use clap::Args;
use models::blokus::{Fast, Paper};
use models::score_four::ScoreFour;
use models::{Encoding, Network, NnEngine, Precision};
use taikyoku_lab::arena::spread;
use taikyoku_lab::self_play::{
    Archive, ArchiveError, LessonError, Local, Oracle, OracleError, Pipe, Record, SelfPlan,
    SelfPlay, Teacher, play_games,
};

use super::Progress;
use crate::{Failure, Refused};

/// The games of a file.
#[derive(Args)]
struct ArchiveGames {
    /// File to add the games to.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Games that the file is to hold, counted from --first-game.
    #[arg(long, value_name = "N")]
    games: u64,
    /// Number of the first game.
    #[arg(long, value_name = "N", default_value_t = 0)]
    first_game: u64,
    /// Seed of all games. A game depends on it and on its number.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Progress as lines of JSON on standard error (schema: docs/schema/lab-progress.json).
    #[arg(long)]
    json: bool,
}

impl ArchiveGames {
    fn open(&self, game: &'static str) -> Result<MissingGames, Failure> {
        let archive = Archive::open(&self.out, game)?;
        let all = self.first_game..self.first_game.saturating_add(self.games);
        let missing: Vec<u64> = all.filter(|&id| !archive.contains(id)).collect();
        let progress = Progress::new(missing.len() as u64, self.json);
        Ok(MissingGames {
            missing,
            next: AtomicU64::new(0),
            out: Mutex::new((archive, progress)),
        })
    }
}

#[derive(Args)]
pub(crate) struct PlayOptions {
    /// The layout of the network: blokus-fast, blokus-paper, score-four or dobutsu.
    pub(crate) layout: String,
    #[command(flatten)]
    games: ArchiveGames,
    /// The network.
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present = "pipe",
        conflicts_with = "pipe"
    )]
    model: Option<PathBuf>,
    /// What runs it: auto, ort or rten.
    #[arg(long, value_name = "ENGINE", value_enum, default_value_t)]
    nn_engine: NnEngine,
    /// Which of NAME.onnx, the network, and NAME.int8.onnx beside it plays.
    #[arg(long, value_enum, default_value_t, conflicts_with = "pipe")]
    precision: Precision,
    /// Have positions evaluated by the program that holds the other ends of stdin and stdout.
    #[arg(long)]
    pipe: bool,
    /// Positions that are evaluated together, and games at the same time for each thread; with --pipe, two batches are
    /// under way.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=8192))]
    batch: u32,
    /// Threads, each with games of its own. With --pipe, one.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Simulations of a full search, whose policy is learned [default: 32; with --paper 800].
    #[arg(long, value_name = "N")]
    simulations: Option<u64>,
    /// Simulations of the other searches [default: 8; with --paper 800].
    #[arg(long, value_name = "N")]
    fast_simulations: Option<u64>,
    /// Share of full searches, 0 to 1 [default: 0.5; with --paper 1].
    #[arg(long, value_name = "SHARE", value_parser = crate::learning::share)]
    full_share: Option<f64>,
    /// The paper's search: PUCT with noise, 800 simulations, all of them full.
    #[arg(long)]
    paper: bool,
    /// Share of the noise at the root of the paper's search; 0 for none [default: 0.25].
    #[arg(long, value_name = "SHARE", requires = "paper", value_parser = crate::learning::share)]
    noise: Option<f64>,
    /// Parameter of its distribution, above 0 [default: 0.02, the paper's for Blokus].
    #[arg(long, value_name = "A", requires = "paper", value_parser = |text: &str| Span::Within(1e-6, 1e6).read(text))]
    alpha: Option<f64>,
    /// C of the paper's search: a number, or `log` for that of `AlphaZero`, which grows with the visits [default: log].
    #[arg(long, requires = "paper", value_name = "C")]
    exploration: Option<Exploration>,
    /// Before each search, look for wins of so many plies, and play and learn such a move as the only one; Dobutsu shogi
    /// alone has that.
    #[arg(long, value_name = "PLIES", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=i64::from(dobutsu::AlphaZeroOptions::MOST_MATE)))]
    mate: u32,
    /// Moves that a Gumbel root considers [default: 16].
    #[arg(long, value_name = "N", conflicts_with = "paper")]
    considered: Option<usize>,
    /// Most random plies at the start of a game [default: 4; with --paper 0].
    #[arg(long, value_name = "PLIES")]
    random_plies: Option<u32>,
    /// Plies up to which moves are drawn [default: 20].
    #[arg(long, value_name = "PLIES")]
    drawn_plies: Option<u32>,
    /// Share of the score in the value of a position and in the worth of a game's end, 0 to 1. With --pipe, that of the
    /// values that come through it; without, nothing where the network does not tell it
    /// [default: 0.5; with --paper 0].
    #[arg(long, value_name = "SHARE", value_parser = crate::learning::share)]
    score_share: Option<f64>,
    /// Playouts from each position that the network evaluates, mixed with its value half and half; Blokus alone has any.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=i64::from(Mixture::MOST)))]
    leaf_playouts: u32,
}

impl PlayOptions {
    fn plan(&self) -> SelfPlan {
        let mut plan = if self.paper {
            SelfPlan::paper()
        } else {
            SelfPlan::gumbel()
        };
        if let (Some(considered), Some(gumbel)) = (self.considered, &mut plan.search.gumbel) {
            *gumbel = Gumbel {
                considered,
                ..*gumbel
            };
        }
        if let Some(noise) = &mut plan.search.noise {
            noise.share = self.noise.unwrap_or(noise.share);
            noise.alpha = self.alpha.unwrap_or(noise.alpha);
        }
        plan.search.noise = plan.search.noise.filter(|noise| noise.share > 0.0);
        if let Some(exploration) = self.exploration {
            plan.search = exploration.plan(plan.search);
        }
        plan.mate = self.mate;
        plan.simulations = self.simulations.unwrap_or(plan.simulations);
        plan.fast_simulations = self.fast_simulations.unwrap_or(plan.fast_simulations);
        plan.full_share = self.full_share.unwrap_or(plan.full_share);
        plan.random_plies = self.random_plies.unwrap_or(plan.random_plies);
        plan.drawn_plies = self.drawn_plies.unwrap_or(plan.drawn_plies);
        plan.leaf_playouts = self.leaf_playouts;
        plan.score_share = self.score_share.unwrap_or(plan.score_share);
        plan
    }
}

/// Plays; `false` if the learner wanted no more before all games were played.
pub(crate) fn run(options: &PlayOptions) -> Result<bool, Failure> {
    match options.layout.as_str() {
        "blokus-fast" => play::<Fast>(options),
        "blokus-paper" => play::<Paper>(options),
        "score-four" => play::<ScoreFour>(options),
        "dobutsu" => play::<Framed>(options),
        other => Err(Refused::because(LessonError::Layout(other.to_owned()))),
    }
}

/// The games that a file has not yet.
struct MissingGames {
    missing: Vec<u64>,
    next: AtomicU64,
    out: Mutex<(Archive, Progress)>,
}

impl MissingGames {
    fn next(&self) -> Option<u64> {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        self.missing.get(next as usize).copied()
    }

    fn done(&self, record: &Record, evaluations: u64) -> Result<(), Stop> {
        let mut out = lock(&self.out);
        let (archive, progress) = &mut *out;
        archive.add(record)?;
        progress.evaluations += evaluations;
        progress.game(record.plies.len());
        Ok(())
    }
}

#[derive(Debug, thiserror::Error)]
enum Stop {
    #[error(transparent)]
    Oracle(#[from] OracleError),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

fn play<E>(options: &PlayOptions) -> Result<bool, Failure>
where
    E: Encoding<Position: SelfPlay + Game<Move = E::Move>>,
{
    let mut plan = options.plan();
    if plan.leaf_playouts > 0 && !E::Position::HAS_PLAYOUTS {
        let reason = format!("--leaf-playouts: {} has no playouts", E::LAYOUT.game);
        return Err(Refused::because(reason));
    }
    if plan.mate > 0 && !E::Position::HAS_MATES {
        let reason = format!("--mate: {} has no search for it", E::LAYOUT.game);
        return Err(Refused::because(reason));
    }
    let mut oracles: Vec<Box<dyn Oracle + Send>> = Vec::new();
    // A network that cannot be opened leaves no file behind.
    if let Some(model) = &options.model {
        for _ in 0..options.threads.max(1) {
            let network = Network::open_in(model, &E::LAYOUT, options.nn_engine, options.precision)
                .map_err(Refused::because)?;
            if !network.has_scores() {
                // What the values do not have in them, the ends must not either.
                plan.score_share = 0.0;
            }
            oracles.push(Box::new(Local::new(network, plan.score_share)));
        }
    }
    let work = options.games.open(E::LAYOUT.game)?;
    if options.pipe {
        let pipe = Pipe::open(stdin(), stdout(), &E::LAYOUT, options.batch as usize)?;
        oracles.push(Box::new(pipe));
    }
    let ended = std::thread::scope(|scope| {
        let threads: Vec<_> = oracles
            .iter_mut()
            .map(|oracle| {
                let (work, plan) = (&work, &plan);
                scope.spawn(move || {
                    play_games::<E, Stop>(
                        plan,
                        options.games.seed,
                        options.batch as usize,
                        oracle.as_mut(),
                        &mut || work.next(),
                        &mut |record, evaluations| work.done(&record, evaluations),
                    )
                })
            })
            .collect();
        let joined = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        joined.collect::<Vec<_>>()
    });
    lock(&work.out).1.end();
    for ended in ended {
        match ended.map_err(|_| "a thread of the games panicked")? {
            Ok(()) => {}
            Err(Stop::Oracle(OracleError::Closed)) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(true)
}

#[derive(Args)]
pub(crate) struct TeachOptions {
    #[command(flatten)]
    games: ArchiveGames,
    /// The engine in all seats: NAME[:option=value]..., as `match blokus` has it.
    #[arg(long, default_value = "best:playouts=400")]
    engine: EngineOptions,
    /// Most random plies at the start of a game.
    #[arg(long, value_name = "PLIES", default_value_t = 8)]
    random_plies: u32,
    /// Plies up to which moves are drawn by their visits.
    #[arg(long, value_name = "PLIES", default_value_t = 20)]
    drawn_plies: u16,
    /// Games at the same time.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
}

pub(crate) fn teach(options: &TeachOptions) -> Result<(), Failure> {
    let teacher = Teacher {
        engine: options.engine.clone(),
        random_plies: options.random_plies,
        drawn_plies: options.drawn_plies,
        seed: options.games.seed,
    };
    // One that cannot be made leaves no file behind.
    drop(
        options
            .engine
            .build(options.games.seed)
            .map_err(Refused::because)?,
    );
    let work = options.games.open("blokus")?;
    spread(
        "game",
        work.missing.len() as u64,
        options.threads,
        |number| {
            let record = teacher.play(work.missing[number as usize])?;
            Ok(work.done(&record, 0)?)
        },
    )?;
    lock(&work.out).1.end();
    Ok(())
}
