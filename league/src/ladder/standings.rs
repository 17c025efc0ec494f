//! What the days of a ladder say about its entrants.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stats::{Block, Plan};

use super::day::{Part, days_in};
use crate::journal::{JournalError, JournalReader, Played};
use crate::settings::{LadderRules, Settings};

/// Opponents of an entrant that are known as its last ones.
const LAST: usize = 8;

/// Resamples of the intervals.
const RESAMPLES: u32 = 100;

/// Blocks and counts of all days.
#[derive(Clone, Debug, Default)]
pub(super) struct Standings {
    /// By day and matchup, in this order when they are rated: figures do not depend on which table ended first.
    blocks: Arc<BTreeMap<(Part, u32), Block>>,
    counts: Vec<Count>,
    games: u64,
}

/// What is counted of an entrant.
#[derive(Clone, Debug, Default)]
struct Count {
    games: u64,
    wins: u64,
    /// By kind, without the normal end.
    faults: BTreeMap<String, u64>,
    last_opponents: VecDeque<usize>,
    rating: f64,
}

/// An entrant in the table of a ladder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderRow {
    /// From 1; `None` with too few games, and for entrants that have not played.
    pub rank: Option<usize>,
    pub name: String,
    /// Whether the ladder starts it.
    pub house: bool,
    /// Rating points above the anchor.
    pub rating: f64,
    /// Half the width of the 95 % interval of the rating; `None` where nothing can be told yet.
    pub half_width: Option<f64>,
    pub games: u64,
    /// Games in which it had the first place, alone or shared.
    pub wins: u64,
    /// By kind.
    pub faults: BTreeMap<String, u64>,
}

impl Standings {
    /// Reads all days of a ladder; gives the standings, and the names that its journals have.
    ///
    /// # Errors
    /// A journal that cannot be read.
    pub(super) fn read(folder: &Path) -> Result<(Standings, Vec<String>), JournalError> {
        let error = |source| JournalError::File {
            path: folder.to_owned(),
            source,
        };
        let (mut standings, mut names) = (Standings::default(), Vec::new());
        for (part, day) in days_in(folder).map_err(error)? {
            let mut journal = JournalReader::open(&day)?;
            let known = journal.head.settings.names();
            if known.len() > names.len() {
                names = known.into_iter().map(str::to_owned).collect();
            }
            let mut open: BTreeMap<u32, Vec<Played>> = BTreeMap::new();
            for line in journal.lines()? {
                let entry = line?.entry;
                if let Some(played) = entry.played() {
                    let matchup = open.entry(played.key.matchup).or_default();
                    matchup.push(played.clone());
                }
            }
            for played in open.into_values() {
                standings.add(part, &played.iter().collect::<Vec<_>>());
            }
        }
        Ok((standings, names))
    }

    /// Takes the fixtures of one matchup that were played: they share a deal, and are one block.
    pub(super) fn add(&mut self, part: Part, played: &[&Played]) {
        let Some(first) = played.first() else {
            return;
        };
        let mut games = Vec::new();
        for fixture in played {
            for game in &fixture.games {
                let most = fixture.seats.iter().max().map_or(0, |&last| last + 1);
                if self.counts.len() < most {
                    self.counts.resize_with(most, Count::default);
                }
                for (seat, &entrant) in fixture.seats.iter().enumerate() {
                    let count = &mut self.counts[entrant];
                    count.games += 1;
                    count.wins += u64::from(game.places[seat] == 0);
                    if game.kind(seat).is_fault() {
                        let kind = game.kind(seat).as_str().to_owned();
                        *count.faults.entry(kind).or_default() += 1;
                    }
                }
                games.push(Arc::new(stats::Outcome {
                    entrants: fixture.seats.clone(),
                    places: game.places.clone(),
                    points: game.points.clone(),
                }));
            }
        }
        for &entrant in &first.seats {
            let last = &mut self.counts[entrant].last_opponents;
            last.extend(first.seats.iter().filter(|&&other| other != entrant));
            last.drain(..last.len().saturating_sub(LAST));
        }
        self.games += games.len() as u64;
        let key = (part, first.key.matchup);
        Arc::make_mut(&mut self.blocks).insert(key, Block { games });
    }

    pub(super) fn games(&self, entrant: usize) -> u64 {
        self.counts.get(entrant).map_or(0, |count| count.games)
    }

    pub(super) const fn all_games(&self) -> u64 {
        self.games
    }

    pub(super) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The rating of an entrant when they were last worked out; 0 before that.
    pub(super) fn rating(&self, entrant: usize) -> f64 {
        self.counts.get(entrant).map_or(0.0, |count| count.rating)
    }

    /// How often the second was among the last opponents of the first.
    pub(super) fn met(&self, entrant: usize, other: usize) -> u32 {
        let last = self.counts.get(entrant).map(|count| &count.last_opponents);
        last.map_or(0, |last| {
            last.iter().filter(|&&one| one == other).count() as u32
        })
    }

    /// Works the ratings out, and gives the table: those with a rank first, the others after them.
    pub(super) fn rate(&mut self, settings: &Settings, rules: &LadderRules) -> Vec<LadderRow> {
        let entrants = settings.entrants.len();
        self.counts
            .resize_with(self.counts.len().max(entrants), Count::default);
        let plan = Plan {
            anchor: settings.anchor,
            resamples: RESAMPLES,
            seed: 1,
        };
        let found = stats::ratings(entrants, self.blocks.values(), plan);
        let row = |(number, rating): (usize, &stats::Rating)| {
            let entrant = &settings.entrants[number];
            let count = &self.counts[number];
            LadderRow {
                rank: None,
                name: entrant.name.clone(),
                house: !entrant.comes_itself(),
                rating: rating.rating,
                half_width: rating.half_width.is_finite().then_some(rating.half_width),
                games: count.games,
                wins: count.wins,
                faults: count.faults.clone(),
            }
        };
        let mut rows: Vec<LadderRow> = found.entrants.iter().enumerate().map(row).collect();
        for (count, rating) in self.counts.iter_mut().zip(&found.entrants) {
            count.rating = rating.rating;
        }
        let has_rank = |row: &LadderRow| row.games >= rules.ranked_after.max(1);
        rows.sort_by(|a, b| {
            let by_rank = has_rank(b).cmp(&has_rank(a));
            by_rank
                .then(b.rating.total_cmp(&a.rating))
                .then(a.name.cmp(&b.name))
        });
        for (place, row) in rows.iter_mut().enumerate() {
            row.rank = has_rank(row).then_some(place + 1);
        }
        rows
    }
}
