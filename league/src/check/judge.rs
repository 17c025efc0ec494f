//! What is thought of a match.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitStatus;
use std::time::Duration;

use games::{GameName, Printable, count_of_games, is_printable};
use record::EndKind;

use super::plan::CheckPlan;
use super::remedy;
use super::trial::{Exit, Observed, Own};
use super::verdict::Verdict;
use crate::table_session::SessionEnd;

/// Bytes that are shown where they are no text.
const MOST_LEGIBLE: usize = 16;

/// The start, the handshake and a full game.
pub(super) fn first(plan: &CheckPlan, seen: &Observed) -> Vec<Verdict> {
    let starts = starts(plan, seen);
    if seen.connected.is_none() {
        return vec![
            starts,
            Verdict::skip("handshake"),
            Verdict::skip("full-game"),
        ];
    }
    let Some(handshake) = handshake(plan, seen) else {
        let good = format!("{} own moves, no fault", moves(seen));
        let full = played(plan, "full-game", seen, 1, good);
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
pub(super) fn skipped(plan: &CheckPlan) -> Vec<Verdict> {
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
fn has_seats(plan: &CheckPlan) -> bool {
    plan.game() != GameName::Daihinmin
}

fn starts(plan: &CheckPlan, seen: &Observed) -> Verdict {
    let check = "starts";
    if let Some(reason) = &seen.launch {
        return Verdict::fail(
            check,
            reason.clone(),
            "give the words of the command as a shell takes them; paths begin at the folder in which `taikyoku check` runs",
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

fn handshake(plan: &CheckPlan, seen: &Observed) -> Option<Verdict> {
    let check = "handshake";
    if plan.game() == GameName::Geister {
        if seen.games.first().is_some_and(|game| game.moves > 0) {
            return None;
        }
        let fault = match seen.games.first() {
            Some(game) if game.kind.is_fault() => Some(told(plan, game)),
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
        let beginning = legible(&seen.beginning);
        let _ = write!(
            text,
            ", but its greeting came to nothing: {} bytes, `{beginning}`",
            seen.sent
        );
    }
    let text = with_exit(seen, text);
    let remedy = if plan.game() == GameName::Daihinmin && seen.beginning.starts_with(b"{") {
        "this is the greeting of the native protocol: name its game, such as --game score-four"
    } else {
        remedy::greeting(plan.game())
    };
    Some(Verdict::fail(check, text, remedy))
}

/// Bytes as people read them: text without its end of line, otherwise the first of them.
fn legible(bytes: &[u8]) -> String {
    match str::from_utf8(bytes).map(str::trim_end) {
        Ok(text) if text.chars().all(is_printable) => text.to_owned(),
        _ => {
            let first = &bytes[..bytes.len().min(MOST_LEGIBLE)];
            let more = if first.len() < bytes.len() { "..." } else { "" };
            format!("{}{more}", first.escape_ascii())
        }
    }
}

pub(super) fn many(plan: &CheckPlan, seen: &Observed) -> Vec<Verdict> {
    let check = "ten-games";
    let games = seen.games.len();
    let how = match (seen.greeted, seen.starts) {
        (1, _) => "on one connection".to_owned(),
        (n, 1) => format!("on {n} connections"),
        (n, starts) => format!("on {n} connections, started {}", times(starts)),
    };
    let good = format!(
        "{} {how}, {} own moves",
        count_of_games(games as u64),
        moves(seen)
    );
    let mut verdicts = vec![played(plan, check, seen, plan.games, good)];
    if has_seats(plan) {
        verdicts.push(every_seat(plan, seen));
    }
    verdicts.push(time_use(plan, seen));
    verdicts
}

/// A match of so many games; `good` is said of one without a fault.
fn played(
    plan: &CheckPlan,
    check: &'static str,
    seen: &Observed,
    games: u32,
    good: String,
) -> Verdict {
    if let Some(problem) = problem(plan, seen, games) {
        return Verdict::fail(check, problem.seen, problem.remedy);
    }
    let refused: u32 = seen.games.iter().map(|own| own.refused).sum();
    let first = (1..).zip(&seen.games).find(|(_, own)| own.refused > 0);
    let Some((number, own)) = first else {
        return Verdict::pass(check, good);
    };
    let first = words(plan, EndKind::Illegal, own.refusal.as_deref());
    Verdict::warn(
        check,
        format!(
            "{good}; refused {}, first in game {number}: {first}",
            times(refused)
        ),
        remedy::fault(EndKind::Illegal, plan.game()),
    )
}

/// A match whose bytes came in other pieces; `is_sound` is whether those whose bytes came as they were had no fault.
pub(super) fn packets(
    plan: &CheckPlan,
    check: &'static str,
    seen: &Observed,
    is_sound: bool,
) -> Verdict {
    let is_glued = check == "glued-packets";
    let game = plan.game();
    let remedy = remedy::packets(game, is_glued);
    match problem(plan, seen, 1) {
        None if is_glued && game == GameName::Geister => Verdict::pass(
            check,
            "a game with messages that came together: it needs no pause (`wait-ms` may be 0)",
        ),
        None if is_glued => Verdict::pass(check, "a game with messages that came together"),
        None => Verdict::pass(check, "a game with messages that came in pieces"),
        // The usual pause between messages, each of which is a small packet of its own, serves it.
        Some(Problem { seen, .. }) if is_sound && game == GameName::Geister => Verdict::warn(
            check,
            format!("it takes one read for one message: {seen}"),
            remedy,
        ),
        // The servers of UECda write each message in one piece, and the official clients rely on it.
        Some(Problem { seen, .. }) if game == GameName::Daihinmin && !is_glued => {
            Verdict::warn(check, seen, remedy)
        }
        Some(Problem { seen, .. }) => Verdict::fail(check, seen, remedy),
    }
}

/// A match that an opponent has left. A bot that never leaves is blamed for that once: `lingers` is whether it does so
/// after other matches.
pub(super) fn vanished(plan: &CheckPlan, seen: &Observed, lingers: bool) -> Verdict {
    let check = "vanishing-opponent";
    let remedy = "an opponent may be gone at any time: play on, or see the end of the game, until the server ends \
                  the match";
    let fault = seen.games.iter().find(|game| game.kind.is_fault());
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
            let games = count_of_games(seen.games.len() as u64);
            Verdict::pass(check, format!("{games} to the end"))
        }
    }
}

/// Bytes of standard error above which organisers begin to mind.
const LOUD: usize = 64 * 1024;

pub(super) fn manners(plan: &CheckPlan, all: [&Observed; 3]) -> Vec<Verdict> {
    vec![leaves(plan, all[1]), stderr(all)]
}

fn leaves(plan: &CheckPlan, seen: &Observed) -> Verdict {
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
fn leaves_gat(plan: &CheckPlan, seen: &Observed) -> Option<Verdict> {
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

pub(super) fn time_use(plan: &CheckPlan, seen: &Observed) -> Verdict {
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

pub(super) fn every_seat(plan: &CheckPlan, seen: &Observed) -> Verdict {
    // Games and faults by seat.
    let mut counts: BTreeMap<usize, (u32, u32)> = BTreeMap::new();
    for game in &seen.games {
        let (games, faults) = counts.entry(game.seat + 1).or_default();
        *games += 1;
        *faults += u32::from(game.kind.is_fault());
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
        remedy::seat(plan.game()),
    )
}

/// Letters of a referee's reason that are shown.
const SHOWN: usize = 200;

pub(super) struct Problem {
    pub(super) seen: String,
    pub(super) remedy: String,
}

/// What went wrong in a match of so many games.
pub(super) fn problem(plan: &CheckPlan, seen: &Observed, games: u32) -> Option<Problem> {
    let game = plan.game();
    let bad = (1..).zip(&seen.games).find(|(_, own)| own.kind.is_fault());
    if let Some((number, own)) = bad {
        let place = if games > 1 {
            format!("game {number}: ")
        } else {
            String::new()
        };
        return Some(Problem {
            seen: with_exit(seen, format!("{place}{}", told(plan, own))),
            remedy: remedy::fault(own.kind, game).to_owned(),
        });
    }
    let kind = seen.fault.as_ref().map_or(EndKind::Normal, |fault| fault.0);
    let text = if let Some(reason) = &seen.launch {
        reason.clone()
    } else if seen.overran {
        "the games took so long that the match was stopped".to_owned()
    } else if seen.games.len() < games as usize {
        let reason = match (&seen.fault, &seen.ended) {
            (Some((kind, reason)), _) => words(plan, *kind, Some(reason)),
            (None, ended) => void(ended).unwrap_or("it is gone").to_owned(),
        };
        match games {
            1 => reason,
            _ => format!("{} of {games} games: {reason}", seen.games.len()),
        }
    } else {
        return None;
    };
    Some(Problem {
        seen: with_exit(seen, text),
        remedy: remedy::fault(kind, game).to_owned(),
    })
}

/// The fault of a game in the referee's words.
pub(super) fn told(plan: &CheckPlan, own: &Own) -> String {
    words(plan, own.kind, own.reason.as_deref())
}

pub(super) fn words(plan: &CheckPlan, kind: EndKind, reason: Option<&str>) -> String {
    match (reason, kind) {
        (Some(reason), _) => format!("{kind}: {}", shown(reason)),
        (None, EndKind::Timeout | EndKind::Stall) => {
            format!("{kind}: no answer within {}", ms(plan.move_limit()))
        }
        (None, EndKind::Disconnect) => format!("{kind}: its connection was lost"),
        (None, EndKind::Crash) => format!("{kind}: its program has ended"),
        (None, _) => kind.to_string(),
    }
}

pub(super) fn void(ended: &SessionEnd) -> Option<&str> {
    match ended {
        SessionEnd::Void(reason) => Some(reason),
        SessionEnd::Whole | SessionEnd::Gone | SessionEnd::Absent => None,
    }
}

/// Whether it did not end by itself.
pub(super) fn is_crash(status: ExitStatus) -> bool {
    // 101 is that of a panic in Rust, above 128 that of a shell for a signal.
    status.code().is_none_or(|code| code == 101 || code > 128)
}

pub(super) fn with_exit(seen: &Observed, mut text: String) -> String {
    let status = match seen.exit {
        Exit::Early(status) => status,
        // A lost connection may be seen before the end of the program.
        Exit::After(status, _) if !status.success() => status,
        Exit::After(..) | Exit::Lingers => return text,
    };
    let _ = write!(text, "; the program ended with {status}");
    with_last_words(seen, text)
}

pub(super) fn with_last_words(seen: &Observed, mut text: String) -> String {
    let lines: Vec<&str> = seen.last_words.lines().collect();
    for line in &lines[lines.len().saturating_sub(5)..] {
        let _ = write!(text, "\n{:.400}", Printable(line));
    }
    text
}

pub(super) fn moves(seen: &Observed) -> u32 {
    seen.games.iter().map(|game| game.moves).sum()
}

pub(super) fn times(n: u32) -> String {
    match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

pub(super) fn ms(time: Duration) -> String {
    match time.as_millis() {
        ms @ 0..10_000 => format!("{ms} ms"),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

/// The beginning of a text that may be long.
fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{} ...", &text[..at]),
        None => text.to_owned(),
    }
}
