//! What the depth-first searches share: iterative deepening within a budget, and a transposition table.

use rand::seq::SliceRandom as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Budget, Evaluated, Stopwatch};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthFirstResult<M> {
    pub mv: M,
    /// Its value: the evaluation of the seat to move at the root, as far as the search saw.
    pub value: i32,
    /// Plies of the last complete iteration; turns, passed over or not, in MAXN.
    pub depth: u32,
    /// Positions whose moves were looked at.
    pub nodes: u64,
    /// Whether no line went on beyond the depth: the value is exact.
    pub is_exact: bool,
}

/// What is used up and what was met during a search.
#[derive(Debug)]
pub(super) struct Effort {
    /// Its playouts are nodes.
    watch: Stopwatch,
    /// Whether some line went on beyond the depth.
    pub(super) met_horizon: bool,
}

impl Effort {
    pub(super) fn start(budget: Budget) -> Self {
        Self {
            watch: Stopwatch::start(budget),
            met_horizon: false,
        }
    }

    /// Books a node; `None` when there is no budget for it.
    #[inline]
    pub(super) fn grant(&mut self) -> Option<()> {
        self.watch.grant().then_some(())
    }
}

/// A depth-first search that knows how to give a move at the root its value.
pub(super) trait DepthFirst<G: Evaluated> {
    fn effort(&mut self) -> &mut Effort;

    /// Whether an iteration of so many plies may find more than one of a ply less.
    fn sees_more(&self, _root: &G, _plies: u32) -> bool {
        true
    }

    /// The value for the seat to move at the root of the position after one of its moves, searched `plies`
    /// deep; only whether it exceeds `best` matters if it does not. `None` when the budget is used up.
    fn value(&mut self, next: &G, plies: u32, best: Option<i32>) -> Option<i32>;
}

/// Deepens from one ply on until the budget is used up, no line goes on beyond the depth, or `most` plies are
/// done; where there is one move only, that is one ply. Moves at the root with equal values have equal chances as far as
/// [`Evaluated::ordered_moves_of`] puts them next to each other with equal evaluations. `None` when the
/// game is over.
pub(super) fn deepen<G: Evaluated>(
    root: &G,
    search: &mut impl DepthFirst<G>,
    most: u32,
    rng: &mut Xoshiro256PlusPlus,
) -> Option<DepthFirstResult<G::Move>> {
    let seat = root.to_move()?;
    let mut moves = Vec::new();
    root.ordered_moves_of(seat, &mut moves);
    let gain = |mv: &G::Move| root.gain(seat, *mv);
    for equal in moves.chunk_by_mut(|a, b| gain(a) == gain(b)) {
        equal.shuffle(rng);
    }
    let mut found = DepthFirstResult {
        mv: *moves.first()?,
        value: root.evaluate()[usize::from(seat)] + gain(moves.first()?),
        depth: 0,
        nodes: 0,
        is_exact: false,
    };
    let mut plies = 0;
    while plies < most && !found.is_exact && (plies == 0 || moves.len() > 1) {
        plies += 1;
        if !search.sees_more(root, plies) {
            continue;
        }
        search.effort().met_horizon = false;
        let mut best: Option<(usize, i32)> = None;
        let mut complete = true;
        for (i, &mv) in moves.iter().enumerate() {
            let mut next = root.clone();
            next.play(mv);
            let Some(value) = search.value(&next, plies - 1, best.map(|b| b.1)) else {
                complete = false;
                break;
            };
            if best.is_none_or(|b| value > b.1) {
                best = Some((i, value));
            }
        }
        if let Some((i, value)) = best {
            // The best move of the last iteration was the first of this one.
            moves[..=i].rotate_right(1);
            (found.mv, found.value) = (moves[0], value);
        }
        if !complete {
            break;
        }
        found.depth = plies;
        found.is_exact = !search.effort().met_horizon;
    }
    found.nodes = search.effort().watch.done();
    Some(found)
}

/// What is known of positions, by hash. Each place keeps the newest entry: the table forgets, and it trusts
/// that two positions have different hashes.
#[derive(Debug)]
pub(super) struct HashTable<T> {
    slots: Vec<Option<(u64, T)>>,
    salt: u64,
}

impl<T: Copy> HashTable<T> {
    /// With 2^`bits` places.
    pub(super) fn new(bits: u32) -> Self {
        Self {
            slots: vec![None; 1 << bits],
            salt: 0,
        }
    }

    pub(super) const fn clear(&mut self) {
        // Entries of other salts are never found again.
        self.salt = self.salt.wrapping_add(0x9e37_79b9_7f4a_7c15);
    }

    #[inline]
    const fn place(&self, key: u64) -> usize {
        key as usize & (self.slots.len() - 1)
    }

    /// What was stored last under a hash, if it is still there.
    #[inline]
    pub(super) fn get(&self, hash: u64) -> Option<&T> {
        let key = hash ^ self.salt;
        match &self.slots[self.place(key)] {
            Some((stored, entry)) if *stored == key => Some(entry),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn put(&mut self, hash: u64, entry: T) {
        let key = hash ^ self.salt;
        let place = self.place(key);
        self.slots[place] = Some((key, entry));
    }
}
