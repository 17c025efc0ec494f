//! Tables of a league: the seats of one matchup, each behind a port of its own, so that it is known who is who
//! whatever they call themselves and in whatever order they come.

mod collector;
mod departures;
mod entrance;
mod gat;
mod native;
mod record;
mod seating;
mod uecda;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use games::{Blokus, ScoreFour};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::journal::Game;
use super::schedule::Fixture;
use super::settings::{Rules, Settings};
use crate::lobby::door::Door;
use ::record::{Clocks, Header, Player};
use collector::{Collector, Counting};
pub use departures::Departures;
use entrance::{Entrance, Missing};

/// What is played at one table by the same programs: some fixtures of one matchup, one after the other.
#[derive(Clone, Debug)]
pub struct Sitting {
    /// The fixtures, in the order of the schedule.
    pub fixtures: Vec<Fixture>,
    /// The entrant of each player. Players are the programs at the table, and keep their numbers; an entrant with
    /// several seats has several programs.
    pub players: Vec<usize>,
    /// File for the record of the sitting; `None` keeps none. A file that is there already is kept, and the record
    /// gets a number behind its name.
    pub record: Option<PathBuf>,
}

/// A fixture of a sitting that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// Its number in the sitting.
    pub number: usize,
    /// Milliseconds that it took.
    pub ms: u64,
    /// Its games.
    pub games: Vec<Game>,
}

/// How a sitting ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All its fixtures were played, or those that were to be played after the wish to finish.
    Whole,
    /// A player is gone, which its last game says: what is left needs new programs.
    Gone,
    /// The fixture in play does not count, by the fault of nobody who plays.
    Void(String),
}

/// How a sitting is told to end.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// To finish the fixture in play and begin no other.
    pub finish: CancellationToken,
    /// To end at once: the fixture in play is void.
    pub stop: CancellationToken,
    /// Not to wait for players whose programs have ended.
    pub departures: Departures,
}

/// A table whose players may connect.
#[derive(Debug)]
pub struct Table {
    settings: Settings,
    sitting: Sitting,
    /// The player in each seat, by fixture.
    seatings: Vec<Vec<u8>>,
    doors: Vec<Arc<Door>>,
    addresses: Vec<SocketAddr>,
    /// Where closing connections go on.
    closing: TaskTracker,
}

impl Table {
    /// Opens a port for each player.
    ///
    /// # Errors
    /// When the system has no port, or the players of the sitting are not those of its fixtures.
    pub async fn open(settings: &Settings, sitting: Sitting) -> io::Result<Table> {
        let seating = |number| sitting.seating(number);
        let seatings: Result<_, String> = (0..sitting.fixtures.len()).map(seating).collect();
        let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidInput, reason);
        let seatings = seatings.map_err(invalid)?;
        let names = settings.entrants.len();
        if let Some(player) = sitting.players.iter().find(|&&e| e >= names) {
            return Err(invalid(format!("there is no entrant {player}")));
        }
        if sitting.players.len() != settings.seats() {
            let (game, seats) = (settings.game(), settings.seats());
            return Err(invalid(format!("{game} has {seats} seats")));
        }
        let mut doors = Vec::with_capacity(sitting.players.len());
        let mut addresses = Vec::with_capacity(sitting.players.len());
        for _ in &sitting.players {
            let door = Door::open("127.0.0.1", 0).await?;
            addresses.push(door.address()?);
            doors.push(Arc::new(door));
        }
        Ok(Table {
            settings: settings.clone(),
            sitting,
            seatings,
            doors,
            addresses,
            closing: TaskTracker::new(),
        })
    }

    /// The address that each player connects to, by player. In GAT a player comes again for each game.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Plays the sitting to its end. Every fixture that was played is told to `on_done` at once. Each player
    /// has the start limit of its entrant to connect, from now on.
    pub async fn play(self, wishes: &Wishes, on_done: &mut (dyn FnMut(Done) + Send)) -> Ended {
        let closing = self.closing.clone();
        let ended = match self.settings.rules.clone() {
            Rules::Daihinmin(rules) => self.play_uecda(rules, wishes, on_done).await,
            Rules::Geister(rules) => self.play_gat(rules, wishes, on_done).await,
            Rules::Blokus(rules) => self.play_native::<Blokus>(rules, wishes, on_done).await,
            Rules::ScoreFour(rules) => self.play_native::<ScoreFour>(rules, wishes, on_done).await,
        };
        closing.close();
        closing.wait().await;
        ended
    }

    /// The collector of the sitting.
    fn collector(&self) -> Collector {
        let is_daihinmin = matches!(self.settings.rules, Rules::Daihinmin(_));
        let counting = Counting {
            session: if is_daihinmin {
                self.session() as usize
            } else {
                1
            },
            points: self.settings.points,
            drawn: is_daihinmin,
        };
        Collector::new(counting, self.seatings.clone())
    }

    /// Games of a session.
    fn session(&self) -> u32 {
        self.settings.session.max(1)
    }

    /// Names of the entrants of all players.
    fn names(&self) -> Vec<String> {
        let players = self.sitting.players.iter();
        let names = players.map(|&entrant| self.settings.entrants[entrant].name.clone());
        names.collect()
    }

    /// The header of a record without rules and options; `clients` says of each player what its program says of
    /// itself. It never has a seed: the deals may be played again by others.
    fn header(&self, tongue: &str, clients: Vec<Option<String>>, games: u32) -> Header {
        let players = self.names().into_iter().zip(clients);
        let players = players.map(|(name, client)| Player { name, client });
        let (game, id) = (self.settings.game(), self.id());
        let mut header = Header::new(game, &id, tongue, players.collect(), games);
        header.clocks = Clocks {
            move_ms: self.settings.clocks.move_ms,
            game_ms: self.settings.clocks.game_ms,
            increment_ms: self.settings.clocks.increment_ms,
        };
        header
    }

    /// How long each player is waited for.
    fn start_limits(&self) -> Vec<Duration> {
        let limit = |&entrant: &usize| {
            let own = self.settings.entrants[entrant].start_ms;
            Duration::from_millis(own.unwrap_or(self.settings.clocks.start_ms))
        };
        self.sitting.players.iter().map(limit).collect()
    }

    /// What a table comes to that was not full.
    fn not_full(&self, missing: &Missing, wishes: &Wishes) -> Ended {
        match missing {
            Missing::Finish | Missing::Stop => {}
            Missing::Departed(player) | Missing::Silent(player) | Missing::Late(player) => {
                wishes.departures.miss(*player);
            }
        }
        match missing {
            Missing::Finish => Ended::Whole,
            Missing::Stop => stopped(),
            Missing::Departed(player) => Ended::Void(format!(
                "{} ended before it sat down",
                self.names()[*player]
            )),
            Missing::Silent(player) => {
                let limit = self.start_limits()[*player].as_secs_f64();
                let name = &self.names()[*player];
                let greeting = match self.settings.rules {
                    Rules::Daihinmin(_) => "no whole profile",
                    _ => "no greeting",
                };
                Ended::Void(format!(
                    "{name} has connected, but sent {greeting} within {limit} s"
                ))
            }
            Missing::Late(player) => {
                let limit = self.start_limits()[*player].as_secs_f64();
                let name = &self.names()[*player];
                Ended::Void(format!("{name} did not connect within {limit} s"))
            }
        }
    }
}

/// A sitting that was told to stop.
fn stopped() -> Ended {
    Ended::Void("it was stopped".to_owned())
}

/// The seating of a fixture: [`Sitting::seating`] has made it of all players.
fn seating_of(players: &[u8]) -> games::Seating {
    let players = players.iter().copied().map(games::Player::new).collect();
    games::Seating::new(players).expect("each player of a fixture has one seat")
}
