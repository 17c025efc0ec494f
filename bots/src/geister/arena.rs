//! Matches between engines inside one process: each plays both seats, and chooses a placement for each game.

use std::time::Instant;

use games::GameName;
use games::geister::{Move, Position, Rules};

use super::selfplay::game_seed;
use super::{Engine, EngineOptions};
use crate::arena::{self, Failure, Played, Usage};

/// Plays one game between the engines of seats 0 and 1; gives the position at its end.
///
/// # Errors
/// The seat that chose an illegal move, and the move.
pub fn play_game(engines: [&mut dyn Engine; 2], rules: Rules) -> Result<Position, (u8, Move)> {
    play_timed(engines, rules).map(|(end, _)| end)
}

fn play_timed(
    engines: [&mut dyn Engine; 2],
    rules: Rules,
) -> Result<(Position, [Usage; 2]), (u8, Move)> {
    let [first, second] = engines;
    let mut usage = [Usage::default(); 2];
    let placements = [first.placement(), second.placement()];
    let mut position = Position::new(placements, rules);
    first.begin(&position.view(0));
    second.begin(&position.view(1));
    while let Some(seat) = position.to_move() {
        let views = [position.view(0), position.view(1)];
        let begin = Instant::now();
        let mv = if seat == 0 {
            first.choose(&views[0])
        } else {
            second.choose(&views[1])
        };
        usage[usize::from(seat)].add_move(begin.elapsed(), None);
        let played = position.play(mv).map_err(|_| (seat, mv))?;
        let captured = played.captured.map(|(_, colour)| colour);
        first.observe(&views[0], mv, captured);
        second.observe(&views[1], mv, captured);
    }
    first.end(&position.final_view(0));
    second.end(&position.final_view(1));
    Ok((position, usage))
}

/// A match of Geister between engines. A block is pairs of games with the seats exchanged, played by the same two
/// engines one after the other.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The entrants.
    pub entrants: [EngineOptions; 2],
    /// Rules.
    pub rules: Rules,
    /// Pairs of games of a block.
    pub session: u32,
    /// Seed of the match.
    pub seed: u64,
}

impl arena::Contest for Contest {
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
            let (end, usage) = play_timed(seats, self.rules)
                .map_err(|(seat, mv)| format!("seat {seat} chose {mv}, an illegal move"))?;
            let winner = end.end().and_then(|end| end.winner);
            games.push(Played::of_two(entrants, winner, u32::from(end.ply()), usage).ending(&end));
        }
        Ok(games)
    }
}
