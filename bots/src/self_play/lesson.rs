//! What a network is shown of a game: positions, their legal moves, and what it is to say of them.

use models::blokus::{Fast, Paper};
use models::score_four::ScoreFour;
use models::{Encoding, Layout};

use super::game::SelfPlay;
use super::{Ply, Record};
use crate::search::{Game, MOST_SEATS};

/// "TKSB", little-endian.
const MAGIC: u32 = 0x4253_4b54;

/// Why a game cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LessonError {
    /// There is no such layout.
    #[error("no layout '{0}'; one of blokus-fast, blokus-paper, score-four")]
    Layout(String),
    /// A move that the rules do not allow.
    #[error("game {id}: ply {ply} is not a legal move; the file was written by other rules")]
    Illegal {
        /// The game.
        id: u64,
        /// The ply, from 0.
        ply: usize,
    },
}

/// Makes sample blocks of games, for one layout.
#[derive(Clone, Copy, Debug)]
pub struct Lessons {
    /// The layout.
    pub layout: &'static Layout,
    write: fn(&Record, &mut Vec<u8>) -> Result<(), LessonError>,
}

impl Lessons {
    /// For the layout of a name.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn of(name: &str) -> Result<Self, LessonError> {
        let (layout, write): (_, fn(&Record, &mut Vec<u8>) -> _) = match name {
            "blokus-fast" => (&Fast::LAYOUT, block::<Fast>),
            "blokus-paper" => (&Paper::LAYOUT, block::<Paper>),
            "score-four" => (&ScoreFour::LAYOUT, block::<ScoreFour>),
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

/// The arrays of a block.
#[derive(Default)]
struct Block {
    packed: Vec<u8>,
    moves: Vec<u8>,
    weights: Vec<u8>,
    ends: Vec<u8>,
    value: Vec<u8>,
    score: Vec<u8>,
    root: Vec<u8>,
    ply: Vec<u8>,
    outcome: Vec<u8>,
}

fn block<E>(record: &Record, out: &mut Vec<u8>) -> Result<(), LessonError>
where
    E: Encoding<Position: SelfPlay + Game<Move = E::Move>>,
{
    let end = replay::<E::Position>(record)?;
    let layout = &E::LAYOUT;
    let mut block = Block::default();
    let mut position = E::Position::start();
    let mut legal = Vec::new();
    let (mut samples, mut moves) = (0_u32, 0_u32);
    for (number, ply) in record.plies.iter().enumerate() {
        if ply.is_lesson {
            position.moves(&mut legal);
            samples += 1;
            moves += legal.len() as u32;
            block.add::<E>(&position, &legal, ply, record, &end);
            block.ends.extend(moves.to_le_bytes());
            block.ply.extend((number as u16).to_le_bytes());
        }
        if let Some(mv) = E::Position::move_of(ply.mv) {
            position.play(mv);
        }
    }
    let header = [
        MAGIC,
        samples,
        moves,
        layout.bytes() as u32,
        layout.seats as u32,
        layout.outcome_bytes() as u32,
        layout.policy as u32,
        layout.version,
        record.id as u32,
        (record.id >> 32) as u32,
    ];
    out.extend(header.iter().flat_map(|word| word.to_le_bytes()));
    for array in [
        block.packed,
        block.moves,
        block.weights,
        block.ends,
        block.value,
        block.score,
        block.root,
        block.ply,
        block.outcome,
    ] {
        out.extend(&array);
        out.resize(out.len() + (4 - array.len() % 4) % 4, 0);
    }
    Ok(())
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

impl Block {
    fn add<E>(
        &mut self,
        position: &E::Position,
        legal: &[E::Move],
        ply: &Ply,
        record: &Record,
        end: &E::Position,
    ) where
        E: Encoding<Position: SelfPlay + Game<Move = E::Move>>,
    {
        let layout = &E::LAYOUT;
        let at = self.packed.len();
        self.packed.resize(at + layout.bytes(), 0);
        E::pack(position, &mut self.packed[at..]);
        let mut policy = ply.policy.clone();
        policy.sort_unstable();
        for &mv in legal {
            let index = E::Position::index(mv) as u16;
            let known = policy.binary_search_by_key(&index, |&(mv, _)| mv);
            let weight = known.map_or(0, |place| policy[place].1);
            self.moves.extend(E::logit(position, mv).to_le_bytes());
            self.weights.extend(weight.to_le_bytes());
        }
        let mover = usize::from(position.to_move().unwrap_or(0));
        let values = ply.values.unwrap_or([f32::NAN; MOST_SEATS]);
        for seat in (0..layout.seats).map(|seat| (mover + seat) % layout.seats) {
            self.value.extend(record.rewards[seat].to_le_bytes());
            self.score
                .extend(f32::from(record.scores[seat]).to_le_bytes());
            self.root.extend(values[seat].to_le_bytes());
        }
        let at = self.outcome.len();
        self.outcome.resize(at + layout.outcome_bytes(), 0);
        E::outcome(position, end, &mut self.outcome[at..]);
    }
}
