//! Requests to take a move back, at a table of two persons.

use std::sync::Arc;

use games::{OfferStep, Offers, Seat as GameSeat};

use super::{Origin, Table};
use crate::messages::{Offer, OfferKind};
use crate::seat::Seat;

/// Plies from a request to the next one of the same player: it has moved meanwhile.
const PLIES_BETWEEN: u32 = 2;

#[derive(Debug)]
pub(super) struct Takebacks {
    requests: Offers,
    /// The game and the ply of the last of them.
    at: (u32, u32),
}

impl Default for Takebacks {
    fn default() -> Takebacks {
        Takebacks {
            requests: Offers::new(PLIES_BETWEEN),
            at: (0, 0),
        }
    }
}

impl Table {
    /// The person of a seat asks the other one to take its last move back, or answers that; gives the seat whose last
    /// move is taken back now, if one is. At a table with bots the move is taken back at once.
    ///
    /// # Errors
    /// A sentence on why that is not possible.
    pub(crate) fn ask_back<'a>(
        &'a self,
        seat: &'a Arc<Seat>,
        act: OfferStep,
    ) -> Result<Option<&'a Seat>, String> {
        let impossible = || Err("moves are not taken back here".to_owned());
        let Origin::Made { settings, .. } = &self.origin else {
            return impossible();
        };
        if seat.is_over() || seat.has_result() {
            return impossible();
        }
        if settings.can_take_back() && act == OfferStep::Offer {
            return Ok(Some(seat));
        }
        if !settings.asks_to_take_back() {
            return impossible();
        }
        let mut takebacks = self
            .takebacks
            .lock()
            .expect("nothing panics while it tells");
        // A move has been made once one of them knows of it.
        let seats = self.seats.iter().map(|(_, seat)| seat.at());
        let at = seats.max().unwrap_or_default();
        if at != takebacks.at {
            takebacks.requests.end();
            takebacks.at = at;
        }
        if act == OfferStep::Offer {
            if seat.before_own_move().is_none() {
                return Err("there is no move of yours".to_owned());
            }
            if seat.offer().is_some() {
                return Err("an offer is open already".to_owned());
            }
        }
        let Some(player) = self.player_of(seat) else {
            return impossible();
        };
        let taken = takebacks.requests.take(at.1, GameSeat::new(player), act);
        taken.map_err(|reason| reason.to_string())?;
        // What is accepted shows in the table that takes the place of this one.
        if act != OfferStep::Accept {
            self.tell_offer(player, act, at.1);
        }
        let mut others = self.seats.iter();
        let other = others.find(|(other, _)| *other != player);
        Ok(other
            .filter(|_| act == OfferStep::Accept)
            .map(|(_, other)| &**other))
    }

    /// Declines the request that the person of a seat has accepted, because the table cannot begin anew.
    pub(crate) fn decline_back(&self, seat: &Arc<Seat>) {
        if let Some(player) = self.player_of(seat) {
            self.tell_offer(player, OfferStep::Decline, seat.at().1);
        }
    }

    fn tell_offer(&self, player: u8, act: OfferStep, ply: u32) {
        let offer = Offer {
            about: OfferKind::Takeback,
            player,
            act,
            ply,
        };
        for (_, seat) in &self.seats {
            seat.tell_offer(&offer);
        }
    }
}
