//! The laboratory: what is measured, tuned and learned inside one process, without a server.
//!
//! - [`arena`]: matches between engines, with intervals over blocks, on threads or by workers of other machines;
//! - [`training`]: the trainer of the policies and values that engines are shipped with;
//! - [`self_play`]: games that networks are trained from in Python, and what they are shown of them;
//! - [`dobutsu`], [`geister`], [`score_four`]: experiments of the papers.
//!
//! The program `taikyoku-lab` has a command for each; begin with `src/bin/taikyoku-lab/main.rs`. `docs/reproduce.md` lists the
//! experiments of the papers. Nothing here is needed by a bot in a tournament.

pub mod arena;
pub mod dobutsu;
pub mod geister;
pub mod score_four;
pub mod self_play;
pub mod training;
