//! The laboratory: engines are measured, tuned and trained inside one process, without a server.
//!
//! - [`arena`]: matches between engines, with intervals over blocks, on threads or by workers of other machines;
//! - [`training`]: the trainer of the policies and values that engines are shipped with;
//! - [`self_play`]: games that networks learn from in Python, as samples;
//! - [`dobutsu`], [`score_four`]: experiments of the papers.
//!
//! No bot and no server uses this crate, and no experiment opens a socket. With a seed and budgets in playouts an experiment
//! gives the same figures on every machine, however many threads or workers play it.
//!
//! The program `taikyoku-lab` has a command for each: begin reading at `src/bin/taikyoku-lab/main.rs`, then at
//! `Contest` in `arena`. `docs/reproduce.md` lists the experiments of the papers.

#![allow(
    missing_docs,
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    reason = "the program and the tests of this package are alone in using it"
)]

pub mod arena;
pub mod dobutsu;
pub mod score_four;
pub mod self_play;
pub mod training;
