//! Sans-I/O codecs and state machines of the tongues that Taikyoku speaks.
//!
//! A tongue is a module: bytes become typed messages and messages become bytes. Nothing here
//! opens a socket, keeps a clock or knows the rules of a game beyond what its wire format needs.
//! Whatever arrives from outside becomes a typed value or a typed error, never a panic.

pub mod gat;
pub mod gtp;
mod line;
pub mod native;
pub mod uecda;
