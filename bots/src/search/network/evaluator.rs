//! What evaluates positions, several at a time: a network.

use std::sync::Arc;

use models::{Network, NetworkError};

use super::{GameLayout, Model, Networked};
use crate::search::{Game, MOST_SEATS, Rewards};

/// A network, or what stands for one in tests. Positions are put into a batch, evaluated together, and their answers
/// fetched.
pub trait LeafEvaluator: Send {
    type Position: Networked;

    fn clear(&mut self);

    /// Puts a position into the batch, with all moves of the seat to move.
    fn add(&mut self, position: &Self::Position, moves: &[<Self::Position as Game>::Move]);

    /// Evaluates the batch.
    fn evaluate(&mut self) -> Result<(), NetworkError>;

    /// The answer for a position of the batch, counted from 0: clears `logits` and fills it with one for each of its
    /// moves, in their order; gives the value of each seat, by seat number, 0 to 1.
    fn answer(&mut self, number: usize, logits: &mut Vec<f32>) -> Rewards;
}

#[derive(Clone, Debug, Default)]
pub struct Answers {
    pub logits: Vec<f32>,
    /// Values of the seats of each position, from the one to move on, 0 to 1.
    pub values: Vec<f32>,
}

impl Answers {
    /// Has packed positions evaluated. `moves` are the logits that are wanted, position after position, `ends` where those of each
    /// end; this share of a value, 0 to 1, is the share by score, where the network tells it.
    ///
    /// # Errors
    /// The network cannot be run, or says something that is not finite: a search that took it would go astray without a word.
    pub fn fill(
        &mut self,
        network: &mut Network,
        packed: &[u8],
        (moves, ends): (&[u16], &[u32]),
        score_share: f32,
    ) -> Result<(), NetworkError> {
        let size = network.layout().policy;
        let outputs = network.evaluate(packed, ends.len())?;
        self.logits.clear();
        let mut begin = 0;
        for (policy, &end) in outputs.policy.chunks_exact(size).zip(ends) {
            let wanted = &moves[begin..end as usize];
            let gathered = wanted.iter().map(|&logit| policy[usize::from(logit)]);
            self.logits.extend(gathered);
            begin = end as usize;
        }
        self.values.clear();
        self.values.extend_from_slice(outputs.value);
        if let Some(scores) = outputs.score {
            for (value, score) in self.values.iter_mut().zip(scores) {
                *value += score_share * (score - *value);
            }
        }
        if self.are_numbers() {
            Ok(())
        } else {
            let path = network.path().to_owned();
            Err(NetworkError::NotNumbers { path })
        }
    }

    pub fn are_numbers(&self) -> bool {
        let mut all = self.logits.iter().chain(&self.values);
        all.all(|x| x.is_finite())
    }
}

/// Evaluates positions with a network, on one thread.
#[derive(Debug)]
pub struct NetworkEvaluator<G: Networked> {
    model: Arc<Model<G>>,
    form: &'static GameLayout<G>,
    share: f32,
    packed: Vec<u8>,
    /// The logits of the moves of all positions, and where those of each end.
    moves: Vec<u16>,
    ends: Vec<u32>,
    /// The seat to move in each position, and those that cannot win any more.
    seats: Vec<(usize, [bool; MOST_SEATS])>,
    answers: Answers,
}

impl<G: Networked> NetworkEvaluator<G> {
    /// With how much of a value is the share by score, 0 to 1; nothing where the network does not tell it.
    pub fn new(model: Arc<Model<G>>, score_share: f64) -> Self {
        Self {
            form: model.form(),
            share: score_share as f32,
            packed: Vec::new(),
            moves: Vec::new(),
            ends: Vec::new(),
            seats: Vec::new(),
            answers: Answers::default(),
            model,
        }
    }
}

impl<G: Networked> LeafEvaluator for NetworkEvaluator<G> {
    type Position = G;

    fn clear(&mut self) {
        self.packed.clear();
        self.moves.clear();
        self.ends.clear();
        self.seats.clear();
    }

    fn add(&mut self, position: &G, moves: &[G::Move]) {
        let at = self.packed.len();
        self.packed.resize(at + self.form.layout.bytes(), 0);
        (self.form.pack)(position, &mut self.packed[at..]);
        let logits = moves.iter().map(|&mv| (self.form.logit)(position, mv));
        self.moves.extend(logits);
        self.ends.push(self.moves.len() as u32);
        let mover = position.to_move().map_or(0, usize::from);
        self.seats.push((mover, position.barred()));
    }

    fn evaluate(&mut self) -> Result<(), NetworkError> {
        let Self {
            model,
            share,
            packed,
            moves,
            ends,
            answers,
            ..
        } = self;
        model.lend(|network| answers.fill(network, packed, (moves, ends), *share))
    }

    fn answer(&mut self, number: usize, logits: &mut Vec<f32>) -> Rewards {
        let begin = number.checked_sub(1).map_or(0, |last| self.ends[last]);
        let Answers {
            logits: all,
            values,
        } = &self.answers;
        logits.clear();
        logits.extend_from_slice(&all[begin as usize..self.ends[number] as usize]);
        let (mover, barred) = self.seats[number];
        absolute(&values[number * G::SEATS..][..G::SEATS], mover, barred)
    }
}

/// Values by seat number, from those in turn order. A seat that is barred cannot win, which networks do not know: the
/// others share what they give it.
fn absolute(relative: &[f32], mover: usize, barred: [bool; MOST_SEATS]) -> Rewards {
    let mut values = [0.0; MOST_SEATS];
    for (seat, &value) in relative.iter().enumerate() {
        let seat = (mover + seat) % relative.len();
        if !barred[seat] {
            values[seat] = f64::from(value);
        }
    }
    if barred.contains(&true) {
        let sum: f64 = values.iter().sum();
        values = values.map(|value| value / sum.max(1e-9));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::network::ModelOptions;

    use games::blokus::Scene;
    use models::NnEngine;

    fn close(values: Rewards, due: Rewards) -> bool {
        let mut pairs = values.into_iter().zip(due);
        pairs.all(|(value, due)| (value - due).abs() < 1e-6)
    }

    #[test]
    fn values_go_to_the_seats_that_have_them() {
        let values = absolute(&[0.5, 0.2, 0.1, 0.2], 3, [false; MOST_SEATS]);
        assert!(close(values, [0.2, 0.1, 0.2, 0.5]), "{values:?}");
    }

    #[test]
    fn a_network_without_numbers_is_refused() {
        let fixture = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../models/fixtures/tiny-fast.onnx"
        );
        let mut bytes = std::fs::read(fixture).expect("a fixture");
        // The name of a tensor, then the tag of its bytes and their length: four numbers of 4 bytes.
        let name = b"value.dense.bJ\x10";
        let found = bytes.windows(name.len()).position(|part| part == name);
        let at = found.expect("a bias") + name.len();
        bytes[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("spoilt.onnx");
        std::fs::write(&path, bytes).expect("room on the disk");
        let model = Model::<Scene>::open(ModelOptions {
            model: Some(path),
            nn_engine: NnEngine::Rten,
            ..ModelOptions::default()
        });
        let model = model.expect("a network");
        let mut evaluator = NetworkEvaluator::new(Arc::new(model), 0.0);
        let (scene, mut moves) = (Scene::new(), Vec::new());
        scene.board().legal_moves(&mut moves);
        evaluator.add(&scene, &moves);
        let error = evaluator.evaluate().expect_err("no numbers").to_string();
        assert!(error.contains("spoilt.onnx gives no numbers"), "{error}");
    }

    #[test]
    fn who_was_withdrawn_has_nothing_and_the_others_share_it() {
        let withdrawn = [false, true, false, false];
        let values = absolute(&[0.25, 0.5, 0.125, 0.125], 0, withdrawn);
        assert!(close(values, [0.5, 0.0, 0.25, 0.25]), "{values:?}");
    }
}
