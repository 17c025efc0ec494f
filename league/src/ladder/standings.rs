//! What the days of a ladder say about its entrants.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::Path;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stats::{Block, Booked, Outcome, Plan};

use super::day::{Part, days_in, name_of};
use super::status::{LadderRow, replace};
use crate::journal::{JournalError, JournalReader, Played};
use crate::settings::{Entrant, LadderRules, Settings, Start};

/// Games of an entrant that are known as its last ones.
const LAST: usize = 20;

/// Days that are rated at a time, where those of many are missing.
const MOST_DAYS: usize = 4;

/// A game of less weight does not count.
const LEAST_WEIGHT: f64 = 1.0 / 1024.0;

/// Name of the folder with a page of each entrant.
const PAGES: &str = "entrants";

/// Name of the file with the ratings at the end of each day. It follows from the days, and is made anew where it is missing.
const HISTORY: &str = "history.json";

/// Resamples of the intervals.
const RESAMPLES: u32 = 100;

/// Blocks and counts of all days.
#[derive(Clone, Debug, Default)]
pub(super) struct Standings {
    /// By day what was played, and how often. Without a half-life, days that are over are in the first one.
    days: BTreeMap<Date, BTreeMap<Pattern, u32>>,
    blocks: u64,
    counts: Vec<Count>,
    games: u64,
    /// By day that is over, such as `2026-11-30`, and entrant.
    history: BTreeMap<String, Vec<PastRating>>,
    /// By entrant.
    rated: Vec<PastRating>,
}

/// What is counted of an entrant.
#[derive(Clone, Debug, Default)]
struct Count {
    games: u64,
    wins: u64,
    /// By kind, without the normal end.
    faults: BTreeMap<String, u64>,
    /// By opponent its games and the sum of their scores.
    opponents: BTreeMap<usize, (u64, f64)>,
    /// The newest first.
    last: VecDeque<LastGame>,
}

#[derive(Clone, Debug)]
struct LastGame {
    part: Part,
    /// The name of its record without its ending, if there is one, and its number there.
    record: Option<String>,
    game: u32,
    seats: Vec<usize>,
    places: Vec<u8>,
    /// The fault of the entrant that ended it.
    fault: Option<String>,
}

/// A rating as it was.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct PastRating {
    rating: f64,
    /// As in a row.
    half_width: Option<f64>,
    games: u64,
}

/// What ratings need of a block: a year of games has to be kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pattern {
    /// Those of a table.
    entrants: Box<[u32]>,
    /// By game, and among its games by entrant.
    places: Box<[u8]>,
}

impl Pattern {
    fn of(played: &[&Played]) -> Pattern {
        let mut entrants: Vec<u32> = played[0].seats.iter().map(|&one| one as u32).collect();
        entrants.sort_unstable();
        let places = played.iter().flat_map(|fixture| {
            fixture.games.iter().flat_map(|game| {
                let seats = fixture.seats.iter().zip(&game.places);
                let mut seats: Vec<(usize, u8)> =
                    seats.map(|(&one, &place)| (one, place)).collect();
                seats.sort_unstable();
                seats.into_iter().map(|(_, place)| place)
            })
        });
        Pattern {
            places: places.collect(),
            entrants: entrants.into(),
        }
    }

    fn block(&self) -> Block {
        let game = |places: &[u8]| Outcome {
            entrants: self.entrants.iter().map(|&one| one as usize).collect(),
            places: places.to_vec(),
            points: Vec::new(),
        };
        self.places.chunks(self.entrants.len()).map(game).collect()
    }
}

/// Games that wait to be rated, which takes longer the more entrants there are.
#[derive(Debug)]
pub(super) struct RatingJob {
    open: Date,
    today: Date,
    anchor: usize,
    now: Booked,
    days: Vec<(Date, Booked)>,
    blocks: u64,
}

/// Ratings by entrant: those of now, and those at the end of days.
#[derive(Debug)]
pub(super) struct Rated {
    open: Date,
    pub(super) today: Date,
    now: Vec<PastRating>,
    days: Vec<(String, Vec<PastRating>)>,
    /// How many blocks were rated.
    pub(super) blocks: u64,
}

impl RatingJob {
    pub(super) fn run(self) -> Rated {
        let plan = Plan {
            anchor: self.anchor,
            resamples: RESAMPLES,
            seed: 1,
        };
        let of = |one: stats::Rating| PastRating {
            rating: one.rating,
            half_width: Some(one.half_width_to_mean).filter(|width| width.is_finite()),
            games: one.games,
        };
        let rate = |booked: Booked| booked.ratings(plan).entrants.into_iter().map(of).collect();
        Rated {
            open: self.open,
            today: self.today,
            now: rate(self.now),
            days: self
                .days
                .into_iter()
                .map(|(day, booked)| (day.to_string(), rate(booked)))
                .collect(),
            blocks: self.blocks,
        }
    }
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
        let history = std::fs::read(folder.join(HISTORY)).unwrap_or_default();
        standings.history = serde_json::from_slice(&history).unwrap_or_default();
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
        if played.is_empty() {
            return;
        }
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
                    let own = game.kind(seat).is_fault().then(|| game.kind(seat).as_str());
                    if let Some(kind) = own {
                        *count.faults.entry(kind.to_owned()).or_default() += 1;
                    }
                    for (other, &opponent) in fixture.seats.iter().enumerate() {
                        if opponent != entrant {
                            let (games, score) = count.opponents.entry(opponent).or_default();
                            *games += 1;
                            *score += match game.places[seat].cmp(&game.places[other]) {
                                Ordering::Less => 1.0,
                                Ordering::Equal => 0.5,
                                Ordering::Greater => 0.0,
                            };
                        }
                    }
                    let record = fixture.record.as_ref();
                    count.last.push_front(LastGame {
                        part,
                        record: record.map(|at| at.file.trim_end_matches(".jsonl").to_owned()),
                        game: record.map_or(1, |at| at.game),
                        seats: fixture.seats.clone(),
                        places: game.places.clone(),
                        fault: own.map(str::to_owned),
                    });
                    count.last.truncate(LAST);
                }
                self.games += 1;
            }
        }
        self.blocks += 1;
        let day = self.days.entry(part.0).or_default();
        *day.entry(Pattern::of(played)).or_default() += 1;
    }

    pub(super) fn games(&self, entrant: usize) -> u64 {
        self.counts.get(entrant).map_or(0, |count| count.games)
    }

    pub(super) const fn all_games(&self) -> u64 {
        self.games
    }

    pub(super) const fn blocks(&self) -> u64 {
        self.blocks
    }

    /// The rating of an entrant when they were last worked out; 0 before that.
    pub(super) fn rating(&self, entrant: usize) -> f64 {
        self.rated.get(entrant).map_or(0.0, |rated| rated.rating)
    }

    /// How often the second was at the last tables of the first.
    pub(super) fn met(&self, entrant: usize, other: usize) -> f64 {
        let last = self.counts.get(entrant).map(|count| &count.last);
        last.map_or(0.0, |last| {
            let with = last.iter().filter(|game| game.seats.contains(&other));
            with.map(|game| 1.0 / game.seats.len() as f64).sum()
        })
    }

    /// The games that count at the end of a day, each as much as it counts then.
    fn booked(&self, settings: &Settings, rules: &LadderRules, day: Date) -> Booked {
        let mut all: BTreeMap<(i64, &Pattern), u32> = BTreeMap::new();
        for (&played, patterns) in self.days.range(..=day) {
            let age = match rules.half_life_days {
                0 => 0,
                _ => day.duration_since(played).as_hours() / 24,
            };
            for (pattern, times) in patterns {
                *all.entry((age, pattern)).or_default() += times;
            }
        }
        let half_life = f64::from(rules.half_life_days.max(1));
        let counting = all.into_iter().filter_map(|((age, pattern), times)| {
            let weight = (-(age as f64) / half_life).exp2();
            (weight >= LEAST_WEIGHT).then(|| (pattern.block(), times, weight))
        });
        Booked::weighted(settings.entrants.len(), counting)
    }

    /// What has to be rated: the games of now, and those of the days that are over and have no ratings yet. `open` is the
    /// first day that is not over.
    pub(super) fn job(
        &self,
        settings: &Settings,
        rules: &LadderRules,
        (open, today): (Date, Date),
    ) -> RatingJob {
        let new = self.days.range(..open).map(|(&day, _)| day);
        let mut new = new.filter(|day| !self.history.contains_key(&day.to_string()));
        let days: Vec<Date> = new.by_ref().take(MOST_DAYS).collect();
        RatingJob {
            open: new.next().unwrap_or(open),
            today,
            anchor: settings.anchor,
            now: self.booked(settings, rules, today),
            days: days
                .into_iter()
                .map(|day| (day, self.booked(settings, rules, day)))
                .collect(),
            blocks: self.blocks,
        }
    }

    /// Keeps of the days before this one, whose ratings are known, no more than the next ratings need.
    fn shrink(&mut self, open: Date, rules: &LadderRules) {
        let later = self.days.split_off(&open);
        let over = std::mem::replace(&mut self.days, later);
        let half_life = i64::from(rules.half_life_days);
        if half_life > 0 {
            let age = |day: Date| open.duration_since(day).as_hours() / 24;
            let over = over.into_iter();
            self.days
                .extend(over.filter(|(day, _)| age(*day) <= 10 * half_life));
        } else if let Some((&first, _)) = over.first_key_value() {
            let sum = self.days.entry(first).or_default();
            for (pattern, times) in over.into_values().flatten() {
                *sum.entry(pattern).or_default() += times;
            }
        }
    }

    /// Takes ratings in.
    pub(super) fn take(&mut self, rated: Rated, rules: &LadderRules) {
        self.history.extend(rated.days);
        self.shrink(rated.open, rules);
        self.rated = rated.now;
    }

    /// The table by the last ratings: those with a rank first, the others after them.
    pub(super) fn rows(&self, settings: &Settings, rules: &LadderRules) -> Vec<LadderRow> {
        let nothing = Count::default();
        let row = |(number, entrant): (usize, &Entrant)| {
            let count = self.counts.get(number).unwrap_or(&nothing);
            LadderRow {
                rank: None,
                name: entrant.name.clone(),
                number,
                house: !entrant.comes_itself(),
                engine: match &entrant.start {
                    Start::House { engine, .. } => Some(engine.clone()),
                    _ => None,
                },
                rating: self.rating(number),
                half_width: self.rated.get(number).and_then(|rated| rated.half_width),
                games: count.games,
                wins: count.wins,
                faults: count.faults.clone(),
            }
        };
        let mut rows: Vec<LadderRow> = settings.entrants.iter().enumerate().map(row).collect();
        // With a half-life, games of long ago no longer count.
        let counting = |row: &LadderRow| self.rated.get(row.number).map_or(0, |rated| rated.games);
        let has_rank = |row: &LadderRow| counting(row) >= rules.ranked_after.max(1);
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

    /// Writes the pages of the entrants, and the ratings of the days.
    pub(super) fn write(
        &self,
        folder: &Path,
        rows: &[LadderRow],
        settings: &Settings,
        today: Date,
    ) -> io::Result<()> {
        replace(&folder.join(HISTORY), &self.history)?;
        let pages = folder.join(PAGES);
        std::fs::create_dir_all(&pages)?;
        for row in rows {
            let page = self.page(row, settings, today);
            replace(&pages.join(format!("{}.json", row.number)), &page)?;
        }
        Ok(())
    }

    /// All that the ladder says of an entrant (schema: `docs/schema/ladder-entrant.json`).
    fn page(&self, row: &LadderRow, settings: &Settings, today: Date) -> Value {
        let name = |number: usize| &settings.entrants[number].name;
        let nothing = Count::default();
        let count = self.counts.get(row.number).unwrap_or(&nothing);
        let base = |name: &str| name.split("@v").next().map(str::to_owned);
        let versions = (0..settings.entrants.len())
            .filter(|&one| base(name(one)) == base(&row.name))
            .map(|one| json!({"name": name(one), "number": one}));
        let now = self.rated.get(row.number).copied();
        let past = self.history.iter();
        let past = past.filter_map(|(day, all)| Some((day.clone(), *all.get(row.number)?)));
        let history = past
            .filter(|(_, rating)| rating.games > 0)
            .chain(now.map(|now| (today.to_string(), now)))
            .map(|(day, past)| {
                json!({"day": day, "rating": past.rating, "half_width": past.half_width, "games": past.games})
            });
        let mut opponents: Vec<_> = count.opponents.iter().collect();
        opponents.sort_by_key(|(_, (games, _))| Reverse(*games));
        let opponents = opponents.into_iter().map(|(&one, (games, score))| {
            json!({"name": name(one), "number": one, "games": games, "score": score / *games as f64})
        });
        let last = count.last.iter().map(|game| {
            let seats: Vec<&String> = game.seats.iter().map(|&one| name(one)).collect();
            json!({
                "day": name_of(game.part), "record": game.record, "game": game.game, "seats": seats,
                "places": game.places, "fault": game.fault,
            })
        });
        let mut page = json!(row);
        page["versions"] = versions.collect();
        page["history"] = history.collect();
        page["opponents"] = opponents.collect();
        page["last"] = last.collect();
        page
    }
}
