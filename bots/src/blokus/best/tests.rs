//! The search with an adviser that stands for a network.

use std::time::{Duration, Instant};

use games::blokus::{Board, Placement};
use models::blokus::Scene;

use super::{AdvicePlan, Adviser, BestEngine, Plan};
use crate::blokus::Engine as _;
use crate::blokus::arena::opening;
use crate::search::{Budget, Rewards};

/// Likes one move in particular, and has no opinion about who will win.
struct Friend {
    likes: Option<Placement>,
    /// Answers until it fails.
    left: u64,
    /// What an answer takes.
    time: Duration,
}

impl Adviser for Friend {
    fn advise(
        &mut self,
        scene: &Scene,
        moves: &[Placement],
        logits: &mut Vec<f32>,
    ) -> Option<Rewards> {
        assert!(scene.board().to_move().is_some());
        let until = Instant::now() + self.time;
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        self.left = self.left.checked_sub(1)?;
        logits.clear();
        let liking = |&mv: &Placement| if Some(mv) == self.likes { 9.0 } else { 0.0 };
        logits.extend(moves.iter().map(liking));
        Some([0.25; 4])
    }
}

fn engine(friend: Friend, budget: Budget) -> BestEngine {
    let plan = AdvicePlan {
        visits: 8,
        weight: 4,
    };
    let time = friend.time;
    BestEngine::advised(
        Plan::default(),
        plan,
        vec![(Box::new(friend), time)],
        budget,
        1,
    )
}

fn plain(likes: Option<Placement>, left: u64) -> Friend {
    Friend {
        likes,
        left,
        time: Duration::ZERO,
    }
}

fn visits_of(engine: &BestEngine, mv: Placement) -> u64 {
    let values = engine.values();
    let found = values.iter().find(|value| value.0 == mv);
    found.map_or(0, |value| value.2)
}

/// The least likely move of a position, to the judge.
fn unlikely(board: &Board) -> Placement {
    let mut engine = BestEngine::new(Budget::playouts(4000), 1, 1);
    engine.choose(board, None);
    let mut moves = Vec::new();
    board.legal_moves(&mut moves);
    let least = moves.iter().min_by_key(|&&mv| visits_of(&engine, mv));
    *least.expect("a move")
}

#[test]
fn what_the_adviser_likes_is_searched_more() {
    let board = opening(8, 1);
    let mv = unlikely(&board);
    let mut without = engine(plain(None, 0), Budget::playouts(300));
    let mut with = engine(plain(Some(mv), u64::MAX), Budget::playouts(300));
    without.choose(&board, None);
    with.choose(&board, None);
    assert!(visits_of(&with, mv) > visits_of(&without, mv) + 30);
    assert_eq!(without.explain().expect("reasons")["evaluations"], 0);
    let reasons = with.explain().expect("reasons");
    let evaluations = reasons["evaluations"].as_u64().expect("a number");
    assert!((2..=150).contains(&evaluations), "{evaluations}");
    // Each counts as several playouts, but for the root's.
    let visits: u64 = with.values().iter().map(|value| value.2).sum();
    assert_eq!(visits, 300 + (evaluations - 1) * 3);
}

#[test]
fn an_adviser_that_fails_is_asked_no_more() {
    let board = opening(8, 2);
    let mut silent = engine(plain(None, 0), Budget::playouts(200));
    let mut best = BestEngine::new(Budget::playouts(200), 1, 1);
    assert_eq!(silent.choose(&board, None), best.choose(&board, None));
    assert_eq!(silent.values(), best.values());
    let mut later = engine(plain(None, 3), Budget::playouts(400));
    later.choose(&board, None);
    assert_eq!(later.explain().expect("reasons")["evaluations"], 3);
}

#[test]
fn the_same_seed_gives_the_same_search() {
    let board = opening(12, 3);
    let values = || {
        let mut engine = engine(plain(None, u64::MAX), Budget::playouts(500));
        engine.choose(&board, None);
        engine.values()
    };
    assert_eq!(values(), values());
}

#[test]
fn an_adviser_without_time_is_not_asked() {
    let friend = Friend {
        time: Duration::from_millis(30),
        ..plain(None, u64::MAX)
    };
    let budget = Budget::playouts(u64::MAX).within(Some(Duration::from_mins(1)));
    let mut engine = engine(friend, budget);
    let board = opening(8, 4);
    engine.choose(&board, Some(Duration::from_millis(10)));
    assert_eq!(engine.explain().expect("reasons")["evaluations"], 0);
}
