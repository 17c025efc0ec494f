//! What a network is shown of the solved game.

use std::io::{self, Write};

use bots::dobutsu::{Table, Value};
use games::dobutsu::{Board, Move, MoveList};
use models::Encoding as _;
use models::dobutsu::Dobutsu;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::self_play::{Known, SampleBlock};

const BLOCK: usize = 4096;

/// Draws positions of a table: each that is no end with the same chance, each of its two mirror images with one half.
pub struct Draw<'a> {
    table: &'a Table,
    rng: Xoshiro256PlusPlus,
}

impl<'a> Draw<'a> {
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
