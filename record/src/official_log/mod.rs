//! The files that scripts around the official servers read: those of Geister's in `gat`, the
//! rest here is `UECda`'s: `logs/YYYYMMDDhhmmss.log`,
//! `debug.dat` and `debug2.dat`, made from the events of the record.
//!
//! # What is certain of the format
//! From the source of version 0.29 of the official server: the order and spelling of the header
//! lines (`palyer_name` too), the game lines `mibun`, `seat`, `palyer_cards` (as dealt, before the
//! exchange), `play`, `result` (players by place), the numbers of games from `00000`, two blanks
//! before the first play, `mibun` 22222 in a game without ranks, rows of `debug.dat` (points so
//! far) and `debug2.dat` (places). From logs of later versions: the form of `change_cards` and
//! that there are `points`, `TIME_START`, `TIME_END` and `TOTAL_POINT`. Not known, and chosen
//! here: the order inside `change_cards` (as the cards move), that `points` are those of the one
//! game, and the form of the two times.
//!
//! # Differences on purpose
//! A refused move is written as the pass that it counts as (version 0.29 writes what was sent, as
//! if it had been played). `RANDOM_SEED` is among the last lines, not the first, since whoever
//! reads the seed of a running match knows all hands to come.

mod debug_dat;
mod gat;
#[cfg(test)]
mod tests;
mod uecda;

pub use debug_dat::DebugDat;
pub use gat::{game_log, write_game_log};
pub use uecda::OfficialLog;

fn spaced<T: ToString>(items: &[T]) -> String {
    let words: Vec<String> = items.iter().map(ToString::to_string).collect();
    words.join(" ")
}
