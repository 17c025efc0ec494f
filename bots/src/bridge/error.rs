//! Why a match has no end.

use std::io;

use client::MatchError;

/// Why a match was not played to its end.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    #[error("no engine: its program stands behind `--`")]
    NoEngine,
    #[error(
        "the engine {program} does not start: {source}. {}",
        if program.contains('/') {
            "Is the path right, and is it executable?"
        } else {
            "A bare name is looked for in the folders of PATH: is it `./` and the name?"
        }
    )]
    Start { program: String, source: io::Error },
    #[error("{0}")]
    Option(String),
    #[error(
        "the engine did not answer `{command}` within {seconds} s: does it speak the protocol of the bridge on its \
         standard input and output, and flush each answer? --start-timeout gives it more time"
    )]
    Silent { command: String, seconds: f64 },
    #[error(
        "the engine floods its standard output: {0}. Only answers go there; everything else belongs on standard \
         error"
    )]
    Babbles(String),
    #[error("the engine has ended: {0}")]
    Ended(String),
    #[error(
        "the engine has ended: {1} ({times} in the match, which was played to its end)",
        times = times(*.0)
    )]
    Restarted(u32, String),
    #[error(transparent)]
    Play(#[from] MatchError),
}

fn times(count: u32) -> String {
    match count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

impl BridgeError {
    /// The exit status of a program that ends with this: 1 for an engine that has ended or floods its output,
    /// 2 for one that did not start, 3 for no connection or no seat, 4 for a match that was not finished.
    pub const fn exit_code(&self) -> u8 {
        match self {
            BridgeError::Ended(_) | BridgeError::Babbles(_) | BridgeError::Restarted(..) => {
                program::FAILED
            }
            BridgeError::NoEngine
            | BridgeError::Start { .. }
            | BridgeError::Option(_)
            | BridgeError::Silent { .. } => program::USAGE,
            BridgeError::Play(error) => error.exit_code(),
        }
    }
}
