//! The commands of the `taikyoku` program.

mod bot;
mod check;
mod demo;
mod geister_standings;
mod native_standings;
mod serve;
mod standings;
mod summary;

pub use bot::{BotArgs, BotFailure};
pub use check::{CheckArgs, CheckFailure};
pub use demo::{DemoArgs, DemoFailure};
pub use serve::{BlokusArgs, GeisterArgs, ScoreFourArgs, ServeArgs, ServeFailure, UecdaArgs};

/// The commands, run with their arguments.
pub mod run {
    pub use super::bot::run as bot;
    pub use super::check::run as check;
    pub use super::demo::run as demo;
    pub use super::serve::run as serve;
}
