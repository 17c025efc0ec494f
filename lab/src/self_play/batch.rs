//! Positions that are evaluated together.

use std::io;

pub use bots::search::network::Answers;
use models::{Encoding, Layout, Network, NetworkError};

const MOST_MOVES: usize = 2048;

/// Positions that want to be evaluated.
#[derive(Clone, Debug)]
pub struct Batch {
    most: usize,
    slots: usize,
    bytes: usize,
    pub packed: Vec<u8>,
    /// The logits that are asked for, position after position.
    pub moves: Vec<u16>,
    pub ends: Vec<u32>,
}

impl Batch {
    /// An empty one for at most so many positions.
    pub fn new(layout: &Layout, most: usize) -> Self {
        Self {
            most,
            slots: Self::slots(layout, most),
            bytes: layout.bytes(),
            packed: Vec::new(),
            moves: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Moves that a batch of so many positions has room for.
    pub fn slots(layout: &Layout, most: usize) -> usize {
        (most * layout.moves()).max(MOST_MOVES)
    }

    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn clear(&mut self) {
        self.packed.clear();
        self.moves.clear();
        self.ends.clear();
    }

    /// Adds a position, if there is room for it.
    pub fn add<E: Encoding>(&mut self, position: &E::Position, moves: &[E::Move]) -> bool {
        if self.len() == self.most || self.moves.len() + moves.len() > self.slots {
            return false;
        }
        let at = self.packed.len();
        self.packed.resize(at + self.bytes, 0);
        E::pack(position, &mut self.packed[at..]);
        let logits = moves.iter().map(|&mv| E::logit(position, mv));
        self.moves.extend(logits);
        self.ends.push(self.moves.len() as u32);
        true
    }

    /// The moves of a position, as a range of all moves.
    pub fn moves_of(&self, number: usize) -> std::ops::Range<usize> {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[number] as usize
    }
}

/// What evaluates batches; several may be under way, each in a slot of its own.
pub trait Oracle {
    fn slots(&self) -> usize {
        1
    }

    /// Hands in a batch.
    fn submit(&mut self, slot: usize, batch: &Batch) -> Result<(), OracleError>;

    /// Waits for the answers of any batch that was handed in, and gives its slot.
    fn receive(&mut self, answers: &mut Answers) -> Result<usize, OracleError>;
}

#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error("the pipe: {0}")]
    Pipe(#[from] io::Error),
    #[error(
        "the pipe: the learner's network gives no numbers (NaN or infinite); go on from an earlier state of it"
    )]
    NotNumbers,
    #[error("the learner has closed the pipe")]
    Closed,
}

/// A network in this process.
pub struct Local {
    network: Network,
    score_share: f32,
    ready: Option<(usize, Answers)>,
}

impl Local {
    /// With the share of the score output in the values.
    pub const fn new(network: Network, score_share: f64) -> Self {
        Self {
            network,
            score_share: score_share as f32,
            ready: None,
        }
    }
}

impl Oracle for Local {
    fn submit(&mut self, slot: usize, batch: &Batch) -> Result<(), OracleError> {
        let mut answers = self.ready.take().map_or_else(Answers::default, |old| old.1);
        let wanted = (&batch.moves[..], &batch.ends[..]);
        answers.fill(&mut self.network, &batch.packed, wanted, self.score_share)?;
        self.ready = Some((slot, answers));
        Ok(())
    }

    fn receive(&mut self, answers: &mut Answers) -> Result<usize, OracleError> {
        let Some((slot, ready)) = &mut self.ready else {
            return Err(OracleError::Closed);
        };
        std::mem::swap(answers, ready);
        Ok(*slot)
    }
}
