//! What the networks of Taikyoku take and give.
//!
//! A [`Layout`] says how a position of a game becomes the input of a network and which logit is which move. Each is defined
//! here, once, and written down in `models/LAYOUTS.md`. A packed position is the form in which positions travel between
//! programs: bits for planes and facts, see [`Layout::bytes`]. A [`Network`] is a file in ONNX format that names its layout.
//!
//! Nothing here knows rules beyond the position that it encodes, searches or trains. A network never decides what is legal,
//! and a file that does not fit its layout is refused when it is opened.
//!
//! Two engines evaluate networks: `ort` (ONNX Runtime, where its library is found) and `rten`, which needs no library.
//!
//! Begin reading at `layout.rs`, then at the smallest layout, `score_four.rs`.
#![allow(
    missing_docs,
    reason = "the packages of this workspace are alone in using it, and some items are named by what they are"
)]

pub mod blokus;
pub mod dobutsu;
mod layout;
mod network;
pub mod score_four;
#[cfg(test)]
mod testing;

pub use layout::{Encoding, Layout};
pub use network::{Metadata, Network, NetworkError, NnEngine, Outputs, Precision, ValueKind};
