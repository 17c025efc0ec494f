//! Settings that cannot be.

use super::{Format, ProcessLife, Settings};
use games::GameName;

/// What cannot be, wherever it comes from: the key that is wrong, and why.
pub(super) fn fault(s: &Settings) -> Option<(&'static str, String)> {
    let (game, seats) = (s.game(), s.seats());
    let faults = [
            (s.deals == 0, "deals", "at least one deal is played".to_owned()),
            (s.session == 0, "session", "a session has at least one game".to_owned()),
            (s.at_once == 0, "at-once", "at least one table is played".to_owned()),
            (
                s.process == ProcessLife::Deals(0),
                "sitting-deals",
                "at least one deal is played".to_owned(),
            ),
            (s.clocks.start_ms == 0, "start-ms", "a program needs time to start".to_owned()),
            (
                s.clocks.move_ms.is_none() && s.clocks.game_ms.is_none(),
                "move-ms",
                "without a limit of time one silent program would stop the league: give move-ms or game-ms".to_owned(),
            ),
            (
                s.clocks.increment_ms.is_some() && s.clocks.game_ms.is_none(),
                "increment-ms",
                "increment-ms adds to a budget: give game-ms too".to_owned(),
            ),
            (
                s.clocks.increment_ms.is_some() && matches!(game, GameName::Daihinmin | GameName::Geister),
                "increment-ms",
                format!("the clocks of {game} have no increment"),
            ),
            (
                s.session != 1 && game != GameName::Daihinmin,
                "session",
                format!("no ranks carry over in {game}: a session is one game"),
            ),
            (
                s.random_plies > 0 && matches!(game, GameName::Daihinmin | GameName::Geister),
                "random-plies",
                format!("{game} has no random first plies"),
            ),
            (
                s.random_plies > 40,
                "random-plies",
                "at most 40 random plies are possible: the game may be over after more".to_owned(),
            ),
            (
                s.points.is_some() && seats != 2,
                "points",
                "points of a win, a draw and a loss are for two seats".to_owned(),
            ),
            (
                s.points.is_some_and(|p| p.iter().any(|p| !p.is_finite())),
                "points",
                "points are numbers".to_owned(),
            ),
            (
                !(s.margin.is_finite() && s.margin > 0.0),
                "margin",
                "the margin is a number of rating points above 0".to_owned(),
            ),
            (
                s.entrants.len() < 2,
                "[[entrants]]",
                "a league has two or more entrants: add sections `[[entrants]]`".to_owned(),
            ),
            (
                matches!(s.format, Format::Swiss { rounds: 0 }),
                "rounds",
                "at least one round is played".to_owned(),
            ),
            (
                matches!(s.format, Format::Swiss { .. } | Format::Ladder) && s.entrants.len() < seats,
                "format",
                format!("this format needs as many entrants as there are seats, {seats}"),
            ),
        ];
    let first = faults.into_iter().find(|(is_fault, ..)| *is_fault);
    first.map(|(_, key, reason)| (key, reason))
}
