//! Alpha-beta for one seat against all others, with a transposition table and killer moves: Paranoid and BRS, by
//! whose turns the opponents have.
//!
//! Source: D. E. Knuth and R. W. Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6 (1975)
//! 293-326; killer moves, S. G. Akl and M. M. Newborn, "The principal continuation and the killer
//! heuristic", ACM 1977, 466-473. The table is sound here: it is emptied for each search, so that all its
//! values are those of the same seat, and a value counts at its own depth only.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::depth_first::{DepthFirst, DepthFirstResult, Effort, HashTable, deepen};
use super::{Bound, Budget, Evaluated};

#[derive(Clone, Copy, Debug)]
struct AlphaBetaEntry<M> {
    value: i32,
    plies: u32,
    bound: Bound,
    met_horizon: bool,
    best: (u8, M),
}

#[derive(Debug)]
struct PlyMoves<M> {
    moves: Vec<(u8, M)>,
    killers: [Option<(u8, M)>; 2],
}

/// The search, which reuses its memory from move to move. With `MERGED` all opponents' moves stand at the turn of any of them,
/// and the seat that searches moves next; without it the opponents move one after the other, as the rules have it.
#[derive(Debug)]
pub struct CoalitionSearch<G: Evaluated, const MERGED: bool> {
    effort: Effort,
    table: HashTable<AlphaBetaEntry<G::Move>>,
    levels: Vec<PlyMoves<G::Move>>,
    list: Vec<G::Move>,
    seat: u8,
}

impl<G: Evaluated, const MERGED: bool> Default for CoalitionSearch<G, MERGED> {
    fn default() -> Self {
        Self {
            effort: Effort::start(Budget::playouts(0)),
            table: HashTable::new(17),
            levels: Vec::new(),
            list: Vec::new(),
            seat: 0,
        }
    }
}

impl<G: Evaluated, const MERGED: bool> CoalitionSearch<G, MERGED> {
    /// Searches at most `most` plies deep within a budget, whose playouts are nodes; `None` when the game
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
        for level in &mut self.levels {
            level.killers = [None; 2];
        }
        self.seat = root.to_move()?;
        deepen(root, self, most, rng)
    }

    /// Fills `moves` with the moves of a position, the likely best first.
    fn moves(&mut self, position: &G, mover: u8, moves: &mut Vec<(u8, G::Move)>) {
        moves.clear();
        if !MERGED || mover == self.seat {
            position.ordered_moves_of(mover, &mut self.list);
            moves.extend(self.list.iter().map(|&mv| (mover, mv)));
            return;
        }
        for seat in (0..G::SEATS as u8).filter(|&seat| seat != self.seat) {
            position.ordered_moves_of(seat, &mut self.list);
            moves.extend(self.list.iter().map(|&mv| (seat, mv)));
        }
        moves.sort_by_key(|&(seat, mv)| -position.gain(seat, mv));
    }

    /// The evaluation of the seat that searches, fail-soft: at most the true value if not above `alpha`, at
    /// least if not below `beta`.
    fn node(&mut self, position: &G, plies: u32, mut alpha: i32, mut beta: i32) -> Option<i32> {
        let me = usize::from(self.seat);
        let Some(mover) = position.to_move() else {
            return Some(position.evaluate()[me]);
        };
        if plies == 0 {
            self.effort.met_horizon = true;
            return Some(position.evaluate()[me]);
        }
        let hash = position.hash();
        let known = self.table.get(hash).copied();
        if let Some(entry) = known.filter(|entry| entry.plies == plies) {
            let is_enough = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => entry.value >= beta,
                Bound::Upper => entry.value <= alpha,
            };
            if is_enough {
                self.effort.met_horizon |= entry.met_horizon;
                return Some(entry.value);
            }
        }
        self.effort.grant()?;
        let met_horizon = std::mem::take(&mut self.effort.met_horizon);
        let at = plies as usize;
        if self.levels.len() <= at {
            self.levels.resize_with(at + 1, || PlyMoves {
                moves: Vec::new(),
                killers: [None; 2],
            });
        }
        let mut moves = std::mem::take(&mut self.levels[at].moves);
        self.moves(position, mover, &mut moves);
        let [newer, older] = self.levels[at].killers;
        for first in [older, newer, known.map(|entry| entry.best)] {
            let place = first.and_then(|first| moves.iter().position(|&mv| mv == first));
            if let Some(place) = place {
                moves[..=place].rotate_right(1);
            }
        }
        let is_max = mover == self.seat;
        let (low, high) = (alpha, beta);
        let mut best: Option<(i32, (u8, G::Move))> = None;
        for &(seat, mv) in &moves {
            let value = if plies == 1 {
                self.effort.met_horizon = true;
                position.evaluate_after(seat, mv)[me]
            } else {
                let mut next = position.clone();
                if MERGED && !is_max {
                    next.play_of(seat, mv);
                    next.give_turn(self.seat);
                } else {
                    next.play(mv);
                }
                let Some(value) = self.node(&next, plies - 1, alpha, beta) else {
                    self.levels[at].moves = moves;
                    return None;
                };
                value
            };
            if best.is_none_or(|(has, _)| if is_max { value > has } else { value < has }) {
                best = Some((value, (seat, mv)));
            }
            if is_max {
                alpha = alpha.max(value);
            } else {
                beta = beta.min(value);
            }
            if alpha >= beta {
                let killers = &mut self.levels[at].killers;
                if killers[0] != Some((seat, mv)) {
                    *killers = [Some((seat, mv)), killers[0]];
                }
                break;
            }
        }
        self.levels[at].moves = moves;
        let is_horizon = self.effort.met_horizon;
        self.effort.met_horizon |= met_horizon;
        let Some((value, mv)) = best else {
            return Some(position.evaluate()[me]);
        };
        let bound = if value >= high {
            Bound::Lower
        } else if value <= low {
            Bound::Upper
        } else {
            Bound::Exact
        };
        let entry = AlphaBetaEntry {
            value,
            plies,
            bound,
            met_horizon: is_horizon,
            best: mv,
        };
        self.table.put(hash, entry);
        Some(value)
    }
}

impl<G: Evaluated, const MERGED: bool> DepthFirst<G> for CoalitionSearch<G, MERGED> {
    fn effort(&mut self) -> &mut Effort {
        &mut self.effort
    }

    fn value(&mut self, next: &G, plies: u32, best: Option<i32>) -> Option<i32> {
        self.node(next, plies, best.unwrap_or(i32::MIN), i32::MAX)
    }
}

/// Paranoid: all others play against the seat that searches, which makes it a game of two sides.
///
/// Source: N. R. Sturtevant and R. E. Korf, "On pruning techniques for multi-player games", AAAI 2000,
/// 201-207. Its value is the evaluation of the seat that searches, which the others minimise.
pub type Paranoid<G> = CoalitionSearch<G, false>;

/// Best-reply search: between two moves of the seat that searches only one opponent moves, the one whose move
/// is worst for it; the others are passed over.
///
/// Source: M. P. D. Schadd and M. H. M. Winands, "Best reply search for multiplayer games", IEEE Transactions
/// on Computational Intelligence and AI in Games 3 (2011) 57-66. Its value is the evaluation of the seat that
/// searches. Where that seat is out of the game, any of the others moves at each ply.
pub type Brs<G> = CoalitionSearch<G, true>;
