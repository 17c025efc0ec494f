//! Search algorithms that serve several games.
//!
//! [`monte_carlo`] has flat Monte Carlo, UCB1 and UCT over a [`Game`], with the [`Playout`] as a type
//! parameter; [`mcts`] is the tree search for games of several seats. [`maxn`] and [`alpha_beta`] (Paranoid
//! and BRS) are depth-first. [`puct`] is the tree search that a network guides,
//! and [`network`] what engines need for it. [`bandit`] has the rules for
//! choosing among arms.

pub mod alpha_beta;
pub mod bandit;
mod budget;
mod candidate;
mod depth_first;
mod game;
pub mod maxn;
pub mod mcts;
mod mcts_tree;
pub mod monte_carlo;
pub mod network;
pub mod puct;
mod stop;
mod threads;
mod transposition;
pub(crate) mod tree;

pub use budget::{Budget, StepTime, Stopwatch, Usage};
pub use candidate::{Candidate, add_up, best_rate, estimates, most_tried};
pub use depth_first::DepthFirstResult;
pub use game::{
    Evaluated, Game, MOST_SEATS, OutOfTurn, Playout, Rewards, Shaped, Values, two_seats, value,
};
pub use stop::StopFlag;
pub(crate) use stop::{is_over, is_stopped};
pub use threads::{MOST_THREADS, fan_out, lock, rng_of, split};
pub(crate) use transposition::{Bound, TranspositionTable};
