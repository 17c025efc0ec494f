//! Tables of servers that show theirs to watchers: a lobby of all, and each of them as frames.

mod acts;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::mem;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use log::{debug, warn};
use protocol::gat::{Tally, ViewerFrame};
use protocol::native::{League, Now, State, Table, WatchEnd, WatchMessage};
use protocol::tls::Trust;
use serde::Deserialize as _;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tokio_util::sync::CancellationToken;

use crate::seat::{line, presence};
use crate::viewer;

pub(crate) use acts::{ActRequest, NoAct};

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
/// Lines of a game that are kept.
const MOST_KEPT: usize = 4096;

/// Why a source tells nothing more.
type Failure = Box<dyn Error + Send + Sync>;

/// The match number of all tables of this gateway, which have one match at a time.
const OF_TABLE: u64 = 0;

/// All sources.
pub(crate) struct Hall {
    sources: Vec<Source>,
    /// The sources of the tables of this gateway.
    tables: Mutex<BTreeMap<String, Arc<Source>>>,
    /// Whom to trust in TLS; `None` for plain text.
    trust: Option<Trust>,
    /// Whether organisers may act from the page.
    acts: bool,
    lobby: watch::Sender<Utf8Bytes>,
    /// Counts what the sources have told.
    changes: AtomicU64,
    /// That count when the lobby was built.
    built: Mutex<u64>,
    changed: Notify,
}

/// A server's port of watchers.
#[derive(Default)]
struct Source {
    host: String,
    port: u16,
    /// State of a table of this gateway; `None` for a watched server.
    own: Option<Own>,
    matches: Mutex<BTreeMap<u64, Match>>,
    /// How its league stands, if it has told of one.
    league: Mutex<Option<League>>,
    /// Whether an organiser may act there.
    acts: AtomicBool,
}

/// State of a table of this gateway.
struct Own {
    /// Whether the lobby lists it.
    is_listed: bool,
    /// The task that reads from the server of its match.
    follower: Mutex<Option<AbortHandle>>,
}

/// A connection with a source.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A match as far as it was told.
#[derive(Default)]
struct Match {
    /// How the server has told of it last.
    told: Option<Table>,
    /// The page's `table`.
    table: Option<Value>,
    /// Time for a whole game, by player.
    budgets: Vec<Option<u64>>,
    game: u32,
    ply: u32,
    /// The player in each seat.
    players: Vec<u8>,
    /// Budget of each seat at the last event.
    left: Vec<Option<u64>>,
    /// When that was, while a game is in play.
    since: Option<Instant>,
    now: Option<Now>,
    /// Lines of the game in play, or of the last.
    kept: Vec<Utf8Bytes>,
    /// Why nothing more is told of the game in play, while that is so.
    said: Option<Utf8Bytes>,
    over: Option<Utf8Bytes>,
    /// The players that are away.
    gone: BTreeSet<u8>,
    /// Games of each player since it is watched, of games for two.
    tallies: Vec<Tally>,
    /// The pages that show it.
    pages: Vec<mpsc::Sender<Utf8Bytes>>,
}

impl Hall {
    /// Watches servers until `stop`. Must be called within a tokio runtime.
    pub(crate) fn new(
        sources: Vec<(String, u16)>,
        trust: Option<Trust>,
        acts: bool,
        stop: &CancellationToken,
    ) -> Arc<Hall> {
        let sources = sources.into_iter().map(|(host, port)| Source {
            host,
            port,
            ..Source::default()
        });
        let hall = Arc::new(Hall {
            sources: sources.collect(),
            tables: Mutex::default(),
            trust,
            acts,
            lobby: watch::Sender::new(Utf8Bytes::default()),
            changes: AtomicU64::new(1),
            built: Mutex::new(0),
            changed: Notify::new(),
        });
        for at in 0..hall.sources.len() {
            let (hall, stop) = (hall.clone(), stop.clone());
            tokio::spawn(async move {
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = hall.follow(at) => {}
                }
            });
        }
        let (tending, stop) = (hall.clone(), stop.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = tending.tend() => {}
            }
        });
        hall
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
            let source = Source {
                own: Some(Own {
                    is_listed,
                    follower: Mutex::default(),
                }),
                ..Source::default()
            };
            source.matches().insert(OF_TABLE, Match::default());
            Arc::new(source)
        };
        self.tables().entry(id.to_owned()).or_insert_with(source);
    }

    /// Follows the match of a table of this gateway on its server's watch port on this machine.
    pub(crate) fn follow_table(self: &Arc<Self>, id: &str, port: u16) {
        let source = self.tables().get(id).cloned();
        let Some((source, hall)) = source.map(|source| (source, self.clone())) else {
            return;
        };
        let followed = source.clone();
        let task = tokio::spawn(async move {
            let connected = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await;
            let heard = match connected {
                Ok(stream) => hall.hear(&source, stream, &mut false).await,
                Err(e) => Err(e.into()),
            };
            if let Err(e) = heard {
                debug!("a table cannot be watched: {e}");
            }
            source.lose();
            hall.change();
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

    fn tables(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Source>>> {
        self.tables.lock().expect("nothing panics in the hall")
    }

    /// The past and the future messages of a match; `None` if there is no such match. A table of this gateway needs no match
    /// number.
    pub(crate) fn watch(
        &self,
        source: &str,
        number: Option<u64>,
    ) -> Option<(Vec<Utf8Bytes>, mpsc::Receiver<Utf8Bytes>)> {
        if let Some(table) = self.tables().get(source) {
            return table.watch(OF_TABLE);
        }
        let source = self.sources.get(source.parse::<usize>().ok()?)?;
        source.watch(number?)
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

    /// A source has told something.
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
        let is_listed = |source: &Source| source.own.as_ref().is_none_or(|own| own.is_listed);
        for (name, source) in sources.chain(own).filter(|(_, source)| is_listed(source)) {
            let matches = source.matches();
            let told = matches.iter().filter_map(|(number, known)| {
                let told = known.told.as_ref()?;
                let entry = json!({
                    "source": name,
                    "match": source.own.is_none().then_some(number),
                    "game": told.game,
                    "players": told.players,
                    "seats": (!known.players.is_empty()).then_some(&known.players),
                    "games": told.games,
                    "scores": told.scores,
                    "state": told.state,
                    "game_no": known.game.max(1),
                    "to_move": known.now.as_ref().and_then(|now| now.to_move),
                    "views": known.now.iter().map(|now| &now.view).collect::<Vec<_>>(),
                });
                Some((told.state == State::Over, entry))
            });
            tables.extend(told);
            if let Some(told) = &*source.league() {
                let mut league = league(told);
                league["source"] = json!(name);
                league["acts"] = json!(self.acts && source.acts.load(Ordering::Relaxed));
                leagues.push(league);
            }
        }
        // Those in play come first.
        tables.sort_by_key(|(is_over, _)| *is_over);
        let tables: Vec<Value> = tables.into_iter().map(|(_, entry)| entry).collect();
        line(&json!({ "type": "lobby", "tables": tables, "leagues": leagues }))
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
    async fn listen(&self, source: &Source, has_failed: &mut bool) -> Result<(), Failure> {
        let stream = self.connect(source).await?;
        self.hear(source, stream, has_failed).await
    }

    /// Connects with a source.
    async fn connect(&self, source: &Source) -> Result<Box<dyn Stream>, Failure> {
        let stream = TcpStream::connect((&source.host[..], source.port)).await?;
        let Some(trust) = &self.trust else {
            return Ok(Box::new(stream));
        };
        let name = ServerName::try_from(source.host.clone())?;
        let shaken = TlsConnector::from(trust.config().clone()).connect(name, stream);
        let shaken = timeout(HANDSHAKE, shaken).await?;
        let stream = shaken.map_err(|e| format!("no TLS: {}", Trust::reason(&e)))?;
        Ok(Box::new(stream))
    }

    /// Takes what a source tells until its connection ends.
    async fn hear(
        &self,
        source: &Source,
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

impl Source {
    fn matches(&self) -> MutexGuard<'_, BTreeMap<u64, Match>> {
        self.matches.lock().expect("nothing panics in the hall")
    }

    fn league(&self) -> MutexGuard<'_, Option<League>> {
        self.league.lock().expect("nothing panics in the hall")
    }

    /// The past and the future messages of a match; `None` if there is no such match.
    fn watch(&self, number: u64) -> Option<(Vec<Utf8Bytes>, mpsc::Receiver<Utf8Bytes>)> {
        let mut matches = self.matches();
        let known = matches.get_mut(&number)?;
        let table = known.table.clone().map(|mut table| {
            table["missed"] = json!(known.kept.len());
            line(&table)
        });
        let mut missed: Vec<Utf8Bytes> = table.into_iter().collect();
        missed.extend(known.gone.iter().map(|player| presence(*player, false)));
        missed.extend(known.kept.iter().cloned());
        missed.extend(known.clock().as_ref().map(line));
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
        let mut follower = own.follower.lock().expect("nothing panics in the hall");
        if let Some(before) = mem::replace(&mut *follower, next) {
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

    /// Takes a message of the server.
    fn take(&self, message: &WatchMessage) {
        match message {
            WatchMessage::League(league) => *self.league() = Some(league.clone()),
            // The first message of a connection whose server may be another than before, with numbers of its own.
            WatchMessage::Watching { acts, .. } => {
                *self.league() = None;
                self.acts.store(*acts, Ordering::Relaxed);
                if self.own.is_some() {
                    // Each match of a table has a server of its own; its watchers continue with it.
                    for known in self.matches().values_mut() {
                        if known.told.is_some() {
                            known.end();
                        }
                        *known = Match {
                            pages: mem::take(&mut known.pages),
                            ..Match::default()
                        };
                    }
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

    /// Takes a message about a match.
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
        if let Some(line) = known.take(message) {
            known.tell(&line);
        }
    }
}

impl Match {
    /// Tells its pages something. One that is too far behind is cut off.
    fn tell(&mut self, line: &Utf8Bytes) {
        self.pages
            .retain(|page| page.try_send(line.clone()).is_ok());
    }

    /// Nothing is told of it for now, for this reason: its pages learn it, and their clocks stop.
    fn stall(&mut self, reason: &str) {
        let said = line(&json!({ "type": "said", "text": reason }));
        // A connection that is tried in vain is lost again and again.
        if self.said.as_ref() == Some(&said) {
            return;
        }
        if let Some((_, left)) = self.left_now() {
            self.left = left;
        }
        self.since = None;
        self.said = Some(said.clone());
        if let Some(clock) = self.clock() {
            self.tell(&line(&clock));
        }
        self.tell(&said);
    }

    /// Nothing more is told of it, as another server has taken the place of its own, or as it has ended unheard.
    fn leave(&mut self) {
        self.end();
        self.pages.clear();
    }

    /// Ends the match if its result never arrived.
    fn end(&mut self) {
        if self.over.is_none() {
            let scores = self.told.as_ref().map(|told| &told.scores);
            let reason = "the server tells no more of this match";
            let over = json!({ "type": "over", "games": null, "scores": scores, "reason": reason, "record": null });
            let over = line(&over);
            self.tell(&over);
            self.over = Some(over);
        }
    }

    /// The seat whose time runs, and the times at this moment.
    fn left_now(&self) -> Option<(u8, Vec<Option<u64>>)> {
        let seat = self.now.as_ref()?.to_move?;
        let used = self.since?.elapsed().as_millis() as u64;
        let mut left = self.left.clone();
        let running = left.get_mut(usize::from(seat))?.as_mut()?;
        *running = running.saturating_sub(used);
        Some((seat, left))
    }

    /// The message `clock` for a page that comes now, where a time runs. Where nothing is told of the match none does,
    /// though the last frame has times.
    fn clock(&self) -> Option<Value> {
        let (running, left) = match self.left_now() {
            Some((seat, left)) => (Some(seat), left),
            None => (None, self.said.as_ref().map(|_| self.left.clone())?),
        };
        let has_times = left.iter().any(Option::is_some);
        has_times.then(|| json!({ "type": "clock", "left_ms": left, "running": running }))
    }

    /// Takes a message of the server; gives a line for pages.
    fn take(&mut self, message: &WatchMessage) -> Option<Utf8Bytes> {
        match message {
            WatchMessage::Table(table) => {
                self.told = Some(table.clone());
                None
            }
            WatchMessage::Match {
                clocks,
                players,
                header,
                ..
            } => {
                let own = Vec::deserialize(&header["player-clocks"]);
                let own: Vec<record::Clocks> = own.unwrap_or_default();
                let budget =
                    |player: usize| own.get(player).map_or(clocks.budget_ms, |own| own.game_ms);
                self.budgets = (0..players.len()).map(budget).collect();
                self.gone.clear();
                self.said = None;
                let table = self.table(message);
                let told = line(&table);
                self.table = Some(table);
                Some(told)
            }
            WatchMessage::Game {
                game,
                players,
                ply,
                now,
                ..
            } => {
                if *game != self.game || *ply < self.ply {
                    self.kept.clear();
                }
                self.game = *game;
                self.players.clone_from(players);
                let budget = |&player: &u8| {
                    let budget = *self.budgets.get(usize::from(player))?;
                    budget.filter(|ms| *ms > 0 && *ply == 0)
                };
                self.left = players.iter().map(budget).collect();
                Some(self.shown(*ply, now, Step::default()))
            }
            // Another game that is played at the same time is told of, and not shown.
            WatchMessage::View { game, .. }
            | WatchMessage::Moved { game, .. }
            | WatchMessage::Out { game, .. }
            | WatchMessage::Result { game, .. }
            | WatchMessage::Missed { game, .. }
                if *game != self.game =>
            {
                None
            }
            WatchMessage::View { ply, now, .. } => Some(self.shown(*ply, now, Step::default())),
            WatchMessage::Moved {
                ply,
                seat,
                mv,
                used_ms,
                budget_ms,
                fault,
                now,
                ..
            } => {
                if let Some(left) = self.left.get_mut(usize::from(*seat)) {
                    *left = *budget_ms;
                }
                let fault = fault.as_ref();
                let step = Step {
                    seat: Some(*seat),
                    mv: Some(mv),
                    used_ms: *used_ms,
                    note: fault.map(|fault| format!("the server has played: {fault}")),
                };
                Some(self.shown(ply + 1, now, step))
            }
            WatchMessage::Out { seat, end, now, .. } => {
                let step = Step {
                    note: Some(format!("seat {seat} is out ({end})")),
                    ..Step::default()
                };
                Some(self.shown(self.ply, now, step))
            }
            WatchMessage::Presence { player, here, .. } => {
                if *here {
                    self.gone.remove(player);
                } else {
                    self.gone.insert(*player);
                }
                Some(presence(*player, *here))
            }
            WatchMessage::Missed { .. } => {
                self.stall("the server could not keep up: this game is told no further");
                None
            }
            WatchMessage::Result { places, .. } => {
                self.since = None;
                viewer::count(&mut self.tallies, &self.players, places);
                Some(self.keep(line(&without_numbers(message))))
            }
            WatchMessage::Over { .. } => {
                let mut over = without_numbers(message);
                over["record"] = Value::Null;
                let over = line(&over);
                self.said = None;
                self.over = Some(over.clone());
                Some(over)
            }
            _ => None,
        }
    }

    fn viewer_frame(&self, told: &Table, with_scoreboard: bool) -> Option<ViewerFrame> {
        let last = self.kept.last()?;
        let result: Value = serde_json::from_str(last).ok()?;
        let shown = viewer::Shown {
            names: &told.players,
            players: &self.players,
            left: &self.left,
            now: self.now.as_ref()?,
            result: Some(&result).filter(|result| result["type"] == "result"),
            tallies: &self.tallies,
        };
        shown.frame(with_scoreboard)
    }

    fn table(&self, message: &WatchMessage) -> Value {
        let WatchMessage::Match {
            number,
            game,
            protocol,
            players,
            games,
            rules,
            clocks,
            ..
        } = message
        else {
            unreachable!("only a match is handed over");
        };
        let players = (0_u8..).zip(players);
        let players = players
            .map(|(player, name)| json!({ "name": name, "kind": "guest", "player": player }));
        json!({
            "type": "table",
            "id": self.told.as_ref().map(|told| &told.id),
            "game": game,
            "match": number,
            "games": games,
            "players": players.collect::<Vec<_>>(),
            "you": null,
            "rules": rules,
            "clocks": clocks,
            "practice": false,
            "protocol": protocol,
            "can": { "resign": false, "takeback": false, "hint": false },
        })
    }

    /// The frame of a position, which is kept.
    fn shown(&mut self, ply: u32, now: &Now, step: Step<'_>) -> Utf8Bytes {
        self.ply = ply;
        self.said = None;
        self.now = Some(now.clone());
        self.since = Some(Instant::now());
        let mut frame = json!({
            "type": "frame",
            "game": self.game,
            "ply": ply,
            "seat": step.seat,
            "move": step.mv,
            "used_ms": step.used_ms,
            "to_move": now.to_move,
            "views": [now.view],
            "clocks": self.left.iter().any(Option::is_some).then_some(&self.left),
            "players": self.players,
        });
        if let Some(note) = step.note {
            frame["note"] = json!(note);
        }
        self.keep(line(&frame))
    }

    /// Keeps a line of the game for pages that come later, as long as there are not too many.
    fn keep(&mut self, line: Utf8Bytes) -> Utf8Bytes {
        if self.kept.len() < MOST_KEPT {
            self.kept.push(line.clone());
        }
        line
    }
}

/// What led to a frame.
#[derive(Default)]
struct Step<'a> {
    seat: Option<u8>,
    mv: Option<&'a str>,
    used_ms: Option<u64>,
    /// A sentence, where something has happened beside moves.
    note: Option<String>,
}

/// How a league stands, with the ends of the intervals of its ratings.
fn league(told: &League) -> Value {
    let mut league = json!(told);
    for (entry, entrant) in league["entrants"]
        .as_array_mut()
        .into_iter()
        .flatten()
        .zip(&told.entrants)
    {
        if let (Some(rating), Some(width)) = (entrant.rating, entrant.half_width) {
            entry["low"] = json!(rating - width);
            entry["high"] = json!(rating + width);
        }
    }
    league
}

/// A message without the numbers of match and event.
fn without_numbers(message: &WatchMessage) -> Value {
    let mut message = json!(message);
    if let Some(fields) = message.as_object_mut() {
        fields.remove("match");
        fields.remove("event");
    }
    message
}
