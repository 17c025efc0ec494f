//! Matches between engines inside one process: no sockets, no clocks but the engines' own.
//!
//! A **block** is the unit of all intervals: games from one deal or opening in which the entrants take each
//! other's seats. It has one sitting or several, which are played at the same time where there are threads for
//! them; what a sitting comes to depends on its number alone.

mod blokus;
pub(crate) mod daihinmin;
mod duels;
mod results;
mod spread;
mod workers;

use std::hash::{DefaultHasher, Hash, Hasher as _};

use bots::search::Usage;
use games::GameName;
use serde::{Deserialize, Serialize};
use stats::Outcome;

pub use blokus::{Assignment, all_present, blokus_contest, one_against_three};
pub use daihinmin::{daihinmin_contest, play_session};
pub use duels::{dobutsu_contest, geister_contest, illegal, score_four_contest, seated};
pub use results::Results;
pub use spread::{Broken, spread};
pub use workers::{LabContest, Sittings, WorkLine, Workers};

/// Why a game could not be played: an engine that cannot be built, or one that chose an illegal move.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// The entrants by seat, and what they reached.
    pub outcome: Outcome,
    pub plies: u32,
    /// By seat.
    pub usage: Vec<Usage>,
    /// A hash of its moves or of the position at its end; 0 where that is not told.
    #[serde(default)]
    pub end: u64,
}

impl Played {
    /// The same, with its moves or the position at its end: a game that ends as another one has in all likelihood the same
    /// moves.
    #[must_use]
    pub fn ending(mut self, end: &impl Hash) -> Played {
        let mut hasher = DefaultHasher::new();
        end.hash(&mut hasher);
        self.end = hasher.finish();
        self
    }

    /// A game for two that the seat `winner` won; nobody in a draw. Points are 1, 1/2 and 0.
    pub fn of_two(
        entrants: [usize; 2],
        winner: Option<u8>,
        plies: u32,
        usage: [Usage; 2],
    ) -> Played {
        let (places, points) = match winner {
            Some(0) => ([0, 1], [1.0, 0.0]),
            Some(_) => ([1, 0], [0.0, 1.0]),
            None => ([0, 0], [0.5, 0.5]),
        };
        Played {
            outcome: Outcome {
                entrants: entrants.to_vec(),
                places: places.to_vec(),
                points: points.to_vec(),
            },
            plies,
            usage: usage.to_vec(),
            end: 0,
        }
    }
}

/// The games of a match: which engines sit where, from which deals and openings.
pub struct Contest {
    pub game: GameName,
    pub unit: &'static str,
    pub sittings: u64,
    play: Box<dyn Fn(u64, u64) -> Result<Vec<Played>, Failure> + Sync>,
}

impl Contest {
    /// A contest whose sittings a function plays by the numbers of the block and of the sitting in it.
    pub fn new(
        game: GameName,
        unit: &'static str,
        sittings: u64,
        play: impl Fn(u64, u64) -> Result<Vec<Played>, Failure> + Sync + 'static,
    ) -> Contest {
        Contest {
            game,
            unit,
            sittings,
            play: Box::new(play),
        }
    }

    /// Plays a sitting of a block.
    pub fn play(&self, block: u64, sitting: u64) -> Result<Vec<Played>, Failure> {
        (self.play)(block, sitting)
    }
}

pub enum Place<'a> {
    Threads(usize),
    /// On these workers, with the words after `taikyoku-lab` that describe the contest.
    Workers(&'a mut Workers, &'a [String]),
}

/// Plays `blocks` blocks. After each sitting `watch` is told of the results so far.
///
/// # Errors
/// A sitting failed, or a thread panicked in it: the error has its number. The carrier has ended.
pub fn play_match(
    contest: &Contest,
    names: Vec<String>,
    blocks: u64,
    place: Place<'_>,
    watch: &(dyn Fn(&Results) + Sync),
) -> Result<Results, Failure> {
    let sittings = contest.sittings;
    let count = blocks * sittings;
    let mut results = Results::new(contest.game, names, blocks, sittings);
    let threads = match place {
        Place::Threads(threads) => threads,
        Place::Workers(workers, words) => {
            workers.play(words, contest.unit, &mut results, watch)?;
            return Ok(results);
        }
    };
    let results = std::sync::Mutex::new(results);
    spread(contest.unit, count, threads, |number| {
        let played = contest.play(number / sittings, number % sittings)?;
        let mut results = results
            .lock()
            .expect("nothing panics while it holds the results");
        results.add(number, played);
        watch(&results);
        Ok(())
    })?;
    Ok(results
        .into_inner()
        .expect("nothing panics while it holds the results"))
}
