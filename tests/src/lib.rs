//! What the end-to-end tests are made of: the real programs, players that speak the UECda and GAT
//! protocols byte by byte without any code of the project's own, and the ways in which players
//! misbehave.
//!
//! Nothing here knows the inside of the server: it is started as a program, met over TCP, and
//! judged by its exit status, its output and its record.

pub mod gat;
pub mod golden;
pub mod league;
pub mod native;
pub mod programs;
pub mod relay;
pub mod run;
pub mod uecda;
