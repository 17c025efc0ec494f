//! The suite that every game passes.

use taikyoku_games::blokus::Blokus;
use taikyoku_games::conformance::{check, fresh};

#[test]
fn blokus_conforms() {
    check::<Blokus>(200, fresh);
}
