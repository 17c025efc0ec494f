//! Matches for four: seats that go out one by one.

mod ends;

use games::blokus::Rules as BlokusRules;
use games::{Blokus, Seating};
use proptest::prelude::*;

use super::*;

const NAMES: [&str; 4] = ["ana", "bo", "cho", "dan"];

fn settings() -> MatchSettings<BlokusRules> {
    MatchSettings {
        games: 2,
        swap: true,
        draw: false,
        rules: BlokusRules::default(),
        clocks: ByPlayer::of(
            4,
            Clocks {
                move_ms: Some(100),
                game_ms: Some(1000),
                increment_ms: Some(50),
            },
        ),
        resume: ms(500),
        ready: ms(2000),
        retries: 0,
        timeouts: 0,
        goes_on: false,
        opening: 0,
        position: String::new(),
        seed: 1,
        given: Vec::new(),
    }
}

/// A referee, the time, and all that has come out of it.
struct Table {
    referee: NativeReferee<Blokus>,
    now: Duration,
    told: [Vec<ServerMessage>; 4],
    closed: Vec<u8>,
    events: Vec<Event>,
    results: Vec<GameResult>,
}

impl Table {
    fn new(settings: MatchSettings<BlokusRules>) -> Table {
        let mut table = Table {
            referee: NativeReferee::new(settings, &NAMES.map(str::to_owned)),
            now: Duration::ZERO,
            told: Default::default(),
            closed: Vec::new(),
            events: Vec::new(),
            results: Vec::new(),
        };
        table.act(Referee::start);
        table
    }

    fn act(
        &mut self,
        act: impl FnOnce(&mut NativeReferee<Blokus>, Duration, &mut Outbox<ServerMessage>),
    ) {
        let mut out = Outbox::new();
        act(&mut self.referee, self.now, &mut out);
        for (player, message) in out.messages {
            self.told[player.index()].push(message);
        }
        self.closed
            .extend(out.close.iter().map(|player| player.number()));
        self.events.append(&mut out.events);
        self.results = self.referee.results().to_vec();
    }

    fn send(&mut self, player: u8, message: ClientMessage) {
        self.act(|referee, now, out| referee.receive(Player::new(player), Ok(message), now, out));
    }

    /// The player to move plays its first legal move from a number on.
    fn play(&mut self, from: usize) {
        let Some(player) = self.mover() else { return };
        let legal = self.referee.game().map(Game::legal_texts);
        let legal = legal.unwrap_or_default();
        let mv = legal[from % legal.len()].clone();
        let (game, ply) = (None, None);
        self.send(player, ClientMessage::Move { game, ply, mv });
    }

    fn mover(&self) -> Option<u8> {
        self.referee
            .play
            .as_ref()
            .and_then(super::super::Play::mover)
            .map(Player::number)
    }

    fn wait(&mut self, time: u64) {
        self.now += ms(time);
        if self
            .referee
            .next_deadline()
            .is_some_and(|at| at <= self.now)
        {
            self.act(Referee::wake);
        }
    }

    fn outs(&mut self, player: usize) -> Vec<(u8, String)> {
        let told = std::mem::take(&mut self.told[player]).into_iter();
        told.filter_map(|message| match message {
            ServerMessage::Out { seat, end, .. } => Some((seat, end)),
            _ => None,
        })
        .collect()
    }

    /// Plays the record again, which must not contradict itself.
    fn replay(&self) -> Replayed {
        let header = Header::new(GameName::Blokus, "m", "native", Vec::new(), 2);
        let mut text = serde_json::to_string(&header.with_rules(&BlokusRules::default())).unwrap();
        for event in &self.events {
            text += "\n";
            text += &serde_json::to_string(event).unwrap();
        }
        replay(RecordReader::new(text.as_bytes(), "r").unwrap()).unwrap()
    }
}

#[test]
fn a_timeout_takes_one_seat_and_the_next_is_asked() {
    let mut table = Table::new(settings());
    table.play(0);
    table.wait(1100);
    assert_eq!(table.outs(0), [(1, "timeout".to_owned())]);
    assert_eq!(table.mover(), Some(2));
    let asked = table.told[2].last();
    let Some(ServerMessage::Request {
        ply: 1,
        left_ms: Some(1100),
        ..
    }) = asked
    else {
        panic!("{asked:?}");
    };
    // The late move is no fault any more.
    let late = ClientMessage::Move {
        game: Some(1),
        ply: Some(1),
        mv: "t20".to_owned(),
    };
    table.send(1, late);
    let Some(ServerMessage::Error { code, .. }) = table.told[1].last() else {
        panic!();
    };
    assert_eq!(*code, ErrorCode::NotYourTurn);
    table.send(1, ClientMessage::Resign);
    let Some(ServerMessage::Error { code, .. }) = table.told[1].last() else {
        panic!();
    };
    assert_eq!(*code, ErrorCode::NoGame);
    while table.results.is_empty() {
        table.play(7);
    }
    let result = &table.results[0];
    assert_eq!(
        (result.rule, result.places[Player::new(1)]),
        (Some("no-moves"), 3)
    );
    let mut kinds = [EndKind::Normal; 4];
    kinds[1] = EndKind::Timeout;
    assert_eq!(result.kinds, kinds);
    // In the next game it plays again.
    assert_eq!(
        table.referee.play.as_ref().unwrap().seating,
        Seating::rotation(4, 3)
    );
    assert_eq!(table.mover(), Some(1));
    assert!(!table.referee.is_over());
}

#[test]
fn nothing_costs_a_seat_that_is_out_by_the_rules_its_game() {
    let mut table = Table::new(settings());
    let mut gone = None;
    while table.results.is_empty() {
        table.play(3);
        let outs = table.outs(0);
        if let (None, Some((seat, _)), None) = (gone, outs.first(), table.results.first()) {
            gone = Some(*seat);
            table.send(*seat, ClientMessage::Leave);
            assert_eq!(table.closed, [*seat]);
        }
    }
    let gone = gone.expect("seats go out one by one");
    assert_eq!(table.results[0].kinds, [EndKind::Normal; 4]);
    assert!(table.referee.is_over());
    let reason = format!("player {gone} is gone: it gave up its seat");
    assert_eq!(table.referee.reason(), Some(&reason[..]));
    let Some(What::Result { kinds, .. }) = table.events.last().map(|event| &event.what) else {
        panic!();
    };
    assert_eq!(kinds[usize::from(gone)], EndKind::Disconnect);
    assert!(table.replay().closed);
}

/// Plays until the match is over; those that are `late` let their time run out.
fn play_out(table: &mut Table, late: &[u8]) {
    for turn in 0..2000 {
        match table.mover() {
            None => return,
            Some(player) if late.contains(&player) => table.wait(2000),
            Some(_) => table.play(turn % 3),
        }
    }
    panic!("no end");
}

#[test]
fn the_others_play_on_without_one_that_is_gone() {
    let mut table = Table::new(MatchSettings {
        games: 3,
        goes_on: true,
        ..settings()
    });
    table.play(0);
    table.act(|referee, now, out| {
        referee.lose(Player::new(2), EndKind::Disconnect, "gone", now, out);
    });
    table.wait(600);
    assert_eq!(table.closed, [] as [u8; 0]);
    play_out(&mut table, &[]);
    assert_eq!((table.results.len(), table.referee.reason()), (3, None));
    for result in &table.results {
        let mut due = [EndKind::Normal; 4];
        due[2] = EndKind::Disconnect;
        assert_eq!(result.kinds, due);
        assert_eq!(result.places[Player::new(2)], 3);
    }
    assert_eq!(table.replay().games, 3);
    // Where one alone is left, nothing is played on.
    let mut table = Table::new(MatchSettings {
        games: 3,
        goes_on: true,
        ..settings()
    });
    for player in [0, 2, 3] {
        assert!(!table.referee.is_over());
        table.send(player, ClientMessage::Leave);
    }
    assert!(table.referee.is_over());
    assert_eq!(
        table.referee.reason(),
        Some("player 3 is gone: it gave up its seat")
    );
}

#[test]
fn one_that_is_late_again_and_again_is_out_and_the_others_play_on() {
    let mut table = Table::new(MatchSettings {
        games: 4,
        timeouts: 2,
        goes_on: true,
        ..settings()
    });
    play_out(&mut table, &[1]);
    assert_eq!((table.results.len(), table.referee.reason()), (4, None));
    let kinds = table
        .results
        .iter()
        .map(|result| result.kinds[Player::new(1)]);
    assert!(kinds.into_iter().all(|kind| kind == EndKind::Timeout));
    assert!(table.closed.contains(&1) && table.referee.is_gone(Player::new(1)));
    // It was waited for in two games only.
    let lost = table.events.iter().filter_map(|event| match &event.what {
        What::Forfeit { reason, .. } => Some(&reason[..]),
        _ => None,
    });
    let lost: Vec<&str> = lost.collect();
    assert_eq!(
        lost,
        [
            "its time is up",
            "its time is up",
            "it is gone",
            "it is gone"
        ]
    );
    assert_eq!(table.replay().games, 4);
}

#[test]
fn who_has_left_hears_nothing_more_and_cannot_come_back() {
    let mut table = Table::new(settings());
    table.send(2, ClientMessage::Leave);
    let told = std::mem::take(&mut table.told[2]);
    assert_eq!(told.last().map(kind), Some("out"));
    let told = std::mem::take(&mut table.told[0]);
    let last: Vec<&str> = told.iter().rev().take(2).map(kind).collect();
    assert_eq!(last, ["presence", "out"]);
    assert_eq!(table.closed, [2]);
    table.play(0);
    table.wait(900);
    table.send(2, ClientMessage::View);
    assert!(table.told[2].is_empty());
    table.act(|referee, now, out| referee.rejoin(Player::new(2), None, now, out));
    assert!(table.referee.is_gone(Player::new(2)) && !table.referee.is_gone(Player::new(0)));
    assert!(table.told[2].is_empty());
    assert_eq!(table.closed, [2, 2]);
    assert!(!table.referee.is_over());
    while !table.referee.is_over() {
        table.play(1);
    }
    assert_eq!(table.results.len(), 1);
    assert_eq!(table.results[0].kinds[Player::new(2)], EndKind::Disconnect);
    assert!(table.replay().closed);
}

#[test]
fn an_increment_is_added_to_the_budget_after_each_move() {
    let mut table = Table::new(settings());
    table.wait(300);
    table.play(0);
    let moved = table.told[3].last();
    let Some(ServerMessage::Moved {
        used_ms: 300,
        budget_ms: Some(750),
        ..
    }) = moved
    else {
        panic!("{moved:?}");
    };
    // More than the budget: the time of the move is gone too, and the increment comes all the same.
    table.wait(1080);
    table.play(0);
    let Some(ServerMessage::Moved {
        budget_ms: Some(50),
        ..
    }) = table.told[3]
        .iter()
        .rfind(|message| kind(message) == "moved")
    else {
        panic!();
    };
    let clocks = settings().clocks_of(Player::new(0));
    assert_eq!(
        (clocks.budget_ms, clocks.increment_ms),
        (Some(1000), Some(50))
    );
}

#[test]
fn seats_are_drawn_for_each_round_or_each_game() {
    let drawn = MatchSettings {
        draw: true,
        ..settings()
    };
    let numbers = |settings: &MatchSettings<BlokusRules>, game| -> Vec<u8> {
        let seating = settings.seating(game, 4);
        seating.players().iter().map(|p| p.number()).collect()
    };
    let seatings: Vec<Vec<u8>> = (0..400).map(|game| numbers(&drawn, game)).collect();
    for round in seatings.chunks(4) {
        for seat in 0..4 {
            let mut players: Vec<u8> = round.iter().map(|players| players[seat]).collect();
            players.sort_unstable();
            assert_eq!(players, [0, 1, 2, 3]);
        }
    }
    let mut orders: Vec<&Vec<u8>> = seatings.iter().step_by(4).collect();
    orders.sort_unstable();
    orders.dedup();
    assert_eq!(orders.len(), 24);
    let single = MatchSettings {
        swap: false,
        ..drawn.clone()
    };
    let first = (0..400)
        .filter(|&game| numbers(&single, game)[0] == 0)
        .count();
    assert!((60..140).contains(&first), "{first}");
    assert_eq!(numbers(&settings(), 5), [1, 2, 3, 0]);
    let fixed = MatchSettings {
        swap: false,
        ..settings()
    };
    assert_eq!(numbers(&fixed, 5), [0, 1, 2, 3]);
}

#[test]
fn a_player_that_comes_and_goes_cannot_fill_the_memory() {
    let mut table = Table::new(MatchSettings {
        clocks: ByPlayer::of(4, Clocks::default()),
        ..settings()
    });
    for _ in 0..2000 {
        table.act(|referee, now, out| {
            referee.lose(Player::new(1), EndKind::Disconnect, "gone", now, out);
        });
        table.act(|referee, now, out| referee.rejoin(Player::new(1), Some(u64::MAX), now, out));
    }
    table.told[1].clear();
    table.act(|referee, now, out| referee.rejoin(Player::new(1), Some(0), now, out));
    let told = &table.told[1];
    let events: Vec<u64> = told.iter().filter_map(ServerMessage::event).collect();
    assert_eq!(events.len(), super::super::history::MOST_KEPT);
    assert_eq!(events.last(), Some(&4001));
    let bytes: usize = told.iter().map(|message| message.to_line().len()).sum();
    assert!(bytes < crate::referee::MOST_PENDING / 2);
}

#[derive(Clone, Debug)]
enum Act {
    Play(usize),
    Send(u8, ClientMessage),
    Fault(u8),
    Lose(u8),
    Rejoin(u8),
    Wait(u64),
}

fn act() -> impl Strategy<Value = Act> {
    let player = || 0_u8..4;
    prop_oneof![
        60 => any::<usize>().prop_map(Act::Play),
        1 => (player(), prop_oneof![
            Just(ClientMessage::Resign),
            (1_u32..4).prop_map(|game| ClientMessage::Crash { game }),
            (1_u32..4).prop_map(|game| ClientMessage::Ready { game }),
            Just(ClientMessage::Legal),
            Just(ClientMessage::Leave),
        ]).prop_map(|(p, message)| Act::Send(p, message)),
        1 => player().prop_map(Act::Fault),
        1 => player().prop_map(Act::Lose),
        2 => player().prop_map(Act::Rejoin),
        2 => (0_u64..700).prop_map(Act::Wait),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_course_of_a_match_is_sound(acts in proptest::collection::vec(act(), 0..200), opening in 0_u32..5) {
        let mut table = Table::new(MatchSettings { opening, ..settings() });
        for act in acts {
            match act {
                Act::Play(from) => table.play(from),
                Act::Send(player, message) => table.send(player, message),
                Act::Fault(player) => {
                    let fault = Fault { code: ErrorCode::Malformed, message: "m".to_owned(), sent: "s".to_owned() };
                    table.act(|referee, now, out| referee.receive(Player::new(player), Err(fault), now, out));
                }
                Act::Lose(player) => table.act(|referee, now, out| referee.lose(Player::new(player), EndKind::Disconnect, "gone", now, out)),
                Act::Rejoin(player) => table.act(|referee, now, out| referee.rejoin(Player::new(player), None, now, out)),
                Act::Wait(time) => table.wait(time),
            }
            if let Some(deadline) = table.referee.next_deadline() {
                prop_assert!(deadline > table.now);
            }
            prop_assert_eq!(table.referee.is_over(), table.referee.next_deadline().is_none());
        }
        if !table.referee.is_over() {
            table.act(Referee::stop);
        }
        let sum = table.replay();
        prop_assert!(sum.closed && !sum.unfinished);
        for result in table.results.iter().filter(|result| !result.places.is_empty()) {
            let faults = result.kinds.iter().filter(|kind| **kind != EndKind::Normal).count();
            for (kind, place) in result.kinds.iter().zip(&result.places) {
                prop_assert_eq!(*kind != EndKind::Normal, usize::from(*place) == 4 - faults && faults > 0);
            }
            let total: f64 = result.points.iter().sum();
            prop_assert!((total - 1.0).abs() < 1e-9);
        }
    }
}
