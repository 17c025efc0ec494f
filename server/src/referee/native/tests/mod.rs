//! Matches under a virtual clock: dialogues, and what no dialogue can say.

mod four_seats;
mod secrets;

use std::time::Duration;

use games::dobutsu::Rules as DobutsuRules;
use games::{Blokus, ByPlayer, Dobutsu, Game, Player, ScoreFour};
use protocol::native::{
    ClientMessage, ErrorCode, Fault, SERVER_LINE_LIMIT, ServerEnd, ServerMessage,
};

use super::{MatchSettings, NativeReferee, Outbox, Referee};
use crate::referee::testing::{self, Dialogue};
use record::{Clocks, EndKind, Event, Header, ReadError, Replayed, What};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn settings<G: Game>() -> MatchSettings<G::Rules> {
    let clocks = Clocks {
        move_ms: Some(100),
        game_ms: Some(1000),
        increment_ms: None,
    };
    MatchSettings {
        games: 2,
        swap: true,
        draw: false,
        rules: G::Rules::default(),
        clocks: ByPlayer::of(G::SEATS, clocks),
        resume: ms(500),
        ready: ms(2000),
        retries: 0,
        timeouts: 0,
        goes_on: false,
        draws: false,
        opening: 0,
        position: String::new(),
        seed: 1,
        given: Vec::new(),
    }
}

fn new<G: Game>(settings: MatchSettings<G::Rules>) -> NativeReferee<G> {
    let names = ["ana", "bo", "cho", "dan"].map(str::to_owned);
    NativeReferee::new(settings, &names[..G::SEATS])
}

/// What the tables of a dialogue are like, and the ends of their connections.
struct Tables<G: Game> {
    settings: MatchSettings<G::Rules>,
    ends: Vec<ServerEnd>,
}

impl<G: Game> Default for Tables<G> {
    fn default() -> Tables<G> {
        Tables {
            settings: settings::<G>(),
            ends: Vec::new(),
        }
    }
}

impl<G: Game> Dialogue for Tables<G> {
    type Referee = NativeReferee<G>;

    fn set(&mut self, key: &str, value: &str) {
        let number = value.parse().ok();
        let count = || number.expect("a number") as u32;
        let settings = &mut self.settings;
        let clocks = &mut settings.clocks;
        let mut clock = |set: fn(&mut Clocks, Option<u64>)| {
            clocks.iter_mut().for_each(|clocks| set(clocks, number));
        };
        match key {
            "games" => settings.games = count(),
            "swap" => settings.swap = value == "yes",
            "goes-on" => settings.goes_on = value == "yes",
            "draws" => settings.draws = value == "yes",
            "retries" => settings.retries = count(),
            "timeouts" => settings.timeouts = count(),
            "resume-ms" => settings.resume = ms(u64::from(count())),
            "position" => value.clone_into(&mut settings.position),
            "move-ms" => clock(|clocks, ms| clocks.move_ms = ms),
            "budget-ms" => clock(|clocks, ms| clocks.game_ms = ms),
            "increment-ms" => clock(|clocks, ms| clocks.increment_ms = ms),
            _ => panic!("no setting {key}"),
        }
    }

    fn table(&mut self) -> NativeReferee<G> {
        self.ends = vec![ServerEnd::default(); G::SEATS];
        new(self.settings.clone())
    }

    fn read(
        &mut self,
        referee: &NativeReferee<G>,
        player: Player,
        text: &str,
        now: Duration,
    ) -> Vec<Result<ClientMessage, Fault>> {
        let end = &mut self.ends[player.index()];
        let legal = referee.game().map(Game::legal_texts).unwrap_or_default();
        let bytes = match (text, legal.first()) {
            ("lowest", Some(mv)) => format!(r#"{{"type":"move","move":"{mv}"}}"#).into_bytes(),
            _ => testing::bytes(text),
        };
        end.receive(&bytes, now);
        end.receive(b"\n", now);
        std::iter::from_fn(|| end.next_message(now)).collect()
    }

    fn print(&mut self, player: Player, message: &ServerMessage) -> String {
        let line = self.ends[player.index()].send(message);
        line.trim_end().to_owned()
    }

    fn awaited(&self, referee: &NativeReferee<G>) -> Option<Player> {
        referee.play.as_ref()?.mover()
    }

    fn is_at(&self, referee: &NativeReferee<G>, what: &str) -> bool {
        let play = referee.play.as_ref().expect("a game");
        let playing = play.ends.iter().filter(|end| end.is_none()).count();
        let is_out = |player| play.ends[play.seating.seat_of(player)].is_some();
        let mut out = Player::all(G::SEATS).filter(|&player| is_out(player));
        what == format!("game {}", play.number)
            || what == format!("{playing} play")
            || out.any(|player| what == format!("player {} is out", player.number()))
    }

    fn reconnect(&mut self, player: Player) {
        self.ends[player.index()] = ServerEnd::default();
    }

    fn verify(&self, events: &[Event]) {
        replayed::<G>(events, self.settings.games).expect("no contradiction");
    }
}

#[test]
fn dialogues_go_as_they_are_written() {
    testing::play_all::<Tables<ScoreFour>>("native");
    testing::play_all::<Tables<Blokus>>("native_four");
}

/// Plays a record again.
fn replayed<G: Game>(events: &[Event], games: u32) -> Result<Replayed, ReadError> {
    let header = Header::new(G::NAME, "m", "native", Vec::new(), games);
    testing::replayed(&header.with_rules(&G::Rules::default()), events)
}

/// A referee, the time, and all that has come out of it.
struct Bench<G: Game> {
    referee: NativeReferee<G>,
    now: Duration,
    /// By player, since they were last taken.
    told: Vec<Vec<ServerMessage>>,
    events: Vec<Event>,
}

impl<G: Game> Bench<G> {
    fn new(settings: MatchSettings<G::Rules>) -> Bench<G> {
        let mut bench = Bench {
            referee: new(settings),
            now: Duration::ZERO,
            told: vec![Vec::new(); G::SEATS],
            events: Vec::new(),
        };
        bench.act(Referee::start);
        bench
    }

    fn act(&mut self, act: impl FnOnce(&mut NativeReferee<G>, &mut Outbox<ServerMessage>)) {
        let mut out = Outbox::at(self.now);
        act(&mut self.referee, &mut out);
        for (player, message) in out.messages {
            self.told[player.index()].push(message);
        }
        self.events.append(&mut out.events);
    }

    fn send(&mut self, player: u8, message: ClientMessage) {
        self.act(|referee, out| referee.receive(Player::new(player), Ok(message), out));
    }

    fn play(&mut self, player: u8, mv: &str) {
        let mv = mv.to_owned();
        let (game, ply) = (None, None);
        self.send(player, ClientMessage::Move { game, ply, mv });
    }

    fn mover(&self) -> Option<u8> {
        let play = self.referee.play.as_ref()?;
        play.mover().map(Player::number)
    }

    fn fault(&mut self, player: u8, code: ErrorCode) {
        let fault = Fault {
            code,
            message: "m".to_owned(),
            sent: "s".to_owned(),
        };
        self.act(|referee, out| referee.receive(Player::new(player), Err(fault), out));
    }

    fn lose(&mut self, player: u8) {
        self.act(|referee, out| {
            referee.lose(Player::new(player), EndKind::Disconnect, "gone", out);
        });
    }

    fn rejoin(&mut self, player: u8, last: Option<u64>) {
        self.act(|referee, out| referee.rejoin(Player::new(player), last, out));
    }

    /// What a player was told since the last call.
    fn take(&mut self, player: u8) -> Vec<ServerMessage> {
        std::mem::take(&mut self.told[usize::from(player)])
    }

    fn replay(&self) -> Replayed {
        let games = self.referee.settings.games;
        replayed::<G>(&self.events, games).expect("no contradiction")
    }
}

/// Where no rule ends the game of two clients that move to and fro, its greatest length does.
#[test]
fn a_game_has_a_greatest_length_and_a_view_of_it_fits_into_a_line() {
    let rules = DobutsuRules {
        repetition: 0,
        ply_limit: 0,
        ..DobutsuRules::default()
    };
    let mut referee = new::<Dobutsu>(MatchSettings {
        rules,
        ..settings::<Dobutsu>()
    });
    let mut out = Outbox::at(ms(0));
    referee.start(&mut out);
    let mut longest = 0;
    for (player, mv) in [(0, "1d1c"), (1, "3a3b"), (0, "1c1d"), (1, "3b3a")]
        .iter()
        .cycle()
    {
        let take = |message, referee: &mut NativeReferee<Dobutsu>, out: &mut Outbox<_>| {
            referee.receive(Player::new(*player), Ok(message), out);
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
fn games_in_pairs_begin_with_the_same_random_plies() {
    let positions = |settings: MatchSettings<<ScoreFour as Game>::Rules>| {
        let mut bench = Bench::<ScoreFour>::new(settings);
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
        ..settings::<ScoreFour>()
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

/// Verification fails if the line of the fault is deleted.
#[test]
fn a_record_explains_each_fault() {
    for is_illegal in [true, false] {
        let mut bench = Bench::<ScoreFour>::new(settings::<ScoreFour>());
        if is_illegal {
            bench.play(0, "e5");
        } else {
            bench.fault(0, ErrorCode::Malformed);
        }
        bench.send(0, ClientMessage::Resign);
        assert!(bench.replay().closed);
        let events = &mut bench.events;
        events.retain(|event| !matches!(event.what, What::Refused { .. }));
        let error = replayed::<ScoreFour>(events, 2).unwrap_err().to_string();
        assert!(
            error.contains("no line of the record explains the fault"),
            "{error}"
        );
    }
}

#[test]
fn who_has_missed_long_lines_is_not_sent_more_than_it_may_leave_unread() {
    let mut bench = Bench::<ScoreFour>::new(MatchSettings {
        games: 500,
        swap: false,
        ..settings::<ScoreFour>()
    });
    bench.lose(1);
    bench.take(1);
    while bench.referee.number < 500 {
        // Four bytes each, as many characters as are repeated of a field.
        let fault = Fault {
            code: ErrorCode::Malformed,
            message: "\u{1d11e}".repeat(160),
            sent: String::new(),
        };
        bench.act(|referee, out| referee.receive(Player::new(0), Err(fault), out));
    }
    bench.rejoin(1, Some(1));
    let told = bench.take(1);
    let bytes: usize = told.iter().map(|message| message.to_line().len()).sum();
    let most = crate::referee::MOST_PENDING;
    assert!(bytes < most && bytes > most / 2, "{bytes}");
    // What it gets is without gaps up to the last.
    let numbers: Vec<u64> = told.iter().filter_map(ServerMessage::event).collect();
    let first = numbers[0];
    assert!(
        numbers
            .iter()
            .copied()
            .eq(first..first + numbers.len() as u64)
    );
    assert_eq!(numbers.last(), Some(&bench.referee.history.last()));
}
