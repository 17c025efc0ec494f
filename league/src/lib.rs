//! Leagues and contests of Taikyoku: many games between many entrants, their results, the check of a bot before a
//! tournament, and the program `taikyoku`.
//!
//! The tables, the clocks and the records are those of the server. Nothing here knows the rules of a game or a search. A game
//! counts only once its line is in the journal, and the same journal always gives the same figures. Begin reading at
//! `commands/league/play.rs`, then at `runner/mod.rs`.
//!
//! | part | what it does |
//! |---|---|
//! | [`settings`] | what is played, by whom, read from a file |
//! | [`schedule`] | which games, in which order |
//! | [`sections`] | stages with groups, and who goes on from one to the next |
//! | [`ranking`] | who stands where by points and tie-breaks |
//! | [`table_session`] | the seats of one matchup, behind a port each |
//! | [`remote`] | the ports of entrants on machines of their own, and where they wait |
//! | [`process`] | the programs that play |
//! | [`runner`] | which sessions are played when, and what is done about those that fail |
//! | [`workers`] | sessions that are played on other machines |
//! | [`ladder`] | rated play without end, between entrants that come and go |
//! | [`journal`] | what has been played, line by line |
//! | [`result`] | the figures of the journal, as tables, files and a page |
//! | [`archive`] | journal, records and report as one file, and its verification |
//! | [`check`] | what a bot must do before a tournament |
//! | [`commands`] | the commands of the program that need any of it |

// The project alone uses this crate: what a name and a type already say is not said again.
#![allow(missing_docs, clippy::missing_errors_doc, clippy::missing_panics_doc)]

use std::panic::resume_unwind;

use tokio::task::JoinError;

pub mod archive;
pub mod check;
pub mod commands;
pub mod journal;
pub mod ladder;
pub mod process;
pub mod ranking;
pub mod remote;
pub mod result;
pub mod runner;
pub mod schedule;
pub mod sections;
pub mod settings;
pub mod table_session;
#[cfg(test)]
pub(crate) mod testing;
pub mod workers;

/// Runs what waits for a disk on a thread for it: the tasks that referee tables share those of the runtime.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work)
        .await
        .map_err(JoinError::try_into_panic)
    {
        Ok(done) => done,
        Err(Ok(panic)) => resume_unwind(panic),
        // The runtime ends, and this task with it.
        Err(Err(_)) => std::future::pending().await,
    }
}
