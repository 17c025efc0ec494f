//! Results of matches of Geister as people and as programs read them.

use std::fmt::Write as _;

use games::geister::SEATS;
use serde_json::{Value, json};

use crate::lobby::{GatReport, Tally};

/// One result as JSON. Lists go by player; `seats` goes by seat, the first to move first; `wins_by_seat`
/// is `[player][seat]`.
pub(super) fn json(report: &GatReport) -> Value {
    let tally = &report.tally;
    let of_player = |f: &dyn Fn(usize) -> Value| Value::Array((0..SEATS).map(f).collect());
    let seat = |seat: usize| {
        let wins = tally.wins[0][seat] + tally.wins[1][seat];
        let losses = tally.games - tally.draws - wins;
        json!({"wins": wins, "losses": losses, "draws": tally.draws})
    };
    let mut value = json!({
        "match": report.number,
        "games": tally.games,
        "void": tally.void,
        "names": report.names,
        "wins": of_player(&|p| json!(tally.won(p))),
        "losses": of_player(&|p| json!(tally.won(1 - p))),
        "draws": tally.draws,
        "points": of_player(&|p| json!(tally.points(p))),
        "score": of_player(&|p| json!(score(tally, p))),
        "wins_by_seat": tally.wins,
        "first": tally.first,
        "seats": [seat(0), seat(1)],
        "ends": tally.ends,
        "faults": tally.faults,
        "plies": tally.plies,
        "seconds": (report.time.as_secs_f64() * 1000.0).round() / 1000.0,
    });
    if let Some(reason) = &report.reason {
        value["reason"] = json!(reason);
    }
    value
}

/// Points of a player in a game on average, 0 to 1.
fn score(tally: &Tally, player: usize) -> f64 {
    tally.points(player) / f64::from(tally.games.max(1))
}

/// One result as a table, the best first.
pub(super) fn table(report: &GatReport) -> String {
    let tally = &report.tally;
    let seconds = report.time.as_secs_f64();
    let mut text = format!(
        "match {}: {} games in {seconds:.1} s, {} moves",
        report.number, tally.games, tally.plies
    );
    if tally.void > 0 {
        let _ = write!(text, ", {} void", tally.void);
    }
    if let Some(reason) = &report.reason {
        let _ = write!(text, "; ended early: {reason}");
    }
    text.push('\n');
    let names = &report.names;
    let width = names.iter().map(|n| n.chars().count()).max();
    let width = width.unwrap_or_default().max(6);
    let _ = writeln!(
        text,
        "  {:<width$}   score    wins  losses   draws  first  won first  won second",
        "player"
    );
    let mut players = [0, 1];
    players.sort_by(|&a, &b| tally.points(b).total_cmp(&tally.points(a)));
    for p in players {
        let _ = write!(
            text,
            "  {:<width$}  {:>6.3}  {:>6}  {:>6}  {:>6}  {:>5}  {:>9}  {:>10}",
            names[p],
            score(tally, p),
            tally.won(p),
            tally.won(1 - p),
            tally.draws,
            tally.first[p],
            tally.wins[p][0],
            tally.wins[p][1],
        );
        for (fault, count) in &tally.faults[p] {
            let _ = write!(text, "   {fault} {count}");
        }
        text.push('\n');
    }
    let ends: Vec<String> = tally
        .ends
        .iter()
        .map(|(end, n)| format!("{end} {n}"))
        .collect();
    if !ends.is_empty() {
        let _ = writeln!(text, "  ends: {}", ends.join(", "));
    }
    text
}
