//! What is thought of a match.

use std::fmt::Write as _;

use super::manners::{every_seat, time_use};
use super::plan::Plan;
use super::problem::{
    Problem, is_crash, is_fault, moves, ms, problem, times, told, void, with_exit, with_last_words,
    words,
};
use super::remedy;
use super::trial::{Exit, Observed};
use super::verdict::Verdict;
use games::GameName;
use record::EndKind;

/// The start, the handshake and a full game.
pub(super) fn first(plan: &Plan, seen: &Observed) -> Vec<Verdict> {
    let starts = starts(plan, seen);
    if seen.connected.is_none() {
        return vec![
            starts,
            Verdict::skip("handshake"),
            Verdict::skip("full-game"),
        ];
    }
    let Some(handshake) = handshake(plan, seen) else {
        let full = match problem(plan, seen, 1) {
            Some(problem) => Verdict::fail("full-game", problem.seen, problem.remedy),
            None => Verdict::pass("full-game", format!("{} own moves, no fault", moves(seen))),
        };
        let name = seen.name.as_deref().unwrap_or("it");
        let text = match plan.game() {
            GameName::Geister => "its set-up was taken".to_owned(),
            _ => format!("sits as {name}"),
        };
        return vec![starts, Verdict::pass("handshake", text), full];
    };
    vec![starts, handshake, Verdict::skip("full-game")]
}

/// All that is not looked at after a first match that failed.
pub(super) fn skipped(plan: &Plan) -> Vec<Verdict> {
    let all = [
        "ten-games",
        "every-seat",
        "time-use",
        "split-packets",
        "glued-packets",
        "vanishing-opponent",
        "leaves",
        "stderr",
    ];
    let is_known = |check: &&str| *check != "every-seat" || has_seats(plan);
    all.into_iter()
        .filter(is_known)
        .map(Verdict::skip)
        .collect()
}

/// Whether the order of turns is that of the schedule. In Daihinmin the dealer draws it.
fn has_seats(plan: &Plan) -> bool {
    plan.game() != GameName::Daihinmin
}

fn starts(plan: &Plan, seen: &Observed) -> Verdict {
    let check = "starts";
    if let Some(reason) = &seen.launch {
        return Verdict::fail(
            check,
            reason.clone(),
            "give the words of the command as a shell takes them; paths begin at this folder",
        );
    }
    let limit = plan.start_limit();
    match (seen.connected, seen.exit) {
        (Some(after), _) if after * 2 > limit => Verdict::warn(
            check,
            format!("connected {} after its start", ms(after)),
            format!("at a tournament it may have {} or less", ms(limit)),
        ),
        (Some(after), _) => {
            Verdict::pass(check, format!("connected {} after its start", ms(after)))
        }
        (None, Exit::Early(status)) => Verdict::fail(
            check,
            with_last_words(seen, format!("ended with {status} before it connected")),
            "run the command by hand, with a host and a port filled in, and look at what it writes",
        ),
        (None, _) => Verdict::fail(
            check,
            with_last_words(seen, format!("did not connect within {}", ms(limit))),
            "look whether it connects to {host} and {port} as they are filled in, and not to a port of its own",
        ),
    }
}

/// What is wrong with the greeting.
fn handshake(plan: &Plan, seen: &Observed) -> Option<Verdict> {
    let check = "handshake";
    if plan.game() == GameName::Geister {
        if seen.games.first().is_some_and(|game| game.moves > 0) {
            return None;
        }
        let fault = match seen.games.first() {
            Some(game) if is_fault(game.kind) => Some(told(plan, game)),
            Some(_) => None,
            None => seen
                .fault
                .as_ref()
                .map(|(kind, reason)| words(plan, *kind, Some(reason))),
        };
        if let Some(fault) = fault {
            let text = with_exit(seen, format!("its set-up came to nothing: {fault}"));
            return Some(Verdict::fail(check, text, remedy::greeting(plan.game())));
        }
        // Without a game it has left before the house bot came.
        if !seen.games.is_empty() {
            return None;
        }
    } else if seen.name.is_some() {
        return None;
    }
    let mut text = format!("connected {}", times(seen.connections));
    if seen.sent == 0 {
        text.push_str(", but has sent nothing");
    } else {
        let beginning = seen.beginning.escape_ascii();
        let _ = write!(
            text,
            ", but its greeting came to nothing: {} bytes, `{beginning}`",
            seen.sent
        );
    }
    let text = with_exit(seen, text);
    Some(Verdict::fail(check, text, remedy::greeting(plan.game())))
}

/// The long match.
pub(super) fn many(plan: &Plan, seen: &Observed) -> Vec<Verdict> {
    let check = "ten-games";
    let games = seen.games.len();
    let how = match (seen.greeted, seen.starts) {
        (1, _) => "on one connection".to_owned(),
        (n, 1) => format!("on {n} connections"),
        (n, starts) => format!("on {n} connections, started {}", times(starts)),
    };
    let mut verdicts = vec![match problem(plan, seen, plan.games) {
        Some(problem) => Verdict::fail(check, problem.seen, problem.remedy),
        None => Verdict::pass(
            check,
            format!("{games} games {how}, {} own moves", moves(seen)),
        ),
    }];
    if has_seats(plan) {
        verdicts.push(every_seat(seen));
    }
    verdicts.push(time_use(plan, seen));
    verdicts
}

/// A match whose bytes came in other pieces.
pub(super) fn packets(plan: &Plan, check: &'static str, seen: &Observed) -> Verdict {
    let is_glued = check == "glued-packets";
    match problem(plan, seen, 1) {
        None if is_glued => Verdict::pass(check, "a game with messages that came together"),
        None => Verdict::pass(check, "a game with messages that came in pieces"),
        Some(Problem { seen, .. }) => {
            Verdict::fail(check, seen, remedy::packets(plan.game(), is_glued))
        }
    }
}

/// A match that an opponent has left. A bot that never leaves is blamed for that once: `lingers` is whether it does so
/// after other matches.
pub(super) fn vanished(plan: &Plan, seen: &Observed, lingers: bool) -> Verdict {
    let check = "vanishing-opponent";
    let remedy = "an opponent may be gone at any time: play on, or see the end of the game, until the server ends \
                  the match";
    let fault = seen.games.iter().find(|game| is_fault(game.kind));
    if let Some(game) = fault {
        let text = with_exit(seen, told(plan, game));
        return Verdict::fail(check, text, remedy);
    }
    if let (true, Some(reason)) = (seen.games.is_empty(), void(&seen.ended)) {
        let text = with_exit(seen, format!("no game was played to its end: {reason}"));
        return Verdict::fail(check, text, remedy::fault(EndKind::Normal, plan.game()));
    }
    if !seen.has_vanished {
        return Verdict::warn(
            check,
            "the game was over before the opponent could vanish",
            "check again with another --seed",
        );
    }
    match seen.exit {
        // In GAT nobody says that the match is over.
        Exit::Lingers if !lingers && plan.game() != GameName::Geister => Verdict::fail(
            check,
            format!(
                "the match is over, and it still runs after {}",
                ms(plan.leave)
            ),
            remedy,
        ),
        Exit::Early(status) | Exit::After(status, _) if is_crash(status) => Verdict::fail(
            check,
            with_last_words(seen, format!("crashed: {status}")),
            remedy,
        ),
        _ => {
            let games = seen.games.len();
            let plural = if games == 1 { "" } else { "s" };
            Verdict::pass(check, format!("{games} game{plural} to the end"))
        }
    }
}
