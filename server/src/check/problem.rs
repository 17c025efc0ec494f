//! What went wrong in a match, in words.

use std::fmt::Write as _;
use std::process::ExitStatus;
use std::time::Duration;

use super::plan::Plan;
use super::remedy;
use super::trial::{Exit, Observed, Own};
use crate::league::table::Ended;
use record::EndKind;

/// Letters of a referee's reason that are shown.
const SHOWN: usize = 200;

/// What went wrong, and what to do.
pub(super) struct Problem {
    pub(super) seen: String,
    pub(super) remedy: String,
}

/// What went wrong in a match of so many games.
pub(super) fn problem(plan: &Plan, seen: &Observed, games: u32) -> Option<Problem> {
    let game = plan.game();
    let bad = (1..).zip(&seen.games).find(|(_, own)| is_fault(own.kind));
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
pub(super) fn told(plan: &Plan, own: &Own) -> String {
    words(plan, own.kind, own.reason.as_deref())
}

pub(super) fn words(plan: &Plan, kind: EndKind, reason: Option<&str>) -> String {
    match (reason, kind) {
        (Some(reason), _) => format!("{kind}: {}", shown(reason)),
        (None, EndKind::Timeout | EndKind::Stall) => {
            format!("{kind}: no answer within {}", ms(plan.move_limit()))
        }
        (None, EndKind::Disconnect) => format!("{kind}: its connection was lost"),
        (None, _) => kind.to_string(),
    }
}

/// Why a match is void.
pub(super) fn void(ended: &Ended) -> Option<&str> {
    match ended {
        Ended::Void(reason) => Some(reason),
        Ended::Whole | Ended::Gone => None,
    }
}

/// Giving up is allowed.
pub(super) fn is_fault(kind: EndKind) -> bool {
    !matches!(kind, EndKind::Normal | EndKind::Resign)
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
        let line: String = line.chars().filter(|c| !c.is_control()).take(160).collect();
        let _ = write!(text, "\n{line}");
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
