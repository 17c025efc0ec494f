//! One page with everything in it: no script, nothing from elsewhere, light and dark, for wide and for small screens.

use std::fmt::Write as _;

use super::charts::{COLOURS, escape, name};
use super::game_list::GameList;
use super::number::NONE;
use super::{Line, RankedBy, Records, Report, charts, number, setup, terminal};
use crate::league::journal::Journal;

/// The page.
pub fn page(report: &Report, journal: &Journal, records: &Records) -> String {
    let title = escape(&report.title);
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
        include_str!("style.css")
    );
    header(&mut html, report);
    html.push_str("<main>\n");
    let has_games = report.totals.fixtures > 0;
    if has_games {
        tables(&mut html, report);
    } else {
        let _ = writeln!(
            html,
            "<section class=\"wide\">\n<p class=\"lead\">{}</p>\n</section>",
            terminal::NO_GAME
        );
    }
    html.push_str("<div class=\"cards\">\n");
    if has_games {
        cards(&mut html, report);
    }
    notes(&mut html, report);
    html.push_str("</div>\n");
    setup::section(&mut html, report, journal, records);
    GameList::of(journal, &records.seen).section(&mut html, report);
    html.push_str("</main>\n");
    footer(&mut html, report);
    html.push_str("</body>\n</html>\n");
    html
}

/// The tables over the whole width of the page.
fn tables(html: &mut String, report: &Report) {
    let has_points = report.leads_with_points();
    if has_points {
        stages(html, report);
    }
    standings(html, report);
    if let Some(sprt) = &report.sprt {
        let _ = writeln!(
            html,
            "<section class=\"wide\">\n<h2>Sequential test</h2>\n<p class=\"lead\">{}</p>\n{}\n{}\n</section>",
            escape(&terminal::sequential(sprt, report)),
            charts::gauge(sprt),
            charts::ratios(sprt, number::noun(report)).unwrap_or_default(),
        );
    }
    if !has_points {
        stages(html, report);
    }
    duels(html, report);
    if report.entrants.len() > 1 {
        let _ = writeln!(
            html,
            "<section class=\"wide\">\n<h2>Cross table</h2>\n<p class=\"lead\">Row against column: share of meetings in \
             which it finished ahead, ties one half, with 95 % interval</p>\n{}\n</section>",
            charts::cross(report)
        );
    }
}

fn header(html: &mut String, report: &Report) {
    let totals = &report.totals;
    let _ = write!(
        html,
        "<header>\n<h1>{}</h1>\n<p>{}: {}</p>\n<ul class=\"facts\">\n",
        name(&report.title),
        report.game,
        escape(&report.format),
    );
    let mut fact = |value: &str, what: &str| {
        let _ = writeln!(html, "<li><b>{value}</b><span>{what}</span></li>");
    };
    fact(&number::count(totals.games), "games");
    let played = number::count(totals.fixtures);
    match totals.scheduled {
        Some(all) if all == totals.fixtures => fact(&played, "fixtures, all of the schedule"),
        Some(all) => fact(&played, &format!("of {} fixtures", number::count(all))),
        None => fact(&played, "fixtures so far"),
    }
    let noun = number::noun(report);
    if report.duplicate {
        fact(&number::count(totals.blocks), "deals from every seat");
    } else {
        let what = format!(
            "blocks of {} games, each with its own deal",
            report.block_games
        );
        fact(&number::count(totals.blocks), &what);
    }
    if totals.incomplete > 0 {
        fact(
            &number::count(totals.incomplete),
            &format!("{noun}s not finished, left out"),
        );
    }
    if totals.repeats > 0 {
        fact(
            &number::count(totals.repeats),
            &format!(
                "{noun}s with the games of an earlier one: intervals are too narrow{}",
                number::openings(report)
            ),
        );
    }
    fact(
        &number::hours(report.table_hours),
        "of play at all tables together",
    );
    fact(
        &escape(&number::date(report.began.first().map_or("", |b| b))),
        &match report.began.len() {
            0 | 1 => "begun".to_owned(),
            n => format!(
                "begun; last taken up {}",
                escape(&number::date(&report.began[n - 1]))
            ),
        },
    );
    html.push_str("</ul>\n</header>\n");
}

fn standings(html: &mut String, report: &Report) {
    let summary = terminal::summary(report).map(|sentence| escape(&sentence));
    let _ = writeln!(
        html,
        "<section class=\"wide\">\n<p>{}</p>\n<p><a href=\"#reading\">How to read this</a></p>\n</section>",
        summary.join(" ")
    );
    let has_points = report.leads_with_points();
    let has_refused = report.entrants.iter().any(|line| line.refused > 0);
    let mut heads = vec!["rating", "total", "place", "points", "wins %", "score %"];
    // A contest is about points.
    heads.rotate_left(usize::from(has_points));
    heads.push("games");
    heads.extend(has_refused.then_some("refused"));
    heads.extend(["faults", "stronger %"]);
    html.push_str(
        "<section class=\"wide\">\n<h2>Standings</h2>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<tr><th>#</th><th class=\"name\">entrant</th>",
    );
    for head in heads {
        let _ = write!(html, "<th>{head}</th>");
    }
    html.push_str("</tr>\n");
    for (rank, line) in report.entrants.iter().enumerate() {
        let class = if rank == 0 { " class=\"first\"" } else { "" };
        let _ = write!(
            html,
            "<tr{class}><td>{}</td><td class=\"name\"><span class=\"dot k{}\"></span>{}</td>",
            rank + 1,
            rank % COLOURS,
            name(&line.name),
        );
        let [rating, interval] = rating(report, line);
        let standing = &line.standing;
        let mut cells = [
            [rating, interval],
            [number::points(standing.points_total), String::new()],
            number::mean(&standing.place, 1.0, 2),
            number::mean(&standing.points, 1.0, 2),
            number::mean(&standing.wins, 100.0, 1),
            number::mean(&standing.score, 100.0, 1),
        ];
        cells.rotate_left(usize::from(has_points));
        for [value, interval] in cells {
            let _ = write!(html, "<td>{value}<small>{interval}</small></td>");
        }
        let chance = line.superior_to_next.map_or_else(String::new, |c| {
            escape(&number::chance(c.0).replace(" %", ""))
        });
        let _ = write!(html, "<td>{}</td>", number::count(line.games));
        if has_refused {
            let _ = write!(html, "<td>{}</td>", number::count(line.refused));
        }
        let faults = number::count(line.faults.values().sum());
        let _ = writeln!(html, "<td>{faults}</td><td>{chance}</td></tr>");
    }
    html.push_str("</table></div>\n</section>\n");
}

/// Wins, draws, losses, pairs and Elo, in games for two.
fn duels(html: &mut String, report: &Report) {
    if report.entrants.iter().all(|line| line.duels.is_none()) {
        return;
    }
    let has_pairs = report.duplicate && report.block_games == 2;
    html.push_str(
        "<section class=\"wide\">\n<h2>Wins, draws and losses</h2>\n<p class=\"lead\">Of whole ",
    );
    let _ = write!(
        html,
        "{}s. Elo of the mean score against all whom an entrant has met, with 95 % interval; normalized: by \
        the deviation of a game.",
        number::noun(report)
    );
    if has_pairs {
        html.push_str(" Pairs: both games of a deal, by the points in them, a draw one half.");
    }
    html.push_str(
        "</p>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<tr><th class=\"name\">entrant</th><th>W – D – L</th>",
    );
    if has_pairs {
        html.push_str("<th>0</th><th>½</th><th>1</th><th>1½</th><th>2</th>");
    }
    html.push_str("<th>Elo</th><th>normalized</th></tr>\n");
    for (rank, line) in report.entrants.iter().enumerate() {
        let Some(duels) = &line.duels else {
            continue;
        };
        let [won, drawn, lost] = [duels.won, duels.drawn, duels.lost].map(number::count);
        let _ = write!(
            html,
            "<tr><td class=\"name\"><span class=\"dot k{}\"></span>{}</td><td>{won} – {drawn} – {lost}</td>",
            rank % COLOURS,
            name(&line.name),
        );
        if has_pairs {
            for pairs in duels.pairs {
                let _ = write!(html, "<td>{}</td>", number::count(pairs));
            }
        }
        for elo in [&duels.elo, &duels.normalized_elo] {
            let [value, interval] = number::elo(elo);
            let _ = write!(html, "<td>{value}<small>{interval}</small></td>");
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</table></div>\n</section>\n");
}

/// The tables of the stages, the last one first.
fn stages(html: &mut String, report: &Report) {
    for stage in report.stages.iter().rev() {
        for (number, group) in (1..).zip(&stage.groups) {
            let _ = writeln!(
                html,
                "<section>\n<h2>{}</h2>\n<div class=\"scroll\" tabindex=\"0\"><table>\n<tr><th>#</th><th class=\"name\">entrant</th>\
                 <th>points</th><th>wins</th><th>buchholz</th><th>games</th><th></th></tr>",
                escape(&stage.title(number)),
            );
            for (rank, place) in (1..).zip(group) {
                let _ = writeln!(
                    html,
                    "<tr><td>{rank}</td><td class=\"name\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                    name(&place.name),
                    number::points(place.points),
                    number::count(place.wins),
                    number::points(place.buchholz),
                    number::count(place.games),
                    if place.goes_on { "goes on" } else { "" },
                );
            }
            html.push_str("</table></div>\n</section>\n");
        }
    }
}

fn rating(report: &Report, line: &Line) -> [String; 2] {
    let interval = match line.rating {
        Some(_) if line.name == report.anchor => "anchor".to_owned(),
        Some(_) => number::rating_interval(line.rating_half_width),
        None => String::new(),
    };
    [number::rating(line.rating), interval]
}

fn card(html: &mut String, title: &str, lead: &str, body: &str) {
    let _ = writeln!(
        html,
        "<section>\n<h2>{title}</h2>\n<p class=\"lead\">{lead}</p>\n{body}\n</section>"
    );
}

fn cards(html: &mut String, report: &Report) {
    let needed = terminal::needed(report).map_or_else(String::new, |n| format!("; {n}"));
    card(
        html,
        "Ratings",
        &escape(&format!("With 95 % intervals{needed}")),
        &ratings(report),
    );
    if let Some(course) = charts::course(report) {
        card(
            html,
            "Ratings over the course of the league",
            &charts::course_lead(report),
            &course,
        );
    }
    let seats = format!("{}{}", seats(report), charts::seat_heat(report));
    card(
        html,
        "Score by seat",
        "What a seat is worth, whoever sits there, and each entrant in it",
        &seats,
    );
    card(
        html,
        "Thinking time",
        "Bar: mean of a move; stroke: slowest move; in powers of ten",
        &charts::thinking(report),
    );
    match charts::faults(report) {
        Some(faults) => card(
            html,
            "Faults",
            "They cost what the rules of the game say",
            &faults,
        ),
        None => card(
            html,
            "Faults",
            "None: all games were played to their end by the rules",
            "",
        ),
    }
    if !report.ends.is_empty() {
        let mut list = String::from("<ul class=\"plain\">");
        for (rule, count) in &report.ends {
            let _ = write!(list, "<li>{}: {}</li>", escape(rule), number::count(*count));
        }
        card(
            html,
            "Ends of games",
            "By the rule that ended them",
            &(list + "</ul>"),
        );
    }
}

/// What was not played, and what the organiser has done.
fn notes(html: &mut String, report: &Report) {
    if !report.voids.is_empty() {
        let mut list = String::from("<ul class=\"plain\">");
        for void in &report.voids {
            let _ = write!(
                list,
                "<li>{} × {}</li>",
                number::count(void.fixtures),
                escape(&void.reason)
            );
        }
        card(
            html,
            "Void fixtures",
            "Not counted, and played again",
            &(list + "</ul>"),
        );
    }
    if !report.acts.is_empty() {
        let mut list = String::from("<ul class=\"plain\">");
        for act in &report.acts {
            let (at, text) = (number::date(&act.at), act.text());
            let _ = write!(list, "<li>{} {}</li>", escape(&at), escape(&text));
        }
        card(
            html,
            "Acts of the organiser",
            "What was done while the league ran, with its reason",
            &(list + "</ul>"),
        );
    }
    if !report.not_played.is_empty() {
        let mut list = String::from("<ul class=\"plain\">");
        for unplayed in &report.not_played {
            let _ = write!(list, "<li>{}</li>", escape(&terminal::not_played(unplayed)));
        }
        card(
            html,
            "Not played",
            "Fixtures that were begun in vain, with a reason",
            &(list + "</ul>"),
        );
    }
}

fn ratings(report: &Report) -> String {
    let rated = report.entrants.iter().enumerate();
    let rows = rated.filter_map(|(colour, line)| {
        let mean = line.rating?;
        let [value, interval] = rating(report, line);
        Some(charts::Row {
            name: &line.name,
            colour,
            mean,
            ends: [mean - line.rating_half_width, mean + line.rating_half_width],
            figures: format!("{value} {interval}"),
        })
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return format!("<p>{NONE}</p>");
    }
    charts::forest(&rows, 0.0, "Ratings with intervals")
}

fn seats(report: &Report) -> String {
    let names: Vec<String> = report
        .seats
        .iter()
        .map(|s| format!("seat {}", s.seat + 1))
        .collect();
    let had = names
        .iter()
        .zip(&report.seats)
        .filter(|(_, s)| s.score.blocks > 0);
    let rows = had.map(|(name, seat)| charts::Row {
        name,
        colour: COLOURS - 1,
        mean: seat.score.mean * 100.0,
        ends: [seat.score.low * 100.0, seat.score.high * 100.0],
        figures: format!("{} %", number::mean(&seat.score, 100.0, 1).join(" ")),
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return String::new();
    }
    charts::forest(&rows, 50.0, "Score in percent by seat")
}

fn footer(html: &mut String, report: &Report) {
    let model = if report.draw.is_some() {
        "win : draw : loss = w₁ : ν√(w₁w₂) : w₂ (Davidson 1970)"
    } else {
        "the best of a game is entrant i with the chance wᵢ / Σw, then the same among the others (Plackett 1975, Luce 1959; equal places after Efron 1977)"
    };
    let unit = if report.duplicate {
        "the deal, played once from every seat, for its games are not independent of each other"
            .to_owned()
    } else {
        format!(
            "the block of {} games, each with its own deal",
            report.block_games
        )
    };
    let noun = number::noun(report);
    let rank = match report.ranked_by {
        RankedBy::Points => "Ranked by total, the sum of all points",
        RankedBy::Rating => "Ranked by rating; total: the sum of all points",
        RankedBy::Table => "Ranked by the tables of points; total: the sum of all points of games",
    };
    let seed = report.seed.map_or_else(String::new, |seed| {
        format!(" All deals follow from its seed, {seed}.")
    });
    let _ = write!(
        html,
        "<footer>\n<h2 id=\"reading\">How to read this</h2>\n<p><code>{}</code> of Taikyoku explains this page in plain \
         words.</p>\n<p>± is half of a 95 % interval; where its two sides differ, both ends are given. The unit of all intervals \
         is {unit}; {noun}s that are not finished are left out of ratings, means and tables. Faults and times count all \
         games.</p>\n<p>{rank}. Rating: 400 log₁₀ w above {}; \
         {model}. Its intervals: bootstrap over {noun}s (Efron 1979), each resample with a random game or so between any two \
         that have met (after Rubin 1981), and Student’s quantile; those of means: empirical likelihood of {noun}s, each \
         set of opponents a stratum (Owen 1988, Zhong and Rao 2000). Score: share of the seats of others that finished \
         behind, ties one half. Place, wins and points are means of a seat, copies of the same entrant included; wins that k share \
         count 1/k. Stronger %: chance that an entrant is stronger than the next below, Student’s distribution of the difference. \
         Still needed: n (h / margin)² for a half width h after n. Sequential test: generalised likelihood ratio of the mean \
         score of a {noun} (Wald 1945, Van den Bergh 2019). Elo of a mean score s: 400 log₁₀ (s / (1 − s)); normalized: \
         800 / ln 10 (s − ½) / d for the standard deviation d of a game (Van den Bergh 2020), its interval by the delta method.</p>\n<p>Made by Taikyoku from the journal of the league.{seed}</p>\n</footer>\n",
        terminal::READING,
        name(&report.anchor)
    );
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_width::UnicodeWidthStr as _;

    use super::charts::{Axis, label};
    use super::*;

    proptest! {
        #[test]
        fn ticks_are_round_and_within(low in -1e4..1e4_f64, width in 1e-3..1e4_f64, count in 2..8_usize) {
            let axis = Axis::over([low, low + width], [10.0, 200.0]);
            let ticks = axis.ticks(count);
            prop_assert!(!ticks.is_empty() && ticks.len() <= count + 1, "{:?}", ticks);
            for pair in ticks.windows(2) {
                prop_assert!(axis.at(pair[0]) < axis.at(pair[1]));
            }
            for tick in ticks {
                prop_assert!((10.0..=200.0).contains(&axis.at(tick)));
            }
            prop_assert!(axis.at(low) > 10.0 && axis.at(low + width) < 200.0);
        }

        #[test]
        fn labels_fit_and_text_stands_for_itself(text in "\\PC{0,40}", width in 2..20_usize) {
            let label = label(&text, width);
            let shown = label.rsplit("</title>").next().unwrap_or_default();
            let shown = shown.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">");
            let shown = shown.replace("&quot;", "\"").replace("&#39;", "'");
            prop_assert!(shown.width() <= width.max(text.width().min(width)), "{shown}");
            let escaped = escape(&text);
            prop_assert!(!escaped.contains(['<', '>', '"', '\'']));
        }
    }

    #[test]
    fn an_axis_between_two_round_values_has_a_tick() {
        for (low, width) in [(5518.3, 3647.9), (-4176.0, 3682.2)] {
            let axis = Axis::over([low, low + width], [10.0, 200.0]);
            assert!(!axis.ticks(2).is_empty(), "{low}");
        }
    }

    #[test]
    fn an_axis_of_one_value_has_room() {
        let axis = Axis::over([5.0, 5.0, f64::INFINITY], [0.0, 100.0]);
        assert!((axis.at(5.0) - 50.0).abs() < 1e-9);
        let axis = Axis::over([], [0.0, 100.0]);
        assert!((axis.at(0.0) - 50.0).abs() < 1e-9);
    }
}
