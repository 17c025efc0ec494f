//! The league: many games between many entrants, and what they say.

pub mod schedule;
pub mod statistics;
