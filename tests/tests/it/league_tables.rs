//! Tables of a league over real sockets, with players that play well and players that do not. That all is played as the
//! schedule says is verified of leagues' archives.

use std::io::Read as _;
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use end_to_end::native::Random;
use end_to_end::patience::{PATIENCE, connect, connect_now, listener, wait_for};
use end_to_end::{gat, uecda};
use league::schedule::Fixture;
use league::settings::Settings;
use league::table_session::{FixtureResult, SessionEnd, SessionOptions, SessionPlan, TableSession};
use serde_json::{Value, json};

/// The settings of a league of as many entrants as the game has seats; `rules` as the journal writes them.
fn settings(rules: &Value, session: u32, entrants: usize) -> Settings {
    let entrant = |number: usize| {
        json!({
            "name": format!("entrant {number}"),
            "start": { "command": ["none"] },
            "stderr-kib": 64,
        })
    };
    let entrants: Vec<_> = (0..entrants).map(entrant).collect();
    let mut settings: Settings = serde_json::from_value(json!({
        "title": "test",
        "rules": rules,
        "seed": 7,
        "format": "round-robin",
        "deals": 2,
        "duplicate": true,
        "session": session,
        "process": "fixture",
        "random-plies": 0,
        "clocks": { "start-ms": 20_000, "move-ms": null, "game-ms": null, "increment-ms": null },
        "anchor": 0,
        "margin": 20.0,
        "records": true,
        "entrants": entrants,
    }))
    .unwrap();
    // The players of GAT take line by line.
    settings.clocks.wait_ms = rules.get("geister").map(|_| 0);
    settings
}

fn daihinmin(session: u32) -> Settings {
    settings(&json!({ "daihinmin": {} }), session, 5)
}

fn geister() -> Settings {
    settings(&json!({ "geister": { "ply-limit": 200 } }), 1, 2)
}

fn score_four() -> Settings {
    settings(&json!({ "score-four": {} }), 1, 2)
}

struct Played {
    ended: SessionEnd,
    done: Vec<FixtureResult>,
    plan: SessionPlan,
}

impl Played {
    /// Asserts that the times and sums of all games agree.
    fn assert_sums(&self) {
        for (number, done) in self.done.iter().enumerate() {
            assert_eq!(done.number, number);
            let seats = self.plan.fixtures[number].seats.len();
            for game in &done.games {
                let times = game.slowest.iter().zip(&game.used);
                assert!(times.clone().all(|(slowest, used)| slowest <= used));
                assert_eq!(game.moves.iter().sum::<u32>(), game.plies);
                assert!(game.kinds.is_empty() || game.kinds.len() == seats);
                let lists = [game.places.len(), game.points.len(), times.len()];
                assert_eq!(lists, [seats; 3]);
            }
        }
    }
}

/// Plays so many deals of the first matchup; `start` starts the players, `meanwhile` is called for each fixture that is
/// over.
fn play(
    settings: &Settings,
    deals: u32,
    start: impl FnOnce(&[SocketAddr]) -> Vec<JoinHandle<()>>,
    mut meanwhile: impl FnMut(&FixtureResult, &SessionOptions) + Send,
) -> Played {
    let players: Vec<usize> = (0..settings.seats()).collect();
    let schedule = settings.plan();
    let block = |deal| schedule.block(0, &players, deal);
    let fixtures: Vec<Fixture> = (0..deals).flat_map(block).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let plan = SessionPlan {
        players,
        fixtures,
        record: Some(path.clone()),
        seeds: Vec::new(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let session = runtime
        .block_on(TableSession::open(settings, plan.clone()))
        .unwrap();
    let addresses = session.addresses().to_vec();
    let listeners: Vec<_> = addresses.iter().map(|&it| listener(it)).collect();
    let is_told = cfg!(target_os = "linux");
    assert!(listeners.iter().all(|it| it.is_some() == is_told));
    let players = start(&addresses);
    let options = SessionOptions::default();
    let mut done = Vec::new();
    let mut on_done = |one: FixtureResult| {
        meanwhile(&one, &options);
        done.push(one);
    };
    let ended = runtime.block_on(async {
        let limit = PATIENCE;
        tokio::time::timeout(limit, session.play(&options, &mut on_done))
            .await
            .expect("the session ends")
    });
    for player in players {
        player.join().unwrap();
    }
    for (address, own) in addresses.into_iter().zip(listeners) {
        wait_for("the port is closed", || {
            (own.is_none() || listener(address) != own).then_some(())
        });
    }
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        !text.contains("seed") && !text.contains("\"key\""),
        "{text}"
    );
    let played = Played { ended, done, plan };
    played.assert_sums();
    played
}

/// Starts players in the order of the addresses.
fn each(
    play: impl Fn(usize, SocketAddr) + Clone + Send + 'static,
) -> impl FnOnce(&[SocketAddr]) -> Vec<JoinHandle<()>> {
    move |addresses| {
        let start = |(number, &address): (usize, &SocketAddr)| {
            let play = play.clone();
            thread::spawn(move || play(number, address))
        };
        addresses.iter().enumerate().map(start).collect()
    }
}

/// Players of `UECda`; none for a number without one.
fn of_uecda(
    with: impl Fn(usize) -> Option<uecda::Player> + Clone + Send + 'static,
) -> impl FnOnce(&[SocketAddr]) -> Vec<JoinHandle<()>> {
    each(move |number, address| {
        if let Some(player) = with(number) {
            player.play(address.port(), mpsc::channel().0).unwrap();
        }
    })
}

fn honest(number: usize) -> uecda::Player {
    uecda::Player::honest(&format!("player {number}"))
}

/// Players of GAT that return until the server is gone or `games` are played.
fn of_gat(games: [u32; 2]) -> impl FnOnce(&[SocketAddr]) -> Vec<JoinHandle<()>> {
    each(move |number, address| {
        let own = listener(address);
        for game in 0..games[number] {
            // Nobody listens any more after the session, or another test does.
            let stream = connect_now(address.port());
            let Some(stream) = stream.ok().filter(|_| listener(address) == own) else {
                break;
            };
            let player = gat::Player::honest(u64::from(game) * 2 + number as u64);
            player.play_on(stream, &mpsc::channel().0);
        }
    })
}

fn of_native() -> impl FnOnce(&[SocketAddr]) -> Vec<JoinHandle<()>> {
    each(|number, address| {
        let player = Random::new(&format!("player {number}"), number as u64);
        assert!(player.sit(address.port()).join().is_ok());
    })
}

#[test]
fn finish_ends_after_the_fixture_and_stop_at_once() {
    let finish: fn(&SessionOptions) = |options| options.finish.cancel();
    let stop: fn(&SessionOptions) = |options| options.stop.cancel();
    for (wish, is_whole) in [(finish, true), (stop, false)] {
        let at_second = move |done: &FixtureResult, options: &SessionOptions| {
            if done.number == 1 {
                wish(options);
            }
        };
        let uecda = play(
            &daihinmin(2),
            2,
            of_uecda(|number| Some(honest(number))),
            at_second,
        );
        let gat = play(&geister(), 2, of_gat([4, 4]), at_second);
        let native = play(&score_four(), 3, of_native(), at_second);
        // Where programs stay, the wish comes when the next fixture has begun.
        for (played, finished) in [(uecda, 3), (gat, 2), (native, 3)] {
            let due = if is_whole { finished } else { 2 };
            assert_eq!(played.done.len(), due);
            assert_eq!(played.ended == SessionEnd::Whole, is_whole);
            assert!(is_whole || matches!(played.ended, SessionEnd::Void(_)));
        }
    }
}

#[test]
fn who_does_not_come_or_does_not_greet_is_named() {
    let assert_void = |played: &Played, reason: &str| {
        let due = SessionEnd::Void(reason.to_owned());
        assert_eq!((&played.ended, played.done.len()), (&due, 0));
    };
    let mut league = daihinmin(1);
    league.entrants[2].start_ms = Some(300);
    let absent = |number| (number != 2).then(|| honest(number));
    let played = play(&league, 1, of_uecda(absent), |_, _| {});
    assert_void(&played, "entrant 2 did not connect within 0.3 s");

    // Longer than the ordinary server waits for a profile.
    league.entrants[2].start_ms = Some(2500);
    let silent = each(move |number, address| {
        if number == 2 {
            assert_eq!(is_told(connect(address.port()).unwrap()), "");
        } else {
            let played = honest(number).play(address.port(), mpsc::channel().0);
            assert!(played.is_ok());
        }
    });
    let played = play(&league, 1, silent, |_, _| {});
    let reason = "entrant 2 has connected, but sent no whole profile within 2.5 s";
    assert_void(&played, reason);

    let mut league = geister();
    league.entrants[0].start_ms = Some(500);
    let played = play(&league, 2, of_gat([0, 1]), |_, _| {});
    assert_void(&played, "entrant 0 did not connect within 0.5 s");

    let mut league = score_four();
    league.entrants[1].start_ms = Some(400);
    let other_game = |addresses: &[SocketAddr]| {
        let port = addresses[1].port();
        vec![thread::spawn(move || {
            let mut client = end_to_end::native::Client::connect(port);
            client.say(r#"{"type":"hello","versions":[1],"name":"x","game":"blokus"}"#);
            client.error("game");
        })]
    };
    let played = play(&league, 1, other_game, |_, _| {});
    let reason = "entrant 1 has connected, but sent no greeting within 0.4 s";
    assert_void(&played, reason);
}

#[test]
fn strangers_hold_nobody_up_and_who_comes_twice_is_turned_away() {
    let start = |addresses: &[SocketAddr]| {
        let ports = addresses.iter().flat_map(|address| [address.port(); 3]);
        let strangers: Vec<_> = ports.map(|port| connect(port).unwrap()).collect();
        let strangers = strangers.into_iter();
        let silent = |stranger| thread::spawn(move || assert_eq!(is_told(stranger), ""));
        let mut all: Vec<_> = strangers.map(silent).collect();
        all.extend(of_uecda(|number| Some(honest(number)))(&addresses[..4]));
        let (seated, sits) = mpsc::channel();
        let port = addresses[4].port();
        let last = honest(4);
        all.push(thread::spawn(move || {
            assert!(last.play(port, seated).unwrap().finished);
        }));
        all.push(thread::spawn(move || {
            sits.recv().unwrap();
            let stranger = uecda::Player::honest("stranger");
            let stranger = stranger.play(port, mpsc::channel().0).unwrap();
            assert_eq!((stranger.number, stranger.games), (None, 0));
        }));
        all
    };
    let played = play(&daihinmin(1), 2, start, |_, _| {});
    assert_eq!((&played.ended, played.done.len()), (&SessionEnd::Whole, 10));
}

/// All bytes that a silent client receives.
fn is_told(mut stream: TcpStream) -> String {
    let mut told = String::new();
    // How it is closed does not matter.
    let _ = stream.read_to_string(&mut told);
    told
}
