//! Daihinmin: sessions for fixtures, on one connection.

use std::io::Read as _;
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::thread::JoinHandle;

use end_to_end::patience::connect;
use end_to_end::uecda::{Fault, Malformed, Outcome, Phase, Player, Script, Style};
use league::journal::Game;
use league::settings::Settings;
use league::table_session::SessionEnd;
use record::EndKind;

use super::{fixtures, play, spawn};

const SEATS: usize = 5;

fn league(session: u32) -> Settings {
    super::settings(&serde_json::json!({ "daihinmin": {} }), session, SEATS)
}

/// Players in the order of the addresses; `with` makes each.
fn players(
    with: impl Fn(usize) -> Player,
) -> impl FnOnce(&[SocketAddr]) -> Vec<JoinHandle<Outcome>> {
    move |addresses| {
        let start = |(number, address): (usize, &SocketAddr)| {
            let (player, port) = (with(number), address.port());
            spawn(move || player.play(port, mpsc::channel().0).unwrap())
        };
        addresses.iter().enumerate().map(start).collect()
    }
}

fn honest(number: usize) -> Player {
    Player::honest(&format!("player {number}"))
}

/// A game without what depends on the clock.
fn timeless(game: &Game) -> Game {
    Game {
        used: Vec::new(),
        slowest: Vec::new(),
        ..game.clone()
    }
}

#[test]
fn rotations_have_the_same_hands_seats_and_draws() {
    let league = league(3);
    let (played, outcomes) = play(&league, fixtures(&league, 2), players(honest), |_, _| {});
    assert_eq!(played.ended, SessionEnd::Whole);
    assert!(
        outcomes
            .iter()
            .all(|player| player.finished && player.games == 30)
    );
    assert_eq!(played.done.len(), 10);
    let begins = played.begins();
    for (number, done) in played.done.iter().enumerate() {
        assert_eq!((done.number, done.games.len()), (number, 3));
        // The players are alike, so that each fixture of a deal is the same game in other chairs.
        let first = &played.done[number / SEATS * SEATS];
        for (game, other) in done.games.iter().zip(&first.games) {
            assert_eq!(timeless(game), timeless(other));
            assert_eq!(game.moves.iter().sum::<u32>(), game.plies);
            assert!(
                game.slowest
                    .iter()
                    .zip(&game.used)
                    .all(|(slowest, used)| slowest <= used)
            );
            let mut places = game.places.clone();
            places.sort_unstable();
            assert_eq!(places, [0, 1, 2, 3, 4]);
            let of_place: Vec<f64> = game.places.iter().map(|&p| 5.0 - f64::from(p)).collect();
            assert_eq!(game.points, of_place);
        }
        // Ranks carry over within a session only, and the record says the same.
        for (game, (seats, hands, ranked)) in begins[3 * number..3 * number + 3].iter().enumerate()
        {
            assert_eq!(*ranked, game > 0);
            let (_, first_hands, _) = &begins[3 * (number / SEATS * SEATS) + game];
            for (v, (&player, &before)) in played
                .seating(number)
                .iter()
                .zip(played.seating(number / SEATS * SEATS))
                .enumerate()
            {
                assert_eq!(
                    hands[player], first_hands[before],
                    "game {game} of {number}"
                );
                assert_eq!(
                    usize::from(seats[usize::from(done.games[game].at[v])]),
                    player
                );
            }
        }
    }
    assert_ne!(
        timeless(&played.done[0].games[0]),
        timeless(&played.done[5].games[0])
    );
}

#[test]
fn two_that_play_differently_have_their_own_results() {
    let league = league(2);
    let with = |number| match number {
        0 => honest(0).playing(Style::Pass),
        _ => honest(number),
    };
    let (played, _) = play(&league, fixtures(&league, 1), players(with), |_, _| {});
    assert_eq!(played.ended, SessionEnd::Whole);
    for (number, done) in played.done.iter().enumerate() {
        let own = played.seating(number).iter().position(|&e| e == 0).unwrap();
        for game in &done.games {
            // It leads with a pass even where it may: nobody is ever behind it.
            assert_eq!(game.places[own], 4, "{game:?}");
            assert!(game.kinds.is_empty());
        }
    }
}

#[test]
fn one_that_leaves_loses_the_session_and_no_more() {
    let league = league(3);
    let script = Script {
        fault: Fault::Leave,
        phase: Phase::AtHand,
        after: 2,
    };
    let with = |number| match number {
        3 => Player::with("leaver", script),
        _ => honest(number),
    };
    let (played, _) = play(&league, fixtures(&league, 1), players(with), |_, _| {});
    assert_eq!(
        (played.ended.clone(), played.done.len()),
        (SessionEnd::Gone, 1)
    );
    let own = played.seating(0).iter().position(|&e| e == 3).unwrap();
    assert_eq!(played.done[0].games.len(), 3);
    for game in &played.done[0].games {
        assert_eq!(game.kind(own), EndKind::Disconnect, "{game:?}");
        assert!((0..SEATS).all(|seat| seat == own || game.kind(seat) == EndKind::Normal));
    }
}

#[test]
fn one_that_stalls_and_one_that_plays_illegally_are_told_apart() {
    let mut league = league(2);
    league.clocks.move_ms = Some(40);
    let script = |fault| Script {
        fault,
        phase: Phase::AtHand,
        after: 0,
    };
    let with = |number| match number {
        1 => Player::with("silent", script(Fault::Silence)),
        2 => Player::with("odd", script(Fault::Malformed(Malformed::NotHeld))),
        4 => Player::with("noisy", script(Fault::Malformed(Malformed::TwoJokers))),
        _ => honest(number),
    };
    let (played, _) = play(&league, fixtures(&league, 1), players(with), |_, _| {});
    assert_eq!(
        (played.ended.clone(), played.done.len()),
        (SessionEnd::Gone, 1)
    );
    let kinds = |entrant: usize| {
        let own = played
            .seating(0)
            .iter()
            .position(|&e| e == entrant)
            .unwrap();
        let games = played.done[0].games.iter();
        games.map(|game| game.kind(own)).collect::<Vec<_>>()
    };
    assert!(
        matches!(kinds(1)[..], [EndKind::Timeout, EndKind::Stall]),
        "{:?}",
        kinds(1)
    );
    // What is refused is a pass and no fault, and has a count of its own.
    for entrant in [0, 2, 3, 4] {
        assert_eq!(kinds(entrant), [EndKind::Normal; 2], "{entrant}");
    }
    let refused = |entrant: usize| {
        let seating = played.seating(0);
        let own = seating.iter().position(|&e| e == entrant).unwrap();
        let games = played.done[0].games.iter();
        games.map(|game| game.refused[own]).collect::<Vec<_>>()
    };
    assert!(refused(2).iter().chain(&refused(4)).all(|&n| n > 0));
    assert_eq!([refused(0), refused(1), refused(3)], [[0; 2]; 3]);
}

#[test]
fn finish_ends_after_the_fixture_and_stop_at_once() {
    let league = league(2);
    let (played, outcomes) = play(
        &league,
        fixtures(&league, 2),
        players(honest),
        |done, options| {
            if done.number == 1 {
                options.finish.cancel();
            }
        },
    );
    assert_eq!(played.ended, SessionEnd::Whole);
    // The wish comes when the next fixture has begun.
    assert_eq!(played.done.len(), 3);
    assert!(
        outcomes
            .iter()
            .all(|player| player.finished && player.games == 6)
    );
    let (played, outcomes) = play(
        &league,
        fixtures(&league, 2),
        players(honest),
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
    assert!(
        outcomes
            .iter()
            .all(|player| !player.finished || player.games == 4)
    );
}

#[test]
fn who_does_not_come_is_named_and_who_comes_twice_turned_away() {
    let mut league = league(1);
    league.entrants[2].start_ms = Some(300);
    let (played, _) = play(
        &league,
        fixtures(&league, 1),
        |addresses| {
            let others: Vec<SocketAddr> = [0, 1, 3, 4].map(|player| addresses[player]).to_vec();
            players(honest)(&others)
        },
        |_, _| {},
    );
    let reason = "entrant 2 did not connect within 0.3 s".to_owned();
    assert_eq!(
        (played.ended, played.done.len()),
        (SessionEnd::Void(reason), 0)
    );

    let league = super::uecda::league(1);
    let start = |addresses: &[SocketAddr]| {
        let mut all = players(honest)(&addresses[..4]);
        let (seated, sits) = mpsc::channel();
        let port = addresses[4].port();
        all.push(spawn(move || {
            let last = spawn(move || honest(4).play(port, seated).unwrap());
            sits.recv().unwrap();
            let stranger = honest(9).play(port, mpsc::channel().0).unwrap();
            assert_eq!((stranger.number, stranger.games), (None, 0));
            last.join().unwrap()
        }));
        all
    };
    let (played, outcomes) = play(&league, fixtures(&league, 2), start, |_, _| {});
    assert_eq!((played.ended, played.done.len()), (SessionEnd::Whole, 10));
    assert!(outcomes.iter().all(|player| player.finished));
}

#[test]
fn who_says_nothing_is_no_player_and_holds_nobody_up() {
    // Longer than the ordinary server waits for a profile.
    let mut settings = league(1);
    settings.entrants[2].start_ms = Some(2500);
    let mut silent = None;
    let (played, _) = play(
        &settings,
        fixtures(&settings, 1),
        |addresses| {
            let others: Vec<SocketAddr> = [0, 1, 3, 4].map(|player| addresses[player]).to_vec();
            let port = addresses[2].port();
            silent = Some(spawn(move || is_told(connect(port).unwrap())));
            players(honest)(&others)
        },
        |_, _| {},
    );
    let reason = "entrant 2 has connected, but sent no whole profile within 2.5 s".to_owned();
    assert_eq!(
        (played.ended, played.done.len()),
        (SessionEnd::Void(reason), 0)
    );
    assert!(silent.unwrap().join().unwrap().is_empty());

    let settings = league(1);
    let mut strangers = Vec::new();
    let start = |addresses: &[SocketAddr]| {
        let ports = addresses.iter().flat_map(|address| [address.port(); 3]);
        strangers.extend(ports.map(|port| connect(port).unwrap()));
        players(honest)(addresses)
    };
    let (played, _) = play(&settings, fixtures(&settings, 1), start, |_, _| {});
    assert_eq!((played.ended, played.done.len()), (SessionEnd::Whole, 5));
    assert!(
        strangers
            .into_iter()
            .all(|stranger| is_told(stranger).is_empty())
    );
}

/// All that a client that says nothing is told.
fn is_told(mut stream: TcpStream) -> Vec<u8> {
    let mut told = Vec::new();
    // How it is closed does not matter.
    let _ = stream.read_to_end(&mut told);
    told
}
