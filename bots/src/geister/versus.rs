//! Matches between two policies: both seats, with intervals over independent pairs of games.

use std::panic::resume_unwind;

use games::geister::{Placement, Position, Rules};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::choice::Choice;
use super::selfplay::{Room, game_seed, random_placement};
use super::weights::Weights;
use crate::score::Score;

/// A policy: weights and how it chooses.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'a> {
    /// Weights.
    pub weights: &'a Weights,
    /// How preferences become a move.
    pub choice: Choice,
}

/// Plays one block: the same two placements twice, A first with the one and then second with the other.
pub fn play_block(
    players: [Policy<'_>; 2],
    placements: [Placement; 2],
    rules: Rules,
    rng: &mut Xoshiro256PlusPlus,
    room: &mut Room,
    score: &mut Score,
) {
    let mut results = [0.0; 2];
    for (a, result) in results.iter_mut().enumerate() {
        let seats = [players[a], players[1 - a]];
        let end = room.play(
            seats.map(|p| p.weights),
            seats.map(|p| p.choice),
            Position::new(placements, rules),
            rng,
            |_, _| {},
        );
        score.plies += u64::from(end.ply());
        *result = match end.end().and_then(|end| end.winner) {
            Some(winner) if usize::from(winner) == a => 1.0,
            Some(_) => 0.0,
            None => 0.5,
        };
    }
    score.add_block(&results);
}

/// Plays `games` games (rounded up to pairs) with random placements. Game pair `n` depends on `seed` and `n`
/// alone, so that any number of threads gives the same result.
pub fn play_match(
    players: [Policy<'_>; 2],
    rules: Rules,
    games: u64,
    seed: u64,
    threads: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Score {
    let blocks = games.div_ceil(2);
    let threads = threads.max(1) as u64;
    let play = |thread: u64| {
        let mut room = Room::new(players.map(|p| p.weights));
        let mut score = Score::default();
        let mut block = thread;
        while block < blocks {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(game_seed(seed, block));
            let placements = [0; 2].map(|_| random_placement(&mut rng));
            play_block(players, placements, rules, &mut rng, &mut room, &mut score);
            progress(2);
            block += threads;
        }
        score
    };
    let play = &play;
    let parts: Vec<Score> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || play(thread)))
            .collect();
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    });
    let mut total = Score::default();
    for part in &parts {
        total.merge(part);
    }
    total
}
