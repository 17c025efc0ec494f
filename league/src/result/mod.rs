//! What a league has come to, from its journal alone.
//!
//! Ratings, means, the cross table and scores of seats are made from whole blocks: deals of which every rotation
//! was played, and all intervals are over such blocks. Faults, ends and times count every fixture that was played, for
//! no fault may be hidden by a deal that is not over. Nothing depends on the order of the lines.
//!
//! | part | what it gives |
//! |---|---|
//! | [`Results`] | the sums, line by line, also while a league is played |
//! | [`Report::of`] | the figures that follow; they are `serde::Serialize` |
//! | [`terminal`] | tables for a terminal |
//! | [`csv`] | a row for each entrant, a row for each game and seat |
//! | [`page`](page()) | one page with plots, without anything from elsewhere |
//! | [`write()`] | all files of a report |

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write as _};
use std::path::{Component, Path, PathBuf};

use super::archive::RECORDS;
use super::journal::{Fixtures, Order, Test};
use super::settings::{Format, Settings};
use games::GameName;
use record::files::named;
use stats::{
    Booked, Duels, Elo, NORMAL, Plan, Rating, Ratings, Standing, cross_table, duels, standings,
};

pub use page::page;
pub use results::{EntrantCounts, Results, Thinking};
pub use seats::SeatScore;

pub use highlights::Highlight;

pub use figures::{
    EntrantFigures, MoreGames, Needed, RankedBy, Report, Sequential, Superiority, Totals, Unplayed,
    VERSION, VoidCount,
};

pub mod csv;
mod figures;
mod highlights;
pub(crate) mod number;
mod page;
mod results;
mod seats;
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

    /// What makes games differ where the deals do not: in Geister the players choose their placements.
    fn openings(&self) -> &'static str {
        if self.game == GameName::Geister.as_str() {
            ""
        } else {
            ", raise random-plies"
        }
    }

    /// Adds the games that turned furthest, which the records tell. A record that cannot be read is left out.
    #[must_use]
    pub fn with_comebacks(mut self, results: &Results, records: &Records) -> Report {
        let game = results.head.settings.game();
        let found = results.highlights.comebacks(game, &records.folder);
        self.highlights.extend(found);
        self.highlights.sort_by_key(|one| one.kind);
        self
    }

    pub fn of(results: &Results) -> Report {
        let settings = &results.head.settings;
        let order = &results.order;
        let totals = Totals {
            fixtures: results.fixtures,
            scheduled: results.scheduled(),
            games: results.games,
            plies: results.plies,
            blocks: results.blocks().len() as u64,
            incomplete: results.begun().len() as u64,
            repeats: results.repeats,
        };
        let blocks = || results.blocks().map(|block| &block.block);

        let entrants = settings.entrants.len();
        let booked = Booked::of(entrants, blocks());
        let ratings = booked.ratings(Plan {
            anchor: settings.anchor,
            ..Plan::default()
        });
        let mut standings = standings(entrants, blocks());
        // The total also has the points of byes and of games that none of the players has begun. No mean has them.
        for game in results.blocks().flat_map(|block| &block.walkovers) {
            for (&entrant, points) in game.entrants.iter().zip(&game.points) {
                standings[entrant].points_total += points;
            }
        }
        for bye in stages::all_byes(results) {
            standings[bye.entrant].points_total += bye.game_points;
        }
        let duels = duels(entrants, blocks(), |entrant| standings[entrant].score);
        let duels = duels.filter(|_| settings.seats() == 2);
        let ranked_by = ranked_by(settings);
        let mut ranking = ranking(ranked_by, &ratings, &standings);
        let stages = stages::tables(results);
        if ranked_by == RankedBy::Table {
            ranking = stages::ranking(&stages, &ranking);
        }
        ranking.sort_by_key(|entrant| results.orders.disqualified.contains(entrant));
        let cross = cross_table(entrants, blocks());
        let mut progress = booked.progress(settings.anchor, STEPS);
        for step in &mut progress {
            step.ratings = ranking.iter().map(|&e| step.ratings[e]).collect();
        }
        let (voids, not_played) = voids(results);
        Report {
            version: VERSION,
            title: settings.title.clone(),
            played_by: results.played_by.clone(),
            machines: results.machines.values().cloned().collect(),
            game: settings.game().as_str(),
            format: format(settings),
            block_games: u64::from(settings.plan().rotations()) * u64::from(settings.session),
            duplicate: settings.duplicate,
            ranked_by,
            anchor: settings.entrants[settings.anchor].name.clone(),
            margin: settings.margin,
            began: results.began.iter().cloned().collect(),
            table_hours: results.ms as f64 / 3.6e6,
            needed: needed(settings, order, &ratings, &totals),
            apart: apart(settings, order, &ratings, &ranking, &totals),
            sprt: results
                .test
                .as_ref()
                .and_then(|test| sequential(settings, test, &totals)),
            totals,
            seed: results.is_over().then_some(settings.seed),
            entrants: lines(results, &ratings, &ranking, &standings, duels.as_deref()),
            stages,
            cross: ranking
                .iter()
                .map(|&a| ranking.iter().map(|&b| cross[a][b]).collect())
                .collect(),
            seats: results.seats.all(),
            draw: ratings.draw,
            ends: results.ends.clone(),
            voids,
            not_played,
            acts: results.acts.clone(),
            progress,
            highlights: results.highlights.found(&ratings),
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
pub fn write<R: Read + Seek>(
    folder: &Path,
    report: &Report,
    results: &Results,
    fixtures: &mut Fixtures<R>,
) -> io::Result<()> {
    let records = Records::beside(folder);
    write_file(&folder.join(PAGE), |out| {
        out.write_all(page(report, results, fixtures, &records)?.as_bytes())
    })?;
    write_file(&folder.join(JSON), |out| {
        out.write_all(json(report).as_bytes())
    })?;
    csv::write(folder, report, results, fixtures)
}

/// Writes a file piece by piece.
pub(crate) fn write_file(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let file = File::create(path).and_then(|file| {
        let mut file = BufWriter::new(file);
        write(&mut file)?;
        file.flush()
    });
    file.map_err(|e| named(path, &e))
}

/// The figures as JSON (schema: docs/schema/report.json).
#[expect(clippy::missing_panics_doc, reason = "the figures are plain data")]
pub fn json(report: &Report) -> String {
    serde_json::to_string_pretty(report).expect("the figures are plain data") + "\n"
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
    results: &Results,
    ratings: &Ratings,
    ranking: &[usize],
    standings: &[Standing],
    duels: Option<&[Duels]>,
) -> Vec<EntrantFigures> {
    let settings = &results.head.settings;
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
        let counts = &results.entrants[entrant];
        EntrantFigures {
            name: settings.entrants[entrant].name.clone(),
            number: entrant,
            clocks: settings.entrants[entrant]
                .clocks
                .as_ref()
                .map(setup::clocks),
            rating: (games > 0).then_some(rating),
            rating_half_width: half_width,
            disqualified: results.orders.disqualified.contains(&entrant),
            duels: duels.map(|duels| duels[entrant]),
            superior_to_next: below
                .and_then(|&below| ratings.superior[entrant][below])
                .map(Superiority),
            games,
            standing: standings[entrant],
            by_seat: results.seats.of_entrant(entrant),
            faults: counts.faults.clone(),
            refused: counts.refused,
            thinking: counts.thinking(),
        }
    };
    ranking.iter().enumerate().map(line).collect()
}

/// What was begun in vain: what was played later, and what was not.
fn voids(results: &Results) -> (Vec<VoidCount>, Vec<Unplayed>) {
    let mut later: BTreeMap<&str, u64> = BTreeMap::new();
    let mut last_reason = BTreeMap::new();
    // Lines may come in any order: of several reasons the last by the alphabet is told.
    for (reason, keys) in &results.voids {
        for &key in keys {
            if results.is_played(key) {
                *later.entry(reason).or_default() += 1;
            } else {
                last_reason.insert(key, &reason[..]);
            }
        }
    }
    let mut never: BTreeMap<(u32, &str), u64> = BTreeMap::new();
    for (key, reason) in last_reason {
        *never.entry((key.matchup, reason)).or_default() += 1;
    }
    let names = |matchup: u32| {
        let mut seated = results.seated(matchup);
        seated.dedup();
        let name = |e: usize| results.head.settings.entrants[e].name.clone();
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
