//! Geister in the GAT protocol.

mod faults;
mod matches;
mod secrets;
mod service;
