//! What the networks of Taikyoku take and give.
//!
//! A [`Layout`] says how a position of a game becomes the input of a network and which logit is which move; each is
//! defined here, once, and written down in `models/LAYOUTS.md`. A packed position is the form in which positions
//! travel between the programs: bits for planes and facts, see [`Layout::bytes`].

pub mod blokus;
pub mod dobutsu;
#[cfg(test)]
mod fixture;
mod layout;
mod network;
pub mod score_four;

pub use layout::{Encoding, Layout};
pub use network::{
    Metadata, Network, NetworkError, NnEngine, Outputs, Precision, PrecisionChoice, ValueKind,
};
