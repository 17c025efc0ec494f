//! The tests of the laboratory, in one binary.

mod blokus;
mod dobutsu;
mod geister;
mod levels;
mod nn_bench;
mod score_four;
mod self_play;
mod train_geister;
mod tune;
mod workers;
