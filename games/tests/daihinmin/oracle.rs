//! The rules of melds once more, slow and obvious: every meld is a table of cells as it goes over
//! the wire, and every rule is written down as the specification says it (`protocol/UECDA.md`).
//!
//! Nothing here uses the crate's melds, bit tricks or generator; only cards come from it.

use std::collections::BTreeSet;

use taikyoku_games::daihinmin::{Card, Cards, Meld, NO_JOKER, Suit, Table};

/// A cell: row 0..=4, column 0..=14.
pub(crate) type Cell = (u8, u8);

/// What lies in the cells of a submitted table: cards, and where the joker stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Submission {
    /// Cells with a 1.
    pub(crate) cards: Vec<Cell>,
    /// The cell with a 2.
    pub(crate) joker: Option<Cell>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Single,
    Group,
    Sequence,
    LoneJoker,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Analysis {
    pub(crate) shape: Shape,
    pub(crate) number: usize,
    pub(crate) column: u8,
    pub(crate) suits: BTreeSet<u8>,
}

/// Which meld it is, apart from the cell of a lone joker: bits of the cards, joker's cell.
pub(crate) type Key = (u64, Option<Cell>);

impl Submission {
    /// The meld as the crate's melds are compared with it.
    pub(crate) fn key(&self) -> Key {
        let mut set: Cards = self
            .cards
            .iter()
            .filter_map(|&(row, column)| Card::new(Suit::from_row(row)?, column))
            .collect();
        if self.joker.is_some() {
            set.insert(Card::JOKER);
        }
        let joker = self.joker.filter(|_| !self.cards.is_empty());
        (set.bits(), joker)
    }

    fn cells(&self) -> Vec<Cell> {
        let mut cells = self.cards.clone();
        cells.extend(self.joker);
        cells
    }
}

/// The key of a meld of the crate.
pub(crate) fn key_of(meld: Meld) -> Key {
    let joker = match meld.joker() {
        NO_JOKER => None,
        _ if meld.is_lone_joker() => None,
        cell if cell >= Meld::ROW_4 => Some((4, cell - Meld::ROW_4)),
        cell => Some((cell % 4, cell / 4)),
    };
    (meld.cards().bits(), joker)
}

/// 2.1 and 2.2: which meld the cells make, if any.
pub(crate) fn analyse(submission: &Submission) -> Option<Analysis> {
    let cells = submission.cells();
    // Ordinary cards lie in rows 0 to 3 and columns 1 to 13.
    if submission
        .cards
        .iter()
        .any(|&(row, column)| row > 3 || !(1..=13).contains(&column))
    {
        return None;
    }
    // A cell holds one thing.
    let distinct: BTreeSet<Cell> = cells.iter().copied().collect();
    if distinct.len() != cells.len() || cells.is_empty() {
        return None;
    }
    let suits: BTreeSet<u8> = cells.iter().map(|&(row, _)| row).collect();
    let number = cells.len();
    // The lowest column decides.
    let &(row, column) = cells.iter().min_by_key(|&&(row, column)| (column, row))?;
    let meld = |shape| {
        Some(Analysis {
            shape,
            number,
            column,
            suits: suits.clone(),
        })
    };
    if number == 1 {
        return match submission.joker {
            Some((row, _)) if row > 3 => None,
            Some(_) => meld(Shape::LoneJoker),
            None => meld(Shape::Single),
        };
    }
    if distinct.contains(&(row, column + 1)) {
        let straight = (0..number as u8).all(|i| distinct.contains(&(row, column + i)));
        return if number >= 3 && row <= 3 && straight {
            meld(Shape::Sequence)
        } else {
            None
        };
    }
    if cells.iter().any(|&(_, c)| c != column) {
        return None;
    }
    // Row 4 is the joker as the fifth card beside all four suits.
    if suits.contains(&4) && number != 5 {
        return None;
    }
    meld(Shape::Group)
}

/// What lies on the field, as far as it matters for the next meld.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The last meld of the trick.
    pub(crate) last: Option<Analysis>,
    pub(crate) lock: bool,
    pub(crate) revolution: bool,
    pub(crate) sequences: bool,
}

impl Field {
    /// The field of a position, from the cells of the meld that lies there.
    pub(crate) fn of(table: &Table) -> Field {
        let last = if table.field.is_pass() {
            None
        } else {
            let (bits, joker) = key_of(table.field);
            let cards = Cards::from_bits(bits);
            let joker = if table.field.is_lone_joker() {
                Some((0, 14))
            } else {
                joker
            };
            let cards = cards
                .iter()
                .filter(|c| !c.is_joker())
                .map(|c| (c.row(), c.column()))
                .collect();
            Some(analyse(&Submission { cards, joker }).expect("the field is a meld"))
        };
        Field {
            last,
            lock: table.lock,
            revolution: table.revolution,
            sequences: table.rules.sequences,
        }
    }
}

/// Whether a holder of `hand` may lay the submission down (2.1 to 2.5).
pub(crate) fn allowed(submission: &Submission, hand: Cards, field: &Field) -> bool {
    let (bits, _) = submission.key();
    if !hand.contains_all(Cards::from_bits(bits)) {
        return false;
    }
    analyse(submission).is_some_and(|meld| beats(&meld, field))
}

/// Whether a meld may be laid on the field.
pub(crate) fn beats(meld: &Analysis, field: &Field) -> bool {
    if meld.shape == Shape::Sequence && !field.sequences {
        return false;
    }
    let Some(last) = &field.last else {
        return true;
    };
    if last.shape == Shape::LoneJoker {
        return meld.shape == Shape::Single
            && meld.column == 1
            && meld.suits == BTreeSet::from([0]);
    }
    if meld.shape == Shape::LoneJoker {
        return last.shape == Shape::Single;
    }
    if meld.shape != last.shape || meld.number != last.number {
        return false;
    }
    if field.lock && meld.suits != last.suits {
        return false;
    }
    let (new, old) = (i32::from(meld.column), i32::from(last.column));
    let span = if meld.shape == Shape::Sequence {
        meld.number as i32 - 1
    } else {
        0
    };
    if field.revolution {
        new + span < old
    } else {
        new > old + span
    }
}

/// Every submission that a hand can make: every subset of its cards, and with the joker every
/// cell for it. Exponential: for small hands.
pub(crate) fn all_submissions(hand: Cards, mut each: impl FnMut(&Submission)) {
    let cells: Vec<Cell> = hand
        .iter()
        .filter(|c| !c.is_joker())
        .map(|c| (c.row(), c.column()))
        .collect();
    assert!(cells.len() <= 16);
    for subset in 0..1_u32 << cells.len() {
        let cards = cells
            .iter()
            .enumerate()
            .filter(|(i, _)| subset >> i & 1 != 0)
            .map(|(_, &cell)| cell)
            .collect();
        let mut submission = Submission { cards, joker: None };
        each(&submission);
        if hand.has_joker() {
            for row in 0..5 {
                for column in 0..15 {
                    submission.joker = Some((row, column));
                    each(&submission);
                }
            }
        }
    }
}

/// Every meld that the deck can make, by trying all groups of cells of one column and all runs of
/// one row with the joker in any of their cells, or nowhere.
pub(crate) fn all_melds() -> Vec<(Submission, Analysis)> {
    let mut shapes: Vec<Vec<Cell>> = Vec::new();
    for column in 0..15 {
        for rows in 1..32_u8 {
            shapes.push(
                (0..5)
                    .filter(|r| rows >> r & 1 != 0)
                    .map(|r| (r, column))
                    .collect(),
            );
        }
        for row in 0..5 {
            for end in column + 1..15 {
                shapes.push((column..=end).map(|c| (row, c)).collect());
            }
        }
    }
    let mut melds: Vec<(Submission, Analysis)> = Vec::new();
    for cells in shapes {
        for joker in (0..cells.len()).map(Some).chain([None]) {
            let mut cards = cells.clone();
            let joker = joker.map(|i| cards.remove(i));
            let submission = Submission { cards, joker };
            if let Some(analysis) = analyse(&submission) {
                let lone = analysis.shape == Shape::LoneJoker;
                if !lone || melds.iter().all(|(_, a)| a.shape != Shape::LoneJoker) {
                    melds.push((submission, analysis));
                }
            }
        }
    }
    melds
}
