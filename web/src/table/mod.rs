//! Tables that the gateway makes: a server of their own, bots, and seats for persons.

mod conduct;
mod names;
mod programs;
mod settings;
mod takebacks;

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use games::{GameName, Seat as GameSeat};
use protocol::native::name_of;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use names::names;
pub(crate) use settings::{BotSpec, SeatSpec, Settings};
use takebacks::Takebacks;

use crate::catalogue;
use crate::join::ServerAddress;
use crate::kept::{KeptTable, KeptTables, Past, Place, record_of};
use crate::messages::{OpenTable, Participant, ParticipantKind, TableInfo, TablePermissions};
use crate::own_folder::OwnFolder;
use crate::seat::{Seat, Wish};
use crate::token::{Key, draw_name};
use crate::watched::WatchedTables;

/// Why a match ends that is told to stop; its server says so too.
const STOPPED: &str = "the server was stopped";

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
    takebacks: Mutex<Takebacks>,
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
            games: Some(settings.games),
            players: players.clone(),
            you: Some(you),
            clocks: settings.clock,
            practice: settings.practice,
            record: Some(record_of(&id, round)),
            can: TablePermissions {
                resign: game.protocol() == "native",
                takeback: settings.can_take_back() || settings.asks_to_take_back(),
                draw: settings.has_draws(),
                hint: settings.practice,
                again: true,
                watch: true,
            },
            ..TableInfo::new(&id, game)
        };
        let seats = (0..).zip(&bots).filter(|(_, bot)| bot.is_none());
        let seats = seats
            .map(|(player, _)| {
                let key = keys[usize::from(player)].take();
                let key = key.unwrap_or_else(|| match settings.seats[usize::from(player)] {
                    SeatSpec::Open {} => Key::link(),
                    SeatSpec::Person {} | SeatSpec::Terminal | SeatSpec::Bot { .. } => Key::own(),
                });
                let seat = Seat::new(info(player), key);
                // The first game has the players in the order of their numbers.
                let at = GameSeat::new(player);
                let is_begun = !settings.position.is_empty();
                let frames = is_begun.then(|| catalogue::frames(game, &settings.position, at));
                seat.begin_from(frames.flatten().unwrap_or_default());
                (player, seat)
            })
            .collect();
        Table {
            round,
            from,
            turned,
            called: Mutex::new(called),
            ..Table::new(id, game, Origin::Made { settings, bots }, seats, stop)
        }
    }

    /// A table of this machine, which begins for the first time.
    fn new(
        id: String,
        game: GameName,
        origin: Origin,
        seats: Vec<(u8, Arc<Seat>)>,
        stop: CancellationToken,
    ) -> Table {
        Table {
            id,
            game,
            round: 1,
            from: IpAddr::from([127, 0, 0, 1]),
            origin,
            seats,
            stop,
            telling: Mutex::default(),
            ended: OnceLock::new(),
            waits: false,
            is_followed: AtomicBool::new(false),
            next: watch::Sender::new(None),
            turned: 0,
            called: Mutex::default(),
            agreed: Mutex::default(),
            takebacks: Mutex::default(),
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
            games: way.games,
            can: TablePermissions {
                resign: game.protocol() == "native",
                ..TablePermissions::default()
            },
            ..TableInfo::new(&id, game)
        };
        let seats = vec![(0, Seat::new(info, Key::own()))];
        Table::new(id, game, Origin::Joined(way), seats, stop)
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
        let player = self
            .player_of(seat)
            .expect("a page has a seat of its table");
        let player = usize::from(player);
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

    /// Whether a page shows one of its seats.
    pub(crate) fn is_shown(&self) -> bool {
        self.seats.iter().any(|(_, seat)| seat.is_shown())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(super) fn place() -> Place {
        Place::new(IpAddr::from([127, 0, 0, 1]), draw_name())
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
