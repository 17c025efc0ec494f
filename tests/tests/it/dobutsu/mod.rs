//! Dobutsu shogi: the project's own program at a table.

mod bots;
