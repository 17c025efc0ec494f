//! Speed of the Geister policy, its training, and the search. `cargo bench -p taikyoku-bots --bench geister`.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use games::geister::{MoveList, Position, Rules};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_bots::geister::belief::BLUNDERS;
use taikyoku_bots::geister::features::Sight;
use taikyoku_bots::geister::reinforce::{Steps, learn};
use taikyoku_bots::geister::selfplay::{Room, random_placement};
use taikyoku_bots::geister::trainer::Trainer;
use taikyoku_bots::geister::versus::{Policy, play_match};
use taikyoku_bots::geister::{
    BestEngine, Choice, Engine as _, Networks, SearchPlan, Sums, Weights,
};

/// A position of a game of the policy against itself, after `plies` moves.
fn middle(weights: &Weights, plies: u16) -> Position {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut found = Position::new([0; 2].map(|_| random_placement(&mut rng)), Rules::default());
    let start = found;
    Room::new([weights; 2]).play(
        [weights; 2],
        [Choice::Greedy; 2],
        start,
        &mut rng,
        |position, _| {
            if position.ply() <= plies {
                found = *position;
            }
        },
    );
    found
}

fn preferences(c: &mut Criterion) {
    let weights = Weights::strongest();
    let position = middle(&weights, 30);
    let seat = position.to_move().unwrap_or(0);
    let mut moves = MoveList::new();
    let mut group = c.benchmark_group("preferences of a position");
    group.bench_function("pair by pair", |b| {
        position.legal_moves(&mut moves);
        b.iter(|| {
            let sight = Sight::of(black_box(&position), seat);
            moves
                .iter()
                .map(|&mv| weights.preference(&sight.after_state(mv)))
                .fold(0.0, f64::max)
        });
    });
    let sums = Sums::of(&weights, &Sight::of(&position, seat));
    group.bench_function("from carried sums", |b| {
        b.iter(|| {
            black_box(&position).legal_moves(&mut moves);
            let sight = Sight::of(&position, seat);
            moves
                .iter()
                .map(|&mv| sums.preference(&weights, sight.change(mv)))
                .fold(0.0, f64::max)
        });
    });
    group.finish();
}

fn games(c: &mut Criterion) {
    let weights = Weights::strongest();
    let mut group = c.benchmark_group("games on one core");
    group.throughput(Throughput::Elements(100));
    for (name, choice) in [
        ("greedy", Choice::Greedy),
        ("softmax", Choice::Softmax(1.0)),
    ] {
        let players = [Policy {
            weights: &weights,
            choice,
        }; 2];
        group.bench_function(name, |b| {
            b.iter(|| play_match(players, Rules::default(), 100, 1, 1, &|_| {}));
        });
    }
    group.finish();
}

fn training(c: &mut Criterion) {
    let mut group = c.benchmark_group("training on one core");
    group.throughput(Throughput::Elements(100));
    let mut trainer = Trainer::new(1);
    trainer.weights = Weights::strongest();
    group.bench_function("self-play and learning, the paper's", |b| {
        b.iter(|| (0..100).for_each(|_| trainer.game()));
    });
    group.finish();

    let weights = Weights::strongest();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut played = Vec::new();
    let start = Position::new([0; 2].map(|_| random_placement(&mut rng)), Rules::default());
    Room::new([&weights; 2]).play(
        [&weights; 2],
        [Choice::Softmax(1.0); 2],
        start,
        &mut rng,
        |position, chosen| {
            if position.ply() % 2 == 0 {
                played.push((*position, chosen as u8));
            }
        },
    );
    let mut group = c.benchmark_group("learning");
    group.throughput(Throughput::Elements(played.len() as u64));
    let (mut theta, mut w) = (weights.clone(), Weights::zero());
    let steps = Steps {
        alpha: 1e-9,
        beta: 1e-9,
    };
    group.bench_function("moves of a game", |b| {
        b.iter(|| learn(&mut theta, &mut w, steps, black_box(&played), 1.0));
    });
    group.finish();
}

fn search(c: &mut Criterion) {
    let weights = Weights::strongest();
    let position = middle(&weights, 30);
    let view = position.view(position.to_move().unwrap_or(0));
    let simulations = 1000;
    let mut group = c.benchmark_group("search");
    group.throughput(Throughput::Elements(u64::from(simulations)));
    let plan = SearchPlan {
        simulations,
        ..SearchPlan::default()
    };
    let mut best = BestEngine::new(Networks::built_in().into(), plan, BLUNDERS, false, 1, 1);
    group.bench_function("simulations after 30 plies", |b| {
        b.iter(|| best.choose(black_box(&view)));
    });
    group.finish();
}

criterion_group!(benches, preferences, games, training, search);
criterion_main!(benches);
