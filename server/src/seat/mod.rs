//! The connection of one player: how it is greeted, and its bytes once it is seated.

mod connection;
mod greeting;

pub(crate) use connection::close_cleanly;
pub use connection::{Connection, MOST_PENDING, Trouble};
pub use greeting::{Greeted, Greeting, PROFILE_LIMIT, PROFILE_WAIT};
