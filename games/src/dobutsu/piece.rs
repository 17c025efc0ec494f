//! Kinds of pieces and their steps.

use super::SQUARES;

/// A kind of piece. The number of a kind is its place in [`PieceKind::ALL`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PieceKind {
    /// ライオン: one square in all eight directions; it is caught, or it tries.
    Lion,
    /// キリン: one square along a file or a rank.
    Giraffe,
    /// ぞう: one square along a diagonal.
    Elephant,
    /// ひよこ: one square forward.
    Chick,
    /// にわとり, a promoted chick: one square in all directions but backward on a diagonal.
    Hen,
}

impl PieceKind {
    /// All five, by number.
    pub const ALL: [Self; 5] = [
        Self::Lion,
        Self::Giraffe,
        Self::Elephant,
        Self::Chick,
        Self::Hen,
    ];
    /// The kinds that a hand can have.
    pub const HELD: [Self; 3] = [Self::Giraffe, Self::Elephant, Self::Chick];

    /// What the piece is in the hand of the player that has captured it; a lion stays a lion.
    #[must_use]
    pub const fn captured(self) -> Self {
        match self {
            Self::Hen => Self::Chick,
            kind => kind,
        }
    }

    /// The squares of a board to which the piece steps from a square, as its own side sees them (it plays to
    /// the top); a mask with a bit for each index. `square` is an index below 12.
    pub const fn steps(self, square: usize) -> u16 {
        STEPS[self as usize][square]
    }

    /// The letter of SFEN, a capital; a hen has that of the chick.
    pub const fn letter(self) -> char {
        match self {
            Self::Lion => 'L',
            Self::Giraffe => 'G',
            Self::Elephant => 'E',
            Self::Chick | Self::Hen => 'C',
        }
    }

    /// The kind with a letter, in either case.
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter.to_ascii_uppercase() {
            'L' => Some(Self::Lion),
            'G' => Some(Self::Giraffe),
            'E' => Some(Self::Elephant),
            'C' => Some(Self::Chick),
            _ => None,
        }
    }
}

pub(super) const STEPS: [[u16; SQUARES]; 5] = {
    let mut steps = [[0; SQUARES]; 5];
    let mut kind = 0;
    while kind < 5 {
        let mut from = 0;
        while from < SQUARES {
            let mut way = 0;
            while way < 9 {
                let (dx, dy) = (way % 3 - 1, way / 3 - 1);
                let (x, y) = (from as i32 % 3 + dx, from as i32 / 3 + dy);
                let (straight, diagonal) = ((dx == 0) != (dy == 0), dx != 0 && dy != 0);
                let goes = match PieceKind::ALL[kind] {
                    PieceKind::Lion => straight || diagonal,
                    PieceKind::Giraffe => straight,
                    PieceKind::Elephant => diagonal,
                    PieceKind::Chick => dx == 0 && dy == -1,
                    PieceKind::Hen => straight || diagonal && dy == -1,
                };
                if goes && 0 <= x && x < 3 && 0 <= y && y < 4 {
                    steps[kind][from] |= 1 << (x + 3 * y);
                }
                way += 1;
            }
            from += 1;
        }
        kind += 1;
    }
    steps
};
