//! Matches between engines inside one process: each plays both seats, and chooses a placement for each game.

use games::geister::{Move, Position, Rules};

use super::Engine;
use crate::score::Score;

/// Plays one game between the engines of seats 0 and 1; gives the position at its end.
///
/// # Errors
/// The seat that chose an illegal move, and the move.
pub fn play_game(engines: [&mut dyn Engine; 2], rules: Rules) -> Result<Position, (u8, Move)> {
    let [first, second] = engines;
    let placements = [first.placement(), second.placement()];
    let mut position = Position::new(placements, rules);
    first.begin(&position.view(0));
    second.begin(&position.view(1));
    while let Some(seat) = position.to_move() {
        let views = [position.view(0), position.view(1)];
        let mv = if seat == 0 {
            first.choose(&views[0])
        } else {
            second.choose(&views[1])
        };
        let played = position.play(mv).map_err(|_| (seat, mv))?;
        let captured = played.captured.map(|(_, color)| color);
        first.observe(&views[0], mv, captured);
        second.observe(&views[1], mv, captured);
    }
    Ok(position)
}

/// Plays two games with the seats exchanged and books them for the first engine.
///
/// # Errors
/// As [`play_game`], with the number of the engine (0 or 1) in place of the seat.
pub fn play_block(
    engines: [&mut dyn Engine; 2],
    rules: Rules,
    score: &mut Score,
) -> Result<(), (u8, Move)> {
    let [a, b] = engines;
    let mut results = [0.0; 2];
    for (seat, result) in (0_u8..).zip(results.iter_mut()) {
        let end = if seat == 0 {
            play_game([a, b], rules)?
        } else {
            play_game([b, a], rules).map_err(|(s, mv)| (1 - s, mv))?
        };
        score.plies += u64::from(end.ply());
        *result = match end.end().and_then(|end| end.winner) {
            Some(winner) if winner == seat => 1.0,
            Some(_) => 0.0,
            None => 0.5,
        };
    }
    score.add_block(&results);
    Ok(())
}
