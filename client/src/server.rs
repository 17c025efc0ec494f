//! Where a server is, on a command line.

use std::time::Duration;

use clap::Args;

/// Where the server is.
#[derive(Args, Clone, Debug)]
pub struct ServerOptions {
    /// Host of the server.
    #[arg(long, default_value = "localhost", value_name = "HOST")]
    pub host: String,
    /// Seconds to keep trying while the port refuses, and to come back after a lost connection where the protocol allows it.
    #[arg(long, default_value_t = 10.0, value_parser = seconds, value_name = "SECONDS")]
    pub connect_timeout: f64,
}

impl ServerOptions {
    /// How long to keep trying to connect.
    pub fn connect_limit(&self) -> Duration {
        Duration::from_secs_f64(self.connect_timeout)
    }

    /// Host and port, for people to read.
    pub fn address(&self, port: u16) -> String {
        format!("{}:{port}", self.host)
    }
}

/// Reads a number of seconds.
///
/// # Errors
/// If it is not a number from 0 to a million.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=1e6).contains(&value) => Ok(value),
        _ => Err("expected a number of seconds from 0 to 1000000".to_owned()),
    }
}
