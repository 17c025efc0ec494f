//! The connection of a game of GAT.

use std::io::{self, Write};
use std::thread::sleep;
use std::time::{Duration, Instant};

use log::{debug, info};
use protocol::gat::{ClientEnd, Event};

use super::{GatSettings, Geister};
use crate::connect::{RETRY, Waiting, connect, is_passing};
use crate::link::{Input, Inputs, Link, Lost};
use crate::{MatchError, NoConnection, Player, tell_of_silence};

/// A connection that was open for so long is no failed attempt: the time for connecting begins again
/// after it.
const LASTING: Duration = Duration::from_secs(1);
/// How long a server may be silent before a message says so: usually the server waits for the other player.
const UNTOLD: Duration = Duration::from_secs(10);

/// A connection on which `SET?` has come.
pub(super) struct GameConnection {
    link: Link,
    pub(super) end: ClientEnd,
    /// How long a silence may last.
    idle: Option<Duration>,
    /// When the last message came or went.
    silent_since: Instant,
}

pub(super) enum Happened {
    Event(Event),
    Player,
    Nothing,
}

impl GameConnection {
    /// Connects and waits for `SET?`. Tries again while the port refuses, and when the connection dies
    /// before `SET?`, as it does at servers that close their ports between games.
    ///
    /// # Errors
    /// When the time for it is over, the host is unknown, or the server is silent for too long.
    pub(super) fn open(
        settings: &GatSettings<'_>,
        port: u16,
        number: u32,
        inputs: &Inputs,
        player: &mut dyn Player<Geister>,
        out: &mut dyn Write,
    ) -> Result<Self, MatchError> {
        let server = settings.server;
        let (address, limit) = (server.address(port), server.connect_limit());
        let mut deadline = Instant::now() + limit;
        let mut dropped = 0_u32;
        let mut waiting = Waiting::new();
        loop {
            let began = Instant::now();
            let error = match connect(&server.host, port, limit) {
                Ok(stream) => {
                    let mut connection = Self {
                        link: Link::new(stream, number, inputs, player.wakes()),
                        end: ClientEnd::new(),
                        idle: settings.idle,
                        silent_since: Instant::now(),
                    };
                    let mut said = None;
                    let mut tell = || {
                        let sentence = format!(
                            "{address} has not said SET? yet: it waits for the other player, or it is no GAT server"
                        );
                        tell_of_silence(&mut *player, &sentence, &mut *out);
                    };
                    match connection.set_request(inputs, &mut said, &mut tell) {
                        Ok(()) => return Ok(connection),
                        Err(Lost::Silent(limit)) => {
                            return Err(MatchError::Silent { address, limit });
                        }
                        Err(lost) => {
                            let said = said.unwrap_or_else(|| connection.end.unfinished());
                            // A server of GAT may die in the middle of it.
                            if !"SET?\r".starts_with(&said) {
                                let said = said.trim_end().escape_debug().to_string();
                                return Err(MatchError::Foreign { address, said });
                            }
                            debug!("before SET?: {lost}");
                            dropped += 1;
                            None
                        }
                    }
                }
                Err(error) if is_passing(&error) => Some(error),
                Err(source) => return Err(NoConnection { address, source }.into()),
            };
            if began.elapsed() > LASTING {
                deadline = Instant::now() + limit;
            }
            if Instant::now() >= deadline {
                return Err(match error {
                    Some(source) => NoConnection { address, source }.into(),
                    None => MatchError::Dropped { address, dropped },
                });
            }
            waiting.failed(&server.host, port);
            sleep(RETRY);
        }
    }

    /// How long the server may be silent before a message says so; only in the first game.
    pub(super) fn until_told(&self) -> Option<Duration> {
        let is_first = self.link.number() == 1;
        Some(UNTOLD).filter(|untold| is_first && self.idle.is_none_or(|idle| idle > *untold))
    }

    /// Waits for `SET?`. The first line of another kind goes to `said`; `tell` is called once after a silence in the first
    /// game.
    fn set_request(
        &mut self,
        inputs: &Inputs,
        said: &mut Option<String>,
        tell: &mut dyn FnMut(),
    ) -> Result<(), Lost> {
        let mut until_told = self.until_told();
        while !self.end.has_begun() {
            match self.next(inputs, until_told, false)? {
                Happened::Event(Event::Odd(line)) => {
                    info!("before SET? the server said `{}`", line.escape_debug());
                    said.get_or_insert(line);
                }
                Happened::Nothing => {
                    until_told = None;
                    tell();
                }
                Happened::Event(_) | Happened::Player => {}
            }
        }
        Ok(())
    }

    /// Sends a message, and counts the silence of the server from now on.
    pub(super) fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.silent_since = Instant::now();
        self.link.send(message)
    }

    /// The next event within the time `within`. Without a time it waits as long as the server may be silent, and for
    /// ever where `is_awaited` says that the server waits.
    ///
    /// # Errors
    /// When the connection has ended and all that came before was taken.
    pub(super) fn next(
        &mut self,
        inputs: &Inputs,
        within: Option<Duration>,
        is_awaited: bool,
    ) -> Result<Happened, Lost> {
        let deadline = within.map(|within| Instant::now() + within);
        let idle = self.idle.filter(|_| !is_awaited);
        loop {
            if let Some(event) = self.end.next_event() {
                return Ok(Happened::Event(event));
            }
            let until = deadline.or_else(|| Some(self.silent_since + idle?));
            let left = until.map(|at| at.saturating_duration_since(Instant::now()));
            match self.link.next(inputs, left) {
                Some(Input::Bytes(_, at, bytes)) => {
                    self.silent_since = at;
                    self.end.receive(&bytes);
                }
                Some(Input::Lost(_, lost)) => return Err(lost),
                Some(Input::Player) => return Ok(Happened::Player),
                None => match (deadline, idle) {
                    (None, Some(limit)) => return Err(Lost::Silent(limit)),
                    _ => return Ok(Happened::Nothing),
                },
            }
        }
    }
}
