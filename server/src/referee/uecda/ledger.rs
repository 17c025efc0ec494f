//! What the referee keeps of one player: its clock, its faults, and the answers it still owes.

use std::collections::VecDeque;
use std::time::Duration;

use games::daihinmin::{Cards, Position};
use protocol::uecda::CardTable;

use super::judge::{Verdict, judge, judge_gift};
use crate::config::Compat;
use record::{Clocks, EndKind};

/// Requests in a row that may run out of time without a byte from the player; then it is given up.
pub(super) const SILENT_REQUESTS: u32 = 5;

/// Missed requests that are remembered; of more, the oldest are taken as never to be answered.
const MISSED_REQUESTS: usize = 64;

/// A request that ran out of time. The protocol is lockstep and has no numbers: a slow client
/// answers it yet, before it answers the next.
#[derive(Clone, Copy, Debug)]
pub(super) enum Request {
    /// A gift of `owed` cards from `hand`.
    Gift {
        hand: Cards,
        owed: u32,
    },
    Move(Position),
}

impl Request {
    /// Whether `sent` is a sound answer to this request.
    fn fits(&self, sent: &CardTable, compat: Compat) -> bool {
        match self {
            Request::Gift { hand, owed } => judge_gift(*hand, *owed, sent, compat).fault.is_none(),
            Request::Move(position) => !matches!(judge(position, sent, compat), Verdict::Refuse(_)),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Ledger {
    /// Set for good when the player is out of the match.
    pub(super) gone: Option<EndKind>,
    /// First fault in this game: a time-out, or a loss of the seat.
    pub(super) in_game: EndKind,
    /// Whether a request of this game ran out of time.
    pub(super) is_late: bool,
    pub(super) in_match: EndKind,
    used: Duration,
    /// Requests in a row without a byte from the player.
    silent: u32,
    missed: VecDeque<Request>,
}

impl Ledger {
    pub(super) fn new() -> Ledger {
        Ledger {
            gone: None,
            in_game: EndKind::Normal,
            is_late: false,
            in_match: EndKind::Normal,
            used: Duration::ZERO,
            silent: 0,
            missed: VecDeque::new(),
        }
    }

    pub(super) fn begin_game(&mut self) {
        self.used = Duration::ZERO;
        self.is_late = false;
        self.in_game = self.gone.unwrap_or_default();
    }

    pub(super) fn fault(&mut self, kind: EndKind) {
        for first in [&mut self.in_game, &mut self.in_match] {
            if *first == EndKind::Normal {
                *first = kind;
            }
        }
    }

    pub(super) fn end_kind(&self) -> EndKind {
        self.gone.unwrap_or(self.in_match)
    }

    pub(super) fn left(&self, clocks: Clocks) -> Option<Duration> {
        let budget = Duration::from_millis(clocks.game_ms?);
        Some(budget.saturating_sub(self.used))
    }

    pub(super) fn allowance(&self, clocks: Clocks) -> Option<Duration> {
        let one = clocks.move_ms.map(Duration::from_millis);
        match (one, self.left(clocks)) {
            (Some(one), Some(left)) => Some(one.min(left)),
            (one, left) => one.or(left),
        }
    }

    pub(super) fn spend(&mut self, time: Duration) {
        self.used += time;
    }

    /// A request ran out of time after the player was waited for. Gives whether it is to be
    /// given up.
    pub(super) fn miss(&mut self, request: Request, waited: bool) -> bool {
        if self.missed.len() == MISSED_REQUESTS {
            self.missed.pop_front();
        }
        self.missed.push_back(request);
        self.is_late = true;
        self.silent += u32::from(waited);
        self.silent >= SILENT_REQUESTS
    }

    /// Whether a table that came is the late answer to a missed request, which is then ticked
    /// off. It is, in the order of the requests, unless it makes sense as an answer to `now` only:
    /// a client that does so has skipped what it missed.
    pub(super) fn is_late(&mut self, sent: &CardTable, now: &Request, compat: Compat) -> bool {
        self.silent = 0;
        let Some(oldest) = self.missed.front() else {
            return false;
        };
        if !oldest.fits(sent, compat) && now.fits(sent, compat) {
            self.missed.clear();
            return false;
        }
        self.missed.pop_front();
        true
    }
}
