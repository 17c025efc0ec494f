//! Servers that strangers, full disks, and outputs that nobody reads do not stop.

mod crowds;
mod files;
mod output;
mod pauses;
mod secrets;
mod tls;
