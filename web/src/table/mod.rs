//! Tables that the gateway makes: a server of their own, bots, and seats for persons.

mod names;
mod programs;
mod settings;

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::Path;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;
use std::{fs, io, thread};

use games::GameName;
use log::{info, warn};
use protocol::native::name_of;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use names::names;
use programs::{Bot, TableServer};
pub(crate) use settings::{BotSpec, SeatSpec, Settings};

use crate::catalogue::{self, protocol};
use crate::join::{self, ServerAddress};
use crate::kept::{KeptTable, KeptTables, Past, Place, record_of};
use crate::messages::{OpenTable, Participant, ParticipantKind, TableInfo, TablePermissions};
use crate::own_folder::OwnFolder;
use crate::seat::{Seat, Stage, Wish};
use crate::thoughts::{self, Thought, ThoughtWriter};
use crate::token::{Key, draw_name};
use crate::watched::WatchedTables;

/// How long no page may show a table before it ends.
const ABANDONED: Duration = Duration::from_mins(1);
/// The same for a table that was made again, until a page comes back to it. It has no programs until then.
const FORGOTTEN: Duration = Duration::from_hours(24);
/// Why a match ends that is told to stop; its server says so too.
const STOPPED: &str = "the server was stopped";
const LOOK: Duration = Duration::from_secs(5);
/// The same where a person at the terminal may end its program.
const LOOK_AT_PERSON: Duration = Duration::from_millis(200);
/// How long a person's client may take until it sits.
const SEAT_LIMIT: Duration = Duration::from_mins(1);
/// How long a server may take to end once its match is over, and its bots after it.
const END_LIMIT: Duration = Duration::from_secs(5);

/// Maximum length of a person's name, in characters.
const MOST_LETTERS: usize = 20;

pub(crate) enum Origin {
    Made {
        settings: Settings,
        bots: Vec<Option<BotSpec>>,
    },
    Joined(ServerAddress),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    /// Another takes its place, in which the last moves are taken back.
    TakenBack,
    /// The person that has made it wants no more of it.
    ByMaker,
    /// A guest has left before it came: the match would wait for it.
    ByGuest,
}

/// What is said while the disk has not taken a record, and when it is lost.
const LATE: &str = "the disk does not take the record of this match; it is tried for a minute";
const LOST: &str = "the record of this match is lost: the disk has not taken it";

pub(crate) struct Table {
    pub(crate) id: String,
    pub(crate) game: GameName,
    /// How often it has begun, from 1.
    pub(crate) round: u32,
    from: IpAddr,
    pub(crate) origin: Origin,
    pub(crate) seats: Vec<(u8, Arc<Seat>)>,
    pub(crate) stop: CancellationToken,
    /// Held while the others are told whether somebody is there.
    telling: Mutex<()>,
    /// Why it has been ended before the gateway.
    ended: OnceLock<Ended>,
    /// Whether it waits for its first page, however long: its link is printed, or a person at this machine has asked for it.
    waits: bool,
    /// Whether another has taken its place, which happens once.
    is_followed: AtomicBool,
    next: watch::Sender<Option<Arc<Table>>>,
    /// How much less the numbers of the players are than at the previous table, because sides change.
    turned: usize,
    /// The names that persons have given themselves, by player.
    called: Mutex<Vec<Option<String>>>,
    agreed: Mutex<BTreeSet<u8>>,
    /// What happened before its gateway began.
    past: Option<Past>,
    /// Whether it is kept no longer. Held while its file is written.
    is_over: Mutex<bool>,
}

#[derive(Clone, Copy)]
pub(crate) struct Folders<'a> {
    pub(crate) programs: &'a Path,
    pub(crate) records: &'a Path,
    /// The gateway's own folder, which no other user may read.
    pub(crate) own: &'a OwnFolder,
    pub(crate) kept: Option<&'a KeptTables>,
    pub(crate) watched: &'a Arc<WatchedTables>,
}

/// Whether there is a record of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordState {
    Yes,
    /// The disk has not taken it.
    No,
    Elsewhere,
}

impl Table {
    /// A table with programs of its own, which do not run yet. The numbers of the players are less by `turned` than those at
    /// the table that it replaces.
    pub(crate) fn made(
        place: Place,
        turned: usize,
        settings: Settings,
        bots: Vec<Option<BotSpec>>,
        stop: CancellationToken,
    ) -> Table {
        let game = settings.game;
        let Place {
            id,
            round,
            from,
            mut called,
            mut keys,
        } = place;
        called.resize(bots.len(), None);
        keys.resize_with(bots.len(), || None);
        let names = names(&settings, &bots, &called);
        let players: Vec<Participant> = (0..)
            .zip(names.iter().zip(&settings.seats))
            .map(|(player, (name, seat))| Participant {
                name: name.clone(),
                kind: match seat {
                    SeatSpec::Bot { .. } => ParticipantKind::Bot,
                    SeatSpec::Person {} | SeatSpec::Open {} | SeatSpec::Terminal => {
                        ParticipantKind::Person
                    }
                },
                player,
            })
            .collect();
        let info = |you| TableInfo {
            id: id.clone(),
            game,
            number: 1,
            games: Some(settings.games),
            players: players.clone(),
            you: Some(you),
            rules: catalogue::rules(game),
            clocks: settings.clock,
            practice: settings.practice,
            protocol: protocol(game).to_owned(),
            record: Some(record_of(&id, round)),
            can: TablePermissions {
                resign: protocol(game) == "native",
                takeback: settings.can_take_back(),
                hint: settings.practice,
                again: true,
                watch: true,
            },
            league: None,
            when: None,
            missed: None,
        };
        let seats = (0..).zip(&bots).filter(|(_, bot)| bot.is_none());
        let seats = seats
            .map(|(player, _)| {
                let key = keys[usize::from(player)].take();
                let key = key.unwrap_or_else(|| match settings.seats[usize::from(player)] {
                    SeatSpec::Open {} => Key::link(),
                    SeatSpec::Person {} | SeatSpec::Terminal | SeatSpec::Bot { .. } => Key::own(),
                });
                (player, Seat::new(info(player), key))
            })
            .collect();
        Table {
            id,
            game,
            round,
            from,
            origin: Origin::Made { settings, bots },
            seats,
            stop,
            telling: Mutex::default(),
            ended: OnceLock::new(),
            waits: false,
            is_followed: AtomicBool::new(false),
            next: watch::Sender::new(None),
            turned,
            called: Mutex::new(called),
            agreed: Mutex::default(),
            past: None,
            is_over: Mutex::default(),
        }
    }

    /// The same table, at which this has happened before its gateway began.
    pub(crate) fn with_past(self, past: Past) -> Table {
        if !past.is_empty() {
            for (_, seat) in &self.seats {
                seat.mute();
            }
        }
        Table {
            past: Some(past),
            ..self
        }
    }

    /// What is to become of a table in its place, at which the numbers of the players are less by `turned`.
    pub(crate) fn place(&self, turned: usize) -> Place {
        let mut called = self.called().clone();
        let mut keys = vec![None; called.len()];
        for (player, seat) in &self.seats {
            keys[usize::from(*player)] = Some(seat.key());
        }
        called.rotate_left(turned);
        keys.rotate_left(turned);
        Place {
            id: self.id.clone(),
            round: self.round,
            from: self.from,
            called,
            keys,
        }
    }

    /// Writes it down, if it is to outlast the gateway.
    pub(crate) fn keep(&self, kept: Option<&KeptTables>) {
        let is_over = self.is_over.lock().expect("nothing panics with the file");
        if let (Some(kept), Origin::Made { settings, .. }, false) = (kept, &self.origin, *is_over) {
            let left = self.seats.iter().filter(|(_, seat)| seat.has_left());
            kept.keep(&KeptTable {
                place: self.place(0),
                settings: settings.clone(),
                position: settings.position.clone(),
                left: left.map(|(player, _)| *player).collect(),
            });
        }
    }

    /// The same table, which waits for its first page however long.
    pub(crate) fn waiting(self) -> Table {
        Table {
            waits: true,
            ..self
        }
    }

    /// Whether its maker offers the open seats to everybody.
    pub(crate) fn is_offered(&self) -> bool {
        matches!(&self.origin, Origin::Made { settings, .. } if settings.anybody)
    }

    /// The open seats that everybody may take.
    pub(crate) fn offered(&self) -> impl Iterator<Item = &Arc<Seat>> {
        let is_offered = self.is_offered() && !self.stop.is_cancelled();
        let seats = self.seats.iter().map(|(_, seat)| seat);
        seats.filter(move |seat| is_offered && seat.key().is_free() && !seat.is_over())
    }

    /// What the lobby tells of them; `None` where there are none.
    pub(crate) fn offer(&self) -> Option<OpenTable> {
        let free = self.offered().count();
        let Origin::Made { settings, bots } = &self.origin else {
            return None;
        };
        let names = names(settings, bots, &self.called());
        let is_there = |player: usize| {
            let mut seats = self.seats.iter();
            let seat = seats.find(|(of, _)| usize::from(*of) == player);
            seat.is_none_or(|(_, seat)| !seat.key().is_free())
        };
        let players = names.into_iter().enumerate();
        let players = players.filter(|(player, _)| is_there(*player));
        (free > 0).then(|| OpenTable {
            table: self.id.clone(),
            game: self.game,
            players: players.map(|(_, name)| name).collect(),
            free,
            games: settings.games,
            clock: settings.clock,
        })
    }

    pub(crate) fn record(&self) -> String {
        record_of(&self.id, self.round)
    }

    pub(crate) fn joined(game: GameName, way: ServerAddress, stop: CancellationToken) -> Table {
        let id = draw_name();
        let info = TableInfo {
            id: id.clone(),
            game,
            number: 1,
            games: way.games,
            players: Vec::new(),
            you: None,
            rules: catalogue::rules(game),
            clocks: None,
            practice: false,
            protocol: protocol(game).to_owned(),
            record: None,
            can: TablePermissions {
                resign: protocol(game) == "native",
                ..TablePermissions::default()
            },
            league: None,
            when: None,
            missed: None,
        };
        Table {
            id,
            game,
            round: 1,
            from: IpAddr::from([127, 0, 0, 1]),
            origin: Origin::Joined(way),
            seats: vec![(0, Seat::new(info, Key::own()))],
            stop,
            telling: Mutex::default(),
            ended: OnceLock::new(),
            waits: true,
            is_followed: AtomicBool::new(false),
            next: watch::Sender::new(None),
            turned: 0,
            called: Mutex::default(),
            agreed: Mutex::default(),
            past: None,
            is_over: Mutex::default(),
        }
    }

    /// Tells the other persons whether the page of one of them is there.
    pub(crate) fn tell_presence(&self, of: &Arc<Seat>) {
        // One page may go while another comes. The last message must tell the present state.
        let _telling = self.telling.lock().expect("nothing panics while it tells");
        let here = of.is_shown();
        let Some(player) = self.player_of(of) else {
            return;
        };
        for (_, other) in self.seats.iter().filter(|(at, _)| *at != player) {
            other.tell_presence(player, here);
        }
    }

    fn player_of(&self, of: &Arc<Seat>) -> Option<u8> {
        let mut seats = self.seats.iter();
        let (player, _) = seats.find(|(_, seat)| Arc::ptr_eq(seat, of))?;
        Some(*player)
    }

    /// Names the person of a seat. During a match the name applies from the next match on.
    pub(crate) fn call(&self, seat: &Arc<Seat>, name: &str) {
        // Commas separate names on the command line of a server.
        let name = name_of(&name.replace(',', " "), "");
        let name: String = name.chars().take(MOST_LETTERS).collect();
        let player = self.player_of(seat).map(usize::from);
        let mut all = self.called();
        if let Some(called) = player.and_then(|player| all.get_mut(player))
            && !name.is_empty()
        {
            *called = Some(name.trim_end().to_owned());
        }
    }

    fn called(&self) -> MutexGuard<'_, Vec<Option<String>>> {
        self.called.lock().expect("nothing panics with the names")
    }

    /// Registers whether the person of a seat wants another match, and tells all pages; returns whether all persons want it.
    pub(crate) fn agree(&self, seat: &Arc<Seat>, wants: bool) -> bool {
        let mut agreed = self.agreed.lock().expect("nothing panics while it tells");
        let player = self.player_of(seat);
        agreed.retain(|other| wants || Some(*other) != player);
        agreed.extend(player.filter(|_| wants));
        for (_, other) in &self.seats {
            other.want_again(&agreed);
        }
        agreed.len() == self.seats.len()
    }

    /// Moves the pages of its seats to the table that replaces this one.
    pub(crate) fn lead_to(&self, next: Arc<Table>) {
        self.next.send_replace(Some(next));
    }

    /// Waits for the table that replaces this one; returns it with the seat that replaces `seat`.
    pub(crate) async fn next(&self, seat: &Arc<Seat>) -> (Arc<Table>, Arc<Seat>) {
        let mut next = self.next.subscribe();
        let next = next.wait_for(Option::is_some).await;
        let table = next.expect("the sender is kept here").clone();
        let table = table.expect("the new table is set");
        let player = self.player_of(seat).map_or(0, usize::from);
        let count = table.called().len();
        let now = (player + count - table.turned) % count;
        let mut seats = table.seats.iter();
        let seat = seats.find(|(player, _)| usize::from(*player) == now);
        let seat = seat.expect("the table has the seats of the one before it");
        (table.clone(), seat.1.clone())
    }

    /// Gives its place to another, whose record has the next name.
    ///
    /// # Errors
    /// Another has it already: a page that was replaced and the one after it may ask at the same time.
    pub(crate) fn give_place(&self) -> Result<(), String> {
        if self.is_followed.swap(true, Ordering::Relaxed) {
            return Err("the table has begun anew already".to_owned());
        }
        Ok(())
    }

    /// Ends the table, as another takes its place; its record goes with it.
    pub(crate) fn take_back(&self) {
        self.end(Ended::TakenBack);
    }

    fn end(&self, ended: Ended) {
        // What has ended it first is the reason.
        let _ = self.ended.set(ended);
        self.stop.cancel();
    }

    /// Ends the table for the person of a seat that has made it, or the seat alone for a guest.
    pub(crate) fn end_for(&self, seat: &Seat, kept: Option<&KeptTables>) {
        if seat.key().is_own() {
            self.end(Ended::ByMaker);
        } else if !seat.has_come() {
            self.end(Ended::ByGuest);
        } else {
            self.leave(seat, kept);
        }
    }

    /// The person of a seat leaves the match.
    pub(crate) fn leave(&self, seat: &Seat, kept: Option<&KeptTables>) {
        seat.set_left();
        // Before its server knows it: otherwise it might look like the end of the gateway.
        self.keep(kept);
        if !seat.wish(Wish::Leave) {
            seat.refuse("rate", "too many requests wait: try again");
        }
    }

    /// Plays the match once every seat has been claimed, and tells every seat of its end. Nothing that it has started
    /// outlasts it.
    pub(crate) async fn conduct(&self, folders: Folders<'_>) {
        let played = tokio::select! {
            () = self.stop.cancelled() => Err(match self.ended.get() {
                Some(Ended::ByMaker) => "the table was ended by the person that made it",
                Some(Ended::ByGuest) => "a person has left",
                Some(Ended::TakenBack) | None => "the gateway ends",
            }.to_owned()),
            () = self.abandoned() => Err("nobody was at the table any more".to_owned()),
            played = self.play(folders) => played,
        };
        if let Err(reason) = &played {
            info!("table {}: {reason}", self.id);
            // The clients of persons have threads of their own.
            for (_, seat) in &self.seats {
                seat.wish(Wish::Leave);
            }
        }
        let name = self.record();
        let record = folders.records.join(format!("{name}.jsonl"));
        if self.ended.get() == Some(&Ended::TakenBack) {
            for file in [&record, &thoughts::file(folders.records, &name)] {
                match fs::remove_file(file) {
                    Err(e) if e.kind() != io::ErrorKind::NotFound => {
                        warn!("{}: {e}", file.display());
                    }
                    _ => {}
                }
            }
        }
        // The next gateway continues a table whose programs were stopped.
        let was_stopped = played.as_ref().is_err_and(|reason| reason == STOPPED)
            || self.stop.is_cancelled() && self.ended.get().is_none();
        if let Some(kept) = folders.kept.filter(|_| !was_stopped) {
            let mut is_over = self.is_over.lock().expect("nothing panics with the file");
            *is_over = true;
            kept.forget(&name);
        }
        let is_lost = matches!(played, Ok(RecordState::No));
        if is_lost {
            warn!("table {}: {LOST}", self.id);
        }
        let id = (record.is_file() && !is_lost).then_some(&name[..]);
        let reason = played.as_ref().err().map(String::as_str);
        self.finish(reason, id, is_lost.then_some(LOST));
    }

    fn finish(&self, reason: Option<&str>, record: Option<&str>, note: Option<&str>) {
        for (_, seat) in &self.seats {
            seat.finish(reason, record, note);
        }
    }

    /// Whether a page shows one of its seats.
    pub(crate) fn is_shown(&self) -> bool {
        self.seats.iter().any(|(_, seat)| seat.is_shown())
    }

    /// Waits until no page has been there for long.
    async fn abandoned(&self) {
        if self.waits
            && let [(_, seat)] = &self.seats[..]
        {
            seat.reaches(Stage::Claimed).await;
        }
        if self.past.is_some() {
            let _ = timeout(FORGOTTEN, self.comes_back()).await;
        }
        let mut empty = Duration::ZERO;
        while empty < ABANDONED {
            sleep(LOOK).await;
            empty = if self.is_shown() {
                Duration::ZERO
            } else {
                empty + LOOK
            };
        }
    }

    /// Waits until a page is there.
    async fn comes_back(&self) {
        while !self.is_shown() {
            sleep(LOOK).await;
        }
    }

    /// Plays the match; gives whether its record is kept.
    ///
    /// # Errors
    /// A sentence on why it was not played to its end.
    pub(crate) async fn play(&self, folders: Folders<'_>) -> Result<RecordState, String> {
        match &self.origin {
            Origin::Made { settings, bots } => {
                for (player, seat) in &self.seats {
                    let past = self.past.as_ref();
                    if past.is_none_or(|past| !past.left.contains(player)) {
                        seat.reaches(Stage::Claimed).await;
                    }
                }
                let names = names(settings, bots, &self.called());
                for (_, seat) in &self.seats {
                    seat.call(&names);
                }
                self.play_here(settings, bots, &names, folders)
                    .await
                    .map_err(|e| e.to_string())
            }
            Origin::Joined(way) => {
                let (_, seat) = &self.seats[0];
                seat.reaches(Stage::Claimed).await;
                let ended = self.sit(way.clone(), seat).await;
                let ended = ended.unwrap_or_else(|_| Err("the player has ended".to_owned()));
                ended.map(|()| RecordState::Elsewhere)
            }
        }
    }

    /// Plays with a server and bots of its own.
    async fn play_here(
        &self,
        settings: &Settings,
        bots: &[Option<BotSpec>],
        names: &[String],
        folders: Folders<'_>,
    ) -> io::Result<RecordState> {
        let record = folders.records.join(format!("{}.jsonl", self.record()));
        let files = folders.own.folder()?;
        let journal = folders.kept.map(|kept| kept.journal(&self.record()));
        if self.past.is_some() && record.exists() {
            // The server before may have ended after this gateway began.
            fs::remove_file(&record)?;
        }
        let server = TableServer::start(folders.programs, settings, names, &record, journal);
        let mut server = server.await?;
        if let Some(port) = server.watched {
            folders.watched.follow_table(&self.id, port);
        }
        let mut running: Vec<Bot> = Vec::new();
        let mut persons = Vec::new();
        let by_arrival = self.game != GameName::Geister;
        let writer = Arc::new(ThoughtWriter::new(folders.records, &self.record()));
        let script = |player: usize| {
            let past = self.past.as_ref();
            past.map_or_else(Vec::new, |past| past.script(player as u8))
        };
        for (player, (bot, name)) in bots.iter().zip(names).enumerate() {
            let port = server.ports[if by_arrival { 0 } else { player }];
            if let Some(spec) = bot {
                let lines = script(player);
                if !lines.is_empty() {
                    fs::write(Bot::script(files.path(), name), lines.join("\n"))?;
                }
                let hear = self.thinker(player as u8, writer.clone());
                let mut bot = Bot::start(
                    folders.programs,
                    settings,
                    spec,
                    name,
                    port,
                    files.path(),
                    hear,
                )?;
                let sat = bot.sits().await;
                sat.map_err(|e| io::Error::new(e.kind(), format!("the bot {name}: {e}")))?;
                running.push(bot);
            } else {
                let seats = &mut self.seats.iter();
                let seat = seats.find(|(at, _)| usize::from(*at) == player);
                let (_, seat) = seat.expect("a player that is no bot has a seat");
                let way = ServerAddress {
                    host: "127.0.0.1".to_owned(),
                    port,
                    trust: None,
                    games: Some(settings.games),
                    name: name.clone(),
                    script: script(player),
                };
                let ended = self.sit(way, seat);
                if by_arrival {
                    // Later its end shows in that of the server.
                    tokio::select! {
                        () = seat.reaches(Stage::Seated) => {}
                        Ok(Err(reason)) = ended => return Err(io::Error::other(reason)),
                        status = server.child.wait() => {
                            let text = format!("the server has ended ({})", status?);
                            return Err(io::Error::other(text));
                        }
                        () = sleep(SEAT_LIMIT) => return Err(io::ErrorKind::TimedOut.into()),
                    }
                } else {
                    persons.push(ended);
                }
            }
            if self.game == GameName::Daihinmin {
                server.has_let_in(player + 1).await?;
            }
        }
        let look = if running.iter().any(|bot| bot.is_person) {
            LOOK_AT_PERSON
        } else {
            LOOK
        };
        let mut is_late = false;
        let mut lacks_record = pin!(server.lacks_record());
        let mut goes_on = pin!(server.goes_on());
        let mut is_muted = self.past.as_ref().is_some_and(|past| !past.is_empty());
        let status = loop {
            tokio::select! {
                status = server.child.wait() => break status?,
                () = &mut goes_on, if is_muted => {
                    is_muted = false;
                    let left = self.past.as_ref().map(|past| past.left_ms(bots.len()));
                    for (_, seat) in &self.seats {
                        seat.unmute(left.as_deref().unwrap_or_default());
                    }
                }
                () = &mut lacks_record, if !is_late => {
                    // The page learns it now: the server tries for a minute before it ends.
                    is_late = true;
                    warn!("table {}: {LATE}", self.id);
                    self.finish(None, None, Some(LATE));
                }
                () = sleep(look) => {
                    // The server of Geister would wait for the next game of a person that has gone.
                    let has_left = persons.iter_mut().any(|ended| ended.try_recv().is_ok());
                    if has_left && timeout(END_LIMIT, server.child.wait()).await.is_err() {
                        return Err(io::Error::other("a person has left"));
                    }
                    for bot in &mut running {
                        let Some(status) = bot.child.try_wait()? else {
                            continue;
                        };
                        if bot.is_person {
                            // Without a person nobody waits for the server's end but for a match that is over.
                            let limit = if status.success() { END_LIMIT } else { Duration::ZERO };
                            if timeout(limit, server.child.wait()).await.is_err() {
                                return Ok(RecordState::Yes);
                            }
                        } else if !status.success()
                            && timeout(END_LIMIT, server.child.wait()).await.is_err()
                        {
                            let text = format!("the bot {} has ended ({status})", bot.name);
                            return Err(io::Error::other(text));
                        }
                    }
                }
            }
        };
        for bot in &mut running {
            if timeout(END_LIMIT, bot.ends()).await.is_err() {
                warn!("table {}: the bot {} is ended", self.id, bot.name);
            }
        }
        match status {
            status if status.success() => Ok(RecordState::Yes),
            // Its exit code tells of the record as well.
            _ if server.has_played() => Ok(RecordState::No),
            _ if server.was_stopped().await => Err(io::Error::other(STOPPED)),
            _ => Err(io::Error::other("the match was not played to its end")),
        }
    }

    /// Takes the lines of a bot: what it thought is kept, and shown where the game hides nothing.
    fn thinker(
        &self,
        player: u8,
        writer: Arc<ThoughtWriter>,
    ) -> impl FnMut(&[u8]) + Send + 'static {
        let game = self.game;
        let seats: Vec<Arc<Seat>> = self.seats.iter().map(|(_, seat)| seat.clone()).collect();
        move |line| {
            if let Some(thought) = Thought::read(game, player, line) {
                writer.keep(&thought);
                for seat in &seats {
                    seat.think(&thought);
                }
            }
        }
    }

    /// A person sits down; the client has a thread of its own. Gives how it ends.
    fn sit(
        &self,
        way: ServerAddress,
        seat: &Arc<Seat>,
    ) -> tokio::sync::oneshot::Receiver<Result<(), String>> {
        let (game, seat) = (self.game, seat.clone());
        let (sender, ended) = tokio::sync::oneshot::channel();
        thread::spawn(move || {
            let played = join::play(game, &way, seat);
            if let Err(reason) = &played {
                info!("a person's client: {reason}");
            }
            // The table may have ended.
            let _ = sender.send(played);
        });
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place::new(IpAddr::from([127, 0, 0, 1]), draw_name())
    }

    #[tokio::test(start_paused = true)]
    async fn a_table_that_no_page_shows_ends_after_a_minute() {
        let settings: Settings = serde_json::from_value(serde_json::json!({
            "game": "dobutsu",
            "seats": [{ "kind": "person" }, { "kind": "open" }],
        }))
        .expect("settings");
        let made = || {
            Table::made(
                place(),
                0,
                settings.clone(),
                vec![None, None],
                CancellationToken::new(),
            )
        };
        let limit = ABANDONED * 5;
        let table = made();
        let begun = tokio::time::Instant::now();
        let ended = timeout(limit, table.abandoned()).await;
        ended.expect("it ends");
        assert!(begun.elapsed() <= ABANDONED + LOOK);
        let page = table.seats[1].1.attach();
        assert!(timeout(limit, table.abandoned()).await.is_err());
        table.seats[1].1.detach(page.number);
        assert!(timeout(limit, table.abandoned()).await.is_ok());
        // That of the person that has started the program waits for its first page.
        let Table { seats, .. } = made();
        let waiting = Table {
            seats: seats[..1].to_vec(),
            ..made()
        }
        .waiting();
        assert!(timeout(limit, waiting.abandoned()).await.is_err());
        let page = waiting.seats[0].1.attach();
        waiting.seats[0].1.detach(page.number);
        assert!(timeout(limit, waiting.abandoned()).await.is_ok());
    }

    #[test]
    fn a_guest_who_leaves_before_it_has_come_ends_the_table() {
        let settings: Settings = serde_json::from_value(serde_json::json!({
            "game": "dobutsu",
            "seats": [{ "kind": "person" }, { "kind": "open" }],
        }))
        .expect("settings");
        for has_come in [false, true] {
            let stop = CancellationToken::new();
            let table = Table::made(place(), 0, settings.clone(), vec![None, None], stop);
            let (_, guest) = &table.seats[1];
            if has_come {
                guest.attach();
            }
            table.end_for(guest, None);
            assert_eq!(table.stop.is_cancelled(), !has_come);
        }
    }
}
