//! MAXN: every seat maximises its own evaluation.
//!
//! Sources: C. A. Luckhardt and K. B. Irani, "An algorithmic solution of N-person games", AAAI 1986,
//! 158-162; immediate and shallow pruning by the bound on the sum, R. E. Korf, "Multi-player alpha-beta
//! pruning", Artificial Intelligence 48 (1991) 99-111, and N. R. Sturtevant and R. E. Korf, "On pruning
//! techniques for multi-player games", AAAI 2000, 201-207. Deep pruning is not sound in MAXN. What bounds a
//! seat is, besides the sum, what it can get in the turns that it has left within the depth. So that their
//! number is known, depth is counted in turns: a seat that is passed over uses up one, too.
//!
//! Among equal moves of a position the first in the order of the game counts. That order never depends on the
//! search, so that neither pruning nor the table, which keeps what was not cut at the same depth only,
//! changes a value.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::depth_first::HashTable;
use super::depth_first::{DepthFirst, DepthFirstResult, Effort, deepen};
use super::{Budget, Evaluated, Values};

#[derive(Clone, Copy, Debug)]
struct MaxnEntry {
    values: Values,
    turns: u32,
    met_horizon: bool,
}

/// Positions whose moves were not all looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cuts {
    /// The seat to move had all that it can get.
    pub immediate: u64,
    /// The seat that moved to it could not get more than it had.
    pub shallow: u64,
}

/// A move of the parent that is known: its seat and what it has by it.
type ParentValue = Option<(u8, i32)>;

/// The search, whose memory is used again from move to move.
#[derive(Debug)]
pub struct Maxn<G: Evaluated> {
    effort: Effort,
    table: HashTable<MaxnEntry>,
    lists: Vec<Vec<G::Move>>,
    cuts: Cuts,
    seat: u8,
}

impl<G: Evaluated> Default for Maxn<G> {
    fn default() -> Self {
        Self {
            effort: Effort::start(Budget::playouts(0)),
            table: HashTable::new(16),
            lists: Vec::new(),
            cuts: Cuts::default(),
            seat: 0,
        }
    }
}

impl<G: Evaluated> Maxn<G> {
    /// Searches at most `most` turns deep within a budget, whose playouts are nodes; `None` when the game
    /// is over.
    pub fn search(
        &mut self,
        root: &G,
        most: u32,
        budget: Budget,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Option<DepthFirstResult<G::Move>> {
        self.effort = Effort::start(budget);
        self.table.clear();
        self.cuts = Cuts::default();
        self.seat = root.to_move()?;
        deepen(root, self, most, rng)
    }

    /// What the last search did not look at.
    pub const fn cuts(&self) -> Cuts {
        self.cuts
    }

    /// Turns left of `turns` after the one in which `mover` moved to a position.
    fn left(mover: u8, next: &G, turns: u32) -> u32 {
        let seats = G::SEATS as u32;
        let used = next.to_move().map_or(1, |to_move| {
            1 + (u32::from(to_move) + 2 * seats - u32::from(mover) - 1) % seats
        });
        turns.saturating_sub(used)
    }

    /// What a seat cannot exceed within so many turns, the first of them that of `mover`.
    fn ceiling(position: &G, mover: u8, seat: u8, turns: u32) -> i32 {
        let seats = G::SEATS as u32;
        let before = (u32::from(seat) + seats - u32::from(mover)) % seats;
        position.ceiling(seat, turns.saturating_sub(before).div_ceil(seats))
    }

    /// The values of a position and whether they are exact. If the parent's seat cannot get more here than it has
    /// by a move that is known, the values may be any with which it does not.
    fn node(&mut self, position: &G, turns: u32, parent: ParentValue) -> Option<(Values, bool)> {
        let Some(mover) = position.to_move() else {
            return Some((position.evaluate(), true));
        };
        if turns == 0 {
            self.effort.met_horizon = true;
            return Some((position.evaluate(), true));
        }
        if let Some((seat, has)) = parent
            && Self::ceiling(position, mover, seat, turns) <= has
        {
            self.cuts.shallow += 1;
            self.effort.met_horizon |= position.ceiling(seat, u32::MAX) > has;
            return Some((position.evaluate(), false));
        }
        let hash = position.hash();
        if let Some(entry) = self.table.get(hash).filter(|entry| entry.turns == turns) {
            self.effort.met_horizon |= entry.met_horizon;
            return Some((entry.values, true));
        }
        self.effort.grant()?;
        let met_horizon = std::mem::take(&mut self.effort.met_horizon);
        let level = turns as usize;
        if self.lists.len() <= level {
            self.lists.resize_with(level + 1, Vec::new);
        }
        let mut moves = std::mem::take(&mut self.lists[level]);
        position.ordered_moves_of(mover, &mut moves);
        let result = self.best(position, mover, &moves, turns, parent);
        self.lists[level] = moves;
        let (values, is_exact) = result?;
        if is_exact {
            let entry = MaxnEntry {
                values,
                turns,
                met_horizon: self.effort.met_horizon,
            };
            self.table.put(hash, entry);
        }
        self.effort.met_horizon |= met_horizon;
        Some((values, is_exact))
    }

    fn best(
        &mut self,
        position: &G,
        mover: u8,
        moves: &[G::Move],
        turns: u32,
        parent: ParentValue,
    ) -> Option<(Values, bool)> {
        let me = usize::from(mover);
        let floor = position.floor();
        let sum = position.ceiling_of_sum();
        let others = floor[..G::SEATS].iter().sum::<i32>() - floor[me];
        // From this value on the parent's seat cannot get more than it has, or nobody can.
        let shallow = parent
            .filter(|&(seat, _)| seat != mover)
            .map(|(seat, has)| sum - has - (others - floor[usize::from(seat)]));
        let most = (sum - others).min(position.ceiling(mover, u32::MAX));
        let immediate = most.min(Self::ceiling(position, mover, mover, turns));
        let mut best: Option<Values> = None;
        for (i, &mv) in moves.iter().enumerate() {
            let has = best.map(|values| values[me]);
            let values = if turns == 1 {
                self.effort.met_horizon = true;
                position.evaluate_after(mover, mv)
            } else {
                let mut next = position.clone();
                next.play(mv);
                let left = Self::left(mover, &next, turns);
                self.node(&next, left, has.map(|has| (mover, has)))?.0
            };
            if has.is_some_and(|has| values[me] <= has) {
                continue;
            }
            best = Some(values);
            let is_last = i + 1 == moves.len();
            if shallow.is_some_and(|shallow| values[me] >= shallow) {
                self.cuts.shallow += u64::from(!is_last);
                return Some((values, false));
            }
            if values[me] >= immediate {
                self.cuts.immediate += u64::from(!is_last);
                // In more turns another move might give more.
                self.effort.met_horizon |= !is_last && values[me] < most;
                break;
            }
        }
        Some((best.unwrap_or_else(|| position.evaluate()), true))
    }
}

impl<G: Evaluated> DepthFirst<G> for Maxn<G> {
    fn effort(&mut self) -> &mut Effort {
        &mut self.effort
    }

    /// The last turn tells nothing if it is that of a seat that never moves again.
    fn sees_more(&self, root: &G, turns: u32) -> bool {
        let seat = (u32::from(self.seat) + turns - 1) % G::SEATS as u32;
        !root.is_out(seat as u8)
    }

    fn value(&mut self, next: &G, turns: u32, best: Option<i32>) -> Option<i32> {
        let seat = self.seat;
        let left = Self::left(seat, next, turns + 1);
        let (values, _) = self.node(next, left, best.map(|has| (seat, has)))?;
        Some(values[usize::from(seat)])
    }
}
