//! Games of a search that needs no network: what a network may begin with.

use games::blokus::{Board, Placement, Scene};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::game::SelfPlay as _;
use super::{Ply, Record};
use bots::BuildError;
use bots::blokus::EngineOptions;
use bots::engine::OpenPosition as _;
use bots::search::{Game as _, MOST_SEATS};
use bots::spec::Specified as _;

/// An engine of Blokus that plays all seats of games.
#[derive(Clone, Debug)]
pub struct Teacher {
    pub engine: EngineOptions,
    /// Most uniformly random plies at the start of a game; each number up to it is as likely.
    pub random_plies: u32,
    /// Plies, those of the opening among them, up to which a move is drawn by the visits of the search; from there
    /// on the most visited one is played.
    pub drawn_plies: u16,
    pub seed: u64,
}

impl Teacher {
    /// Plays the game of a number. It depends on the number and on what is set, if the engine's budget is not time.
    pub fn play(&self, id: u64) -> Result<Record, BuildError> {
        let seed = game_seed(self.seed, id);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let random = rng.random_range(0..=self.random_plies);
        let mut engine = self.engine.build(rng.random())?;
        let mut record = Record {
            id,
            ..Record::default()
        };
        let mut scene = Scene::new();
        for mv in opening(random, seed) {
            record.plies.push(Ply {
                mv: mv.index() as u16,
                ..Ply::default()
            });
            scene.play_unchecked(mv);
        }
        while scene.board().to_move().is_some() {
            let best = engine.choose(scene.board(), None);
            let visits = engine.values();
            let total: u64 = visits.iter().map(|&(_, _, visits)| visits).sum();
            let share = |n: u64| n as f64 / total as f64;
            let policy = if total == 0 {
                vec![(best.index() as u16, u16::MAX)]
            } else {
                Ply::policy_of(
                    visits
                        .iter()
                        .map(|&(mv, _, n)| (mv.index() as u16, share(n))),
                )
            };
            let mut mv = best;
            if scene.board().ply() < self.drawn_plies && total > 0 {
                let mut left = rng.random_range(0..total);
                for &(drawn, _, n) in &visits {
                    if left < n {
                        mv = drawn;
                        break;
                    }
                    left -= n;
                }
            }
            record.plies.push(Ply {
                mv: mv.index() as u16,
                is_lesson: true,
                values: None,
                policy,
            });
            scene.play_unchecked(mv);
        }
        let rewards = scene.rewards().unwrap_or([0.0; MOST_SEATS]);
        record.rewards = rewards.map(|reward| reward as f32);
        record.scores = scene.scores();
        Ok(record)
    }
}

fn opening(plies: u32, seed: u64) -> Vec<Placement> {
    let end = Board::random_opening(plies, seed);
    let mut moves = Vec::new();
    end.moves_since(&Board::new(), &mut moves);
    moves
}

/// The seed of a game, so that neighbouring numbers have nothing in common (the finalizer of `SplitMix64`: G. L. Steele,
/// D. Lea and C. H. Flood, OOPSLA 2014).
pub(super) const fn game_seed(seed: u64, id: u64) -> u64 {
    let mut n = seed.wrapping_add(id.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}
