//! What a player sends on its turn: a meld or a pass.
//!
//! Cards and shapes are those of `protocol/UECDA.md`. A submission is judged here by
//! its table alone; whether the cards are held and the meld beats the field is a matter of the
//! rules.

use games::daihinmin::{Card, Cards, Meld, MeldKind, Suit};

use super::card_table::{COLUMNS, CardTable, Cell, cell};

/// Rows that hold cards: the four suits and the joker's row.
const CARD_ROWS: std::ops::Range<usize> = 0..5;

/// Why a table is no meld. The server refuses it: the player is answered 8 and has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[expect(missing_docs, reason = "each error says what it is")]
pub enum MalformedTable {
    /// A cell of rows 0..5 has a value other than 0, 1 and 2.
    #[error("cell [{}][{}] has the value {value}: only 0, 1 and 2 mean something", cell.0, cell.1)]
    Value { cell: Cell, value: i32 },
    #[error("two jokers")]
    TwoJokers,
    /// An ordinary card in column 0, column 14 or row 4.
    #[error("an ordinary card in cell [{}][{}], where only the joker may stand", .0.0, .0.1)]
    Outside(Cell),
    #[error("a sequence has three cards or more")]
    ShortSequence,
    /// The joker in row 4 without the four cards of its column.
    #[error("the joker stands in row 4 only as the fifth card of a group")]
    StrayFifth,
    /// Cards that are neither of one rank nor neighbours in one suit.
    #[error("the cards are neither a group nor a sequence")]
    NoShape,
}

/// A submitted table, understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Submission {
    /// No cell of rows 0..5 is 1 or 2. Odd values in a table without cards are a pass too.
    Pass,
    /// A well-formed meld.
    Meld(Meld),
    /// Neither.
    Malformed(MalformedTable),
}

impl Submission {
    /// Understands a submitted table. Rows 5..8 are not looked at.
    pub fn parse(table: &CardTable) -> Submission {
        let scan = Scan::of(table);
        if scan.kind == MeldKind::Pass {
            return Submission::Pass;
        }
        match meld_of(table, &scan) {
            Ok(meld) => Submission::Meld(meld),
            Err(reason) => Submission::Malformed(reason),
        }
    }
}

fn meld_of(table: &CardTable, scan: &Scan) -> Result<Meld, MalformedTable> {
    check_values(table)?;
    let joker = joker_cell(table);
    if let Some((row, _)) = joker.filter(|_| scan.named == 1) {
        return if row == 4 {
            Err(MalformedTable::StrayFifth)
        } else {
            Ok(Meld::LONE_JOKER)
        };
    }
    if scan.len != scan.named {
        return Err(MalformedTable::NoShape);
    }
    let joker_row = joker.map(|(row, _)| row as u8);
    match scan.kind {
        MeldKind::Sequence if scan.len < 3 => Err(MalformedTable::ShortSequence),
        MeldKind::Sequence => Ok(Meld::sequence(
            scan.low,
            scan.len as u8,
            scan.suits.trailing_zeros() as u8,
            joker.map(|(_, column)| column as u8),
        )),
        _ if scan.suits > 0xF && scan.suits != 0x1F => Err(MalformedTable::StrayFifth),
        MeldKind::Single => Ok(Meld::single(scan.low, scan.suits.trailing_zeros() as u8)),
        _ => Ok(Meld::group(scan.low, scan.suits & 0xF, joker_row)),
    }
}

/// Checks the values of rows 0..5, whatever shape they make.
///
/// # Errors
/// The first thing wrong: [`MalformedTable::Outside`], [`MalformedTable::Value`] or [`MalformedTable::TwoJokers`].
pub fn check_values(table: &CardTable) -> Result<(), MalformedTable> {
    let mut jokers = 0;
    for (at, value) in table.marked(CARD_ROWS) {
        match value {
            1 if at.0 == 4 || at.1 == 0 || at.1 == COLUMNS - 1 => {
                return Err(MalformedTable::Outside(at));
            }
            1 => {}
            2 => jokers += 1,
            _ => return Err(MalformedTable::Value { cell: at, value }),
        }
    }
    if jokers > 1 {
        return Err(MalformedTable::TwoJokers);
    }
    Ok(())
}

/// What the official server's scan makes of a submission: the lowest marked column, its first
/// marked row, and from there either the run along that row or the marks of that column. Honest
/// tables need only [`Submission`]; the scan is for those that want the official server's
/// judgement of malformed ones (`protocol/UECDA.md`, faults of the official server).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scan {
    /// Cells of value 1 or 2 in rows 0..5.
    pub named: u32,
    /// [`MeldKind::Pass`] when `named` is 0; otherwise a sequence when the cell to the right of the
    /// first mark is marked, a single when `named` is 1, else a group.
    pub kind: MeldKind,
    /// Lowest column with a mark (a value other than 0), 0..15; 0 for a pass.
    pub low: u8,
    /// Marks in the run or column. A sound meld has `len == named`.
    pub len: u32,
    /// Rows of these marks, one bit each (bit 4 is row 4); 0 for a pass.
    pub suits: u8,
    /// Whether the cells break [`MalformedTable::Value`], [`MalformedTable::TwoJokers`] or
    /// [`MalformedTable::Outside`].
    pub flawed: bool,
    /// The value of the first mark: 2 in a lone joker.
    pub first: i32,
}

impl Scan {
    /// Scans a table.
    pub fn of(table: &CardTable) -> Scan {
        let mut scan = Scan {
            named: CARD_ROWS
                .flat_map(|row| table.row(row))
                .filter(|value| matches!(value, 1 | 2))
                .count() as u32,
            kind: MeldKind::Pass,
            low: 0,
            len: 0,
            suits: 0,
            flawed: check_values(table).is_err(),
            first: 0,
        };
        if scan.named == 0 {
            return scan;
        }
        let mut cells = (0..COLUMNS).flat_map(|column| CARD_ROWS.map(move |row| (row, column)));
        let Some((row, low)) = cells.find(|&cell| table[cell] != 0) else {
            return scan;
        };
        scan.low = low as u8;
        scan.first = table[(row, low)];
        let run = table.row(row)[low..]
            .iter()
            .take_while(|&&v| v != 0)
            .count();
        if run > 1 {
            scan.kind = MeldKind::Sequence;
            scan.len = run as u32;
            scan.suits = 1 << row;
        } else {
            scan.kind = if scan.named == 1 {
                MeldKind::Single
            } else {
                MeldKind::Group
            };
            for row in CARD_ROWS.filter(|&row| table.get(row, low) != 0) {
                scan.len += 1;
                scan.suits |= 1 << row;
            }
        }
        scan
    }
}

/// The cell in which a table has the joker; the first in row order if there are several.
pub fn joker_cell(table: &CardTable) -> Option<Cell> {
    table
        .marked(CARD_ROWS)
        .find(|&(_, value)| value == 2)
        .map(|(at, _)| at)
}

/// The cards that a table names: every 1 on a card's cell, and the joker if any cell is 2. Other
/// values are not looked at. This reads hands, and what the official server takes from a hand.
pub fn named_cards(table: &CardTable) -> Cards {
    table
        .marked(CARD_ROWS)
        .filter_map(|((row, column), value)| match value {
            1 => Card::new(Suit::from_row(row as u8)?, column as u8),
            2 => Some(Card::JOKER),
            _ => None,
        })
        .collect()
}

/// A table with these cards in rows 0..5, as in hands and exchanges: the joker at
/// [`cell::JOKER`], rows 5..8 zero.
pub fn cards_table(cards: Cards) -> CardTable {
    let mut table = CardTable::default();
    for card in cards.iter() {
        if card.is_joker() {
            table[cell::JOKER] = 2;
        } else {
            table.set(usize::from(card.row()), usize::from(card.column()), 1);
        }
    }
    table
}

/// A meld as submitted: the joker in the cell that it stands in, `[0][14]` alone; all zero for the
/// pass.
pub fn meld_table(meld: Meld) -> CardTable {
    let mut table = cards_table(meld.cards().suited());
    if meld.cards().has_joker() {
        let joker = meld.joker();
        let at = if joker >= Meld::ROW_4 {
            (4, usize::from(joker - Meld::ROW_4))
        } else {
            (usize::from(joker & 3), usize::from(joker >> 2))
        };
        table[at] = 2;
    }
    table
}

/// Why a table is no choice of cards to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[expect(missing_docs, reason = "each error says what it is")]
pub enum MalformedGift {
    /// A malformed table. The official server looks at this for the daifugo only.
    #[error(transparent)]
    Flaw(MalformedTable),
    #[error("{got} cards given, {owed} owed")]
    Number { got: u32, owed: u32 },
}

/// An exchange table, understood as the official server does, but for its fault with a joker in
/// another cell than [`cell::JOKER`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GiftChoice {
    /// Cells of value 1 or 2 in rows 0..5.
    pub named: u32,
    /// The cards that these cells name; fewer than `named` when a cell names none, or two the
    /// joker.
    pub cards: Cards,
    /// The first flaw, if any.
    pub flaw: Option<MalformedTable>,
    /// Where the joker was sent if not in [`cell::JOKER`]. The official server then also deletes
    /// the card of this cell from the giver's hand.
    pub joker_elsewhere: Option<Cell>,
}

impl GiftChoice {
    /// Understands an exchange table. Rows 5..8 are not looked at.
    pub fn parse(table: &CardTable) -> GiftChoice {
        GiftChoice {
            named: Scan::of(table).named,
            cards: named_cards(table),
            flaw: check_values(table).err(),
            joker_elsewhere: joker_cell(table).filter(|&at| at != cell::JOKER),
        }
    }

    /// The cards to move, when `owed` of them are due from a seat that gives freely. Flaws beside
    /// the card are overlooked for one card (the fugo's exchange), as the official server does.
    /// Whether the cards are held is a matter of the rules.
    ///
    /// # Errors
    /// Why the choice is void; the strongest cards are then taken instead.
    pub fn cards(&self, owed: u32) -> Result<Cards, MalformedGift> {
        let flaw = self
            .flaw
            .filter(|_| owed != 1 || self.cards.len() != self.named);
        if let Some(flaw) = flaw {
            return Err(MalformedGift::Flaw(flaw));
        }
        if self.named != owed {
            return Err(MalformedGift::Number {
                got: self.named,
                owed,
            });
        }
        Ok(self.cards)
    }
}
