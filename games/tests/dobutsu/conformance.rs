//! The suite that every game passes.

use taikyoku_games::conformance::{check, fresh};
use taikyoku_games::dobutsu::Rules;
use taikyoku_games::{Dobutsu, Game as _};

#[test]
fn dobutsu_conforms() {
    check::<Dobutsu>(2_000, fresh);
}

#[test]
fn every_option_conforms() {
    check::<Dobutsu>(1_000, |seed| {
        let rules = Rules {
            repetition: (seed % 4) as u8,
            ply_limit: if seed % 4 < 2 { 200 } else { 0 },
            any_try: seed & 4 == 0,
            free_promotion: seed & 8 == 0,
        };
        let start = "sfen 1l1/1c1/1C1/ELG w Ge";
        (rules, Dobutsu::read(&rules, start).unwrap())
    });
}
