//! The files that scripts around the official servers read, made from the events of the record.

mod gat;
mod uecda;

pub use gat::{create_game_log, game_log};
pub use uecda::{DebugDat, OfficialLog, create_log};
