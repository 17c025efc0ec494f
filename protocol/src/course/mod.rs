//! The protocol of the Dobutsu shogi server of a university course: the client asks, a line each, and the server
//! answers, a line each.
//!
//! `protocol/COURSE.md` specifies it. [`ServerEnd`] and [`ClientEnd`] are the two ends, [`Board`] is what the server
//! tells of a position. No rule is looked into.

mod board;
mod ends;
mod message;

pub use board::{Board, NoBoard, Piece, Place};
pub use ends::{ANSWER_LIMIT, COMMAND_LIMIT, ClientEnd, Event, ServerEnd};
pub use message::{Answer, Command, Player};
