//! Connections to a server, one after the other.

use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use log::debug;
use protocol::native::{ClientEnd, ClientMessage};
use protocol::tls::Trust;

use crate::MatchError;
use crate::connect::{RETRY, connect_until, is_passing};
use crate::link::{Input, Link};
use crate::stream::Stream;
use crate::tls;

/// Pause before a lost connection is opened again.
const PAUSE: Duration = Duration::from_millis(50);
/// Connections in a row that may be lost before a server says welcome.
const MOST_LOST: u32 = 100;

/// Where a client goes, and as what.
#[derive(Clone, Debug)]
pub struct Destination {
    /// Host of the server.
    pub host: String,
    /// Its TCP port.
    pub port: u16,
    /// Whom to trust in TLS; `None` for plain text.
    pub trust: Option<Trust>,
    /// How long to keep trying.
    pub limit: Duration,
    /// Name at the table.
    pub name: String,
    /// What the client calls itself.
    pub client: String,
    /// The game.
    pub game: &'static str,
}

/// A connection to a server of the native protocol, and those after it while the seat is kept.
pub struct Connection {
    destination: Destination,
    link: Link,
    /// The client's end of the protocol.
    pub end: ClientEnd,
    inputs: Sender<Input>,
    /// Since when no welcome has come.
    since: Option<Instant>,
    was_welcome: bool,
    has_token: bool,
    /// Whether it has said anything in this protocol.
    speaks: bool,
    lost: u32,
}

impl Connection {
    /// Connects and says hello; tries again while the port refuses.
    ///
    /// # Errors
    /// When the time for it is over or the host is unknown.
    pub fn open(
        destination: Destination,
        token: Option<&str>,
        inputs: Sender<Input>,
    ) -> Result<Connection, MatchError> {
        let deadline = Instant::now() + destination.limit;
        let stream = connected(&destination, deadline)?;
        let link = Link::threaded(stream, 0, inputs.clone());
        let mut end = client_end(&destination);
        if let Some(token) = token {
            end.set_token(token);
        }
        let mut connection = Connection {
            destination,
            link,
            end,
            inputs,
            since: None,
            was_welcome: false,
            has_token: token.is_some(),
            speaks: false,
            lost: 0,
        };
        connection.greet();
        Ok(connection)
    }

    /// Connects again after a loss and comes back with the token.
    ///
    /// # Errors
    /// When the time for it is over, or connection after connection is lost. Before the first welcome the time is over, too,
    /// when the server accepts connections and does not keep them.
    pub fn reopen(&mut self, reason: &str) -> Result<(), MatchError> {
        let since = *self.since.get_or_insert_with(Instant::now);
        let limit = self.destination.limit;
        self.lost += 1;
        if self.lost > MOST_LOST || (!self.was_welcome && since.elapsed() >= limit) {
            return Err(self.ended(reason.to_owned()));
        }
        self.link.close();
        thread::sleep(PAUSE);
        let stream = connected(&self.destination, since + limit);
        let stream = stream.map_err(|e| {
            if self.was_welcome {
                MatchError::Lost(format!("{reason}; {e}"))
            } else {
                e
            }
        })?;
        self.link = Link::threaded(stream, self.number() + 1, self.inputs.clone());
        self.greet();
        Ok(())
    }

    /// Books that the server has said something in this protocol.
    pub(crate) const fn hears(&mut self) {
        self.speaks = true;
    }

    /// Whether the server has said anything in this protocol.
    pub(crate) const fn speaks(&self) -> bool {
        self.speaks
    }

    /// The error that ends the match for this reason.
    pub(crate) fn ended(&self, reason: String) -> MatchError {
        if self.speaks {
            return MatchError::Lost(reason);
        }
        let address = self.address();
        MatchError::NoWelcome { address, reason }
    }

    pub(crate) fn address(&self) -> String {
        let Destination { host, port, .. } = &self.destination;
        format!("{host}:{port}")
    }

    /// Books that the server has let it in.
    pub fn welcomed(&mut self, resumed: bool) {
        debug!("welcome, resumed: {resumed}");
        self.since = None;
        self.was_welcome = true;
        self.has_token = true;
        if resumed {
            self.lost = 0;
        }
    }

    /// Comes as a new player from now on.
    pub fn forget_token(&mut self) {
        self.end = client_end(&self.destination);
        self.has_token = false;
    }

    /// Whether it comes with a token that a server gave it.
    pub(crate) const fn has_own_token(&self) -> bool {
        self.has_token && self.was_welcome
    }

    pub(crate) const fn has_token(&self) -> bool {
        self.has_token
    }

    /// Number of this connection, from 0.
    pub fn number(&self) -> u32 {
        self.link.number()
    }

    /// Takes bytes, unless they are of an earlier connection; gives whether they were taken.
    pub fn take(&mut self, connection: u32, bytes: &[u8]) -> bool {
        let is_open = connection == self.number();
        if is_open {
            self.end.receive(bytes);
        }
        is_open
    }

    /// Sends a message. A failure shows in the reading, too, which tells of it.
    pub fn send(&mut self, message: &ClientMessage) {
        self.send_line(&message.to_line());
    }

    fn greet(&mut self) {
        let hello = self.end.hello();
        self.send_line(&hello);
    }

    fn send_line(&mut self, line: &str) {
        if let Err(e) = self.link.send(line.as_bytes()) {
            debug!("sending: {e}");
        }
    }
}

fn client_end(destination: &Destination) -> ClientEnd {
    let Destination {
        name, client, game, ..
    } = destination;
    ClientEnd::new(name, Some(game), Some(client))
}

fn connected(to: &Destination, deadline: Instant) -> Result<Stream, MatchError> {
    connect(&to.host, to.port, to.trust.as_ref(), deadline)
}

/// Connects, and shakes hands where there is somebody to trust, which is to say in TLS; tries again until the deadline,
/// while another attempt may do better.
///
/// # Errors
/// Why there is no connection, or no TLS.
pub fn connect(
    host: &str,
    port: u16,
    trust: Option<&Trust>,
    deadline: Instant,
) -> Result<Stream, MatchError> {
    let address = || format!("{host}:{port}");
    loop {
        let stream = connect_until(host, port, deadline)?;
        let Some(trust) = trust else {
            return Ok(stream.into());
        };
        let left = deadline.saturating_duration_since(Instant::now());
        match tls::shake(trust, stream, host, left) {
            Ok(stream) => return Ok(stream),
            Err(error) if is_passing(&error) && Instant::now() < deadline => thread::sleep(RETRY),
            Err(error) => {
                return Err(MatchError::Tls {
                    address: address(),
                    reason: Trust::reason(&error),
                });
            }
        }
    }
}
