//! What a network is shown of the solved game, and how much of it the network has learned.

use std::io::{self, Write};

use games::dobutsu::{Board, Move, MoveList};
use models::dobutsu::Dobutsu;
use models::{Encoding as _, Network, NetworkError};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Table, Value};
use crate::self_play::{Known, SampleBlock};

/// Positions of a sample block.
const BLOCK: usize = 4096;
/// Positions that are evaluated at a time.
const BATCH: usize = 64;

/// Draws positions of a table: each that is no end with the same chance, each of its two mirror images with one half.
pub struct Draw<'a> {
    table: &'a Table,
    rng: Xoshiro256PlusPlus,
}

impl<'a> Draw<'a> {
    /// Draws by a seed.
    pub fn new(table: &'a Table, seed: u64) -> Draw<'a> {
        Draw {
            table,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }
}

impl Iterator for Draw<'_> {
    type Item = (Board, Value);

    /// Never `None`, unless the table has no position.
    fn next(&mut self) -> Option<(Board, Value)> {
        let numbers = self.table.index().len();
        if numbers == 0 {
            return None;
        }
        loop {
            let number = self.rng.random_range(0..numbers);
            if let Some(value) = Value::from_byte(self.table.byte(number)) {
                let board = self.table.index().unrank(number);
                let is_mirrored = self.rng.random();
                let board = if is_mirrored { board.mirrored() } else { board };
                return Some((board, value));
            }
        }
    }
}

/// The legal moves of a board, each with its value.
fn moves(table: &Table, board: &Board, legal: &mut MoveList) -> Vec<(Move, Value)> {
    legal.clear();
    board.moves(false, legal);
    let value = |mv: Move| table.board_value(&board.after(mv)).map(Value::before);
    let known = |&mv: &Move| (mv, value(mv).expect("the table has what follows"));
    legal.iter().map(known).collect()
}

/// The moves that a network is to play: those that win, of a drawn position those that draw, of a lost one those that
/// lose latest.
fn is_good(best: Value, value: Value) -> bool {
    match best {
        Value::Loss(_) => value == best,
        Value::Win(_) | Value::Draw => value.sign() == best.sign(),
    }
}

/// Writes sample blocks of `count` drawn positions; tells `progress` after each block how many are written.
///
/// # Errors
/// When `out` takes no more.
pub fn write_samples(
    table: &Table,
    seed: u64,
    count: usize,
    out: &mut impl Write,
    mut progress: impl FnMut(usize),
) -> io::Result<()> {
    let mut draw = Draw::new(table, seed);
    let mut legal = MoveList::new();
    let mut bytes = Vec::new();
    let mut written = 0;
    while written < count {
        let here = BLOCK.min(count - written);
        let mut block = SampleBlock::default();
        for (board, value) in draw.by_ref().take(here) {
            let moves = moves(table, &board, &mut legal);
            let good = moves.iter().filter(|&&(_, of)| is_good(value, of)).count();
            let weight = (65_535 / good.max(1)) as u16;
            let weighed = moves
                .iter()
                .map(|&(mv, of)| (mv, if is_good(value, of) { weight } else { 0 }));
            let share = f32::from(1 + value.sign()) / 2.0;
            let known = Known {
                value: &[share, 1.0 - share],
                score: &[0.0; 2],
                root: &[f32::NAN; 2],
                ply: 0,
            };
            block.add::<Dobutsu>(&board, weighed, &known);
        }
        bytes.clear();
        block.write(&Dobutsu::LAYOUT, (written / BLOCK) as u64, &mut bytes);
        out.write_all(&bytes)?;
        written += here;
        progress(written);
    }
    Ok(())
}

/// How often a network is right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accuracy {
    /// Decided positions, and those of them whose value has the right sign.
    pub value: [u64; 2],
    /// Won positions, and those of them whose likeliest legal move wins.
    pub policy: [u64; 2],
}

impl Accuracy {
    /// Adds what was counted elsewhere.
    pub fn add(&mut self, other: Accuracy) {
        for (mine, theirs) in [
            (&mut self.value, other.value),
            (&mut self.policy, other.policy),
        ] {
            *mine = [mine[0] + theirs[0], mine[1] + theirs[1]];
        }
    }

    /// Asks a network about positions.
    ///
    /// # Errors
    /// When the network fails.
    pub fn of(
        network: &mut Network,
        table: &Table,
        positions: impl Iterator<Item = (Board, Value)>,
    ) -> Result<Accuracy, NetworkError> {
        let mut accuracy = Accuracy::default();
        let mut legal = MoveList::new();
        let mut packed = vec![0; BATCH * Dobutsu::LAYOUT.bytes()];
        let mut positions = positions.peekable();
        while positions.peek().is_some() {
            let batch: Vec<_> = positions.by_ref().take(BATCH).collect();
            for ((board, _), packed) in batch
                .iter()
                .zip(packed.chunks_exact_mut(Dobutsu::LAYOUT.bytes()))
            {
                Dobutsu::pack(board, packed);
            }
            let used = batch.len() * Dobutsu::LAYOUT.bytes();
            let outputs = network.evaluate(&packed[..used], batch.len())?;
            let answers = outputs
                .policy
                .chunks_exact(Dobutsu::LAYOUT.policy)
                .zip(outputs.value.chunks_exact(Dobutsu::LAYOUT.seats));
            for ((board, value), (logits, shares)) in batch.iter().zip(answers) {
                if *value == Value::Draw {
                    continue;
                }
                let is_win = value.sign() > 0;
                accuracy.value[0] += 1;
                accuracy.value[1] += u64::from((shares[0] > shares[1]) == is_win);
                if is_win {
                    legal.clear();
                    board.moves(false, &mut legal);
                    let logit = |mv: &Move| logits[usize::from(Dobutsu::logit(board, *mv))];
                    let played = legal.iter().max_by(|a, b| logit(a).total_cmp(&logit(b)));
                    let after = played.map(|&mv| board.after(mv));
                    let value = after.and_then(|after| table.board_value(&after));
                    accuracy.policy[0] += 1;
                    accuracy.policy[1] += u64::from(value.is_some_and(|value| value.sign() < 0));
                }
            }
        }
        Ok(accuracy)
    }
}
