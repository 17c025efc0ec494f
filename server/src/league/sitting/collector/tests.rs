//! Events as the referees give them out.

use super::*;

fn at(ms: u64, what: What) -> Event {
    what.at(ms)
}

fn begin(game: u32, seats: &[u8]) -> What {
    What::Begin {
        game,
        seats: seats.to_vec(),
        ranks: None,
        hands: Vec::new(),
        position: None,
    }
}

fn played(player: u8, used: u64) -> What {
    What::Move {
        player,
        mv: "pass".to_owned(),
        fault: None,
        spent: None,
        used: Some(used),
        left: None,
    }
}

fn given(from: u8, used: Option<u64>) -> What {
    What::Give {
        from,
        to: 0,
        cards: String::new(),
        forced: used.is_none(),
        fault: None,
        lost: None,
        used,
        left: None,
    }
}

fn end(game: u32, places: &[u8], kinds: &[EndKind]) -> What {
    What::End {
        game,
        places: places.to_vec(),
        points: places.iter().map(|&p| f64::from(10 - p)).collect(),
        game_points: places.iter().map(|&p| -i32::from(p)).collect(),
        kinds: kinds.to_vec(),
        rule: Some("rule".to_owned()),
    }
}

const NORMAL: EndKind = EndKind::Normal;

#[test]
fn lists_go_by_the_seats_of_the_fixture_and_times_by_the_moves() {
    let counting = Counting {
        session: 2,
        points: None,
        drawn: true,
    };
    // Player 2 has seat 0 of the fixture, player 0 seat 1, player 1 seat 2.
    let mut collector = Collector::new(counting, vec![vec![2, 0, 1]]);
    let first = [
        at(5, begin(1, &[1, 2, 0])),
        at(6, given(1, None)),
        at(7, given(1, Some(30))),
        at(8, played(1, 10)),
        at(9, played(2, 4)),
        at(9, played(2, 7)),
        at(12, end(1, &[0, 1, 2], &[NORMAL, EndKind::Illegal, NORMAL])),
    ];
    assert!(first.iter().all(|event| collector.event(event).is_none()));
    let second = [
        at(12, begin(2, &[1, 2, 0])),
        at(13, played(0, 1)),
        at(45, end(2, &[2, 1, 0], &[NORMAL; 3])),
    ];
    let mut done: Vec<Done> = second
        .iter()
        .filter_map(|event| collector.event(event))
        .collect();
    let done = done.pop().unwrap();
    assert_eq!((done.number, done.ms, done.games.len()), (0, 40, 2));
    let expected = Game {
        places: vec![2, 0, 1],
        points: vec![8.0, 10.0, 9.0],
        counts: vec![-2, 0, -1],
        kinds: vec![NORMAL, NORMAL, EndKind::Illegal],
        rule: Some("rule".to_owned()),
        at: vec![1, 2, 0],
        plies: 3,
        moves: vec![2, 0, 1],
        used: vec![11, 0, 40],
        slowest: vec![7, 0, 30],
    };
    assert_eq!(done.games[0], expected);
    let second = &done.games[1];
    assert!(second.kinds.is_empty());
    assert_eq!((second.plies, &second.used[..]), (1, &[0, 1, 0][..]));
}

#[test]
fn void_games_leave_no_trace() {
    let counting = Counting {
        session: 1,
        points: Some([3.0, 1.0, 0.5]),
        drawn: false,
    };
    let mut collector = Collector::new(counting, vec![vec![0, 1], vec![1, 0]]);
    let void = [
        at(0, begin(1, &[0, 1])),
        at(1, played(0, 9)),
        at(2, end(1, &[], &[EndKind::Void; 2])),
    ];
    assert!(void.iter().all(|event| collector.event(event).is_none()));
    for (number, places, points) in [(0, [1, 0], vec![0.5, 3.0]), (1, [0, 0], vec![1.0, 1.0])] {
        assert_eq!(collector.event(&at(3, begin(2, &[0, 1]))), None);
        let done = collector
            .event(&at(9, end(2, &places, &[NORMAL; 2])))
            .unwrap();
        assert_eq!((done.number, done.games.len()), (number, 1));
        let game = &done.games[0];
        assert_eq!((&game.points, game.plies, game.at.len()), (&points, 0, 0));
        assert_eq!(game.used, [0, 0]);
    }
    // More than the sitting has are not counted.
    assert_eq!(collector.event(&at(10, begin(3, &[0, 1]))), None);
    assert_eq!(
        collector.event(&at(11, end(3, &[0, 1], &[NORMAL; 2]))),
        None
    );
}
