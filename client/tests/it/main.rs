//! What clients keep of a game, against the true one.

mod daihinmin_tracker;
mod geister_tracker;
