//! Tables of a league: the seats of one matchup, each behind a port of its own, so that it is known who is who
//! whatever they call themselves and in whatever order they come.

use std::net::SocketAddr;
use std::path::PathBuf;

use tokio_util::sync::CancellationToken;

use super::journal::Game;
use super::schedule::Fixture;

/// What is played at one table by the same programs: some fixtures of one matchup, one after the other.
#[derive(Clone, Debug)]
pub struct Sitting {
    /// The fixtures, in the order of the schedule.
    pub fixtures: Vec<Fixture>,
    /// The entrant of each player. Players are the programs at the table, and keep their numbers; an entrant with
    /// several seats has several programs.
    pub players: Vec<usize>,
    /// File for the record of the sitting; `None` keeps none.
    pub record: Option<PathBuf>,
}

/// A fixture of a sitting that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// Its number in the sitting.
    pub number: usize,
    /// Milliseconds that it took.
    pub ms: u64,
    /// Its games.
    pub games: Vec<Game>,
}

/// How a sitting ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All its fixtures were played, or those that were to be played after the wish to finish.
    Whole,
    /// A player is gone, which its last game says: what is left needs new programs.
    Gone,
    /// The fixture in play does not count, by the fault of nobody who plays.
    Void(String),
}

/// How a sitting is told to end.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// To finish the fixture in play and begin no other.
    pub finish: CancellationToken,
    /// To end at once: the fixture in play is void.
    pub stop: CancellationToken,
}

/// The address that each player connects to, by player. In GAT a player comes again for each game.
pub type Addresses = Vec<SocketAddr>;
