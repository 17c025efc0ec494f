//! Tables that are no move.

use super::wire::{COLUMNS, ROWS, Table};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Malformed {
    AllOnes,
    /// Every cell is the greatest integer.
    AllMax,
    AllNegative,
    /// A 3 in a card's cell beside a card.
    OddValue,
    TwoJokers,
    /// Cards in columns 0 and 14 and in row 4.
    Outside,
    NoMeld,
    /// All cards of a suit, of which the player can hold but few.
    NotHeld,
    /// The joker alone in row 4.
    JokerInRow4,
    /// Numbers in rows 5 to 7 and an otherwise empty table.
    NoiseBelow,
}

impl Malformed {
    pub const ALL: [Malformed; 10] = [
        Malformed::AllOnes,
        Malformed::AllMax,
        Malformed::AllNegative,
        Malformed::OddValue,
        Malformed::TwoJokers,
        Malformed::Outside,
        Malformed::NoMeld,
        Malformed::NotHeld,
        Malformed::JokerInRow4,
        Malformed::NoiseBelow,
    ];

    /// The table that is sent by a player with this hand.
    pub fn table(self, hand: &Table) -> Table {
        let mut table = Table::EMPTY;
        match self {
            Malformed::AllOnes => table.0 = [[1; COLUMNS]; ROWS],
            Malformed::AllMax => table.0 = [[i32::MAX; COLUMNS]; ROWS],
            Malformed::AllNegative => table.0 = [[-1; COLUMNS]; ROWS],
            Malformed::OddValue => {
                if let Some(&(row, column)) = hand.cards().first() {
                    table.0[row][column] = 1;
                }
                table.0[0][7] = 3;
            }
            Malformed::TwoJokers => {
                table.0[0][5] = 2;
                table.0[1][5] = 2;
            }
            Malformed::Outside => {
                table.0[0][0] = 1;
                table.0[0][14] = 1;
                table.0[4][3] = 1;
            }
            Malformed::NoMeld => {
                let cards = hand.cards();
                for &(row, column) in cards.iter().step_by(3).take(3) {
                    table.0[row][column] = 1;
                }
            }
            Malformed::NotHeld => table.0[1][1..14].fill(1),
            Malformed::JokerInRow4 => table.0[4][1] = 2,
            Malformed::NoiseBelow => {
                for row in 5..ROWS {
                    table.0[row] = [-7; COLUMNS];
                }
            }
        }
        table
    }
}
