//! The suite that every game passes.

use taikyoku_games::ScoreFour;
use taikyoku_games::conformance::{check, fresh};

#[test]
fn score_four_conforms() {
    check::<ScoreFour>(2_000, fresh);
}
