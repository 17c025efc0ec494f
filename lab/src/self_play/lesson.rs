//! What a network is shown of a game: positions, their legal moves, and what it is to say of them.

use std::array::from_fn;

use bots::dobutsu::Framed;
use models::blokus::{Fast, Paper};
use models::score_four::ScoreFour;
use models::{Encoding, Layout};

use super::game::SelfPlay;
use super::{Ply, Record};
use bots::search::{Game, MOST_SEATS};

const MAGIC: u32 = 0x4253_4b54;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LessonError {
    #[error("no layout '{0}'; one of blokus-fast, blokus-paper, score-four, dobutsu")]
    Layout(String),
    #[error("game {id}: ply {ply} is not a legal move; the file was written by other rules")]
    Illegal { id: u64, ply: usize },
}

/// Makes sample blocks of games, for one layout.
#[derive(Clone, Copy, Debug)]
pub struct Lessons {
    pub layout: &'static Layout,
    write: fn(&Record, &mut Vec<u8>) -> Result<(), LessonError>,
}

impl Lessons {
    /// For the layout of a name.
    pub fn of(name: &str) -> Result<Self, LessonError> {
        let (layout, write): (_, fn(&Record, &mut Vec<u8>) -> _) = match name {
            "blokus-fast" => (&Fast::LAYOUT, block::<Fast>),
            "blokus-paper" => (&Paper::LAYOUT, block::<Paper>),
            "score-four" => (&ScoreFour::LAYOUT, block::<ScoreFour>),
            "dobutsu" => (&Framed::LAYOUT, block::<Framed>),
            _ => return Err(LessonError::Layout(name.to_owned())),
        };
        Ok(Self { layout, write })
    }

    /// Appends the sample block of a game; `models/SELF_PLAY.md` has the form.
    ///
    /// # Errors
    /// A move is not legal.
    pub fn write(&self, record: &Record, out: &mut Vec<u8>) -> Result<(), LessonError> {
        (self.write)(record, out)
    }
}

/// A sample block; `models/SELF_PLAY.md` has the form.
#[derive(Default)]
pub(crate) struct SampleBlock {
    samples: u32,
    moves: u32,
    packed: Vec<u8>,
    logits: Vec<u8>,
    weights: Vec<u8>,
    ends: Vec<u8>,
    value: Vec<u8>,
    score: Vec<u8>,
    root: Vec<u8>,
    ply: Vec<u8>,
    outcome: Vec<u8>,
}

/// What is known of a position of a sample block. Lists go by seat, from the seat to move on.
pub(crate) struct Known<'a> {
    pub(crate) value: &'a [f32],
    pub(crate) score: &'a [f32],
    /// What a search thought; NaN where none did.
    pub(crate) root: &'a [f32],
    /// Plies before the position.
    pub(crate) ply: u16,
}

impl SampleBlock {
    /// Adds a position with its legal moves, each with its weight of 65,535.
    pub(crate) fn add<E: Encoding>(
        &mut self,
        position: &E::Position,
        moves: impl Iterator<Item = (E::Move, u16)>,
        known: &Known<'_>,
    ) {
        let at = self.packed.len();
        self.packed.resize(at + E::LAYOUT.bytes(), 0);
        E::pack(position, &mut self.packed[at..]);
        for (mv, weight) in moves {
            self.logits.extend(E::logit(position, mv).to_le_bytes());
            self.weights.extend(weight.to_le_bytes());
            self.moves += 1;
        }
        self.samples += 1;
        self.ends.extend(self.moves.to_le_bytes());
        self.ply.extend(known.ply.to_le_bytes());
        for (numbers, array) in [
            (known.value, &mut self.value),
            (known.score, &mut self.score),
            (known.root, &mut self.root),
        ] {
            array.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
    }

    /// Appends the block to `out` under a number.
    pub(crate) fn write(&self, layout: &Layout, id: u64, out: &mut Vec<u8>) {
        let header = [
            MAGIC,
            self.samples,
            self.moves,
            layout.bytes() as u32,
            layout.seats as u32,
            layout.outcome_bytes() as u32,
            layout.policy as u32,
            layout.version,
            id as u32,
            (id >> 32) as u32,
        ];
        out.extend(header.iter().flat_map(|word| word.to_le_bytes()));
        for array in [
            &self.packed,
            &self.logits,
            &self.weights,
            &self.ends,
            &self.value,
            &self.score,
            &self.root,
            &self.ply,
            &self.outcome,
        ] {
            out.extend(array);
            out.resize(out.len() + (4 - array.len() % 4) % 4, 0);
        }
    }
}

fn block<E>(record: &Record, out: &mut Vec<u8>) -> Result<(), LessonError>
where
    E: Encoding<Position: SelfPlay + Game<Move = E::Move>>,
{
    let end = replay::<E::Position>(record)?;
    let mut block = SampleBlock::default();
    let mut position = E::Position::start();
    let mut legal = Vec::new();
    for (number, ply) in record.plies.iter().enumerate() {
        if ply.is_lesson {
            position.moves(&mut legal);
            add::<E>(&mut block, &position, &legal, (number as u16, ply), record);
            let at = block.outcome.len();
            block.outcome.resize(at + E::LAYOUT.outcome_bytes(), 0);
            E::outcome(&position, &end, &mut block.outcome[at..]);
        }
        if let Some(mv) = E::Position::move_of(ply.mv) {
            position.play(mv);
        }
    }
    block.write(&E::LAYOUT, record.id, out);
    Ok(())
}

fn add<E>(
    block: &mut SampleBlock,
    position: &E::Position,
    legal: &[E::Move],
    (number, ply): (u16, &Ply),
    record: &Record,
) where
    E: Encoding<Position: SelfPlay + Game<Move = E::Move>>,
{
    let mut policy = ply.policy.clone();
    policy.sort_unstable();
    let moves = legal.iter().map(|&mv| {
        let index = E::Position::index(mv) as u16;
        let known = policy.binary_search_by_key(&index, |&(mv, _)| mv);
        (mv, known.map_or(0, |place| policy[place].1))
    });
    let mover = usize::from(position.to_move().unwrap_or(0));
    let seats = E::LAYOUT.seats;
    let seat = |i: usize| (mover + i) % seats;
    let root = ply.values.unwrap_or([f32::NAN; MOST_SEATS]);
    let value: [f32; MOST_SEATS] = from_fn(|i| record.rewards[seat(i)]);
    let score: [f32; MOST_SEATS] = from_fn(|i| f32::from(record.scores[seat(i)]));
    let root: [f32; MOST_SEATS] = from_fn(|i| root[seat(i)]);
    let known = Known {
        value: &value[..seats],
        score: &score[..seats],
        root: &root[..seats],
        ply: number,
    };
    block.add::<E>(position, moves, &known);
}

/// The end of a game, every move of it checked.
fn replay<P: SelfPlay>(record: &Record) -> Result<P, LessonError> {
    let mut position = P::start();
    let mut legal = Vec::new();
    for (ply, Ply { mv, .. }) in record.plies.iter().enumerate() {
        position.moves(&mut legal);
        let mv = P::move_of(*mv).filter(|mv| legal.contains(mv));
        position.play(mv.ok_or(LessonError::Illegal { id: record.id, ply })?);
    }
    Ok(position)
}
