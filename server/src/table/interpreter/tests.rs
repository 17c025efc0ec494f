//! Clients of `AnimalShogiServer` that send lines, and arbitrary bytes at arbitrary times, at a table with a referee.

use std::time::Duration;

use games::dobutsu::{Dobutsu, Move, MoveList, Rules};
use games::{ByPlayer, Game as _, Player};
use proptest::collection::vec;
use proptest::prelude::*;
use protocol::native::{ClientMessage, ServerMessage};
use record::Clocks;

use super::{AnimalShogi, LINE_LIMIT};
use crate::referee::native::{MatchSettings, NativeReferee};
use crate::referee::{Outbox, Referee as _};

/// Most steps to the end once nobody says anything any more.
const MOST_STEPS: u32 = 1000;
/// Lines of the server without a name, a number or a move.
const WORDS: [&str; 10] = [
    "BEGIN Game_Summary",
    "Your_Turn:+",
    "Your_Turn:-",
    "END Game_Summary",
    "START",
    "#GAME_OVER",
    "#ILLEGAL",
    "#WIN",
    "#LOSE",
    "#DRAW",
];

fn client(rules: Rules) -> AnimalShogi {
    AnimalShogi::new("20180910".to_owned(), rules.variant())
}

fn welcome(player: u8) -> ServerMessage {
    ServerMessage::Welcome {
        version: 1,
        server: "test".to_owned(),
        game: "dobutsu".to_owned(),
        number: 7,
        player,
        token: String::new(),
        resumed: false,
    }
}

fn game(seat: u8) -> ServerMessage {
    ServerMessage::Game {
        event: 1,
        game: 1,
        players: if seat == 0 { vec![1, 0] } else { vec![0, 1] },
        ply: 0,
    }
}

/// A client at its table, in this seat, and the summary that it was told.
fn seated(seat: u8, rules: Rules) -> (AnimalShogi, Vec<String>) {
    let mut client = client(rules);
    assert_eq!(told(&mut client, &welcome(1)), [""; 0]);
    let summary = told(&mut client, &game(seat));
    (client, summary)
}

fn told(client: &mut AnimalShogi, message: &ServerMessage) -> Vec<String> {
    let mut said = Vec::new();
    client.tell(message, &mut |bytes| {
        said.extend(String::from_utf8_lossy(bytes).lines().map(str::to_owned));
    });
    said
}

/// What a line becomes, and what is answered to it.
fn sent(client: &mut AnimalShogi, line: &str) -> (Option<Result<String, String>>, String) {
    client.receive(format!("{line}\n").as_bytes());
    let mut said = String::new();
    let message = client.next_message(&mut |bytes| said += &String::from_utf8_lossy(bytes));
    let message = message.map(|message| match message {
        Ok(ClientMessage::Move { mv, .. }) => Ok(mv),
        Ok(other) => Ok(format!("{other:?}")),
        Err(fault) => Err(fault.message),
    });
    (message, said)
}

fn moved(seat: u8, mv: &str) -> ServerMessage {
    ServerMessage::Moved {
        event: 2,
        game: 1,
        ply: 0,
        seat,
        mv: mv.to_owned(),
        used_ms: 0,
        budget_ms: None,
    }
}

fn result(places: &[u8], end: &str, by: Option<u8>) -> ServerMessage {
    ServerMessage::Result {
        event: 3,
        game: 1,
        places: places.to_vec(),
        scores: Vec::new(),
        end: end.to_owned(),
        by,
        ends: Vec::new(),
        game_points: Vec::new(),
        reason: None,
    }
}

#[test]
fn a_game_goes_both_ways() {
    let (mut client, summary) = seated(0, Rules::default());
    assert_eq!(
        summary,
        [
            "BEGIN Game_Summary",
            "Game_ID:20180910-007",
            "Your_Turn:+",
            "END Game_Summary"
        ]
    );
    assert_eq!(
        sent(&mut client, "LOGIN: ana"),
        (None, "LOGIN:ana,ok\n".to_owned())
    );
    assert_eq!(client.name(), Some("ana"));
    assert_eq!(sent(&mut client, "AGREE"), (None, "START\n".to_owned()));
    assert_eq!(sent(&mut client, "AGREE"), (None, String::new()));
    let (mv, _) = sent(&mut client, "+3d3c");
    assert_eq!(mv, Some(Ok("1d1c".to_owned())));
    assert_eq!(told(&mut client, &moved(0, "1d1c")), ["+3d3c,OK"]);
    assert_eq!(told(&mut client, &moved(1, "3a3b")), ["-1a1b,OK"]);
    let (resigns, _) = sent(&mut client, "resign");
    assert_eq!(resigns, Some(Ok("Resign".to_owned())));
    let over = told(&mut client, &result(&[2, 1], "resign", Some(0)));
    assert_eq!(over, ["#GAME_OVER", "#LOSE"]);
    assert_eq!(sent(&mut client, "+2c2b"), (None, String::new()));
}

#[test]
fn ends_are_told_from_the_clients_side() {
    for (places, end, by, lines) in [
        (vec![1, 2], "try", None, ["#GAME_OVER", "#LOSE"]),
        (vec![2, 1], "illegal", Some(0), ["#GAME_OVER", "#WIN"]),
        (vec![1, 2], "illegal", Some(1), ["#ILLEGAL", "#LOSE"]),
        (vec![1, 2], "protocol-error", Some(1), ["#ILLEGAL", "#LOSE"]),
        (vec![1, 2], "timeout", Some(1), ["#GAME_OVER", "#LOSE"]),
        (vec![1, 1], "repetition", None, ["#GAME_OVER", "#DRAW"]),
    ] {
        let (mut client, _) = seated(1, Rules::default());
        assert_eq!(told(&mut client, &result(&places, end, by)), lines, "{end}");
    }
    let (mut client, _) = seated(1, Rules::default());
    assert_eq!(told(&mut client, &result(&[], "void", None)), [""; 0]);
}

#[test]
fn only_what_should_be_a_move_is_a_fault() {
    let (mut client, _) = seated(1, Rules::default());
    for line in ["hello", "#WIN", "", " ", "LOGIN", "LOGIN:"] {
        assert_eq!(sent(&mut client, line), (None, String::new()), "{line}");
    }
    let long = "+".repeat(LINE_LIMIT + 1);
    for line in ["+2c2b", "-2b2c", "-9b2c", "-", &long] {
        let (message, _) = sent(&mut client, line);
        assert!(matches!(message, Some(Err(_))), "{line}");
    }
    told(&mut client, &moved(0, "2c2b"));
    assert!(matches!(sent(&mut client, "-1a2b").0, Some(Ok(_))));
}

#[test]
fn who_agrees_early_is_told_the_start_with_the_game() {
    let mut client = client(Rules::default());
    told(&mut client, &welcome(1));
    for line in ["AGREE", "+2c2b", "resign"] {
        assert_eq!(sent(&mut client, line), (None, String::new()));
    }
    let summary = told(&mut client, &game(0));
    assert_eq!(summary[3..], ["END Game_Summary", "START"]);
    assert_eq!(sent(&mut client, "AGREE"), (None, String::new()));
    assert!(matches!(sent(&mut client, "+2c2b").0, Some(Ok(_))));
}

#[test]
fn a_promotion_may_be_left_out_unless_it_is_the_players_choice() {
    for (rules, mv) in [
        (Rules::default(), "2b2a+"),
        (Rules::ANIMAL_SHOGI_SERVER, "2b2a"),
    ] {
        let (mut client, _) = seated(0, rules);
        told(&mut client, &moved(0, "2c2b"));
        told(&mut client, &moved(1, "3a3b"));
        assert_eq!(sent(&mut client, "+2b2a").0, Some(Ok(mv.to_owned())));
        assert_eq!(sent(&mut client, "+2b2a+").0, Some(Ok("2b2a+".to_owned())));
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// A player sends bytes.
    Bytes(usize, Vec<u8>),
    /// A player sends a line, or the beginning of it.
    Line(usize, String, usize),
    /// The player whose turn it is plays a legal move.
    Move(usize),
    /// So many milliseconds pass.
    Pass(u64),
    Lose(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let line = prop_oneof![
        "[+-][1-3][a-d][1-3][a-d]\\+?".prop_map(|mv| format!("{mv}\n")),
        "[+-][hzk]\\*[1-3][a-d]".prop_map(|mv| format!("{mv}\n")),
        prop_oneof![
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
    guests: Vec<Option<AnimalShogi>>,
    out: Outbox<ServerMessage>,
    /// The seat of each player in the game of now.
    seats: Vec<usize>,
    told: [Vec<u8>; 2],
}

impl Table {
    fn new(games: u32, retries: u32, seed: u64) -> Table {
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
            draws: false,
            opening: 0,
            position: String::new(),
            seed,
            given: Vec::new(),
        };
        let mut table = Table {
            referee: NativeReferee::new(settings, &["a".to_owned(), "b".to_owned()]),
            guests: vec![
                Some(client(Rules::default())),
                Some(client(Rules::default())),
            ],
            out: Outbox::at(Duration::ZERO),
            seats: Vec::new(),
            told: [Vec::new(), Vec::new()],
        };
        for player in 0..2 {
            table.tell(usize::from(player), &welcome(player));
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

    fn call(&mut self, act: impl FnOnce(&mut NativeReferee<Dobutsu>, &mut Outbox<ServerMessage>)) {
        act(&mut self.referee, &mut self.out);
        for (player, message) in std::mem::take(&mut self.out.messages) {
            if let ServerMessage::Game { players, .. } = &message {
                let seat = |player| players.iter().position(|&one| one == player);
                self.seats = (0..2).filter_map(seat).collect();
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
                self.call(|referee, out| referee.receive(player, message, out));
            }
        }
    }

    fn send(&mut self, player: usize, bytes: &[u8]) {
        if let Some(guest) = &mut self.guests[player] {
            guest.receive(bytes);
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
        let mv = moves[pick % moves.len()];
        Some((player, format!("{}\n", mv.animal_shogi(seat.number()))))
    }

    fn pass(&mut self, time: Duration) {
        self.out.now += time;
        let mut woken = 0;
        while self
            .referee
            .next_deadline()
            .is_some_and(|at| at <= self.out.now)
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
            self.call(|referee, out| referee.receive(player, leave, out));
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
            self.pass(at.saturating_sub(self.out.now));
        }
        panic!("the match goes on for ever");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn whatever_clients_send_every_table_ends(
        games in 1..3_u32,
        retries in 0..3_u32,
        seed in any::<u64>(),
        steps in vec(step(), 0..60),
    ) {
        let mut table = Table::new(games, retries, seed);
        for step in &steps {
            table.take(step);
        }
        table.end();
        // Each client is told whole lines of its protocol and nothing else.
        for told in &table.told {
            let told = std::str::from_utf8(told).expect("text");
            prop_assert!(told.is_empty() || told.ends_with('\n'), "{told}");
            for line in told.lines() {
                let mv = line.strip_suffix(",OK").map(Move::read_animal_shogi);
                // A login that lacks its end of line takes the next line into the name.
                let is_known = line.starts_with("LOGIN:") && line.ends_with(",ok")
                    || matches!(mv, Some(Ok((seat, mv))) if mv.animal_shogi(seat) + ",OK" == line)
                    || (line.starts_with("Game_ID:20180910-") && line.len() == 20)
                    || WORDS.contains(&line);
                prop_assert!(is_known, "{line}");
            }
        }
    }

    #[test]
    fn legal_moves_are_taken(seed in any::<u64>(), picks in vec(any::<usize>(), 30)) {
        let mut table = Table::new(1, 0, seed);
        for player in 0..2 {
            table.send(player, b"AGREE\n");
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
