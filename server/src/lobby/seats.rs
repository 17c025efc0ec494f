//! The seats of the next match.

use std::task::{Context, Poll};

use games::count_of;

use super::CLIENTS;

/// A client that has a seat and waits for its match.
pub(super) trait WaitingClient {
    fn name(&self) -> &str;

    /// Answers what it sends. Ready when it leaves.
    fn poll_left(&mut self, cx: &mut Context<'_>) -> Poll<()>;
}

/// The seats of the next match: one that is free again goes to the next client that comes.
#[derive(Debug)]
pub(super) struct MatchSeats<C> {
    seats: Vec<Option<C>>,
    /// Number of the next match, from 1.
    pub(super) number: u64,
}

impl<C: WaitingClient> MatchSeats<C> {
    pub(super) fn new(seats: usize) -> MatchSeats<C> {
        MatchSeats {
            seats: (0..seats).map(|_| None).collect(),
            number: 1,
        }
    }

    pub(super) fn free(&self) -> Option<usize> {
        self.seats.iter().position(Option::is_none)
    }

    pub(super) fn sit(&mut self, seat: usize, client: C) {
        self.seats[seat] = Some(client);
        self.log_free();
    }

    pub(super) fn taken(&mut self) -> impl Iterator<Item = (usize, &mut C)> {
        let seats = self.seats.iter_mut().enumerate();
        seats.filter_map(|(seat, client)| Some((seat, client.as_mut()?)))
    }

    /// All clients in the order of their seats, which are free then.
    pub(super) fn take(&mut self) -> Vec<C> {
        self.seats.iter_mut().filter_map(Option::take).collect()
    }

    /// The number of the next match and its players, who leave their seats to those of the one after it, if all have come.
    pub(super) fn take_full(&mut self) -> Option<(u64, Vec<C>)> {
        if self.free().is_some() {
            return None;
        }
        self.number += 1;
        Some((self.number - 1, self.take()))
    }

    /// Ready when one has left its seat.
    pub(super) fn poll_left(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let is_gone = |client: &mut Option<C>| {
            client
                .as_mut()
                .is_some_and(|one| one.poll_left(cx).is_ready())
        };
        let Some(seat) = self.seats.iter_mut().position(is_gone) else {
            return Poll::Pending;
        };
        if let Some(client) = self.seats[seat].take() {
            let name = client.name();
            log::info!(target: CLIENTS, "player {seat}: {name} left before the match");
        }
        self.log_free();
        Poll::Ready(())
    }

    fn log_free(&self) {
        let free = self.seats.iter().filter(|seat| seat.is_none()).count();
        if free > 0 {
            let players = count_of(free as u64, "more player", "more players");
            log::info!(target: CLIENTS, "match {} waits for {players}", self.number);
        }
    }
}
