//! What self-play must know of a game.

use bots::blokus::zero::Mixture;
use bots::dobutsu::{AlphaBeta, Line, MATE_BITS};
use bots::search::network::Networked as _;
use bots::search::{Game, MOST_SEATS, Rewards};
use games::blokus::{Placement, Scene, Scoring};
use games::dobutsu::Move;
use games::score_four::{Peg, Position};

use super::SelfPlan;

pub trait SelfPlay: Game {
    /// What helps a network: plays games on to their ends, or finds wins of few plies.
    type Helper: Send;

    const HAS_PLAYOUTS: bool = false;

    /// Whether wins of few plies are found.
    const HAS_MATES: bool = false;

    fn start() -> Self;

    /// The move of a number; `None` where the game has none of that number.
    fn move_of(index: u16) -> Option<Self::Move>;

    /// Scores by seat, where the game has any.
    fn scores(&self) -> [i16; MOST_SEATS] {
        [0; MOST_SEATS]
    }

    /// What helps in the game of a seed.
    fn helper(plan: &SelfPlan, seed: u64) -> Self::Helper;

    /// A network's value of the position with that of playouts in it, where the game has any.
    fn mix(&self, _helper: &mut Self::Helper, value: Rewards) -> Rewards {
        value
    }

    /// A move that wins in about so many plies, where the game has a search for such.
    fn mate(&self, _helper: &mut Self::Helper, _plies: u32) -> Option<Self::Move> {
        None
    }
}

impl SelfPlay for Scene {
    type Helper = Mixture;

    const HAS_PLAYOUTS: bool = true;

    fn start() -> Self {
        Self::new()
    }

    fn move_of(index: u16) -> Option<Placement> {
        Placement::new(index)
    }

    fn scores(&self) -> [i16; MOST_SEATS] {
        self.board().scores(Scoring::Advanced)
    }

    fn helper(plan: &SelfPlan, seed: u64) -> Mixture {
        Mixture::new(plan.leaf_playouts, plan.score_share, seed)
    }

    fn mix(&self, playouts: &mut Mixture, value: Rewards) -> Rewards {
        playouts.mix(self.board(), value)
    }
}

impl SelfPlay for Position {
    type Helper = ();

    fn helper(_: &SelfPlan, _: u64) {}

    fn start() -> Self {
        Self::START
    }

    fn move_of(index: u16) -> Option<Peg> {
        Peg::from_index(usize::from(index))
    }
}

impl SelfPlay for Line {
    type Helper = AlphaBeta;

    const HAS_MATES: bool = true;

    fn helper(_: &SelfPlan, _: u64) -> AlphaBeta {
        AlphaBeta::new(MATE_BITS)
    }

    fn start() -> Self {
        Self::beginning()
    }

    fn move_of(index: u16) -> Option<Move> {
        bots::dobutsu::move_of(index)
    }

    fn mate(&self, search: &mut AlphaBeta, plies: u32) -> Option<Move> {
        Line::mate(self, search, plies)
    }
}
