//! Matches between two policies: both seats, with intervals over independent pairs of games.

use bots::geister::selfplay::{Room, game_seed, random_placement};
use bots::geister::{Choice, Weights};
use bots::search::Usage;
use games::GameName;
use games::geister::{Placement, Position, Rules};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::arena::{Broken, Played, Results, spread};

/// A policy: weights and how it chooses.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'a> {
    /// Weights.
    pub weights: &'a Weights,
    /// How preferences become a move.
    pub choice: Choice,
}

/// Plays one block: the same two placements twice, A first with the one and then second with the other.
fn play_block(
    players: [Policy<'_>; 2],
    placements: [Placement; 2],
    rules: Rules,
    rng: &mut Xoshiro256PlusPlus,
    room: &mut Room,
) -> Vec<Played> {
    let play = |a: usize| {
        let seats = [players[a], players[1 - a]];
        let end = room.play(
            seats.map(|p| p.weights),
            seats.map(|p| p.choice),
            Position::new(placements, rules),
            rng,
            |_, _| {},
        );
        let winner = end.end().and_then(|end| end.winner);
        Played::of_two(
            [a, 1 - a],
            winner,
            u32::from(end.ply()),
            [Usage::default(); 2],
        )
    };
    [0, 1].map(play).into()
}

/// Plays `games` games (rounded up to pairs) with random placements. Game pair `n` depends on `seed` and `n`
/// alone, so that any number of threads gives the same result.
///
/// # Errors
/// A pair of games panicked.
pub fn play_match(
    players: [Policy<'_>; 2],
    rules: Rules,
    games: u64,
    seed: u64,
    threads: usize,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Results, Broken> {
    let blocks = spread(
        "pair of games",
        games.div_ceil(2),
        threads,
        || Room::new(players.map(|p| p.weights)),
        |room, block| {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(game_seed(seed, block));
            let placements = [0; 2].map(|_| random_placement(&mut rng));
            let played = play_block(players, placements, rules, &mut rng, room);
            progress(2);
            Ok(played)
        },
    )?;
    let names = vec!["A".to_owned(), "B".to_owned()];
    let mut results = Results::new(GameName::Geister, names, blocks.len() as u64, 1);
    for (number, played) in (0..).zip(blocks) {
        results.add(number, played);
    }
    Ok(results)
}
