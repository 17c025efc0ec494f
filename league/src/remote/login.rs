//! What a client says first at the port of an entrant, which tells whether it is the entrant's.

use std::net::SocketAddr;
use std::time::Duration;

use games::GameName;
use protocol::native::{ErrorCode, Hello, ServerEnd, ServerMessage};
use protocol::uecda::Profile;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_util::task::TaskTracker;

use crate::settings::Access;
use server::config::limits::HELLO_WAIT;
use server::lobby::CLIENTS;
use server::lobby::listener::Listener;
use server::lobby::native::greeting::{Purpose, hello_of, is_same};
use server::lobby::uecda::{Greeting, GreetingEnd};
use server::table::socket::Socket;

/// Bytes that are looked at: a line of the native protocol, or a profile of `UECda`.
const LOOKED_AT: usize = 4096;

/// Time between two looks at a message of which only the beginning has come.
const AGAIN: Duration = Duration::from_millis(20);

#[derive(Clone, Debug)]
pub(crate) struct Login {
    game: GameName,
    access: Access,
}

/// What a client says of itself first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Introduction {
    /// Its name; empty where it says none.
    pub(crate) name: String,
    /// Its token: in `UECda` the name.
    pub(crate) token: Option<String>,
}

/// A client that is not the entrant's.
#[derive(Debug)]
pub(crate) struct FailedLogin {
    pub(crate) reason: String,
    pub(crate) answer: Vec<u8>,
    /// Whether its token differs from that of the entrant.
    pub(crate) has_guessed: bool,
}

impl FailedLogin {
    pub(crate) fn new(reason: impl Into<String>) -> FailedLogin {
        FailedLogin {
            reason: reason.into(),
            answer: Vec::new(),
            has_guessed: false,
        }
    }

    /// The same login, marked as one with a wrong token if `has_guessed`.
    pub(crate) const fn guessed(mut self, has_guessed: bool) -> FailedLogin {
        self.has_guessed = has_guessed;
        self
    }

    /// Answers a client at the port of an entrant, or at one with another name, and closes its connection.
    pub(crate) fn turn_away(
        &self,
        port: &str,
        listener: &Listener,
        (stream, from): (TcpStream, SocketAddr),
        closing: &TaskTracker,
    ) {
        log::warn!(target: CLIENTS, "{port}: {from} is turned away: {}", self.reason);
        let mut socket = Socket::from(stream);
        socket.write_first(&self.answer);
        listener.turn_away(socket, closing);
    }

    pub(crate) fn silent() -> FailedLogin {
        FailedLogin::new("it does not say who it is")
    }

    /// A client of the native protocol, which gets this answer.
    pub(crate) fn answered(message: &ServerMessage) -> FailedLogin {
        let reason = match message {
            ServerMessage::Error { message, .. } => message.clone(),
            _ => String::new(),
        };
        FailedLogin {
            reason,
            answer: message.to_line().into(),
            has_guessed: false,
        }
    }
}

impl Login {
    pub(crate) fn new(game: GameName, access: &Access) -> Login {
        Login {
            game,
            access: access.clone(),
        }
    }

    pub(super) const fn game(&self) -> GameName {
        self.game
    }

    pub(super) fn token(&self) -> Option<&str> {
        self.access.token.as_deref()
    }

    /// Waits for what a client says first, which stays to be read.
    pub(super) async fn hear(
        &self,
        stream: &TcpStream,
        from: SocketAddr,
    ) -> Result<(), FailedLogin> {
        let own = self.access.address.map(|own| own.to_canonical());
        if own.is_some_and(|own| own != from.ip().to_canonical()) {
            return Err(FailedLogin::new("the entrant has another address"));
        }
        match self.game {
            GameName::Geister => Ok(()),
            GameName::Daihinmin => self.profile(stream).await,
            _ => self.hello(stream).await,
        }
    }

    /// The first message of a client of `UECda`. A silent one is a player of version 20060.
    async fn profile(&self, stream: &TcpStream) -> Result<(), FailedLogin> {
        let Some(token) = self.token() else {
            return profile(stream, Greeting::new(Duration::ZERO))
                .await
                .map(drop);
        };
        let greeting = Greeting::new(Duration::ZERO).with_profile();
        if is_same(&profile(stream, greeting).await?, token) {
            Ok(())
        } else {
            Err(FailedLogin::new("its profile has another name").guessed(true))
        }
    }

    /// The first message of a client of the native protocol.
    async fn hello(&self, stream: &TcpStream) -> Result<(), FailedLogin> {
        let hello = hello(stream, self.game).await?;
        let refusal = token_refusal(&hello, self.token());
        refusal.map_or(Ok(()), |reason| {
            let error = ServerMessage::error(ErrorCode::Token, reason);
            let has_guessed = hello.token.is_some() && self.token().is_some();
            Err(FailedLogin::answered(&error).guessed(has_guessed))
        })
    }
}

/// Waits for what a client says first at a port of all entrants, which stays to be read.
pub(crate) async fn introduction(
    stream: &TcpStream,
    game: GameName,
) -> Result<Introduction, FailedLogin> {
    if game == GameName::Daihinmin {
        let greeting = Greeting::new(Duration::ZERO).with_profile();
        let name = profile(stream, greeting).await?;
        return Ok(Introduction {
            token: (!name.is_empty()).then(|| name.clone()),
            name,
        });
    }
    let Hello { name, token, .. } = hello(stream, game).await?;
    Ok(Introduction { name, token })
}

/// The name in the profile of a client of `UECda`; empty without one.
async fn profile(stream: &TcpStream, mut greeting: Greeting) -> Result<String, FailedLogin> {
    let silence = greeting.next_deadline().unwrap_or_default();
    let begun = timeout(silence, peeked(stream, |bytes| !bytes.is_empty())).await;
    let greeted = if begun.is_err() {
        greeting.wake(silence)
    } else {
        let wanted = greeting.wanted();
        let whole = timeout(HELLO_WAIT, peeked(stream, |bytes| bytes.len() >= wanted));
        match whole.await {
            Ok(Some(bytes)) => greeting.receive(&bytes[..wanted]),
            Ok(None) => Some(greeting.closed()),
            Err(_) => None,
        }
    };
    match greeted {
        Some(GreetingEnd::Player { profile, .. }) => {
            Ok(profile.map_or_else(String::new, |table| Profile::parse(&table).name))
        }
        Some(GreetingEnd::Refused(reason)) => Err(FailedLogin::new(reason)),
        None => Err(FailedLogin::silent()),
    }
}

async fn hello(stream: &TcpStream, game: GameName) -> Result<Hello, FailedLogin> {
    let is_line = |bytes: &[u8]| bytes.contains(&b'\n') || bytes.len() == LOOKED_AT;
    let bytes = match timeout(HELLO_WAIT, peeked(stream, is_line)).await {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(FailedLogin::new("it left without a hello")),
        Err(_) => {
            let reason = "no hello has come in time";
            return Err(FailedLogin::answered(&ServerMessage::error(
                ErrorCode::Hello,
                reason,
            )));
        }
    };
    let mut end = ServerEnd::default();
    end.receive(&bytes, Duration::ZERO);
    let Some(first) = end.next_message(Duration::ZERO) else {
        return Err(FailedLogin::silent());
    };
    let hello = hello_of(first, Purpose::Play(game.as_str()));
    hello.map_err(|error| FailedLogin::answered(&error))
}

/// Why a hello has not the token that is wanted at a seat, if it has not.
pub(crate) fn token_refusal(hello: &Hello, wanted: Option<&str>) -> Option<&'static str> {
    match (&hello.token, wanted) {
        (None, None) => None,
        (Some(own), Some(wanted)) if is_same(own, wanted) => None,
        (Some(_), None) => Some("this token has no seat here: a lost player does not come back"),
        (Some(_), Some(_)) => Some("this token is not that of the entrant at this port"),
        (None, Some(_)) => Some("this port wants the token of its entrant"),
    }
}

/// Looks at the first bytes of a client until there are enough of them; `None` if it leaves before.
async fn peeked(stream: &TcpStream, is_enough: impl Fn(&[u8]) -> bool) -> Option<Vec<u8>> {
    let mut space = vec![0; LOOKED_AT];
    loop {
        let read = stream.peek(&mut space).await.ok()?;
        if read == 0 {
            return None;
        }
        if is_enough(&space[..read]) {
            space.truncate(read);
            return Some(space);
        }
        // What was looked at is there at once the next time.
        sleep(AGAIN).await;
    }
}
