//! What evaluates positions, several at a time: a network.

use std::sync::Arc;

use games::blokus::{Colour, Placement, SEATS, Scene};
use models::{Layout, NetworkError};

use super::Model;
use crate::search::Rewards;

/// A network, or what stands for one in tests. Positions are put into a batch, evaluated together, and their answers
/// fetched.
pub trait LeafEvaluator: Send {
    /// Empties the batch.
    fn clear(&mut self);

    /// Puts a position into the batch, with all moves of the colour to move.
    fn add(&mut self, scene: &Scene, moves: &[Placement]);

    /// Evaluates the batch.
    ///
    /// # Errors
    /// When the network cannot be run.
    fn evaluate(&mut self) -> Result<(), NetworkError>;

    /// The answer for a position of the batch, counted from 0: clears `logits` and fills it with one for each of its
    /// moves, in their order; gives the value of each seat, by seat number, 0 to 1.
    fn answer(&mut self, number: usize, logits: &mut Vec<f32>) -> Rewards;
}

/// Evaluates positions with a network, on one thread.
#[derive(Clone, Debug)]
pub struct NetworkEvaluator {
    model: Arc<Model>,
    layout: &'static Layout,
    /// Share of the score in the values.
    share: f32,
    packed: Vec<u8>,
    /// The logits of the moves of all positions, and where those of each end.
    moves: Vec<u16>,
    ends: Vec<usize>,
    /// The colour to move in each position, and the colours that were withdrawn by then.
    seats: Vec<(usize, [bool; SEATS])>,
    logits: Vec<f32>,
    values: Vec<f32>,
}

impl NetworkEvaluator {
    /// With how much of a value is the share by score, 0 to 1; nothing where the network does not tell it.
    pub fn new(model: Arc<Model>, score_share: f64) -> Self {
        Self {
            layout: model.layout(),
            share: score_share as f32,
            packed: Vec::new(),
            moves: Vec::new(),
            ends: Vec::new(),
            seats: Vec::new(),
            logits: Vec::new(),
            values: Vec::new(),
            model,
        }
    }
}

impl LeafEvaluator for NetworkEvaluator {
    fn clear(&mut self) {
        self.packed.clear();
        self.moves.clear();
        self.ends.clear();
        self.seats.clear();
    }

    fn add(&mut self, scene: &Scene, moves: &[Placement]) {
        let at = self.packed.len();
        self.packed.resize(at + self.layout.bytes(), 0);
        (self.model.pack)(scene, &mut self.packed[at..]);
        let logits = moves.iter().map(|&mv| (self.model.logit)(scene, mv));
        self.moves.extend(logits);
        self.ends.push(self.moves.len());
        let board = scene.board();
        let mover = board.to_move().map_or(0, Colour::index);
        let withdrawn = Colour::ALL.map(|colour| board.is_withdrawn(colour));
        self.seats.push((mover, withdrawn));
    }

    fn evaluate(&mut self) -> Result<(), NetworkError> {
        let Self {
            model,
            layout,
            share,
            packed,
            moves,
            ends,
            seats,
            logits,
            values,
        } = self;
        model.lend(|network| {
            let outputs = network.evaluate(packed, ends.len())?;
            logits.clear();
            let mut begin = 0;
            for (policy, &end) in outputs.policy.chunks_exact(layout.policy).zip(&*ends) {
                let gathered = moves[begin..end].iter();
                logits.extend(gathered.map(|&logit| policy[usize::from(logit)]));
                begin = end;
            }
            debug_assert_eq!(outputs.value.len(), seats.len() * SEATS);
            values.clear();
            values.extend_from_slice(outputs.value);
            if let Some(scores) = outputs.score {
                for (value, score) in values.iter_mut().zip(scores) {
                    *value += *share * (score - *value);
                }
            }
            // A search that took them would go astray without a word.
            if logits.iter().chain(&*values).all(|x| x.is_finite()) {
                Ok(())
            } else {
                Err(NetworkError::NotNumbers {
                    path: network.path().to_owned(),
                })
            }
        })
    }

    fn answer(&mut self, number: usize, logits: &mut Vec<f32>) -> Rewards {
        let begin = number.checked_sub(1).map_or(0, |last| self.ends[last]);
        logits.clear();
        logits.extend_from_slice(&self.logits[begin..self.ends[number]]);
        let (mover, withdrawn) = self.seats[number];
        absolute(&self.values[number * SEATS..][..SEATS], mover, withdrawn)
    }
}

/// Values by seat number, from those in turn order. A withdrawn seat cannot win, which networks do not know: the others
/// share what they give it.
fn absolute(relative: &[f32], mover: usize, withdrawn: [bool; SEATS]) -> Rewards {
    let mut values = [0.0; SEATS];
    for (seat, &value) in relative.iter().enumerate() {
        let seat = (mover + seat) % SEATS;
        if !withdrawn[seat] {
            values[seat] = f64::from(value);
        }
    }
    if withdrawn.contains(&true) {
        let sum: f64 = values.iter().sum();
        values = values.map(|value| value / sum.max(1e-9));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    use models::NnEngine;

    fn close(values: Rewards, due: Rewards) -> bool {
        let mut pairs = values.into_iter().zip(due);
        pairs.all(|(value, due)| (value - due).abs() < 1e-6)
    }

    #[test]
    fn values_go_to_the_seats_that_have_them() {
        let values = absolute(&[0.5, 0.2, 0.1, 0.2], 3, [false; SEATS]);
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
        let model = Model::open(path, NnEngine::Rten, None).expect("a network");
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
