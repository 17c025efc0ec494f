//! Connections to a server, one after the other, read on threads of their own.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use log::debug;
use protocol::native::{ClientEnd, ClientMessage};

use super::PlayError;
use crate::client::connect::connect_until;

/// Pause before the next attempt.
const RETRY: Duration = Duration::from_millis(50);
/// Connections in a row that may be lost before a server says welcome.
const MOST_LOST: u32 = 100;
/// Bytes read at once.
const READ_LEN: usize = 1 << 12;

/// Where to connect, and as whom.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// How long to go on trying.
    pub(crate) limit: Duration,
    /// Name of the player.
    pub(crate) name: String,
    /// The game.
    pub(crate) game: &'static str,
}

/// What wakes the client.
pub(crate) enum Input {
    /// Bytes of the connection with this number, and when they arrived.
    Bytes(u32, Instant, Vec<u8>),
    /// That connection is lost.
    Lost(u32, String),
    /// A line of a person.
    Line(String),
    /// There are no more.
    EndOfLines,
}

/// The connection in use.
pub(crate) struct Connection {
    destination: Destination,
    stream: TcpStream,
    /// The state of the protocol.
    pub(crate) end: ClientEnd,
    number: u32,
    inputs: Sender<Input>,
    /// Since when no welcome has come.
    since: Option<Instant>,
    lost: u32,
}

impl Connection {
    /// Connects and says hello; tries again while the port refuses.
    ///
    /// # Errors
    /// When the time for it is over or the host is unknown.
    pub(crate) fn open(
        destination: Destination,
        token: Option<&str>,
        inputs: Sender<Input>,
    ) -> Result<Connection, PlayError> {
        let deadline = Instant::now() + destination.limit;
        let stream = connected(&destination, deadline)?;
        let mut end = client_end(&destination);
        if let Some(token) = token {
            end.set_token(token);
        }
        let mut connection = Connection {
            destination,
            stream,
            end,
            number: 0,
            inputs,
            since: None,
            lost: 0,
        };
        connection.greet();
        Ok(connection)
    }

    /// Connects again after a loss and comes back with the token.
    ///
    /// # Errors
    /// When the time for it is over, or connection after connection is lost.
    pub(crate) fn reopen(&mut self, reason: &str) -> Result<(), PlayError> {
        let since = *self.since.get_or_insert_with(Instant::now);
        self.lost += 1;
        if self.lost > MOST_LOST {
            return Err(PlayError::Lost(reason.to_owned()));
        }
        // Whoever reads it, ends.
        let _ = self.stream.shutdown(Shutdown::Both);
        thread::sleep(RETRY);
        self.stream = connected(&self.destination, since + self.destination.limit)
            .map_err(|e| PlayError::Lost(format!("{reason}; {e}")))?;
        self.number += 1;
        self.greet();
        Ok(())
    }

    /// A welcome has come.
    pub(crate) fn welcomed(&mut self, resumed: bool) {
        debug!("welcome, resumed: {resumed}");
        self.since = None;
        if resumed {
            self.lost = 0;
        }
    }

    /// Comes as a new player from now on.
    pub(crate) fn forget_token(&mut self) {
        self.end = client_end(&self.destination);
    }

    /// Number of this connection, from 0.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Takes bytes, unless they are of an earlier connection; gives whether they were taken.
    pub(crate) fn take(&mut self, connection: u32, bytes: &[u8]) -> bool {
        if connection == self.number {
            self.end.receive(bytes);
        }
        connection == self.number
    }

    /// Sends a message. A failure shows in the reading, too, which tells of it.
    pub(crate) fn send(&mut self, message: &ClientMessage) {
        self.send_line(&message.to_line());
    }

    /// Sends a line with its end, whatever it is.
    pub(crate) fn send_line(&mut self, line: &str) {
        if let Err(e) = self.stream.write_all(line.as_bytes()) {
            debug!("sending: {e}");
        }
    }

    /// Says hello and begins to read.
    fn greet(&mut self) {
        let hello = self.end.hello();
        if let Err(e) = self.stream.write_all(hello.as_bytes()) {
            debug!("hello: {e}");
        }
        let (number, inputs) = (self.number, self.inputs.clone());
        let stream = self.stream.try_clone();
        thread::spawn(move || {
            let reason = match stream.and_then(|stream| read(stream, number, &inputs)) {
                Ok(()) => "the server closed the connection".to_owned(),
                Err(e) => format!("the connection broke: {e}"),
            };
            // The client may have ended.
            let _ = inputs.send(Input::Lost(number, reason));
        });
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

fn client_end(destination: &Destination) -> ClientEnd {
    let Destination { name, game, .. } = destination;
    let program = format!("taikyoku {game} {}", env!("CARGO_PKG_VERSION"));
    ClientEnd::new(name, Some(game), Some(&program))
}

/// Reads until the end.
fn read(mut stream: TcpStream, number: u32, inputs: &Sender<Input>) -> io::Result<()> {
    let mut bytes = [0; READ_LEN];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return Ok(()),
            Ok(n) => {
                if inputs
                    .send(Input::Bytes(number, Instant::now(), bytes[..n].to_vec()))
                    .is_err()
                {
                    return Ok(());
                }
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

fn connected(to: &Destination, deadline: Instant) -> Result<TcpStream, PlayError> {
    connect_until(&to.host, to.port, deadline).map_err(|source| {
        let address = format!("{}:{}", to.host, to.port);
        PlayError::Connect { address, source }
    })
}
