//! What an engine is, a search behind a name; random moves, always or now and then.

use std::time::Duration;

use games::dobutsu::{Dobutsu, Move, MoveList, Position};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use crate::random::RandomEngine;
use crate::search::Budget;

pub trait Engine: Send {
    /// A move for the seat to move in a game that is not over, within the limits; `tell` is called with what has
    /// been found so far. The caller checks the move.
    fn think(&mut self, game: &Dobutsu, limits: &Limits, tell: &mut dyn FnMut(&Report<'_>))
    -> Move;

    /// What it may use for a move where nothing else is said.
    fn budget(&self) -> Budget;

    /// A move within the engine's own budget and, where one is given, `limit`, whichever is less; it may overrun by a
    /// few milliseconds.
    fn choose(&mut self, game: &Dobutsu, limit: Option<Duration>) -> Move {
        let limits = Limits::of(self.budget().within(limit));
        self.think(game, &limits, &mut |_| ())
    }

    fn forget(&mut self) {}

    /// The reasons for the last choice, for the `--json` log.
    fn explain(&self) -> Option<Value> {
        None
    }
}

/// How long a search may go on: whatever ends first. A [`StopFlag`](crate::search::StopFlag) ends it, too.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    pub nodes: Option<u64>,
    pub depth: Option<u32>,
    pub time: Option<Duration>,
}

impl Limits {
    /// Those of a budget; its playouts are nodes.
    pub fn of(budget: Budget) -> Self {
        Self {
            nodes: Some(budget.playouts).filter(|&nodes| nodes < u64::MAX),
            time: budget.time,
            ..Self::default()
        }
    }

    pub(super) fn of_depth(plies: u32) -> Self {
        Self {
            depth: Some(plies),
            ..Self::default()
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// Plies searched; 0 for an engine that does not search.
    pub depth: u32,
    pub score: Score,
    pub nodes: u64,
    pub line: &'a [Move],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Hundredths of a chick.
    Chicks(i32),
    Win(u32),
    Loss(u32),
    /// Neither seat can force a win.
    Draw,
}

impl Score {
    pub(super) fn log(self) -> Value {
        match self {
            Self::Chicks(score) => json!({ "score": score }),
            Self::Win(plies) => json!({ "win": plies }),
            Self::Loss(plies) => json!({ "loss": plies }),
            Self::Draw => json!({ "score": 0 }),
        }
    }
}

impl Engine for RandomEngine {
    fn think(&mut self, game: &Dobutsu, _: &Limits, _: &mut dyn FnMut(&Report<'_>)) -> Move {
        random_move(game.board(), &mut self.rng).expect("the game is not over")
    }

    fn budget(&self) -> Budget {
        Budget::playouts(1)
    }
}

/// An engine that now and then plays a uniformly random move.
pub(super) struct Blundering {
    engine: Box<dyn Engine>,
    share: f64,
    rng: Xoshiro256PlusPlus,
    /// Whether its last move was a random one.
    has_blundered: bool,
}

impl Blundering {
    /// With the share of random moves, in [0, 1].
    pub(super) fn new(engine: Box<dyn Engine>, share: f64, seed: u64) -> Self {
        Self {
            engine,
            share: share.clamp(0.0, 1.0),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            has_blundered: false,
        }
    }

    /// A random move, if this is the time for one.
    fn blunder(&mut self, game: &Dobutsu) -> Option<Move> {
        self.has_blundered = self.rng.random_bool(self.share);
        if !self.has_blundered {
            return None;
        }
        random_move(game.board(), &mut self.rng)
    }
}

impl Engine for Blundering {
    fn think(
        &mut self,
        game: &Dobutsu,
        limits: &Limits,
        tell: &mut dyn FnMut(&Report<'_>),
    ) -> Move {
        match self.blunder(game) {
            Some(blunder) => blunder,
            None => self.engine.think(game, limits, tell),
        }
    }

    /// As the engine chooses, which may do more than think.
    fn choose(&mut self, game: &Dobutsu, limit: Option<Duration>) -> Move {
        match self.blunder(game) {
            Some(blunder) => blunder,
            None => self.engine.choose(game, limit),
        }
    }

    fn budget(&self) -> Budget {
        self.engine.budget()
    }

    fn forget(&mut self) {
        self.engine.forget();
    }

    fn explain(&self) -> Option<Value> {
        if self.has_blundered {
            return None;
        }
        self.engine.explain()
    }
}

/// A legal move, each with the same chance; `None` when the game is over.
pub(super) fn random_move(position: &Position, rng: &mut Xoshiro256PlusPlus) -> Option<Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let n = rng.random_range(0..moves.len().max(1));
    moves.get(n).copied()
}

/// How often each position of a game counts, so that a search can see repetitions coming.
pub(super) fn occurrences(game: &Dobutsu, position: &Position) -> usize {
    let past = game.past().iter().filter(|&past| past == position).count();
    past + usize::from(game.board() == position)
}

/// Whether a move leads to a position that is a draw by repetition.
pub(super) fn is_draw_after(game: &Dobutsu, mv: Move) -> bool {
    let repetition = usize::from(game.rules().repetition);
    let mut next = *game.board();
    next.play_unchecked(mv);
    repetition > 0 && next.end().is_none() && occurrences(game, &next) + 1 >= repetition
}
