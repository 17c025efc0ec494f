//! Servers that strangers, full disks, and outputs that nobody reads do not stop.

mod crowds;
mod files;
#[cfg(unix)]
mod output;
mod pauses;
mod secrets;
mod tls;
