//! Games of a league that are worth a look, found by simple measures of its journal and its records.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::Path;

use games::{Blokus, GameName};
use record::{
    DaihinminGame, Deficit, Deficits, EndKind, HighlightKind, ReadError, RecordReader, Recorded,
};
use serde::Serialize;
use stats::Ratings;

use crate::journal::{Game, InRecord, Played};
use crate::schedule::Key;

/// Most games of a kind.
const MOST: usize = 3;
/// Most games, the last that were played, whose records are read.
const MOST_READ: usize = 2000;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Highlight {
    pub kind: HighlightKind,
    pub measure: f64,
    pub key: Key,
    /// Its number in the session, from 1.
    pub game: u64,
    /// Numbers of its entrants, from the first place to the last.
    pub entrants: Vec<usize>,
    /// The rule that ended it, in games that end by several.
    pub rule: Option<String>,
    /// Its record, if one is kept: the file, and the number of the game there.
    pub record: Option<InRecord>,
    /// Plies before the moment to look at; none for the whole game.
    pub ply: Option<u32>,
}

/// A game of a league, with its place in the schedule.
#[derive(Clone, Debug)]
struct Candidate {
    place: (u64, u8, usize),
    /// Its entrants, sorted.
    table: Vec<usize>,
    highlight: Highlight,
}

impl Candidate {
    fn of(played: &Played, index: usize, position: u64) -> Candidate {
        let game = &played.games[index];
        let mut seats: Vec<usize> = (0..played.seats.len()).collect();
        seats.sort_by_key(|&seat| game.places[seat]);
        let mut table = played.seats.clone();
        table.sort_unstable();
        Candidate {
            place: (position, played.key.rotation, index),
            table,
            highlight: Highlight {
                kind: HighlightKind::Longest,
                measure: f64::from(game.plies),
                key: played.key,
                game: index as u64 + 1,
                entrants: seats.iter().map(|&seat| played.seats[seat]).collect(),
                rule: game.rule.clone(),
                record: played.record.as_ref().map(|record| InRecord {
                    file: record.file.clone(),
                    game: record.game + index as u32,
                }),
                ply: None,
            },
        }
    }
}

/// The first games of a kind, each of other entrants, from the first on.
#[derive(Clone, Debug, Default)]
struct First(Vec<Candidate>);

impl First {
    fn add(&mut self, kind: HighlightKind, measure: f64, one: &Candidate) {
        let is_before = |other: &Candidate| {
            let order = kind.order(other.highlight.measure, measure);
            order.then(other.place.cmp(&one.place)).is_lt()
        };
        let at = self.0.partition_point(is_before);
        let is_known = self.0[..at].iter().any(|other| other.table == one.table);
        if at == MOST || is_known {
            return;
        }
        self.0.retain(|other| other.table != one.table);
        let mut new = one.clone();
        (new.highlight.kind, new.highlight.measure) = (kind, measure);
        self.0.insert(at, new);
        self.0.truncate(MOST);
    }
}

/// The games of a league that may be worth a look.
#[derive(Clone, Debug, Default)]
pub(super) struct Highlights {
    /// Games that were played by the rules from the beginning to the end.
    sound: u32,
    closest: First,
    longest: First,
    shortest: First,
    /// By rule how many games it has ended, and the first of them.
    ends: BTreeMap<String, (u32, First)>,
    /// The first game of each table that each of its entrants has won alone.
    won: HashMap<(Vec<usize>, usize), Candidate>,
    /// The last that were played, where records tell more.
    last: VecDeque<Candidate>,
}

impl Highlights {
    /// Takes a fixture that stands in the block of this position.
    pub(super) fn add(&mut self, game: GameName, played: &Played, position: u64) {
        for (index, of) in played.games.iter().enumerate() {
            if of.plies == 0 || of.kinds.iter().any(|kind| *kind != EndKind::Normal) {
                continue;
            }
            self.sound += 1;
            let one = Candidate::of(played, index, position);
            let plies = f64::from(of.plies);
            if let Some(margin) = margin(of) {
                self.closest.add(HighlightKind::Closest, margin, &one);
            }
            self.longest.add(HighlightKind::Longest, plies, &one);
            self.shortest.add(HighlightKind::Shortest, plies, &one);
            if let Some(rule) = &of.rule {
                let (games, first) = self.ends.entry(rule.clone()).or_default();
                *games += 1;
                first.add(HighlightKind::RareEnd, 0.0, &one);
            }
            let mut first = of.places.iter().filter(|place| **place == 0);
            if first.next().is_some() && first.next().is_none() {
                let won = self
                    .won
                    .entry((one.table.clone(), one.highlight.entrants[0]));
                let won = won.or_insert_with(|| one.clone());
                if one.place < won.place {
                    won.clone_from(&one);
                }
            }
            // The others have no count in which a player is ahead.
            if matches!(game, GameName::Blokus | GameName::Daihinmin) {
                self.last.push_back(one);
                if self.last.len() > MOST_READ {
                    self.last.pop_front();
                }
            }
        }
    }

    /// What the journal alone tells.
    pub(super) fn found(&self, ratings: &Ratings) -> Vec<Highlight> {
        let rating = |entrant: &usize| ratings.entrants[*entrant].rating;
        let mut upsets = First::default();
        for one in self.won.values() {
            // How far the winner is rated below the best of its opponents.
            let best = one.table.iter().map(rating).reduce(f64::max);
            let below = best.map(|best| best - rating(&one.highlight.entrants[0]));
            if let Some(below) = below.filter(|below| below.is_finite() && *below > 0.0) {
                upsets.add(HighlightKind::Upset, below, one);
            }
        }
        let mut rare = First::default();
        let ends = self.ends.values();
        for (games, first) in ends.filter(|(games, _)| 10 * games <= self.sound) {
            for one in &first.0 {
                rare.add(HighlightKind::RareEnd, f64::from(*games), one);
            }
        }
        let all = [&upsets, &self.closest, &rare, &self.longest, &self.shortest];
        let all = all.into_iter().flat_map(|first| &first.0);
        all.map(|one| one.highlight.clone()).collect()
    }

    /// What the records in a folder tell of the last games.
    pub(super) fn comebacks(&self, game: GameName, folder: &Path) -> Vec<Highlight> {
        let mut files: BTreeMap<&str, BTreeMap<u32, &Candidate>> = BTreeMap::new();
        for one in &self.last {
            if let Some(record) = &one.highlight.record {
                let games = files.entry(&record.file).or_default();
                games.insert(record.game, one);
            }
        }
        let mut found = First::default();
        for (file, games) in &files {
            let path = folder.join(file);
            let read = match game {
                GameName::Blokus => deficits::<Blokus>(&path),
                _ => deficits::<DaihinminGame>(&path),
            };
            for (number, deficit) in read.unwrap_or_else(|reason| {
                log::debug!("{reason}");
                Vec::new()
            }) {
                if let Some(one) = games.get(&number) {
                    let points = f64::from(deficit.points);
                    let mut one = Candidate::clone(one);
                    one.highlight.ply = Some(deficit.ply);
                    // Of games that are level the first by its key is told.
                    one.place.0 = u64::from(one.highlight.key.matchup) << 32
                        | u64::from(one.highlight.key.deal);
                    found.add(HighlightKind::Comeback, points, &one);
                }
            }
        }
        found.0.into_iter().map(|one| one.highlight).collect()
    }
}

/// How far the first two are apart by the game's own count.
fn margin(game: &Game) -> Option<f64> {
    let mut counts = game.counts.clone();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    Some(f64::from(counts.first()? - counts.get(1)?))
}

/// By the number of the game, the largest deficit of the player that won alone.
fn deficits<G: Recorded>(path: &Path) -> Result<Vec<(u32, Deficit)>, ReadError> {
    let mut reader = RecordReader::open(path)?;
    let mut deficits = Deficits::<G>::new(reader.header()).map_err(|e| reader.error(e))?;
    let mut found = Vec::new();
    while let Some(event) = reader.next() {
        found.extend(deficits.take(&event?.what).map_err(|e| reader.error(e))?);
    }
    Ok(found)
}
