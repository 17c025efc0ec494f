//! Matches for four: seats that go out one by one.

use games::{Blokus, Seating};

use super::*;

fn four() -> MatchSettings<<Blokus as Game>::Rules> {
    let mut settings = settings::<Blokus>();
    let clocks = settings.clocks.iter_mut();
    clocks.for_each(|clocks| clocks.increment_ms = Some(50));
    settings
}

fn outs(table: &mut Bench<Blokus>, player: u8) -> Vec<(u8, String)> {
    let told = table.take(player).into_iter();
    told.filter_map(|message| match message {
        ServerMessage::Out { seat, end, .. } => Some((seat, end)),
        _ => None,
    })
    .collect()
}

#[test]
fn a_timeout_takes_one_seat_and_the_next_is_asked() {
    let mut table = Bench::<Blokus>::new(four());
    table.play_legal(0);
    table.wait(1100);
    assert_eq!(outs(&mut table, 0), [(1, "timeout".to_owned())]);
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
    while table.results().is_empty() {
        table.play_legal(7);
    }
    let result = &table.results()[0];
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
    let mut table = Bench::<Blokus>::new(four());
    let mut gone = None;
    while table.results().is_empty() {
        table.play_legal(3);
        let outs = outs(&mut table, 0);
        if let (None, Some((seat, _)), None) = (gone, outs.first(), table.results().first()) {
            gone = Some(*seat);
            table.send(*seat, ClientMessage::Leave);
            assert_eq!(table.closed, [*seat]);
        }
    }
    let gone = gone.expect("seats go out one by one");
    assert_eq!(table.results()[0].kinds, [EndKind::Normal; 4]);
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
fn play_out(table: &mut Bench<Blokus>, late: &[u8]) {
    for turn in 0..2000 {
        match table.mover() {
            None => return,
            Some(player) if late.contains(&player) => table.wait(2000),
            Some(_) => table.play_legal(turn % 3),
        }
    }
    panic!("no end");
}

#[test]
fn the_others_play_on_without_one_that_is_gone() {
    let mut table = Bench::<Blokus>::new(MatchSettings {
        games: 3,
        goes_on: true,
        ..four()
    });
    table.play_legal(0);
    table.lose(2);
    table.wait(600);
    assert_eq!(table.closed, [] as [u8; 0]);
    play_out(&mut table, &[]);
    assert_eq!((table.results().len(), table.referee.reason()), (3, None));
    for result in table.results() {
        let mut due = [EndKind::Normal; 4];
        due[2] = EndKind::Disconnect;
        assert_eq!(result.kinds, due);
        assert_eq!(result.places[Player::new(2)], 3);
    }
    assert_eq!(table.replay().games, 3);
    // Where one alone is left, nothing is played on.
    let mut table = Bench::<Blokus>::new(MatchSettings {
        games: 3,
        goes_on: true,
        ..four()
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
    let mut table = Bench::<Blokus>::new(MatchSettings {
        games: 4,
        timeouts: 2,
        goes_on: true,
        ..four()
    });
    play_out(&mut table, &[1]);
    assert_eq!((table.results().len(), table.referee.reason()), (4, None));
    let kinds = table
        .results()
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
    let mut table = Bench::<Blokus>::new(four());
    table.send(2, ClientMessage::Leave);
    let told = std::mem::take(&mut table.told[2]);
    assert_eq!(told.last().map(kind), Some("out"));
    let told = std::mem::take(&mut table.told[0]);
    let last: Vec<&str> = told.iter().rev().take(2).map(kind).collect();
    assert_eq!(last, ["presence", "out"]);
    assert_eq!(table.closed, [2]);
    table.play_legal(0);
    table.wait(900);
    table.send(2, ClientMessage::View);
    assert!(table.told[2].is_empty());
    table.rejoin(2, None);
    assert!(table.referee.is_gone(Player::new(2)) && !table.referee.is_gone(Player::new(0)));
    assert!(table.told[2].is_empty());
    assert_eq!(table.closed, [2, 2]);
    assert!(!table.referee.is_over());
    while !table.referee.is_over() {
        table.play_legal(1);
    }
    assert_eq!(table.results().len(), 1);
    assert_eq!(
        table.results()[0].kinds[Player::new(2)],
        EndKind::Disconnect
    );
    assert!(table.replay().closed);
}

#[test]
fn seats_are_drawn_for_each_round_or_each_game() {
    let drawn = MatchSettings {
        draw: true,
        ..four()
    };
    let numbers = |settings: &MatchSettings<<Blokus as Game>::Rules>, game| -> Vec<u8> {
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
    assert_eq!(numbers(&four(), 5), [1, 2, 3, 0]);
    let fixed = MatchSettings {
        swap: false,
        ..four()
    };
    assert_eq!(numbers(&fixed, 5), [0, 1, 2, 3]);
}

#[test]
fn a_player_that_comes_and_goes_cannot_fill_the_memory() {
    let mut table = Bench::<Blokus>::new(MatchSettings {
        clocks: ByPlayer::of(4, Clocks::default()),
        ..four()
    });
    for _ in 0..2000 {
        table.lose(1);
        table.rejoin(1, Some(u64::MAX));
    }
    table.told[1].clear();
    table.rejoin(1, Some(0));
    let told = &table.told[1];
    let events: Vec<u64> = told.iter().filter_map(ServerMessage::event).collect();
    assert_eq!(events.len(), super::super::history::MOST_KEPT);
    assert_eq!(events.last(), Some(&4001));
    let bytes: usize = told.iter().map(|message| message.to_line().len()).sum();
    assert!(bytes < crate::referee::MOST_PENDING / 2);
}

fn told_results(told: &[ServerMessage]) -> Vec<(&str, Option<u8>, Option<&str>)> {
    let results = told.iter().filter_map(|message| match message {
        ServerMessage::Result {
            end, by, reason, ..
        } => Some((end.as_str(), *by, reason.as_deref())),
        _ => None,
    });
    results.collect()
}

#[test]
fn the_last_fault_ends_a_game_whatever_its_seat() {
    let mut table = Bench::<Blokus>::new(four());
    table.send(3, ClientMessage::Resign);
    table.wait(1100);
    assert_eq!(table.mover(), Some(1));
    table.send(2, ClientMessage::Leave);
    let result = table.results()[0].clone();
    assert_eq!(result.end_name(), "disconnect");
    assert_eq!((result.rule, result.end), (None, EndKind::Disconnect));
    let due = [
        EndKind::Timeout,
        EndKind::Normal,
        EndKind::Disconnect,
        EndKind::Resign,
    ];
    assert_eq!(result.kinds, due);
    let told = told_results(&table.told[1]);
    assert_eq!(told, [("disconnect", Some(2), Some("it gave up its seat"))]);
    let ends = table.told[1].iter().find_map(|message| match message {
        ServerMessage::Result { ends, .. } => Some(&ends[..]),
        _ => None,
    });
    let due = ["timeout", "unopposed", "disconnect", "resign"];
    assert_eq!(ends.expect("a result"), due);
}

#[test]
fn a_game_that_a_rule_has_ended_has_no_fault_for_a_reason() {
    let mut table = Bench::<Blokus>::new(four());
    let last = loop {
        let play = table.referee.play.as_ref().unwrap();
        let playing = play.ends.iter().filter(|end| end.is_none()).count();
        if playing == 1 {
            break table.mover().unwrap();
        }
        assert_eq!(play.number, 1, "a seat plays alone at the end");
        table.play_legal(5);
    };
    table.send(last, ClientMessage::Resign);
    assert_eq!(told_results(&table.told[0]), [("no-moves", None, None)]);
    let result = &table.results()[0];
    assert_eq!(result.end_name(), "no-moves");
    assert_eq!(result.kinds[Player::new(last)], EndKind::Resign);
}

#[test]
fn the_seed_is_told_when_something_was_drawn() {
    for (draw, opening, due) in [
        (false, 0, None),
        (true, 0, Some(7)),
        (false, 4, Some(7)),
        (true, 4, Some(7)),
    ] {
        let mut table = Bench::<Blokus>::new(MatchSettings {
            seed: 7,
            draw,
            opening,
            ..four()
        });
        table.act(Referee::stop);
        let told = table.events.iter().find_map(|event| match &event.what {
            What::Result { seed, .. } => Some(*seed),
            _ => None,
        });
        assert_eq!(told, Some(due), "{draw} {opening}");
    }
}
