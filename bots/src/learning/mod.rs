//! Networks of one hidden layer, for policies that judge each move by what it changes, and the steps by which they learn.

mod adam;
mod network;

pub use adam::Adam;
pub(crate) use network::numbers_of;
pub use network::{
    HiddenSums, Inputs, Network, Networks, UNITS, bytes_of, likeliest, to_log_chances,
};
