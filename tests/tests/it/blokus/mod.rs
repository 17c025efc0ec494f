//! Blokus over TCP.

mod bots;
mod matches;
mod sheets;
