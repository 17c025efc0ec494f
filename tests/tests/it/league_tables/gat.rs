//! Geister: a connection for each fixture.

use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use end_to_end::gat::{Fault, Outcome, Phase, Player, Script};
use end_to_end::patience::listener;
use league::settings::Settings;
use league::table_session::SessionEnd;
use record::{EndKind, What};

use super::{fixtures, play, spawn};

fn league() -> Settings {
    let mut league = super::settings(
        &serde_json::json!({ "geister": { "ply-limit": 200 } }),
        1,
        2,
    );
    league.points = Some([3.0, 1.0, 0.0]);
    // These players take line by line.
    league.clocks.wait_ms = Some(0);
    league
}

/// Players that come again until nobody is there or `games` are played; `with` makes the player of each game.
fn players(
    games: [u32; 2],
    with: impl Fn(usize, u32) -> Player + Clone + Send + 'static,
) -> impl FnOnce(&[SocketAddr]) -> Vec<JoinHandle<Vec<Outcome>>> {
    move |addresses| {
        let start = |number: usize| {
            let (address, with) = (addresses[number], with.clone());
            let own = listener(address);
            spawn(move || {
                let mut outcomes = Vec::new();
                for game in 0..games[number] {
                    // Nobody listens any more after the sitting.
                    if listener(address) != own {
                        break;
                    }
                    let played = with(number, game).play(address.port(), &mpsc::channel().0);
                    outcomes.extend(played.ok());
                }
                outcomes
            })
        };
        (0..2).map(start).collect()
    }
}

fn honest(number: usize, game: u32) -> Player {
    Player::honest(u64::from(game) * 2 + number as u64)
}

#[test]
fn seats_are_those_of_the_schedule_and_players_come_again() {
    let league = league();
    let (played, outcomes) = play(
        &league,
        fixtures(&league, 4),
        players([8, 8], honest),
        |_, _| {},
    );
    assert_eq!((&played.ended, played.done.len()), (&SessionEnd::Whole, 8));
    played.assert_sums();
    assert!(outcomes.iter().flatten().all(|outcome| outcome.finished));
    let begins = played.record.iter().filter_map(|event| match &event.what {
        What::Begin { seats, game, .. } => Some((*game as usize, seats.clone())),
        _ => None,
    });
    let mut won = [0, 0];
    for (game, seats) in begins {
        let seats: Vec<usize> = seats.into_iter().map(usize::from).collect();
        assert_eq!(seats, played.seating(game - 1));
        let game = &played.done[game - 1].games[0];
        let mut points = game.points.clone();
        points.sort_by(f64::total_cmp);
        assert!(points == [0.0, 3.0] || points == [1.0, 1.0], "{game:?}");
        assert!(game.rule.is_some() && game.kinds.is_empty());
        if points[1] > 1.0 {
            won[seats[usize::from(game.points[1] > 1.0)]] += 1;
        }
    }
    // The players know as well who has won.
    for (outcomes, won) in outcomes.iter().zip(won) {
        let told = outcomes
            .iter()
            .filter(|o| o.result.as_deref() == Some("WON:"));
        assert_eq!(told.count(), won);
    }
    let last = played.record.last().map(|event| &event.what);
    assert!(
        matches!(
            last,
            Some(What::Result {
                games: 8,
                seed: None,
                ..
            })
        ),
        "{last:?}"
    );
}

#[test]
fn who_does_not_come_again_is_gone_and_who_never_came_was_never_there() {
    let mut league = league();
    league.entrants[0].start_ms = Some(500);
    let (played, _) = play(
        &league,
        fixtures(&league, 2),
        players([2, 4], honest),
        |_, _| {},
    );
    assert_eq!((&played.ended, played.done.len()), (&SessionEnd::Gone, 2));
    let (played, _) = play(
        &league,
        fixtures(&league, 2),
        players([0, 1], honest),
        |_, _| {},
    );
    let reason = "entrant 0 did not connect within 0.5 s".to_owned();
    assert_eq!(
        (&played.ended, played.done.len()),
        (&SessionEnd::Void(reason), 0)
    );
}

#[test]
fn faults_have_their_kinds() {
    let cases = [
        (
            Phase::Turn,
            Fault::Leave,
            EndKind::Disconnect,
            SessionEnd::Gone,
            1,
        ),
        (
            Phase::Turn,
            Fault::Silence,
            EndKind::Timeout,
            SessionEnd::Whole,
            2,
        ),
        (
            Phase::Asked,
            Fault::Silence,
            EndKind::Stall,
            SessionEnd::Gone,
            1,
        ),
    ];
    for (phase, fault, kind, ended, games) in cases {
        let mut league = league();
        league.clocks.move_ms = Some(200);
        for entrant in &mut league.entrants {
            entrant.start_ms = Some(800);
        }
        let with = move |number, game| match (number, game) {
            (1, 0) => Player::with(Script::first(phase, fault)),
            _ => honest(number, game),
        };
        let (played, _) = play(
            &league,
            fixtures(&league, 1),
            players([2, 2], with),
            |_, _| {},
        );
        assert_eq!(
            (&played.ended, played.done.len()),
            (&ended, games),
            "{fault:?}"
        );
        played.assert_sums();
        assert_eq!(
            (played.kinds(1)[0], played.kinds(0)[0]),
            (kind, EndKind::Normal)
        );
        let own = played.seating(0).iter().position(|&e| e == 1).unwrap();
        let game = &played.done[0].games[0];
        assert_eq!(
            (game.places[own], game.points[own], &game.rule),
            (1, 0.0, &None)
        );
    }
}

#[test]
fn a_stranger_in_a_game_is_turned_away() {
    let league = league();
    let start = |addresses: &[SocketAddr]| {
        let port = addresses[0].port();
        let slow = |number, game| match number {
            0 => Player::with(Script {
                phase: Phase::Turn,
                after: 0,
                fault: Fault::Sleep(20),
            }),
            _ => honest(number, game),
        };
        let mut all = players([2, 2], slow)(addresses);
        all.push(spawn(move || {
            thread::sleep(std::time::Duration::from_millis(100));
            let stranger = honest(5, 5).play(port, &mpsc::channel().0);
            stranger
                .into_iter()
                .inspect(|it| assert!(it.result.is_none()))
                .collect()
        }));
        all
    };
    let (played, outcomes) = play(&league, fixtures(&league, 1), start, |_, _| {});
    assert_eq!((&played.ended, played.done.len()), (&SessionEnd::Whole, 2));
    assert!(
        outcomes[..2]
            .iter()
            .flatten()
            .all(|outcome| outcome.finished)
    );
}

#[test]
fn finish_ends_after_the_game_and_stop_at_once() {
    let league = league();
    let at = |wish: fn(&league::table_session::SessionOptions)| {
        let start = players([4, 4], honest);
        play(
            &league,
            fixtures(&league, 2),
            start,
            move |done, options| {
                if done.number == 1 {
                    wish(options);
                }
            },
        )
        .0
    };
    let played = at(|options| options.finish.cancel());
    assert_eq!((&played.ended, played.done.len()), (&SessionEnd::Whole, 2));
    let played = at(|options| options.stop.cancel());
    assert!(
        matches!(played.ended, SessionEnd::Void(_)),
        "{:?}",
        played.ended
    );
    assert_eq!(played.done.len(), 2);
}
