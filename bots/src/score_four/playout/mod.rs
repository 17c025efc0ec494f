//! Ways to play a game out.

mod erdos_selfridge;
mod picks;
mod uniform;

pub use erdos_selfridge::{ErdosSelfridge, Importance};
pub use uniform::Uniform;
