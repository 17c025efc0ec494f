//! Tests of self-play, with an oracle that makes its answers up.

mod archive;
mod games;
mod lessons;
mod pipe;

use models::Encoding;

use super::batch::{Answers, Batch, Oracle, OracleError};
use super::game::SelfPlay;
use super::{Record, SelfPlan, play_games};
use bots::search::Game;

/// Answers that depend on nothing but the position, as those of a network do.
#[derive(Default)]
struct Made {
    seats: usize,
    slots: usize,
    waiting: Vec<(usize, Answers)>,
    evaluations: usize,
    /// Positions of the largest batch of each slot.
    largest: Vec<usize>,
}

impl Made {
    fn new(seats: usize, slots: usize) -> Self {
        Self {
            seats,
            slots,
            largest: vec![0; slots],
            ..Self::default()
        }
    }
}

/// A number in [0, 1) that is made of bytes.
fn hash(bytes: &[u8], salt: u64) -> f32 {
    let step = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let sum = bytes.iter().fold(0xcbf2_9ce4_8422_2325 ^ salt, step);
    (sum >> 40) as f32 / (1 << 24) as f32
}

fn answer(batch: &Batch, seats: usize) -> Answers {
    let mut answers = Answers::default();
    let bytes = batch.packed.len() / batch.len();
    for number in 0..batch.len() {
        let packed = &batch.packed[number * bytes..][..bytes];
        let moves = &batch.moves[batch.moves_of(number)];
        let logit = |&mv: &u16| 4.0 * hash(packed, u64::from(mv) + 100);
        answers.logits.extend(moves.iter().map(logit));
        let raw: Vec<f32> = (0..seats).map(|seat| hash(packed, seat as u64)).collect();
        let sum: f32 = raw.iter().sum::<f32>().max(1e-6);
        answers.values.extend(raw.iter().map(|v| v / sum));
    }
    answers
}

impl Oracle for Made {
    fn slots(&self) -> usize {
        self.slots
    }

    fn submit(&mut self, slot: usize, batch: &Batch) -> Result<(), OracleError> {
        self.evaluations += batch.len();
        self.largest[slot] = self.largest[slot].max(batch.len());
        self.waiting.push((slot, answer(batch, self.seats)));
        Ok(())
    }

    /// The latest first, which nobody may mind.
    fn receive(&mut self, answers: &mut Answers) -> Result<usize, OracleError> {
        let (slot, made) = self.waiting.pop().ok_or(OracleError::Closed)?;
        *answers = made;
        Ok(slot)
    }
}

/// Games of these numbers, sorted by them.
fn games<E>(plan: &SelfPlan, ids: &[u64], batch: usize, oracle: &mut dyn Oracle) -> Vec<Record>
where
    E: Encoding<Position: SelfPlay + Game<Move = E::Move>>,
{
    let (mut records, mut ids) = (Vec::new(), ids.iter().copied());
    play_games::<E, OracleError>(
        plan,
        7,
        batch,
        oracle,
        &mut || ids.next(),
        &mut |record, _| {
            records.push(record);
            Ok(())
        },
    )
    .expect("the oracle answers");
    records.sort_by_key(|record| record.id);
    records
}

fn small(plan: SelfPlan) -> SelfPlan {
    SelfPlan {
        simulations: 12,
        fast_simulations: 4,
        ..plan
    }
}
