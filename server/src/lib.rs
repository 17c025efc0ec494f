//! The match server of Taikyoku: tables, clocks and records, and the commands that serve, show and replay.
//!
//! A client connects to a [`lobby`], which greets it in its protocol and gives it a seat. When a table is full, a
//! [`referee`] plays the match: a state machine that takes a message and the time, and returns events and its next
//! deadline. A [`table`] is the shell of tokio around it, with the sockets and the clocks. The events go to the record
//! and, as frames, to the watchers ([`watch`]).
//!
//! Nothing here knows a league, a search or a network: a bot of the project is a child process that connects over TCP. A
//! referee opens no socket, reads no clock and writes no file. No message of a client ends the process, and none reaches
//! another table; queues are bounded, and a client that reads too slowly is cut off.
//!
//! Begin reading at `Table::play` in `table/mod.rs`, then at the smallest referee, `referee/native/mod.rs`. The settings
//! of all servers are in [`config`], the commands in [`commands`]. The program `taikyoku` is in the crate of leagues.

// The project alone uses this crate: what a name and a type already say is not said again.
#![allow(missing_docs, clippy::missing_errors_doc, clippy::missing_panics_doc)]

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
