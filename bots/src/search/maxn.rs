//! MAXN: every seat maximises its own evaluation.
//!
//! Sources: C. A. Luckhardt and K. B. Irani, "An algorithmic solution of N-person games", AAAI 1986,
//! 158-162; immediate and shallow pruning by the bound on the sum, R. E. Korf, "Multi-player alpha-beta
//! pruning", Artificial Intelligence 48 (1991) 99-111, and N. R. Sturtevant and R. E. Korf, "On pruning
//! techniques for multi-player games", AAAI 2000, 201-207. Deep pruning is not sound in MAXN.
//!
//! Among equal moves of a position the first in the order of the game counts. That order never depends on the
//! search, so that neither pruning nor the table, which keeps what was not cut at the same depth only,
//! changes a value.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::depth_first::{DepthFirst, Effort, Found, deepen};
use super::table::Table;
use super::{Budget, Evaluated, Values};

/// A value in the table.
#[derive(Clone, Copy, Debug)]
struct Entry {
    values: Values,
    plies: u32,
    met_horizon: bool,
}

/// The search, whose memory is used again from move to move.
#[derive(Debug)]
pub struct Maxn<G: Evaluated> {
    effort: Effort,
    table: Table<Entry>,
    lists: Vec<Vec<G::Move>>,
    floor: Values,
    ceiling: i32,
    seat: u8,
}

impl<G: Evaluated> Default for Maxn<G> {
    fn default() -> Self {
        Self {
            effort: Effort::start(Budget::playouts(0)),
            table: Table::new(16),
            lists: Vec::new(),
            floor: Values::default(),
            ceiling: 0,
            seat: 0,
        }
    }
}

impl<G: Evaluated> Maxn<G> {
    /// Searches at most `most` plies deep within a budget, whose playouts are nodes; `None` when the game
    /// is over.
    pub fn search(
        &mut self,
        root: &G,
        most: u32,
        budget: Budget,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Option<Found<G::Move>> {
        self.effort = Effort::start(budget);
        self.table.clear();
        self.seat = root.to_move()?;
        deepen(root, self, most, rng)
    }

    /// What the others have at least, except two seats.
    fn rest(&self, a: usize, b: usize) -> i32 {
        let others = (0..G::SEATS).filter(|&seat| seat != a && seat != b);
        others.map(|seat| self.floor[seat]).sum()
    }

    /// The values of a position and whether they are exact. `parent` is the seat that moved to it and the
    /// value that it has already: if it cannot get more here, the values may be any with which it does not.
    fn node(
        &mut self,
        position: &G,
        plies: u32,
        parent: Option<(usize, i32)>,
    ) -> Option<(Values, bool)> {
        let Some(mover) = position.to_move() else {
            return Some((position.evaluate(), true));
        };
        if plies == 0 {
            self.effort.met_horizon = true;
            return Some((position.evaluate(), true));
        }
        let hash = position.hash();
        if let Some(entry) = self.table.get(hash).filter(|entry| entry.plies == plies) {
            self.effort.met_horizon |= entry.met_horizon;
            return Some((entry.values, true));
        }
        self.effort.grant()?;
        let met_horizon = std::mem::take(&mut self.effort.met_horizon);
        let level = plies as usize;
        if self.lists.len() <= level {
            self.lists.resize_with(level + 1, Vec::new);
        }
        let mut moves = std::mem::take(&mut self.lists[level]);
        position.ordered_moves_of(mover, &mut moves);
        let result = self.best(position, mover, &moves, plies, parent);
        self.lists[level] = moves;
        let (values, is_exact) = result?;
        if is_exact {
            let entry = Entry {
                values,
                plies,
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
        plies: u32,
        parent: Option<(usize, i32)>,
    ) -> Option<(Values, bool)> {
        let me = usize::from(mover);
        // From this value on the parent's seat cannot get more than it has, or nobody can.
        let shallow = match parent {
            Some((seat, has)) if seat != me => self.ceiling - has - self.rest(me, seat),
            _ => i32::MAX,
        };
        let immediate = self.ceiling - self.rest(me, me);
        let mut best: Option<Values> = None;
        for &mv in moves {
            let has = best.map(|values| values[me]);
            let values = if plies == 1 {
                self.effort.met_horizon = true;
                position.evaluate_after(mover, mv)
            } else {
                let mut next = position.clone();
                next.play(mv);
                self.node(&next, plies - 1, has.map(|has| (me, has)))?.0
            };
            if has.is_none_or(|has| values[me] > has) {
                best = Some(values);
                if values[me] >= shallow {
                    return Some((values, false));
                }
                if values[me] >= immediate {
                    break;
                }
            }
        }
        Some((best.unwrap_or_else(|| position.evaluate()), true))
    }
}

impl<G: Evaluated> DepthFirst<G> for Maxn<G> {
    fn effort(&mut self) -> &mut Effort {
        &mut self.effort
    }

    fn begin_iteration(&mut self, root: &G, plies: u32) {
        self.floor = root.floor();
        self.ceiling = root.ceiling(plies);
    }

    fn value(&mut self, next: &G, plies: u32, best: Option<i32>) -> Option<i32> {
        let seat = usize::from(self.seat);
        let (values, _) = self.node(next, plies, best.map(|has| (seat, has)))?;
        Some(values[seat])
    }
}
