//! Search algorithms that serve several games.

pub mod bandit;
