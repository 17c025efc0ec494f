//! A page's WebSocket.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header};
use futures_util::{SinkExt as _, StreamExt as _};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use log::debug;
use serde::Deserialize;
use tokio::time::{Instant, interval, sleep, sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use crate::gateway::Gateway;
use crate::limits::{Permit, Rate};
use crate::routes::is_own_page;
use crate::seat::{Attached, Seat, Wish, error};
use crate::token::Token;

/// Most bytes of a message of a page.
const MOST_BYTES: usize = 16 << 10;
/// Bytes that wait for a page to read.
const MOST_UNSENT: usize = 4 << 20;
/// How long the first message is waited for.
const OPENING_LIMIT: Duration = Duration::from_secs(10);
/// How often a page is asked whether it is there, and how long it may be silent.
const PING: Duration = Duration::from_secs(20);
const IDLE_LIMIT: Duration = Duration::from_mins(1);
/// How long a page may take to read a message.
const SEND_LIMIT: Duration = Duration::from_secs(10);

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// The first message of a page.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Opening {
    Sit { table: String, token: String },
}

/// Any other.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Spoken {
    Move {
        game: u32,
        ply: u32,
        #[serde(rename = "move")]
        mv: String,
    },
    Resign,
    Leave,
    Takeback,
    Hint,
    Again,
    #[serde(other)]
    Unknown,
}

/// Answers a request for a WebSocket.
pub(crate) fn upgrade(
    gateway: Arc<Gateway>,
    mut request: Request<Body>,
    permit: Arc<Permit>,
) -> Response<Body> {
    let headers = request.headers();
    let Some(accept) = accepted(headers) else {
        return refused(
            StatusCode::BAD_REQUEST,
            "a WebSocket of version 13 is wanted\n",
        );
    };
    // A page elsewhere must not act for the person.
    if !headers.contains_key(header::ORIGIN) || !is_own_page(headers) {
        return refused(StatusCode::FORBIDDEN, "this page is not of this gateway\n");
    }
    let upgraded = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        match upgraded.await {
            Ok(stream) => converse(gateway, stream).await,
            Err(e) => debug!("no WebSocket: {e}"),
        }
        drop(permit);
    });
    let mut answer = refused(StatusCode::SWITCHING_PROTOCOLS, "");
    let headers = answer.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
    answer
}

fn refused(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut answer = Response::new(text.into());
    *answer.status_mut() = status;
    answer
}

/// The answer to the key of a handshake; `None` if it is none.
fn accepted(headers: &HeaderMap) -> Option<HeaderValue> {
    let has = |name, word: &str| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.is_some_and(|value| {
            let mut words = value.split(',').map(str::trim);
            words.any(|other| other.eq_ignore_ascii_case(word))
        })
    };
    let is_request = has(header::CONNECTION, "upgrade")
        && has(header::UPGRADE, "websocket")
        && has(header::SEC_WEBSOCKET_VERSION, "13");
    let key = headers
        .get(header::SEC_WEBSOCKET_KEY)
        .filter(|_| is_request)?;
    HeaderValue::from_str(&derive_accept_key(key.as_bytes())).ok()
}

async fn converse(gateway: Arc<Gateway>, stream: Upgraded) {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MOST_BYTES))
        .max_frame_size(Some(MOST_BYTES))
        .max_write_buffer_size(MOST_UNSENT);
    let io = TokioIo::new(stream);
    let mut socket = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
    let opening = tokio::select! {
        () = gateway.stopping().cancelled() => return,
        opening = timeout(OPENING_LIMIT, opening(&mut socket)) => opening,
    };
    let last = match opening.unwrap_or(Err("nothing was said for too long")) {
        Ok(Opening::Sit { table, token }) => {
            let found = Token::read(&token).and_then(|token| gateway.seat(&table, token));
            match found {
                Some((_, seat)) => {
                    let attached = seat.attach();
                    let number = attached.number;
                    let last = show(&gateway, &mut socket, &seat, attached).await;
                    seat.detach(number);
                    last
                }
                None => Some(error("token", "there is no such seat")),
            }
        }
        Err(reason) => Some(error("malformed", reason)),
    };
    let closed = async {
        if let Some(last) = last {
            socket.send(Message::Text(last)).await?;
        }
        socket.close(None).await
    };
    // It may be gone.
    let _ = timeout(SEND_LIMIT, closed).await;
}

/// The first message.
async fn opening(socket: &mut Socket) -> Result<Opening, &'static str> {
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => {
                return serde_json::from_str(&text).map_err(|_| "the first message is `sit`");
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            _ => return Err("the first message is text"),
        }
    }
}

/// Shows a seat to its page until either goes; gives the last line for it, if there is one.
async fn show(
    gateway: &Gateway,
    socket: &mut Socket,
    seat: &Seat,
    attached: Attached,
) -> Option<Utf8Bytes> {
    let Attached {
        missed, mut lines, ..
    } = attached;
    for line in missed {
        send(socket, Message::Text(line)).await?;
    }
    let mut rate = Rate::of_messages();
    let mut pings = interval(PING);
    let mut heard = Instant::now();
    let mut is_open = true;
    loop {
        tokio::select! {
            () = gateway.stopping().cancelled() => return Some(error("stopped", "the gateway ends")),
            () = sleep_until(heard + IDLE_LIMIT) => return Some(error("idle", "the page is silent")),
            line = lines.recv() => send(socket, Message::Text(line?)).await?,
            _ = pings.tick() => send(socket, Message::Ping(Vec::new().into())).await?,
            () = sleep(rate.wait()), if !is_open => is_open = true,
            message = socket.next(), if is_open => {
                heard = Instant::now();
                // One that says more than it may is read no faster.
                is_open = rate.admits();
                match message?.ok()? {
                    Message::Text(text) => hear(seat, &text),
                    Message::Binary(_) => return Some(error("malformed", "messages are text")),
                    Message::Close(_) => return None,
                    Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
                }
            }
        }
    }
}

/// Sends a message; `None` if the page does not read.
async fn send(socket: &mut Socket, message: Message) -> Option<()> {
    timeout(SEND_LIMIT, socket.send(message)).await.ok()?.ok()
}

/// Takes a message of the page.
fn hear(seat: &Seat, text: &str) {
    let wish = match serde_json::from_str(text) {
        Ok(Spoken::Move { game, ply, mv }) => Wish::Move(game, ply, mv),
        Ok(Spoken::Resign) => Wish::Resign,
        Ok(Spoken::Leave) => Wish::Leave,
        Ok(Spoken::Hint) => Wish::Hint,
        Ok(Spoken::Takeback) => return seat.refuse("takeback", "moves are not taken back here"),
        Ok(Spoken::Again) => return seat.refuse("again", "make a new table"),
        Ok(Spoken::Unknown) => return,
        Err(_) => return seat.refuse("malformed", "this is no message of a page"),
    };
    if !seat.wish(wish) {
        seat.refuse("rate", "the player has not done what was asked for before");
    }
}
