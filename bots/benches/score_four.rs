//! Playouts, decisions and exact solving of score four.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use games::score_four::Position;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_bots::score_four::best::Solver;
use taikyoku_bots::score_four::playout::{ErdosSelfridge, Uniform};
use taikyoku_bots::score_four::{EngineOptions, late_position};
use taikyoku_bots::spec::Specified as _;

fn playouts(c: &mut Criterion) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut group = c.benchmark_group("score four, playouts from the empty board");
    group.throughput(Throughput::Elements(1));
    group.bench_function("uniform", |b| {
        b.iter(|| Uniform::play(black_box(&Position::START), &mut rng));
    });
    let es = ErdosSelfridge::default();
    group.bench_function("Erdős-Selfridge", |b| {
        b.iter(|| es.play(black_box(&Position::START), &mut rng));
    });
    group.finish();
}

fn decisions(c: &mut Criterion) {
    let mut group = c.benchmark_group("score four, first decision");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(2));
    for text in [
        "flat:playouts=50000",
        "ucb1:playouts=50000",
        "uct:playouts=50000",
        "uct-es:playouts=20000",
    ] {
        let options: EngineOptions = text.parse().expect("an engine");
        let mut engine = options.build(1).expect("an engine");
        group.bench_function(text, |b| {
            b.iter(|| engine.choose(black_box(&Position::START), None));
        });
    }
    group.finish();
}

fn solving(c: &mut Criterion) {
    let mut group = c.benchmark_group("score four, exact value of a position");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(3));
    for empty in [16, 20, 24] {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(u64::from(empty));
        let positions: Vec<Position> = (0..256).map(|_| late_position(empty, &mut rng)).collect();
        let mut next = 0;
        group.bench_function(format!("{empty} empty squares"), |b| {
            // A table of its own for each position, so that no answer is remembered.
            b.iter_batched(
                || {
                    next = (next + 1) % positions.len();
                    (Solver::new(18), positions[next])
                },
                |(mut solver, position)| {
                    let value = solver.value(black_box(&position), None);
                    (solver, value)
                },
                criterion::BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(score_four, playouts, decisions, solving);
criterion_main!(score_four);
