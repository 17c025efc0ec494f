//! Blokus and score four: a game for each fixture, on one connection.

use std::net::SocketAddr;
use std::thread::JoinHandle;

use end_to_end::native::{Act, Heard, Random};
use league::settings::Settings;
use league::table_session::SessionEnd;
use record::{EndKind, What};
use serde_json::json;

use super::{Played, fixtures, play, spawn};

fn score_four() -> Settings {
    let mut league = super::settings(&json!({ "score-four": {} }), 1, 2);
    league.points = Some([3.0, 1.0, 0.0]);
    league
}

fn blokus() -> Settings {
    super::settings(&json!({ "blokus": { "scoring": "advanced" } }), 1, 4)
}

/// Players in the order of the addresses; `with` makes each.
fn players(with: impl Fn(usize) -> Random) -> impl FnOnce(&[SocketAddr]) -> Vec<JoinHandle<Heard>> {
    move |addresses| {
        let start = |(number, address): (usize, &SocketAddr)| {
            let (player, port) = (with(number), address.port());
            spawn(move || player.sit(port).join().unwrap())
        };
        addresses.iter().enumerate().map(start).collect()
    }
}

fn random(number: usize) -> Random {
    Random::new(&format!("player {number}"), number as u64)
}

fn begins(played: &Played) -> Vec<(Vec<usize>, Option<String>)> {
    let begin = |what: &What| match what {
        What::Begin {
            seats, position, ..
        } => Some((
            seats.iter().map(|&p| usize::from(p)).collect(),
            position.clone(),
        )),
        _ => None,
    };
    played
        .record
        .iter()
        .filter_map(|event| begin(&event.what))
        .collect()
}

#[test]
fn rotations_have_the_same_opening_with_the_seats_of_the_schedule() {
    let mut league = score_four();
    league.random_plies = 4;
    let (played, heard) = play(&league, fixtures(&league, 3), players(random), |_, _| {});
    assert_eq!((&played.ended, played.done.len()), (&SessionEnd::Whole, 6));
    played.assert_sums();
    let begins = begins(&played);
    for (number, (seats, position)) in begins.iter().enumerate() {
        assert_eq!(seats, played.seating(number));
        assert_eq!(position, &begins[number / 2 * 2].1);
        assert!(position.is_some());
        let game = &played.done[number].games[0];
        let mut points = game.points.clone();
        points.sort_by(f64::total_cmp);
        assert!(points == [0.0, 3.0] && game.rule.is_some() || points == [1.0, 1.0]);
        assert_eq!((game.at.len(), game.counts.len()), (0, 0));
    }
    assert_ne!(begins[0].1, begins[2].1);
    assert!(
        heard
            .iter()
            .all(|player| player.over.is_some() && player.errors.is_empty())
    );
}

#[test]
fn blokus_has_counts_and_a_file_of_each_game() {
    let league = blokus();
    let (played, _) = play(&league, fixtures(&league, 1), players(random), |_, _| {});
    assert_eq!((&played.ended, played.done.len()), (&SessionEnd::Whole, 4));
    played.assert_sums();
    for (number, (seats, _)) in begins(&played).iter().enumerate() {
        assert_eq!(seats, played.seating(number));
        let game = &played.done[number].games[0];
        assert_eq!(
            (game.counts.len(), game.points.iter().sum::<f64>()),
            (4, 1.0)
        );
        let best = game.counts.iter().max();
        let first = game.places.iter().position(|&place| place == 0).unwrap();
        assert_eq!(game.counts.get(first), best);
        let sheet = played
            .folder
            .path()
            .join(format!("sitting-game-{}.blksgf", number + 1));
        assert!(
            std::fs::read_to_string(&sheet)
                .unwrap()
                .contains("entrant 3"),
            "{sheet:?}"
        );
    }
}

#[test]
fn faults_lose_the_game_and_only_who_is_gone_ends_the_sitting() {
    let mut league = score_four();
    league.clocks.move_ms = Some(150);
    let with = |number| match number {
        0 => random(0).acts(1, 0, Act::Illegal).acts(3, 1, Act::Stall),
        _ => random(1).acts(2, 0, Act::Garbage).acts(4, 1, Act::Resign),
    };
    let (played, heard) = play(&league, fixtures(&league, 3), players(with), |_, _| {});
    assert_eq!((&played.ended, played.done.len()), (&SessionEnd::Whole, 6));
    played.assert_sums();
    let (normal, rest) = (EndKind::Normal, [EndKind::Normal; 2]);
    let expected = [EndKind::Illegal, normal, EndKind::Timeout, normal];
    assert_eq!(played.kinds(0), [&expected[..], &rest].concat());
    let expected = [normal, EndKind::ProtocolError, normal, EndKind::Resign];
    assert_eq!(played.kinds(1), [&expected[..], &rest].concat());
    let lost = &played.done[0].games[0];
    let own = played.seating(0).iter().position(|&e| e == 0).unwrap();
    assert_eq!(
        (lost.points[own], lost.points[1 - own], &lost.rule),
        (0.0, 3.0, &None)
    );
    assert!(heard.iter().all(|player| player.over.is_some()));
}

#[test]
fn one_that_vanishes_is_out_at_once_and_the_others_play_on() {
    let with = |number| match number {
        2 => random(2).acts(2, 3, Act::Vanish),
        _ => random(number),
    };
    let league = blokus();
    let (played, _) = play(&league, fixtures(&league, 1), players(with), |_, _| {});
    assert_eq!((&played.ended, played.done.len()), (&SessionEnd::Gone, 2));
    played.assert_sums();
    assert_eq!(played.kinds(2), [EndKind::Normal, EndKind::Disconnect]);
    assert_eq!(played.kinds(0), [EndKind::Normal; 2]);
    let own = played.seating(1).iter().position(|&e| e == 2).unwrap();
    let game = &played.done[1].games[0];
    assert_eq!((game.places[own], game.moves[own]), (3, 3));
    assert!(game.moves.iter().sum::<u32>() > 40, "{game:?}");
}

#[test]
fn finish_ends_after_the_game_and_stop_at_once() {
    let league = score_four();
    let (played, _) = play(
        &league,
        fixtures(&league, 3),
        players(random),
        |done, options| {
            if done.number == 1 {
                options.finish.cancel();
            }
        },
    );
    assert_eq!((&played.ended, played.done.len()), (&SessionEnd::Whole, 3));
    let (played, _) = play(
        &league,
        fixtures(&league, 3),
        players(random),
        |done, options| {
            if done.number == 1 {
                options.stop.cancel();
            }
        },
    );
    assert!(
        matches!(played.ended, SessionEnd::Void(_)),
        "{:?}",
        played.ended
    );
    assert_eq!(played.done.len(), 2);
}

#[test]
fn a_program_of_another_game_is_no_player() {
    let mut league = score_four();
    league.entrants[1].start_ms = Some(400);
    let start = |addresses: &[SocketAddr]| {
        let port = addresses[1].port();
        let stranger = spawn(move || {
            use std::io::{Read as _, Write as _};
            let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
            let hello =
                b"{\"type\":\"hello\",\"versions\":[1],\"name\":\"x\",\"game\":\"blokus\"}\n";
            stream.write_all(hello).unwrap();
            let mut told = String::new();
            stream.read_to_string(&mut told).unwrap();
            assert!(told.contains(r#""code":"game""#), "{told}");
        });
        vec![stranger]
    };
    let (played, _) = play(&league, fixtures(&league, 1), start, |_, _| {});
    // The other has 20 s.
    let reason = "entrant 1 has connected, but sent no greeting within 0.4 s".to_owned();
    assert_eq!(
        (played.ended, played.done.len()),
        (SessionEnd::Void(reason), 0)
    );
}
