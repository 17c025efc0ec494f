//! What the end-to-end tests are made of: the real programs, players that speak the protocols byte by
//! byte without any code of the project's own, and the ways in which players misbehave.
//!
//! But for [`contest`], [`cluster`] and [`fuzz`], nothing here knows the inside of the server: it is started as a
//! program, met over TCP, and judged by its exit status, its output and its record.
//!
//! | Module | What is there |
//! |---|---|
//! | [`programs`] | the programs under test, built when they are first used |
//! | [`run`] | a running server and what it leaves behind |
//! | [`league`] | a running league and its journal |
//! | [`entrant`] | entrants of a league that come by themselves |
//! | [`uecda`], [`gat`], [`native`] | by protocol: a connection, a player, its phases |
//! | [`fault`] | what players do wrong on a connection, and scripts of when |
//! | [`patience`] | connecting, waiting, and players in threads of their own |
//! | [`web`] | the gateway of the page, and a page without a browser |
//! | [`golden`] | transcripts that change only on purpose |
//! | [`contest`] | the referees, to be played against without sockets |
//! | [`cluster`] | the machines of a league that plays by workers, in virtual time |
//! | [`fuzz`] | the bodies of the fuzz targets |
//!
//! `mocks/` has two programs: `mock-player`, a player of any protocol, good or bad, and
//! `mock-gtp-engine`, an engine of Blokus that does as its mode says.

// What fails in here fails the test that called it.
#![allow(missing_docs, clippy::missing_errors_doc, clippy::missing_panics_doc)]

pub mod cluster;
pub mod contest;
pub mod entrant;
pub mod fault;
pub mod fuzz;
pub mod gat;
pub mod golden;
pub mod league;
pub mod native;
pub mod patience;
pub mod programs;
pub mod run;
pub mod uecda;
pub mod web;
