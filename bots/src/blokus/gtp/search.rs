//! Moves of the engine.

use games::blokus::{Colour, Placement};

use super::session::Session;
use crate::blokus::client::Blokus;
use crate::client::Asked;

/// The last search: the move, and what it thought of it and of the others.
#[derive(Clone, Debug)]
pub(super) struct Search {
    pub(super) placement: Placement,
    /// Values from 0 to 1 and visits; empty for engines that do not search.
    pub(super) values: Vec<(Placement, f64, u64)>,
}

impl Search {
    /// The value of the move for its colour.
    pub(super) fn value(&self) -> Option<f64> {
        self.values
            .iter()
            .find(|(placement, ..)| *placement == self.placement)
            .map(|(_, value, _)| *value)
    }

    /// A line each: the move, its visits, its value; the most visited first. `None` for engines that do not search.
    pub(super) fn lines(&self) -> Option<String> {
        if self.values.is_empty() {
            return None;
        }
        let mut values = self.values.clone();
        values
            .sort_by_key(|(placement, _, visits)| (std::cmp::Reverse(*visits), placement.index()));
        let lines: Vec<String> = values
            .iter()
            .map(|(placement, value, visits)| format!("{placement} {visits} {value:.4}"))
            .collect();
        Some(lines.join("\n"))
    }
}

/// A request with no limit but the engine's own budget.
const FREE: Asked<'_, Blokus> = Asked {
    limit: None,
    refused: &[],
};

/// A move for a colour, in or out of turn; `None` if it has none.
pub(super) fn move_of(session: &mut Session, colour: Colour) -> Option<Placement> {
    let board = session.position.turned_to(colour)?;
    let decision = session.player.choose(&board, &FREE)?;
    session.search = Some(Search {
        placement: decision.mv,
        values: session.player.engine().values(),
    });
    Some(decision.mv)
}
