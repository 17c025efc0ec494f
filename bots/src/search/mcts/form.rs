//! For whom the seats play in the tree.

use super::super::{OutOfTurn, Rewards};

/// For whom the seats play in the tree. Playouts are those of the game in all forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Each for itself.
    Maxn,
    /// The others all against the seat that searches: they want what is missing of its reward to 1.
    Paranoid,
    /// As Paranoid, and between two moves of that seat only one of the others moves, whichever and
    /// whatever is worst for it.
    Brs,
}

impl Form {
    /// What a seat gets when `root` searches.
    #[inline]
    pub(super) fn reward(self, rewards: &Rewards, seat: u8, root: u8) -> f64 {
        if self == Self::Maxn || seat == root {
            rewards[usize::from(seat)]
        } else {
            1.0 - rewards[usize::from(root)]
        }
    }

    /// Whether the moves of all opponents stand at the mover's turn.
    fn is_merged(self, mover: u8, root: u8) -> bool {
        self == Self::Brs && mover != root
    }

    /// Hands out the moves of a position by seat.
    pub(super) fn each_list<G: OutOfTurn>(
        self,
        position: &G,
        mover: u8,
        root: u8,
        moves: &mut Vec<G::Move>,
        mut list: impl FnMut(u8, &[G::Move]),
    ) {
        if self.is_merged(mover, root) {
            for seat in (0..G::SEATS as u8).filter(|&seat| seat != root) {
                position.moves_of(seat, moves);
                list(seat, moves);
            }
        } else {
            position.moves(moves);
            list(mover, moves);
        }
    }

    /// Makes one of those moves.
    #[inline]
    pub(super) fn play<G: OutOfTurn>(self, position: &mut G, seat: u8, mv: G::Move, root: u8) {
        if self.is_merged(seat, root) {
            position.play_of(seat, mv);
            position.give_turn(root);
        } else {
            position.play(mv);
        }
    }
}
