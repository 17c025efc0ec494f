//! The end-to-end tests, in one program: each is linked with the server's library, which is large.

mod animal_shogi;
mod bridge;
mod check;
mod dobutsu;
mod doors;
mod examples;
mod fuzz;
mod gat;
mod interrupts;
mod ladder;
mod league;
mod league_tables;
mod native;
mod new_bot;
mod options;
mod printable;
mod replay;
mod simulated;
mod uecda;
mod watch;
mod web;
