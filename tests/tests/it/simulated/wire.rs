//! A connection without a socket: its client, and the network between the two, in virtual time.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use end_to_end::contest::Contest;
use games::{ByPlayer, Player};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use server::table::{Connection, ConnectionError, Return};
use tokio::sync::mpsc;
use tokio::time::{Instant, Sleep, sleep, sleep_until};

/// Bytes that a client may leave unread.
const MOST_UNREAD: usize = 256 * 1024;

/// What is wrong with a client, or with its network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trait {
    /// Nothing: it answers within the shortest limit, in pieces of any size.
    Honest,
    /// Some of its answers come late, or after their time.
    Slow,
    /// From some answer on it says nothing more, and its connection stays.
    Silent,
    /// Its connection is cut at some answer, and in the middle of it.
    Cut,
    /// Bytes of any kind come before some answers.
    Garbled,
    Wrong,
    Double,
    Deaf,
}

impl Trait {
    pub(super) const BAD: [Trait; 7] = [
        Trait::Slow,
        Trait::Silent,
        Trait::Cut,
        Trait::Garbled,
        Trait::Wrong,
        Trait::Double,
        Trait::Deaf,
    ];
}

pub(super) struct World<C: Contest> {
    pub(super) answers: ByPlayer<Option<Vec<u8>>>,
    pub(super) traits: ByPlayer<Trait>,
    /// When something has happened last, and the longest time in which nothing did.
    pub(super) last: Instant,
    pub(super) gap: Duration,
    /// What was said to an honest client and must not be.
    pub(super) broken: Option<String>,
    pub(super) faults: Vec<Trait>,
    pub(super) returns: Option<mpsc::Sender<Return<Wire<C>>>>,
}

impl<C: Contest> World<C> {
    pub(super) fn stir(&mut self) {
        self.gap = self.gap.max(self.last.elapsed());
        self.last = Instant::now();
    }
}

pub(super) type Shared<C> = Arc<Mutex<World<C>>>;

pub(super) fn lock<C: Contest>(world: &Shared<C>) -> MutexGuard<'_, World<C>> {
    world.lock().unwrap_or_else(PoisonError::into_inner)
}

enum Arrival {
    /// Its answer to what it was asked last.
    Answer,
    Bytes(Vec<u8>),
    Closed,
}

/// A connection, with its client at the other end.
pub(super) struct Wire<C: Contest> {
    player: Player,
    kind: Trait,
    calm: u32,
    end: C::End,
    client: Option<C::Client>,
    /// What is on its way, in order.
    inbox: VecDeque<(Instant, Arrival)>,
    unread: usize,
    sleep: Pin<Box<Sleep>>,
    epoch: Instant,
    rng: Xoshiro256PlusPlus,
    world: Shared<C>,
}

impl<C: Contest> fmt::Debug for Wire<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} client {}", self.kind, self.player)
    }
}

impl<C: Contest> Wire<C> {
    pub(super) fn new(player: Player, seed: u64, world: &Shared<C>) -> Wire<C> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut wire = Wire {
            player,
            kind: lock(world).traits[player],
            calm: rng.random_range(0..30),
            end: C::End::default(),
            client: Some(C::client(player)),
            inbox: VecDeque::new(),
            unread: 0,
            sleep: Box::pin(sleep(Duration::ZERO)),
            epoch: Instant::now(),
            rng,
            world: world.clone(),
        };
        if C::ASKED_AT_ONCE {
            wire.asked();
        }
        wire
    }

    /// Sends what the client says to a request, in its way.
    fn asked(&mut self) {
        let mut delay = Duration::from_millis(self.rng.random_range(0..30));
        let begun = self.calm == 0;
        self.calm = self.calm.saturating_sub(1);
        let often = self.rng.random_bool(0.2);
        match self.kind {
            Trait::Silent if begun => return self.note(),
            Trait::Cut if begun => {
                self.note();
                let half = self.rng.random_range(0..600);
                let bytes = lock(&self.world).answers[self.player]
                    .clone()
                    .unwrap_or_default();
                self.add(
                    delay,
                    Arrival::Bytes(bytes[..half.min(bytes.len())].to_vec()),
                );
                return self.add(delay, Arrival::Closed);
            }
            Trait::Slow if often => {
                self.note();
                delay = Duration::from_millis(self.rng.random_range(30..4_000));
            }
            Trait::Garbled if often => {
                self.note();
                let mut bytes = vec![0; self.rng.random_range(1..600)];
                self.rng.fill(&mut bytes[..]);
                self.add(delay, Arrival::Bytes(bytes));
            }
            Trait::Double if often => {
                self.note();
                self.add(delay, Arrival::Answer);
            }
            _ => {}
        }
        self.add(delay, Arrival::Answer);
    }

    fn note(&self) {
        let mut world = lock(&self.world);
        world.faults.push(self.kind);
    }

    /// Bytes of a connection keep their order.
    fn add(&mut self, delay: Duration, arrival: Arrival) {
        let at = Instant::now() + delay;
        let at = self.inbox.back().map_or(at, |(before, _)| at.max(*before));
        self.inbox.push_back((at, arrival));
    }

    /// The client's answer comes in one piece or two.
    fn answer(&mut self, at: Instant) {
        let Some(mut bytes) = lock(&self.world).answers[self.player].clone() else {
            return;
        };
        if self.kind == Trait::Wrong && self.rng.random_bool(0.2) {
            self.note();
            let which = self.rng.random_range(0..bytes.len());
            bytes[which] ^= 1 << self.rng.random_range(0..8);
        }
        if self.rng.random_bool(0.3) {
            let rest = bytes.split_off(self.rng.random_range(0..bytes.len()));
            let later = at + Duration::from_millis(self.rng.random_range(0..5));
            self.inbox.push_front((later, Arrival::Bytes(rest)));
        }
        self.take(&bytes);
    }

    fn take(&mut self, bytes: &[u8]) {
        C::receive_bytes(&mut self.end, bytes, self.epoch.elapsed());
    }

    fn come_back(&mut self) {
        let returns = lock(&self.world).returns.clone();
        if let Some(returns) = returns
            && let Some(mut client) = self.client.take()
            && self.rng.random_bool(0.7)
            && let Some((welcome, last)) = C::back(&mut client, self.player)
        {
            let mut connection = Wire::new(self.player, self.rng.random(), &self.world);
            connection.client = Some(client);
            let wait = Duration::from_millis(self.rng.random_range(0..4_000));
            let last = self.rng.random_bool(0.8).then_some(last);
            let player = self.player;
            tokio::spawn(async move {
                sleep(wait).await;
                let back = Return {
                    player,
                    connection,
                    last,
                    welcome,
                };
                // The match may be over.
                let _ = returns.send(back).await;
            });
        }
    }
}

impl<C: Contest> Connection for Wire<C> {
    type In = C::In;
    type Out = C::Out;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<C::In, ConnectionError>> {
        loop {
            if self.unread > MOST_UNREAD {
                return Poll::Ready(Err(ConnectionError::CutOff));
            }
            // What has come is read at once.
            let now = Instant::now();
            let mut closed = false;
            while let Some((at, arrival)) = self.inbox.pop_front_if(|(at, _)| *at <= now) {
                match arrival {
                    Arrival::Answer => self.answer(at),
                    Arrival::Bytes(bytes) => self.take(&bytes),
                    Arrival::Closed => {
                        closed = true;
                        break;
                    }
                }
            }
            if closed {
                self.inbox.clear();
                self.inbox.push_front((now, Arrival::Closed));
            }
            if let Some(message) = C::next_message(&mut self.end, self.epoch.elapsed()) {
                return Poll::Ready(Ok(message));
            }
            if closed {
                self.come_back();
                return Poll::Ready(Err(ConnectionError::Closed));
            }
            let Some((at, _)) = self.inbox.front() else {
                return Poll::Pending;
            };
            self.sleep.set(sleep_until(*at));
            if self.sleep.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
        }
    }

    fn push(&mut self, message: &C::Out) {
        let bytes = C::bytes_of(&mut self.end, message);
        lock(&self.world).stir();
        if self.kind == Trait::Deaf {
            if self.unread == 0 {
                self.note();
            }
            self.unread += bytes.len();
            return;
        }
        let Some(client) = &mut self.client else {
            return;
        };
        match C::hear(client, &bytes) {
            Ok(true) => self.asked(),
            Err(why) if self.kind == Trait::Honest => {
                lock(&self.world)
                    .broken
                    .get_or_insert(format!("player {}: {why}", self.player));
            }
            Ok(false) | Err(_) => {}
        }
    }

    fn send(&mut self) {}

    fn poll_flush(&mut self, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    async fn close(self, _: bool) {}
}
