//! The connection of one player: how it is greeted, and its bytes once it is seated.

mod connection;
mod greeting;
mod link;

pub use connection::Connection;
pub use greeting::{Greeted, Greeting, PROFILE_LIMIT, PROFILE_WAIT};
pub(crate) use link::close_cleanly;
pub use link::{Link, MOST_PENDING, Trouble};
