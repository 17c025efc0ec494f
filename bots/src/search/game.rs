//! What a search must know of a game, and of the way in which games are played out.

use rand_xoshiro::Xoshiro256PlusPlus;

/// A game of two seats, 0 and 1, without hidden information or chance.
pub trait Game: Copy {
    /// A move.
    type Move: Copy + PartialEq;

    /// The seat to move; `None` when the game is over.
    fn to_move(&self) -> Option<u8>;

    /// Clears `out` and fills it with the legal moves, always in the same order.
    fn moves(&self, out: &mut Vec<Self::Move>);

    /// Plays a legal move.
    fn play(&mut self, mv: Self::Move);

    /// The reward of seat 0 in [0, 1] once the game is over: 1 for a win, 1/2 for a draw. That of seat 1
    /// is what is missing to 1.
    fn reward(&self) -> Option<f64>;
}

/// How a game is played out.
pub trait Playout<G: Game> {
    /// A search begins at `root`: playouts will start from positions that follow it. For what can be
    /// computed once.
    fn begin(&mut self, _root: &G) {}

    /// Plays from `position`, which is not over, to the end; gives the reward of seat 0.
    fn run(&mut self, position: &G, rng: &mut Xoshiro256PlusPlus) -> f64;
}

/// The reward of seat 0: that of the rules when the game is over, otherwise that of one playout.
#[inline]
pub fn value<G: Game, P: Playout<G>>(
    position: &G,
    playout: &mut P,
    rng: &mut Xoshiro256PlusPlus,
) -> f64 {
    match position.reward() {
        Some(reward) => reward,
        None => playout.run(position, rng),
    }
}

/// A reward of seat 0 as `seat` sees it.
#[inline]
pub(super) fn for_seat(reward: f64, seat: u8) -> f64 {
    if seat == 0 { reward } else { 1.0 - reward }
}
