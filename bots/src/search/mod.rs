//! Search algorithms that serve several games.
//!
//! [`flat`], [`ucb1`] and [`uct`] are Monte Carlo searches over a [`Game`], with the [`Playout`] as a type
//! parameter; [`bandit`] has the rules for choosing among arms.

pub mod bandit;
mod budget;
mod candidate;
pub mod flat;
mod game;
pub mod ucb1;
pub mod uct;

pub use budget::{Budget, Stopwatch};
pub use candidate::{Candidate, best_rate, merge};
pub use game::{
    Evaluated, Game, MOST_SEATS, OutOfTurn, Playout, Rewards, Values, two_seats, value,
};
