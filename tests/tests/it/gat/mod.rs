//! Geister in the GAT protocol.

mod faults;
mod matches;
mod packets;
mod secrets;
mod service;
