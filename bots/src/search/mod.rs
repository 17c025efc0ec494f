//! Search algorithms that serve several games.
//!
//! [`flat`], [`ucb1`] and [`uct`] are Monte Carlo searches over a [`Game`], with the [`Playout`] as a type
//! parameter; [`mcts`] is the tree search for games of several seats. [`maxn`], [`paranoid`] and [`brs`] are
//! depth-first, the last two by [`alpha_beta`]. [`puct`] is the tree search that a network guides.
//! [`bandit`] has the rules for choosing among arms.

pub mod alpha_beta;
pub mod bandit;
pub mod brs;
mod budget;
mod candidate;
mod depth_first;
pub mod flat;
mod game;
pub mod maxn;
pub mod mcts;
mod pace;
pub mod paranoid;
pub mod puct;
mod table;
mod threads;
pub mod ucb1;
pub mod uct;

pub use budget::{Budget, Stopwatch};
pub use candidate::{Candidate, add_up, best_rate, most_tried};
pub use depth_first::Found;
pub use game::{
    Evaluated, Game, MOST_SEATS, OutOfTurn, Playout, Rewards, Values, two_seats, value,
};
pub use pace::Pace;
pub use threads::{fan_out, rng_of, split};
