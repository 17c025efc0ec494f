//! A page's WebSocket.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Request, Response, StatusCode, header};
use futures_util::{SinkExt as _, StreamExt as _};
use games::OfferStep;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use log::debug;
use protocol::gat::EMPTY_FRAME;
use serde::Deserialize;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, interval, sleep, sleep_until, timeout, timeout_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use crate::gateway::Gateway;
use crate::hosts::is_own_page;
use crate::limits::{MESSAGE, OF_MESSAGES, Peer};
use crate::messages;
use crate::seat::{Attached, Seat, Wish};
use crate::table::Table;
use crate::token::{Token, Turned};

/// Most bytes of a message of a page.
const MOST_BYTES: usize = 16 << 10;
/// Bytes that wait for a page to read.
const MOST_UNSENT: usize = 4 << 20;
/// How long the first message is waited for.
const OPENING_LIMIT: Duration = Duration::from_secs(10);
/// How often a page is asked whether it is there, and how long it may be silent.
const PING: Duration = Duration::from_secs(10);
const IDLE_LIMIT: Duration = Duration::from_secs(30);
/// Most bytes of what a watcher says, which is that it is there.
const MOST_ANSWER: usize = 64;
/// How often a viewer of Geister is told the position.
const VIEWER_EVERY: Duration = Duration::from_millis(500);
/// How long a page may take to read a message.
const SEND_LIMIT: Duration = Duration::from_secs(10);

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// The first message of a page.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Opening {
    Sit {
        table: String,
        token: String,
        #[serde(default)]
        name: String,
    },
    Watch {
        source: Option<String>,
        #[serde(rename = "match")]
        number: Option<u64>,
        #[serde(default)]
        game: Option<u32>,
    },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Spoken {
    Move {
        game: u32,
        ply: u32,
        #[serde(rename = "move")]
        mv: String,
    },
    Resign {
        game: Option<u32>,
    },
    Leave,
    Draw {
        game: u32,
        act: OfferStep,
    },
    Takeback {
        #[serde(default = "offer")]
        act: OfferStep,
    },
    Hint,
    Thoughts {
        live: bool,
    },
    Again,
    #[serde(other)]
    Unknown,
}

const fn offer() -> OfferStep {
    OfferStep::Offer
}

pub(crate) fn upgrade(gateway: Arc<Gateway>, request: Request<Body>, peer: Peer) -> Response<Body> {
    let headers = request.headers();
    // A page elsewhere must not act for the person.
    if !headers.contains_key(header::ORIGIN) || !is_own_page(headers) {
        return refused(StatusCode::FORBIDDEN, "this page is not of this gateway\n");
    }
    let from = peer.address;
    switch(request, peer, async move |mut socket| {
        converse(gateway, &mut socket, from).await;
    })
}

/// Answers a viewer's request for a WebSocket. Its page may be of any host: it says nothing, and sees what everybody may.
pub(crate) fn upgrade_viewer(
    gateway: Arc<Gateway>,
    request: Request<Body>,
    peer: Peer,
    with_scoreboard: bool,
) -> Response<Body> {
    switch(request, peer, async move |mut socket| {
        tokio::select! {
            () = gateway.stopping().cancelled() => {}
            _ = show_geister(&gateway, &mut socket, with_scoreboard) => {}
        }
        // It may be gone.
        let _ = timeout(SEND_LIMIT, socket.close(None)).await;
    })
}

/// Answers a request for a WebSocket, which is then served.
fn switch<F: Future<Output = ()> + Send>(
    mut request: Request<Body>,
    peer: Peer,
    serve: impl FnOnce(Socket) -> F + Send + 'static,
) -> Response<Body> {
    let Some(accept) = accepted(request.headers()) else {
        return refused(
            StatusCode::BAD_REQUEST,
            "a WebSocket of version 13 is wanted\n",
        );
    };
    let upgraded = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        match upgraded.await {
            Ok(stream) => {
                let config = WebSocketConfig::default()
                    .max_message_size(Some(MOST_BYTES))
                    .max_frame_size(Some(MOST_BYTES))
                    .max_write_buffer_size(MOST_UNSENT);
                let (io, config) = (TokioIo::new(stream), Some(config));
                serve(WebSocketStream::from_raw_socket(io, Role::Server, config).await).await;
            }
            Err(e) => debug!("no WebSocket: {e}"),
        }
        drop(peer);
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

async fn converse(gateway: Arc<Gateway>, socket: &mut Socket, from: IpAddr) {
    let due = Instant::now() + OPENING_LIMIT;
    let mut given: Option<Token> = None;
    let last = loop {
        let opening = tokio::select! {
            () = gateway.stopping().cancelled() => return,
            opening = timeout_at(due, opening(socket)) => opening,
        };
        break match opening.unwrap_or(Err("nothing was said for too long")) {
            Ok(Opening::Sit { table, token, name }) => {
                let text = token;
                let token = Token::read(&text);
                // A link keeps a number of tokens. A page that took one after the other would push out those of others.
                if given.is_some_and(|given| !token.is_some_and(|token| token.is_same(given))) {
                    break Some(error(
                        "malformed",
                        "send `sit` again with the token that this connection was given",
                    ));
                }
                // Without a token a page takes an open seat that everybody may take.
                let offered = given.is_none() && text.is_empty();
                let turned = if offered {
                    gateway.take_offer(&table)
                } else {
                    let turned = token.and_then(|token| gateway.turn(&table, token));
                    turned.ok_or("token")
                };
                match turned {
                    Ok((table, seat, Turned::Opens)) => {
                        table.call(&seat, &name);
                        gateway.keep(&table);
                        sit(&gateway, socket, (table, seat), from).await
                    }
                    Ok((table, _, Turned::Gives(token))) => {
                        gateway.keep(&table);
                        given = Some(token);
                        let token = token.to_string();
                        let given = messages::Message::Token { token };
                        match send(socket, Message::Text(given.line())).await {
                            Some(()) => continue,
                            None => None,
                        }
                    }
                    Ok((.., Turned::Spent)) | Err("taken") => {
                        let reason = "this link has been used: the seat is taken";
                        Some(error("taken", reason))
                    }
                    Err(code) => Some(error(code, "there is no such seat")),
                }
            }
            Ok(Opening::Watch {
                source,
                number,
                game,
            }) => watch(&gateway, socket, source.as_deref(), (number, game)).await,
            Err(reason) => Some(error("malformed", reason)),
        };
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

/// The first message, or that after it of a page which was given a token.
async fn opening(socket: &mut Socket) -> Result<Opening, &'static str> {
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => {
                return serde_json::from_str(&text)
                    .map_err(|_| "the first message is `sit` or `watch`");
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            _ => return Err("the first message is text"),
        }
    }
}

/// Shows a seat to its page, and those of tables that begin anew; gives the last line for it, if there is one.
async fn sit(
    gateway: &Arc<Gateway>,
    socket: &mut Socket,
    (mut table, mut seat): (Arc<Table>, Arc<Seat>),
    from: IpAddr,
) -> Option<Utf8Bytes> {
    loop {
        let attached = seat.attach();
        table.tell_presence(&seat);
        let number = attached.number;
        let shown = show(gateway, socket, (&table, &seat), attached, from).await;
        seat.detach(number);
        table.tell_presence(&seat);
        match shown {
            Ok(next) => (table, seat) = next,
            Err(last) => return last,
        }
    }
}

/// Shows a seat to its page until either goes, or until another table replaces its table; returns the new table and seat.
///
/// # Errors
/// The page has gone or has to go: the last line for it, if there is one.
async fn show(
    gateway: &Arc<Gateway>,
    socket: &mut Socket,
    (table, seat): (&Table, &Arc<Seat>),
    attached: Attached,
    from: IpAddr,
) -> Result<(Arc<Table>, Arc<Seat>), Option<Utf8Bytes>> {
    let Attached {
        missed, mut lines, ..
    } = attached;
    for line in missed {
        send(socket, Message::Text(line)).await.ok_or(None)?;
    }
    let mut rate = OF_MESSAGES;
    let begun = Instant::now();
    let mut pings = interval(PING);
    let mut heard = Instant::now();
    let mut is_open = true;
    let last = |code, message| Err(Some(error(code, message)));
    loop {
        tokio::select! {
            // After a change of tables the page needs no more messages of the old table.
            biased;
            next = table.next(seat) => return Ok(next),
            () = gateway.stopping().cancelled() => return last("stopped", "the gateway ends"),
            () = sleep_until(heard + IDLE_LIMIT) => return last("idle", "the page is silent"),
            line = lines.recv() => {
                let line = line.ok_or(None)?;
                // Its tables end with it: this is the reason.
                if gateway.stopping().is_cancelled() {
                    return last("stopped", "the gateway ends");
                }
                send(socket, Message::Text(line)).await.ok_or(None)?;
            }
            _ = pings.tick() => {
                ping(socket).await.ok_or(None)?;
            }
            () = sleep(rate.wait(MESSAGE)), if !is_open => is_open = true,
            message = socket.next(), if is_open => {
                heard = Instant::now();
                // One that says more than it may is read no faster.
                is_open = rate.spend(MESSAGE, begun.elapsed());
                match message.and_then(Result::ok).ok_or(None)? {
                    Message::Text(text) => match serde_json::from_str(&text) {
                        Ok(Spoken::Again) => {
                            if let Err(reason) = gateway.again(table, seat, from) {
                                seat.refuse("again", &reason);
                            }
                        }
                        Ok(Spoken::Takeback { act }) => {
                            if let Err(reason) = gateway.take_back(table, seat, act, from) {
                                seat.refuse("takeback", &reason);
                            }
                        }
                        Ok(Spoken::Leave) => gateway.leave(table, seat),
                        Ok(spoken) => hear(seat, spoken),
                        Err(_) => seat.refuse("malformed", "this is no message of a page"),
                    },
                    Message::Binary(_) => return last("malformed", "messages are text"),
                    Message::Close(_) => return Err(None),
                    Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
                }
            }
        }
    }
}

enum WatchLines {
    Lobby(watch::Receiver<Utf8Bytes>),
    Match(mpsc::Receiver<Utf8Bytes>),
}

impl WatchLines {
    /// The next line; `None` where nothing more comes, as to a page that is too far behind.
    async fn next(&mut self) -> Option<Utf8Bytes> {
        match self {
            WatchLines::Lobby(lobby) => {
                lobby.changed().await.ok()?;
                Some(lobby.borrow_and_update().clone())
            }
            WatchLines::Match(lines) => lines.recv().await,
        }
    }
}

/// Shows the lobby, or a match, until the page goes; gives the last line for it, if there is one.
async fn watch(
    gateway: &Gateway,
    socket: &mut Socket,
    source: Option<&str>,
    (number, game): (Option<u64>, Option<u32>),
) -> Option<Utf8Bytes> {
    let watched = &gateway.watched;
    let mut told = if let Some(source) = source {
        let Some((missed, lines)) = watched.watch(source, number, game) else {
            return Some(error("no-table", "there is no such match"));
        };
        for line in missed {
            send(socket, Message::Text(line)).await?;
        }
        WatchLines::Match(lines)
    } else {
        WatchLines::Lobby(watched.lobby())
    };
    let mut rate = OF_MESSAGES;
    let begun = Instant::now();
    let mut pings = interval(PING);
    let mut heard = Instant::now();
    loop {
        tokio::select! {
            () = gateway.stopping().cancelled() => return Some(error("stopped", "the gateway ends")),
            () = sleep_until(heard + IDLE_LIMIT) => return Some(error("idle", "the page is silent")),
            line = told.next() => send(socket, Message::Text(line?)).await?,
            _ = pings.tick() => ping(socket).await?,
            message = socket.next() => {
                heard = Instant::now();
                match message?.ok()? {
                    Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
                    Message::Text(text) if text.len() <= MOST_ANSWER && rate.spend(MESSAGE, begun.elapsed()) => {}
                    // A watcher has nothing else to say.
                    _ => return None,
                }
            }
        }
    }
}

/// Shows Geister to a viewer until it goes: `None`.
async fn show_geister(gateway: &Gateway, socket: &mut Socket, with_scoreboard: bool) -> Option<()> {
    let mut rate = OF_MESSAGES;
    let begun = Instant::now();
    let mut frames = interval(VIEWER_EVERY);
    loop {
        tokio::select! {
            _ = frames.tick() => {
                let frame = gateway.watched.geister(with_scoreboard);
                let text = frame.map_or(EMPTY_FRAME.to_owned(), |frame| frame.to_string());
                send(socket, Message::Text(text.into())).await?;
            }
            // A viewer may say something, which means nothing.
            message = socket.next() => {
                let message = message?.ok()?;
                if message.len() > MOST_ANSWER || !rate.spend(MESSAGE, begun.elapsed()) {
                    return None;
                }
            }
        }
    }
}

/// Asks a page whether it is there: with a ping of its WebSocket, and with one in text, which its scripts can see.
async fn ping(socket: &mut Socket) -> Option<()> {
    send(socket, Message::Ping(Vec::new().into())).await?;
    send(socket, Message::Text(messages::Message::Ping.line())).await
}

/// Sends a message; `None` if the page does not read.
async fn send(socket: &mut Socket, message: Message) -> Option<()> {
    timeout(SEND_LIMIT, socket.send(message)).await.ok()?.ok()
}

fn hear(seat: &Seat, spoken: Spoken) {
    let wish = match spoken {
        Spoken::Move { game, ply, mv } => Wish::Move(game, ply, mv),
        Spoken::Resign { game } => Wish::Resign(game),
        Spoken::Hint => Wish::Hint,
        Spoken::Draw {
            act: OfferStep::Offer,
            ..
        } if seat.offer().is_some() => {
            return seat.refuse("draw", "an offer is open already");
        }
        Spoken::Draw { game, act } => Wish::Draw(game, act),
        Spoken::Thoughts { live } => return seat.want_thoughts(live),
        Spoken::Again | Spoken::Leave | Spoken::Takeback { .. } | Spoken::Unknown => return,
    };
    if !seat.wish(wish) {
        seat.refuse("rate", "too many requests wait: try again");
    }
}

fn error(code: &str, message: &str) -> Utf8Bytes {
    messages::Message::error(code, message).line()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tokio::net::TcpStream;
    use tokio_tungstenite::client_async;
    use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

    use super::*;
    use crate::gateway::Link;
    use crate::listener::tests::serve_page;

    /// A page at the seat of a link.
    struct Page(WebSocketStream<TcpStream>);

    impl Page {
        async fn at(address: std::net::SocketAddr, link: &Link) -> Page {
            let mut page = Page::connect(address).await;
            page.sit(link).await;
            page
        }

        /// A page that takes an open seat at the table of a link.
        async fn without_token(address: std::net::SocketAddr, link: &Link) -> Page {
            let mut page = Page::connect(address).await;
            page.say_sit(link, "").await;
            page
        }

        async fn connect(address: std::net::SocketAddr) -> Page {
            let request = format!("ws://{address}/ws").into_client_request();
            let mut request = request.expect("a request");
            let origin = format!("http://{address}").parse().expect("an origin");
            request.headers_mut().insert(header::ORIGIN, origin);
            let stream = TcpStream::connect(address).await.expect("a connection");
            let (socket, _) = client_async(request, stream).await.expect("a WebSocket");
            Page(socket)
        }

        async fn sit(&mut self, link: &Link) {
            self.say_sit(link, &link.token.to_string()).await;
        }

        async fn say_sit(&mut self, link: &Link, token: &str) {
            let sit = json!({ "type": "sit", "table": link.table, "token": token });
            let sit = sit.to_string().into();
            self.0.send(Message::Text(sit)).await.expect("said");
        }

        /// The link with the token that the page is given.
        async fn given(&mut self, link: &Link) -> Link {
            let given = self.next().await;
            assert_eq!(given["type"], "token", "{given}");
            let token = given["token"].as_str().and_then(Token::read);
            Link {
                token: token.expect("a token"),
                ..link.clone()
            }
        }

        /// A page that follows the link to an open seat; the link that it has then.
        async fn guest(address: std::net::SocketAddr, link: &Link) -> (Page, Link) {
            let mut page = Page::at(address, link).await;
            let own = page.given(link).await;
            page.sit(&own).await;
            (page, own)
        }

        async fn next(&mut self) -> Value {
            loop {
                let message = timeout(Duration::from_mins(1), self.0.next()).await;
                let message = message.expect("in time").expect("a message");
                let message = message.expect("a message");
                if let Message::Text(text) = message {
                    let value: Value = serde_json::from_str(&text).expect("JSON");
                    if value["type"] != "ping" {
                        return value;
                    }
                }
            }
        }
    }

    /// The links to the seats of a table: one for the person that makes it, three for others. The match waits for them.
    fn open_table(gateway: &Arc<Gateway>) -> Vec<Link> {
        let open = json!({ "kind": "open" });
        let seats = json!([{ "kind": "person" }, open, open, open]);
        let settings = serde_json::from_value(json!({ "game": "blokus", "seats": seats }));
        let from = IpAddr::from([127, 0, 0, 1]);
        let made = gateway.make(settings.expect("settings"), from);
        made.unwrap_or_else(|_| panic!("a table"))
    }

    #[tokio::test]
    async fn the_link_to_an_open_seat_is_of_no_use_to_its_maker_once_a_guest_has_it() {
        let (address, gateway) = serve_page(OPENING_LIMIT).await;
        let links = open_table(&gateway);
        // The link alone shows nothing, and a page that has got no further loses nothing.
        let mut lost = Page::at(address, &links[1]).await;
        lost.given(&links[1]).await;
        drop(lost);
        let mut maker = Page::at(address, &links[1]).await;
        let of_maker = maker.given(&links[1]).await;
        let (mut guest, own) = Page::guest(address, &links[1]).await;
        let table = guest.next().await;
        assert_eq!(
            (&table["type"], &table["you"]),
            (&json!("table"), &json!(1))
        );
        maker.sit(&of_maker).await;
        assert_eq!(maker.next().await["code"], "taken");
        let mut maker = Page::at(address, &links[1]).await;
        assert_eq!(maker.next().await["code"], "taken");
        // The guest comes back, and the maker's own seat keeps its token.
        for link in [&own, &links[0], &own, &links[0]] {
            let mut page = Page::at(address, link).await;
            assert_eq!(page.next().await["type"], "table");
        }
        gateway.stop().await;
    }

    #[tokio::test]
    async fn everybody_may_take_a_seat_that_is_offered_and_nobody_one_that_is_taken() {
        let (address, gateway) = serve_page(OPENING_LIMIT).await;
        let seats = json!([{ "kind": "person" }, { "kind": "open" }]);
        let make = |anybody: bool| {
            let settings = json!({ "game": "dobutsu", "seats": seats, "anybody": anybody });
            let settings = serde_json::from_value(settings).expect("settings");
            let made = gateway.make(settings, IpAddr::from([127, 0, 0, 1]));
            made.unwrap_or_else(|_| panic!("a table")).remove(0)
        };
        let lobby = gateway.watched.lobby();
        let open = || {
            let line = gateway.watched.lobby().borrow().clone();
            let lobby: Value = serde_json::from_str(&line).expect("JSON");
            lobby["open"].clone()
        };
        let (private, offered) = (make(false), make(true));
        let due = json!([{ "table": offered.table, "game": "dobutsu", "players": ["person"], "free": 1, "games": 1, "clock": null }]);
        assert_eq!(open(), due);
        // Two are as quick as each other.
        let (mut first, mut second) = (
            Page::without_token(address, &offered).await,
            Page::without_token(address, &offered).await,
        );
        let [own, late] = [first.given(&offered).await, second.given(&offered).await];
        first.sit(&own).await;
        assert_eq!(first.next().await["you"], 1);
        second.sit(&late).await;
        assert_eq!(second.next().await["code"], "taken");
        assert_eq!(open(), json!([]));
        for (table, code) in [(&offered, "taken"), (&private, "token")] {
            let mut other = Page::without_token(address, table).await;
            assert_eq!(other.next().await["code"], code);
        }
        // The owner of the seat comes back to it.
        let mut back = Page::at(address, &own).await;
        assert_eq!(back.next().await["type"], "table");
        drop(lobby);
        gateway.stop().await;
    }

    #[tokio::test]
    async fn a_page_is_given_one_token_and_so_puts_out_none_of_another_page() {
        let (address, gateway) = serve_page(OPENING_LIMIT).await;
        let links = open_table(&gateway);
        let mut guest = Page::at(address, &links[1]).await;
        let own = guest.given(&links[1]).await;
        // Neither the same link nor another one gives more.
        for link in &links[1..] {
            let mut other = Page::at(address, &links[1]).await;
            other.given(&links[1]).await;
            other.sit(link).await;
            assert_eq!(other.next().await["code"], "malformed");
        }
        guest.sit(&own).await;
        assert_eq!(guest.next().await["type"], "table");
        gateway.stop().await;
    }

    #[tokio::test]
    async fn who_leaves_the_page_or_comes_back_is_told_to_the_others_at_the_table() {
        let (address, gateway) = serve_page(OPENING_LIMIT).await;
        let links = open_table(&gateway);
        let is_away = |player| json!({ "type": "presence", "player": player, "here": false });
        let is_back = |player| json!({ "type": "presence", "player": player, "here": true });

        let mut first = Page::at(address, &links[0]).await;
        assert_eq!(first.next().await["type"], "table");
        let (mut second, own) = Page::guest(address, &links[1]).await;
        assert_eq!(second.next().await["type"], "table");
        drop(second);
        assert_eq!(first.next().await, is_away(1));
        // When a page takes over a seat from another page, the other players are told nothing.
        let mut second = Page::at(address, &own).await;
        assert_eq!(second.next().await["type"], "table");
        assert_eq!(first.next().await, is_back(1));
        let mut third = Page::at(address, &own).await;
        assert_eq!(third.next().await["type"], "table");
        assert_eq!(second.next().await["code"], "replaced");
        drop(third);
        assert_eq!(first.next().await, is_away(1));
        // A new page is told which players are away.
        let (mut other, _) = Page::guest(address, &links[2]).await;
        assert_eq!(other.next().await["type"], "table");
        assert_eq!(other.next().await, is_away(1));
        drop(first);
        assert_eq!(other.next().await, is_away(0));
        gateway.stop().await;
    }
}
