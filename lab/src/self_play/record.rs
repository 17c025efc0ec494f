//! One game as it is kept: moves, what the searches thought, and how it ended.

use bots::search::MOST_SEATS;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ply {
    /// Its number, as [`Game::index`](bots::search::Game::index) has it.
    pub mv: u16,
    /// Whether the position before it is one to learn from: not one of a random opening.
    pub is_lesson: bool,
    /// What the search thought of each seat, by seat number, 0 to 1, in the mixture of win share and score that it
    /// searched with; only a full search tells.
    pub values: Option<[f32; MOST_SEATS]>,
    /// Moves and what the search made of them, of 65,535 in sum (give or take the rounding): a policy to learn.
    /// Empty where there is none.
    pub policy: Vec<(u16, u16)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Its number, which with the seed says all about it.
    pub id: u64,
    /// Share in the win by seat.
    pub rewards: [f32; MOST_SEATS],
    /// Scores by seat, 0 in games that have none.
    pub scores: [i16; MOST_SEATS],
    pub plies: Vec<Ply>,
}

const LESSON: u8 = 1;
const VALUES: u8 = 2;

impl Record {
    /// Appends the game as bytes, little-endian: id u64, four rewards f32, four scores i16, count of plies u16; of each
    /// ply its move u16, flags u8 (1 a lesson, 2 with values), four values f32 if it has them, count u16 of the
    /// policy, and as often move u16 and weight u16.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.id.to_le_bytes());
        out.extend(self.rewards.iter().flat_map(|reward| reward.to_le_bytes()));
        out.extend(self.scores.iter().flat_map(|score| score.to_le_bytes()));
        out.extend((self.plies.len() as u16).to_le_bytes());
        for ply in &self.plies {
            out.extend(ply.mv.to_le_bytes());
            let lesson = if ply.is_lesson { LESSON } else { 0 };
            out.push(lesson | if ply.values.is_some() { VALUES } else { 0 });
            for value in ply.values.iter().flatten() {
                out.extend(value.to_le_bytes());
            }
            out.extend((ply.policy.len() as u16).to_le_bytes());
            for &(mv, weight) in &ply.policy {
                out.extend(mv.to_le_bytes());
                out.extend(weight.to_le_bytes());
            }
        }
    }

    /// Reads what [`write`](Self::write) has written, all of it; `None` if it is something else.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Bytes(bytes);
        let id = u64::from_le_bytes(bytes.take()?);
        let rewards = bytes.floats()?;
        let mut scores = [0; MOST_SEATS];
        for score in &mut scores {
            *score = i16::from_le_bytes(bytes.take()?);
        }
        let count = bytes.short()?;
        let mut plies = Vec::with_capacity(usize::from(count));
        for _ in 0..count {
            let mv = bytes.short()?;
            let [flags] = bytes.take()?;
            let values = if flags & VALUES != 0 {
                Some(bytes.floats()?)
            } else {
                None
            };
            let moves = bytes.short()?;
            let mut policy = Vec::with_capacity(usize::from(moves));
            for _ in 0..moves {
                policy.push((bytes.short()?, bytes.short()?));
            }
            plies.push(Ply {
                mv,
                is_lesson: flags & LESSON != 0,
                values,
                policy,
            });
        }
        bytes.0.is_empty().then_some(Self {
            id,
            rewards,
            scores,
            plies,
        })
    }
}

impl Ply {
    /// A policy from shares whose sum is 1: of the moves with the largest shares as many as a record keeps, rounded.
    pub fn policy_of(shares: impl IntoIterator<Item = (u16, f64)>) -> Vec<(u16, u16)> {
        /// Moves with less than this are of no account.
        const LEAST: f64 = 1e-3;
        const MOST: usize = 64;
        let mut kept: Vec<_> = shares.into_iter().filter(|&(_, p)| p >= LEAST).collect();
        kept.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        kept.truncate(MOST);
        let sum: f64 = kept.iter().map(|(_, share)| share).sum();
        let weight = |share: f64| (share / sum * f64::from(u16::MAX)).round() as u16;
        kept.into_iter().map(|(mv, p)| (mv, weight(p))).collect()
    }
}

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn short(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn floats(&mut self) -> Option<[f32; MOST_SEATS]> {
        let mut floats = [0.0; MOST_SEATS];
        for float in &mut floats {
            *float = f32::from_le_bytes(self.take()?);
        }
        Some(floats)
    }
}
