//! What an engine of Dobutsu shogi is, and random moves, always or now and then.

use std::time::Duration;

use games::dobutsu::{Dobutsu, Move, MoveList, Position, Rules};
use games::{Game as _, Seat};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use crate::engine::{Engine, OpenPosition, PlayedGame, RandomEngine};
use crate::search::Budget;

/// Plies after which a game of a match inside one process is a draw, for pairs of engines that avoid repetitions
/// for ever.
const PLY_LIMIT: u32 = 1000;

impl OpenPosition for Dobutsu {
    type Move = Move;

    fn beginning() -> Self {
        let rules = Rules {
            ply_limit: PLY_LIMIT,
            ..Rules::default()
        };
        Self::begin(&rules, 0)
    }

    fn seat(&self) -> Option<usize> {
        self.to_move().map(Seat::index)
    }

    fn list_moves(&self, out: &mut Vec<Move>) {
        let mut moves = MoveList::new();
        self.board().legal_moves(&mut moves);
        out.clear();
        out.extend_from_slice(&moves);
    }

    fn try_move(&mut self, mv: Move) -> bool {
        self.play(mv).is_ok()
    }

    /// The random moves end nothing and leave nothing to catch.
    fn random_opening(plies: u32, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        'again: loop {
            let mut game = Self::beginning();
            for _ in 0..plies {
                let mv = game.random_move(&mut rng);
                if !mv.is_some_and(|mv| game.try_move(mv)) {
                    continue 'again;
                }
            }
            if game.to_move().is_some() && !game.board().board().can_catch() {
                return game;
            }
        }
    }
}

impl PlayedGame<Dobutsu, 2> {
    pub fn winner(&self) -> Option<u8> {
        let outcome = self.end.outcome()?;
        (0..2).find(|&seat| outcome.points[Seat::new(seat)] > 0.75)
    }
}

/// An engine of Dobutsu shogi, which tells how its search goes on.
pub trait DobutsuEngine: Engine<Dobutsu> {
    /// A move for the seat to move in a game that is not over, within the limits; `tell` is called with what has
    /// been found so far. The caller checks the move.
    fn think(&mut self, game: &Dobutsu, limits: &Limits, tell: &mut dyn FnMut(&Report<'_>))
    -> Move;

    /// What it may use for a move where nothing else is said.
    fn budget(&self) -> Budget;

    /// A move within the engine's own budget and, where one is given, `limit`, whichever is less.
    fn think_within(&mut self, game: &Dobutsu, limit: Option<Duration>) -> Move {
        let limits = Limits::of(self.budget().within(limit));
        self.think(game, &limits, &mut |_| ())
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

impl DobutsuEngine for RandomEngine {
    fn think(&mut self, game: &Dobutsu, _: &Limits, _: &mut dyn FnMut(&Report<'_>)) -> Move {
        self.choose(game, None)
    }

    fn budget(&self) -> Budget {
        Budget::playouts(1)
    }
}

/// An engine that now and then plays a uniformly random move.
pub(super) struct Blundering {
    engine: Box<dyn DobutsuEngine>,
    share: f64,
    rng: Xoshiro256PlusPlus,
    /// Whether its last move was a random one.
    has_blundered: bool,
}

impl Blundering {
    /// With the share of random moves, in [0, 1].
    pub(super) fn new(engine: Box<dyn DobutsuEngine>, share: f64, seed: u64) -> Self {
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
        game.random_move(&mut self.rng)
    }
}

impl DobutsuEngine for Blundering {
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

    fn budget(&self) -> Budget {
        self.engine.budget()
    }
}

impl Engine<Dobutsu> for Blundering {
    /// As the engine chooses, which may do more than think.
    fn choose(&mut self, game: &Dobutsu, limit: Option<Duration>) -> Move {
        match self.blunder(game) {
            Some(blunder) => blunder,
            None => self.engine.choose(game, limit),
        }
    }

    fn new_game(&mut self) {
        self.engine.new_game();
    }

    fn explain(&self) -> Option<Value> {
        if self.has_blundered {
            return None;
        }
        self.engine.explain()
    }
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
