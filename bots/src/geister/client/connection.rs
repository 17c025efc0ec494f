//! A connection to a server, from the first attempt to the end of its game.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use log::{debug, info};
use protocol::gat::{ClientEnd, Event};

use super::{Options, PlayError};
use crate::client::connect::{RETRY, connect, is_passing};

/// A connection that was open for so long was no attempt that failed: the time for connecting begins
/// anew after it.
const LASTING: Duration = Duration::from_secs(1);
/// Bytes read at once.
const READ_LEN: usize = 1 << 12;

/// Why a connection is of no more use.
#[derive(Debug, thiserror::Error)]
pub enum Lost {
    /// The server closed it.
    #[error("the server closed the connection")]
    Closed,
    /// It broke.
    #[error("the connection broke: {0}")]
    Broken(#[from] io::Error),
    /// The server said nothing for too long.
    #[error("the server has said nothing for {} s", .0.as_secs_f64())]
    Silent(Duration),
}

/// A connection on which `SET?` has come.
pub struct Connection {
    stream: TcpStream,
    /// The state of the protocol.
    pub end: ClientEnd,
    idle: Option<Duration>,
}

impl Connection {
    /// Connects and waits for `SET?`. Tries again while the port refuses, and when the connection dies
    /// before `SET?`, as it does at servers that close their ports between games.
    ///
    /// # Errors
    /// When the time for it is over, the host is unknown, or the server is silent for too long.
    pub fn open(options: &Options, port: u16) -> Result<Self, PlayError> {
        let address = format!("{}:{port}", options.host);
        let mut deadline = Instant::now() + options.connect_limit();
        let mut dropped = 0_u32;
        loop {
            let began = Instant::now();
            let error = match connect(&options.host, port, options.connect_limit()) {
                Ok(stream) => {
                    let mut connection = Self {
                        stream,
                        end: ClientEnd::new(),
                        idle: options.idle_limit(),
                    };
                    match connection.set_request() {
                        Ok(()) => return Ok(connection),
                        Err(Lost::Silent(limit)) => {
                            return Err(PlayError::Silent { address, limit });
                        }
                        Err(lost) => {
                            debug!("before SET?: {lost}");
                            dropped += 1;
                            None
                        }
                    }
                }
                Err(error) if is_passing(&error) => Some(error),
                Err(source) => return Err(PlayError::Connect { address, source }),
            };
            if began.elapsed() > LASTING {
                deadline = Instant::now() + options.connect_limit();
            }
            if Instant::now() >= deadline {
                return Err(match error {
                    Some(source) => PlayError::Connect { address, source },
                    None => PlayError::Dropped { address, dropped },
                });
            }
            sleep(RETRY);
        }
    }

    fn set_request(&mut self) -> Result<(), Lost> {
        while !self.end.has_begun() {
            if let Some(Event::Odd(line)) = self.event(None)? {
                info!("before SET? the server said `{}`", line.escape_debug());
            }
        }
        Ok(())
    }

    /// The next event; `None` if none has come in the time `within`. Without it waits as long as a
    /// silence may last.
    ///
    /// # Errors
    /// When the connection has ended and all that came before was taken.
    pub fn event(&mut self, within: Option<Duration>) -> Result<Option<Event>, Lost> {
        let mut bytes = [0; READ_LEN];
        let deadline = within.map(|within| Instant::now() + within);
        loop {
            if let Some(event) = self.end.next_event() {
                return Ok(Some(event));
            }
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(None);
            }
            self.stream.set_read_timeout(left.or(self.idle))?;
            match self.stream.read(&mut bytes) {
                Ok(0) => return Err(Lost::Closed),
                Ok(n) => self.end.receive(&bytes[..n]),
                Err(error) if is_timeout(&error) => match (left, self.idle) {
                    (None, Some(limit)) => return Err(Lost::Silent(limit)),
                    _ => return Ok(None),
                },
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Sends a message.
    ///
    /// # Errors
    /// When the connection has ended.
    pub fn send(&mut self, message: &[u8]) -> Result<(), Lost> {
        Ok(self.stream.write_all(message)?)
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}
