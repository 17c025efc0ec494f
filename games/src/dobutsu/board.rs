//! The pieces, as the seat to move sees them.

use super::piece::STEPS;
use super::{Move, MoveList, PieceKind, SQUARES, Square};

/// Bits of one kind in the word of a side.
const LANE: u32 = SQUARES as u32;
const MASK: u64 = (1 << LANE) - 1;
const LOW: u64 = 1 | 1 << 12 | 1 << 24 | 1 << 36 | 1 << 48;
/// The far rank of the mover, and its home rank.
const FAR: u64 = 0b111;
const HOME: u64 = 0b111 << 9;

/// Steps by the number of a bit in the word of a side.
const BIT_STEPS: [u16; 60] = {
    let mut steps = [0; 60];
    let mut bit = 0;
    while bit < 60 {
        steps[bit] = STEPS[bit / SQUARES][bit % SQUARES];
        bit += 1;
    }
    steps
};

/// The squares from which a piece of the mover steps to the square of a bit, by that bit.
const BIT_RETREATS: [u16; 60] = {
    let mut retreats = [0; 60];
    let mut bit = 0;
    while bit < 60 {
        let mut from = 0;
        while from < SQUARES {
            if STEPS[bit / SQUARES][from] >> (bit % SQUARES) & 1 == 1 {
                retreats[bit] |= 1 << from;
            }
            from += 1;
        }
        bit += 1;
    }
    retreats
};

/// All places of pieces that attack a square, by that square; nothing attacks square 12, that of a missing lion.
const fn attackers(reach: &[u16; 60]) -> [u64; SQUARES + 1] {
    let mut all = [0; SQUARES + 1];
    let mut square = 0;
    while square < SQUARES {
        let mut kind = 0;
        while kind < 5 {
            all[square] |= (reach[kind * SQUARES + square] as u64) << (kind * SQUARES);
            kind += 1;
        }
        square += 1;
    }
    all
}

const OWN_ATTACKERS: [u64; SQUARES + 1] = attackers(&BIT_RETREATS);
/// Places of the other side's pieces, which step the other way.
const ENEMY_ATTACKERS: [u64; SQUARES + 1] = attackers(&BIT_STEPS);

/// What a captured piece adds to a hand, by kind; the sixth is no piece.
const HELD: [u8; 6] = [0, 1, 4, 16, 16, 0];

/// Pieces and hands, turned so that the seat to move plays to the top. It does not know which seat that is: this
/// is what searches, tables and networks need.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Board {
    /// A lane of twelve bits for each kind.
    own: u64,
    enemy: u64,
    /// Two bits for each kind, the own hand first.
    hands: [u8; 2],
}

const fn place(kind: PieceKind, x: u32, y: u32) -> u64 {
    1 << (LANE * kind as u32 + x + 3 * y)
}

const fn occupied(side: u64) -> u64 {
    (side | side >> LANE | side >> (2 * LANE) | side >> (3 * LANE) | side >> (4 * LANE)) & MASK
}

const fn mirrored(side: u64) -> u64 {
    const LEFT: u64 = LOW * 0b001_001_001_001;
    (side & LEFT) << 2 | side >> 2 & LEFT | side & LEFT << 1
}

const fn turned(side: u64) -> u64 {
    const UPPER: u64 = LOW * 0b000_000_111_111;
    const EVEN: u64 = LOW * 0b000_111_000_111;
    let side = (side & UPPER) << 6 | side >> 6 & UPPER;
    let side = (side & EVEN) << 3 | side >> 3 & EVEN;
    mirrored(side)
}

/// The lion's square, 12 without one.
const fn lion(side: u64) -> usize {
    (side & MASK | 1 << LANE).trailing_zeros() as usize
}

impl Board {
    /// The start.
    pub const START: Self = {
        let own = place(PieceKind::Elephant, 0, 3)
            | place(PieceKind::Lion, 1, 3)
            | place(PieceKind::Giraffe, 2, 3)
            | place(PieceKind::Chick, 1, 2);
        Self {
            own,
            enemy: turned(own),
            hands: [0; 2],
        }
    };

    /// No piece.
    pub const EMPTY: Self = Self {
        own: 0,
        enemy: 0,
        hands: [0; 2],
    };

    /// The mover's pieces of a kind; a mask with a bit for each square.
    #[inline]
    pub const fn own(&self, kind: PieceKind) -> u16 {
        (self.own >> (LANE * kind as u32) & MASK) as u16
    }

    /// The other side's pieces of a kind.
    #[inline]
    pub const fn enemy(&self, kind: PieceKind) -> u16 {
        (self.enemy >> (LANE * kind as u32) & MASK) as u16
    }

    /// How many pieces of a kind the mover has in hand; none of a lion and a hen.
    #[inline]
    pub const fn own_hand(&self, kind: PieceKind) -> u8 {
        held(self.hands[0], kind)
    }

    /// How many pieces of a kind the other side has in hand.
    #[inline]
    pub const fn enemy_hand(&self, kind: PieceKind) -> u8 {
        held(self.hands[1], kind)
    }

    /// A hash of the pieces and the hands.
    #[inline]
    pub const fn key(&self) -> u64 {
        const fn mixed(bits: u64) -> u64 {
            let bits = (bits ^ bits >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
            (bits ^ bits >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
        }
        let hands = (self.hands[0] as u64) << 8 | self.hands[1] as u64;
        let key = mixed(mixed(mixed(self.own) ^ self.enemy) ^ hands);
        key ^ key >> 32
    }

    /// The squares without a piece.
    #[inline]
    pub const fn empty(&self) -> u16 {
        (occupied(self.own | self.enemy) ^ MASK) as u16
    }

    /// What stands on a square, and whether it is the mover's.
    pub fn piece(&self, square: Square) -> Option<(PieceKind, bool)> {
        let on = |side: u64| {
            PieceKind::ALL
                .into_iter()
                .find(|&kind| side >> (LANE * kind as u32) & u64::from(square.bit()) != 0)
        };
        let own = on(self.own).map(|kind| (kind, true));
        own.or_else(|| on(self.enemy).map(|kind| (kind, false)))
    }

    pub(super) const fn put(&mut self, kind: PieceKind, own: bool, square: Square) {
        let bit = 1 << (LANE * kind as u32 + square.index() as u32);
        if own {
            self.own |= bit;
        } else {
            self.enemy |= bit;
        }
    }

    /// Sets the numbers of giraffes, elephants and chicks in both hands, the mover's first.
    pub(super) const fn set_hands(&mut self, hands: [[u8; 3]; 2]) {
        self.hands = [hand(hands[0]), hand(hands[1])];
    }

    /// A board of masks and hands: by kind the squares of the mover's and of the other side's pieces, and by side
    /// the numbers of giraffes, elephants and chicks in hand. No square may be in two masks, and a hand has at most
    /// three pieces of a kind.
    #[inline]
    pub const fn of_masks(own: [u16; 5], enemy: [u16; 5], hands: [[u8; 3]; 2]) -> Self {
        const fn lanes(masks: [u16; 5]) -> u64 {
            masks[0] as u64
                | (masks[1] as u64) << LANE
                | (masks[2] as u64) << (2 * LANE)
                | (masks[3] as u64) << (3 * LANE)
                | (masks[4] as u64) << (4 * LANE)
        }
        Self {
            own: lanes(own),
            enemy: lanes(enemy),
            hands: [hand(hands[0]), hand(hands[1])],
        }
    }

    /// The board as the other side sees it, which then is the mover.
    #[inline]
    #[must_use]
    pub const fn turned(&self) -> Self {
        Self {
            own: turned(self.enemy),
            enemy: turned(self.own),
            hands: [self.hands[1], self.hands[0]],
        }
    }

    /// The board in the mirror that exchanges left and right.
    #[inline]
    #[must_use]
    pub const fn mirrored(&self) -> Self {
        Self {
            own: mirrored(self.own),
            enemy: mirrored(self.enemy),
            hands: self.hands,
        }
    }

    /// Whether the mover can capture the enemy lion now.
    #[inline]
    pub const fn can_catch(&self) -> bool {
        self.own & OWN_ATTACKERS[lion(self.enemy)] != 0
    }

    /// Whether the other side could capture the mover's lion if it were to move.
    #[inline]
    pub const fn in_check(&self) -> bool {
        self.enemy & ENEMY_ATTACKERS[lion(self.own)] != 0
    }

    /// Whether the mover's lion has been captured, or was never there.
    #[inline]
    pub const fn is_caught(&self) -> bool {
        self.own & MASK == 0
    }

    /// Whether the mover's lion stands on the far rank: its try was not answered by its capture.
    #[inline]
    pub const fn has_tried(&self) -> bool {
        self.own & FAR != 0
    }

    /// Whether the enemy lion stands on the mover's home rank.
    #[inline]
    pub const fn is_tried(&self) -> bool {
        self.enemy & HOME != 0
    }

    /// Calls `f` with the bit of each piece of the mover and each square that it can step to.
    #[inline]
    fn each_step(&self, mut f: impl FnMut(u32, u32)) {
        let free = !occupied(self.own) as u16;
        let mut pieces = self.own;
        while pieces != 0 {
            let bit = pieces.trailing_zeros();
            pieces &= pieces - 1;
            let mut to = BIT_STEPS[bit as usize] & free;
            while to != 0 {
                f(bit, to.trailing_zeros());
                to &= to - 1;
            }
        }
    }

    /// Calls `f` with each kind of the mover's hand and each empty square.
    #[inline]
    fn each_drop(&self, mut f: impl FnMut(PieceKind, u32)) {
        if self.hands[0] == 0 {
            return;
        }
        let empty = self.empty();
        for kind in PieceKind::HELD {
            if self.own_hand(kind) != 0 {
                let mut to = empty;
                while to != 0 {
                    f(kind, to.trailing_zeros());
                    to &= to - 1;
                }
            }
        }
    }

    /// The board after a step of the other side, of which this is the mover's view; the bit and the square are as that
    /// side sees them. `promotes` makes a hen of a chick.
    #[inline]
    const fn after_step(&self, bit: u32, to: u32, promotes: bool) -> Self {
        let lane = bit / LANE * LANE;
        let (from, to) = (2 * lane + LANE - 1 - bit, LANE - 1 - to);
        let lane = lane + if promotes { LANE } else { 0 };
        let taken = self.own & LOW << to;
        let mut hands = self.hands;
        hands[1] += HELD[(taken.trailing_zeros() / LANE) as usize];
        Self {
            own: self.own & !taken,
            enemy: self.enemy & !(1 << from) | 1 << (lane + to),
            hands,
        }
    }

    /// The board after a drop of the other side, as [`Board::after_step`].
    #[inline]
    const fn after_drop(&self, kind: PieceKind, to: u32) -> Self {
        let mut hands = self.hands;
        hands[1] -= HELD[kind as usize];
        Self {
            own: self.own,
            enemy: self.enemy | 1 << (LANE * kind as u32 + LANE - 1 - to),
            hands,
        }
    }

    /// Adds the mover's moves to `out`, whether or not the game is over. A chick that reaches the far rank
    /// promotes; with `free_promotion` it may also stay a chick.
    #[inline]
    pub fn moves(&self, free_promotion: bool, out: &mut MoveList) {
        self.each_step(|bit, to| {
            let mv = Move::step(Square::at(bit % LANE), Square::at(to), promotes(bit, to));
            out.push(mv);
            if free_promotion && mv.promotes() {
                out.push(mv.promoting(false));
            }
        });
        self.each_drop(|kind, to| out.push(Move::drop(kind, Square::at(to))));
    }

    /// Calls `f` with the board after each move, as the other side sees it, in the order of [`Board::moves`].
    #[inline]
    pub fn each_after(&self, mut f: impl FnMut(Board)) {
        let turned = self.turned();
        self.each_step(|bit, to| f(turned.after_step(bit, to, promotes(bit, to))));
        self.each_drop(|kind, to| f(turned.after_drop(kind, to)));
    }

    /// The board after a move of [`Board::moves`], as the other side sees it; of any other move it makes no sense.
    #[inline]
    #[must_use]
    pub fn after(&self, mv: Move) -> Self {
        let (turned, to) = (self.turned(), mv.to().index() as u32);
        match mv.from() {
            Some(from) => {
                let bit = (self.own & LOW << from.index()).trailing_zeros();
                turned.after_step(bit.min(59), to, mv.promotes())
            }
            None => turned.after_drop(mv.dropped().unwrap_or(PieceKind::Chick), to),
        }
    }

    /// Whether the mover has a move.
    pub fn has_move(&self) -> bool {
        let mut has = self.hands[0] != 0 && self.empty() != 0;
        if !has {
            self.each_step(|_, _| has = true);
        }
        has
    }

    /// Calls `f` with each board, as its mover sees it, from which a move leads to this one and in which that move
    /// is not the end of a game: its mover could not catch the enemy lion, and had not tried. Whether the
    /// game can come to such a board from its start is not asked. This board itself must be one in which its
    /// mover cannot catch the lion, and in which neither lion stands on its far rank.
    #[inline]
    pub fn each_before(&self, mut f: impl FnMut(Board)) {
        let after = self.turned();
        let attackers = OWN_ATTACKERS[lion(after.enemy)];
        // A piece that attacks the lion after the move and has not moved attacked it before the move.
        let checking = after.own & attackers;
        let mut movable = if checking == 0 { after.own } else { checking };
        if checking & checking.wrapping_sub(1) != 0 {
            return;
        }
        let empty = after.empty();
        while movable != 0 {
            let bit = movable.trailing_zeros();
            movable &= movable - 1;
            let (kind, to) = (PieceKind::ALL[(bit / LANE) as usize], bit % LANE);
            let lifted = Self {
                own: after.own & !(1 << bit),
                ..after
            };
            let quiet = |kind: PieceKind| empty & !(attackers >> (LANE * kind as u32)) as u16;
            let mut from = BIT_RETREATS[bit as usize] & quiet(kind);
            match kind {
                // A lion does not come back from its try.
                PieceKind::Lion => from &= !(FAR as u16),
                // A hand has no hen, and a chick that steps to the far rank becomes one.
                PieceKind::Hen => {}
                PieceKind::Giraffe | PieceKind::Elephant | PieceKind::Chick => {
                    let mut hands = after.hands;
                    hands[0] += HELD[kind as usize];
                    f(Self { hands, ..lifted });
                    if kind == PieceKind::Chick && to < 3 {
                        from = 0;
                    }
                }
            }
            lifted.each_stepped_back(kind, from, to, &mut f);
            if kind == PieceKind::Hen && to < 3 {
                let from = 1 << (to + 3) & quiet(PieceKind::Chick);
                lifted.each_stepped_back(PieceKind::Chick, from, to, &mut f);
            }
        }
    }

    /// Puts the piece that has been lifted from `to` back to each of the squares `from`, with nothing in its place
    /// or with a piece that it captured.
    #[inline]
    fn each_stepped_back(
        &self,
        kind: PieceKind,
        mut from: u16,
        to: u32,
        f: &mut impl FnMut(Board),
    ) {
        while from != 0 {
            let back = 1 << (LANE * kind as u32 + from.trailing_zeros());
            from &= from - 1;
            let quiet = Self {
                own: self.own | back,
                ..*self
            };
            f(quiet);
            if self.hands[0] == 0 {
                continue;
            }
            for held in PieceKind::HELD {
                if self.own_hand(held) == 0 {
                    continue;
                }
                let mut hands = self.hands;
                hands[0] -= HELD[held as usize];
                let victim = 1 << (LANE * held as u32 + to);
                let enemy = self.enemy | victim;
                f(Self {
                    enemy,
                    hands,
                    ..quiet
                });
                if held == PieceKind::Chick {
                    let enemy = self.enemy | victim << LANE;
                    f(Self {
                        enemy,
                        hands,
                        ..quiet
                    });
                }
            }
        }
    }
}

const fn hand(counts: [u8; 3]) -> u8 {
    counts[0] | counts[1] << 2 | counts[2] << 4
}

const fn held(hand: u8, kind: PieceKind) -> u8 {
    match kind {
        PieceKind::Lion | PieceKind::Hen => 0,
        PieceKind::Giraffe => hand & 3,
        PieceKind::Elephant => hand >> 2 & 3,
        PieceKind::Chick => hand >> 4 & 3,
    }
}

/// Whether a step makes a hen of a chick.
#[inline]
const fn promotes(bit: u32, to: u32) -> bool {
    bit / LANE == PieceKind::Chick as u32 && to < 3
}
