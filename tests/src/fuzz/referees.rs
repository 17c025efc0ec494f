//! Referees, driven by arbitrary bytes at arbitrary seats and times.

use std::time::Duration;

use games::{Blokus, Player, ScoreFour};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use record::{EndKind, Event, Header, What};
use server::referee::Outbox;
use server::referee::gat::GatReferee;
use server::referee::native::NativeReferee;
use server::referee::uecda::UecdaReferee;

use crate::contest::{Contest, check_record};

/// Most steps to the end once nobody says anything any more.
const MOST_STEPS: u32 = 100_000;

pub(super) fn uecda_referee(data: &[u8]) {
    drive::<UecdaReferee>(data);
}

pub(super) fn gat_referee(data: &[u8]) {
    drive::<GatReferee>(data);
}

/// The native protocol with 3D four-in-a-row.
pub(super) fn score_four_referee(data: &[u8]) {
    drive::<NativeReferee<ScoreFour>>(data);
}

pub(super) fn blokus_referee(data: &[u8]) {
    drive::<NativeReferee<Blokus>>(data);
}

/// Eight bytes draw the match; then each step has a byte for what happens and to whom, and a second.
fn drive<C: Contest>(data: &[u8]) {
    let Some((seed, mut steps)) = data.split_first_chunk() else {
        return;
    };
    let mut bench = Bench::<C>::new(u64::from_le_bytes(*seed));
    while let [what, value, rest @ ..] = steps {
        if bench.referee.is_over() {
            break;
        }
        steps = rest;
        let player = Player::at(usize::from(what >> 3) % C::SEATS);
        let value = *value;
        match what & 7 {
            0..=2 => bench.answer(usize::from(value)),
            3 => {
                let (bytes, rest) = steps.split_at(usize::from(value).min(steps.len()));
                steps = rest;
                bench.send(player, bytes);
            }
            4 => bench.pass(Duration::from_millis(4 * u64::from(value))),
            5 => {
                // The server may be late.
                let at = bench.referee.next_deadline().expect("all have a limit");
                let late = Duration::from_millis(u64::from(value.saturating_sub(128)));
                bench.pass(at.saturating_sub(bench.now) + late);
            }
            6 => bench.lose(player),
            _ => match value {
                0 => bench.call(C::stop),
                1 => bench.referee.finish(),
                _ => bench.rejoin(player, (value > 128).then(|| u64::from(value - 128))),
            },
        }
        bench.listen();
    }
    bench.end();
}

/// A referee, its players' connections and a clock that is moved by hand.
struct Bench<C: Contest> {
    referee: C,
    header: Header,
    out: Outbox<C::Out>,
    events: Vec<Event>,
    now: Duration,
    seats: Vec<Option<Connection<C>>>,
}

struct Connection<C: Contest> {
    end: C::End,
    client: C::Client,
    asked: bool,
}

impl<C: Contest> Connection<C> {
    fn new(player: Player) -> Connection<C> {
        Connection {
            end: C::End::default(),
            client: C::client(player),
            asked: C::ASKED_AT_ONCE,
        }
    }
}

impl<C: Contest> Bench<C> {
    fn new(seed: u64) -> Bench<C> {
        let (referee, header) = C::draw(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        let seats = Player::all(C::SEATS);
        let mut bench = Bench {
            referee,
            header,
            out: Outbox::new(),
            events: Vec::new(),
            now: Duration::ZERO,
            seats: seats.map(|player| Some(Connection::new(player))).collect(),
        };
        bench.call(C::start);
        bench
    }

    fn call(&mut self, act: impl FnOnce(&mut C, Duration, &mut Outbox<C::Out>)) {
        act(&mut self.referee, self.now, &mut self.out);
        for (player, message) in self.out.messages.drain(..) {
            if let Some(seat) = &mut self.seats[player.index()] {
                let bytes = C::bytes_of(&mut seat.end, &message);
                // What a client of arbitrary bytes is told may be odd for a client that keeps to the protocol.
                seat.asked |= C::hear(&mut seat.client, &bytes).unwrap_or(false);
            }
        }
        for player in self.out.close.drain(..) {
            self.seats[player.index()] = None;
        }
        self.events.append(&mut self.out.events);
    }

    /// Reads what the referee listens to, as the shell does.
    fn listen(&mut self) {
        for player in Player::all(C::SEATS) {
            while !self.referee.is_over()
                && self.referee.listens_to(player)
                && let Some(seat) = &mut self.seats[player.index()]
                && let Some(message) = C::next_message(&mut seat.end, self.now)
            {
                self.call(|referee, now, out| referee.receive(player, message, now, out));
            }
        }
    }

    /// One of those that are asked plays a legal move.
    fn answer(&mut self, pick: usize) {
        for player in Player::all(C::SEATS) {
            let answer = self.referee.answer(player, pick);
            if let Some(seat) = &mut self.seats[player.index()]
                && seat.asked
                && let Some(answer) = answer
            {
                seat.asked = false;
                self.send(player, &answer);
                return;
            }
        }
    }

    fn send(&mut self, player: Player, bytes: &[u8]) {
        if let Some(seat) = &mut self.seats[player.index()] {
            C::receive_bytes(&mut seat.end, bytes, self.now);
        }
    }

    /// Lets time pass, and wakes the referee once for all that is due meanwhile.
    fn pass(&mut self, time: Duration) {
        self.now += time;
        let mut woken = 0;
        while self
            .referee
            .next_deadline()
            .is_some_and(|at| at <= self.now)
        {
            self.call(C::wake);
            woken += 1;
            assert!(
                woken < 1000,
                "the referee is woken again and again for the same time"
            );
        }
    }

    fn lose(&mut self, player: Player) {
        if self.seats[player.index()].take().is_some() {
            self.call(|referee, now, out| {
                referee.lose(player, EndKind::Disconnect, "gone", now, out);
            });
        }
    }

    fn rejoin(&mut self, player: Player, last: Option<u64>) {
        if !self.referee.is_gone(player) {
            self.seats[player.index()] = Some(Connection::new(player));
            self.call(|referee, now, out| referee.rejoin(player, last, now, out));
        }
    }

    /// Nobody says anything any more: the match ends by its limits, and its record plays again.
    fn end(mut self) {
        for _ in 0..MOST_STEPS {
            if self.referee.is_over() {
                break;
            }
            let at = self.referee.next_deadline().expect("all have a limit");
            self.pass(at.saturating_sub(self.now));
        }
        assert!(self.referee.is_over(), "the match goes on for ever");
        assert_eq!(self.referee.next_deadline(), None);
        self.events
            .extend(self.referee.last_line().map(|what: What| what.at(0)));
        let before = self.events.len();
        self.call(C::wake);
        self.call(C::stop);
        assert_eq!(self.events.len(), before, "a match that is over ends again");
        check_record(&self.header, &self.events, &self.referee.ended());
    }
}
