//! Matches under a virtual clock.

mod clocks;
mod faults;
mod four_seats;
mod presence;
mod properties;
mod secrets;

use std::time::Duration;

use games::dobutsu::Rules as DobutsuRules;
use games::score_four::Rules as ScoreFourRules;
use games::{ByPlayer, Dobutsu, Game, ScoreFour};
use protocol::native::{ClientMessage, ErrorCode, Fault, SERVER_LINE_LIMIT, ServerMessage};

use super::{GameResult, MatchSettings, NativeReferee, Outbox, Referee};
use games::{GameName, Player};
use record::{Clocks, EndKind, Event, Header, ReadError, RecordReader, Replayed, What, replay};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn settings() -> MatchSettings<ScoreFourRules> {
    settings_of(ScoreFourRules {})
}

fn settings_of<R>(rules: R) -> MatchSettings<R> {
    MatchSettings {
        games: 2,
        swap: true,
        draw: false,
        rules,
        clocks: ByPlayer::of(
            2,
            Clocks {
                move_ms: Some(100),
                game_ms: Some(1000),
                increment_ms: None,
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
struct Bench {
    referee: NativeReferee<ScoreFour>,
    now: Duration,
    games: u32,
    /// By player, since they were last taken.
    told: [Vec<ServerMessage>; 2],
    closed: Vec<u8>,
    events: Vec<Event>,
}

impl Bench {
    fn new(settings: MatchSettings<ScoreFourRules>) -> Bench {
        let names = ["ana", "bo"].map(str::to_owned);
        let mut bench = Bench {
            games: settings.games,
            referee: NativeReferee::new(settings, &names),
            now: Duration::ZERO,
            told: [Vec::new(), Vec::new()],
            closed: Vec::new(),
            events: Vec::new(),
        };
        bench.act(Referee::start);
        bench
    }

    fn act(
        &mut self,
        act: impl FnOnce(&mut NativeReferee<ScoreFour>, Duration, &mut Outbox<ServerMessage>),
    ) {
        let mut out = Outbox::new();
        act(&mut self.referee, self.now, &mut out);
        for (player, message) in out.messages {
            self.told[player.index()].push(message);
        }
        self.closed
            .extend(out.close.iter().map(|player| player.number()));
        self.events.append(&mut out.events);
    }

    fn send(&mut self, player: u8, message: ClientMessage) {
        self.act(|referee, now, out| referee.receive(Player::new(player), Ok(message), now, out));
    }

    fn play(&mut self, player: u8, mv: &str) {
        let mv = mv.to_owned();
        let (game, ply) = (None, None);
        self.send(player, ClientMessage::Move { game, ply, mv });
    }

    fn fault(&mut self, player: u8, code: ErrorCode) {
        let fault = Fault {
            code,
            message: "m".to_owned(),
            sent: "s".to_owned(),
        };
        self.act(|referee, now, out| referee.receive(Player::new(player), Err(fault), now, out));
    }

    fn lose(&mut self, player: u8) {
        self.act(|referee, now, out| {
            referee.lose(Player::new(player), EndKind::Disconnect, "gone", now, out);
        });
    }

    fn rejoin(&mut self, player: u8, last: Option<u64>) {
        self.act(|referee, now, out| referee.rejoin(Player::new(player), last, now, out));
    }

    /// Goes on by so much time, and wakes the referee if it is due.
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

    /// What a player was told since the last call.
    fn take(&mut self, player: u8) -> Vec<ServerMessage> {
        std::mem::take(&mut self.told[usize::from(player)])
    }

    /// The codes of the errors that a player was told since the last call.
    fn errors(&mut self, player: u8) -> Vec<ErrorCode> {
        let told = self.take(player).into_iter();
        told.filter_map(|message| match message {
            ServerMessage::Error { code, .. } => Some(code),
            _ => None,
        })
        .collect()
    }

    /// Ends of the games so far: kinds by player.
    fn kinds(&self) -> Vec<Vec<EndKind>> {
        let events = self.events.iter();
        events
            .filter_map(|event| match &event.what {
                What::End { kinds, .. } => Some(kinds.clone()),
                _ => None,
            })
            .collect()
    }

    /// Plays the record again, which must not contradict itself.
    fn replay(&self) -> Replayed {
        self.replayed().unwrap()
    }

    fn replayed(&self) -> Result<Replayed, ReadError> {
        let header = Header::new(GameName::ScoreFour, "m", "native", Vec::new(), self.games);
        let header = header.with_rules(&ScoreFourRules {});
        let mut text = serde_json::to_string(&header).unwrap();
        for event in &self.events {
            text += "\n";
            text += &serde_json::to_string(event).unwrap();
        }
        replay(RecordReader::new(text.as_bytes(), "r")?)
    }
}

/// The first player of the game wins.
const WIN: [&str; 7] = ["a1", "a2", "b1", "b2", "c1", "c2", "d1"];

/// Where no rule ends the game of two clients that move to and fro, its greatest length does.
#[test]
fn a_game_has_a_greatest_length_and_a_view_of_it_fits_into_a_line() {
    let rules = DobutsuRules {
        repetition: 0,
        ply_limit: 0,
        ..DobutsuRules::default()
    };
    let names = ["ana", "bo"].map(str::to_owned);
    let mut referee = NativeReferee::<Dobutsu>::new(settings_of(rules), &names);
    let mut out = Outbox::new();
    referee.start(ms(0), &mut out);
    let mut longest = 0;
    for (player, mv) in [(0, "1d1c"), (1, "3a3b"), (0, "1c1d"), (1, "3b3a")]
        .iter()
        .cycle()
    {
        let take = |message, referee: &mut NativeReferee<Dobutsu>, out: &mut Outbox<_>| {
            referee.receive(Player::new(*player), Ok(message), ms(0), out);
        };
        take(ClientMessage::View, &mut referee, &mut out);
        let (game, ply, mv) = (None, None, (*mv).to_owned());
        take(
            ClientMessage::Move { game, ply, mv },
            &mut referee,
            &mut out,
        );
        let lines = out
            .messages
            .drain(..)
            .map(|(_, message)| message.to_line().len());
        longest = lines.fold(longest, usize::max);
        if !referee.results().is_empty() {
            break;
        }
    }
    let result = &referee.results()[0];
    assert_eq!(
        (result.plies, result.rule),
        (Dobutsu::MOST_PLIES, Some("ply-limit"))
    );
    assert!((10_000..SERVER_LINE_LIMIT).contains(&longest), "{longest}");
}

#[test]
fn a_match_of_two_games_with_seats_swapped() {
    let mut bench = Bench::new(settings());
    let told = bench.take(1);
    let kinds: Vec<&str> = told.iter().map(kind).collect();
    assert_eq!(kinds, ["match", "game", "view"]);
    let told = bench.take(0);
    assert_eq!(
        told.iter().map(kind).collect::<Vec<_>>(),
        ["match", "game", "view", "request"]
    );
    for (ply, mv) in (0..).zip(WIN) {
        bench.play(ply % 2, mv);
    }
    let told = bench.take(1);
    let last: Vec<&str> = told.iter().rev().map(kind).take(5).collect();
    assert_eq!(last, ["request", "view", "game", "result", "moved"]);
    let Some(ServerMessage::Result {
        places,
        scores,
        end,
        by,
        ..
    }) = told.iter().rev().nth(3)
    else {
        panic!();
    };
    assert_eq!((&places[..], &scores[..]), (&[1, 2][..], &[1.0, 0.0][..]));
    assert_eq!((end.as_str(), *by), ("line", None));
    let Some(ServerMessage::View {
        seat,
        game,
        to_move,
        ..
    }) = told.iter().rev().nth(1)
    else {
        panic!();
    };
    assert_eq!((*seat, *game, *to_move), (0, 2, Some(0)));
    for (ply, mv) in (0..).zip(WIN) {
        bench.play(1 - ply % 2, mv);
    }
    assert!(bench.referee.is_over());
    assert_eq!(bench.closed, [0, 1]);
    let told = bench.take(0);
    let Some(ServerMessage::Over {
        games,
        scores,
        reason,
        event,
    }) = told.last()
    else {
        panic!();
    };
    assert_eq!((*games, &scores[..], reason), (2, &[1.0, 1.0][..], &None));
    // Two games of a beginning, seven moves and a result, and the end.
    assert_eq!(*event, 2 * 9 + 1);
    let sum = bench.replay();
    assert_eq!(
        (sum.games, sum.plies, sum.points),
        (2, 14, [1.0, 1.0].into())
    );
    assert!(sum.closed);
}

#[test]
fn events_are_numbered_and_the_same_for_both() {
    let mut bench = Bench::new(settings());
    bench.play(0, "b3");
    bench.send(1, ClientMessage::Resign);
    bench.play(1, "c3");
    bench.play(0, "xx");
    let told = [bench.take(0), bench.take(1)];
    let events = told.each_ref().map(|told| {
        let all = told.iter().filter(|message| message.event().is_some());
        all.cloned().collect::<Vec<_>>()
    });
    assert_eq!(events[0], events[1]);
    let numbers: Vec<u64> = events[0].iter().filter_map(ServerMessage::event).collect();
    assert!(
        numbers.iter().copied().eq(1..=numbers.len() as u64),
        "{numbers:?}"
    );
}

#[test]
fn games_in_pairs_begin_with_the_same_random_plies() {
    let positions = |settings: MatchSettings<ScoreFourRules>| {
        let mut bench = Bench::new(settings);
        while !bench.referee.is_over() {
            bench.send(0, ClientMessage::Resign);
        }
        assert_eq!(bench.replay().games, 4);
        let events = bench.events.iter();
        events
            .filter_map(|event| match &event.what {
                What::Begin { position, .. } => position.clone(),
                _ => None,
            })
            .collect::<Vec<String>>()
    };
    let random = MatchSettings {
        games: 4,
        opening: 5,
        ..settings()
    };
    let pairs = positions(random.clone());
    assert_eq!(pairs.len(), 4);
    assert!(pairs.iter().all(|text| text.len() == 10), "{pairs:?}");
    assert_eq!((&pairs[0], &pairs[2]), (&pairs[1], &pairs[3]));
    assert_ne!(pairs[0], pairs[2]);
    assert_eq!(positions(random.clone()), pairs);
    let single = positions(MatchSettings {
        swap: false,
        ..random.clone()
    });
    assert_ne!(single[0], single[1]);
    assert_ne!(positions(MatchSettings { seed: 2, ..random }), pairs);
}

#[test]
fn games_begin_in_the_position_that_is_given() {
    let mut bench = Bench::new(MatchSettings {
        position: "a1b2c3".to_owned(),
        ..settings()
    });
    assert_eq!(bench.referee.game().map(Game::ply), Some(3));
    // The second seat is to move.
    bench.send(1, ClientMessage::Resign);
    bench.send(1, ClientMessage::Resign);
    assert_eq!(bench.replay().games, 2);
    let begins = bench.events.iter().filter_map(|event| match &event.what {
        What::Begin { position, .. } => position.as_deref(),
        _ => None,
    });
    assert_eq!(begins.collect::<Vec<_>>(), ["a1b2c3"; 2]);
}

fn kind(message: &ServerMessage) -> &'static str {
    match message {
        ServerMessage::Welcome { .. } => "welcome",
        ServerMessage::Match { .. } => "match",
        ServerMessage::Game { .. } => "game",
        ServerMessage::View { .. } => "view",
        ServerMessage::Request { .. } => "request",
        ServerMessage::Moved { .. } => "moved",
        ServerMessage::Out { .. } => "out",
        ServerMessage::Presence { .. } => "presence",
        ServerMessage::Legal { .. } => "legal",
        ServerMessage::Result { .. } => "result",
        ServerMessage::Over { .. } => "over",
        ServerMessage::Error { .. } => "error",
        _ => unreachable!("the referee sends no other message"),
    }
}
