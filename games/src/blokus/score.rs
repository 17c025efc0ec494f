//! What a game comes to.

use std::str::FromStr;

use super::{Board, Colour, SEATS, SQUARES};

/// How colours are compared at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
pub enum Scoring {
    /// -1 for each square that was not placed; +15 for all placed, and +5 more if the piece of one
    /// square was the last: see [`advanced_score`].
    #[default]
    Advanced,
    /// Squares placed.
    Squares,
}

impl Scoring {
    /// `advanced` or `squares`.
    pub const fn name(self) -> &'static str {
        match self {
            Scoring::Advanced => "advanced",
            Scoring::Squares => "squares",
        }
    }
}

impl FromStr for Scoring {
    type Err = String;

    fn from_str(text: &str) -> Result<Scoring, String> {
        [Scoring::Advanced, Scoring::Squares]
            .into_iter()
            .find(|scoring| scoring.name() == text)
            .ok_or_else(|| "the scoring is `advanced` or `squares`".to_owned())
    }
}

/// The advanced score, -89 to 20, of a colour with so many squares left; `monomino_last` is whether the piece
/// of one square was its last move.
pub const fn advanced_score(squares_left: u8, monomino_last: bool) -> i16 {
    if squares_left > 0 {
        -(squares_left as i16)
    } else if monomino_last {
        20
    } else {
        15
    }
}

impl Board {
    /// The advanced score of a colour as the board stands, -89 to 20.
    #[inline]
    pub const fn score(&self, colour: Colour) -> i16 {
        advanced_score(self.squares_left(colour), self.is_monomino_last(colour))
    }

    /// The score of a colour as the `final_score` of Pentobi has it: squares placed and bonuses, 0 to 109.
    pub const fn gtp_score(&self, colour: Colour) -> i16 {
        self.score(colour) + SQUARES as i16
    }

    /// What counts under a scoring, by seat.
    pub fn scores(&self, scoring: Scoring) -> [i16; SEATS] {
        Colour::ALL.map(|colour| match scoring {
            Scoring::Advanced => self.score(colour),
            Scoring::Squares => i16::from(self.squares(colour)),
        })
    }

    /// Places by seat as the board stands, 0 is the best; equal scores share the better place, and so do all that
    /// were withdrawn.
    pub fn places(&self, scoring: Scoring) -> [u8; SEATS] {
        let mut scores = self.scores(scoring);
        for colour in Colour::ALL {
            if self.is_withdrawn(colour) {
                scores[colour.index()] = i16::MIN;
            }
        }
        places(scores)
    }

    /// The seats with the best place, which share the win.
    pub fn winners(&self, scoring: Scoring) -> [bool; SEATS] {
        self.places(scoring).map(|place| place == 0)
    }
}

/// Places of scores, 0 is the best; equal scores share the better place.
fn places(scores: [i16; SEATS]) -> [u8; SEATS] {
    scores.map(|score| scores.iter().filter(|&&other| other > score).count() as u8)
}
