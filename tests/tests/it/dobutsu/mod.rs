//! Dobutsu shogi: the project's own program at a table, and as a USI engine.

mod bots;
mod usi;
