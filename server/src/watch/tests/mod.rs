//! Watching without a server: random games that are told to watchers.

mod secrets;
mod server;
mod tables;

use games::{Game, GameName, Player, Seat, Seating};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::watch::WatchMessage;
use record::{EndKind, Event, Header, What};
use serde_json::Value;
use tokio::sync::mpsc::Receiver;

use super::Watching;
use super::publisher::TableEvent;
use super::tables::{Announcements, Tables};

/// A tables, and all that a watcher of everything is told in it.
struct Stage {
    watching: Watching,
    told: Receiver<TableEvent>,
    tables: Tables,
    messages: Vec<WatchMessage>,
}

impl Stage {
    fn new(most: usize) -> Stage {
        let (watching, told) = Watching::of(most);
        Stage {
            watching,
            told,
            tables: Tables::default(),
            messages: Vec::new(),
        }
    }

    fn take(&mut self) {
        while let Ok(told) = self.told.try_recv() {
            let mut out = Announcements {
                is_heard: true,
                messages: &mut self.messages,
            };
            self.tables.take(told, &mut out);
        }
    }

    /// Tells a whole match, and takes it in.
    fn play(&mut self, header: &Header, events: &[Event]) {
        let mut public = self.watching.table(header);
        for event in events {
            public.event(event);
            self.take();
        }
        drop(public);
        self.take();
    }

    fn lines(&self) -> String {
        self.messages.iter().map(WatchMessage::to_line).collect()
    }
}

fn header(game: GameName, tongue: &str, seats: usize, games: u32) -> Header {
    let player = |player| record::Player {
        name: format!("player {player}"),
        client: None,
    };
    Header::new(game, "m", tongue, (0..seats).map(player).collect(), games)
}

fn begin(game: u32, seating: &Seating) -> What {
    What::Begin {
        game,
        seats: seating.players().iter().map(|p| p.number()).collect(),
        ranks: None,
        hands: Vec::new(),
        position: None,
    }
}

/// The end of a game that was played out.
fn end<G: Game>(number: u32, game: &G, seating: &Seating) -> What {
    let outcome = game.outcome().expect("a game that is over");
    What::End {
        game: number,
        places: seating.by_player(&outcome.places).into_vec(),
        points: seating.by_player(&outcome.points).into_vec(),
        game_points: match outcome.game_points.len() {
            0 => Vec::new(),
            _ => seating.by_player(&outcome.game_points).into_vec(),
        },
        kinds: vec![EndKind::Normal; G::SEATS],
        rule: outcome.rule.map(str::to_owned),
    }
}

fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

fn random_move<G: Game>(game: &G, rng: &mut Xoshiro256PlusPlus) -> G::Move {
    let mut moves = Vec::new();
    game.legal_moves(&mut moves);
    moves[rng.random_range(0..moves.len())]
}

fn json(view: &impl serde::Serialize) -> Value {
    serde_json::to_value(view).unwrap()
}

fn moved(player: Player, mv: impl std::fmt::Display) -> Event {
    What::play(player.number(), mv).at(0)
}

fn seat_views<G: Game>(game: &G) -> Vec<Value> {
    let seats = Seat::all(G::SEATS);
    seats.map(|seat| json(&game.view(seat))).collect()
}
