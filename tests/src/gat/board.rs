//! The 48 characters of a board, restated: sixteen ghosts of x, y and colour.

const LETTERS: [char; 8] = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];

/// A ghost as the board shows it.
struct Ghost {
    /// Column and row; `None` off the board.
    at: Option<(u8, u8)>,
    colour: char,
}

fn ghosts(board: &str) -> [Ghost; 16] {
    assert!(board.len() == 48 && board.is_ascii(), "no board: {board}");
    let bytes = board.as_bytes();
    std::array::from_fn(|i| {
        let (x, y) = (bytes[3 * i] - b'0', bytes[3 * i + 1] - b'0');
        assert!(
            (x < 6 && y < 6) || matches!((x, y), (8, 8) | (9, 9)),
            "{board}"
        );
        Ghost {
            at: (x < 6).then_some((x, y)),
            colour: char::from(bytes[3 * i + 2]),
        }
    })
}

/// The legal moves of the player that the board was sent to, as `A,N`; an escape both ways.
pub fn moves(board: &str) -> Vec<String> {
    let ghosts = ghosts(board);
    let own = &ghosts[..8];
    let mut moves = Vec::new();
    for (letter, ghost) in LETTERS.into_iter().zip(own) {
        let Some((x, y)) = ghost.at else { continue };
        for (direction, dx, dy) in [('E', 1, 0), ('S', 0, 1), ('W', -1, 0), ('N', 0, -1)] {
            let to = (x.checked_add_signed(dx), y.checked_add_signed(dy));
            let legal = match to {
                (Some(x), Some(y)) if x < 6 && y < 6 => own.iter().all(|g| g.at != Some((x, y))),
                _ => {
                    let exits = match (x, y) {
                        (0, 0) => "WN",
                        (5, 0) => "EN",
                        _ => "",
                    };
                    ghost.colour == 'B' && exits.contains(direction)
                }
            };
            if legal {
                moves.push(format!("{letter},{direction}"));
            }
        }
    }
    moves
}
