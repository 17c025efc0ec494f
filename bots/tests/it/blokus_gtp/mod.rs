//! The GTP engine of Blokus, run as a program by a controller that knows the rules by itself.

mod commands;
mod controller;
mod documentation;
mod games;
mod properties;
mod rules;
mod zero;
