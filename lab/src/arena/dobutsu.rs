//! Matches of Dobutsu shogi.

use bots::dobutsu::arena::{opening, play_game};
use bots::dobutsu::{Engine, EngineOptions};
use games::{Game as _, GameName};

use super::{Contest, Failure, Played};

/// A match of Dobutsu shogi. A block is two games from one opening, the seats exchanged.
#[derive(Clone, Debug)]
pub struct DobutsuMatch {
    /// The entrants.
    pub entrants: [EngineOptions; 2],
    /// Uniformly random first plies.
    pub random_plies: u32,
    /// Whether the first entrant is always the second player, in blocks of one game.
    pub is_second: bool,
    /// Seed of the first block.
    pub seed: u64,
}

impl Contest for DobutsuMatch {
    fn game(&self) -> GameName {
        GameName::Dobutsu
    }

    fn unit(&self) -> &'static str {
        "game"
    }

    fn sittings(&self) -> u64 {
        if self.is_second { 1 } else { 2 }
    }

    fn play(&self, block: u64, sitting: u64) -> Result<Vec<Played>, Failure> {
        let block = self.seed.wrapping_add(block);
        let seed = block.wrapping_mul(4).wrapping_add(2 * sitting);
        let mut a = self.entrants[0].build(seed)?;
        let mut b = self.entrants[1].build(seed.wrapping_add(1))?;
        let mut seats: [&mut dyn Engine; 2] = [&mut *a, &mut *b];
        let mut entrants = [0, 1];
        if sitting == 1 || self.is_second {
            seats.swap(0, 1);
            entrants.swap(0, 1);
        }
        let game = play_game(seats, opening(self.random_plies, block))
            .map_err(|(seat, mv)| format!("seat {seat} chose {mv}, an illegal move"))?;
        let plies = game.end.ply();
        Ok(vec![
            Played::of_two(entrants, game.winner(), plies, game.usage).ending(&game.end.moves()),
        ])
    }
}
