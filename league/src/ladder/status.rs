//! What a ladder tells of itself.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::Path;

use record::watch::{Entrant, League};
use serde::{Deserialize, Serialize};

/// Name of the file with the state of the ladder.
pub const STATUS: &str = "status.json";

/// Most entrants that watchers are told of.
const MOST_TOLD: usize = 50;

/// The state of a ladder, as its file and its page have it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LadderStatus {
    pub title: String,
    pub game: String,
    /// When it was written, RFC 3339.
    pub at: String,
    /// Whether clients without a token may play.
    pub guests: bool,
    /// Where each entrant connects, which the ladder does not start.
    pub connects_to: BTreeMap<String, SocketAddr>,
    /// Entrants at each table.
    pub tables: Vec<Vec<String>>,
    pub waiting: Vec<Waiting>,
    /// Games that count, since the ladder began.
    pub games: u64,
    /// When the ratings were worked out, RFC 3339.
    pub rated: String,
    pub rows: Vec<LadderRow>,
}

/// An entrant that waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Waiting {
    pub name: String,
    /// Seconds.
    pub since: u64,
    /// What it waits for.
    pub why: String,
}

/// An entrant in the table of a ladder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderRow {
    /// From 1; `None` with too few games, and for entrants that have not played.
    pub rank: Option<usize>,
    pub name: String,
    /// Its number, which never changes.
    pub number: usize,
    /// Whether the ladder starts it.
    pub house: bool,
    /// The engine of one of this project's own that the ladder starts.
    pub engine: Option<String>,
    /// Rating points above the anchor.
    pub rating: f64,
    /// Half the width of the 95 % interval of its difference to the mean of all; `None` where nothing can be told yet.
    pub half_width: Option<f64>,
    pub games: u64,
    /// Games in which it had the first place, alone or shared.
    pub wins: u64,
    /// By kind.
    pub faults: BTreeMap<String, u64>,
}

impl LadderStatus {
    /// The same for watchers.
    pub(super) fn league(&self) -> League {
        let entrant = |row: &LadderRow| Entrant {
            name: row.name.clone(),
            games: row.games,
            faults: row.faults.values().sum(),
            rating: Some(row.rating),
            half_width: row.half_width,
            disqualified: false,
            set_aside: false,
            state: None,
        };
        let played = self.rows.iter().filter(|row| row.games > 0);
        League {
            title: self.title.clone(),
            game: self.game.clone(),
            fixtures: self.games,
            scheduled: None,
            entrants: played.take(MOST_TOLD).map(entrant).collect(),
            cross: Vec::new(),
            next: Vec::new(),
            paused: None,
            played: Vec::new(),
            groups: Vec::new(),
        }
    }
}

/// Puts a file in the place of the one that is there.
pub(super) fn replace(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let new = path.with_extension("new");
    std::fs::write(&new, serde_json::to_vec(value)?)?;
    std::fs::rename(&new, path)
}
