//! Positions that are evaluated together.

use std::io;

use models::{Encoding, Layout, Network, NetworkError};

/// Most legal moves of a position.
const MOST_MOVES: usize = 2048;

/// Positions that want to be evaluated.
#[derive(Clone, Debug)]
pub struct Batch {
    most: usize,
    slots: usize,
    bytes: usize,
    /// The packed positions.
    pub packed: Vec<u8>,
    /// The logits that are asked for, position after position.
    pub moves: Vec<u16>,
    /// Where the moves of each position end.
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

    /// Positions in it.
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Takes all out.
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

/// What a network says of a [`Batch`].
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// A logit for each of the batch's moves.
    pub logits: Vec<f32>,
    /// Values of the seats of each position, from the one to move on, 0 to 1.
    pub values: Vec<f32>,
}

/// What evaluates batches; several may be under way, each in a slot of its own.
pub trait Oracle {
    /// How many may be under way.
    fn slots(&self) -> usize {
        1
    }

    /// Hands in a batch.
    ///
    /// # Errors
    /// It cannot be evaluated.
    fn submit(&mut self, slot: usize, batch: &Batch) -> Result<(), OracleError>;

    /// Waits for the answers of any batch that was handed in, and gives its slot.
    ///
    /// # Errors
    /// There will be none.
    fn receive(&mut self, answers: &mut Answers) -> Result<usize, OracleError>;
}

/// Why there is no evaluation.
#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    /// The network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The pipe.
    #[error("the pipe: {0}")]
    Pipe(#[from] io::Error),
    /// What the learner answers is not finite.
    #[error(
        "the pipe: the learner's network gives no numbers (NaN or infinite); go on from an earlier state of it"
    )]
    NotNumbers,
    /// The learner has closed the pipe: it wants no more games.
    #[error("the learner has closed the pipe")]
    Closed,
}

/// A network in this process.
pub struct Local {
    network: Network,
    layout: &'static Layout,
    score_share: f32,
    ready: Option<(usize, Answers)>,
}

impl Local {
    /// With the share of the score output in the values.
    pub const fn new(network: Network, layout: &'static Layout, score_share: f64) -> Self {
        Self {
            network,
            layout,
            score_share: score_share as f32,
            ready: None,
        }
    }
}

impl Answers {
    pub(super) fn are_numbers(&self) -> bool {
        let mut all = self.logits.iter().chain(&self.values);
        all.all(|x| x.is_finite())
    }
}

impl Oracle for Local {
    fn submit(&mut self, slot: usize, batch: &Batch) -> Result<(), OracleError> {
        let outputs = self.network.evaluate(&batch.packed, batch.len())?;
        let mut answers = self.ready.take().map_or_else(Answers::default, |old| old.1);
        answers.logits.clear();
        for number in 0..batch.len() {
            let logits = &outputs.policy[number * self.layout.policy..][..self.layout.policy];
            let moves = &batch.moves[batch.moves_of(number)];
            let gathered = moves.iter().map(|&index| logits[usize::from(index)]);
            answers.logits.extend(gathered);
        }
        answers.values.clear();
        answers.values.extend_from_slice(outputs.value);
        if let Some(scores) = outputs.score {
            for (value, score) in answers.values.iter_mut().zip(scores) {
                *value += self.score_share * (score - *value);
            }
        }
        if !answers.are_numbers() {
            let path = self.network.path().to_owned();
            return Err(NetworkError::NotNumbers { path }.into());
        }
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
