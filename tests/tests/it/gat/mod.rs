//! Geister in the GAT protocol.

mod faults;
mod lines;
mod matches;
mod packets;
mod secrets;
mod service;
