//! What a `go` allows.

use std::time::Duration;

use client::native::TimeLeft;
use protocol::usi::Go;

use crate::dobutsu::Limits;
use crate::search::Budget;

/// Number of further moves that a seat is assumed to play in its remaining time.
const MOVES_LEFT: u32 = 25;

impl Limits {
    /// Whether the search has no limit of its own.
    pub(super) const fn is_endless(&self) -> bool {
        self.nodes.is_none() && self.depth.is_none() && self.time.is_none()
    }
}

/// The limits of a `go` for the seat to move; `own` where it has none.
pub(super) fn limits(go: &Go, seat: u8, own: Budget) -> Limits {
    let ms = |ms: Option<u64>| Duration::from_millis(ms.unwrap_or_default().min(1 << 40));
    let (left, increment) = match seat {
        0 => (go.btime, go.binc),
        _ => (go.wtime, go.winc),
    };
    let has_clock = left.is_some() || go.byoyomi.is_some() || increment.is_some();
    let own_time = go.movetime.or(go.mate.filter(|&ms| ms < u64::MAX));
    let time = if own_time.is_some() {
        let clock = TimeLeft {
            all: ms(own_time),
            budget: Duration::ZERO,
            increment: Duration::ZERO,
        };
        Some(clock.to_use(None))
    } else if has_clock {
        let clock = TimeLeft {
            all: ms(left) + ms(go.byoyomi),
            budget: ms(left),
            increment: ms(increment),
        };
        Some(clock.to_use(Some(MOVES_LEFT)))
    } else {
        None
    };
    let limits = Limits {
        nodes: go.nodes,
        depth: go.depth.map(|depth| depth.min(u32::MAX.into()) as u32),
        time,
    };
    if limits.is_endless() && !go.infinite && !go.ponder && go.mate.is_none() {
        return Limits::of(own);
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_takes_a_share_of_the_time() {
        let own = Budget::playouts(7);
        let time = |go: Go, seat| limits(&go, seat, own).time.map(|time| time.as_millis());
        let clock = Go {
            btime: Some(50_000),
            wtime: Some(25_000),
            ..Go::default()
        };
        assert_eq!(time(clock, 0), Some(2000));
        assert_eq!(time(clock, 1), Some(1000));
        let byoyomi = Go {
            btime: Some(0),
            byoyomi: Some(1000),
            ..Go::default()
        };
        assert_eq!(time(byoyomi, 0), Some(900));
        let move_time = Go {
            movetime: Some(100),
            ..clock
        };
        assert_eq!(time(move_time, 0), Some(70));
    }

    #[test]
    fn without_a_word_the_own_budget_counts_and_infinite_has_no_end() {
        let own = Budget::playouts(7);
        assert_eq!(limits(&Go::default(), 0, own).nodes, Some(7));
        let nodes = Go {
            nodes: Some(9),
            ..Go::default()
        };
        assert_eq!(limits(&nodes, 0, own).nodes, Some(9));
        let infinite = Go {
            infinite: true,
            ..Go::default()
        };
        assert!(limits(&infinite, 0, own).is_endless());
    }
}
