//! Matches of Geister: each engine plays both seats, and chooses a placement for each game.

use bots::geister::arena::play_game;
use bots::geister::selfplay::game_seed;
use bots::geister::{Engine, EngineOptions};
use games::GameName;
use games::geister::Rules;

use super::{Contest, Failure, Played};

/// A match of Geister between engines. A block is pairs of games with the seats exchanged, played by the same two
/// engines one after the other.
#[derive(Clone, Debug)]
pub struct GeisterMatch {
    /// The entrants.
    pub entrants: [EngineOptions; 2],
    /// Rules.
    pub rules: Rules,
    /// Pairs of games of a block.
    pub session: u32,
    /// Seed of the match.
    pub seed: u64,
}

impl Contest for GeisterMatch {
    fn game(&self) -> GameName {
        GameName::Geister
    }

    fn unit(&self) -> &'static str {
        "session"
    }

    fn sittings(&self) -> u64 {
        1
    }

    fn play(&self, block: u64, _: u64) -> Result<Vec<Played>, Failure> {
        let [a, b] = &self.entrants;
        let mut a = a.build(game_seed(self.seed, 2 * block))?;
        let mut b = b.build(game_seed(self.seed, 2 * block + 1))?;
        let mut games = Vec::new();
        for game in 0..2 * u64::from(self.session) {
            let entrants = if game % 2 == 0 { [0, 1] } else { [1, 0] };
            let mut seats: [&mut dyn Engine; 2] = [&mut *a, &mut *b];
            if entrants[0] == 1 {
                seats.swap(0, 1);
            }
            let game = play_game(seats, self.rules)
                .map_err(|(seat, mv)| format!("seat {seat} chose {mv}, an illegal move"))?;
            let winner = game.end.end().and_then(|end| end.winner);
            let plies = u32::from(game.end.ply());
            games.push(Played::of_two(entrants, winner, plies, game.usage).ending(&game.end));
        }
        Ok(games)
    }
}
