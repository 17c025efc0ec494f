//! The native protocol, by the game 3D four-in-a-row.

mod faults;
mod returns;
mod score_four;
mod session;
