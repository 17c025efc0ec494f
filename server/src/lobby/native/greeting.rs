//! Clients of the native protocol until their seat is known.

use std::future::poll_fn;
use std::hint::black_box;
use std::pin::{Pin, pin};
use std::sync::Arc;

use protocol::native::{ClientMessage, ErrorCode, Fault, Hello, ServerMessage, VERSION};
use protocol::tls::{FIRST_BYTE, ServerConfig};
use rand::TryRng as _;
use rand::rngs::SysRng;
use tokio::time::{Instant, sleep};

use super::connection::NativeConnection;
use crate::config::limits::HELLO_WAIT;
use crate::lobby::CLIENTS;
use crate::table::link::close_cleanly;
use crate::table::socket::Socket;

/// The purpose that a client must have.
#[derive(Clone, Copy, Debug)]
pub enum Purpose<'a> {
    Play(&'a str),
    Watch,
}

/// What a client is told that says nothing.
const TOO_LATE: &str = "no hello has come in time";

/// Waits for a hello that fits; `None` when there is none, after telling the client why.
pub async fn greet(
    stream: impl Into<Socket>,
    game: &str,
    epoch: Instant,
) -> Option<(NativeConnection, Hello)> {
    let out_of_time = async {
        sleep(HELLO_WAIT).await;
        TOO_LATE
    };
    let guest = NativeConnection::new(stream, epoch);
    heard(guest, Purpose::Play(game), pin!(out_of_time)).await
}

/// The same at a port that speaks TLS or plain text, unless the greeting is called off before the hello has come. The
/// hands that are shaken in TLS are a part of the greeting.
pub(crate) async fn greet_until(
    socket: Socket,
    tls: Option<&Arc<ServerConfig>>,
    purpose: Purpose<'_>,
    epoch: Instant,
    called_off: impl Future<Output = ()>,
) -> Option<(NativeConnection, Hello)> {
    let mut out_of_time = pin!(async {
        tokio::select! {
            biased;
            () = sleep(HELLO_WAIT) => TOO_LATE,
            () = called_off => "no hello has come, and too many others wait to say theirs",
        }
    });
    let mut first = [0];
    let begun = tokio::select! {
        biased;
        begun = socket.peek(&mut first) => begun,
        reason = &mut out_of_time => {
            NativeConnection::new(socket, epoch).turn_away(ErrorCode::Hello, reason).await;
            return None;
        }
    };
    if !matches!(begun, Ok(1)) {
        return None;
    }
    let socket = match (tls, first == [FIRST_BYTE]) {
        (None, false) => socket,
        (Some(config), true) => tokio::select! {
            biased;
            secured = socket.secured(Arc::clone(config)) => match secured {
                Ok(socket) => socket,
                Err((error, socket)) => {
                    log::info!(target: CLIENTS, "a client is turned away: {error}");
                    close_cleanly(socket).await;
                    return None;
                }
            },
            reason = &mut out_of_time => {
                log::info!(target: CLIENTS, "a client is turned away: {reason}");
                return None;
            }
        },
        (tls, _) => {
            let reason = match tls {
                Some(_) => "this port speaks TLS: connect with --tls or --tls-ca",
                None => "this port speaks no TLS: connect without --tls and --tls-ca",
            };
            NativeConnection::new(socket, epoch)
                .turn_away(ErrorCode::Hello, reason)
                .await;
            return None;
        }
    };
    heard(NativeConnection::new(socket, epoch), purpose, out_of_time).await
}

/// Waits for a hello until the time is up, which says why.
async fn heard(
    mut guest: NativeConnection,
    purpose: Purpose<'_>,
    out_of_time: Pin<&mut impl Future<Output = &'static str>>,
) -> Option<(NativeConnection, Hello)> {
    let first = async {
        loop {
            if let Some(message) = guest.next_message() {
                return Some(message);
            }
            if poll_fn(|cx| guest.poll_read(cx)).await.is_err() {
                return None;
            }
        }
    };
    let first = tokio::select! {
        biased;
        first = first => first,
        reason = out_of_time => {
            guest.turn_away(ErrorCode::Hello, reason).await;
            return None;
        }
    };
    match hello_of(first?, purpose) {
        Ok(hello) => Some((guest, hello)),
        Err(error) => {
            guest.turn_away_with(&error).await;
            None
        }
    }
}

/// The hello that is a client's first message.
///
/// # Errors
/// What the client is told whose first message is none that fits.
pub fn hello_of(
    first: Result<ClientMessage, Fault>,
    purpose: Purpose<'_>,
) -> Result<Hello, Box<ServerMessage>> {
    let hello = match first {
        Ok(ClientMessage::Hello(hello)) => hello,
        Ok(_) => {
            let reason = "the first message must be a hello";
            return Err(Box::new(ServerMessage::error(ErrorCode::Hello, reason)));
        }
        Err(fault) => return Err(Box::new(ServerMessage::error(fault.code, fault.message))),
    };
    if !hello.versions.contains(&VERSION) {
        return Err(Box::new(ServerMessage::Error {
            code: ErrorCode::Version,
            message: format!("version {VERSION} of the protocol is spoken here"),
            versions: Some(vec![VERSION]),
        }));
    }
    let (code, reason) = match purpose {
        Purpose::Play(_) if hello.watch => (
            ErrorCode::Hello,
            "this port is for players: watch at the port that --watch opens".to_owned(),
        ),
        Purpose::Watch if !hello.watch => (
            ErrorCode::Hello,
            "this port is for watchers: say hello with \"watch\":true".to_owned(),
        ),
        Purpose::Play(game) if hello.game.as_ref().is_some_and(|wanted| wanted != game) => {
            (ErrorCode::Game, format!("the game here is {game}"))
        }
        _ => return Ok(hello),
    };
    Err(Box::new(ServerMessage::error(code, reason)))
}

/// A token that cannot be guessed: 128 bits of the system's randomness in hexadecimal digits.
pub fn new_token() -> String {
    let number = SysRng.try_next_u64().and_then(|high| {
        let low = SysRng.try_next_u64()?;
        Ok((high, low))
    });
    let (high, low) = number.expect("randomness of the system");
    format!("{high:016x}{low:016x}")
}

/// Whether two tokens are the same, in a time that says nothing of where they differ.
pub fn is_same(token: &str, other: &str) -> bool {
    let pairs = token.bytes().zip(other.bytes());
    let differing = pairs.fold(0, |bits, (a, b)| black_box(bits | (a ^ b)));
    token.len() == other.len() && differing == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ() {
        let mut all: Vec<String> = (0..1001).map(|_| new_token()).collect();
        assert!(all.iter().all(|token| token.len() == 32));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 1001);
    }

    #[test]
    fn tokens_are_the_same_in_every_digit_only() {
        assert!(is_same("0a1b", "0a1b") && is_same("", ""));
        for other in ["1a1b", "0a1c", "0a1", "0a1b0", ""] {
            assert!(
                !is_same("0a1b", other) && !is_same(other, "0a1b"),
                "{other}"
            );
        }
    }
}
