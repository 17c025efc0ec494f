//! Interpreters: clients of other protocols at a table of the native one.
//!
//! What such a client sends becomes messages of the native protocol, and what the referee tells becomes lines of the
//! client's protocol. One referee judges all of them, so that a client of any protocol may meet one of any other. An
//! interpreter knows no rules, no socket and no clock; it follows the pieces, because protocols name them.

mod animal_shogi;
mod course;
mod replica;
#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::time::Duration;

use protocol::native::{ClientMessage, ErrorCode, Fault, ServerMessage};

pub(crate) use animal_shogi::AnimalShogi;
pub(crate) use course::Course;

/// Takes a message to the client: its bytes, to be written by themselves.
pub(crate) type Say<'a> = dyn FnMut(&[u8]) + 'a;

/// A client of another protocol, and where its game stands.
pub(crate) trait Interpreter: Debug + Send {
    fn client(&self) -> &'static str;

    /// Takes in bytes of the client, in any cuts.
    fn receive(&mut self, bytes: &[u8]);

    /// What the client has sent next that is for the referee; `None` until more bytes come. It is told all that needs
    /// no referee.
    fn next_message(&mut self, say: &mut Say<'_>) -> Option<Result<ClientMessage, Fault>>;

    /// Tells the client what the referee says, as far as its protocol has words for it.
    fn tell(&mut self, message: &ServerMessage, say: &mut Say<'_>);

    /// How long its name is waited for, once it is there.
    fn name_wait(&self) -> Duration {
        Duration::ZERO
    }

    fn name(&self) -> Option<&str> {
        None
    }

    /// After how much silence of the server it is told that the connection is alive.
    fn alive_after(&self) -> Option<Duration> {
        None
    }

    /// Tells the client that the connection is alive.
    fn say_alive(&mut self, _say: &mut Say<'_>) {}

    /// How long it is still answered after its game.
    fn linger(&self) -> Duration {
        Duration::ZERO
    }
}

/// What a client has sent that costs it its game.
fn fault(message: impl Into<String>, sent: &impl ToString) -> Fault {
    Fault {
        code: ErrorCode::Malformed,
        message: message.into(),
        sent: sent.to_string(),
    }
}

/// The seat of a player in a game, from the players by seat.
fn seat_of(player: u8, players: &[u8]) -> Option<u8> {
    let seat = players.iter().position(|one| *one == player)?;
    u8::try_from(seat).ok()
}
