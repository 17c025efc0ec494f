//! A connected player before and at the table: its end of the protocol, its placement, its clock.

use std::time::Duration;

use bytes::Bytes;
use games::geister::Placement;
use protocol::gat::{ClientLine, Names, Request, ServerEnd};

use record::EndKind;

/// Refused lines of one player that are kept for the record of a game; more are only answered.
const MOST_REFUSED: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RefusedLine {
    pub(super) sent: String,
    pub(super) reason: String,
}

/// A player from its connection to the end of its game. It may set up while it waits for an
/// opponent.
#[derive(Clone, Debug)]
pub struct Entrant {
    pub(super) end: ServerEnd,
    pub(super) placement: Option<Placement>,
    pub(super) name: Option<String>,
    /// Refused lines that the record does not have yet.
    pub(super) refusals: Vec<RefusedLine>,
    refused: usize,
    /// Since when the player has its last message, but for the greeting.
    pub(super) told: Option<Duration>,
    /// Whether its last `MOV?` came so soon behind another message that one read may have taken both.
    pub(super) is_hurried: bool,
    pub is_there: bool,
}

impl Entrant {
    /// A player that has just connected; `names` says whether it may name itself.
    pub fn new(names: Names) -> Entrant {
        Entrant {
            end: ServerEnd::new(names),
            placement: None,
            name: None,
            refusals: Vec::new(),
            refused: 0,
            told: None,
            is_hurried: false,
            is_there: true,
        }
    }

    /// The fault of a player that has not set up in time, and why it has lost.
    pub(super) const fn not_set_up(&self) -> (EndKind, &'static str) {
        if self.is_there {
            (EndKind::Stall, "it has not set up in time")
        } else {
            (EndKind::Disconnect, "it is not there")
        }
    }

    /// The first message.
    pub fn greet(&self) -> Bytes {
        self.end.set_request()
    }

    /// Whether it has set up.
    pub fn has_set(&self) -> bool {
        self.placement.is_some()
    }

    /// Takes bytes of a player that waits for an opponent; `send` takes the answers, a message
    /// each. `now` is the time on the clock of the match.
    pub fn receive(&mut self, bytes: &[u8], now: Duration, send: &mut impl FnMut(Bytes)) {
        self.end.receive(bytes);
        while let Some(request) = self.end.next_request() {
            if let Some(answer) = self.set_up(&request, now) {
                send(answer);
            }
        }
    }

    /// Answers a request that no game is needed for.
    pub(super) fn set_up(&mut self, request: &Request, now: Duration) -> Option<Bytes> {
        match request {
            Request::Placement { placement, name } => {
                self.placement = Some(*placement);
                self.name.clone_from(name);
                self.told = Some(now);
                Some(self.end.accept_placement())
            }
            Request::Refused(line) => {
                let reason = self.why(line);
                self.refuse(line.to_string(), reason);
                self.told = Some(now);
                Some(self.end.refuse())
            }
            Request::Move(_) | Request::Fault(_) | Request::Ignored(_) => None,
        }
    }

    pub(super) fn refuse(&mut self, sent: String, reason: String) {
        self.refused += 1;
        if self.refused <= MOST_REFUSED {
            self.refusals.push(RefusedLine { sent, reason });
        }
    }

    /// Why a line is refused that costs nothing.
    pub(super) fn why(&self, line: &ClientLine) -> String {
        match line {
            ClientLine::Malformed { reason, .. } => reason.to_string(),
            ClientLine::TooLong => "the line is too long".to_owned(),
            ClientLine::Move(_) => "it is not this player's turn".to_owned(),
            ClientLine::Set { .. } if self.placement.is_some() => {
                "the placement is set already".to_owned()
            }
            ClientLine::Set { .. } => "names of clients are not taken here".to_owned(),
        }
    }
}
