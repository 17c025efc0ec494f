//! The search with an adviser that stands for a network, and by several threads in one tree.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use games::blokus::{Board, Placement, Scene};

use super::search::{BestSearch, LEAST_PLAYOUTS};
use super::tree::JudgedTree;
use super::{AdvicePlan, Adviser, BestNetworks, BestPlan, BlokusBest};
use crate::engine::Engine as _;
use crate::engine::OpenPosition as _;
use crate::search::tree::{NONE, ROOT};
use crate::search::{Budget, Rewards, StepTime, Stopwatch, fan_out, rng_of};

/// Likes one move in particular, and has no opinion about who will win.
struct Friend {
    likes: Option<Placement>,
    left: u64,
    time: Duration,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// A position that was asked about, and when.
struct Asked {
    scene: Scene,
    at: Instant,
}

impl Adviser for Friend {
    fn advise(
        &mut self,
        scene: &Scene,
        moves: &[Placement],
        logits: &mut Vec<f32>,
    ) -> Option<Rewards> {
        let at = Instant::now();
        let asked = Asked { scene: *scene, at };
        self.asked.lock().expect("not poisoned").push(asked);
        while at.elapsed() < self.time {
            std::hint::spin_loop();
        }
        self.left = self.left.checked_sub(1)?;
        logits.clear();
        let liking = |&mv: &Placement| if Some(mv) == self.likes { 9.0 } else { 0.0 };
        logits.extend(moves.iter().map(liking));
        Some([0.25; 4])
    }
}

const PLAN: AdvicePlan = AdvicePlan {
    visits: 8,
    weight: 4,
};

fn engine(friend: Friend, budget: Budget) -> BlokusBest {
    let pace = StepTime::of(friend.time);
    let advisers: Vec<(Box<dyn Adviser>, StepTime)> = vec![(Box::new(friend), pace)];
    BlokusBest::advised(BestPlan::default(), PLAN, advisers, budget, 1)
}

fn plain(likes: Option<Placement>, left: u64) -> Friend {
    Friend {
        likes,
        left,
        time: Duration::ZERO,
        asked: Arc::default(),
    }
}

fn visits_of(engine: &BlokusBest, mv: Placement) -> u64 {
    let values = engine.values();
    let found = values.iter().find(|value| value.0 == mv);
    found.map_or(0, |value| value.2)
}

/// The least likely move of a position, to the judge.
fn unlikely(board: &Board) -> Placement {
    let mut engine = BlokusBest::new(&BestNetworks::default(), Budget::playouts(4000), 1, 1);
    engine.choose(board, None);
    let mut moves = Vec::new();
    board.legal_moves(&mut moves);
    let least = moves.iter().min_by_key(|&&mv| visits_of(&engine, mv));
    *least.expect("a move")
}

#[test]
fn what_the_adviser_likes_is_searched_more() {
    let board = Board::random_opening(8, 1);
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
    let playouts = reasons["playouts"].as_u64().expect("a number");
    assert!(playouts <= 300);
    assert_eq!(visits, playouts + (evaluations - 1) * 3);
}

#[test]
fn an_adviser_that_fails_is_asked_again_in_the_next_search() {
    let board = Board::random_opening(8, 2);
    let friend = plain(None, 0);
    let asked = Arc::clone(&friend.asked);
    let count = || asked.lock().expect("not poisoned").len();
    let mut silent = engine(friend, Budget::playouts(200));
    let mut best = BlokusBest::new(&BestNetworks::default(), Budget::playouts(200), 1, 1);
    assert_eq!(silent.choose(&board, None), best.choose(&board, None));
    assert_eq!(silent.values(), best.values());
    assert_eq!(count(), 1);
    silent.choose(&board, None);
    assert_eq!(count(), 2);
    let friend = plain(None, 3);
    let asked = Arc::clone(&friend.asked);
    let mut later = engine(friend, Budget::playouts(400));
    later.choose(&board, None);
    assert_eq!(later.explain().expect("reasons")["evaluations"], 3);
    assert_eq!(asked.lock().expect("not poisoned").len(), 4);
}

#[test]
fn the_adviser_sees_how_positions_came_about() {
    let mut scene = Scene::new();
    let mut moves = Vec::new();
    for _ in 0..9 {
        scene.board().legal_moves(&mut moves);
        scene.play_unchecked(moves[moves.len() / 2]);
    }
    let out = scene.board().to_move().expect("a colour").next();
    scene.withdraw(out);
    let friend = plain(None, u64::MAX);
    let asked = Arc::clone(&friend.asked);
    engine(friend, Budget::playouts(600)).choose_in(&scene, None);
    let asked = asked.lock().expect("not poisoned");
    assert_eq!(asked[0].scene, scene);
    let mut deepest = 0;
    for Asked { scene: later, .. } in asked.iter() {
        assert!(later.board().is_withdrawn(out));
        assert_eq!(later.past().iter().flatten().count(), later.past().len());
        // So many moves after the root, whose last ones come next.
        let depth = (0..=later.past().len())
            .find(|&depth| later.past()[depth..] == scene.past()[..later.past().len() - depth]);
        deepest = deepest.max(depth.expect("it goes on from the root"));
    }
    assert!(deepest >= 2, "{deepest}");
}

#[test]
fn the_same_seed_gives_the_same_search() {
    let board = Board::random_opening(12, 3);
    let values = || {
        let mut engine = engine(plain(None, u64::MAX), Budget::playouts(500));
        engine.choose(&board, None);
        engine.values()
    };
    assert_eq!(values(), values());
}

#[test]
fn an_adviser_is_not_asked_when_there_is_no_time_for_it() {
    let friend = || Friend {
        time: Duration::from_millis(30),
        ..plain(None, u64::MAX)
    };
    let budget = Budget::playouts(u64::MAX).within(Some(Duration::from_mins(1)));
    let board = Board::random_opening(8, 4);
    let mut hurried = engine(friend(), budget);
    hurried.choose(&board, Some(Duration::from_millis(10)));
    assert_eq!(hurried.explain().expect("reasons")["evaluations"], 0);
    let friend = friend();
    let asked = Arc::clone(&friend.asked);
    let mut patient = engine(friend, budget);
    let limit = Duration::from_millis(200);
    let deadline = Instant::now() + limit;
    patient.choose(&board, Some(limit));
    let asked = asked.lock().expect("not poisoned");
    assert!((1..=7).contains(&asked.len()), "{}", asked.len());
    // However busy the machine is, only one that was about to begin can be too late.
    assert!(asked.iter().filter(|asked| asked.at > deadline).count() <= 1);
}

#[test]
fn what_is_left_is_counted_as_what_was_done() {
    let board = Board::random_opening(50, 2);
    let all = 20_000;
    let playouts = Budget::playouts(all);
    for budget in [playouts, playouts.within(Some(Duration::from_mins(10)))] {
        let mut decided = engine(plain(None, u64::MAX), budget);
        decided.choose(&board, None);
        let mut values = decided.values();
        values.sort_by_key(|value| std::cmp::Reverse(value.2));
        let lead = values[0].2 - values.get(1).map_or(0, |value| value.2);
        let done = decided.explain().expect("reasons")["playouts"]
            .as_u64()
            .expect("a number");
        assert!(done < all && lead > all - done, "{done} {lead}");
        let visits: u64 = values.iter().map(|value| value.2).sum();
        assert!(visits > done);
    }
}

#[test]
fn a_search_in_the_opening_uses_a_part_of_its_budget() {
    let playouts_of = |threads: usize, plies: u32, budget: Budget| {
        let mut engine = BlokusBest::new(&BestNetworks::default(), budget, threads, 3);
        engine.choose(&Board::random_opening(plies, 7), None);
        let reasons = engine.explain().expect("reasons");
        reasons["playouts"].as_u64().expect("a number")
    };
    let playouts = |plies, budget| playouts_of(1, plies, budget);
    let without_time = Budget::playouts(10_000);
    let with_time = without_time.within(Some(Duration::from_mins(10)));
    for budget in [without_time, with_time] {
        assert!((1300..2064).contains(&playouts(8, budget)));
        assert!((2064..6064).contains(&playouts(20, budget)));
        assert!((6064..=10_000).contains(&playouts(28, budget)));
    }
    let mut knowledge = BestNetworks::default();
    knowledge.plan.saves = false;
    let mut engine = BlokusBest::new(&knowledge, without_time, 1, 3);
    engine.choose(&Board::random_opening(8, 7), None);
    let reasons = engine.explain().expect("reasons");
    let all = reasons["playouts"].as_u64().expect("a number");
    assert!((2064..=10_000).contains(&all), "{all}");
    // A fifth of a small budget is not enough.
    assert!((449..1364).contains(&playouts(8, Budget::playouts(2000))));
    assert!((200..=500).contains(&playouts(8, Budget::playouts(500))));
    // Four threads share what is enough; each looks at the clock after 64 playouts.
    let shared = playouts_of(4, 8, Budget::playouts(2000));
    assert!((449..=1300 + 4 * 64).contains(&shared), "{shared}");
}

/// The tree of so many threads that may make so many playouts each, and how many they have made; it has grown to at most about
/// so many moves.
fn tree_of(board: &Board, threads: usize, playouts: u64, most: usize) -> (JudgedTree, u64) {
    let mut workers: Vec<_> = (0..threads)
        .map(|thread| {
            let search = BestSearch::new(&BestNetworks::default(), None);
            (search, rng_of(5, thread))
        })
        .collect();
    let scene = Scene::from(*board);
    let mut tree = JudgedTree::of_threads(threads);
    tree.most_edges = most.min(tree.most_edges);
    workers[0].0.plant(&scene, &mut tree);
    let tree = Mutex::new(tree);
    let done = fan_out(&mut workers, |_, (search, rng)| {
        let watch = Stopwatch::start(Budget::playouts(playouts));
        search.search(&scene, &tree, watch, LEAST_PLAYOUTS, rng);
        assert!(search.playouts <= playouts);
        search.playouts
    });
    (tree.into_inner().expect("not poisoned"), done.iter().sum())
}

#[test]
fn threads_share_one_tree() {
    for (seed, plies) in [(1, 4), (2, 30), (3, 60)] {
        let (tree, done) = tree_of(&Board::random_opening(plies, seed), 4, 500, usize::MAX);
        assert_eq!(u64::from(tree.node(ROOT).visits), done);
        assert!(tree.edges.iter().all(|edge| edge.pending == 0));
        let mut entered = vec![0; tree.nodes.len()];
        for edge in &tree.edges {
            if edge.child != NONE {
                entered[edge.child as usize] += 1;
            }
        }
        entered[ROOT as usize] += 1;
        // Each position has one move that leads to it, and as many visits as its moves have together.
        assert!(entered.iter().all(|&count| count == 1));
        for node in 0..tree.nodes.len() as u32 {
            let edges = tree.moves(node);
            let visits: u32 = edges.iter().map(|edge| edge.visits).sum();
            assert_eq!(tree.node(node).visits, visits);
        }
    }
}

#[test]
fn no_two_threads_ask_about_one_position() {
    let board = Board::random_opening(8, 5);
    let asked = Arc::<Mutex<Vec<Asked>>>::default();
    let friend = |_| {
        let asked = Arc::clone(&asked);
        let friend = Friend {
            time: Duration::from_micros(300),
            asked,
            ..plain(None, u64::MAX)
        };
        let adviser: (Box<dyn Adviser>, StepTime) =
            (Box::new(friend), StepTime::of(Duration::ZERO));
        adviser
    };
    let budget = Budget::playouts(8000);
    let advisers = (0..4).map(friend).collect();
    let mut engine = BlokusBest::advised(BestPlan::default(), PLAN, advisers, budget, 1);
    engine.choose(&board, None);
    let asked = asked.lock().expect("not poisoned");
    assert!(asked.len() > 50, "{}", asked.len());
    for (number, Asked { scene, .. }) in asked.iter().enumerate() {
        assert!(asked[..number].iter().all(|other| other.scene != *scene));
    }
}

#[test]
fn a_full_tree_grows_no_more() {
    let (tree, done) = tree_of(&Board::random_opening(4, 1), 4, 500, 3000);
    assert_eq!(u64::from(tree.node(ROOT).visits), done);
    // Each thread may be about to add a position when it is full.
    assert!((3000..3000 + 5 * 48).contains(&tree.edges.len()));
}

/// A thread whose last answer has taken long by chance asks again, as the root's answer shows how long one takes.
#[test]
fn all_threads_ask() {
    let asked: [Arc<Mutex<Vec<Asked>>>; 2] = Default::default();
    let paces = [Duration::ZERO, Duration::from_hours(1)];
    let advisers = asked.iter().zip(paces).map(|(asked, pace)| {
        let asked = Arc::clone(asked);
        let friend = Friend {
            asked,
            ..plain(None, u64::MAX)
        };
        let adviser: (Box<dyn Adviser>, StepTime) = (Box::new(friend), StepTime::of(pace));
        adviser
    });
    let budget = Budget::playouts(2000).within(Some(Duration::from_mins(1)));
    let mut engine = BlokusBest::advised(BestPlan::default(), PLAN, advisers.collect(), budget, 1);
    engine.choose(&Board::random_opening(8, 6), None);
    for asked in &asked {
        assert!(!asked.lock().expect("not poisoned").is_empty());
    }
}
