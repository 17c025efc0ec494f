//! The match server of Taikyoku: tables, clocks, records and the `taikyoku` program.
//!
//! A referee for each protocol is a state machine without sockets and clocks; one shell plays them
//! all.

pub mod check;
pub mod commands;
pub mod config;
mod drawing;
mod grid;
pub mod league;
pub mod lobby;
pub mod referee;
pub mod replay;
pub mod table;
pub mod watch;
