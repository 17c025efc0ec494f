//! What `blokus-zero` does beside the network: packing positions, and the search itself.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use games::blokus::{Placement, Scene};
use models::blokus::{Fast, Paper};
use models::{Encoding, NetworkError};
use serde_json::Value;
use taikyoku_bots::blokus::Engine as _;
use taikyoku_bots::blokus::arena::opening;
use taikyoku_bots::blokus::zero::{ZeroEngine, ZeroSettings};
use taikyoku_bots::search::network::LeafEvaluator;
use taikyoku_bots::search::puct::PuctPlan;
use taikyoku_bots::search::{Budget, Rewards};

/// Positions of a game in which largest pieces are placed.
fn scenes() -> Vec<Scene> {
    let mut scene = Scene::new();
    let (mut scenes, mut moves) = (Vec::new(), Vec::new());
    while scene.board().to_move().is_some() {
        scenes.push(scene);
        scene.board().legal_moves(&mut moves);
        scene.play_unchecked(moves[moves.len() - 1]);
    }
    scenes
}

fn pack<E: Encoding<Position = Scene>>(c: &mut Criterion) {
    let scenes = scenes();
    let mut packed = vec![0; E::LAYOUT.bytes()];
    let mut x = vec![0.0; E::LAYOUT.channels() * E::LAYOUT.squares()];
    let mut g = vec![0.0; E::LAYOUT.globals];
    let mut group = c.benchmark_group(format!("{}, per position of a game", E::LAYOUT.name));
    group.throughput(Throughput::Elements(scenes.len() as u64));
    group.bench_function("pack", |b| {
        b.iter(|| {
            for scene in &scenes {
                E::pack(scene, &mut packed);
                black_box(&packed);
            }
        });
    });
    group.bench_function("expand", |b| {
        b.iter(|| {
            for _ in &scenes {
                E::LAYOUT.expand(&packed, &mut x, &mut g);
                black_box((&x, &g));
            }
        });
    });
    group.finish();
}

/// Knows nothing, in no time; packs positions if it is to.
#[derive(Clone, Default)]
struct Mock {
    packs: bool,
    packed: Vec<u8>,
    moves: Vec<usize>,
    logits: Vec<u16>,
}

impl LeafEvaluator for Mock {
    type Position = Scene;

    fn clear(&mut self) {
        self.moves.clear();
        self.logits.clear();
    }

    fn add(&mut self, scene: &Scene, moves: &[Placement]) {
        self.moves.push(moves.len());
        if self.packs {
            self.packed.resize(Fast::LAYOUT.bytes(), 0);
            Fast::pack(scene, &mut self.packed);
            let logits = moves.iter().map(|&mv| Fast::logit(scene, mv));
            self.logits.extend(logits);
            black_box((&self.packed, &self.logits));
        }
    }

    fn evaluate(&mut self) -> Result<(), NetworkError> {
        Ok(())
    }

    fn answer(&mut self, number: usize, logits: &mut Vec<f32>) -> Rewards {
        logits.clear();
        logits.extend((0..self.moves[number]).map(|i| (i % 7) as f32));
        [0.25; 4]
    }
}

/// A simulation of a search of 800 from the 9th and the 33rd ply.
fn simulations(c: &mut Criterion) {
    const SIMULATIONS: u64 = 800;
    let mut group = c.benchmark_group("blokus-zero, per simulation without a network");
    group
        .throughput(Throughput::Elements(SIMULATIONS))
        .sample_size(20)
        .measurement_time(Duration::from_secs(3));
    for plies in [8, 32] {
        let board = opening(plies, 1);
        for packs in [false, true] {
            let settings = ZeroSettings {
                plan: PuctPlan::default(),
                batch: 1,
                score_share: 0.5,
                about: Value::Null,
            };
            let mock = Mock {
                packs,
                ..Mock::default()
            };
            let budget = Budget::playouts(SIMULATIONS);
            let engine = ZeroEngine::new(vec![mock], settings, budget, 1);
            let mut engine = engine.expect("an engine");
            let packing = if packs { " with packing" } else { "" };
            group.bench_function(format!("ply {plies}{packing}"), |b| {
                b.iter(|| {
                    engine.new_game();
                    engine.choose(black_box(&board), None)
                });
            });
        }
    }
    group.finish();
}

criterion_group!(blokus_zero, pack::<Fast>, pack::<Paper>, simulations);
criterion_main!(blokus_zero);
