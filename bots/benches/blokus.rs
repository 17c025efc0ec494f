//! Rules, playouts and decisions of Blokus.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use games::blokus::{Board, Placement, Position};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_bots::blokus::{EngineOptions, RowPlayout};
use taikyoku_bots::spec::Specified as _;

fn playouts(c: &mut Criterion) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut group = c.benchmark_group("blokus, playouts from the start");
    group.throughput(Throughput::Elements(1));
    let mut rows = RowPlayout::new(0.05);
    group.bench_function("orientations first", |b| {
        b.iter(|| rows.scores(black_box(&Board::new()), &mut rng));
    });
    group.finish();
}

/// Random games as their moves, and how many plies they have in all.
fn games() -> (Vec<Vec<Placement>>, u64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut moves = Vec::new();
    let mut game = || {
        let mut board = Board::new();
        let mut line = Vec::new();
        while board.to_move().is_some() {
            board.legal_moves(&mut moves);
            let mv = moves[rng.random_range(0..moves.len())];
            board.play_unchecked(mv);
            line.push(mv);
        }
        line
    };
    let games: Vec<_> = (0..50).map(|_| game()).collect();
    let plies = games.iter().map(|line| line.len() as u64).sum();
    (games, plies)
}

/// At each ply all legal moves are listed, and one is played.
fn rules(c: &mut Criterion) {
    let (games, plies) = games();
    let mut moves = Vec::new();
    let mut group = c.benchmark_group("blokus, legal moves and a move, random games, per ply");
    group.throughput(Throughput::Elements(plies));
    let start = Position::new();
    let mut position = start.clone();
    group.bench_function("carried sets", |b| {
        b.iter(|| {
            for line in &games {
                position.clone_from(&start);
                for &mv in line {
                    position.legal_moves(&mut moves);
                    black_box(&moves);
                    position.play_unchecked(mv);
                }
            }
        });
    });
    group.bench_function("row bitmaps", |b| {
        b.iter(|| {
            for line in &games {
                let mut board = Board::new();
                for &mv in line {
                    board.legal_moves(&mut moves);
                    black_box(&moves);
                    board.play_unchecked(mv);
                }
            }
        });
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
        let mut engine = options.build(1).expect("an engine");
        group.bench_function(text, |b| {
            b.iter(|| {
                engine.new_game();
                engine.choose(black_box(&Board::new()), None)
            });
        });
    }
    group.finish();
}

criterion_group!(blokus, rules, playouts, decisions);
criterion_main!(blokus);
