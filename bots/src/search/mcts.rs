//! Monte Carlo tree search for games of several seats, in three forms, with Progressive History.
//!
//! Sources: the tree for several players and UCB1 in it, N. R. Sturtevant, "An analysis of UCT in
//! multi-player games", CG 2008, LNCS 5131, 37-49; Progressive History, J. A. M. Nijssen and M. H. M.
//! Winands, "Enhancements for multi-player Monte-Carlo tree search", CG 2010, LNCS 6515, 238-249; the
//! Paranoid and BRS forms, J. A. M. Nijssen and M. H. M. Winands, "Search policies in multi-player games",
//! ICGA Journal 36 (2013) 3-21.
//!
//! With w the rewards of the seat to move in n playouts of a move, N the playouts of the position, and s
//! rewards in m playouts in which that seat made that move anywhere in the tree or in a playout, the next
//! move is the one with the largest
//!
//! w/n + C sqrt(ln N / n) + s/m * W / (n - w + 1)
//!
//! after each move has been tried once, in random order. The engine plays the move that was tried most.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::mcts_tree::{MctsNode, MctsTree, NOBODY, ROOT};
use super::{Budget, Candidate, Game, OutOfTurn, Playout, Rewards, Stopwatch, value};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MctsPlan {
    pub form: OpponentModel,
    pub exploration: f64,
    /// W of the formula; without Progressive History 0.
    pub history: f64,
    /// Whether a search on time ends as soon as no other move can be tried more often than the leader
    /// within the time, at the speed so far.
    pub early_stop: bool,
    /// Bytes of the tree and of the one that the next search takes over from it, together. A tree that has
    /// no room left does not grow any more; the search goes on in it.
    pub memory: usize,
}

impl MctsPlan {
    /// The constants of the literature: C = 0.2, W = 5; 400 MiB.
    pub const fn new(form: OpponentModel) -> Self {
        Self {
            form,
            exploration: 0.2,
            history: 5.0,
            early_stop: true,
            memory: 400 << 20,
        }
    }
}

/// How deep playouts went into the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Depth {
    pub mean: f64,
    pub most: u32,
}

/// A search whose memory is used again from move to move. After its first searches it allocates only to
/// hold a larger tree, never for a playout.
#[derive(Debug)]
pub struct Mcts<G: Game> {
    plan: MctsPlan,
    root: Option<G>,
    seat: u8,
    position: Option<G>,
    tree: MctsTree<G::Move>,
    spare: MctsTree<G::Move>,
    history: History<G>,
    moves: Vec<G::Move>,
    path: Vec<u32>,
    plies: u64,
    deepest: u32,
    playouts: u64,
}

impl<G: OutOfTurn> Mcts<G> {
    pub fn new(plan: MctsPlan) -> Self {
        Self {
            plan,
            root: None,
            seat: 0,
            position: None,
            tree: MctsTree::new(plan.memory / 2),
            spare: MctsTree::new(plan.memory / 2),
            history: History::new(),
            moves: Vec::new(),
            path: Vec::new(),
            plies: 0,
            deepest: 0,
            playouts: 0,
        }
    }

    pub fn forget(&mut self) {
        self.root = None;
    }

    /// Searches from `root` and gives all its moves with their playouts, those of the tree that was used again
    /// included; none when the game is over.
    pub fn search<P: Playout<G>>(
        &mut self,
        root: &G,
        playout: &mut P,
        budget: Budget,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Vec<Candidate<G::Move>> {
        self.search_on(root, playout, Stopwatch::start(budget), rng)
    }

    /// The same within a budget that is being used up already.
    pub fn search_on<P: Playout<G>>(
        &mut self,
        root: &G,
        playout: &mut P,
        mut watch: Stopwatch,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Vec<Candidate<G::Move>> {
        let seat = root.to_move();
        if !seat.is_some_and(|seat| self.settle(root, seat)) {
            self.forget();
            return Vec::new();
        }
        playout.begin(root);
        if self.tree.moves_of(ROOT) == 1 {
            watch.at_most(1);
        }
        (self.plies, self.deepest) = (0, 0);
        while watch.grant() {
            self.run(root, playout, rng);
            if self.plan.early_stop
                && watch.done().is_multiple_of(64)
                && watch
                    .left_on_time()
                    .is_some_and(|left| self.tree.lead() > left)
            {
                break;
            }
        }
        self.playouts = watch.done();
        self.tree.candidates()
    }

    pub const fn playouts(&self) -> u64 {
        self.playouts
    }

    pub fn depth(&self) -> Depth {
        Depth {
            mean: self.plies as f64 / self.playouts.max(1) as f64,
            most: self.deepest,
        }
    }

    pub fn size(&self) -> usize {
        self.tree.len()
    }

    /// Makes `root` the root of the tree, with what is known of it where that may be used; `false` if it has
    /// no moves.
    fn settle(&mut self, root: &G, seat: u8) -> bool {
        self.history.clear();
        let known = self
            .find(root, seat)
            .filter(|&node| self.tree.moves_of(node) > 0);
        if let Some(node) = known {
            if node != ROOT {
                self.spare.take(&self.tree, node);
                std::mem::swap(&mut self.tree, &mut self.spare);
            }
        } else {
            root.moves(&mut self.moves);
            let Some(&any) = self.moves.first() else {
                return false;
            };
            self.tree.clear(any);
            self.expand(ROOT, root, seat, seat);
        }
        self.seat = seat;
        match &mut self.root {
            Some(known) => known.clone_from(root),
            none => *none = Some(root.clone()),
        }
        true
    }

    /// The position in the tree of the last search, if its values hold for the seat.
    fn find(&mut self, root: &G, seat: u8) -> Option<u32> {
        let last = self.root.as_ref()?;
        if self.plan.form != OpponentModel::Maxn && seat != self.seat {
            return None;
        }
        if !root.moves_since(last, &mut self.moves) {
            return None;
        }
        // One opponent answers in the tree of the BRS form, all of them in the game.
        if self.plan.form == OpponentModel::Brs && !self.moves.is_empty() {
            return None;
        }
        let mut node = ROOT;
        for &mv in &self.moves {
            node = self.tree.child(node, mv)?;
        }
        Some(node)
    }

    /// One playout, from the root through the tree to the end of the game.
    fn run<P: Playout<G>>(&mut self, root: &G, playout: &mut P, rng: &mut Xoshiro256PlusPlus) {
        let mut position = match self.position.take() {
            Some(mut position) => {
                position.clone_from(root);
                position
            }
            None => root.clone(),
        };
        self.path.clear();
        self.path.push(ROOT);
        let mut at = ROOT;
        while let Some(mover) = position.to_move() {
            if !self.tree.is_expanded(at) {
                if self.tree.visits(at) == 0 || self.tree.is_full() {
                    break;
                }
                self.expand(at, &position, mover, self.seat);
            }
            at = match self.tree.try_one(at, rng) {
                Some(fresh) => fresh,
                None => match self.select(at) {
                    Some(known) => known,
                    None => break,
                },
            };
            self.path.push(at);
            let (by, mv) = self.tree.mv(at);
            self.plan.form.play(&mut position, by, mv, self.seat);
        }
        let over = position.rewards();
        let rewards = over.unwrap_or_else(|| value(&position, playout, rng));
        self.book(rewards);
        if over.is_none() && self.plan.history > 0.0 {
            for &(by, mv) in playout.line() {
                let reward = self.plan.form.reward(&rewards, by, self.seat);
                self.history.add(by, mv, reward);
            }
        }
        self.position = Some(position);
    }

    fn expand(&mut self, node: u32, position: &G, mover: u8, seat: u8) {
        let form = self.plan.form;
        self.tree.begin_moves(node);
        form.each_list(position, mover, seat, &mut self.moves, |by, moves| {
            self.tree.add_moves(node, by, moves);
        });
    }

    /// The tried move with the largest value of the formula, the first among equals.
    #[inline]
    fn select(&self, node: u32) -> Option<u32> {
        let log = f64::from(self.tree.visits(node).max(1)).ln();
        let scale = (self.plan.exploration * log.sqrt()) as f32;
        let (mut best, mut best_score) = (None, f32::NEG_INFINITY);
        for (i, child) in self.tree.children(node) {
            let bias = child.bias * self.history.mean(child.seat, child.mv);
            let score = child.mean + scale * child.rate + bias;
            if score > best_score {
                (best, best_score) = (Some(i), score);
            }
        }
        best
    }

    fn book(&mut self, rewards: Rewards) {
        let depth = self.path.len() as u32 - 1;
        self.plies += u64::from(depth);
        self.deepest = self.deepest.max(depth);
        let (form, seat, weight) = (self.plan.form, self.seat, self.plan.history);
        for &i in &self.path {
            let node: &mut MctsNode<G::Move> = self.tree.node(i);
            let reward = match node.seat {
                NOBODY => 0.0,
                by => form.reward(&rewards, by, seat),
            };
            node.add(reward, weight);
            let (by, mv) = (node.seat, node.mv);
            if weight > 0.0 && by != NOBODY {
                self.history.add(by, mv, reward);
            }
        }
    }
}

/// For whom the seats play in the tree. Playouts are those of the game in all forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpponentModel {
    Maxn,
    /// The others all against the seat that searches: they want what is missing of its reward to 1.
    Paranoid,
    /// As Paranoid, and between two moves of that seat only one of the others moves, whichever and
    /// whatever is worst for it.
    Brs,
}

impl OpponentModel {
    /// What a seat gets when `root` searches.
    #[inline]
    fn reward(self, rewards: &Rewards, seat: u8, root: u8) -> f64 {
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
    fn each_list<G: OutOfTurn>(
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

    #[inline]
    fn play<G: OutOfTurn>(self, position: &mut G, seat: u8, mv: G::Move, root: u8) {
        if self.is_merged(seat, root) {
            position.play_of(seat, mv);
            position.give_turn(root);
        } else {
            position.play(mv);
        }
    }
}

/// Rewards after which the mean of a move in the history goes by the last ones.
const MOST_COUNTED: u32 = 1 << 20;

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    mean: f32,
    count: u32,
}

/// What became of a move wherever it was made: a table of moves by seat.
#[derive(Debug)]
struct History<G> {
    cells: Vec<Cell>,
    game: std::marker::PhantomData<fn() -> G>,
}

impl<G: Game> History<G> {
    fn new() -> Self {
        Self {
            cells: vec![Cell::default(); G::SEATS * G::MOVES],
            game: std::marker::PhantomData,
        }
    }

    fn clear(&mut self) {
        self.cells.fill(Cell::default());
    }

    #[inline]
    fn at(seat: u8, mv: G::Move) -> usize {
        usize::from(seat) * G::MOVES + G::index(mv)
    }

    #[inline]
    fn add(&mut self, seat: u8, mv: G::Move, reward: f64) {
        if let Some(cell) = self.cells.get_mut(Self::at(seat, mv)) {
            // In `f32` the mean would drift: of many rewards the small differences are rounded to nothing.
            cell.count = (cell.count + 1).min(MOST_COUNTED);
            cell.mean += (reward as f32 - cell.mean) / cell.count as f32;
        }
    }

    #[inline]
    fn mean(&self, seat: u8, mv: G::Move) -> f32 {
        self.cells.get(Self::at(seat, mv)).map_or(0.0, |c| c.mean)
    }
}

#[cfg(test)]
mod tests {
    use games::score_four::{Peg, Position};

    use super::*;

    /// One of four rewards is 1, the others are 0.
    #[test]
    fn the_mean_of_a_move_stays_after_many_millions() {
        let mut history = History::<Position>::new();
        let mv = Peg::ALL[3];
        // From this count on, a sum in single precision loses some additions of 1.
        history.cells[History::<Position>::at(1, mv)] = Cell {
            count: 1 << 24,
            mean: 0.25,
        };
        for n in 0..1 << 22 {
            history.add(1, mv, f64::from(u8::from(n % 4 == 0)));
        }
        let mean = history.mean(1, mv);
        assert!((mean - 0.25).abs() < 0.005, "{mean}");
    }
}
