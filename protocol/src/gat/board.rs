//! The 48 characters that show a player the board.

use std::fmt;
use std::str::FromStr;

use games::geister::{Colour, Direction, GHOSTS, Ghost, Move, Place, Square, View};

/// Length of a board string: sixteen ghosts of three characters.
pub const BOARD_LEN: usize = 48;

/// The board as one player sees it: own ghosts A..H and the enemy's a..h, each with its place in that
/// player's frame. Prints and reads as the 48 characters of the protocol.
///
/// ```
/// use games::geister::{Rules, View};
/// use taikyoku_protocol::gat::Board;
///
/// let board = Board::from(&View::start(0, "ABCD".parse()?, Rules::default()));
/// let text = "14R24R34R44R15B25B35B45B41u31u21u11u40u30u20u10u";
/// assert_eq!(board.to_string(), text);
/// assert_eq!(text.parse(), Ok(board));
/// # Ok::<(), games::geister::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    /// Own ghosts A..H.
    pub own: [(Place, Colour); GHOSTS],
    /// The enemy's ghosts a..h; `None` is a colour that is not shown.
    pub enemy: [(Place, Option<Colour>); GHOSTS],
}

/// Why a text is no board.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each error says what it is")]
pub enum BoardError {
    #[error("{0} bytes, where 48 ASCII characters were due")]
    Length(usize),
    /// A place that is neither on the board (00 to 55) nor 88 nor 99.
    #[error("ghost {ghost}: `{text}` is no place")]
    Place { ghost: char, text: String },
    /// A colour that a ghost in that place cannot have: own ghosts on the board are R or B, the
    /// enemy's u, r or b, captured ones r or b, escaped ones b.
    #[error("ghost {ghost}: `{text}` has no colour that is possible there")]
    Colour { ghost: char, text: String },
    #[error("ghosts {0} and {1} on one square")]
    Shared(char, char),
    #[error("{0} red own ghosts, where four were due")]
    OwnReds(usize),
    #[error("{red} red and {blue} blue enemies, at most four of a colour are possible")]
    EnemyColours { red: usize, blue: usize },
    /// More than one ghost escaped; the first ends the game.
    #[error("{0} ghosts escaped, the first ends the game")]
    Escapes(usize),
}

impl From<&View> for Board {
    fn from(view: &View) -> Self {
        Self {
            own: Ghost::ALL.map(|ghost| view.own(ghost)),
            enemy: Ghost::ALL.map(|ghost| view.enemy(ghost)),
        }
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, colour) in self.own {
            write_ghost(f, place, Some(colour), true)?;
        }
        for (place, colour) in self.enemy {
            write_ghost(f, place, colour, false)?;
        }
        Ok(())
    }
}

impl FromStr for Board {
    type Err = BoardError;

    /// # Errors
    /// If the text is no board, or none that can come about between two legal placements.
    fn from_str(text: &str) -> Result<Self, BoardError> {
        let ghosts = read_ghosts(text)?;
        let mut board = Self {
            own: [(Place::Captured, Colour::Blue); GHOSTS],
            enemy: [(Place::Captured, None); GHOSTS],
        };
        for i in 0..GHOSTS {
            let ghost = ghosts[i];
            // On the board only capitals are the own ghosts' colours.
            let shown = ghost.place.square().is_none() || ghost.capital;
            match ghost.colour.filter(|_| shown) {
                Some(colour) => board.own[i] = (ghost.place, colour),
                None => return Err(colour_error(text, i)),
            }
            let ghost = ghosts[GHOSTS + i];
            if ghost.capital {
                return Err(colour_error(text, GHOSTS + i));
            }
            board.enemy[i] = (ghost.place, ghost.colour);
        }
        board.check()?;
        Ok(board)
    }
}

impl Board {
    fn check(&self) -> Result<(), BoardError> {
        let own_reds = self.own.iter().filter(|g| g.1 == Colour::Red).count();
        if own_reds != 4 {
            return Err(BoardError::OwnReds(own_reds));
        }
        let enemies = |colour| self.enemy.iter().filter(|g| g.1 == Some(colour)).count();
        let (red, blue) = (enemies(Colour::Red), enemies(Colour::Blue));
        if red > 4 || blue > 4 {
            return Err(BoardError::EnemyColours { red, blue });
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    pub(super) place: Place,
    pub(super) colour: Option<Colour>,
    pub(super) capital: bool,
}

/// Writes three characters. Colours of own ghosts on the board are capitals.
pub(super) fn write_ghost(
    f: &mut fmt::Formatter<'_>,
    place: Place,
    colour: Option<Colour>,
    own: bool,
) -> fmt::Result {
    let letter = match (colour, own && place.square().is_some()) {
        (Some(Colour::Red), true) => 'R',
        (Some(Colour::Blue), true) => 'B',
        (Some(Colour::Red), false) => 'r',
        (Some(Colour::Blue), false) => 'b',
        (None, _) => 'u',
    };
    match place {
        Place::On(square) => write!(f, "{}{}{letter}", square.x(), square.y()),
        Place::Captured => write!(f, "99{letter}"),
        Place::Escaped => write!(f, "88{letter}"),
    }
}

/// Reads sixteen ghosts and checks what holds for every kind of board: places, colours of ghosts off
/// the board, squares, escapes.
pub(super) fn read_ghosts(text: &str) -> Result<[Shown; 2 * GHOSTS], BoardError> {
    if text.len() != BOARD_LEN || !text.is_ascii() {
        return Err(BoardError::Length(text.len()));
    }
    let nowhere = Shown {
        place: Place::Captured,
        colour: None,
        capital: false,
    };
    let mut ghosts = [nowhere; 2 * GHOSTS];
    let mut at = [None; games::geister::SQUARES];
    let mut escapes = 0;
    for (i, (out, chars)) in ghosts
        .iter_mut()
        .zip(text.as_bytes().chunks_exact(3))
        .enumerate()
    {
        let digit = |c: u8| c.wrapping_sub(b'0');
        let place = match Square::new(digit(chars[0]), digit(chars[1])) {
            Some(square) => Place::On(square),
            None if &chars[..2] == b"99" => Place::Captured,
            None if &chars[..2] == b"88" => Place::Escaped,
            None => {
                return Err(BoardError::Place {
                    ghost: name(i),
                    text: triple(text, i),
                });
            }
        };
        let colour = match chars[2] {
            b'R' | b'r' => Some(Colour::Red),
            b'B' | b'b' => Some(Colour::Blue),
            b'u' => None,
            _ => return Err(colour_error(text, i)),
        };
        let capital = chars[2].is_ascii_uppercase();
        let possible = match place {
            Place::On(_) => true,
            Place::Captured => colour.is_some() && !capital,
            Place::Escaped => colour == Some(Colour::Blue) && !capital,
        };
        if !possible {
            return Err(colour_error(text, i));
        }
        if let Place::On(square) = place
            && let Some(other) = at[square.index()].replace(i)
        {
            return Err(BoardError::Shared(name(other), name(i)));
        }
        escapes += usize::from(place == Place::Escaped);
        *out = Shown {
            place,
            colour,
            capital,
        };
    }
    if escapes > 1 {
        return Err(BoardError::Escapes(escapes));
    }
    Ok(ghosts)
}

pub(super) fn colour_error(text: &str, i: usize) -> BoardError {
    BoardError::Colour {
        ghost: name(i),
        text: triple(text, i),
    }
}

fn triple(text: &str, i: usize) -> String {
    text[3 * i..3 * i + 3].to_owned()
}

fn name(i: usize) -> char {
    let letter = b'A' + (i % GHOSTS) as u8;
    char::from(if i < GHOSTS {
        letter
    } else {
        letter.to_ascii_lowercase()
    })
}

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
