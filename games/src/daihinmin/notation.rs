//! The short human notation of cards and melds, as in the official server's log.
//!
//! A card is its suit (`S H D C`) and its rank (`3456789TJQKA2`). The joker is written by the
//! cell it stands in: `K L M N` for the rows of spade, heart, diamond and club, `J` for row 4, and
//! the rank of the column, `x` for columns 0 and 14. In a hand it is `J3`. A pass is `pass`.

use std::fmt;
use std::str::FromStr;

use super::cards::{Card, Cards, Suit};
use super::meld::{Meld, MeldKind, NO_JOKER};

const SUITS: &[u8; 4] = b"SHDC";
const JOKER_ROWS: &[u8; 5] = b"KLMNJ";
const RANKS: &[u8; 15] = b"x3456789TJQKA2x";

/// Why a text is no card or meld.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// Cards are two letters each.
    #[error("'{0}' is cut short: a card is a suit and a rank, such as S3 or HT")]
    Cut(String),
    /// Not a suit letter.
    #[error("'{0}' is no suit: S, H, D, C, or K, L, M, N, J for the joker")]
    Suit(char),
    /// Not a rank letter.
    #[error("'{0}' is no rank: 3456789TJQKA2, or x for the joker beside them")]
    Rank(char),
    /// A card stands twice.
    #[error("'{0}' names a card twice")]
    Twice(String),
    /// The cards make no meld.
    #[error("'{0}' is no single, group or sequence")]
    NoMeld(String),
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_joker() {
            return f.write_str("J3");
        }
        write_cell(f, SUITS[usize::from(self.row())], self.column())
    }
}

impl fmt::Display for Cards {
    /// Row by row, the joker last.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for suit in Suit::ALL {
            for card in self
                .iter()
                .filter(|c| !c.is_joker() && c.row() == suit as u8)
            {
                card.fmt(f)?;
            }
        }
        if self.has_joker() {
            Card::JOKER.fmt(f)
        } else {
            Ok(())
        }
    }
}

impl fmt::Display for Meld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            MeldKind::Pass => f.write_str("pass"),
            MeldKind::Single if self.is_lone_joker() => write_cell(
                f,
                JOKER_ROWS[usize::from(self.joker() & 3)],
                self.joker() >> 2,
            ),
            MeldKind::Single | MeldKind::Group => {
                for row in (0..5).filter(|row| self.suits() >> row & 1 != 0) {
                    let cell = if row == 4 {
                        self.joker()
                    } else {
                        4 * self.low() + row
                    };
                    let letters: &[u8] = if cell == self.joker() {
                        JOKER_ROWS
                    } else {
                        SUITS
                    };
                    write_cell(f, letters[usize::from(row)], self.low())?;
                }
                Ok(())
            }
            MeldKind::Sequence => {
                let row = self.suits().trailing_zeros() as u8;
                for column in self.low()..self.low() + self.len() {
                    let letters: &[u8] = if 4 * column + row == self.joker() {
                        JOKER_ROWS
                    } else {
                        SUITS
                    };
                    write_cell(f, letters[usize::from(row)], column)?;
                }
                Ok(())
            }
        }
    }
}

fn write_cell(f: &mut fmt::Formatter<'_>, letter: u8, column: u8) -> fmt::Result {
    write!(
        f,
        "{}{}",
        char::from(letter),
        char::from(RANKS[usize::from(column)])
    )
}

fn pairs(text: &str) -> Result<Vec<(char, char)>, ParseError> {
    let letters: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    if !letters.len().is_multiple_of(2) {
        return Err(ParseError::Cut(text.to_owned()));
    }
    Ok(letters
        .chunks_exact(2)
        .map(|pair| (pair[0], pair[1]))
        .collect())
}

fn index_of(letters: &[u8], letter: char) -> Option<u8> {
    letters
        .iter()
        .position(|&l| char::from(l) == letter)
        .map(|i| i as u8)
}

fn column_of(rank: char) -> Result<u8, ParseError> {
    index_of(RANKS, rank).ok_or(ParseError::Rank(rank))
}

impl FromStr for Cards {
    type Err = ParseError;

    /// Reads cards in any order, blanks between them allowed; the joker is `J` and any rank.
    fn from_str(text: &str) -> Result<Cards, ParseError> {
        let mut set = Cards::EMPTY;
        for (letter, rank) in pairs(text)? {
            let column = column_of(rank)?;
            let card = if letter == 'J' {
                Card::JOKER
            } else {
                let row = index_of(SUITS, letter).ok_or(ParseError::Suit(letter))?;
                Suit::from_row(row)
                    .and_then(|suit| Card::new(suit, column))
                    .ok_or(ParseError::Rank(rank))?
            };
            if set.contains(card) {
                return Err(ParseError::Twice(text.to_owned()));
            }
            set.insert(card);
        }
        Ok(set)
    }
}

impl FromStr for Meld {
    type Err = ParseError;

    /// Reads a meld; `pass` and the empty text are the pass. Sequences are in ascending order.
    fn from_str(text: &str) -> Result<Meld, ParseError> {
        let text = text.trim();
        if text.is_empty() || text == "pass" {
            return Ok(Meld::PASS);
        }
        let no_meld = || ParseError::NoMeld(text.to_owned());
        let mut rows = Vec::new();
        let mut columns = Vec::new();
        let mut joker_at = None;
        for (i, (letter, rank)) in pairs(text)?.into_iter().enumerate() {
            let row = match (index_of(SUITS, letter), index_of(JOKER_ROWS, letter)) {
                (Some(row), _) => row,
                (None, Some(row)) if joker_at.is_none() => {
                    joker_at = Some(i);
                    row
                }
                (None, Some(_)) => return Err(no_meld()),
                (None, None) => return Err(ParseError::Suit(letter)),
            };
            let mut column = column_of(rank)?;
            if rank == 'x' {
                if joker_at != Some(i) {
                    return Err(no_meld());
                }
                // Below the 3 when cards follow, above the 2 (and alone) otherwise.
                if i > 0 || text.len() == 2 {
                    column = 14;
                }
            }
            rows.push(row);
            columns.push(column);
        }
        let len = rows.len() as u8;
        let meld = if len == 1 {
            match joker_at {
                Some(_) if rows[0] < 4 => Meld::LONE_JOKER,
                Some(_) => return Err(no_meld()),
                None => Meld::single(columns[0], rows[0]),
            }
        } else if columns.iter().all(|&c| c == columns[0]) {
            let suits = rows.iter().fold(0_u8, |suits, row| suits | 1 << row);
            let row_4_is_fifth = suits >> 4 == 0 || suits == 0x1F;
            if suits.count_ones() != u32::from(len) || !row_4_is_fifth || columns[0] % 14 == 0 {
                return Err(no_meld());
            }
            Meld::group(columns[0], suits & 0xF, joker_at.map(|i| rows[i]))
        } else {
            let straight = columns.windows(2).all(|pair| pair[1] == pair[0] + 1);
            if len < 3 || !straight || rows[0] > 3 || rows.iter().any(|&row| row != rows[0]) {
                return Err(no_meld());
            }
            Meld::sequence(columns[0], len, rows[0], joker_at.map(|i| columns[i]))
        };
        debug_assert!(joker_at.is_some() == (meld.joker() != NO_JOKER));
        Ok(meld)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_and_reads_the_log_forms() {
        for text in [
            "S3",
            "Kx",
            "H8D8C8",
            "S3L3",
            "S8H8D8C8J8",
            "S3S4K5",
            "KxS3S4",
            "DAD2Mx",
            "pass",
        ] {
            let meld: Meld = text.parse().unwrap();
            assert_eq!(meld.to_string(), text);
        }
        for text in [
            "S", "Z3", "S1", "S3S4", "S3H4D5", "KxLx", "S3K4L5", "J3", "S3J3", "xS",
        ] {
            assert!(text.parse::<Meld>().is_err(), "{text}");
        }
        let hand: Cards = "S3 H8 D2 J3".parse().unwrap();
        assert_eq!(hand.to_string(), "S3H8D2J3");
        assert!("S3S3".parse::<Cards>().is_err());
    }
}
