//! The match server of Taikyoku: tables, clocks and records, and the commands that serve, show and replay.
//!
//! A referee for each protocol is a state machine without sockets and clocks; one shell plays them
//! all. Begin reading at `table` and `referee`. Nothing here knows of leagues, searches or networks.

pub mod commands;
pub mod config;
mod drawing;
pub mod grid;
pub mod lobby;
pub mod number;
pub mod referee;
pub mod replay;
pub mod table;
pub mod watch;
