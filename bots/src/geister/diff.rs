//! The enemy's move, from the boards before and after it.

use games::geister::{Direction, Ghost, Move, Place, Square};
use protocol::gat::Board;

/// The move that the enemy made between two boards of the same player, in the enemy's own words;
/// `None` if no single move explains it. An escape is a step to the enemy's west or east.
pub fn enemy_move(before: &Board, after: &Board) -> Option<Move> {
    let mut moved = Ghost::ALL
        .into_iter()
        .filter(|ghost| before.enemy[ghost.index()].0 != after.enemy[ghost.index()].0);
    let ghost = moved.next()?;
    if moved.next().is_some() {
        return None;
    }
    let from = before.enemy[ghost.index()].0.square()?;
    let seen = |direction: Direction| direction.turned();
    let direction = match after.enemy[ghost.index()].0 {
        Place::On(to) => Direction::ALL
            .into_iter()
            .find(|&direction| from.step(seen(direction)) == Some(to)),
        Place::Escaped => [Direction::West, Direction::East]
            .into_iter()
            .find(|&direction| from.turned().is_exit(direction)),
        Place::Captured => None,
    }?;
    let mv = Move { ghost, direction };
    own_ghosts_agree(before, after, from.step(seen(direction))).then_some(mv)
}

/// Whether the own ghosts stand as before, but for the one on `target`, which must be captured.
fn own_ghosts_agree(before: &Board, after: &Board, target: Option<Square>) -> bool {
    before
        .own
        .iter()
        .zip(&after.own)
        .all(|(&(was, _), &(is, _))| {
            let hit = was.square().is_some() && was.square() == target;
            if hit {
                is == Place::Captured
            } else {
                is == was
            }
        })
}
