//! Engines against each other, and the time that they take.

use std::borrow::Borrow;
use std::fmt::Write as _;
use std::str::FromStr;
use std::time::Duration;

use bots::blokus::gtp::cpu_time;
use bots::spec::{self, SpecificationError, Specified};
use bots::{blokus, daihinmin, dobutsu, geister, score_four};
use clap::{Args, Parser, Subcommand};
use games::blokus::{SEATS, Scoring};
use games::geister::Rules;
use indicatif::ProgressBar;
use taikyoku_lab::arena::{
    self, Contest, Place, Results, Workers, all_present, blokus_contest, daihinmin_contest,
    dobutsu_contest, geister_contest, one_against_three, score_four_contest,
};

use crate::Failure;
use crate::meter::Meter;

/// An engine, as it was written and as it was read.
#[derive(Clone)]
pub(crate) struct Entrant<O> {
    text: String,
    options: O,
}

impl<O: FromStr> FromStr for Entrant<O> {
    type Err = O::Err;

    fn from_str(text: &str) -> Result<Entrant<O>, O::Err> {
        Ok(Entrant {
            text: text.to_owned(),
            options: text.parse()?,
        })
    }
}

/// How a match is played and told of.
#[derive(Args)]
pub(crate) struct Common {
    /// Seed of the first block.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Games, rounded up to whole blocks, and in Blokus to whole rounds of all assignments [default: Daihinmin 30
    /// blocks, Blokus 126, others 100].
    #[arg(long, value_name = "N", conflicts_with = "blocks", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Blocks, in place of games [default: those of the games].
    #[arg(long, value_name = "N")]
    blocks: Option<u64>,
    #[command(flatten)]
    players: PlaceOptions,
    /// Print the result so far on stderr after each so many blocks; 0 for never.
    #[arg(long, value_name = "N", default_value_t = 0)]
    report_blocks: u64,
    /// Print the result as JSON (schema: docs/schema/lab-match.json).
    #[arg(long)]
    json: bool,
}

impl Common {
    /// The games that are asked for, of which a block has so many.
    fn games(&self, of_block: u64, default: u64) -> u64 {
        let of_blocks = self.blocks.map(|blocks| blocks.saturating_mul(of_block));
        of_blocks.or(self.games).unwrap_or(default)
    }
}

fn options_of<O: Clone>(entrants: &[Entrant<O>]) -> Vec<O> {
    entrants.iter().map(|one| one.options.clone()).collect()
}

/// Where games are played.
#[derive(Args)]
pub(crate) struct PlaceOptions {
    /// Games at the same time. Engines on time disturb each other with more than one.
    #[arg(long, value_name = "N", visible_alias = "jobs", default_value_t = 1)]
    threads: usize,
    /// Have workers play, on this machine and others: the command of a program that carries work to them. On a cluster
    /// of Ray `python -m taikyoku.cluster` starts it.
    #[arg(long, value_name = "COMMAND", conflicts_with = "threads")]
    workers: Option<String>,
    /// Length of a piece of work in seconds.
    #[arg(long, value_name = "SECONDS", requires = "workers", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=3600))]
    piece: u32,
}

impl PlaceOptions {
    /// The workers that play these sittings, where there are some.
    pub(crate) fn workers(&self, sittings: &Prepared) -> Result<Option<Workers>, Failure> {
        let Some(command) = &self.workers else {
            return Ok(None);
        };
        sittings.warn_of_clocks();
        let length = Duration::from_secs(self.piece.into());
        Ok(Some(Workers::start(command, program::version!(), length)?))
    }

    /// The place where the sittings of a command with these words after `taikyoku-lab` are played.
    pub(crate) fn place<'a>(
        &self,
        workers: Option<&'a mut Workers>,
        words: &'a [String],
    ) -> Place<'a> {
        workers.map_or(Place::Threads(self.threads), |workers| {
            Place::Workers(workers, words)
        })
    }
}

#[derive(Subcommand)]
pub(crate) enum Match {
    /// One to five engines: a block is one sequence of deals, played five times with the engines rotated over the
    /// players: 5 x SESSION games.
    #[command(after_help = spec::help::<daihinmin::EngineOptions>())]
    Daihinmin {
        /// The engines; the last one takes the seats that are left.
        #[arg(required = true, num_args = 1..=5)]
        engines: Vec<Entrant<daihinmin::EngineOptions>>,
        /// Games in each session; ranks are carried over within it.
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
        session: u32,
        #[command(flatten)]
        common: Common,
    },
    /// Two engines, in pairs of games with the seats exchanged: a block is a session of such pairs, 2 x SESSION games.
    #[command(after_help = spec::help::<geister::EngineOptions>())]
    Geister {
        /// Engine A, for example best:simulations=2000 or paper:weights=theta.npy.
        a: Entrant<geister::EngineOptions>,
        /// Engine B.
        b: Entrant<geister::EngineOptions>,
        /// Pairs of games in each session; the engines remember its games.
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
        session: u32,
        /// Moves of both sides together after which a game is drawn.
        #[arg(long, value_name = "PLIES", default_value_t = 200)]
        ply_limit: u16,
        #[command(flatten)]
        common: Common,
    },
    /// Two to four engines over all assignments to the seats in which all are present.
    ///
    /// A block is as many games as there are engines, from one random opening, in which they take each other's
    /// seats in a circle; with --one-against-three it is four games.
    #[command(after_help = spec::help::<blokus::EngineOptions>())]
    Blokus {
        /// The engines, for example mcts-maxn:playouts=800 or brs:ms=100.
        #[arg(required = true, num_args = 2..=4)]
        engines: Vec<Entrant<blokus::EngineOptions>>,
        /// The first engine in each seat against three of the second.
        #[arg(long)]
        one_against_three: bool,
        /// Uniformly random first plies, the same in all games of a block.
        #[arg(long, value_name = "PLIES", default_value_t = 4, value_parser = clap::value_parser!(u32).range(..=40))]
        random_plies: u32,
        /// What decides: advanced or squares. Engines play for the advanced score.
        #[arg(long, default_value = Scoring::Advanced.name())]
        scoring: Scoring,
        #[command(flatten)]
        common: Common,
    },
    /// Two engines, in pairs of games from one opening with the seats exchanged.
    #[command(after_help = spec::help::<score_four::EngineOptions>())]
    ScoreFour {
        /// Engine A, for example best:ms=1000 or uct:playouts=50000.
        a: Entrant<score_four::EngineOptions>,
        /// Engine B.
        b: Entrant<score_four::EngineOptions>,
        /// Uniformly random first plies, the same in both games of a pair, 0 to 6.
        #[arg(long, value_name = "PLIES", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=6))]
        random_plies: u32,
        #[command(flatten)]
        common: Common,
    },
    /// Two engines, in pairs of games from one opening with the seats exchanged. A game is a draw after 1000 plies.
    #[command(after_help = spec::help::<dobutsu::EngineOptions>())]
    Dobutsu {
        /// Engine A, for example perfect or alphabeta:ms=1000.
        a: Entrant<dobutsu::EngineOptions>,
        /// Engine B.
        b: Entrant<dobutsu::EngineOptions>,
        /// Uniformly random first plies, the same in both games of a pair, which leave nothing to catch.
        #[arg(long, value_name = "PLIES", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=20))]
        random_plies: u32,
        /// A is the second player in all games; each has an opening of its own.
        #[arg(long)]
        second: bool,
        #[command(flatten)]
        common: Common,
    },
}

pub(crate) struct Prepared {
    pub(crate) contest: Contest,
    names: Vec<String>,
    blocks: u64,
    /// The engines whose moves depend on the speed of the machine.
    timed: Vec<String>,
}

impl Prepared {
    /// One whose games do not depend on the speed of the machine.
    pub(crate) fn new(contest: Contest, names: Vec<String>, blocks: u64) -> Prepared {
        Prepared {
            contest,
            names,
            blocks,
            timed: Vec::new(),
        }
    }

    /// One of these entrants, some of whose moves may depend on the speed of the machine.
    fn of<O: Specified>(
        contest: Contest,
        entrants: &[impl Borrow<Entrant<O>>],
        blocks: u64,
    ) -> Prepared {
        let entrants = || entrants.iter().map(Borrow::borrow);
        let names = entrants().map(|one| one.text.clone()).collect();
        let timed = entrants().filter(|one| one.options.is_timed());
        Prepared {
            timed: timed.map(|one| one.text.clone()).collect(),
            ..Prepared::new(contest, names, blocks)
        }
    }

    /// Says on standard error that the result depends on the machines of the workers, if it does.
    fn warn_of_clocks(&self) {
        let mut timed = self.timed.clone();
        timed.sort_unstable();
        timed.dedup();
        if !timed.is_empty() {
            eprintln!(
                "taikyoku-lab: limits of time are worth less on a slow or busy machine, and these engines have some: {}. \
                 With budgets in playouts the result does not depend on the machines of the workers",
                timed.join(", ")
            );
        }
    }

    pub(crate) fn sittings(&self) -> u64 {
        self.blocks * self.contest.sittings
    }

    /// Number of blocks, each of which has a seed of its own.
    pub(crate) fn blocks(&self) -> u64 {
        self.blocks
    }

    pub(crate) fn play(
        &self,
        place: Place<'_>,
        watch: &(dyn Fn(&Results) + Sync),
    ) -> Result<Results, Failure> {
        let names = self.names.clone();
        arena::play_match(&self.contest, names, self.blocks, place, watch)
    }
}

impl Match {
    /// The match of the words after `taikyoku-lab match`.
    pub(crate) fn of(words: &[String]) -> Result<Match, clap::Error> {
        #[derive(Parser)]
        #[command(name = "taikyoku-lab match", no_binary_name = true)]
        struct MatchCommandLine {
            #[command(subcommand)]
            command: Match,
        }
        Ok(MatchCommandLine::try_parse_from(words)?.command)
    }

    /// Why an engine of this game cannot be had, if so, and whether this key of it takes whole numbers alone.
    pub(crate) fn fault(&self, engine: &str, key: &str) -> Option<(SpecificationError, bool)> {
        fn of<O: Specified>(engine: &str, key: &str) -> Option<(SpecificationError, bool)> {
            let error = spec::read::<O>(engine).err()?;
            Some((error, spec::takes_whole::<O>(engine, key)))
        }
        match self {
            Match::Daihinmin { .. } => of::<daihinmin::EngineOptions>(engine, key),
            Match::Geister { .. } => of::<geister::EngineOptions>(engine, key),
            Match::Blokus { .. } => of::<blokus::EngineOptions>(engine, key),
            Match::ScoreFour { .. } => of::<score_four::EngineOptions>(engine, key),
            Match::Dobutsu { .. } => of::<dobutsu::EngineOptions>(engine, key),
        }
    }

    fn common(&self) -> &Common {
        match self {
            Match::Daihinmin { common, .. }
            | Match::Geister { common, .. }
            | Match::Blokus { common, .. }
            | Match::ScoreFour { common, .. }
            | Match::Dobutsu { common, .. } => common,
        }
    }

    pub(crate) fn prepare(&self) -> Result<Prepared, Failure> {
        let common = self.common();
        let seed = common.seed;
        Ok(match self {
            Match::Daihinmin {
                engines, session, ..
            } => {
                let contest = daihinmin_contest(options_of(engines), *session, seed);
                let block = 5 * u64::from(*session);
                let blocks = common.games(block, 30 * block).div_ceil(block);
                Prepared::of(contest, engines, blocks)
            }
            Match::Geister {
                a,
                b,
                session,
                ply_limit,
                ..
            } => {
                let entrants = [a.options.clone(), b.options.clone()];
                let rules = Rules {
                    ply_limit: *ply_limit,
                };
                let contest = geister_contest(entrants, rules, *session, seed);
                let block = 2 * u64::from(*session);
                let blocks = common.games(block, 100).div_ceil(block);
                Prepared::of(contest, &[a, b], blocks)
            }
            Match::Blokus {
                engines,
                one_against_three: alone,
                random_plies,
                scoring,
                ..
            } => {
                let entrants = options_of(engines);
                let (assignments, width) = match (alone, entrants.len()) {
                    (true, 2) => (one_against_three(), SEATS),
                    (true, _) => return Err("--one-against-three takes two engines".into()),
                    (false, count) => (all_present(count), count),
                };
                let games = common.games(width as u64, 126).max(1);
                let games = games.next_multiple_of(assignments.len() as u64);
                let plies = *random_plies;
                let contest = blokus_contest(entrants, assignments, width, plies, seed, *scoring);
                Prepared::of(contest, engines, games / width as u64)
            }
            Match::ScoreFour {
                a, b, random_plies, ..
            } => {
                let contest = score_four_contest([a.options, b.options], *random_plies, seed);
                let blocks = common.games(2, 100).div_ceil(2);
                Prepared::of(contest, &[a, b], blocks)
            }
            Match::Dobutsu {
                a,
                b,
                random_plies,
                second,
                ..
            } => {
                let entrants = [a.options.clone(), b.options.clone()];
                let contest = dobutsu_contest(entrants, *random_plies, *second, seed);
                let block = if *second { 1 } else { 2 };
                let blocks = common.games(block, 100).div_ceil(block);
                Prepared::of(contest, &[a, b], blocks)
            }
        })
    }
}

/// The words after the name of this program. They are valid text, because the parser has read them.
pub(crate) fn words() -> Vec<String> {
    std::env::args().skip(1).collect()
}

pub(crate) fn run(command: &Match) -> Result<(), Failure> {
    let common = command.common();
    let prepared = command.prepare()?;
    let sittings = prepared.contest.sittings;
    let meter = Meter::new(prepared.sittings(), 0, prepared.contest.unit)?;
    let watch = |results: &Results| {
        let (done, all) = results.sittings();
        meter.show(done, results.progress());
        let step = common.report_blocks.saturating_mul(sittings);
        if step > 0 && done.is_multiple_of(step) && done < all {
            meter.suspend(|| eprint!("{}", results.text()));
        }
    };
    let words = words();
    let mut workers = common.players.workers(&prepared)?;
    let place = common.players.place(workers.as_mut(), &words);
    let results = prepared.play(place, &watch)?;
    meter.finish();
    if common.json {
        println!("{}", results.json());
    } else {
        print!("{}", results.text());
    }
    Ok(())
}

#[derive(Subcommand)]
pub(crate) enum Speed {
    /// In all five seats.
    Daihinmin(SpeedOptions<daihinmin::EngineOptions>),
    /// In both seats.
    Geister(SpeedOptions<geister::EngineOptions>),
    /// In all four seats, from openings of four random plies.
    Blokus(SpeedOptions<blokus::EngineOptions>),
    /// In both seats, from openings of two random plies.
    ScoreFour(SpeedOptions<score_four::EngineOptions>),
    /// In both seats, from openings of two random plies.
    Dobutsu(SpeedOptions<dobutsu::EngineOptions>),
}

#[derive(Args)]
pub(crate) struct SpeedOptions<O>
where
    O: FromStr + Clone + Send + Sync + 'static,
    O::Err: std::error::Error + Send + Sync,
{
    /// The engine: NAME[:option=value]...
    engine: Entrant<O>,
    /// Games, rounded up to whole blocks.
    #[arg(long, value_name = "N", default_value_t = 10)]
    games: u64,
    /// Seed of the first game.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

/// Lets an engine play itself, and prints what its moves take.
pub(crate) fn speed(command: &Speed) -> Result<(), Failure> {
    let text = match command {
        Speed::Daihinmin(options) => {
            let engine = options.engine.options.clone();
            let contest = daihinmin_contest(vec![engine], 1, options.seed);
            measure(&contest, options.games.div_ceil(5))
        }
        Speed::Geister(options) => {
            let entrants = [0; 2].map(|_| options.engine.options.clone());
            let contest = geister_contest(entrants, Rules::default(), 1, options.seed);
            measure(&contest, options.games.div_ceil(2))
        }
        Speed::Blokus(options) => {
            let (engine, seed) = (options.engine.options.clone(), options.seed);
            let all = all_present(1);
            let contest = blokus_contest(vec![engine], all, 1, 4, seed, Scoring::Advanced);
            measure(&contest, options.games)
        }
        Speed::ScoreFour(options) => {
            let contest = score_four_contest([options.engine.options; 2], 2, options.seed);
            measure(&contest, options.games.div_ceil(2))
        }
        Speed::Dobutsu(options) => {
            let entrants = [0; 2].map(|_| options.engine.options.clone());
            let contest = dobutsu_contest(entrants, 2, false, options.seed);
            measure(&contest, options.games.div_ceil(2))
        }
    }?;
    println!("{text}");
    Ok(())
}

fn measure(contest: &Contest, blocks: u64) -> Result<String, Failure> {
    let begin = cpu_time();
    let names = vec![String::new(); 2];
    let bar = ProgressBar::new(blocks * contest.sittings);
    let watch = |results: &Results| bar.set_position(results.sittings().0);
    let results = arena::play_match(contest, names, blocks, Place::Threads(1), &watch)?;
    bar.finish_and_clear();
    let on_processor = cpu_time().saturating_sub(begin).as_secs_f64();
    let mut usage = results.usage(0);
    usage.add(&results.usage(1));
    let moves = f64::from(usage.moves.max(1));
    let mut text = format!(
        "{:.2} ms a move on average over {} moves, at most {:.2}, {:.2} of processor time",
        usage.time.as_secs_f64() * 1000.0 / moves,
        usage.moves,
        usage.longest.as_secs_f64() * 1000.0,
        on_processor * 1000.0 / moves,
    );
    if usage.work > 0 {
        let _ = write!(
            text,
            "; {:.0} playouts or nodes a move, {:.0} a second of processor time",
            usage.work as f64 / moves,
            usage.work as f64 / on_processor.max(1e-9),
        );
    }
    Ok(text)
}
