//! The engines behind USI, for controllers of the shogi family.

mod limits;
mod session;
mod thinker;

pub use session::{UsiSession, run};
