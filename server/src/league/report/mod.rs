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
//! | [`html`] | one page with plots, without anything from elsewhere |
//! | [`write`] | all files of a report |

pub mod csv;
mod figures;
pub mod html;
mod number;
mod tally;
pub mod terminal;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::{fs, io};

use super::journal::{Entry, Journal, Order, Played, Test, blocks};
use super::settings::{Format, Settings};
use super::statistics::{Block, Booked, Plan, Rating, Ratings, cross_table, standings};

pub use figures::{
    Line, Needed, Report, SeatScore, Sequential, Superiority, Thinking, Totals, Voids,
};
use tally::Tally;

/// Name of the page in the folder of a league.
pub const PAGE: &str = "report.html";

/// Points of the plot of ratings over the course of the league.
const STEPS: usize = 40;

impl Report {
    /// What a journal says.
    pub fn of(journal: &Journal) -> Report {
        let settings = &journal.head.settings;
        let order = Order::of(settings);
        let played = in_order(journal);
        let whole = blocks(settings, played.iter().copied());
        let mut test = Test::new(settings);
        for block in &whole {
            if let Some(test) = &mut test {
                test.add(block);
            }
        }
        let blocks: Vec<Block> = whole.into_iter().map(|b| b.block).collect();
        let tally = Tally::of(settings, &played);
        let totals = totals(settings, &order, &played, blocks.len() as u64);

        let entrants = settings.entrants.len();
        let booked = Booked::of(entrants, &blocks);
        let ratings = booked.ratings(Plan {
            anchor: settings.anchor,
            ..Plan::default()
        });
        let ranking = ranking(&ratings);
        let cross = cross_table(entrants, &blocks);
        let mut progress = booked.progress(settings.anchor, STEPS);
        for step in &mut progress {
            step.ratings = ranking.iter().map(|&e| step.ratings[e]).collect();
        }
        Report {
            title: settings.title.clone(),
            game: settings.game().as_str(),
            format: format(settings),
            anchor: settings.entrants[settings.anchor].name.clone(),
            margin: settings.margin,
            began: began(journal),
            hours: played.iter().map(|p| p.ms).sum::<u64>() as f64 / 3.6e6,
            needed: needed(settings, &order, &ratings, &totals),
            totals,
            lines: lines(settings, &ratings, &ranking, &blocks, &tally),
            cross: ranking
                .iter()
                .map(|&a| ranking.iter().map(|&b| cross[a][b]).collect())
                .collect(),
            seats: tally.seats(),
            draw: ratings.draw,
            ends: tally.ends,
            voids: voids(journal),
            sprt: test.as_ref().and_then(|test| sequential(settings, test)),
            progress,
        }
    }
}

/// Writes the page and both CSV tables into a folder.
///
/// # Errors
/// A file that cannot be written, with its name.
pub fn write(folder: &Path, report: &Report, journal: &Journal) -> io::Result<()> {
    let path = folder.join(PAGE);
    fs::write(&path, html::page(report))
        .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))?;
    csv::write(folder, report, journal)
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

/// The entrants from the best to the worst; those without a game last.
fn ranking(ratings: &Ratings) -> Vec<usize> {
    let rated = &ratings.entrants;
    let mut ranking: Vec<usize> = (0..rated.len()).collect();
    ranking.sort_by(|&a, &b| {
        let played = |e: usize| rated[e].games > 0;
        played(b)
            .cmp(&played(a))
            .then(rated[b].rating.total_cmp(&rated[a].rating))
            .then(a.cmp(&b))
    });
    ranking
}

fn lines(
    settings: &Settings,
    ratings: &Ratings,
    ranking: &[usize],
    blocks: &[Block],
    tally: &Tally,
) -> Vec<Line> {
    let standings = standings(settings.entrants.len(), blocks);
    let line = |(rank, &entrant): (usize, &usize)| {
        let Rating {
            rating,
            interval,
            games,
        } = ratings.entrants[entrant];
        let below = ranking
            .get(rank + 1)
            .filter(|&&b| ratings.entrants[b].games > 0);
        Line {
            name: settings.entrants[entrant].name.clone(),
            entrant,
            rating: (games > 0).then_some(rating),
            interval,
            superior: below
                .filter(|_| games > 0)
                .map(|&below| Superiority(ratings.superior[entrant][below])),
            games,
            standing: standings[entrant],
            by_seat: tally.of_entrant(entrant),
            faults: tally.faults[entrant].clone(),
            thinking: tally.thinking[entrant],
        }
    };
    ranking.iter().enumerate().map(line).collect()
}

fn totals(settings: &Settings, order: &Order, played: &[&Played], blocks: u64) -> Totals {
    let rotations = u64::from(settings.plan().rotations());
    let games = played.iter().flat_map(|p| &p.games);
    let plies = games.clone().map(|g| u64::from(g.plies)).sum();
    let mut deals: Vec<_> = played.iter().map(|p| (p.key.matchup, p.key.deal)).collect();
    deals.dedup();
    Totals {
        fixtures: played.len() as u64,
        scheduled: order.end(settings).map(|end| end * rotations),
        games: games.count() as u64,
        plies,
        deals: blocks,
        incomplete: deals.len() as u64 - blocks,
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

fn voids(journal: &Journal) -> Vec<Voids> {
    let mut voids: Vec<Voids> = Vec::new();
    for entry in &journal.entries {
        if let Entry::Void { void, .. } = entry {
            match voids.iter_mut().find(|v| v.reason == *void) {
                Some(known) => known.fixtures += 1,
                None => voids.push(Voids {
                    reason: void.clone(),
                    fixtures: 1,
                }),
            }
        }
    }
    voids.sort_by(|a, b| b.fixtures.cmp(&a.fixtures).then(a.reason.cmp(&b.reason)));
    voids
}

fn sequential(settings: &Settings, test: &Test) -> Option<Sequential> {
    let settings_of_test = settings.sprt?;
    let hypotheses = settings_of_test.hypotheses;
    let sprt = test.sprt();
    Some(Sequential {
        entrant: settings.entrants[settings_of_test.entrant].name.clone(),
        hypotheses,
        bounds: hypotheses.bounds(),
        ratio: sprt.ratio(),
        blocks: sprt.blocks(),
        verdict: sprt.verdict(),
    })
}

/// Half widths shrink with the root of the number of blocks: n blocks with the half width h need n (h / margin)^2 in
/// all.
fn needed(
    settings: &Settings,
    order: &Order,
    ratings: &Ratings,
    totals: &Totals,
) -> Option<Needed> {
    let widest = ratings
        .entrants
        .iter()
        .map(|r| r.interval)
        .fold(0.0, f64::max);
    if !widest.is_finite() || widest <= 0.0 || settings.margin <= 0.0 {
        return None;
    }
    let blocks = totals.deals as f64;
    let all = blocks * (widest / settings.margin).powi(2);
    let more = (all - blocks).max(0.0).ceil() as u64;
    let fixtures = more.saturating_mul(u64::from(settings.plan().rotations()));
    Some(Needed {
        widest,
        blocks: more,
        deals: more.div_ceil(order.matchups()),
        games: fixtures.saturating_mul(u64::from(settings.session)),
    })
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
    if settings.session > 1 {
        format!("{who}, {deals}, sessions of {} games", settings.session)
    } else {
        format!("{who}, {deals}")
    }
}
