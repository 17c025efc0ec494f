//! Games between engines inside one process: each chooses its placement and sees its views.

use std::time::Instant;

use games::geister::{Move, Position, Rules};

use super::Engine;
use crate::engine::PlayedGame;
use crate::search::Usage;

/// Plays one game between the engines of seats 0 and 1.
///
/// # Errors
/// The seat that chose an illegal move, and the move.
pub fn play_game(
    [first, second]: [&mut dyn Engine; 2],
    rules: Rules,
) -> Result<PlayedGame<Position, 2>, (u8, Move)> {
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
    Ok(PlayedGame {
        end: position,
        usage,
    })
}
