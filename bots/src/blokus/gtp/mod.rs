//! A GTP engine in Pentobi's dialect: `protocol/GTP.md` specifies its commands.
//!
//! [`GtpSession`] answers commands and knows neither input nor output; [`run`] puts it between two streams.

mod arguments;
mod commands;
mod parameters;
mod position;
mod session;
mod state;

pub use commands::cpu_time;
pub use session::{GtpSession, run};
