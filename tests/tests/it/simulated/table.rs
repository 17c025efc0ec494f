//! One table in virtual time: the shell and the referee of the server between clients, a network, a disk and a clock
//! that are drawn.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use end_to_end::contest::{Contest, check_record};
use games::{ByPlayer, Player};
use rand::RngExt as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use record::{EndKind, Event, What};
use server::table::{Journal, Table};
use server::watch::Publisher;
use tokio::sync::mpsc;
use tokio::time::{Instant, advance, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::disk::Book;
use super::wire::{Trait, Wire, World, lock};
use super::{MOST, Played, in_virtual_time};

/// What is printed of a table that has failed.
struct Story<'a> {
    table: String,
    events: &'a [Event],
}

impl Drop for Story<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("{}", self.table);
            for event in &self.events[self.events.len().saturating_sub(40)..] {
                eprintln!("{event:?}");
            }
        }
    }
}

/// Plays a table in virtual time.
pub(super) fn play<C: Contest>(mut rng: Xoshiro256PlusPlus, name: &'static str) -> Played {
    in_virtual_time(async {
        let mut played = Played::default();
        played.worlds.insert(name, 1);
        let (referee, header) = C::draw(&mut rng);
        let trouble = rng.random_bool(0.7);
        let traits = ByPlayer::from_fn(C::SEATS, |_| {
            let bad = trouble && rng.random_bool(0.4);
            let kind = Trait::BAD[rng.random_range(0..Trait::BAD.len())];
            if bad { kind } else { Trait::Honest }
        });
        let (sender, returns) = mpsc::channel(8);
        let most_per_request = referee.most_per_request();
        let began = Instant::now();
        let world = Arc::new(Mutex::new(World::<C> {
            answers: ByPlayer::from_fn(C::SEATS, |player| {
                referee.answer(player, rng.random_range(0..1000))
            }),
            traits: traits.clone(),
            last: began,
            gap: Duration::ZERO,
            broken: None,
            faults: Vec::new(),
            returns: Some(sender),
        }));
        let connections = ByPlayer::from_fn(C::SEATS, |player| {
            Some(Wire::new(player, rng.random(), &world))
        });
        let (finish, stop) = (CancellationToken::new(), CancellationToken::new());
        for (token, name) in [(&finish, "finish"), (&stop, "stop")] {
            if rng.random_bool(0.1) {
                played.fault(name);
                let (token, wait) = (
                    token.clone(),
                    Duration::from_millis(rng.random_range(0..5_000)),
                );
                tokio::spawn(async move {
                    sleep(wait).await;
                    token.cancel();
                });
            }
        }
        // A pause of the server costs the time that players have for a whole game.
        let mut pause = Duration::ZERO;
        if header.clocks.game_ms.is_none() && rng.random_bool(0.2) {
            played.fault("pause of the server");
            pause = Duration::from_millis(rng.random_range(1..20_000));
            let wait = Duration::from_millis(rng.random_range(0..5_000));
            tokio::spawn(async move {
                sleep(wait).await;
                advance(pause).await;
            });
        }
        let (mut book, fault) = Book::draw(&mut rng, &header);
        if let Some(fault) = fault {
            played.fault(fault);
        }
        let mut events: Vec<Event> = Vec::new();
        let mut audience = |referee: &C, event: &Event| {
            let mut world = lock(&world);
            world.stir();
            for player in Player::all(C::SEATS) {
                world.answers[player] = referee.answer(player, rng.random_range(0..1000));
            }
            book.event(event);
            events.push(event.clone());
        };
        let table = Table {
            referee,
            connections,
            returns: Some(returns),
            epoch: began,
            names: Vec::new(),
            closing: TaskTracker::new(),
            finish,
            stop: stop.clone(),
            public: Publisher::default(),
            journal: Journal::default(),
        };
        let referee = timeout(MOST, table.play(&mut audience)).await;
        let referee = referee.expect("the table ends");
        if let Some(what) = referee.last_line() {
            audience(&referee, &what.at(0));
        }
        let mut world = lock(&world);
        world.stir();
        for fault in world.faults.drain(..) {
            played.fault(&format!("{fault:?}").to_lowercase());
        }
        let ended = referee.ended();
        let _story = Story {
            table: format!(
                "{name}, clients {traits:?}, {:?}, a pause of {pause:?}, {ended:?}",
                header.clocks
            ),
            events: &events,
        };
        played.events = events.len();
        played.time = began.elapsed();

        assert_eq!(world.broken, None, "what an honest client was told");
        let longest = most_per_request + pause;
        assert!(world.gap <= longest, "nothing happened for {:?}", world.gap);
        check_record(&header, &events, &ended);
        for player in Player::all(C::SEATS) {
            if traits[player] == Trait::Honest {
                let kind = ended.kinds[player.index()];
                assert!(
                    matches!(kind, EndKind::Normal | EndKind::Void),
                    "honest player {player}: {kind:?}"
                );
                let fault = events.iter().find(|event| charges(event, player));
                assert_eq!(fault, None, "honest player {player}");
            }
        }
        book.close(&header);
        played
    })
}

/// Whether an event charges a player with a fault.
fn charges(event: &Event, player: Player) -> bool {
    match &event.what {
        What::Move {
            player: by, fault, ..
        }
        | What::Give {
            from: by, fault, ..
        } => *by == player.number() && fault.is_some(),
        What::Forfeit {
            player: by, kind, ..
        } => *by == player.number() && *kind != EndKind::Void,
        _ => false,
    }
}
