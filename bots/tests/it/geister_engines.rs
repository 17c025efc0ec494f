//! The engines: same seed, same game; what a search must see; what a belief must learn.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use games::geister::{
    Colour, Ghost, Move, MoveList, Place, Placement, Position, Rules, Square, View,
};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_bots::geister::belief::{BLUNDERS, Belief, EnemyModels, Prior};
use taikyoku_bots::geister::selfplay::{Room, random_placement};
use taikyoku_bots::geister::{
    Choice, EngineName, EngineOptions, GeisterNetworks, Weights, play_game,
};
use taikyoku_bots::signature;
use taikyoku_bots::spec::Specified as _;

fn engine(name: EngineName) -> EngineOptions {
    let mut options = EngineOptions {
        engine: name,
        ..EngineOptions::default()
    };
    options.plan.simulations = 60;
    options
}

#[test]
fn the_same_seed_plays_the_same_game() {
    for name in [
        EngineName::Random,
        EngineName::Paper,
        EngineName::Policy,
        EngineName::Best,
    ] {
        let play = |seed| {
            let mut a = engine(name).build(seed).expect("built in");
            let mut b = engine(EngineName::Paper).build(seed + 1).expect("built in");
            signature::of_geister(
                &play_game([&mut *a, &mut *b], Rules::default())
                    .expect("legal")
                    .end,
            )
        };
        assert_eq!(play(5), play(5));
        assert_ne!(play(5), play(6));
    }
}

fn on(x: u8, y: u8) -> Place {
    Place::On(Square::new(x, y).expect("on the board"))
}

/// A late position: `own` and `enemy` are ghosts on the board, all others are captured, three of each colour at
/// most.
fn late(own: &[(u8, u8, Colour)], enemy: &[(u8, u8, Option<Colour>)]) -> View {
    let colours = [Colour::Red, Colour::Blue];
    let mut left = [4, 4];
    for &(_, _, colour) in own {
        left[colour as usize] -= 1;
    }
    let mut mine = Vec::new();
    for &(x, y, colour) in own {
        mine.push((on(x, y), colour));
    }
    for colour in colours {
        mine.extend((0..left[colour as usize]).map(|_| (Place::Captured, colour)));
    }
    let mut theirs: Vec<_> = enemy.iter().map(|&(x, y, c)| (on(x, y), c)).collect();
    while theirs.len() < 8 {
        let colour = colours[theirs.len() % 2];
        theirs.push((Place::Captured, Some(colour)));
    }
    View::from_ghosts(
        0,
        mine.try_into().expect("eight"),
        theirs.try_into().expect("eight"),
        0,
        40,
        Rules::default(),
    )
    .expect("a possible board")
}

#[test]
fn best_escapes_when_it_can() {
    let view = late(
        &[(0, 0, Colour::Blue), (3, 3, Colour::Red)],
        &[(2, 4, None), (4, 1, None)],
    );
    let mut best = engine(EngineName::Best).build(1).expect("built in");
    best.begin(&view);
    assert_eq!(best.choose(&view, None).to_string(), "A,W");
}

#[test]
fn best_captures_the_ghost_that_would_escape() {
    // The enemy's blue ghost stands on its exit, the own corner, and the own ghost beside it.
    let view = late(
        &[(1, 5, Colour::Blue), (3, 2, Colour::Red)],
        &[(0, 5, Some(Colour::Blue)), (4, 1, Some(Colour::Red))],
    );
    let mut best = engine(EngineName::Best).build(1).expect("built in");
    best.begin(&view);
    assert_eq!(best.choose(&view, None).to_string(), "A,W");
}

/// A choice that is not played, such as a hint to a person, is no earlier board.
#[test]
fn best_that_is_asked_again_answers_the_same() {
    // The blue ghost is a step from its exit, and no enemy is near.
    let view = late(
        &[(1, 0, Colour::Blue), (3, 4, Colour::Red)],
        &[(3, 1, None), (5, 3, None)],
    );
    let mut options = engine(EngineName::Best);
    options.plan.draw = 0.0;
    let mut best = options.build(1).expect("built in");
    best.begin(&view);
    for _ in 0..3 {
        assert_eq!(best.choose(&view, None).to_string(), "A,W");
    }
}

#[test]
fn time_is_kept_and_threads_share_the_simulations() {
    let view = View::start(0, Placement::ALL[3], Rules::default());
    let mut options = engine(EngineName::Best);
    options.threads = 3;
    options.plan.simulations = 201;
    let mut best = options.build(1).expect("built in");
    best.begin(&view);
    // The second search does not go on from the first.
    for _ in 0..2 {
        best.choose(&view, None);
        let reasons = best.explain().expect("reasons");
        assert_eq!(reasons["simulations"], 201);
    }
    options.plan.simulations = u32::MAX;
    let mut best = options.build(1).expect("built in");
    best.begin(&view);
    let begin = Instant::now();
    best.choose(&view, Some(Duration::from_millis(60)));
    assert!(begin.elapsed() < Duration::from_secs(20));
}

/// Ghosts that go to and fro win no game.
#[test]
fn best_goes_back_to_an_earlier_board_only_for_a_draw() {
    let start = late(
        &[(2, 4, Colour::Blue), (3, 4, Colour::Red)],
        &[(2, 1, None), (5, 2, None)],
    );
    let repeats = |draw: f64| {
        let mut options = engine(EngineName::Best);
        options.plan.simulations = 1000;
        options.plan.draw = draw;
        let mut best = options.build(1).expect("built in");
        best.begin(&start);
        let (mut view, mut boards, mut repeats) = (start, Vec::new(), 0);
        for enemy in ["B,N", "B,S", "B,N", "B,S"] {
            let (before, mv) = (view, best.choose(&view, None));
            view.follow(mv, None).expect("no capture");
            best.observe(&before, mv, None);
            let ghosts = (0..8).filter_map(Ghost::from_index);
            let board: Vec<Place> = ghosts
                .flat_map(|ghost| [view.own(ghost).0, view.enemy(ghost).0])
                .collect();
            repeats += u32::from(boards.contains(&board));
            boards.push(board);
            let before = view;
            let mv = enemy.parse().expect("a move");
            view.follow(mv, None).expect("no capture");
            best.observe(&before, mv, None);
        }
        repeats
    };
    assert_eq!(repeats(0.0), 0);
    assert_ne!(repeats(1.0), 0);
}

#[test]
fn a_ghost_that_does_not_escape_is_taken_to_be_red() {
    // Policies without preferences, so that only the escape tells.
    let zeros = vec![0; models().networks.to_bytes().len()];
    let networks = Arc::new(GeisterNetworks::from_bytes(&zeros).expect("as long as networks"));
    let models = EnemyModels {
        networks: Arc::clone(&networks),
        responses: std::array::from_fn(|_| Arc::clone(&networks)),
        pairs: [Weights::zero(), Weights::zero()],
        learned: Weights::zero(),
    };
    let mut view = late(
        &[(3, 3, Colour::Blue), (3, 4, Colour::Red)],
        &[(0, 5, None), (2, 1, None)],
    );
    view.follow(view_move(&view), None).expect("a legal move");
    let mut belief = Belief::new(BLUNDERS, Prior::default());
    let before = belief.red(&view)[0];
    // It stays in the corner while its fellow moves.
    let mv = "B,N".parse().expect("a move");
    belief.observe(&models, &view, mv);
    let after = belief.red(&view)[0];
    assert!(after > before && after > 0.85, "{before} {after}");
    let sum: f64 = belief.enemies(&view).iter().map(|e| e.chance).sum();
    assert!((sum - 1.0).abs() < 1e-9);
}

/// The policies that an enemy of `best` may have.
fn models() -> EnemyModels {
    EnemyModels::new(GeisterNetworks::built_in().into())
}

fn shipped(weights: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../models/geister")
        .join(weights)
}

/// An enemy that plays like one of the shipped policies shows its colours, whichever policy it is.
#[test]
fn a_belief_finds_the_colours_of_each_policy() {
    let models = models();
    for (name, weights) in [
        (EngineName::Policy, "networks.i16"),
        (EngineName::Policy, "best_response.i16"),
        (EngineName::Policy, "search_response.i16"),
        (EngineName::Policy, "second_response.i16"),
        (EngineName::Policy, "third_response.i16"),
        (EngineName::Policy, "fifth_response.i16"),
        (EngineName::Paper, "policy.npy"),
        (EngineName::Paper, "paper.npy"),
    ] {
        let mut probability = 0.0;
        let games = 20;
        for seed in 0..games {
            let mut enemy = EngineOptions {
                weights: Some(shipped(weights)),
                temperature: 1.0,
                ..engine(name)
            }
            .build(seed)
            .expect("its weights are there");
            let mut own = engine(EngineName::Policy)
                .build(100 + seed)
                .expect("built in");
            let placements = [own.placement(), enemy.placement()];
            let mut position = Position::new(placements, Rules::default());
            let mut belief = Belief::new(BLUNDERS, Prior::default());
            while let Some(seat) = position.to_move()
                && position.ply() < 40
            {
                let view = position.view(0);
                let mv = if seat == 0 {
                    own.choose(&view, None)
                } else {
                    enemy.choose(&position.view(1), None)
                };
                if seat == 1 {
                    belief.observe(&models, &view, mv);
                }
                position.play(mv).expect("engines choose legal moves");
            }
            let view = position.final_view(0);
            let red = belief.red(&view);
            let ghosts = (0..8).map(|n| {
                let is_red = placements[1].mask() >> n & 1 != 0;
                if is_red { red[n] } else { 1.0 - red[n] }
            });
            probability += ghosts.sum::<f64>() / 8.0;
        }
        probability /= games as f64;
        assert!(probability > 0.65, "{name:?} {weights}: {probability}");
    }
}

fn view_move(view: &View) -> Move {
    let mut moves = MoveList::new();
    view.legal_moves(&mut moves);
    moves[0]
}

#[test]
fn a_belief_without_trust_learns_nothing() {
    let models = models();
    let placements = [Placement::ALL[3]; 2];
    let mut position = Position::new(placements, Rules::default());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut belief = Belief::new(1.0, Prior::default());
    let mut moves = MoveList::new();
    for _ in 0..20 {
        let view = position.view(0);
        position.legal_moves(&mut moves);
        let mv = moves[rand::RngExt::random_range(&mut rng, 0..moves.len())];
        if position.to_move() == Some(1) {
            belief.observe(&models, &view, mv);
        }
        position.play(mv).expect("a listed move");
        if position.to_move().is_none() {
            break;
        }
    }
    let view = position.view(0);
    let mut probabilities = belief.enemies(&view).into_iter().map(|e| e.chance);
    let first = probabilities.next().expect("one at least");
    // An escape is listed for blue ghosts only, so the number of moves can tell a little.
    assert!(probabilities.all(|p| (p / first - 1.0).abs() < 0.5));
}

#[test]
fn games_of_policies_allocate_nothing() {
    let weights = Weights::strongest();
    let mut room = Room::new([&weights; 2]);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let count = allocation_counter::measure(|| {
        for choice in [Choice::Greedy, Choice::Softmax(1.0)] {
            let placements = [0; 2].map(|_| random_placement(&mut rng));
            let start = Position::new(placements, Rules::default());
            room.play([&weights; 2], [choice; 2], start, &mut rng, |_, _| {});
        }
    });
    assert_eq!(count.count_total, 0);
}

/// A fixed seed and budget; a change that is not meant to change the search must not change this.
#[test]
fn the_signature_of_best() {
    let board = ". b . . . .\n. . . . . .\n. . . . . r\n. . . . R .\n. . . . . b\n. . . . b .\n";
    assert_eq!(signature::geister_best(), format!("102:BDFG:{board}"));
}
