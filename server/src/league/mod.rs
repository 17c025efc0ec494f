//! The league: many games between many entrants, and what they say.

pub mod statistics;
