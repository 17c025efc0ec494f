//! Playouts and decisions of the Daihinmin bots.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use games::daihinmin::{Dealer, Session, SessionRules, View};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_bots::daihinmin::{
    Best, DaihinminNetworks, Engine, Ingredients, MonteCarlo, TdValue, playout,
};
use taikyoku_bots::search::Budget;

fn benches(c: &mut Criterion) {
    let mut session = Session::new(SessionRules::default(), Dealer::plain(1));
    let starts: Vec<_> = (0..64)
        .map(|_| {
            let position = session.deal().start();
            session.finish([0, 1, 2, 3, 4]);
            position
        })
        .collect();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut group = c.benchmark_group("daihinmin");
    group.throughput(Throughput::Elements(1));
    let mut i = 0;
    group.bench_function("uniform playout from a fresh deal, to the end", |b| {
        b.iter(|| {
            i = (i + 1) % starts.len();
            let mut position = starts[i];
            // The last seat in: play until one of the seats is placed, for each in turn.
            let mut value = 0.0;
            for seat in 0..5 {
                value += playout(&mut position, seat, TdValue { alpha: 1.0 }, 5.0, &mut rng);
            }
            black_box(value)
        });
    });
    let views: Vec<View> = starts
        .iter()
        .map(|p| View::at_start(p, p.table.turn))
        .collect();
    group.bench_function("determinization of a fresh deal", |b| {
        b.iter(|| {
            i = (i + 1) % views.len();
            black_box(views[i].determinize(&mut rng))
        });
    });
    group.sample_size(20);
    group.bench_function("crow, first decision, 2000 playouts", |b| {
        let mut crow = MonteCarlo::new(Budget::playouts(2000), 0.9, 1, 1);
        b.iter(|| {
            i = (i + 1) % views.len();
            black_box(crow.choose(&views[i], None))
        });
    });
    group.bench_function("best, first decision, 400 playouts", |b| {
        let mut best = Best::new(
            Budget::playouts(400),
            Ingredients::default(),
            DaihinminNetworks::built_in(),
            Some(DaihinminNetworks::field()),
            1,
            1,
        );
        b.iter(|| {
            i = (i + 1) % views.len();
            black_box(best.choose(&views[i], None))
        });
    });
    group.finish();
}

criterion_group!(daihinmin, benches);
criterion_main!(daihinmin);
