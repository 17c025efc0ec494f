//! Playouts and decisions of Blokus.

use std::hint::black_box;
use std::time::Duration;

use bots::blokus::{EngineOptions, ExactPlayout, RowPlayout};
use bots::search::Playout as _;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use games::blokus::Board;
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

fn playouts(c: &mut Criterion) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut group = c.benchmark_group("blokus, playouts from the start");
    group.throughput(Throughput::Elements(1));
    let mut rows = RowPlayout::new(0.05);
    group.bench_function("orientations first", |b| {
        b.iter(|| rows.scores(black_box(&Board::new()), &mut rng));
    });
    let mut exact = ExactPlayout::new(0.05);
    group.bench_function("uniform over moves", |b| {
        b.iter(|| exact.run(black_box(&Board::new()), &mut rng));
    });
    group.finish();
}

fn decisions(c: &mut Criterion) {
    let mut group = c.benchmark_group("blokus, first decision");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(2));
    for text in [
        "mcts-maxn:playouts=800",
        "mcts-paranoid:playouts=800",
        "mcts-brs:playouts=800",
        "best:playouts=800",
    ] {
        let options: EngineOptions = text.parse().expect("an engine");
        let mut engine = options.build(1);
        group.bench_function(text, |b| {
            b.iter(|| {
                engine.new_game();
                engine.choose(black_box(&Board::new()), None)
            });
        });
    }
    group.finish();
}

criterion_group!(blokus, playouts, decisions);
criterion_main!(blokus);
