//! The pieces of a game of Dobutsu shogi, as the moves have left them.

use protocol::course::{Board, Piece, Place};

/// The pieces, without the rules: moves are those that a referee has allowed.
#[derive(Clone, Debug)]
pub(super) struct Replica {
    board: Board,
    ply: u32,
}

const START: &str = "A1 g2, B1 l2, C1 e2, B2 c2, B3 c1, A4 e1, B4 l1, C4 g1";

/// Letters of USI for the pieces of a hand.
const HELD: [(char, char); 3] = [('C', 'c'), ('E', 'e'), ('G', 'g')];

impl Replica {
    pub(super) fn start() -> Replica {
        Replica {
            board: START.parse().expect("the board of the beginning"),
            ply: 0,
        }
    }

    pub(super) fn board(&self) -> &Board {
        &self.board
    }

    /// The seat whose turn it is, as long as the game goes on.
    pub(super) const fn turn(&self) -> u8 {
        (self.ply % 2) as u8
    }

    /// A step or a drop in the notation of USI; `None` if nothing lies there. A chick that reaches the far row becomes
    /// a hen.
    pub(super) fn usi(&self, from: Place, to: Place) -> Option<String> {
        let piece = self.board.at(from)?;
        let target = square_name(to)?;
        if let Some(from) = square_name(from) {
            let plus = if self.promotes(from.as_str(), target.as_str()) {
                "+"
            } else {
                ""
            };
            return Some(format!("{from}{target}{plus}"));
        }
        let (usi, _) = HELD.into_iter().find(|(_, own)| *own == piece.letter())?;
        Some(format!("{usi}*{target}"))
    }

    /// Whether a chick steps to its far row, the squares in the notation of USI.
    pub(super) fn promotes(&self, from: &str, to: &str) -> bool {
        let (Some(from), Some((_, row))) = (place(from), place(to).and_then(Place::on_board))
        else {
            return false;
        };
        self.board.at(from).is_some_and(|piece| {
            let far = if piece.owner() == 1 { 0 } else { 3 };
            piece.letter() == 'c' && row == far
        })
    }

    /// Makes a move in the notation of USI. One that is not of this game is not made.
    pub(super) fn play(&mut self, mv: &str) {
        let player = self.turn() + 1;
        self.ply += 1;
        let (Some(from), Some(to)) = (mv.get(..2), mv.get(2..4).and_then(place)) else {
            return;
        };
        let moved = match from.strip_suffix('*') {
            Some(letter) => HELD
                .into_iter()
                .find(|(usi, _)| letter.starts_with(*usi))
                .and_then(|(_, own)| self.take_from_hand(own, player)),
            None => place(from).and_then(|from| {
                let piece = self.board.at(from);
                self.board.put(from, None);
                piece
            }),
        };
        let Some(moved) = moved else { return };
        let moved = if mv.ends_with('+') {
            Piece::new('h', moved.owner())
        } else {
            Some(moved)
        };
        if let Some(captured) = self.board.at(to) {
            let letter = match captured.letter() {
                'h' => 'c',
                letter => letter,
            };
            let free = hand(player).find(|place| self.board.at(*place).is_none());
            if let Some(free) = free {
                self.board.put(free, Piece::new(letter, player));
            }
        }
        self.board.put(to, moved);
    }

    /// Takes the first of these pieces out of a hand; those behind it move up.
    fn take_from_hand(&mut self, letter: char, player: u8) -> Option<Piece> {
        let found = Piece::new(letter, player);
        let first = hand(player).position(|place| self.board.at(place) == found)?;
        let rest: Vec<Option<Piece>> = hand(player)
            .skip(first + 1)
            .map(|place| self.board.at(place))
            .chain([None])
            .collect();
        for (place, piece) in hand(player).skip(first).zip(rest) {
            self.board.put(place, piece);
        }
        found
    }
}

fn hand(player: u8) -> impl Iterator<Item = Place> {
    (0..).map_while(move |place| Place::in_hand(player, place))
}

fn place(name: &str) -> Option<Place> {
    let &[file, rank] = name.as_bytes() else {
        return None;
    };
    Place::square(b'3'.checked_sub(file)?, rank.checked_sub(b'a')?)
}

fn square_name(place: Place) -> Option<String> {
    let (column, row) = place.on_board()?;
    Some(format!("{}{}", 3 - column, char::from(b'a' + row)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(moves: &str) -> Replica {
        let mut replica = Replica::start();
        moves.split(' ').for_each(|mv| replica.play(mv));
        replica
    }

    fn at(replica: &Replica, name: &str) -> String {
        let piece = replica.board.at(name.parse().unwrap());
        piece.map_or_else(|| "--".to_owned(), |piece| piece.to_string())
    }

    #[test]
    fn captured_pieces_go_to_the_hand_and_move_up() {
        // The chick is taken, then the elephant; the chick is dropped.
        let mut replica = after("2c2b 1a2b");
        assert_eq!([at(&replica, "D1"), at(&replica, "E1")], ["c1", "c2"]);
        assert_eq!(at(&replica, "B2"), "e2");
        replica.play("1d1c");
        replica.play("2b1c");
        assert_eq!([at(&replica, "E1"), at(&replica, "E2")], ["c2", "g2"]);
        replica.play("2d1c");
        assert_eq!([at(&replica, "D1"), at(&replica, "D2")], ["c1", "e1"]);
        replica.play("C*2b");
        assert_eq!([at(&replica, "E1"), at(&replica, "E2")], ["g2", "--"]);
        assert_eq!(at(&replica, "B2"), "c2");
    }

    #[test]
    fn a_hen_is_a_chick_in_the_hand_and_a_lion_lies_there_too() {
        let mut replica = after("2c2b 3a3b");
        assert!(replica.promotes("2b", "2a") && !replica.promotes("2b", "2c"));
        assert!(!replica.promotes("3d", "3a") && !replica.promotes("2c", "2a"));
        replica.play("2b2a+");
        assert_eq!([at(&replica, "B1"), at(&replica, "D2")], ["h1", "l1"]);
        replica.play("1a2a");
        assert_eq!(at(&replica, "E1"), "c2");
    }

    #[test]
    fn steps_and_drops_have_their_names_in_usi() {
        let replica = after("2c2b 1a2b");
        let usi = |from: &str, to: &str| replica.usi(from.parse().unwrap(), to.parse().unwrap());
        assert_eq!(usi("C4", "C3").as_deref(), Some("1d1c"));
        assert_eq!(usi("D1", "A3").as_deref(), Some("C*3c"));
        assert_eq!(usi("D2", "A3"), None);
        assert_eq!(usi("C4", "D1"), None);
        let replica = after("2c2b 3a3b");
        assert_eq!(
            replica
                .usi("B2".parse().unwrap(), "B1".parse().unwrap())
                .as_deref(),
            Some("2b2a+")
        );
    }

    #[test]
    fn nonsense_changes_no_piece() {
        let mut replica = Replica::start();
        let before = *replica.board();
        for mv in ["", "2", "あ", "9z9z", "C*2b", "X*2c", "2b"] {
            replica.play(mv);
        }
        assert_eq!(*replica.board(), before);
    }
}
