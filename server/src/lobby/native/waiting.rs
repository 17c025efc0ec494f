//! Players whose table is not full.

use std::task::{Context, Poll};

use games::Game;
use protocol::native::{ClientMessage, ErrorCode, ServerMessage, VERSION};

use super::greeting::is_same;
use super::guest::Guest;
use record::Player;

#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) guest: Guest,
    pub(super) player: Player,
    pub(super) token: String,
}

impl Waiting {
    /// Answers what it sends before the match; whether it leaves or is to be left.
    fn has_left(&mut self) -> bool {
        while let Some(sent) = self.guest.next_message() {
            let (code, message) = match sent {
                Ok(ClientMessage::Leave) => return true,
                Ok(_) => (ErrorCode::NoGame, "the match has not begun".to_owned()),
                Err(fault) => (fault.code, fault.message),
            };
            self.guest.tell(&ServerMessage::error(code, message));
            if code == ErrorCode::Rate {
                return true;
            }
        }
        false
    }
}

/// Those that wait, each in the place that it was told: a place that is free again goes to the next that
/// comes.
#[derive(Debug)]
pub(super) struct Queue {
    places: Vec<Option<Waiting>>,
}

impl Queue {
    pub(super) fn new(seats: usize) -> Queue {
        Queue {
            places: (0..seats).map(|_| None).collect(),
        }
    }

    /// The first place that is free.
    pub(super) fn free(&self) -> Option<usize> {
        self.places.iter().position(Option::is_none)
    }

    pub(super) fn free_count(&self) -> usize {
        self.places.iter().filter(|place| place.is_none()).count()
    }

    pub(super) fn sit(&mut self, place: usize, waiting: Waiting) {
        self.places[place] = Some(waiting);
    }

    pub(super) fn leave(&mut self, place: usize) -> Option<Waiting> {
        self.places[place].take()
    }

    /// Finds the client that has this token, and its place.
    pub(super) fn find(&mut self, token: &str) -> Option<(usize, &mut Waiting)> {
        let places = self.places.iter_mut().enumerate();
        let mut taken = places.filter_map(|(place, one)| Some((place, one.as_mut()?)));
        taken.find(|(_, one)| is_same(&one.token, token))
    }

    /// The waiting players, in the order of their places.
    pub(super) fn players(&self) -> Vec<Player> {
        let places = self.places.iter().flatten();
        let player = |one: &Waiting| {
            let player = one.player.clone();
            match one.guest.name() {
                Some(name) => Player {
                    name: name.to_owned(),
                    ..player
                },
                None => player,
            }
        };
        places.map(player).collect()
    }

    /// Whether one of those that wait speaks another protocol.
    pub(super) fn has_other(&self) -> bool {
        self.places.iter().flatten().any(|one| one.guest.is_other())
    }

    /// All that wait, in the order of their places; nobody waits any more.
    pub(super) fn take(&mut self) -> Vec<Waiting> {
        self.places.iter_mut().filter_map(Option::take).collect()
    }

    /// Ready with the place of one that leaves; answers the others.
    pub(super) fn poll_left(&mut self, cx: &mut Context<'_>) -> Poll<usize> {
        for (place, one) in self.places.iter_mut().enumerate() {
            let Some(one) = one else { continue };
            // One that never stops sending is soon above the rate.
            while let Poll::Ready(read) = one.guest.poll_read(cx) {
                if read.is_err() || one.has_left() {
                    return Poll::Ready(place);
                }
            }
        }
        Poll::Pending
    }
}

pub(crate) fn welcome<G: Game>(
    number: u64,
    player: games::Player,
    token: &str,
    resumed: bool,
) -> ServerMessage {
    ServerMessage::Welcome {
        version: VERSION,
        server: concat!("taikyoku ", env!("CARGO_PKG_VERSION")).to_owned(),
        game: G::NAME.as_str().to_owned(),
        number,
        player: player.number(),
        token: token.to_owned(),
        resumed,
    }
}
