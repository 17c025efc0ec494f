//! The match server of Taikyoku: tables, clocks, records and the `taikyoku` program.
//!
//! One referee, many tongues: a table is a state machine without sockets and clocks, the shells
//! around it are small. Only [`record`] and the modules beside it touch files.

pub mod config;
pub mod official_log;
pub mod record;
pub mod replay;
