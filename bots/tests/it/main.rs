//! The tests of searches, engines, clients and programs, in one binary.

mod blokus_best;
mod blokus_client;
mod blokus_engines;
mod blokus_gtp;
mod blokus_zero;
mod connecting;
mod daihinmin_client;
mod daihinmin_engines;
mod dobutsu_engines;
mod dobutsu_solver;
mod dobutsu_usi;
mod dobutsu_zero;
mod geister_client;
mod geister_engines;
mod geister_policy;
mod levels;
mod native_server;
mod score_four_best;
mod score_four_client;
mod score_four_engines;
mod search_trees;
mod stop;
