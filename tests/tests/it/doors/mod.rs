//! Servers that strangers, full disks, and outputs that nobody reads do not stop.

mod crowds;
pub(crate) mod files;
mod pauses;
mod secrets;
mod tls;
