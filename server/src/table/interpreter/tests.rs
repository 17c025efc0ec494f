//! Clients of both protocols that send arbitrary bytes at arbitrary times, at a table with a referee.

use std::time::Duration;

use games::dobutsu::{Dobutsu, MoveList, Rules};
use games::{ByPlayer, Game as _, Player};
use proptest::collection::vec;
use proptest::prelude::*;
use protocol::animal_shogi::{Move, ServerLine, Side};
use protocol::course::{Answer, Place};
use protocol::native::{ClientMessage, ServerMessage};

use super::replica::Replica;
use super::{AnimalShogi, Course, Interpreter};
use crate::referee::native::{MatchSettings, NativeReferee};
use crate::referee::{Outbox, Referee as _};
use record::Clocks;

/// Most steps to the end once nobody says anything any more.
const MOST_STEPS: u32 = 1000;

#[derive(Clone, Debug)]
enum Step {
    /// A player sends bytes.
    Bytes(usize, Vec<u8>),
    /// A player sends a line of one of the protocols, or the beginning of it.
    Line(usize, String, usize),
    /// The player whose turn it is plays a legal move, in the terms of its protocol.
    Move(usize),
    /// So many milliseconds pass.
    Pass(u64),
    Lose(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let line = prop_oneof![
        "[A-F][0-9] [A-F][0-9]".prop_map(|places| format!("mv {places}\n")),
        "[+-][1-3][a-d][1-3][a-d]\\+?".prop_map(|mv| format!("{mv}\n")),
        "[+-][hzk]\\*[1-3][a-d]".prop_map(|mv| format!("{mv}\n")),
        prop_oneof![
            Just("turn\n"),
            Just("board\n"),
            Just("boardjson\n"),
            Just("AGREE\n"),
            Just("LOGIN:あ\n"),
            Just("resign\n"),
            Just("\n"),
            Just("quit\r\n"),
        ]
        .prop_map(str::to_owned),
    ];
    prop_oneof![
        2 => (0..2_usize, vec(any::<u8>(), 0..40)).prop_map(|(who, bytes)| Step::Bytes(who, bytes)),
        4 => (0..2_usize, line, 0..40_usize).prop_map(|(who, line, n)| Step::Line(who, line, n)),
        8 => any::<usize>().prop_map(Step::Move),
        2 => (0..800_u64).prop_map(Step::Pass),
        1 => (0..2_usize).prop_map(Step::Lose),
    ]
}

/// A table of two interpreters, with a clock that is moved by hand.
struct Table {
    referee: NativeReferee<Dobutsu>,
    guests: Vec<Option<Box<dyn Interpreter>>>,
    is_course: [bool; 2],
    out: Outbox<ServerMessage>,
    now: Duration,
    replica: Replica,
    /// The seat of each player in the game of now.
    seats: Vec<usize>,
    told: [Vec<u8>; 2],
}

impl Table {
    fn new(is_course: [bool; 2], games: u32, retries: u32, seed: u64) -> Table {
        let settings = MatchSettings {
            games,
            swap: true,
            draw: true,
            rules: Rules::default(),
            clocks: ByPlayer::of(
                2,
                Clocks {
                    move_ms: Some(1000),
                    ..Clocks::default()
                },
            ),
            resume: Duration::from_secs(1),
            ready: Duration::ZERO,
            retries,
            timeouts: 0,
            goes_on: false,
            opening: 0,
            position: String::new(),
            seed,
            given: Vec::new(),
        };
        let guest = |is_course| -> Box<dyn Interpreter> {
            if is_course {
                Box::new(Course::default())
            } else {
                Box::new(AnimalShogi::new("20180910".to_owned(), true))
            }
        };
        let mut table = Table {
            referee: NativeReferee::new(settings, &["a".to_owned(), "b".to_owned()]),
            guests: is_course.map(|is_course| Some(guest(is_course))).into(),
            is_course,
            out: Outbox::new(),
            now: Duration::ZERO,
            replica: Replica::start(),
            seats: Vec::new(),
            told: [Vec::new(), Vec::new()],
        };
        for player in 0..2 {
            let welcome = ServerMessage::Welcome {
                version: 1,
                server: "test".to_owned(),
                game: "dobutsu".to_owned(),
                number: 7,
                player,
                token: String::new(),
                resumed: false,
            };
            table.tell(usize::from(player), &welcome);
        }
        table.call(NativeReferee::start);
        table
    }

    fn tell(&mut self, player: usize, message: &ServerMessage) {
        if let Some(guest) = &mut self.guests[player] {
            let told = &mut self.told[player];
            guest.tell(message, &mut |bytes| told.extend_from_slice(bytes));
        }
    }

    fn call(
        &mut self,
        act: impl FnOnce(&mut NativeReferee<Dobutsu>, Duration, &mut Outbox<ServerMessage>),
    ) {
        act(&mut self.referee, self.now, &mut self.out);
        for (player, message) in std::mem::take(&mut self.out.messages) {
            match &message {
                ServerMessage::Game { players, .. } => {
                    self.replica = Replica::start();
                    let seat = |player| players.iter().position(|&one| one == player);
                    self.seats = (0..2).filter_map(seat).collect();
                }
                ServerMessage::Moved { mv, .. } if player.index() == 0 => self.replica.play(mv),
                _ => {}
            }
            self.tell(player.index(), &message);
        }
        for player in self.out.close.drain(..) {
            self.guests[player.index()] = None;
        }
        self.out.events.clear();
    }

    /// What the guests have sent, as the shell reads it.
    fn listen(&mut self) {
        for player in Player::all(2) {
            while !self.referee.is_over() && self.referee.listens_to(player) {
                let told = &mut self.told[player.index()];
                let Some(guest) = &mut self.guests[player.index()] else {
                    break;
                };
                let next = guest.next_message(&mut |bytes| told.extend_from_slice(bytes));
                let Some(message) = next else { break };
                self.call(|referee, now, out| referee.receive(player, message, now, out));
            }
        }
    }

    fn send(&mut self, player: usize, bytes: &[u8]) {
        if let Some(guest) = &mut self.guests[player] {
            guest.receive(bytes);
            guest.say_alive(&mut |_| ());
        }
        self.listen();
    }

    /// A legal move of the player to move, as its client says it.
    fn legal(&self, pick: usize) -> Option<(usize, String)> {
        let game = self.referee.game()?;
        let seat = game.to_move()?;
        let player = (0..2).find(|&player| self.seats.get(player) == Some(&seat.index()))?;
        let mut moves = MoveList::new();
        game.board().legal_moves(&mut moves);
        let mv = moves[pick % moves.len()].to_string();
        let side = [Side::First, Side::Second][seat.index()];
        if !self.is_course[player] {
            return Some((player, format!("{}\n", Move::from_usi(side, &mv).ok()?)));
        }
        let square = |name: &str| {
            let &[file, rank] = name.as_bytes() else {
                return None;
            };
            Place::square(b'3'.checked_sub(file)?, rank.checked_sub(b'a')?)
        };
        let to = square(&mv[2..4])?;
        let own = seat.index() as u8 + 1;
        let from = match mv[..2].strip_suffix('*') {
            None => square(&mv[..2])?,
            Some(letter) => (0..6)
                .filter_map(|n| Place::in_hand(own, n))
                .find(|&place| {
                    let piece = self.replica.board().at(place);
                    piece.is_some_and(|piece| letter.to_lowercase().starts_with(piece.letter()))
                })?,
        };
        Some((player, format!("mv {from} {to}\n")))
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        let mut woken = 0;
        while self
            .referee
            .next_deadline()
            .is_some_and(|at| at <= self.now)
        {
            self.call(NativeReferee::wake);
            woken += 1;
            assert!(woken < MOST_STEPS, "woken for ever");
        }
        self.listen();
    }

    fn lose(&mut self, player: usize) {
        if self.guests[player].take().is_some() {
            let leave = Ok(ClientMessage::Leave);
            let player = Player::at(player);
            self.call(|referee, now, out| referee.receive(player, leave, now, out));
        }
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Bytes(player, bytes) => self.send(*player, bytes),
            Step::Line(player, line, most) => {
                let bytes = line.as_bytes();
                self.send(*player, &bytes[..bytes.len().min(*most)]);
            }
            Step::Move(pick) => {
                if let Some((player, line)) = self.legal(*pick) {
                    self.send(player, line.as_bytes());
                }
            }
            Step::Pass(ms) => self.pass(Duration::from_millis(*ms)),
            Step::Lose(player) => self.lose(*player),
        }
    }

    /// Nobody says anything any more: the match ends by its limits.
    fn end(&mut self) {
        for _ in 0..MOST_STEPS {
            if self.referee.is_over() {
                return;
            }
            let at = self.referee.next_deadline().expect("all have a limit");
            self.pass(at.saturating_sub(self.now));
        }
        panic!("the match goes on for ever");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn whatever_clients_send_every_table_ends(
        is_course in any::<[bool; 2]>(),
        games in 1..3_u32,
        retries in 0..3_u32,
        seed in any::<u64>(),
        steps in vec(step(), 0..60),
    ) {
        let mut table = Table::new(is_course, games, retries, seed);
        for step in &steps {
            table.take(step);
        }
        table.end();
        // Each client is told whole lines of its protocol and nothing else.
        for (told, is_course) in table.told.iter().zip(is_course) {
            let told = std::str::from_utf8(told).expect("text");
            prop_assert!(told.is_empty() || told.ends_with('\n'), "{told}");
            for line in told.lines() {
                let again = if is_course {
                    prop_assert!(!line.is_empty());
                    Answer::parse(line).to_string()
                } else {
                    let read = ServerLine::parse(line);
                    prop_assert!(!matches!(read, ServerLine::Other(_)), "{line}");
                    read.to_string()
                };
                prop_assert_eq!(&again, line);
            }
        }
    }

    /// Clients that keep to their protocols play whole games, whichever they speak.
    #[test]
    fn legal_moves_are_taken(is_course in any::<[bool; 2]>(), seed in any::<u64>(), picks in vec(any::<usize>(), 30)) {
        let mut table = Table::new(is_course, 1, 0, seed);
        for (player, is_course) in is_course.into_iter().enumerate() {
            table.send(player, if is_course { b"turn\n" } else { b"AGREE\n" });
        }
        let mut played = 0;
        for pick in picks {
            let Some((player, line)) = table.legal(pick) else { break };
            table.send(player, line.as_bytes());
            played += 1;
            prop_assert!(table.referee.is_over() || table.referee.game().is_some_and(|game| game.ply() == played), "{line}");
        }
        prop_assert!(played > 0);
    }
}
