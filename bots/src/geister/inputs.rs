//! What the networks of policy and value see: the ghosts with their neighbours as they stand after a move, and who is nearer to
//! the exits. All squares are in the frame of the seat that moves.

use std::sync::{Arc, LazyLock};

use games::geister::MoveList;

use super::features::{Feature, FeatureChange, Sight};
use crate::learning::Inputs;

/// An own ghost by colour, square, the neighbours that are enemies (a bit for each direction) and whether one is its own.
const OWN: usize = 0;
/// An enemy by square, number of own neighbours (to 3) and whether a neighbour is another enemy.
const ENEMY: usize = OWN + 2 * 36 * 32;
/// Own exits: how far the nearest own blue ghost and the nearest enemy are.
const EXIT: usize = ENEMY + 36 * 8;
/// Exits of the enemy: how far the nearest enemy and the nearest own ghost are.
const THREAT: usize = EXIT + 2 * FAR * FAR;
/// Captured ghosts of the enemy, blue and red, and of the seat.
const COUNTS: usize = THREAT + 2 * FAR * FAR;
/// A capture by a ghost of each colour.
const TAKES: usize = COUNTS + 2 * 16;
pub const INPUTS: usize = TAKES + 2;

/// Distances from this less one on are alike.
const FAR: usize = 7;

pub type GeisterNetworks = crate::learning::Networks<INPUTS>;

impl GeisterNetworks {
    /// Returns the networks shipped with the project.
    pub fn built_in() -> GeisterNetworks {
        let bytes = include_bytes!("../../../models/geister/networks.i16");
        GeisterNetworks::from_bytes(bytes).expect("the shipped networks are whole")
    }

    /// Returns the shipped networks of best responses, whose policies an enemy may have: one to the policy of these networks, and
    /// then four to the search of `best`, each to the search that knows those before it.
    pub(super) fn responses() -> [Arc<GeisterNetworks>; 5] {
        static RESPONSES: LazyLock<[Arc<GeisterNetworks>; 5]> = LazyLock::new(|| {
            let files: [&[u8]; 5] = [
                include_bytes!("../../../models/geister/best_response.i16"),
                include_bytes!("../../../models/geister/search_response.i16"),
                include_bytes!("../../../models/geister/second_response.i16"),
                include_bytes!("../../../models/geister/third_response.i16"),
                include_bytes!("../../../models/geister/fifth_response.i16"),
            ];
            files.map(|bytes| {
                Arc::new(
                    GeisterNetworks::from_bytes(bytes).expect("the shipped networks are whole"),
                )
            })
        });
        RESPONSES.clone()
    }
}

const WEST: u64 = 0x4104_1041;
const EAST: u64 = WEST << 5;
const ALL: u64 = (1 << 36) - 1;

/// How far each square is from the corners, at most `FAR - 1`: own exits left and right, those of the enemy.
const DISTANCES: [[usize; 36]; 4] = {
    let mut distances = [[0; 36]; 4];
    let mut corner = 0;
    while corner < 4 {
        let mut square = 0;
        while square < 36 {
            let (x, y) = (square % 6, square / 6);
            let across = if corner % 2 == 0 { x } else { 5 - x };
            let along = if corner < 2 { y } else { 5 - y };
            let distance = across + along;
            distances[corner][square] = if distance < FAR { distance } else { FAR - 1 };
            square += 1;
        }
        corner += 1;
    }
    distances
};

/// The squares within each distance of the corners.
const WITHIN: [[u64; FAR - 1]; 4] = {
    let mut within = [[0; FAR - 1]; 4];
    let mut corner = 0;
    while corner < 4 {
        let mut square = 0;
        while square < 36 {
            let mut distance = DISTANCES[corner][square];
            while distance < FAR - 1 {
                within[corner][distance] |= 1 << square;
                distance += 1;
            }
            square += 1;
        }
        corner += 1;
    }
    within
};

const fn beside(bits: u64) -> u64 {
    ((bits & !EAST) << 1 | (bits & !WEST) >> 1 | bits << 6 | bits >> 6) & ALL
}

/// How far the nearest of some ghosts is from a corner, at most `FAR - 1`.
fn distance(bits: u64, corner: usize) -> usize {
    let within = WITHIN[corner].iter();
    within.take_while(|&&within| bits & within == 0).count()
}

fn squares(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let square = bits.trailing_zeros();
        (bits != 0).then(|| {
            bits &= bits - 1;
            square
        })
    })
}

/// Where the ghosts are, as the seat that moves sees them.
#[derive(Clone, Copy)]
struct GhostBoard {
    blue: u64,
    red: u64,
    enemies: u64,
}

impl GhostBoard {
    const fn own(&self) -> u64 {
        self.blue | self.red
    }

    const fn ghosts(&self) -> u64 {
        self.own() | self.enemies
    }

    /// The row of the ghost on a square, on which there must be one.
    fn row(&self, square: u32) -> usize {
        let bit = 1 << square;
        let (own, at) = (self.own(), square as usize);
        let near = beside(bit);
        let enemies = self.enemies & near;
        if self.enemies & bit != 0 {
            let attackers = (near & own).count_ones().min(3) as usize;
            return ENEMY + at * 8 + attackers * 2 + usize::from(enemies != 0);
        }
        let mut pattern = usize::from(own & near != 0);
        for (n, side) in [bit << 1, bit >> 1, bit << 6, bit >> 6]
            .into_iter()
            .enumerate()
        {
            pattern |= usize::from(enemies & side != 0) << (n + 1);
        }
        let colour = usize::from(self.red & bit != 0);
        OWN + (colour * 36 + at) * 32 + pattern
    }

    /// Moves the ghost on a square; what stands on the other is captured.
    fn step(&mut self, from: u64, to: u64) {
        self.enemies &= !to;
        let side = if self.blue & from != 0 {
            &mut self.blue
        } else {
            &mut self.red
        };
        *side = *side & !from | to;
    }
}

/// How far the nearest ghost is from each corner, of those that want to get there and of those that guard it.
#[derive(Clone, Copy)]
struct Races {
    runners: [usize; 4],
    guards: [usize; 4],
}

impl Races {
    fn of(board: &GhostBoard) -> Self {
        let (blue, own, enemies) = (board.blue, board.own(), board.enemies);
        let nearest = |ghosts: [u64; 4]| std::array::from_fn(|n| distance(ghosts[n], n));
        Self {
            runners: nearest([blue, blue, enemies, enemies]),
            guards: nearest([enemies, enemies, own, own]),
        }
    }

    /// Those after a step that leads to `after`: most steps change few of them.
    fn after(&self, after: &GhostBoard, from: usize, to: usize, takes: bool) -> Self {
        let mut races = *self;
        let is_blue = after.blue >> to & 1 != 0;
        for corner in 0..4 {
            let (own, enemies, ghosts) = if corner < 2 {
                (&mut races.runners, &mut races.guards, after.blue)
            } else {
                (&mut races.guards, &mut races.runners, after.own())
            };
            let (own, enemies) = (&mut own[corner], &mut enemies[corner]);
            let [gone, come] = [from, to].map(|square| DISTANCES[corner][square]);
            if is_blue || corner >= 2 {
                if come <= *own {
                    *own = come;
                } else if gone == *own {
                    *own = distance(ghosts, corner);
                }
            }
            if takes && come == *enemies {
                *enemies = distance(after.enemies, corner);
            }
        }
        races
    }

    /// The rows of the exits and of the threats.
    fn rows(&self) -> [usize; 4] {
        std::array::from_fn(|corner| {
            EXIT + (corner * FAR + self.runners[corner]) * FAR + self.guards[corner]
        })
    }
}

/// The bit of the square of a feature of a ghost.
fn bit(feature: Feature) -> u64 {
    1 << (feature % 36)
}

impl Inputs {
    /// Takes in a decision among moves; no moves ask for the value alone. An escape has no rows, for it needs no thought.
    pub fn set_ghosts(&mut self, sight: &Sight, moves: &MoveList) {
        self.clear();
        let [blue, red, enemies] = sight.masks();
        let board = GhostBoard { blue, red, enemies };
        let ghosts = board.ghosts();
        let mut rows = [0; 36];
        for square in squares(ghosts) {
            let row = board.row(square);
            rows[square as usize] = row;
            self.push(row);
        }
        let races = Races::of(&board);
        for row in races.rows() {
            self.push(row);
        }
        let counts = sight.counts().map(usize::from);
        self.push(COUNTS + counts[0] * 4 + counts[1]);
        self.push(COUNTS + 16 + counts[2] * 4 + counts[3]);
        self.end_situation();
        for &mv in moves {
            let (from, to, takes) = match sight.change(mv) {
                FeatureChange::Step { from, to } => (from, to, false),
                FeatureChange::Capture { from, to, .. } => (from, to, true),
                FeatureChange::Escape { .. } => {
                    self.end_move(0, false);
                    continue;
                }
            };
            let mut after = board;
            after.step(bit(from), bit(to));
            let (mut removed, mut count) = ([0; 16], 0);
            let changed = bit(from) | bit(to);
            for square in squares((changed | beside(changed)) & (ghosts | bit(to))) {
                let has = |board: &GhostBoard| board.ghosts() >> square & 1 != 0;
                let then = has(&board).then(|| rows[square as usize]);
                let now = has(&after).then(|| after.row(square));
                if then != now {
                    if let Some(row) = then {
                        removed[count] = row;
                        count += 1;
                    }
                    if let Some(row) = now {
                        self.push(row);
                    }
                }
            }
            let [start, end] = [from, to].map(|feature| usize::from(feature % 36));
            let next = races.after(&after, start, end, takes);
            for (then, now) in races.rows().into_iter().zip(next.rows()) {
                if then != now {
                    self.push(now);
                    removed[count] = then;
                    count += 1;
                }
            }
            if takes {
                self.push(TAKES + usize::from(board.red & bit(from) != 0));
            }
            removed[..count].iter().for_each(|&row| self.push(row));
            self.end_move(count, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geister::selfplay::random_placement;
    use games::geister::{Position, Rules};
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// The rows of a move are those of the position that it leads to, as far as the mover knows it.
    #[test]
    fn the_rows_of_a_move_are_those_of_the_position_after_it() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let (mut inputs, mut moves) = (Inputs::default(), MoveList::new());
        let mut captures = 0;
        for _ in 0..40 {
            let placements = [0; 2].map(|_| random_placement(&mut rng));
            let mut position = Position::new(placements, Rules::default());
            while let Some(seat) = position.to_move() {
                position.legal_moves(&mut moves);
                let sight = Sight::of(&position, seat);
                inputs.set_ghosts(&sight, &moves);
                assert_eq!(inputs.changes().count(), moves.len());
                for (change, &mv) in inputs.changes().zip(moves.iter()) {
                    let mut next = position;
                    let played = next.play_unchecked(mv);
                    if next.end().is_some() {
                        continue;
                    }
                    let mut rows = inputs.situation().to_vec();
                    rows.extend(change.added);
                    for gone in change.removed {
                        let at = rows.iter().position(|row| row == gone);
                        rows.swap_remove(at.expect("only rows that are there are removed"));
                    }
                    let takes = rows.iter().any(|&row| usize::from(row) >= TAKES);
                    assert_eq!(takes, played.captured.is_some());
                    captures += u32::from(takes);
                    rows.retain(|&row| usize::from(row) < COUNTS);
                    rows.sort_unstable();
                    let mut due = Inputs::default();
                    due.set_ghosts(&Sight::of(&next, seat), &MoveList::new());
                    let mut due = due.situation().to_vec();
                    due.retain(|&row| usize::from(row) < COUNTS);
                    due.sort_unstable();
                    assert_eq!(rows, due, "{mv}");
                }
                position.play_unchecked(moves[rng.random_range(0..moves.len())]);
            }
        }
        assert!(captures > 50, "{captures} captures");
    }
}
