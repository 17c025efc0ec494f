//! Games of a league that are worth a look, found by simple measures of its journal and its records.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use games::{Blokus, GameName};
use record::{
    DaihinminGame, Deficit, Deficits, EndKind, HighlightKind, ReadError, RecordReader, Recorded,
};
use serde::Serialize;
use stats::Ratings;

use super::in_order;
use crate::journal::{Game, InRecord, Journal, Played};
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

#[derive(Clone, Copy)]
struct Candidate<'a> {
    played: &'a Played,
    /// Its place in the session, from 0.
    index: usize,
}

impl<'a> Candidate<'a> {
    fn game(self) -> &'a Game {
        &self.played.games[self.index]
    }

    /// Whether it was played by the rules from its beginning to its end.
    fn is_sound(self) -> bool {
        let game = self.game();
        game.plies > 0 && game.kinds.iter().all(|kind| *kind == EndKind::Normal)
    }

    /// The seat of the schedule that alone has the first place.
    fn winner(self) -> Option<usize> {
        let places = &self.game().places;
        let mut first = (0..places.len()).filter(|&seat| places[seat] == 0);
        first.next().filter(|_| first.next().is_none())
    }

    fn record(self) -> Option<InRecord> {
        let record = self.played.record.as_ref()?;
        Some(InRecord {
            file: record.file.clone(),
            game: record.game + self.index as u32,
        })
    }

    fn highlight(self, kind: HighlightKind, measure: f64, ply: Option<u32>) -> Highlight {
        let game = self.game();
        let mut seats: Vec<usize> = (0..self.played.seats.len()).collect();
        seats.sort_by_key(|&seat| game.places[seat]);
        Highlight {
            kind,
            measure,
            key: self.played.key,
            game: self.index as u64 + 1,
            entrants: seats.iter().map(|&seat| self.played.seats[seat]).collect(),
            rule: game.rule.clone(),
            record: self.record(),
            ply,
        }
    }

    /// How far the winner is rated below the best of its opponents.
    fn upset(self, ratings: &Ratings) -> Option<f64> {
        let winner = self.winner()?;
        let rating = |&entrant: &usize| ratings.entrants[entrant].rating;
        let best = self.played.seats.iter().map(rating).reduce(f64::max)?;
        let below = best - rating(&self.played.seats[winner]);
        (below.is_finite() && below > 0.0).then_some(below)
    }

    /// How far the first two are apart by the game's own count.
    fn margin(self) -> Option<f64> {
        let mut counts = self.game().counts.clone();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        Some(f64::from(counts.first()? - counts.get(1)?))
    }
}

/// What the journal alone tells.
pub(super) fn highlights(journal: &Journal, ratings: &Ratings) -> Vec<Highlight> {
    let all: Vec<Candidate<'_>> = in_order(journal)
        .into_iter()
        .flat_map(candidates)
        .filter(|one| one.is_sound())
        .collect();
    let mut ends: BTreeMap<&str, u32> = BTreeMap::new();
    for rule in all.iter().filter_map(|one| one.game().rule.as_deref()) {
        *ends.entry(rule).or_default() += 1;
    }
    let is_rare = |n: &u32| 10 * *n as usize <= all.len();
    let rare = |one: Candidate<'_>| {
        let games = ends.get(one.game().rule.as_deref()?).filter(|n| is_rare(n));
        games.copied().map(f64::from)
    };
    let plies = |one: Candidate<'_>| Some(f64::from(one.game().plies));
    let mut found = best(HighlightKind::Upset, &all, |one| one.upset(ratings));
    found.extend(best(HighlightKind::Closest, &all, Candidate::margin));
    found.extend(best(HighlightKind::RareEnd, &all, rare));
    found.extend(best(HighlightKind::Longest, &all, plies));
    found.extend(best(HighlightKind::Shortest, &all, plies));
    found
}

fn candidates(played: &Played) -> impl Iterator<Item = Candidate<'_>> {
    (0..played.games.len()).map(move |index| Candidate { played, index })
}

/// The first games by a measure, each of other entrants.
fn best<'a>(
    kind: HighlightKind,
    all: &[Candidate<'a>],
    measure: impl Fn(Candidate<'a>) -> Option<f64>,
) -> Vec<Highlight> {
    let measured = all.iter().filter_map(|&one| Some((measure(one)?, one)));
    let mut measured: Vec<(f64, Candidate<'_>)> = measured.collect();
    measured.sort_by(|(a, _), (b, _)| kind.order(*a, *b));
    let first = apart(measured.into_iter());
    first
        .map(|(measure, one)| one.highlight(kind, measure, None))
        .collect()
}

/// The first games of different entrants.
fn apart<'a, T>(
    all: impl Iterator<Item = (T, Candidate<'a>)>,
) -> impl Iterator<Item = (T, Candidate<'a>)> {
    let mut known = HashSet::new();
    let of_others = all.filter(move |(_, one)| {
        let mut entrants = one.played.seats.clone();
        entrants.sort_unstable();
        known.insert(entrants)
    });
    of_others.take(MOST)
}

pub(super) fn comebacks(journal: &Journal, folder: &Path) -> Vec<Highlight> {
    let fixtures: Vec<&Played> = journal.played().collect();
    let all = fixtures.into_iter().flat_map(candidates);
    let all: Vec<Candidate<'_>> = all.filter(|one| one.is_sound()).collect();
    let mut files: BTreeMap<String, BTreeMap<u32, Candidate<'_>>> = BTreeMap::new();
    for one in &all[all.len().saturating_sub(MOST_READ)..] {
        if let Some(record) = one.record() {
            files
                .entry(record.file)
                .or_default()
                .insert(record.game, *one);
        }
    }
    let mut found: Vec<(Deficit, Candidate<'_>)> = Vec::new();
    for (file, games) in &files {
        let path = folder.join(file);
        let read = match journal.head.settings.game() {
            GameName::Blokus => deficits::<Blokus>(&path),
            GameName::Daihinmin => deficits::<DaihinminGame>(&path),
            // These have no count in which a player is ahead.
            GameName::Geister | GameName::Dobutsu | GameName::ScoreFour => continue,
        };
        match read {
            Ok(read) => found.extend(
                read.into_iter()
                    .filter_map(|(game, deficit)| Some((deficit, *games.get(&game)?))),
            ),
            Err(reason) => log::debug!("{reason}"),
        }
    }
    found.sort_by_key(|(deficit, one)| (-deficit.points, one.played.key));
    apart(found.into_iter())
        .map(|(deficit, one)| {
            let measure = f64::from(deficit.points);
            one.highlight(HighlightKind::Comeback, measure, Some(deficit.ply))
        })
        .collect()
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
