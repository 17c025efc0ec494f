//! The GTP engine of Blokus, run as a program by a controller.

mod commands;
mod controller;
mod documentation;
mod games;
mod properties;
mod zero;
