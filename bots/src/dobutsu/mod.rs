//! Dobutsu shogi, solved: the numbers of its boards, their values, and the table that keeps these.

mod bits;
mod index;
mod samples;
mod solver;
mod statistics;
mod table;
mod value;
mod verifier;

pub use index::{Index, Material};
pub use samples::{Accuracy, Draw, write_samples};
pub use solver::{Solution, solve};
pub use statistics::Statistics;
pub use table::{Table, TableError, default_folder};
pub use value::Value;
pub use verifier::{Breach, verify};
