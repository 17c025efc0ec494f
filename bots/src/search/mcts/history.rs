//! What became of a move wherever it was made.

use super::super::Game;

/// Mean reward and count of a move.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    mean: f32,
    count: u32,
}

/// A table of moves by seat.
#[derive(Debug)]
pub(super) struct History<G> {
    cells: Vec<Cell>,
    game: std::marker::PhantomData<fn() -> G>,
}

impl<G: Game> History<G> {
    pub(super) fn new() -> Self {
        Self {
            cells: vec![Cell::default(); G::SEATS * G::MOVES],
            game: std::marker::PhantomData,
        }
    }

    pub(super) fn clear(&mut self) {
        self.cells.fill(Cell::default());
    }

    #[inline]
    fn at(seat: u8, mv: G::Move) -> usize {
        usize::from(seat) * G::MOVES + G::index(mv)
    }

    /// Books a reward.
    #[inline]
    pub(super) fn add(&mut self, seat: u8, mv: G::Move, reward: f64) {
        if let Some(cell) = self.cells.get_mut(Self::at(seat, mv)) {
            cell.count += 1;
            cell.mean += (reward as f32 - cell.mean) / cell.count as f32;
        }
    }

    /// The mean reward; 0 before the first.
    #[inline]
    pub(super) fn mean(&self, seat: u8, mv: G::Move) -> f32 {
        self.cells.get(Self::at(seat, mv)).map_or(0.0, |c| c.mean)
    }
}
