//! Speed of the Geister policy and the search. `cargo bench -p taikyoku-bots --bench geister`.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use games::geister::{MoveList, Position, Rules};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_bots::geister::belief::BLUNDERS;
use taikyoku_bots::geister::features::Sight;
use taikyoku_bots::geister::selfplay::{Room, random_placement};
use taikyoku_bots::geister::{
    Choice, Engine as _, GeisterBest, GeisterNetworks, SearchPlan, Sums, Weights,
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
    let mut room = Room::new([&weights; 2]);
    let mut group = c.benchmark_group("games on one core");
    group.throughput(Throughput::Elements(100));
    for (name, choice) in [
        ("greedy", Choice::Greedy),
        ("softmax", Choice::Softmax(1.0)),
    ] {
        group.bench_function(name, |b| {
            b.iter(|| {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
                for _ in 0..100 {
                    let placements = [0; 2].map(|_| random_placement(&mut rng));
                    let start = Position::new(placements, Rules::default());
                    black_box(room.play([&weights; 2], [choice; 2], start, &mut rng, |_, _| {}));
                }
            });
        });
    }
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
    let mut best = GeisterBest::new(
        GeisterNetworks::built_in().into(),
        plan,
        BLUNDERS,
        false,
        1,
        1,
    );
    group.bench_function("simulations after 30 plies", |b| {
        b.iter(|| best.choose(black_box(&view), None));
    });
    group.finish();
}

criterion_group!(benches, preferences, games, search);
criterion_main!(benches);
