//! Whole games, whose server does nothing wrong.

use std::io;
use std::iter::repeat_n;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use client::gat::{self, GatSettings};
use games::geister::{Move, MoveList, Placement, Rules, View};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_bots::Supervised;
use taikyoku_bots::geister::Engine;

use super::server::{Manner, Seat, game, serve};
use super::{options, play};

#[test]
fn whole_games_as_either_seat() {
    let manners = [
        Manner::default(),
        Manner {
            glued: true,
            ..Manner::default()
        },
        Manner {
            crumbs: true,
            limit: 30,
            ..Manner::default()
        },
    ];
    let (port, server) = serve(move |listener| {
        for n in 0..12 {
            let mut seat = Seat::accept(listener);
            game(&mut seat, (n % 2) as u8, manners[n / 2 % 3], n as u64);
            seat.closed();
        }
    });
    let (result, lines) = play(port, "--games 12");
    server.join().unwrap();
    let summary = result.unwrap();
    assert_eq!(summary.counts.total().games(), 12);
    let by_seat = summary.counts.results.map(|r| r.won + r.drawn + r.lost);
    assert_eq!(by_seat, [6, 6, 0]);
    let faults = (
        summary.broken,
        summary.thinking.corrected,
        summary.refused,
        summary.disagreements,
        summary.odd,
    );
    assert_eq!(faults, (0, 0, 0, 0, 0));
    let decisions = lines.iter().filter(|line| line.get("move").is_some());
    assert_eq!(decisions.count() as u64, summary.thinking.decisions);
    let results: Vec<_> = lines.iter().filter_map(|line| line.get("result")).collect();
    assert_eq!(results.len(), 12);
    assert!(
        results
            .iter()
            .all(|result| result["enemy_placement"].is_string())
    );
    assert!(results.iter().all(|result| result["reason"] != "forfeit"));
    assert_eq!(lines.last().unwrap()["summary"]["games"], 12);
}

/// Keeps what it is shown at the ends of games, and otherwise plays its last legal move.
#[derive(Clone, Default)]
struct Witness(Arc<Mutex<Vec<View>>>);

impl Engine for Witness {
    fn placement(&mut self) -> Placement {
        Placement::ALL[5]
    }

    fn choose(&mut self, view: &View, _limit: Option<Duration>) -> Move {
        let mut moves = MoveList::new();
        view.legal_moves(&mut moves);
        moves[moves.len() - 1]
    }

    fn end(&mut self, view: &View) {
        self.0.lock().unwrap().push(*view);
    }
}

#[test]
fn the_end_of_a_game_shows_an_engine_the_colours_of_the_enemy() {
    const GAMES: usize = 6;
    let (port, server) = serve(|listener| {
        for n in 0..GAMES {
            let mut seat = Seat::accept(listener);
            game(&mut seat, (n % 2) as u8, Manner::default(), n as u64);
            seat.closed();
        }
    });
    let witness = Witness::default();
    let engine: Box<dyn Engine> = Box::new(witness.clone());
    let settings = GatSettings {
        server: &options(port, "").common.server,
        name: None,
        rules: Rules::default(),
        idle: None,
        json: false,
    };
    let summary = gat::run(
        &settings,
        repeat_n(port, GAMES),
        Box::new(|_, _| Box::new(Supervised::new(engine))),
        &mut io::sink(),
    );
    server.join().unwrap();
    assert_eq!(summary.unwrap().counts.total().games() as usize, GAMES);
    let seen = witness.0.lock().unwrap();
    assert_eq!(seen.len(), GAMES);
    for (n, view) in seen.iter().enumerate() {
        // The server draws the enemy's placement first.
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(n as u64);
        let enemy = Placement::ALL[rng.random_range(0..70)];
        assert_eq!(view.placements().collect::<Vec<_>>(), [enemy]);
        assert_eq!(
            (view.seat(), view.placement()),
            ((n % 2) as u8, Placement::ALL[5])
        );
    }
}

#[test]
fn a_longer_ply_limit_than_was_said() {
    let (port, server) = serve(|listener| {
        game(
            &mut Seat::accept(listener),
            1,
            Manner {
                limit: 60,
                ..Manner::default()
            },
            4,
        );
    });
    let (result, lines) = play(port, "--ply-limit 10");
    server.join().unwrap();
    let summary = result.unwrap();
    assert_eq!(
        (
            summary.counts.total().games(),
            summary.disagreements,
            summary.thinking.corrected
        ),
        (1, 0, 0)
    );
    let last = lines.iter().filter_map(|line| line["ply"].as_u64()).max();
    assert!(last > Some(10), "{last:?}");
}

#[test]
fn every_second_game_at_the_other_port() {
    let (first, one) = serve(|listener| {
        for _ in 0..2 {
            game(&mut Seat::accept(listener), 0, Manner::default(), 1);
        }
    });
    let (second, two) = serve(|listener| {
        for _ in 0..2 {
            game(&mut Seat::accept(listener), 1, Manner::default(), 2);
        }
    });
    let (result, _) = play(first, &format!("--swap-port {second} --games 4"));
    one.join().unwrap();
    two.join().unwrap();
    let by_seat = result
        .unwrap()
        .counts
        .results
        .map(|r| r.won + r.drawn + r.lost);
    assert_eq!(by_seat, [2, 2, 0]);
}
