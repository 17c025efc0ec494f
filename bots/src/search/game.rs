//! What a search must know of a game, and of the way in which games are played out.

use rand_xoshiro::Xoshiro256PlusPlus;

pub const MOST_SEATS: usize = 4;

/// What a finished game is worth to each seat, in [0, 1] and 1 in sum: 1 for a win, 1/k for a win shared
/// by k seats. 0 beyond the seats of the game.
pub type Rewards = [f64; MOST_SEATS];

#[inline]
pub const fn two_seats(first: f64) -> Rewards {
    [first, 1.0 - first, 0.0, 0.0]
}

/// A game of 2 to [`MOST_SEATS`] seats without hidden information or chance.
pub trait Game: Clone {
    type Move: Copy + PartialEq + std::fmt::Debug;

    const SEATS: usize;

    /// Moves of one seat that [`index`](Self::index) tells apart.
    const MOVES: usize;

    /// The number of a move, below [`MOVES`](Self::MOVES): the same in every position, for tables.
    fn index(mv: Self::Move) -> usize;

    /// The seat to move; `None` when the game is over.
    fn to_move(&self) -> Option<u8>;

    /// Clears `out` and fills it with the legal moves, always in the same order; none when the game is
    /// over.
    fn moves(&self, out: &mut Vec<Self::Move>);

    fn play(&mut self, mv: Self::Move);

    fn rewards(&self) -> Option<Rewards>;

    /// The rewards once the game is over, with this part of them, 0 to 1, shared out by score in place of the win. In
    /// a game without scores they are the rewards.
    fn worth(&self, _score_share: f64) -> Option<Rewards> {
        self.rewards()
    }

    /// Clears `out` and fills it with the moves, in order, that lead from `earlier` to this position.
    /// `false` when they cannot be told; a search then forgets its tree.
    fn moves_since(&self, _earlier: &Self, out: &mut Vec<Self::Move>) -> bool {
        out.clear();
        false
    }
}

/// A position whose end is worth what the values of a network in the same tree would say of it: the share in the win
/// mixed with that by score.
#[derive(Clone, Copy, Debug)]
pub struct Shaped<P> {
    pub position: P,
    /// The part of the score, see [`Game::worth`].
    pub score_share: f64,
}

impl<P: Game> Game for Shaped<P> {
    type Move = P::Move;

    const SEATS: usize = P::SEATS;

    const MOVES: usize = P::MOVES;

    #[inline]
    fn index(mv: P::Move) -> usize {
        P::index(mv)
    }

    #[inline]
    fn to_move(&self) -> Option<u8> {
        self.position.to_move()
    }

    #[inline]
    fn moves(&self, out: &mut Vec<P::Move>) {
        self.position.moves(out);
    }

    #[inline]
    fn play(&mut self, mv: P::Move) {
        self.position.play(mv);
    }

    fn rewards(&self) -> Option<Rewards> {
        self.position.worth(self.score_share)
    }

    fn moves_since(&self, earlier: &Self, out: &mut Vec<P::Move>) -> bool {
        self.position.moves_since(&earlier.position, out)
    }
}

/// A game in which a search may let any seat move.
pub trait OutOfTurn: Game {
    /// Clears `out` and fills it with the moves that the seat would have if it were to move.
    fn moves_of(&self, seat: u8, out: &mut Vec<Self::Move>);

    /// Plays such a move. Whose turn it is then, [`give_turn`](Self::give_turn) says.
    fn play_of(&mut self, seat: u8, mv: Self::Move);

    /// Gives the turn to a seat, or to the next one after it that has a move.
    fn give_turn(&mut self, seat: u8);
}

/// An evaluation: what each seat has, 0 or more.
pub type Values = [i32; MOST_SEATS];

/// A game with an evaluation, for depth-first search.
pub trait Evaluated: OutOfTurn {
    fn evaluate(&self) -> Values;

    /// The evaluation after a move of a seat.
    fn evaluate_after(&self, seat: u8, mv: Self::Move) -> Values {
        let mut next = self.clone();
        next.play_of(seat, mv);
        next.evaluate()
    }

    /// What a move adds to the evaluation of its seat.
    fn gain(&self, seat: u8, mv: Self::Move) -> i32 {
        let at = usize::from(seat);
        self.evaluate_after(seat, mv)[at] - self.evaluate()[at]
    }

    /// What no seat can fall below in any position that follows.
    fn floor(&self) -> Values;

    /// What a seat cannot exceed in any position that follows within so many turns of its own.
    fn ceiling(&self, seat: u8, turns: u32) -> i32;

    /// What the sum over the seats cannot exceed in any position that follows.
    fn ceiling_of_sum(&self) -> i32 {
        let ceilings = (0..Self::SEATS as u8).map(|seat| self.ceiling(seat, u32::MAX));
        ceilings.sum()
    }

    /// Whether it is known that a seat will never move again.
    fn is_out(&self, _seat: u8) -> bool {
        false
    }

    /// The moves of a seat as [`moves_of`](OutOfTurn::moves_of) gives them, the likely best first.
    fn ordered_moves_of(&self, seat: u8, out: &mut Vec<Self::Move>) {
        self.moves_of(seat, out);
    }

    /// A hash of all that the future of the game depends on, the turn included, and of the evaluation.
    fn hash(&self) -> u64;
}

pub trait Playout<G: Game> {
    /// A search begins at `root`: playouts will start from positions that follow it. For what can be
    /// computed once.
    fn begin(&mut self, _root: &G) {}

    /// Plays from `position`, which is not over, to the end; gives the rewards of all seats.
    fn run(&mut self, position: &G, rng: &mut Xoshiro256PlusPlus) -> Rewards;

    /// Seats and moves of the last [`run`](Self::run), in order, if the playout keeps them: a search
    /// with a history learns from them.
    fn line(&self) -> &[(u8, G::Move)] {
        &[]
    }
}

/// The rewards of the rules when the game is over, otherwise those of one playout.
#[inline]
pub fn value<G: Game, P: Playout<G>>(
    position: &G,
    playout: &mut P,
    rng: &mut Xoshiro256PlusPlus,
) -> Rewards {
    match position.rewards() {
        Some(rewards) => rewards,
        None => playout.run(position, rng),
    }
}

#[cfg(test)]
mod tests {
    use games::score_four::Position;

    use super::*;

    #[test]
    fn without_scores_ends_are_worth_the_win() {
        let mut position = Position::START;
        let mut moves = Vec::new();
        while position.to_move().is_some() {
            position.moves(&mut moves);
            Game::play(&mut position, moves[0]);
        }
        let shaped = Shaped {
            position,
            score_share: 0.5,
        };
        assert!(shaped.rewards().is_some());
        assert_eq!(shaped.rewards(), position.rewards());
    }
}
