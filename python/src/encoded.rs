//! Observations and numbers of actions: what a game needs to be learned by a program.

use games::{Game, GameName, Seat};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A part of an observation, with its shape. Its numbers stand in C order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tensor {
    /// `x` for planes and `g` for numbers beside them, as in `models/LAYOUTS.md`.
    pub(crate) name: &'static str,
    pub(crate) shape: &'static [usize],
}

impl Tensor {
    pub(crate) fn size(&self) -> usize {
        self.shape.iter().product()
    }
}

/// The numbers that observations and actions of a game consist of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) game: GameName,
    pub(crate) seats: usize,
    /// One after the other in an observation.
    pub(crate) tensors: &'static [Tensor],
    pub(crate) actions: usize,
}

impl Shape {
    pub(crate) const fn of<G: Encoded>() -> Shape {
        Shape {
            game: G::NAME,
            seats: G::SEATS,
            tensors: G::TENSORS,
            actions: G::ACTIONS,
        }
    }

    pub(crate) fn size(&self) -> usize {
        self.tensors.iter().map(Tensor::size).sum()
    }

    /// The shape of an observation as an array: that of its tensor, or flat where there are more.
    pub(crate) fn observation(&self) -> Vec<usize> {
        match self.tensors {
            [one] => one.shape.to_vec(),
            _ => vec![self.size()],
        }
    }
}

pub(crate) trait Encoded: Game {
    const TENSORS: &'static [Tensor];
    /// The actions have the numbers below this one.
    const ACTIONS: usize;
    /// The points of a seat that is first alone.
    const MOST_POINTS: f64;

    /// A game that begins where seats have come to these places in the last one, if that changes anything; `None` if it
    /// does not, or if there are no such places.
    fn begin_after(_rules: &Self::Rules, _places: &[u8], _seed: u64) -> Option<Self> {
        None
    }

    /// The number of a legal move of the seat to move. Moves that are legal in one position have different numbers.
    fn action(&self, mv: Self::Move) -> usize;

    /// Writes what a seat may know, [`Shape::size`] numbers from 0 to 1; also when the game is over.
    fn observe(&self, seat: Seat, out: &mut [f32]);

    /// A game that a seat cannot tell from this one, drawn at random.
    fn determinized(&self, seat: Seat, rng: &mut Xoshiro256PlusPlus) -> Self;

    /// The board or the hands in lines of text, with all secrets.
    fn drawing(&self) -> String;
}
