//! Blokus over TCP.

#[cfg(unix)]
mod bots;
mod matches;
mod sheets;
