//! The board and the engine that commands work on.

use client::MoveRequest;
use games::Blokus;
use games::blokus::{Colour, Placement};

use super::position::Position;
use crate::BuildError;
use crate::blokus::EngineOptions;
use crate::spec::Specified as _;
use crate::supervised::Supervised;

/// The last search: the move, and what it thought of it and of the others.
#[derive(Clone, Debug)]
pub(super) struct Search {
    pub(super) placement: Placement,
    /// Values from 0 to 1 and visits; empty for engines that do not search.
    pub(super) values: Vec<(Placement, f64, u64)>,
}

impl Search {
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
const FREE: MoveRequest<'_, Blokus> = MoveRequest {
    limit: None,
    refused: &[],
};

pub(super) struct State {
    options: EngineOptions,
    seed: u64,
    player: Supervised<Blokus>,
    pub(super) position: Position,
    pub(super) search: Option<Search>,
    pub(super) quit: bool,
}

impl State {
    pub(super) fn new(options: EngineOptions, seed: u64) -> Result<State, BuildError> {
        Ok(State {
            player: Supervised::new(options.build(seed)?),
            options,
            seed,
            position: Position::default(),
            search: None,
            quit: false,
        })
    }

    /// A move for a colour, in or out of turn; `None` if it has none.
    pub(super) fn move_of(&mut self, colour: Colour) -> Option<Placement> {
        let board = self.position.turned_to(colour)?;
        let decision = self.player.choose(&board, &FREE)?;
        self.search = Some(Search {
            placement: decision.mv,
            values: self.player.engine().values(),
        });
        Some(decision.mv)
    }

    /// Another position; what the engine kept of the last game is forgotten.
    pub(super) fn begin(&mut self, position: Position) {
        self.position = position;
        self.search = None;
        self.player.new_game();
    }

    pub(super) const fn options(&self) -> &EngineOptions {
        &self.options
    }

    /// The engine anew, with other options; if it cannot be made, the old one stays.
    pub(super) fn set_options(&mut self, options: EngineOptions) -> Result<(), BuildError> {
        self.player = Supervised::new(options.build(self.seed)?);
        self.options = options;
        Ok(())
    }

    pub(super) fn set_seed(&mut self, seed: u64) -> Result<(), BuildError> {
        self.player = Supervised::new(self.options.build(seed)?);
        self.seed = seed;
        Ok(())
    }
}
