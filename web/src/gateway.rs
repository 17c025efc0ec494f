//! What is behind the page: the tables of this gateway, and what it may use.

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use std::{fs, io};

use log::{info, warn};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use games::{GameName, OfferStep};
use protocol::tls::Trust;

use crate::answers::Answers;
use crate::catalogue::{self, Lacking};
use crate::hosts::Hosts;
use crate::join::ServerAddress;
use crate::kept::{KeptTable, KeptTables, Place};
use crate::ladders::LadderPath;
use crate::limits::{Limit, Limits, NEW_TABLE, Permit, TAKE_BACK, WorkPermits};
use crate::messages::SeatInfo;
use crate::own_folder::OwnFolder;
use crate::seat::Seat;
use crate::table::{BotSpec, Folders, Origin, RecordState, SeatSpec, Settings, Table};
use crate::thoughts::ThoughtWriter;
use crate::token::{Codes, Token, Turned, draw_name};
use crate::watched::WatchedTables;

/// How long the gateway keeps a table after its match if no page shows it.
const KEPT: Duration = Duration::from_mins(10);

/// Where the gateway finds its programs and keeps its records.
pub struct Options {
    /// The folder of the programs of the project.
    pub programs: PathBuf,
    /// The folder of records; one that lasts as long as the gateway unless given.
    pub records: Option<PathBuf>,
    /// Whether tables in play outlast the gateway, where a folder of records is given.
    pub keeps_tables: bool,
    /// Ports of watchers, as host and port.
    pub watch: Vec<(String, u16)>,
    /// Whom to trust in TLS at servers elsewhere of the native protocol and at ports of watchers; `None` for plain text.
    pub trust: Option<Trust>,
    /// Whether viewers of Geister may come that were made for the official server, from pages of any host; and whether their
    /// frames have the fields of the organisers' server of 2024.
    pub viewer: Option<bool>,
    /// Whether organisers may act on watched leagues from the page.
    pub acts: bool,
    /// Names under which the page answers beside those of this machine.
    pub host_names: Vec<String>,
    /// Whether a proxy on this machine names the address of each visitor in `X-Forwarded-For`.
    pub behind_proxy: bool,
}

/// The gateway. All tables end with [`Gateway::stop`].
pub struct Gateway {
    programs: PathBuf,
    records: PathBuf,
    /// Whether they outlast the gateway.
    pub(crate) keeps_records: bool,
    own: OwnFolder,
    kept: Option<KeptTables>,
    tables: Mutex<HashMap<String, Arc<Table>>>,
    codes: Codes,
    pub(crate) limits: Arc<Limits>,
    pub(crate) watched: Arc<WatchedTables>,
    pub(crate) hosts: Hosts,
    trust: Option<Trust>,
    pub(crate) viewer: Option<bool>,
    pub(crate) acts: bool,
    pub(crate) behind_proxy: bool,
    pub(crate) searching: WorkPermits,
    pub(crate) reading: WorkPermits,
    pub(crate) importing: WorkPermits,
    pub(crate) places: WorkPermits,
    pub(crate) answers: Answers,
    stop: CancellationToken,
    running: TaskTracker,
}

/// A link to a seat: the table, the player and its secret.
#[derive(Clone, Debug)]
pub struct Link {
    /// The table.
    pub table: String,
    /// The player.
    pub player: u8,
    /// The secret.
    pub token: Token,
}

impl Link {
    /// The part of an address behind the host.
    pub fn path(&self) -> String {
        format!("/t/{}#{}", self.table, self.token)
    }
}

impl Gateway {
    /// A gateway without tables. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// When there is no folder for records.
    pub fn new(options: Options) -> io::Result<Arc<Gateway>> {
        let own = OwnFolder::make()?;
        let keeps_records = options.records.is_some();
        let keeps_tables = options.keeps_tables && keeps_records;
        let records = match options.records {
            Some(folder) => {
                let is_new = !folder.exists();
                std::fs::create_dir_all(&folder).map_err(|e| {
                    let folder = folder.display();
                    let text = format!("the folder {folder} for records cannot be made: {e}");
                    io::Error::new(e.kind(), text)
                })?;
                if is_new {
                    let folder = folder.display();
                    warn!(
                        "{folder} is a new, empty folder: check the path if it should have records"
                    );
                }
                folder
            }
            None => own.folder()?.keep(),
        };
        let kept = if keeps_tables {
            let kept = KeptTables::open(&records)?;
            if kept.is_none() {
                let folder = records.display();
                warn!(
                    "another page has its records in {folder}: the tables of this one end with it"
                );
            }
            kept
        } else {
            None
        };
        let stop = CancellationToken::new();
        Ok(Arc::new(Gateway {
            watched: WatchedTables::new(options.watch, options.trust.clone(), options.acts, &stop),
            acts: options.acts,
            trust: options.trust,
            hosts: Hosts::new(&options.host_names),
            viewer: options.viewer,
            programs: options.programs,
            records,
            keeps_records,
            own,
            kept,
            tables: Mutex::default(),
            codes: Codes::default(),
            limits: Arc::default(),
            searching: WorkPermits::of_searches(),
            reading: WorkPermits::of_reads(),
            importing: WorkPermits::of_imports(),
            places: WorkPermits::of_answers(),
            answers: Answers::default(),
            behind_proxy: options.behind_proxy,
            stop,
            running: TaskTracker::new(),
        }))
    }

    pub(crate) fn records(&self) -> &Path {
        &self.records
    }

    /// The ids of the tables in play that no list names.
    pub(crate) fn unlisted(&self) -> Vec<String> {
        let tables = self.tables();
        let hidden = tables.values().filter(|table| {
            let is_over = table.seats.iter().any(|(_, seat)| seat.is_over());
            matches!(&table.origin, Origin::Made { settings, .. } if !settings.is_listed() && !is_over)
        });
        hidden.map(|table| table.id.clone()).collect()
    }

    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.stop
    }

    /// Ends all tables and waits for their programs.
    pub async fn stop(&self) {
        self.stop.cancel();
        self.running.close();
        self.running.wait().await;
    }

    /// Makes a table; gives the links to the seats of persons.
    ///
    /// # Errors
    /// A sentence on what cannot be.
    pub(crate) fn make(
        self: &Arc<Self>,
        settings: Settings,
        from: IpAddr,
    ) -> Result<Vec<Link>, Refusal> {
        let (table, permit) = self.new_table(settings, from)?;
        Ok(self.open(Arc::new(table), Some(permit)))
    }

    fn new_table(
        self: &Arc<Self>,
        settings: Settings,
        from: IpAddr,
    ) -> Result<(Table, Permit), Refusal> {
        let bots = settings.bots().map_err(Refusal::Wrong)?;
        let permit = self.limits.make_table(from, count(&bots), NEW_TABLE);
        let permit = permit.map_err(Refusal::Limit)?;
        find_files(settings.game, &bots).map_err(|lacking| {
            warn!("{}", lacking.reason);
            Refusal::Wrong(lacking.said)
        })?;
        let place = Place::new(from, draw_name());
        let table = Table::made(place, 0, settings, bots, self.stop.child_token());
        Ok((table, permit))
    }

    /// The seats that tokens open, each of a match that is not over.
    pub(crate) fn seats(&self, held: &[Held]) -> Vec<Option<SeatInfo>> {
        let seats = held.iter().map(|held| self.seat_of(held)?.1.listed());
        seats.collect()
    }

    /// Ends the table for the person of a seat; gives whether the token opens it.
    pub(crate) fn end(&self, held: &Held) -> bool {
        let seat = self.seat_of(held);
        if let Some((table, seat)) = &seat {
            table.end_for(seat, self.kept.as_ref());
        }
        seat.is_some()
    }

    fn seat_of(&self, held: &Held) -> Option<(Arc<Table>, Arc<Seat>)> {
        let token = Token::read(&held.token)?;
        let table = self.tables().get(&held.table)?.clone();
        let mut seats = table.seats.iter();
        let (_, seat) = seats.find(|(_, seat)| seat.key().opens(token))?;
        let seat = seat.clone();
        Some((table, seat))
    }

    /// Registers that the person of a seat wants another match. The match begins, with sides changed, when all persons of the
    /// table want it.
    ///
    /// # Errors
    /// The reason, as a sentence, if there can be no other match.
    pub(crate) fn again(
        self: &Arc<Self>,
        table: &Table,
        seat: &Arc<Seat>,
        from: IpAddr,
    ) -> Result<(), String> {
        let Origin::Made { settings, bots } = &table.origin else {
            return Err("the table belongs to another server".to_owned());
        };
        if !seat.is_over() {
            return Err("the match is not over".to_owned());
        }
        if table.agree(seat, true) {
            let permit = self.limits.make_table(from, count(bots), NEW_TABLE);
            let permit = permit.map_err(|limit| {
                // The other players wait until this person asks again.
                table.agree(seat, false);
                limit.to_string()
            })?;
            table.give_place()?;
            let turned = usize::from(table.seats.len() > 1);
            let next = self.next_table(table, turned, settings, bots, String::new());
            self.open_next(table, next, permit);
        }
        Ok(())
    }

    /// The table that replaces another one, with the same players; its game begins in this position. If sides change, the
    /// number of each player decreases by `turned`.
    fn next_table(
        &self,
        table: &Table,
        turned: usize,
        settings: &Settings,
        bots: &[Option<BotSpec>],
        position: String,
    ) -> Table {
        let mut settings = Settings {
            position,
            ..settings.clone()
        };
        let mut bots = bots.to_vec();
        settings.seats.rotate_left(turned);
        bots.rotate_left(turned);
        let stop = self.stop.child_token();
        let place = table.place(turned).next();
        Table::made(place, turned, settings, bots, stop)
    }

    /// Makes the tables again that the gateway before this one has kept. Their matches go on when their pages are there.
    pub fn restore(self: &Arc<Self>) {
        let kept = self.kept.iter().flat_map(KeptTables::take);
        for (
            KeptTable {
                place, settings, ..
            },
            past,
        ) in kept
        {
            let record = place.record();
            let bots = match settings.bots() {
                Ok(bots) => bots,
                Err(reason) => {
                    warn!("the table {record} is not made again: {reason}");
                    continue;
                }
            };
            // Whatever the address has by now, the table was there before.
            let permit = self.limits.make_table(place.from, count(&bots), 0).ok();
            let table = Table::made(place, 0, settings, bots, self.stop.child_token());
            // What its server wrote of a game in play, as it ended, is nobody's to see. All is written again.
            match fs::remove_file(self.records.join(format!("{record}.jsonl"))) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => {
                    warn!("the table {record} is not made again: {e}");
                    continue;
                }
                _ => info!("the table {record} is made again"),
            }
            self.open(Arc::new(table.with_past(past)), permit);
        }
    }

    /// Writes a table down as it is now, and shows which of its seats everybody may take.
    pub(crate) fn keep(&self, table: &Table) {
        table.keep(self.kept.as_ref());
        self.watched.offer(&table.id, table.offer());
    }

    /// The person of a seat leaves the match.
    pub(crate) fn leave(&self, table: &Table, seat: &Seat) {
        table.leave(seat, self.kept.as_ref());
    }

    /// Takes the last own move of a person back, with all after it: the table begins anew from the moves before it. Where
    /// another person plays, that person is asked first.
    ///
    /// # Errors
    /// A sentence on what is against it.
    pub(crate) fn take_back(
        self: &Arc<Self>,
        table: &Table,
        seat: &Arc<Seat>,
        act: OfferStep,
        from: IpAddr,
    ) -> Result<(), String> {
        let Some(asker) = table.ask_back(seat, act)? else {
            return Ok(());
        };
        self.begin_before(table, asker, from).inspect_err(|_| {
            if act == OfferStep::Accept {
                table.decline_back(seat);
            }
        })
    }

    /// Begins a table anew before the last move of a seat.
    fn begin_before(
        self: &Arc<Self>,
        table: &Table,
        seat: &Seat,
        from: IpAddr,
    ) -> Result<(), String> {
        let Origin::Made { settings, bots } = &table.origin else {
            return Err("moves are not taken back here".to_owned());
        };
        let moves = seat.before_own_move();
        let moves = moves.ok_or_else(|| "there is no move of yours".to_owned())?;
        let position = catalogue::position(table.game, moves.iter().map(String::as_str));
        let position = position.ok_or_else(|| "these moves are not known".to_owned())?;
        let permit = self.limits.make_table(from, count(bots), TAKE_BACK);
        let permit = permit.map_err(|limit| limit.to_string())?;
        table.give_place()?;
        let next = self.next_table(table, 0, settings, bots, position);
        let plies = moves.len() as u32;
        for ((_, next), (_, seat)) in next.seats.iter().zip(&table.seats) {
            next.take_thoughts(seat, plies);
        }
        let writer = ThoughtWriter::new(&self.records, &next.record());
        writer.go_on(&self.records, &table.record(), plies);
        self.open_next(table, next, permit);
        table.take_back();
        Ok(())
    }

    /// Makes a table for the person at this machine: a link for each of its seats.
    ///
    /// # Errors
    /// A sentence on what cannot be.
    pub fn play(
        self: &Arc<Self>,
        game: GameName,
        against: &[String],
        seat: usize,
    ) -> Result<Vec<Link>, String> {
        let settings = Settings::of_play(game, against, seat)?;
        let here = IpAddr::from([127, 0, 0, 1]);
        let made = self.new_table(settings, here);
        let (table, permit) = made.map_err(|refusal| match refusal {
            Refusal::Wrong(reason) => reason,
            Refusal::Limit(limit) => limit.to_string(),
        })?;
        Ok(self.open(Arc::new(table.waiting()), Some(permit)))
    }

    /// Checks whether there can be a table for the person at this machine: the options, and the files of the engines.
    ///
    /// # Errors
    /// A sentence on what cannot be.
    pub fn check_play(game: GameName, against: &[String], seat: usize) -> Result<(), String> {
        let bots = Settings::of_play(game, against, seat)?.bots()?;
        find_files(game, &bots).map_err(|lacking| lacking.reason)
    }

    /// Plays a match at a table for the person at the terminal of this program; gives the record where a folder was
    /// given for it.
    ///
    /// # Errors
    /// A sentence on what cannot be, or on why the match was not played to its end.
    pub async fn play_at_terminal(
        &self,
        game: GameName,
        against: &[String],
        seat: usize,
    ) -> Result<Option<PathBuf>, String> {
        let mut settings = Settings::of_play(game, against, seat)?;
        settings.seats[seat] = SeatSpec::Terminal;
        let bots = settings.bots()?;
        let place = Place::new(IpAddr::from([127, 0, 0, 1]), draw_name());
        let table = Table::made(place, 0, settings, bots, self.stop.child_token());
        let kept = tokio::select! {
            // To interrupt it is the usual way to end it.
            () = self.stop.cancelled() => RecordState::Yes,
            played = table.play(self.folders()) => played?,
        };
        let record = self.records.join(format!("{}.jsonl", table.record()));
        let is_kept = kept == RecordState::Yes && !self.records.starts_with(self.own.path());
        Ok(Some(record).filter(|record| is_kept && record.exists()))
    }

    fn folders(&self) -> Folders<'_> {
        Folders {
            programs: &self.programs,
            records: &self.records,
            own: &self.own,
            kept: self.kept.as_ref(),
            watched: &self.watched,
        }
    }

    /// A seat at a server elsewhere; the player connects when its page comes.
    ///
    /// # Errors
    /// A sentence on why the server's game is not known.
    pub fn join(self: &Arc<Self>, server: &crate::Server) -> Result<Link, String> {
        let game = server.game(self.trust.as_ref())?;
        let table = self.joined(game, (server.host.clone(), server.port), None);
        Ok(self.open(Arc::new(table.waiting()), None).remove(0))
    }

    /// A table at a server elsewhere, to which the person comes with this token.
    fn joined(&self, game: GameName, at: (String, u16), token: Option<String>) -> Table {
        let trust = self.trust.clone();
        let way = ServerAddress {
            host: at.0,
            port: at.1,
            trust: trust.filter(|_| game.protocol() == "native"),
            games: None,
            name: "person".to_owned(),
            token,
            script: Vec::new(),
        };
        Table::joined(game, way, self.stop.child_token())
    }

    /// Makes a table at a ladder, where the person is a guest and meets this entrant.
    ///
    /// # Errors
    /// The ladder has no such entrant or takes no guests, and the limit on the tables of an address.
    pub(crate) fn ask(
        self: &Arc<Self>,
        of: &LadderPath,
        from: IpAddr,
    ) -> Result<Vec<Link>, Refusal> {
        let (game, at, token) = of.port(&self.records).map_err(Refusal::Wrong)?;
        let permit = self.limits.make_table(from, 0, NEW_TABLE);
        let permit = permit.map_err(Refusal::Limit)?;
        let table = self.joined(game, (at.ip().to_string(), at.port()), Some(token));
        Ok(self.open(Arc::new(table), Some(permit)))
    }

    /// The part of an address behind the host that leads to a link once, and within a minute. Everybody on a machine sees the
    /// arguments of its programs: the browser gets this one, not the link with the secret of the seat.
    pub fn once(&self, link: &Link) -> String {
        format!("/o/{}", self.codes.give(link.path(), Instant::now()))
    }

    /// Where a code leads, which is of no more use then.
    pub(crate) fn spend(&self, code: &str) -> Option<String> {
        self.codes.take(Token::read(code)?, Instant::now())
    }

    /// Opens the table that replaces another one, and moves the pages to it.
    fn open_next(self: &Arc<Self>, table: &Table, next: Table, permit: Permit) {
        let next = Arc::new(next);
        self.open(next.clone(), Some(permit));
        table.lead_to(next);
    }

    fn open(self: &Arc<Self>, table: Arc<Table>, permit: Option<Permit>) -> Vec<Link> {
        let links = table.seats.iter().map(|(player, seat)| Link {
            table: table.id.clone(),
            player: *player,
            token: seat.key().first(),
        });
        let links = links.collect();
        self.tables().insert(table.id.clone(), table.clone());
        if let Origin::Made { settings, .. } = &table.origin {
            self.watched.show_table(&table.id, settings.is_listed());
        }
        self.keep(&table);
        let gateway = self.clone();
        self.running.spawn(async move {
            table.conduct(gateway.folders()).await;
            gateway.watched.offer(&table.id, table.offer());
            drop(permit);
            tokio::select! {
                () = gateway.stop.cancelled() => {}
                () = async {
                    // The persons may want another match.
                    tokio::time::sleep(KEPT).await;
                    while table.is_shown() {
                        tokio::time::sleep(KEPT).await;
                    }
                } => {}
            }
            let mut tables = gateway.tables();
            // It may have begun anew.
            if tables
                .get(&table.id)
                .is_some_and(|now| Arc::ptr_eq(now, &table))
            {
                tables.remove(&table.id);
                gateway.watched.hide_table(&table.id);
            }
        });
        links
    }

    /// An open seat of a table that everybody may take, and the token for it.
    ///
    /// # Errors
    /// There is no such table, or no such seat any more.
    pub(crate) fn take_offer(
        &self,
        table: &str,
    ) -> Result<(Arc<Table>, Arc<Seat>, Turned), &'static str> {
        let table = self.tables().get(table).cloned().ok_or("token")?;
        // Two that come at the same time are given different seats, where there are two.
        let offered = table.offered().min_by_key(|seat| seat.key().given());
        let offered = offered.cloned();
        let seat = offered.ok_or(if table.is_offered() { "taken" } else { "token" })?;
        let turned = seat.turn(seat.key().first()).ok_or("taken")?;
        Ok((table, seat, turned))
    }

    /// Tries a token at a table: its seat, and what the token does there.
    pub(crate) fn turn(
        &self,
        table: &str,
        token: Token,
    ) -> Option<(Arc<Table>, Arc<Seat>, Turned)> {
        let table = self.tables().get(table)?.clone();
        let mut seats = table.seats.iter();
        let (seat, turned) = seats.find_map(|(_, seat)| Some((seat.clone(), seat.turn(token)?)))?;
        Some((table, seat, turned))
    }

    fn tables(&self) -> MutexGuard<'_, HashMap<String, Arc<Table>>> {
        self.tables.lock().expect("nothing panics with the tables")
    }
}

pub(crate) enum Refusal {
    Wrong(String),
    Limit(Limit),
}

/// A seat that a page knows, with the token that opens it.
#[derive(Deserialize)]
pub(crate) struct Held {
    table: String,
    token: String,
}

impl Settings {
    /// A table of one person against these bots, of which the last are repeated.
    fn of_play(game: GameName, against: &[String], seat: usize) -> Result<Settings, String> {
        let count = game.seats();
        if seat >= count {
            return Err(format!("--seat: {game} has seats 0 to {}", count - 1));
        }
        if against.len() >= count {
            let others = match count - 1 {
                1 => "one engine".to_owned(),
                others => format!("{others} engines"),
            };
            return Err(format!(
                "--against: a game of {game} has at most {others} beside the person"
            ));
        }
        let mut bots = against.iter().cycle();
        let seats = (0..count).map(|at| match bots.next() {
            _ if at == seat => SeatSpec::Person {},
            spec => SeatSpec::Bot {
                spec: spec.map_or("best".to_owned(), String::clone),
                move_ms: None,
            },
        });
        Ok(Settings {
            game,
            seats: seats.collect(),
            games: 1,
            practice: true,
            clock: None,
            seed: None,
            listed: None,
            anybody: false,
            position: String::new(),
        })
    }
}

fn find_files(game: GameName, bots: &[Option<BotSpec>]) -> Result<(), Lacking> {
    let mut bots = bots.iter().flatten();
    bots.try_for_each(|bot| catalogue::find_files(game, &bot.engine))
}

fn count(bots: &[Option<BotSpec>]) -> usize {
    bots.iter().flatten().count()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::listener::tests::serve_page;
    use crate::seat::Stage;

    #[tokio::test]
    async fn a_table_begins_anew_once() {
        let (_, gateway) = serve_page(Duration::from_secs(1)).await;
        let from = IpAddr::from([127, 0, 0, 1]);
        let seats = json!([{ "kind": "person" }, { "kind": "bot", "spec": "level-1" }]);
        let settings = serde_json::from_value(json!({ "game": "dobutsu", "seats": seats }));
        let made = gateway.make(settings.expect("settings"), from);
        let links = made.unwrap_or_else(|_| panic!("a table"));
        let at = |link: &Link| gateway.turn(&link.table, link.token).expect("a seat");
        // Its programs are nowhere.
        let (table, seat, _) = at(&links[0]);
        seat.attach();
        seat.reaches(Stage::Over).await;
        gateway.again(&table, &seat, from).expect("another table");
        let (next, _) = table.next(&seat).await;
        assert_eq!((&next.id, next.round), (&table.id, 2));
        let refused = gateway.again(&table, &seat, from);
        assert_eq!(refused, Err("the table has begun anew already".to_owned()));
        assert!(Arc::ptr_eq(&at(&links[0]).0, &next));
        gateway.stop().await;
    }

    #[tokio::test]
    async fn a_guest_of_a_ladder_asks_for_its_opponent_and_counts_as_a_table_of_its_address() {
        let (_, gateway) = serve_page(Duration::from_secs(1)).await;
        let port = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await;
        let port = port.expect("a port");
        let own = gateway.records().join("club.ladder");
        std::fs::create_dir_all(own.join("entrants")).expect("a folder");
        let at = port.local_addr().expect("an address");
        let state = json!({ "game": "dobutsu", "guests": true, "connects_to": { "hana": at } });
        let entrant = json!({ "name": "hana", "rating": 0 });
        for (file, value) in [("status.json", state), ("entrants/5.json", entrant)] {
            std::fs::write(own.join(file), value.to_string()).expect("written");
        }
        let path = json!({ "ladder": "club.ladder", "n": 5 });
        let path: LadderPath = serde_json::from_value(path).expect("a path");
        let from = IpAddr::from([192, 0, 2, 7]);
        let ask = || gateway.ask(&path, from).ok();
        let links = ask().expect("a table");
        let (_, seat, _) = gateway
            .turn(&links[0].table, links[0].token)
            .expect("a seat");
        seat.attach();
        let (mut client, _) = port.accept().await.expect("a client");
        let mut hello = vec![0; 1000];
        let read = tokio::io::AsyncReadExt::read(&mut client, &mut hello).await;
        let hello = String::from_utf8_lossy(&hello[..read.expect("a hello")]).into_owned();
        assert!(hello.contains(r#""token":"@5""#), "{hello}");
        let more: Vec<_> = std::iter::from_fn(ask).collect();
        assert_eq!(more.len(), 7);
        drop(client);
        gateway.stop().await;
    }

    #[tokio::test]
    async fn a_person_for_whom_there_can_be_no_other_match_now_asks_again() {
        let (_, gateway) = serve_page(Duration::from_secs(1)).await;
        let from = IpAddr::from([127, 0, 0, 1]);
        let seats = json!([{ "kind": "person" }, { "kind": "open" }]);
        let settings = serde_json::from_value(json!({ "game": "dobutsu", "seats": seats }));
        let made = gateway.make(settings.expect("settings"), from);
        let links = made.unwrap_or_else(|_| panic!("a table"));
        let found = gateway.turn(&links[0].table, links[0].token);
        let (table, ..) = found.expect("a seat");
        assert_eq!(gateway.unlisted(), std::slice::from_ref(&table.id));
        let [first, last] = [0, 1].map(|at| &table.seats[at].1);
        first.attach();
        last.attach();
        first.reaches(Stage::Over).await;
        last.reaches(Stage::Over).await;
        assert!(gateway.unlisted().is_empty());
        let fill = || gateway.limits.make_table(from, 0, NEW_TABLE).ok();
        let permits: Vec<_> = std::iter::from_fn(fill).collect();
        gateway.again(&table, first, from).expect("it waits");
        assert!(gateway.again(&table, last, from).is_err());
        let told = first.attach().missed.pop().expect("who wants it");
        assert!(
            told.ends_with(r#""players":[0]}"#) || told.contains(r#""players":[0],"#),
            "{told}"
        );
        drop(permits);
        gateway.again(&table, last, from).expect("another table");
        assert_eq!(table.next(last).await.0.round, 2);
        gateway.stop().await;
    }
}
