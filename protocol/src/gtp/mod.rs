//! GTP, the Go Text Protocol version 2, as engines of Blokus speak it: one command a line, answers that begin
//! with `=` or `?` and end with an empty line.
//!
//! `protocol/GTP.md` specifies the commands of Blokus. [`EngineEnd`] and [`ControllerEnd`] are the two ends:
//! bytes become [`Command`]s and [`Answer`]s and back. What a command means is not looked into here.
//!
//! As the specification of GTP 2 has it, control letters other than tab and LF are dropped, a tab is a blank,
//! `#` begins a comment, and lines without anything else are passed over. Arguments in double quotes, which
//! may have blanks in them, are Pentobi's addition.

mod ends;
mod message;

pub use ends::{ANSWER_LIMIT, ControllerEnd, EngineEnd, Received};
pub use message::{Answer, COMMAND_LIMIT, Command, Fault, NotAWord, NotAnAnswer, Problem};
