//! Policies that are learned by self-play: networks of one hidden layer, and the steps by which games change them. Steps and
//! files serve other networks, too.

mod adam;
mod network;
mod ppo;

pub use adam::Passes;
pub(crate) use adam::{Adam, Course};
pub use network::Networks;
pub(crate) use network::{Inputs, Network, bytes_of, numbers_of};
pub(crate) use ppo::{Decision, Ppo, draw_chance, follow_advantages, likeliest, to_log_chances};
pub use ppo::{Round, Schedule};
