//! The numbers of boards: a bijection without holes, mirror images apart.
//!
//! A number is that of the squares of both lions, and within it that of the squares, sides and hands of the other
//! pieces: giraffes first, elephants on the squares that are left, chicks and hens on the rest. Two pieces of a kind on
//! `n` squares have 3 ways to be in the hands, `4n` with one on the board and `2n(n-1)` with both, chicks, which may be
//! hens, `8n` and `8n(n-1)`.

use games::dobutsu::{Board, PieceKind, SQUARES, Square};

/// Lions in which the mover's is not on the far rank, mirror images apart.
const PAIRS: usize = 54;
/// The first of them can stand where nothing ends the game: the lions are not adjacent, and the enemy lion is not on
/// the mover's home rank.
const QUIET: usize = 21;
/// Numbers of a step in the search for a group.
const STEP: u32 = 1 << 12;
const NONE: u8 = u8::MAX;

/// Pieces of a game beside the lions, at most two of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Material {
    /// Giraffes of both sides.
    pub giraffes: u8,
    /// Elephants of both sides.
    pub elephants: u8,
    /// Chicks and hens of both sides.
    pub chicks: u8,
}

impl Material {
    pub const FULL: Material = Material {
        giraffes: 2,
        elephants: 2,
        chicks: 2,
    };

    pub fn of(board: &Board) -> Material {
        let count = |kind| {
            let on_board = (board.own(kind) | board.enemy(kind)).count_ones() as u8;
            on_board + board.own_hand(kind) + board.enemy_hand(kind)
        };
        Material {
            giraffes: count(PieceKind::Giraffe),
            elephants: count(PieceKind::Elephant),
            chicks: count(PieceKind::Chick) + count(PieceKind::Hen),
        }
    }

    const fn counts(self) -> [u32; 3] {
        [
            self.giraffes as u32,
            self.elephants as u32,
            self.chicks as u32,
        ]
    }
}

#[derive(Clone, Copy)]
struct LionPair {
    number: u8,
    /// The number is that of the mirror image.
    mirrored: bool,
    /// Both lions stand in the file in the middle: the mirror image has the same pair.
    central: bool,
}

/// A number of giraffes, elephants and chicks on the board.
#[derive(Clone, Copy, Default)]
struct MaterialGroup {
    base: u32,
    /// Numbers of elephants and chicks for each one of the giraffes.
    below_giraffes: u32,
    /// Numbers of chicks for each one of the elephants.
    below_elephants: u32,
    counts: [u8; 3],
}

/// The numbers of all boards of some material.
pub struct Index {
    material: Material,
    counts: [u32; 3],
    pairs: [[LionPair; SQUARES]; SQUARES],
    lions: [[u8; 2]; PAIRS],
    /// By the numbers of giraffes, elephants and chicks on the board, 0 to 3 each.
    groups: [MaterialGroup; 64],
    /// The same by number, those that can be, and the first of them by number in steps of [`STEP`].
    ordered: Vec<MaterialGroup>,
    starts: Vec<u8>,
    ones: Box<[u8; 1 << SQUARES]>,
    /// The bits of a mask of squares by their order.
    nth: Vec<[u8; SQUARES]>,
    placements: u32,
}

const PAIRED: [u32; 16] = {
    let mut paired = [0; 16];
    let mut n = 0;
    while n < 16 {
        paired[n] = (n * n.saturating_sub(1) / 2) as u32;
        n += 1;
    }
    paired
};

/// The lower and the higher of two of so many squares, by their number.
const PAIRED_SQUARES: [[u8; 2]; 66] = {
    let mut squares = [[0; 2]; 66];
    let mut high = 1;
    while high < SQUARES {
        let mut low = 0;
        while low < high {
            squares[PAIRED[high] as usize + low] = [low as u8, high as u8];
            low += 1;
        }
        high += 1;
    }
    squares
};

/// Ways to place `on_board` of `count` pieces on `squares` squares, each with so many looks, and the rest in the hands.
const fn ways(count: u32, on_board: u32, squares: u32, looks: u32) -> u32 {
    let hands = count - on_board + 1;
    hands
        * match on_board {
            0 => 1,
            1 => squares * looks,
            _ => squares * (squares - 1) / 2 * looks * looks,
        }
}

impl Index {
    /// The numbers of boards of some material.
    ///
    /// # Panics
    /// If there are more than two of an animal.
    pub fn new(material: Material) -> Index {
        let counts = material.counts();
        assert!(counts.iter().all(|&count| count <= 2), "two of each animal");
        let (pairs, lions) = lion_pairs();
        let mut groups = [MaterialGroup::default(); 64];
        let mut ordered = Vec::new();
        let mut base = 0;
        for g in 0..=counts[0] {
            for e in 0..=counts[1] {
                for c in 0..=counts[2] {
                    let squares = SQUARES as u32 - 2;
                    let giraffes = ways(counts[0], g, squares, 2);
                    let elephants = ways(counts[1], e, squares - g, 2);
                    let chicks = ways(counts[2], c, squares - g - e, 4);
                    let group = MaterialGroup {
                        base,
                        below_giraffes: elephants * chicks,
                        below_elephants: chicks,
                        counts: [g as u8, e as u8, c as u8],
                    };
                    groups[(g << 4 | e << 2 | c) as usize] = group;
                    ordered.push(group);
                    base += giraffes * elephants * chicks;
                }
            }
        }
        let mut ones = Box::new([0; 1 << SQUARES]);
        let mut nth = vec![[0; SQUARES]; 1 << SQUARES];
        for mask in 0..1_usize << SQUARES {
            ones[mask] = mask.count_ones() as u8;
            let bits = (0..SQUARES).filter(|bit| mask >> bit & 1 == 1);
            for (order, bit) in bits.enumerate() {
                nth[mask][order] = bit as u8;
            }
        }
        Index {
            material,
            counts,
            pairs,
            lions,
            groups,
            starts: (0..=base / STEP)
                .map(|step| {
                    let after = ordered.partition_point(|group| group.base <= step * STEP);
                    (after - 1) as u8
                })
                .collect(),
            ordered,
            ones,
            nth,
            placements: base,
        }
    }

    pub fn material(&self) -> Material {
        self.material
    }

    /// Numbers of the boards in which the lions stand where nothing ends the game; they come first.
    pub fn len(&self) -> u32 {
        QUIET as u32 * self.placements
    }

    /// Always false: two lions make a board.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Numbers of all boards in which the mover's lion is not on the far rank.
    pub fn all(&self) -> u32 {
        PAIRS as u32 * self.placements
    }

    /// Whether [`Index::rank`] is defined: the material is that of the index, both lions are there, and the mover's is
    /// not on the far rank.
    pub fn has(&self, board: &Board) -> bool {
        Material::of(board) == self.material
            && !board.has_tried()
            && !board.is_caught()
            && board.enemy(PieceKind::Lion) != 0
    }

    /// The number of a board and of its mirror image.
    #[inline]
    pub fn rank(&self, board: &Board) -> u32 {
        let (own, enemy) = lions(board);
        let pair = self.pairs[own][enemy];
        let place = if pair.mirrored {
            self.place(&board.mirrored())
        } else {
            self.place(board)
        };
        let place = if pair.central {
            place.min(self.place(&board.mirrored()))
        } else {
            place
        };
        u32::from(pair.number) * self.placements + place
    }

    /// Whether both lions stand in the file in the middle. Two moves of such a board may lead to mirror images of one
    /// board, and two boards before it may be mirror images.
    #[inline]
    pub fn is_central(board: &Board) -> bool {
        const MIDDLE: u16 = 0b010_010_010_010;
        (board.own(PieceKind::Lion) | board.enemy(PieceKind::Lion)) & !MIDDLE == 0
    }

    #[inline]
    fn place(&self, board: &Board) -> u32 {
        let [kg, ke, kc] = self.counts;
        let free = !(board.own(PieceKind::Lion) | board.enemy(PieceKind::Lion)) & MASK;

        let own = board.own(PieceKind::Giraffe);
        let all = own | board.enemy(PieceKind::Giraffe);
        let (rank, a, b) = self.pair(free, all);
        let side = |bit: u16, of: u16| u32::from(of & bit != 0);
        let giraffes = (rank << kg)
            + (side(a, own) << kg.saturating_sub(1))
            + side(b, own)
            + u32::from(board.own_hand(PieceKind::Giraffe));
        let mut group = (side(a, all) + side(b, all)) << 4;

        let free = free & !all;
        let own = board.own(PieceKind::Elephant);
        let all = own | board.enemy(PieceKind::Elephant);
        let (rank, a, b) = self.pair(free, all);
        let elephants = (rank << ke)
            + (side(a, own) << ke.saturating_sub(1))
            + side(b, own)
            + u32::from(board.own_hand(PieceKind::Elephant));
        group |= (side(a, all) + side(b, all)) << 2;

        let free = free & !all;
        let hens = board.own(PieceKind::Hen);
        let own = board.own(PieceKind::Chick) | hens;
        let hens = hens | board.enemy(PieceKind::Hen);
        let all = own | board.enemy(PieceKind::Chick) | hens;
        let (rank, a, b) = self.pair(free, all);
        let on_board = side(a, all) + side(b, all);
        let look = |bit: u16| side(bit, own) << 1 | side(bit, hens);
        let chicks = (rank << (on_board + kc))
            + (look(a) << (on_board + kc).saturating_sub(2))
            + look(b)
            + u32::from(board.own_hand(PieceKind::Chick));
        group |= on_board;

        let group = &self.groups[(group & 63) as usize];
        group.base + giraffes * group.below_giraffes + elephants * group.below_elephants + chicks
    }

    /// The number of up to two bits among the bits of `free`, the lower bit and the higher one; 0 for what is not there.
    #[inline]
    fn pair(&self, free: u16, bits: u16) -> (u32, u16, u16) {
        let low = bits & bits.wrapping_neg();
        let high = bits ^ low;
        let below = |bit: u16| self.ones[usize::from(free & bit.saturating_sub(1) & MASK)];
        let rank = u32::from(below(low)) + PAIRED[usize::from(below(high) & 15)];
        (rank, low, high)
    }

    /// The board with a number, as one of its two mirror images.
    ///
    /// # Panics
    /// If the number is not below [`Index::all`].
    #[inline]
    pub fn unrank(&self, number: u32) -> Board {
        let (pair, place) = (number / self.placements, number % self.placements);
        let lions = self.lions[pair as usize];
        let mut at = usize::from(self.starts[(place / STEP) as usize]);
        while self
            .ordered
            .get(at + 1)
            .is_some_and(|next| next.base <= place)
        {
            at += 1;
        }
        let group = &self.ordered[at];
        let rest = place - group.base;
        let (giraffes, rest) = (rest / group.below_giraffes, rest % group.below_giraffes);
        let (elephants, chicks) = (rest / group.below_elephants, rest % group.below_elephants);
        let mut free = !(1 << lions[0] | 1 << lions[1]) & MASK;
        let [g, e, c] = group.counts;
        let g = self.part(&mut free, self.counts[0], g.into(), giraffes, 1);
        let e = self.part(&mut free, self.counts[1], e.into(), elephants, 1);
        let c = self.part(&mut free, self.counts[2], c.into(), chicks, 2);
        Board::of_masks(
            [1 << lions[0], g.own, e.own, c.own & !c.hens, c.own & c.hens],
            [
                1 << lions[1],
                g.all & !g.own,
                e.all & !e.own,
                c.all & !c.own & !c.hens,
                c.hens & !c.own,
            ],
            [
                [g.hands[0], e.hands[0], c.hands[0]],
                [g.hands[1], e.hands[1], c.hands[1]],
            ],
        )
    }

    /// The pieces of a kind with a number among those with as many on the board; `looks` bits for each piece on it.
    #[inline]
    fn part(&self, free: &mut u16, count: u32, on_board: u32, number: u32, looks: u32) -> Part {
        let nth = &self.nth[usize::from(*free & MASK)];
        let mut part = Part::default();
        let mut put = |square: u8, look: u32| {
            let bit = 1 << square;
            part.all |= bit;
            if look >> (looks - 1) & 1 == 1 {
                part.own |= bit;
            }
            if looks == 2 && look & 1 == 1 {
                part.hens |= bit;
            }
        };
        let mask = (1 << looks) - 1;
        let own = match on_board {
            0 => number,
            1 => {
                // A bit for the one piece in hand, if there is one.
                let hand = count - 1;
                let (number, own) = (number >> hand, number & hand);
                put(nth[(number >> looks) as usize], number & mask);
                own
            }
            _ => {
                let [low, high] = PAIRED_SQUARES[(number >> (2 * looks)) as usize];
                put(nth[usize::from(low)], number >> looks & mask);
                put(nth[usize::from(high)], number & mask);
                0
            }
        };
        part.hands = [own as u8, (count - on_board - own) as u8];
        *free &= !part.all;
        part
    }
}

const MASK: u16 = (1 << SQUARES) - 1;

#[derive(Default)]
struct Part {
    own: u16,
    all: u16,
    hens: u16,
    hands: [u8; 2],
}

#[inline]
fn lions(board: &Board) -> (usize, usize) {
    let square = |mask: u16| mask.trailing_zeros() as usize;
    (
        square(board.own(PieceKind::Lion)),
        square(board.enemy(PieceKind::Lion)),
    )
}

/// The pairs by square, and the squares by pair.
fn lion_pairs() -> ([[LionPair; SQUARES]; SQUARES], [[u8; 2]; PAIRS]) {
    let none = LionPair {
        number: NONE,
        mirrored: false,
        central: false,
    };
    let mut pairs = [[none; SQUARES]; SQUARES];
    let mut lions = [[0; 2]; PAIRS];
    let mut number = 0;
    for quiet in [true, false] {
        for own in Square::ALL {
            for enemy in Square::ALL {
                let known = pairs[own.index()][enemy.index()].number != NONE;
                let adjacent = PieceKind::Lion.steps(own.index()) & enemy.bit() != 0;
                let is_quiet = !adjacent && enemy.y() < 3;
                if known || own.y() == 0 || own == enemy || is_quiet != quiet {
                    continue;
                }
                let central = own.x() == 1 && enemy.x() == 1;
                let pair = LionPair {
                    number,
                    mirrored: false,
                    central,
                };
                pairs[own.index()][enemy.index()] = pair;
                lions[usize::from(number)] = [own.index() as u8, enemy.index() as u8];
                if !central {
                    let mirrored = LionPair {
                        mirrored: true,
                        ..pair
                    };
                    pairs[own.mirrored().index()][enemy.mirrored().index()] = mirrored;
                }
                number += 1;
            }
        }
        let due = if quiet { QUIET } else { PAIRS };
        assert_eq!(usize::from(number), due, "pairs of lions");
    }
    (pairs, lions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_game_has_so_many_places() {
        let index = Index::new(Material::FULL);
        assert_eq!(index.placements, 11_878_227);
        assert_eq!(index.len(), 249_442_767);
    }

    /// Every number gives a board with that number, and every board and its mirror image have one number.
    #[test]
    fn numbers_and_boards_lead_to_one_another() {
        for (giraffes, elephants, chicks) in [
            (0, 0, 0),
            (1, 0, 0),
            (0, 0, 1),
            (1, 1, 1),
            (2, 0, 1),
            (0, 1, 2),
        ] {
            let material = Material {
                giraffes,
                elephants,
                chicks,
            };
            let index = Index::new(material);
            assert_round(&index, 0..index.all());
        }
        let index = Index::new(Material::FULL);
        let samples = (0..index.all()).step_by(9_973);
        assert_round(&index, samples);
    }

    fn assert_round(index: &Index, numbers: impl Iterator<Item = u32>) {
        for number in numbers {
            let board = index.unrank(number);
            assert!(index.has(&board), "{number}");
            let rank = index.rank(&board);
            assert_eq!(rank, index.rank(&board.mirrored()), "{number}");
            if Index::is_central(&board) {
                assert!(rank <= number, "the smaller of two numbers");
                let again = index.unrank(rank);
                assert!(again == board || again == board.mirrored(), "{number}");
            } else {
                assert_eq!(rank, number);
            }
        }
    }
}
