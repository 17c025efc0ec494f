//! What is thought of time, seats, the end and the noise.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use super::plan::Plan;
use super::problem::{is_crash, is_fault, moves, ms, times, with_last_words};
use super::remedy;
use super::trial::{Exit, Observed};
use super::verdict::Verdict;
use games::GameName;
use record::EndKind;

/// Bytes of standard error above which organisers begin to mind.
const LOUD: usize = 64 * 1024;

/// How it leaves, and what it writes.
pub(super) fn manners(plan: &Plan, all: [&Observed; 3]) -> Vec<Verdict> {
    vec![leaves(plan, all[1]), stderr(all)]
}

fn leaves(plan: &Plan, seen: &Observed) -> Verdict {
    let check = "leaves";
    if plan.game() == GameName::Geister
        && let Some(verdict) = leaves_gat(plan, seen)
    {
        return verdict;
    }
    let remedy = "end with exit status 0 when the server says that the match is over, or closes the connection";
    match seen.exit {
        Exit::Lingers => Verdict::fail(
            check,
            format!("still runs {} after the end of the match", ms(plan.leave)),
            remedy,
        ),
        Exit::Early(status) => {
            let text = format!("ended with {status} before the match was over");
            Verdict::fail(check, with_last_words(seen, text), remedy)
        }
        Exit::After(status, _) if is_crash(status) => Verdict::fail(
            check,
            with_last_words(seen, format!("crashed: {status}")),
            remedy,
        ),
        Exit::After(status, _) if !status.success() => Verdict::warn(
            check,
            with_last_words(seen, format!("ended with {status}")),
            remedy,
        ),
        Exit::After(_, after) => Verdict::pass(
            check,
            format!(
                "with exit status 0, {} after the end of the match",
                ms(after)
            ),
        ),
    }
}

/// In GAT nobody says that the match is over: a client may come again for the next game, and nothing that it does
/// when there is none costs a game. `None` where it leaves as it would elsewhere.
fn leaves_gat(plan: &Plan, seen: &Observed) -> Option<Verdict> {
    let check = "leaves";
    let remedy = "nothing that costs a game: the league ends it. End when the server refuses the next connection";
    match seen.exit {
        Exit::Lingers if seen.connections > seen.greeted => Some(Verdict::pass(
            check,
            "it goes on connecting after the last game, as clients of GAT may; the league ends it",
        )),
        Exit::Lingers => Some(Verdict::warn(
            check,
            format!("still runs {} after the last game", ms(plan.leave)),
            remedy,
        )),
        Exit::After(status, _) if !status.success() => {
            let text = format!("ended with {status} after the last game");
            Some(Verdict::warn(check, with_last_words(seen, text), remedy))
        }
        Exit::After(..) | Exit::Early(_) => None,
    }
}

fn stderr(all: [&Observed; 3]) -> Verdict {
    let check = "stderr";
    let most = all.map(|seen| &seen.stderr);
    let most = most.into_iter().max_by_key(|text| text.len());
    let (bytes, lines) = most.map_or((0, 0), |text| (text.len(), text.lines().count()));
    match bytes {
        0 => Verdict::pass(check, "silent"),
        LOUD.. => Verdict::warn(
            check,
            format!("{} KiB or more in a match", bytes / 1024),
            "write less: organisers cut it off, and a full pipe stops a program",
        ),
        _ => Verdict::pass(check, format!("{bytes} bytes in {lines} lines")),
    }
}

pub(super) fn time_use(plan: &Plan, seen: &Observed) -> Verdict {
    let check = "time-use";
    let (moves, used) = (
        moves(seen),
        seen.games.iter().map(|game| game.used).sum::<u64>(),
    );
    let slowest = seen.games.iter().map(|game| game.slowest).max();
    let slowest = Duration::from_millis(slowest.unwrap_or_default());
    let limit = plan.move_limit();
    let late = seen
        .games
        .iter()
        .filter(|game| game.kind == EndKind::Timeout)
        .count() as u32;
    let mut text = format!(
        "{:.1} ms a move, {} at most, of {}",
        used as f64 / f64::from(moves.max(1)),
        ms(slowest),
        ms(limit),
    );
    if late > 0 {
        let _ = write!(text, "; its time was up {}", times(late));
    }
    if late > 0 || slowest >= limit {
        Verdict::fail(check, text, remedy::fault(EndKind::Timeout, plan.game()))
    } else if slowest * 10 > limit * 8 {
        Verdict::warn(
            check,
            text,
            "leave a fifth of the limit for networks and busy machines",
        )
    } else {
        Verdict::pass(check, text)
    }
}

pub(super) fn every_seat(seen: &Observed) -> Verdict {
    // Games and faults by seat.
    let mut counts: BTreeMap<usize, (u32, u32)> = BTreeMap::new();
    for game in &seen.games {
        let (games, faults) = counts.entry(game.seat + 1).or_default();
        *games += 1;
        *faults += u32::from(is_fault(game.kind));
    }
    let games = counts.iter();
    let games: Vec<String> = games
        .map(|(seat, (games, _))| format!("{games} in seat {seat}"))
        .collect();
    let games = format!("games: {}", games.join(", "));
    let never = counts.iter().filter(|(_, (games, faults))| games == faults);
    let never: Vec<String> = never.map(|(seat, _)| seat.to_string()).collect();
    if never.is_empty() {
        return Verdict::pass("every-seat", games);
    }
    Verdict::fail(
        "every-seat",
        format!(
            "{games}; no game without a fault in seat {}",
            never.join(", ")
        ),
        "it has every seat in turn, by the order of moves: read the own one from the server's messages for each game",
    )
}
