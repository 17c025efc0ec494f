//! Tables of servers that show theirs to watchers: a lobby of all, and each of them as frames.

mod acts;
mod highlights;
mod matches;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use log::{debug, warn};
use protocol::gat::ViewerFrame;
use protocol::tls::Trust;
use record::watch::{League, State, WatchEnd, WatchMessage};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tokio_util::sync::CancellationToken;

use crate::messages::{LobbyLeague, LobbyTable, Message, OpenTable};
use highlights::Highlights;
use matches::Match;

pub(crate) use acts::{CommandRefusal, CommandRequest};
pub(crate) use highlights::Highlight;

/// Bytes taken from a server at once.
const READ_SIZE: usize = 16 << 10;
/// Pause before a lost connection is opened again.
const AGAIN: Duration = Duration::from_secs(1);
/// How long the handshake of TLS may take.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// The least time between two lobbies.
const LOBBY_EVERY: Duration = Duration::from_millis(250);
/// Lines of a match that wait for a page; one that reads no more is cut off.
const MOST_WAITING: usize = 512;
/// Matches of a source that are kept; of those that are over the oldest go first.
const MOST_MATCHES: usize = 512;

type Failure = Box<dyn Error + Send + Sync>;

/// The match number of all tables of this gateway, which have one match at a time.
const OF_TABLE: u64 = 0;

pub(crate) struct WatchedTables {
    sources: Vec<WatchedServer>,
    /// The sources of the tables of this gateway.
    tables: Mutex<BTreeMap<String, Arc<WatchedServer>>>,
    /// Tables of this gateway with open seats that everybody may take, by id.
    open: Mutex<BTreeMap<String, OpenTable>>,
    /// Whom to trust in TLS; `None` for plain text.
    trust: Option<Trust>,
    acts: bool,
    lobby: watch::Sender<Utf8Bytes>,
    changes: AtomicU64,
    built: Mutex<u64>,
    changed: Notify,
}

#[derive(Default)]
struct WatchedServer {
    host: String,
    port: u16,
    /// State of a table of this gateway; `None` for a watched server.
    own: Option<Own>,
    matches: Mutex<BTreeMap<u64, Match>>,
    /// How its league stands, if it has told of one.
    league: Mutex<Option<League>>,
    /// Games worth a look; none of the tables of this gateway.
    highlights: Mutex<Highlights>,
    acts: AtomicBool,
}

struct Own {
    is_listed: bool,
    /// The task that reads from the server of its match.
    follower: Mutex<Option<AbortHandle>>,
}

/// Shakes hands with a server that must be `host`.
#[cfg(feature = "tls")]
async fn shake(trust: &Trust, host: &str, stream: TcpStream) -> io::Result<Box<dyn WatchStream>> {
    let name = host.to_owned().try_into().map_err(io::Error::other)?;
    let connector = tokio_rustls::TlsConnector::from(trust.config().clone());
    Ok(Box::new(connector.connect(name, stream).await?))
}

#[cfg(not(feature = "tls"))]
#[expect(clippy::unused_async, reason = "it awaits where there is TLS")]
async fn shake(trust: &Trust, _: &str, _: TcpStream) -> io::Result<Box<dyn WatchStream>> {
    match **trust.config() {}
}

trait WatchStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> WatchStream for T {}

impl WatchedTables {
    /// Watches servers until `stop`. Must be called within a tokio runtime.
    pub(crate) fn new(
        sources: Vec<(String, u16)>,
        trust: Option<Trust>,
        acts: bool,
        stop: &CancellationToken,
    ) -> Arc<WatchedTables> {
        let sources = sources.into_iter().map(|(host, port)| WatchedServer {
            host,
            port,
            ..WatchedServer::default()
        });
        let watched = Arc::new(WatchedTables {
            sources: sources.collect(),
            tables: Mutex::default(),
            open: Mutex::default(),
            trust,
            acts,
            lobby: watch::Sender::new(Utf8Bytes::default()),
            changes: AtomicU64::new(1),
            built: Mutex::new(0),
            changed: Notify::new(),
        });
        for at in 0..watched.sources.len() {
            let (watched, stop) = (watched.clone(), stop.clone());
            tokio::spawn(async move {
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = watched.follow(at) => {}
                }
            });
        }
        let (tending, stop) = (watched.clone(), stop.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = tending.tend() => {}
            }
        });
        watched
    }

    /// The lobby, and again whenever it changes.
    pub(crate) fn lobby(&self) -> watch::Receiver<Utf8Bytes> {
        let mut lobby = self.lobby.subscribe();
        self.build();
        lobby.mark_changed();
        lobby
    }

    /// Makes a table of this gateway watchable by its id, and shows it in the lobby if it is listed.
    pub(crate) fn show_table(&self, id: &str, is_listed: bool) {
        let source = || {
            let source = WatchedServer {
                own: Some(Own {
                    is_listed,
                    follower: Mutex::default(),
                }),
                ..WatchedServer::default()
            };
            source.matches().insert(OF_TABLE, Match::default());
            Arc::new(source)
        };
        self.tables().entry(id.to_owned()).or_insert_with(source);
    }

    /// Shows in the lobby which seats of a table everybody may take; `None` shows that there are none.
    pub(crate) fn offer(&self, id: &str, offer: Option<OpenTable>) {
        let mut open = self.open.lock().expect("nothing panics in the lobby");
        let is_new = open.get(id) != offer.as_ref();
        match offer {
            Some(offer) => drop(open.insert(id.to_owned(), offer)),
            None => drop(open.remove(id)),
        }
        drop(open);
        if is_new {
            self.change();
        }
    }

    /// Follows the match of a table of this gateway on its server's watch port on this machine.
    pub(crate) fn follow_table(self: &Arc<Self>, id: &str, port: u16) {
        let source = self.tables().get(id).cloned();
        let Some((source, watched)) = source.map(|source| (source, self.clone())) else {
            return;
        };
        let followed = source.clone();
        let task = tokio::spawn(async move {
            let connected = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await;
            let heard = match connected {
                Ok(stream) => watched.hear(&source, stream, &mut false).await,
                Err(e) => Err(e.into()),
            };
            if let Err(e) = heard {
                debug!("a table cannot be watched: {e}");
            }
            source.lose();
            watched.change();
        });
        followed.stop_following(Some(task.abort_handle()));
    }

    /// Removes a table of this gateway from the lobby and ends the watching.
    pub(crate) fn hide_table(&self, id: &str) {
        let hidden = self.tables().remove(id);
        if let Some(source) = hidden {
            source.stop_following(None);
            source.matches().values_mut().for_each(Match::leave);
            self.change();
        }
    }

    fn tables(&self) -> MutexGuard<'_, BTreeMap<String, Arc<WatchedServer>>> {
        self.tables
            .lock()
            .expect("nothing panics in the watched tables")
    }

    /// The past and the future messages of a match; `None` if there is no such match. A table of this gateway needs no match
    /// number. The match of a highlight may be gone, or may play another game by now.
    pub(crate) fn watch(
        &self,
        source: &str,
        number: Option<u64>,
        game: Option<u32>,
    ) -> Option<(Vec<Utf8Bytes>, mpsc::Receiver<Utf8Bytes>)> {
        if let Some(table) = self.tables().get(source) {
            return table.watch(OF_TABLE);
        }
        let source = self.sources.get(source.parse::<usize>().ok()?)?;
        let number = number?;
        let kept = game.and_then(|game| source.highlights().lines(number, game));
        if let Some(lines) = kept.filter(|_| !source.shows(number, game)) {
            // Nothing more comes.
            return Some((lines, mpsc::channel(1).1));
        }
        source.watch(number)
    }

    /// The games of watched servers that are worth a look.
    pub(crate) fn highlights(&self) -> Vec<Highlight> {
        let sources = self.sources.iter().enumerate();
        let of_source = |(at, source): (usize, &WatchedServer)| {
            let highlights = source.highlights();
            let named = highlights.iter().map(|one| one.at(at));
            named.collect::<Vec<_>>()
        };
        sources.flat_map(of_source).collect()
    }

    /// The latest position of Geister for a viewer of the official server: of the first match in play, or of the last
    /// that is over.
    pub(crate) fn geister(&self, with_scoreboard: bool) -> Option<ViewerFrame> {
        let mut last = None;
        for source in &self.sources {
            for known in source.matches().values() {
                let told = known.told.as_ref().filter(|told| told.game == "geister");
                let Some(told) = told else { continue };
                let frame = known.viewer_frame(told, with_scoreboard);
                if frame.is_some() && told.state != State::Over {
                    return frame;
                }
                last = frame.or(last);
            }
        }
        last
    }

    fn change(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// Builds lobbies while somebody reads them, not too often.
    async fn tend(&self) {
        loop {
            self.changed.notified().await;
            if self.lobby.receiver_count() > 0 {
                self.build();
                sleep(LOBBY_EVERY).await;
            }
        }
    }

    /// Builds the lobby, if it has changed.
    fn build(&self) {
        let mut built = self.built.lock().expect("nothing panics with the lobby");
        let changes = self.changes.load(Ordering::Relaxed);
        if *built != changes {
            *built = changes;
            self.lobby.send_replace(self.whole_lobby());
        }
    }

    fn whole_lobby(&self) -> Utf8Bytes {
        let (mut tables, mut leagues) = (Vec::new(), Vec::new());
        let sources = self.sources.iter().enumerate();
        let sources = sources.map(|(at, source)| (at.to_string(), source));
        let own = self.tables();
        let own = own.iter().map(|(id, source)| (id.clone(), &**source));
        let is_listed =
            |source: &WatchedServer| source.own.as_ref().is_none_or(|own| own.is_listed);
        for (name, source) in sources.chain(own).filter(|(_, source)| is_listed(source)) {
            let matches = source.matches();
            let told = matches.iter().filter_map(|(number, known)| {
                let told = known.told.as_ref()?;
                let frame = known.frame.as_ref();
                Some(LobbyTable {
                    source: name.clone(),
                    number: source.own.is_none().then_some(*number),
                    game: told.game.clone(),
                    players: told.players.clone(),
                    seats: frame.map(|frame| frame.players.clone()),
                    games: told.games,
                    scores: told.scores.clone(),
                    state: told.state,
                    game_no: frame.map_or(1, |frame| frame.game),
                    to_move: frame.and_then(|frame| frame.to_move),
                    views: frame.map_or_else(Vec::new, |frame| frame.views.clone()),
                })
            });
            tables.extend(told);
            if let Some(told) = &*source.league() {
                leagues.push(LobbyLeague {
                    source: name,
                    acts: self.acts && source.acts.load(Ordering::Relaxed),
                    league: told.clone(),
                });
            }
        }
        // Those in play come first.
        tables.sort_by_key(|table: &LobbyTable| table.state == State::Over);
        let open = self.open.lock().expect("nothing panics in the lobby");
        let open = open.values().cloned().collect();
        Message::Lobby {
            tables,
            open,
            leagues,
        }
        .line()
    }

    /// Follows a source, also when its connection is lost. The first failure is told, and that it is over.
    async fn follow(&self, at: usize) {
        let source = &self.sources[at];
        let place = format!("{}:{}", source.host, source.port);
        let mut has_failed = false;
        loop {
            let ended = self.listen(source, &mut has_failed).await;
            let reason = ended
                .err()
                .map_or("it has closed".to_owned(), |e| e.to_string());
            if has_failed {
                debug!("{place}: {reason}");
            } else {
                warn!("{place} cannot be watched: {reason}; it is tried again");
                has_failed = true;
            }
            source.lose();
            self.change();
            sleep(AGAIN).await;
        }
    }

    /// Connects with a source and takes what it tells until the connection ends.
    async fn listen(&self, source: &WatchedServer, has_failed: &mut bool) -> Result<(), Failure> {
        let stream = self.connect(source).await?;
        self.hear(source, stream, has_failed).await
    }

    async fn connect(&self, source: &WatchedServer) -> Result<Box<dyn WatchStream>, Failure> {
        let stream = TcpStream::connect((&source.host[..], source.port)).await?;
        let Some(trust) = &self.trust else {
            return Ok(Box::new(stream));
        };
        let shaken = timeout(HANDSHAKE, shake(trust, &source.host, stream)).await?;
        shaken.map_err(|e| format!("no TLS: {}", Trust::reason(&e)).into())
    }

    /// Takes what a source tells until its connection ends.
    async fn hear(
        &self,
        source: &WatchedServer,
        mut stream: impl AsyncRead + AsyncWrite + Unpin,
        has_failed: &mut bool,
    ) -> Result<(), Failure> {
        stream.write_all(WatchEnd::hello(None).as_bytes()).await?;
        let mut end = WatchEnd::default();
        let mut space = vec![0; READ_SIZE];
        loop {
            while let Some(message) = end.next_message() {
                let message = message?;
                if let WatchMessage::Error { message, .. } = message {
                    return Err(message.into());
                }
                if matches!(message, WatchMessage::Watching { .. }) && *has_failed {
                    warn!("{}:{} is watched again", source.host, source.port);
                    *has_failed = false;
                }
                source.take(&message);
                self.change();
            }
            match stream.read(&mut space).await? {
                0 => return Ok(()),
                n => end.receive(&space[..n]),
            }
        }
    }
}

impl WatchedServer {
    fn matches(&self) -> MutexGuard<'_, BTreeMap<u64, Match>> {
        self.matches
            .lock()
            .expect("nothing panics in the watched tables")
    }

    fn league(&self) -> MutexGuard<'_, Option<League>> {
        self.league
            .lock()
            .expect("nothing panics in the watched tables")
    }

    fn highlights(&self) -> MutexGuard<'_, Highlights> {
        self.highlights
            .lock()
            .expect("nothing panics in the highlights")
    }

    /// Whether a match still shows a game.
    fn shows(&self, number: u64, game: Option<u32>) -> bool {
        let matches = self.matches();
        let frame = matches.get(&number).and_then(|known| known.frame.as_ref());
        frame.is_some_and(|frame| Some(frame.game) == game)
    }

    /// The past and the future messages of a match; `None` if there is no such match.
    fn watch(&self, number: u64) -> Option<(Vec<Utf8Bytes>, mpsc::Receiver<Utf8Bytes>)> {
        let mut matches = self.matches();
        let known = matches.get_mut(&number)?;
        let table = known.info.clone().map(|mut info| {
            info.missed = Some(known.kept.len());
            Message::Table(info).line()
        });
        let mut missed: Vec<Utf8Bytes> = table.into_iter().collect();
        missed.extend(known.gone.iter().map(|&player| {
            let here = false;
            Message::Presence { player, here }.line()
        }));
        missed.extend(known.kept.iter().cloned());
        missed.extend(known.clock().as_ref().map(Message::line));
        missed.extend(known.said.clone());
        missed.extend(known.over.clone());
        let (page, lines) = mpsc::channel(MOST_WAITING);
        known.pages.retain(|page| !page.is_closed());
        known.pages.push(page);
        Some((missed, lines))
    }

    /// Replaces the task that follows the last match by the task of the next match.
    fn stop_following(&self, next: Option<AbortHandle>) {
        let own = self.own.as_ref().expect("a table of this gateway");
        let mut follower = own
            .follower
            .lock()
            .expect("nothing panics in the watched tables");
        if let Some(before) = std::mem::replace(&mut *follower, next) {
            before.abort();
        }
    }

    /// Handles the loss of the connection: matches in play may be over when it is back. The server of a table of this gateway
    /// ends the connection with the match.
    fn lose(&self) {
        for known in self.matches().values_mut() {
            if self.own.is_some() {
                known.end();
            } else if known.over.is_none() {
                known.stall("the connection with the watched server is lost; it is tried again");
            }
            if let Some(told) = &mut known.told {
                told.state = State::Over;
            }
        }
    }

    fn take(&self, message: &WatchMessage) {
        match message {
            WatchMessage::League(league) => {
                self.highlights().begin(&league.title);
                *self.league() = Some(league.clone());
            }
            // The first message of a connection whose server may be another than before, with numbers of its own.
            WatchMessage::Watching { acts, .. } => {
                *self.league() = None;
                self.acts.store(*acts, Ordering::Relaxed);
                if self.own.is_some() {
                    // Each match of a table has a server of its own; its watchers continue with it.
                    self.matches().values_mut().for_each(Match::begin_anew);
                }
            }
            WatchMessage::Tables { playing } if self.own.is_none() => {
                // Those that were seen to their end stay, as they are kept without a loss of the connection.
                let is_gone = |number: &u64, known: &mut Match| {
                    known.over.is_none() && !playing.contains(number)
                };
                for (_, mut gone) in self.matches().extract_if(.., is_gone) {
                    gone.leave();
                }
            }
            message => {
                if let Some(number) = message.number() {
                    self.take_of(number, message);
                }
            }
        }
    }

    fn take_of(&self, number: u64, message: &WatchMessage) {
        let number = self.own.as_ref().map_or(number, |_| OF_TABLE);
        let mut matches = self.matches();
        if let WatchMessage::Table(table) = message
            && let Some(known) = matches.get_mut(&number)
            && known.told.as_ref().is_some_and(|told| told.id != table.id)
        {
            known.leave();
            matches.remove(&number);
        }
        if !matches.contains_key(&number) && matches.len() >= MOST_MATCHES {
            let over = matches.iter().find(|(_, known)| known.over.is_some());
            let oldest = over.or(matches.iter().next()).map(|(number, _)| *number);
            if let Some(mut oldest) = oldest.and_then(|oldest| matches.remove(&oldest)) {
                oldest.leave();
            }
        }
        let known = matches.entry(number).or_default();
        if let WatchMessage::Record {
            game, events, more, ..
        } = message
            && self.own.is_none()
        {
            let (game, piece) = ((number, *game), (&events[..], *more));
            let league = self.league();
            self.highlights().take(game, piece, known, league.as_ref());
        }
        if let Some(line) = known.take(message) {
            known.tell(&line);
        }
    }
}
