//! The lobby of each contest: its door, how clients are greeted and wait, and the tables that they
//! are led to.

pub(crate) mod door;
pub(crate) mod gat;
pub(crate) mod native;
pub(crate) mod uecda;

pub use gat::{GatLobby, GatReport, Tally};
pub use native::{NativeLobby, NativeReport};
pub use uecda::{Progress, UecdaLobby, UecdaReport};
