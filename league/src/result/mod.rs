//! What a league has come to, from its journal alone.
//!
//! Ratings, means, the cross table and scores of seats are made from whole blocks: deals of which every rotation
//! was played, and all intervals are over such blocks. Faults, ends and times count every fixture that was played, for
//! no fault may be hidden by a deal that is not over. Nothing depends on the order of the lines.
//!
//! | part | what it gives |
//! |---|---|
//! | [`Report::of`] | the figures; they are `serde::Serialize` |
//! | [`terminal`] | tables for a terminal |
//! | [`csv`] | a row for each entrant, a row for each game and seat |
//! | [`page`](page()) | one page with plots, without anything from elsewhere |
//! | [`write()`] | all files of a report |

use std::collections::{BTreeMap, HashSet};
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use super::archive::RECORDS;
use super::journal::{Entry, Journal, Order, Played, Test, repeats};
use super::sections::Section;
use super::settings::{Format, Settings};
use games::GameName;
use number::counted;
use record::files::named;
use stats::{
    Booked, Elo, NORMAL, Plan, Rating, Ratings, Sample, Standing, cross_table, duels, standings,
};

pub use counts::{Counts, EntrantCounts};
pub use page::page;

pub use highlights::Highlight;

pub use figures::{
    EntrantFigures, MoreGames, Needed, RankedBy, Report, SeatScore, Sequential, Superiority,
    Thinking, Totals, Unplayed, VERSION, VoidCount,
};

mod counts;
pub mod csv;
mod figures;
mod highlights;
pub(crate) mod number;
mod page;
mod setup;
pub(crate) mod stages;
pub mod terminal;
#[cfg(test)]
mod tests;

/// Name of the figures as JSON in the folder of a league.
pub const JSON: &str = "report.json";
pub const PAGE: &str = "report.html";

/// Points of the plot of ratings over the course of the league.
const STEPS: usize = 40;
/// Most points of the plot of a sequential test.
const MOST_POINTS: usize = 200;

impl Report {
    /// Whether points stand before ratings: entrants are ranked by them.
    fn leads_with_points(&self) -> bool {
        self.ranked_by != RankedBy::Rating
    }

    const fn noun(&self) -> &'static str {
        if self.duplicate { "deal" } else { "block" }
    }

    /// Whole blocks in words: deals, if all games of a block have the same.
    fn counted_blocks(&self, n: u64) -> String {
        if self.duplicate {
            format!("{} from every seat", counted(n, "deal"))
        } else {
            format!(
                "{} of {} games, each with its own deal",
                counted(n, "block"),
                self.block_games
            )
        }
    }

    /// What makes games differ where the deals do not: in Geister the players choose their placements.
    fn openings(&self) -> &'static str {
        if self.game == GameName::Geister.as_str() {
            ""
        } else {
            ", raise random-plies"
        }
    }

    /// Whether no game is left to play: all are played, or the test has its verdict.
    pub fn is_over(journal: &Journal) -> bool {
        let scheduled = Section::fixtures_of(&journal.head.settings);
        Counts::of(journal).is_over(scheduled)
    }

    /// Adds the games that turned furthest, which the records tell. A record that cannot be read is left out.
    #[must_use]
    pub fn with_comebacks(mut self, journal: &Journal, records: &Records) -> Report {
        let found = highlights::comebacks(journal, &records.folder);
        self.highlights.extend(found);
        self.highlights.sort_by_key(|one| one.kind);
        self
    }

    pub fn of(journal: &Journal) -> Report {
        let settings = &journal.head.settings;
        let order = Order::of(settings);
        let counts = Counts::of(journal);
        let totals = totals(journal, &counts);
        let is_over = counts.is_over(totals.scheduled);
        let whole = &counts.blocks[..];
        let blocks = || whole.iter().map(|block| &block.block);
        let seats = SeatScores::of(journal);

        let entrants = settings.entrants.len();
        let booked = Booked::of(entrants, blocks());
        let ratings = booked.ratings(Plan {
            anchor: settings.anchor,
            ..Plan::default()
        });
        let mut standings = standings(entrants, blocks());
        // The total also has the points of byes and of games that none of the players has begun. No mean has them.
        for game in whole.iter().flat_map(|block| &block.walkovers) {
            for (&entrant, points) in game.entrants.iter().zip(&game.points) {
                standings[entrant].points_total += points;
            }
        }
        for bye in stages::all_byes(journal, whole) {
            standings[bye.entrant].points_total += bye.game_points;
        }
        let duels = duels(entrants, blocks(), |entrant| standings[entrant].score);
        let duels = duels.filter(|_| settings.seats() == 2);
        let ranked_by = ranked_by(settings);
        let orders = journal.organiser_state();
        let mut ranking = ranking(ranked_by, &ratings, &standings);
        let stages = stages::tables(journal, whole, &orders.disqualified);
        if ranked_by == RankedBy::Table {
            ranking = stages::ranking(&stages, &ranking);
        }
        ranking.sort_by_key(|entrant| orders.disqualified.contains(entrant));
        let cross = cross_table(entrants, blocks());
        let mut progress = booked.progress(settings.anchor, STEPS);
        for step in &mut progress {
            step.ratings = ranking.iter().map(|&e| step.ratings[e]).collect();
        }
        let (voids, not_played) = voids(journal, &order);
        Report {
            version: VERSION,
            title: settings.title.clone(),
            played_by: journal.played_by(),
            machines: journal.machines(),
            game: settings.game().as_str(),
            format: format(settings),
            block_games: u64::from(settings.plan().rotations()) * u64::from(settings.session),
            duplicate: settings.duplicate,
            ranked_by,
            anchor: settings.entrants[settings.anchor].name.clone(),
            margin: settings.margin,
            began: began(journal),
            table_hours: counts.ms as f64 / 3.6e6,
            needed: needed(settings, &order, &ratings, &totals),
            apart: apart(settings, &order, &ratings, &ranking, &totals),
            sprt: counts
                .test
                .as_ref()
                .and_then(|test| sequential(settings, test, &totals)),
            totals,
            seed: is_over.then_some(settings.seed),
            entrants: lines(settings, &ratings, &ranking, &standings, &counts, &seats)
                .into_iter()
                .map(|line| EntrantFigures {
                    disqualified: orders.disqualified.contains(&line.number),
                    duels: duels.as_ref().map(|duels| duels[line.number]),
                    ..line
                })
                .collect(),
            stages,
            cross: ranking
                .iter()
                .map(|&a| ranking.iter().map(|&b| cross[a][b]).collect())
                .collect(),
            seats: seats.all(),
            draw: ratings.draw,
            ends: counts.ends,
            voids,
            not_played,
            acts: journal.commands().cloned().collect(),
            progress,
            highlights: highlights::highlights(journal, &ratings),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records {
    pub folder: PathBuf,
    /// Their folder as a page sees it, which the links of the page begin with.
    pub seen: PathBuf,
}

impl Records {
    /// Those of a league for a page in its folder.
    pub fn beside(league: &Path) -> Records {
        Records {
            folder: league.join(RECORDS),
            seen: PathBuf::from(RECORDS),
        }
    }

    /// Those of a league for a page anywhere: its links lead from the folder of the page to that of the records, so that both
    /// can be moved and published together.
    pub fn seen_from(page: &Path, league: &Path) -> Records {
        let beside = Records::beside(league);
        // A page in the current folder has none in its name.
        let folder = page
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize();
        let (Ok(from), Ok(to)) = (folder, beside.folder.canonicalize()) else {
            return beside;
        };
        let both = from.components().zip(to.components());
        let shared = both.take_while(|(a, b)| a == b).count();
        let up = from.components().skip(shared).map(|_| Component::ParentDir);
        let seen = up.chain(to.components().skip(shared)).collect();
        Records { seen, ..beside }
    }
}

/// Writes the figures as JSON, the page and both CSV tables into the folder of a league.
pub fn write(folder: &Path, report: &Report, journal: &Journal) -> io::Result<()> {
    write_all(folder, files(report, journal, &Records::beside(folder)))
}

/// These files by their names in the folder of a league: the page, the figures as JSON and both CSV tables.
pub(crate) fn files(
    report: &Report,
    journal: &Journal,
    records: &Records,
) -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    let page = page(report, journal, records).into_bytes();
    let files = [(PAGE, page), (JSON, json(report).into_bytes())].into_iter();
    files.chain(csv::tables(report, journal))
}

/// Writes files into a folder.
pub fn write_all(
    folder: &Path,
    files: impl IntoIterator<Item = (&'static str, Vec<u8>)>,
) -> io::Result<()> {
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|e| named(&path, &e))?;
    }
    Ok(())
}

/// The figures as JSON (schema: docs/schema/report.json).
#[expect(clippy::missing_panics_doc, reason = "the figures are plain data")]
pub fn json(report: &Report) -> String {
    serde_json::to_string_pretty(report).expect("the figures are plain data") + "\n"
}

/// The fixtures that were played, in the order of the schedule.
fn in_order(journal: &Journal) -> Vec<&Played> {
    let order = Order::of(&journal.head.settings);
    let mut played: Vec<&Played> = journal.played().collect();
    played.sort_by_cached_key(|played| {
        let key = played.key;
        (order.position(key.matchup, key.deal), key.rotation)
    });
    played
}

/// Tournaments that count points rank by them, if all entrants play alike.
fn ranked_by(settings: &Settings) -> RankedBy {
    if settings.has_table() {
        return RankedBy::Table;
    }
    let is_fair = matches!(settings.format, Format::RoundRobin | Format::Swiss { .. });
    if is_fair && (settings.points.is_some() || settings.session > 1) {
        RankedBy::Points
    } else {
        RankedBy::Rating
    }
}

/// The entrants from the best to the worst; those without a game last.
fn ranking(by: RankedBy, ratings: &Ratings, standings: &[Standing]) -> Vec<usize> {
    let rated = &ratings.entrants;
    let mut ranking: Vec<usize> = (0..rated.len()).collect();
    ranking.sort_by(|&a, &b| {
        let played = |e: usize| rated[e].games > 0;
        let points = |e: usize| match by {
            RankedBy::Points => standings[e].points_total,
            RankedBy::Rating | RankedBy::Table => 0.0,
        };
        played(b)
            .cmp(&played(a))
            .then(points(b).total_cmp(&points(a)))
            .then(rated[b].rating.total_cmp(&rated[a].rating))
            .then(a.cmp(&b))
    });
    ranking
}

fn lines(
    settings: &Settings,
    ratings: &Ratings,
    ranking: &[usize],
    standings: &[Standing],
    counts: &Counts,
    seats: &SeatScores,
) -> Vec<EntrantFigures> {
    let line = |(rank, &entrant): (usize, &usize)| {
        let Rating {
            rating,
            half_width,
            games,
            ..
        } = ratings.entrants[entrant];
        let below = ranking
            .get(rank + 1)
            .filter(|&&b| ratings.entrants[b].games > 0);
        EntrantFigures {
            name: settings.entrants[entrant].name.clone(),
            number: entrant,
            clocks: settings.entrants[entrant]
                .clocks
                .as_ref()
                .map(setup::clocks),
            rating: (games > 0).then_some(rating),
            rating_half_width: half_width,
            disqualified: false,
            duels: None,
            superior_to_next: below
                .and_then(|&below| ratings.superior[entrant][below])
                .map(Superiority),
            games,
            standing: standings[entrant],
            by_seat: seats.of_entrant(entrant),
            faults: counts.entrants[entrant].faults.clone(),
            refused: counts.entrants[entrant].refused,
            thinking: counts.entrants[entrant].thinking(),
        }
    };
    ranking.iter().enumerate().map(line).collect()
}

fn totals(journal: &Journal, counts: &Counts) -> Totals {
    let settings = &journal.head.settings;
    Totals {
        fixtures: counts.fixtures,
        scheduled: Section::fixtures_of(settings),
        games: counts.games,
        plies: counts.plies,
        blocks: counts.blocks.len() as u64,
        incomplete: counts.begun() as u64,
        repeats: repeats(settings, journal.played()),
    }
}

/// The times at which the league was begun and taken up again.
fn began(journal: &Journal) -> Vec<String> {
    let mut began = vec![journal.head.started.clone()];
    for entry in &journal.entries {
        if let Entry::Begun { begun, .. } = entry {
            began.push(begun.clone());
        }
    }
    began.sort();
    began.dedup();
    began
}

/// What was begun in vain: what was played later, and what was not.
fn voids(journal: &Journal, order: &Order) -> (Vec<VoidCount>, Vec<Unplayed>) {
    let settings = &journal.head.settings;
    let played: HashSet<_> = journal.played().map(|p| p.key).collect();
    let mut later: BTreeMap<&str, u64> = BTreeMap::new();
    let mut last_reason = BTreeMap::new();
    for entry in &journal.entries {
        if let Entry::Void { key, void } = entry {
            if played.contains(key) {
                *later.entry(void).or_default() += 1;
            } else {
                // Lines may come in any order: of several reasons the last by the alphabet is told.
                let reason: &mut &str = last_reason.entry(*key).or_insert(void);
                *reason = (*reason).max(void);
            }
        }
    }
    let mut never: BTreeMap<(u32, &str), u64> = BTreeMap::new();
    for (key, reason) in last_reason {
        *never.entry((key.matchup, reason)).or_default() += 1;
    }
    let seated = |matchup: u32| {
        let known = order.seated(matchup).map(<[usize]>::to_vec);
        let met = || journal.played().find(|p| p.key.matchup == matchup);
        known.or_else(|| met().map(|p| p.seats.clone()))
    };
    let names = |matchup: u32| {
        let mut seated = seated(matchup).unwrap_or_default();
        seated.sort_unstable();
        seated.dedup();
        let name = |e: usize| settings.entrants[e].name.clone();
        seated.into_iter().map(name).collect()
    };
    let later = later.into_iter().map(|(reason, fixtures)| VoidCount {
        reason: reason.to_owned(),
        fixtures,
    });
    let mut voids: Vec<VoidCount> = later.collect();
    voids.sort_by_key(|void| std::cmp::Reverse(void.fixtures));
    let never = never
        .into_iter()
        .map(|((matchup, reason), fixtures)| Unplayed {
            entrants: names(matchup),
            reason: reason.to_owned(),
            fixtures,
        });
    (voids, never.collect())
}

fn sequential(settings: &Settings, test: &Test, totals: &Totals) -> Option<Sequential> {
    let settings_of_test = settings.sprt?;
    let hypotheses = settings_of_test.hypotheses;
    let (sprt, course) = (&test.sprt, &test.course[..]);
    // About so many points, of which the last is the present one.
    let every = course.len().div_ceil(MOST_POINTS).max(1);
    let thinned = course.iter().rev().step_by(every).rev().copied();
    Some(Sequential {
        entrant: settings.entrants[settings_of_test.entrant].name.clone(),
        hypotheses,
        bounds: hypotheses.bounds(),
        ratio: sprt.ratio(),
        blocks: sprt.blocks(),
        course: thinned.collect(),
        verdict: sprt.verdict(),
        all_played: totals.scheduled == Some(totals.fixtures),
        is_swiss: matches!(settings.format, Format::Swiss { .. }),
        elo: (settings.seats() == 2).then(|| [hypotheses.s0, hypotheses.s1].map(Elo::logistic)),
    })
}

fn needed(
    settings: &Settings,
    order: &Order,
    ratings: &Ratings,
    totals: &Totals,
) -> Option<Needed> {
    let most =
        |value: &dyn Fn(&Rating) -> f64| ratings.entrants.iter().map(value).fold(0.0, f64::max);
    let widest = most(&|r| r.half_width);
    if settings.has_stages() || !widest.is_finite() || widest <= 0.0 || settings.margin <= 0.0 {
        return None;
    }
    let blocks = totals.blocks as f64;
    let all = blocks * (most(&|r| r.half_width_of_many) / settings.margin).powi(2);
    let more = if widest <= settings.margin {
        0
    } else {
        (all - blocks).max(1.0).ceil() as u64
    };
    Some(Needed {
        widest,
        more: more_blocks(settings, order, more),
    })
}

/// So many more blocks, in whole deals or rounds.
fn more_blocks(settings: &Settings, order: &Order, more: u64) -> MoreGames {
    let has_rounds = matches!(settings.format, Format::Swiss { .. } | Format::Ladder);
    let matchups = order.matchups();
    let of_round = matchups * u64::from(settings.deals.max(1));
    let (deals, rounds) = if has_rounds {
        (0, more.div_ceil(of_round))
    } else {
        (more.div_ceil(matchups), 0)
    };
    let blocks = deals.saturating_mul(matchups) + rounds.saturating_mul(of_round);
    let games = u64::from(settings.plan().rotations()) * u64::from(settings.session);
    MoreGames {
        deals,
        rounds,
        blocks,
        games: blocks.saturating_mul(games),
    }
}

/// The report gives no number of further games beyond this multiple of the games played.
const MOST_TIMES: f64 = 100.0;

/// The games that it takes to tell each entrant from the next one: a rating difference of z standard deviations after n blocks
/// needs n (1.96 / z)^2 blocks in all. `None` for stages, without a comparable pair of entrants, and beyond [`MOST_TIMES`].
fn apart(
    settings: &Settings,
    order: &Order,
    ratings: &Ratings,
    ranking: &[usize],
    totals: &Totals,
) -> Option<MoreGames> {
    let neighbours = ranking.windows(2).map(|pair| (pair[0], pair[1]));
    let times = neighbours.filter_map(|(a, b)| {
        let difference = ratings.entrants[a].rating - ratings.entrants[b].rating;
        let is_told = Superiority(ratings.superior[a][b]?).is_told();
        let times = (NORMAL * ratings.errors[a][b]? / difference).powi(2);
        Some(if is_told { 0.0 } else { times.max(1.0) })
    });
    let times = times.reduce(f64::max)?;
    let more = (totals.blocks as f64 * (times - 1.0)).max(f64::from(u8::from(times > 0.0)));
    let is_planned = !settings.has_stages() && times <= MOST_TIMES;
    is_planned.then(|| more_blocks(settings, order, more.ceil() as u64))
}

fn format(settings: &Settings) -> String {
    let name = |entrant: usize| &settings.entrants[entrant].name;
    let rounds = |n: u32| {
        if n == 1 {
            "1 round".to_owned()
        } else {
            format!("{n} rounds")
        }
    };
    let who = match settings.format {
        Format::RoundRobin => "round robin".to_owned(),
        Format::Gauntlet { challenger } => format!("{} against the rest", name(challenger)),
        Format::Copies { challenger } => {
            format!("{} against copies of each other", name(challenger))
        }
        Format::Swiss { rounds: n } => format!("Swiss, {}", rounds(n)),
        Format::Ladder => "ladder".to_owned(),
    };
    let deals = if settings.duplicate {
        "each deal from every seat"
    } else {
        "a fresh deal for each game"
    };
    let who = if settings.has_stages() {
        let groups = match settings.groups.count {
            1 => String::new(),
            n => format!(" in {n} groups"),
        };
        let stages = settings.stages.iter();
        let stages = stages.map(|stage| format!(", then {}", stage.name));
        format!("{who}{groups}{}", stages.collect::<String>())
    } else {
        who
    };
    if settings.session > 1 {
        format!("{who}, {deals}, sessions of {} games", settings.session)
    } else {
        format!("{who}, {deals}")
    }
}

/// What the seats of the table are worth, by whole blocks.
#[derive(Clone, Debug)]
struct SeatScores {
    /// By seat the scores in each block.
    scores: Vec<Sample>,
    /// By entrant and seat the seats of others that it has beaten, and how many there were.
    by_entrant: Vec<Vec<(f64, f64)>>,
}

impl SeatScores {
    fn of(journal: &Journal) -> SeatScores {
        let settings = &journal.head.settings;
        let mut seats = SeatScores {
            scores: vec![Sample::default(); settings.seats()],
            by_entrant: vec![vec![(0.0, 0.0); settings.seats()]; settings.entrants.len()],
        };
        let rotations = usize::from(settings.plan().rotations());
        let deal = |played: &Played| (played.key.matchup, played.key.deal);
        let played = in_order(journal);
        let blocks = played.chunk_by(|a, b| deal(a) == deal(b));
        for block in blocks.filter(|block| block.len() == rotations) {
            seats.add(block);
        }
        seats
    }

    fn add(&mut self, block: &[&Played]) {
        let mut sums = vec![(0.0, 0.0); self.scores.len()];
        for fixture in block {
            for game in fixture.games.iter().filter(|game| !game.is_walkover()) {
                for (seat, &entrant) in fixture.seats.iter().enumerate() {
                    let at = game.at.get(seat).map_or(seat, |&at| usize::from(at));
                    sums[at].0 += score(&game.places, seat);
                    sums[at].1 += 1.0;
                    let (beaten, others) = beaten(&fixture.seats, &game.places, seat);
                    let (sum, count) = &mut self.by_entrant[entrant][at];
                    *sum += beaten;
                    *count += others;
                }
            }
        }
        let matchup = block[0].key.matchup as usize;
        for (sample, (sum, games)) in self.scores.iter_mut().zip(sums) {
            sample.add(matchup, sum, games);
        }
    }

    fn all(&self) -> Vec<SeatScore> {
        let seats = self.scores.iter().enumerate();
        let score = seats.map(|(seat, sample)| SeatScore {
            seat,
            score: sample.mean([0.0, 1.0]),
        });
        score.collect()
    }

    fn of_entrant(&self, entrant: usize) -> Vec<Option<f64>> {
        let seats = self.by_entrant[entrant].iter();
        seats
            .map(|&(sum, count)| (count > 0.0).then(|| sum / count))
            .collect()
    }
}

/// Share of the other seats that are behind, ties counting one half: what the seat is worth to any player.
fn score(places: &[u8], seat: usize) -> f64 {
    let behind = places.iter().map(|&other| behind(places[seat], other));
    // It is level with itself.
    (behind.sum::<f64>() - 0.5) / (places.len() as f64 - 1.0)
}

/// Seats of other entrants that are behind, ties counting one half, and how many there are.
fn beaten(entrants: &[usize], places: &[u8], seat: usize) -> (f64, f64) {
    let seats = entrants.iter().zip(places);
    let others = seats.filter(|(entrant, _)| **entrant != entrants[seat]);
    others.fold((0.0, 0.0), |(sum, count), (_, &other)| {
        (sum + behind(places[seat], other), count + 1.0)
    })
}

fn behind(own: u8, other: u8) -> f64 {
    match other.cmp(&own) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 1.0,
    }
}
