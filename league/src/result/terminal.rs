//! Tables for a terminal.

use std::fmt::Write as _;

use super::number::{self, NONE};
use super::{EntrantFigures, MoreGames, RankedBy, Report, Sequential, Unplayed, setup};
use games::Printable;
use server::grid::Grid;
use stats::{Sprt, Verdict};

/// More entrants than this make a cross table that no terminal is wide enough for.
const MOST_COLUMNS: usize = 12;

/// What stands in the place of all tables before the first game.
pub(super) const NO_GAME: &str = "No game has been played yet.";

/// The page of the documentation that says what all figures mean.
pub(super) const READING: &str = "docs/read_report.md";

const FEW: u64 = 8;

/// All figures as text, a few tables with their headings.
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    head(&mut text, report);
    if report.totals.fixtures == 0 {
        let _ = writeln!(text, "{NO_GAME}");
        tail(&mut text, report);
        return text;
    }
    for sentence in summary(report) {
        let _ = writeln!(text, "{}", Printable(sentence));
    }
    let _ = writeln!(text, "How to read this: {READING}\n");
    if report.leads_with_points() {
        text.push_str(&stages(report));
        text.push_str(&standings(report));
    } else {
        text.push_str(&standings(report));
        text.push_str(&stages(report));
    }
    text.push_str(&duels(report));
    text.push_str(&cross(report));
    text.push_str(&seats(report));
    text.push_str(&thinking(report));
    tail(&mut text, report);
    legend(&mut text, report);
    text
}

fn head(text: &mut String, report: &Report) {
    let totals = &report.totals;
    let _ = writeln!(text, "{}", Printable(&report.title));
    let _ = writeln!(text, "{}: {}", report.game, Printable(&report.format));
    let fixtures = match totals.scheduled {
        Some(all) => {
            let played = number::count(totals.fixtures);
            format!("{played} of {}", number::counted(all, "fixture"))
        }
        None => number::counted(totals.fixtures, "fixture"),
    };
    let _ = writeln!(
        text,
        "{fixtures}, {}, {}; begun {}, {} of play at all tables together",
        number::counted(totals.games, "game"),
        number::blocks(totals.blocks, report.duplicate, report.block_games),
        number::date(report.began.first().map_or("", |b| b)),
        number::hours(report.table_hours),
    );
    let odds = setup::odds(report);
    if !odds.is_empty() {
        let _ = writeln!(text, "own time limits{}", Printable(odds));
    }
    if totals.incomplete > 0 {
        let _ = writeln!(
            text,
            "{} begun but not finished, left out of the tables",
            number::counted(totals.incomplete, report.noun())
        );
    }
    if totals.repeats > 0 {
        let verb = if totals.repeats == 1 {
            "repeats"
        } else {
            "repeat"
        };
        let _ = writeln!(
            text,
            "{} {verb} the games of an earlier one, so intervals are too narrow{}",
            number::counted(totals.repeats, report.noun()),
            report.openings()
        );
    }
    text.push('\n');
}

/// Two sentences: which entrant is first, and which ones cannot be told apart yet.
pub(super) fn summary(report: &Report) -> [String; 2] {
    let played: Vec<&EntrantFigures> = report
        .entrants
        .iter()
        .filter(|line| line.games > 0)
        .collect();
    let by = match report.ranked_by {
        RankedBy::Rating => "by rating",
        RankedBy::Points => "by points",
        RankedBy::Table => "by the table",
    };
    let [first, next] = match &played[..] {
        [] => return ["No deal is finished yet.".to_owned(), String::new()],
        [only] => [*only; 2],
        [first, next, ..] => [*first, *next],
    };
    let name = &first.name;
    let (chance, next) = (first.superior_to_next, &next.name);
    let ahead = match chance {
        Some(chance) if chance.is_told() && chance.0 > 0.5 => {
            format!(
                ", and stronger than {next}, the next, with a chance of {}",
                number::chance(chance.0)
            )
        }
        Some(chance) if chance.is_told() => {
            format!(
                ", though {next}, the next, is stronger with a chance of {}",
                number::chance(1.0 - chance.0)
            )
        }
        Some(chance) => {
            format!(
                ", but not told from {next} yet: it is stronger with a chance of {}",
                number::chance(chance.0)
            )
        }
        None => String::new(),
    };
    let close: Vec<&str> = played
        .iter()
        .filter(|line| {
            line.superior_to_next
                .is_some_and(|chance| !chance.is_told())
        })
        .map(|line| &line.name[..])
        .collect();
    let fewest = played.iter().map(|line| line.standing.place.blocks).min();
    let few = fewest
        .filter(|&blocks| blocks < FEW)
        .map(|blocks| few(blocks, report));
    let second = match (&close[..], few) {
        (_, Some(few)) => format!("{few}."),
        ([], None) if played.iter().all(|line| line.superior_to_next.is_none()) => String::new(),
        ([], None) => "Each entrant can be told from the one below it.".to_owned(),
        (close, None) => {
            let verb = if close.len() == 1 {
                "cannot be told from the one below it yet"
            } else {
                "cannot be told from those below them yet"
            };
            format!("{} {verb}{}.", list(close), more_games(report))
        }
    };
    [format!("{name} is first {by}{ahead}."), second]
}

/// How many more games tell all entrants apart, behind a sentence.
fn more_games(report: &Report) -> String {
    match &report.apart {
        Some(more) => format!(": that takes about {}", more_text(more, report)),
        // Nothing was planned, or the next stage is another league.
        None if report.needed.is_none() => String::new(),
        None => {
            ": they are so close that a hundred times these games would not be enough".to_owned()
        }
    }
}

/// `a, b and c`; of many the first ones.
fn list(names: &[&str]) -> String {
    const MOST: usize = 5;
    match names {
        [only] => (*only).to_owned(),
        [first @ .., last] if names.len() <= MOST => format!("{} and {last}", first.join(", ")),
        _ => format!(
            "{} and {} others",
            names[..MOST - 1].join(", "),
            names.len() - MOST + 1
        ),
    }
}

/// More deals or rounds, and their games.
fn more_text(more: &MoreGames, report: &Report) -> String {
    let what = if more.rounds > 0 {
        number::counted(more.rounds, "more round")
    } else {
        let noun = format!("more {}", report.noun());
        format!("{} of each matchup", number::counted(more.deals, &noun))
    };
    format!("{what}, {}", number::counted(more.games, "game"))
}

fn few(blocks: u64, report: &Report) -> String {
    let noun = number::counted(blocks, report.noun());
    if blocks == report.totals.blocks {
        format!("Only {noun}: play more")
    } else {
        format!("An entrant has only {noun}: play more")
    }
}

fn standings(report: &Report) -> String {
    let has_points = report.leads_with_points();
    let has_refused = report.entrants.iter().any(|line| line.refused > 0);
    let (rating, total) = (["rating", ""], ["total"]);
    let games = [
        "games", "place", "", "points", "", "wins %", "", "score %", "",
    ];
    let heads = if has_points {
        [&total[..], &games, &rating].concat()
    } else {
        [&rating[..], &total, &games].concat()
    };
    let refused = &["refused"][..usize::from(has_refused)];
    let heads = [
        &["#", "entrant"],
        &heads[..],
        refused,
        &["faults", "stronger %"],
    ];
    let mut table = Grid::new(&heads.concat());
    table.left[1] = true;
    for (rank, line) in (1..).zip(&report.entrants) {
        let standing = &line.standing;
        let anchor = line.name == report.anchor;
        let [place, place_interval] = number::mean(&standing.place, 1.0, 2);
        let [points, points_interval] = number::mean(&standing.points, 1.0, 2);
        let [wins, wins_interval] = number::mean(&standing.wins, 100.0, 1);
        let [score, score_interval] = number::mean(&standing.score, 100.0, 1);
        let interval = match line.rating {
            Some(_) if anchor => "anchor".to_owned(),
            Some(_) => number::rating_interval(line.rating_half_width),
            None => String::new(),
        };
        let rating = [number::rating(line.rating), interval];
        let total = [number::points(standing.points_total)];
        let games = [
            number::count(line.games),
            place,
            place_interval,
            points,
            points_interval,
            wins,
            wins_interval,
            score,
            score_interval,
        ];
        let mut cells = vec![rank.to_string(), line.name.clone()];
        if has_points {
            cells.extend(total.into_iter().chain(games).chain(rating));
        } else {
            cells.extend(rating.into_iter().chain(total).chain(games));
        }
        cells.extend(has_refused.then(|| number::count(line.refused)));
        cells.push(line.faults.values().sum::<u64>().to_string());
        let stronger = line.superior_to_next.map(|chance| number::chance(chance.0));
        cells.push(stronger.unwrap_or_default().replace(" %", ""));
        table.row(cells);
    }
    table.text()
}

fn stages(report: &Report) -> String {
    let mut text = String::new();
    for stage in report.stages.iter().rev() {
        for (number, group) in (1..).zip(&stage.groups) {
            let name = stage.title(number);
            let mut table = Grid::new(&["#", &name, "points", "wins", "buchholz", "games", ""]);
            (table.left[1], table.left[6]) = (true, true);
            for (rank, place) in (1..).zip(group) {
                table.row([
                    rank.to_string(),
                    place.name.clone(),
                    number::points(place.points),
                    number::count(place.wins),
                    number::points(place.buchholz),
                    number::count(place.games),
                    if place.goes_on { "goes on" } else { "" }.to_owned(),
                ]);
            }
            let _ = write!(text, "\n{}", table.text());
        }
    }
    text
}

/// Wins, draws, losses, pairs and Elo, in games for two.
fn duels(report: &Report) -> String {
    let has_pairs = report.duplicate && report.block_games == 2;
    let heads = ["games for two", "won", "drawn", "lost"];
    let pairs = ["pairs 0", "½", "1", "1½", "2"];
    let elo = ["Elo", "", "normalized", ""];
    let pairs = if has_pairs { &pairs[..] } else { &[] };
    let mut table = Grid::new(&[&heads[..], pairs, &elo[..]].concat());
    table.left[0] = true;
    let with = |line: &EntrantFigures| Some((line.name.clone(), line.duels?));
    let mut entrants = report.entrants.iter().filter_map(with).peekable();
    if entrants.peek().is_none() {
        return String::new();
    }
    for (name, duels) in entrants {
        let mut cells = vec![name];
        let pairs = if has_pairs { &duels.pairs[..] } else { &[] };
        let counts = [duels.won, duels.drawn, duels.lost];
        cells.extend(counts.iter().chain(pairs).map(|&n| number::count(n)));
        cells.extend(number::elo(&duels.elo));
        cells.extend(number::elo(&duels.normalized_elo));
        table.row(cells);
    }
    format!("\n{}", table.text())
}

fn cross(report: &Report) -> String {
    let n = report.entrants.len();
    if n < 2 {
        return String::new();
    }
    if n > MOST_COLUMNS {
        return "\n(the cross table is in the page and in --json)\n".to_owned();
    }
    let numbers: Vec<String> = (1..=n).map(|i| i.to_string()).collect();
    let mut heads = vec!["#", "score % against"];
    heads.extend(numbers.iter().map(|n| &n[..]));
    let mut table = Grid::new(&heads);
    table.left[1] = true;
    for (rank, (line, row)) in report.entrants.iter().zip(&report.cross).enumerate() {
        let mut cells = vec![(rank + 1).to_string(), line.name.clone()];
        cells.extend(row.iter().enumerate().map(|(column, cross)| match cross {
            Some(cross) => format!("{:.1}", cross.score.mean * 100.0),
            None if column == rank => "·".to_owned(),
            None => NONE.to_owned(),
        }));
        table.row(cells);
    }
    format!("\n{}", table.text())
}

fn seats(report: &Report) -> String {
    let all = &report.seats;
    let numbers: Vec<String> = all.iter().map(|s| (s.seat + 1).to_string()).collect();
    let mut heads = vec!["score % in seat"];
    heads.extend(numbers.iter().map(|n| &n[..]));
    let mut table = Grid::new(&heads);
    table.left[0] = true;
    let mut cells = vec!["all".to_owned()];
    cells.extend(
        all.iter()
            .map(|s| number::mean(&s.score, 100.0, 1).join(" ")),
    );
    table.row(cells);
    for line in &report.entrants {
        let mut cells = vec![line.name.clone()];
        let score = |s: &Option<f64>| s.map_or(NONE.to_owned(), |s| format!("{:.1}", s * 100.0));
        cells.extend(line.by_seat.iter().map(score));
        table.row(cells);
    }
    format!("\n{}", table.text())
}

fn thinking(report: &Report) -> String {
    let mut table = Grid::new(&["time", "a move", "slowest", "a game", "longest", "moves"]);
    table.left[0] = true;
    let mean = |ms: Option<f64>| ms.map_or(NONE.to_owned(), number::mean_time);
    for line in &report.entrants {
        let time = &line.thinking;
        table.row([
            line.name.clone(),
            mean(time.move_ms),
            number::time(time.slowest_move_ms as f64),
            mean(time.game_ms),
            number::time(time.longest_game_ms as f64),
            number::count(time.moves),
        ]);
    }
    format!("\n{}", table.text())
}

fn tail(text: &mut String, report: &Report) {
    let faulty: Vec<&EntrantFigures> = report
        .entrants
        .iter()
        .filter(|l| !l.faults.is_empty())
        .collect();
    if !faulty.is_empty() {
        text.push_str("\nfaults\n");
    }
    for line in faulty {
        let kinds = line.faults.iter().map(|(kind, n)| format!("{kind} {n}"));
        let kinds: Vec<String> = kinds.collect();
        let _ = writeln!(text, "  {}: {}", Printable(&line.name), kinds.join(", "));
    }
    if !report.ends.is_empty() {
        let ends = report
            .ends
            .iter()
            .map(|(rule, n)| format!("{} {n}", Printable(rule)));
        let ends: Vec<String> = ends.collect();
        let _ = writeln!(
            text,
            "\ngames by the rule that ended them: {}",
            ends.join(", ")
        );
    }
    if !report.voids.is_empty() {
        text.push_str("\nvoid, played again\n");
        for void in &report.voids {
            let _ = writeln!(text, "  {} × {}", void.fixtures, Printable(&void.reason));
        }
    }
    if !report.not_played.is_empty() {
        text.push_str("\nvoid, not played\n");
        for unplayed in &report.not_played {
            let _ = writeln!(text, "  {}", Printable(&not_played(unplayed)));
        }
    }
    if !report.acts.is_empty() {
        text.push_str("\nacts of the organiser\n");
    }
    for act in &report.acts {
        let _ = writeln!(
            text,
            "  {} {}",
            number::date(&act.at),
            Printable(&act.text())
        );
    }
    text.push('\n');
    if let Some(sprt) = &report.sprt {
        let _ = writeln!(text, "{}", sequential(sprt, report));
    }
    if let Some(needed) = needed(report) {
        let _ = writeln!(text, "{needed}");
    }
    if let Some(seed) = report.seed {
        let _ = writeln!(text, "seed {seed}: all deals follow from it");
    }
}

fn legend(text: &mut String, report: &Report) {
    let _ = writeln!(
        text,
        "± is half of a 95 % interval over {}s, or its ends are given; ratings: {} has 0, 400 points are odds of ten to one;",
        report.noun(),
        Printable(&report.anchor)
    );
    text.push_str(
        "total: all points; stronger %: chance that an entrant is stronger than the next below;\n",
    );
    text.push_str("place and wins count copies of the same entrant as opponents; score does not\n");
    text.push_str(match report.ranked_by {
        RankedBy::Points => "ranked by total\n",
        RankedBy::Rating => "ranked by rating\n",
        RankedBy::Table => "ranked by the table\n",
    });
}

pub(super) fn not_played(unplayed: &Unplayed) -> String {
    let Unplayed {
        entrants,
        reason,
        fixtures,
    } = unplayed;
    let who = match &entrants[..] {
        [] => String::new(),
        entrants => format!(" of {}", entrants.join(", ")),
    };
    format!("{}{who}: {reason}", number::counted(*fixtures, "fixture"))
}

/// Why a test has no verdict, and what would bring one. `noun` is what it counts, `ratio` its ratio, if it has one.
pub(crate) fn no_verdict(
    noun: &str,
    all_played: bool,
    is_swiss: bool,
    ratio: Option<f64>,
    [low, high]: [f64; 2],
) -> String {
    match ratio {
        _ if all_played => {
            let more = if is_swiss { "rounds" } else { "deals" };
            format!("no verdict: all {noun}s are played; raise `{more}` to go on")
        }
        Some(ratio) if (low..=high).contains(&ratio) => "no verdict yet".to_owned(),
        Some(_) => "no verdict yet: not all matchups have had equally many deals".to_owned(),
        None => {
            let least = Sprt::LEAST_BLOCKS;
            format!("no verdict yet: too few {noun}s ({least} at least)")
        }
    }
}

pub(super) fn sequential(sprt: &Sequential, report: &Report) -> String {
    let hypotheses = &sprt.hypotheses;
    let noun = report.noun();
    let [first, second] = [hypotheses.s0, hypotheses.s1].map(percent);
    let error = |chance: f64| format!("(error about {} %)", chance * 100.0);
    let name = Printable(&sprt.entrant);
    let verdict = match sprt.verdict {
        Verdict::Open => no_verdict(
            noun,
            sprt.all_played,
            sprt.is_swiss,
            sprt.ratio,
            sprt.bounds,
        ),
        Verdict::Lower => format!(
            "{name} is not better: {first} rather than {second} {}",
            error(hypotheses.beta)
        ),
        Verdict::Higher => format!(
            "{name} is better: {second} rather than {first} {}",
            error(hypotheses.alpha)
        ),
    };
    let elo = sprt.elo.map_or_else(String::new, |elo| {
        let [low, high] = elo.map(|elo| number::signed(elo, 1));
        format!(" (logistic Elo of the mean score {low} against {high})")
    });
    let ratio = sprt.ratio.map_or_else(String::new, |ratio| {
        let [low, high] = sprt.bounds.map(|bound| number::signed(bound, 2));
        let ratio = number::signed(ratio, 2);
        format!("log likelihood ratio {ratio}, bounds {low} and {high}, ")
    });
    let bias = match sprt.verdict {
        Verdict::Open => "",
        Verdict::Lower | Verdict::Higher => {
            ". Where a test ends a league, ratings and means are biased away from level"
        }
    };
    format!(
        "SPRT of {name}, mean score {first} against {second}{elo}: {verdict} ({ratio}{}, alpha {}, beta {}){bias}",
        number::counted(sprt.blocks, noun),
        hypotheses.alpha,
        hypotheses.beta,
    )
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// What is needed for the wanted margin, in a sentence.
pub(super) fn needed(report: &Report) -> Option<String> {
    let margin = report.margin;
    let noun = report.noun();
    if report.totals.blocks == 1 && report.stages.is_empty() {
        return Some(format!(
            "one {noun} gives no interval: at least two are needed (`deals` or `rounds` in the file)"
        ));
    }
    let needed = report.needed?;
    if needed.more.blocks == 0 {
        return Some(format!("the wanted margin of ±{margin} is reached"));
    }
    let is_lopsided =
        |line: &EntrantFigures| line.games > 0 && !(0.1..=0.9).contains(&line.standing.score.mean);
    let played = report.entrants.iter().filter(|line| line.games > 0);
    let fewest = played.map(|line| line.standing.place.blocks).min();
    let is_wide = needed.widest > number::WIDEST;
    if is_wide && let Some(blocks) = fewest.filter(|&blocks| blocks < FEW) {
        return Some(few(blocks, report).to_lowercase());
    }
    if is_wide && report.entrants.iter().any(is_lopsided) {
        return Some(format!(
            "some ratings are very uncertain (over ±{}): an entrant won or lost nearly every game; opponents of similar \
             strength help more than more games",
            number::WIDEST
        ));
    }
    Some(format!(
        "for intervals of ±{margin} (`margin` in the file; now ±{:.0}): about {}",
        needed.widest,
        more_text(&needed.more, report),
    ))
}
