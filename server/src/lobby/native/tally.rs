//! The standings of a match for two.

use crate::lobby::Tally;
use crate::record::EndKind;
use crate::referee::gat;
use crate::referee::native::GameResult;

/// The standings that these games come to.
pub(super) fn tally(results: &[GameResult]) -> Tally {
    let mut tally = Tally::default();
    for result in results {
        tally.add(&of_two(result));
    }
    tally
}

/// The result of a game for two as the standings of Geister take it.
fn of_two(result: &GameResult) -> gat::GameResult {
    let list = |list: &[u8]| [0, 1].map(|i| list.get(i).copied().unwrap_or_default());
    let winner = match list(&result.places) {
        [0, 1] => Some(0),
        [1, 0] => Some(1),
        _ => None,
    };
    gat::GameResult {
        player_at: list(&result.player_at),
        winner,
        kinds: [0, 1].map(|i| result.kinds.get(i).copied().unwrap_or(EndKind::Normal)),
        rule: result.rule,
        plies: result.plies as u16,
    }
}
