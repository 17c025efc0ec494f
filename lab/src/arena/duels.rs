//! Matches of the games for two, in which the entrants exchange their seats.

use std::fmt::Display;

use bots::geister::selfplay::game_seed;
use bots::{dobutsu, geister, score_four};
use games::geister::Rules;
use games::{Game as _, GameName};

use super::{Contest, Failure, Played};

/// The engines by seat, and the entrant in each seat.
fn seated<E>([a, b]: [E; 2], is_exchanged: bool) -> ([E; 2], [usize; 2]) {
    if is_exchanged {
        ([b, a], [1, 0])
    } else {
        ([a, b], [0, 1])
    }
}

fn illegal((seat, mv): (impl Display, impl Display)) -> Failure {
    format!("seat {seat} chose {mv}, an illegal move").into()
}

/// A match of Dobutsu shogi. A block is two games from one opening, the seats exchanged.
#[derive(Clone, Debug)]
pub struct DobutsuMatch {
    /// The entrants.
    pub entrants: [dobutsu::EngineOptions; 2],
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
        let engines: [&mut dyn dobutsu::Engine; 2] = [&mut *a, &mut *b];
        let (seats, entrants) = seated(engines, sitting == 1 || self.is_second);
        let game =
            dobutsu::arena::play_game(seats, dobutsu::arena::opening(self.random_plies, block))
                .map_err(illegal)?;
        let plies = game.end.ply();
        Ok(vec![
            Played::of_two(entrants, game.winner(), plies, game.usage).ending(&game.end.moves()),
        ])
    }
}

/// A match of score four. A block is two games from one opening, the seats exchanged.
#[derive(Clone, Copy, Debug)]
pub struct ScoreFourMatch {
    /// The entrants.
    pub entrants: [score_four::EngineOptions; 2],
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
        let engines: [&mut dyn score_four::Engine; 2] = [&mut *a, &mut *b];
        let (seats, entrants) = seated(engines, sitting == 1);
        let game = score_four::arena::play_game(
            seats,
            score_four::arena::opening(self.random_plies, block),
        )
        .map_err(illegal)?;
        let plies = u32::from(game.end.ply());
        Ok(vec![
            Played::of_two(entrants, game.winner(), plies, game.usage).ending(&game.end),
        ])
    }
}

/// A match of Geister: each engine plays both seats and chooses a placement for each game. A block is pairs of games with the seats exchanged, played by the same two
/// engines one after the other.
#[derive(Clone, Debug)]
pub struct GeisterMatch {
    /// The entrants.
    pub entrants: [geister::PreparedEngine; 2],
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
        let mut a = a.build(game_seed(self.seed, 2 * block));
        let mut b = b.build(game_seed(self.seed, 2 * block + 1));
        let mut games = Vec::new();
        for game in 0..2 * u64::from(self.session) {
            let engines: [&mut dyn geister::Engine; 2] = [&mut *a, &mut *b];
            let (seats, entrants) = seated(engines, game % 2 == 1);
            let game = geister::arena::play_game(seats, self.rules).map_err(illegal)?;
            let winner = game.end.end().and_then(|end| end.winner);
            let plies = u32::from(game.end.ply());
            games.push(Played::of_two(entrants, winner, plies, game.usage).ending(&game.end));
        }
        Ok(games)
    }
}
