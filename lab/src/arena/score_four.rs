//! Matches of 3D four-in-a-row.

use bots::score_four::arena::{opening, play_game};
use bots::score_four::{Engine, EngineOptions};
use games::GameName;

use super::{Contest, Failure, Played};

/// A match of score four. A block is two games from one opening, the seats exchanged.
#[derive(Clone, Copy, Debug)]
pub struct ScoreFourMatch {
    /// The entrants.
    pub entrants: [EngineOptions; 2],
    /// Uniformly random first plies, 0 to 6.
    pub random_plies: u32,
    /// Seed of the first block.
    pub seed: u64,
}

impl Contest for ScoreFourMatch {
    fn game(&self) -> GameName {
        GameName::ScoreFour
    }

    fn unit(&self) -> &'static str {
        "game"
    }

    fn sittings(&self) -> u64 {
        2
    }

    fn play(&self, block: u64, sitting: u64) -> Result<Vec<Played>, Failure> {
        let block = self.seed.wrapping_add(block);
        let seed = block.wrapping_mul(4).wrapping_add(2 * sitting);
        let mut a = self.entrants[0].build(seed);
        let mut b = self.entrants[1].build(seed.wrapping_add(1));
        let mut seats: [&mut dyn Engine; 2] = [&mut *a, &mut *b];
        let mut entrants = [0, 1];
        if sitting == 1 {
            seats.swap(0, 1);
            entrants.swap(0, 1);
        }
        let game = play_game(seats, opening(self.random_plies, block))
            .map_err(|(seat, mv)| format!("seat {seat} chose {mv}, an illegal move"))?;
        let plies = u32::from(game.end.ply());
        Ok(vec![
            Played::of_two(entrants, game.winner(), plies, game.usage).ending(&game.end),
        ])
    }
}
