//! The match server of Taikyoku: tables, clocks, records and the `taikyoku` program.
//!
//! One referee, many tongues: a table is a state machine without sockets and clocks, the shells
//! around it are small. Only the modules beside [`referee`] touch files.

pub mod check;
pub mod commands;
pub mod config;
pub mod league;
pub mod lobby;
pub mod referee;
pub mod replay;
