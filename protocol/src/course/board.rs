//! The board with both hands, as the server tells it.

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value};

/// A place: a square `A1` to `C4`, or one of the six of a hand, `D1` to `D6` of the first player and `E1` to `E6` of
/// the second. Columns run from left to right, rows from the top; the first player sits below.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place(u8);

const SQUARES: u8 = 12;
const HAND: u8 = 6;

impl Place {
    /// All places, the squares row by row and then the hands.
    pub fn all() -> impl Iterator<Item = Place> {
        (0..SQUARES + 2 * HAND).map(Place)
    }

    /// The square in a column, 0 to 2, and a row, 0 to 3.
    pub const fn square(column: u8, row: u8) -> Option<Place> {
        if column < 3 && row < 4 {
            Some(Place(column + 3 * row))
        } else {
            None
        }
    }

    /// A place of the hand of player 1 or 2, from 0.
    pub const fn in_hand(player: u8, place: u8) -> Option<Place> {
        if (player == 1 || player == 2) && place < HAND {
            Some(Place(SQUARES + HAND * (player - 1) + place))
        } else {
            None
        }
    }

    /// Column and row of a square; `None` for a place of a hand.
    pub const fn on_board(self) -> Option<(u8, u8)> {
        if self.0 < SQUARES {
            Some((self.0 % 3, self.0 / 3))
        } else {
            None
        }
    }

    /// Player and place of a hand; `None` for a square.
    pub const fn of_hand(self) -> Option<(u8, u8)> {
        match self.0.checked_sub(SQUARES) {
            Some(place) => Some((place / HAND + 1, place % HAND)),
            None => None,
        }
    }

    const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (column, row) = match (self.on_board(), self.of_hand()) {
            (Some(square), _) => square,
            (None, Some((player, place))) => (player + 2, place),
            (None, None) => unreachable!("a place is on the board or in a hand"),
        };
        write!(f, "{}{}", char::from(b'A' + column), row + 1)
    }
}

/// A text that is no place, piece or board.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no board: `{0}`")]
pub struct NoBoard(
    /// The part that cannot be read.
    pub String,
);

impl NoBoard {
    fn of(text: &str) -> NoBoard {
        NoBoard(text.chars().take(16).collect())
    }
}

/// Reads `A1` to `E6`, in either case.
impl FromStr for Place {
    type Err = NoBoard;

    fn from_str(text: &str) -> Result<Place, NoBoard> {
        let place = match *text.as_bytes() {
            [column, row] => {
                let column = column.to_ascii_uppercase().wrapping_sub(b'A');
                let row = row.wrapping_sub(b'1');
                match column {
                    0..=2 => Place::square(column, row),
                    3 | 4 => Place::in_hand(column - 2, row),
                    _ => None,
                }
            }
            _ => None,
        };
        place.ok_or_else(|| NoBoard::of(text))
    }
}

/// A piece: `l` lion, `g` giraffe, `e` elephant, `c` chick, `h` hen, and its owner, 1 or 2.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Piece {
    letter: char,
    owner: u8,
}

impl Piece {
    /// A piece of player 1 or 2; `None` for another letter or player.
    pub fn new(letter: char, owner: u8) -> Option<Piece> {
        ("lgech".contains(letter) && matches!(owner, 1 | 2)).then_some(Piece { letter, owner })
    }

    /// Its letter.
    pub const fn letter(self) -> char {
        self.letter
    }

    /// Its owner, 1 or 2.
    pub const fn owner(self) -> u8 {
        self.owner
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.letter, self.owner)
    }
}

impl FromStr for Piece {
    type Err = NoBoard;

    fn from_str(text: &str) -> Result<Piece, NoBoard> {
        let piece = match *text.as_bytes() {
            [letter, owner] => Piece::new(char::from(letter), owner.wrapping_sub(b'0')),
            _ => None,
        };
        piece.ok_or_else(|| NoBoard::of(text))
    }
}

/// How an empty place is written.
const NOTHING: &str = "--";

/// What lies where. Prints as the answer to `board`; reads it, also without the places that are empty.
///
/// ```
/// use taikyoku_protocol::course::{Board, Piece, Place};
///
/// let board: Board = "A1 g2, B1 l2, B4 l1, D1 c1, ".parse()?;
/// assert_eq!(board.at("D1".parse()?), Piece::new('c', 1));
/// assert_eq!(board.at("C1".parse()?), None);
/// assert!(board.to_string().starts_with("A1 g2, B1 l2, C1 --, A2 --, "));
/// assert!(board.to_string().ends_with("E5 --, E6 --, "));
/// assert_eq!(board.to_json(), r#"{"A1":"g2","B1":"l2","B4":"l1","D1":"c1"}"#);
/// # Ok::<(), taikyoku_protocol::course::NoBoard>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Board([Option<Piece>; (SQUARES + 2 * HAND) as usize]);

impl Board {
    /// What lies at a place.
    pub const fn at(&self, place: Place) -> Option<Piece> {
        self.0[place.index()]
    }

    /// Puts a piece down, or takes one away.
    pub const fn put(&mut self, place: Place, piece: Option<Piece>) {
        self.0[place.index()] = piece;
    }

    fn pieces(&self) -> impl Iterator<Item = (Place, Piece)> {
        Place::all().filter_map(|place| Some((place, self.at(place)?)))
    }

    /// The answer to `boardjson`: an object with the places that are not empty.
    pub fn to_json(&self) -> String {
        let pieces = self.pieces();
        let object: Map<String, Value> = pieces
            .map(|(place, piece)| (place.to_string(), piece.to_string().into()))
            .collect();
        Value::Object(object).to_string()
    }

    /// Reads what [`Board::to_json`] writes; a place may also be empty by its value.
    ///
    /// # Errors
    /// What cannot be read.
    pub fn from_json(text: &str) -> Result<Board, NoBoard> {
        let object: Map<String, Value> =
            serde_json::from_str(text).map_err(|_| NoBoard::of(text))?;
        let mut board = Board::default();
        for (place, piece) in &object {
            let piece = piece.as_str().ok_or_else(|| NoBoard::of(place))?;
            board.read(place, piece)?;
        }
        Ok(board)
    }

    fn read(&mut self, place: &str, piece: &str) -> Result<(), NoBoard> {
        let piece = match piece {
            NOTHING => None,
            piece => Some(piece.parse()?),
        };
        self.put(place.parse()?, piece);
        Ok(())
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Place::all().try_for_each(|place| match self.at(place) {
            Some(piece) => write!(f, "{place} {piece}, "),
            None => write!(f, "{place} {NOTHING}, "),
        })
    }
}

impl FromStr for Board {
    type Err = NoBoard;

    fn from_str(text: &str) -> Result<Board, NoBoard> {
        let mut board = Board::default();
        for part in text.split(',').map(str::trim) {
            if part.is_empty() {
                continue;
            }
            let (place, piece) = part.split_once(' ').ok_or_else(|| NoBoard::of(part))?;
            board.read(place, piece.trim())?;
        }
        Ok(board)
    }
}
