//! The three tables that a server sends: deal, hand and field.

use games::daihinmin::{Cards, SEATS};

use super::card_table::{CardTable, Cell, cell};
use super::submission::{MalformedTable, Submission, check_values, named_cards};

/// Why a server's table does not make sense where it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each error says what it is")]
pub enum MessageError {
    /// A table that is not a deal where a deal was due.
    #[error("a deal was due, but cell [5][0] is {0}, not 1")]
    NotADeal(i32),
    #[error("a deal came in the middle of a game")]
    EarlyDeal,
    #[error("cell [{}][{}] is {value}, which means nothing there", cell.0, cell.1)]
    Value { cell: Cell, value: i32 },
    #[error("the seats {0:?} are not the players 0 to 4")]
    Seats([u8; SEATS]),
    #[error("a hand that is none: {0}")]
    Hand(MalformedTable),
}

/// A game begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deal {
    /// Own cards. A rich player's hold the poor's tribute already, a poor player's are as dealt.
    pub hand: Cards,
    /// Cards to give away: 2 as daifugo, 1 as fugo, otherwise 0.
    pub give: u32,
    /// Cards of each player; before the exchange (the Java server counts the tribute in).
    pub counts: [u8; SEATS],
    /// Place of each player in the last game; `None` when there are no ranks. Reliable here only.
    pub ranks: Option<[u8; SEATS]>,
    /// Player at each seat, in turn order.
    pub player_at: [u8; SEATS],
    /// Whether the server says so: some send no seats, and `player_at` is then the players in order.
    pub has_seats: bool,
}

impl Deal {
    /// Reads a deal table.
    ///
    /// # Errors
    /// When the table cannot be a deal.
    pub fn parse(table: &CardTable) -> Result<Deal, MessageError> {
        if table[cell::DEAL] != 1 {
            return Err(MessageError::NotADeal(table[cell::DEAL]));
        }
        let hand = hand(table)?;
        let give = match table[cell::GIVE] {
            n if n <= 0 => 0,
            // Nobody gives away more cards than there are in the hand.
            n @ 1..=2 if n as u32 <= hand.len() => n as u32,
            value => {
                return Err(MessageError::Value {
                    cell: cell::GIVE,
                    value,
                });
            }
        };
        let mut ranks = [0; SEATS];
        for (player, rank) in ranks.iter_mut().enumerate() {
            *rank = ranged(table, cell::rank(player), 4)?;
        }
        Ok(Deal {
            hand,
            give,
            counts: counts(table)?,
            ranks: is_permutation(ranks).then_some(ranks),
            player_at: seats(table)?,
            has_seats: sent_seats(table)? != NO_SEATS,
        })
    }
}

/// What every table of a game in play says besides its cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The player to move; in a field table, the player that has moved.
    pub turn: u8,
    /// Whether the field is empty. In a field table, whether a player passed on an empty field.
    pub empty_field: bool,
    /// Whether the ranks are turned over.
    pub revolution: bool,
    /// Whether the trick is locked to its suits.
    pub lock: bool,
    /// Cards of each player.
    pub counts: [u8; SEATS],
    /// Player at each seat, in turn order.
    pub player_at: [u8; SEATS],
}

impl Status {
    fn parse(table: &CardTable) -> Result<Status, MessageError> {
        if table[cell::DEAL] != 0 {
            return Err(MessageError::EarlyDeal);
        }
        Ok(Status {
            turn: ranged(table, cell::TURN, 4)?,
            empty_field: table[cell::EMPTY_FIELD] != 0,
            revolution: table[cell::REVOLUTION] != 0,
            lock: table[cell::LOCK] != 0,
            counts: counts(table)?,
            player_at: seats(table)?,
        })
    }
}

/// A turn begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hand {
    /// Own cards.
    pub hand: Cards,
    /// Whether this client is to move.
    pub my_turn: bool,
    /// The public part.
    pub status: Status,
}

impl Hand {
    /// Reads a hand table.
    ///
    /// # Errors
    /// When the table cannot be a hand.
    pub fn parse(table: &CardTable) -> Result<Hand, MessageError> {
        Ok(Hand {
            hand: hand(table)?,
            my_turn: table[cell::MY_TURN] == 1,
            status: Status::parse(table)?,
        })
    }
}

/// A move has been made. The flags are those after the move, before the trick is cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The cards on the field: those of the move, or the ones before when the player passed. The
    /// last trick's cards are not shown to a pass on an empty field. Malformed only where a server
    /// accepts malformed submissions.
    pub cards: Submission,
    /// The public part; `counts` tell a move from a pass.
    pub status: Status,
}

impl Field {
    /// Reads a field table.
    ///
    /// # Errors
    /// When the table cannot be a field.
    pub fn parse(table: &CardTable) -> Result<Field, MessageError> {
        Ok(Field {
            cards: Submission::parse(table),
            status: Status::parse(table)?,
        })
    }
}

fn hand(table: &CardTable) -> Result<Cards, MessageError> {
    check_values(table).map_err(MessageError::Hand)?;
    Ok(named_cards(table))
}

fn ranged(table: &CardTable, cell: Cell, most: i32) -> Result<u8, MessageError> {
    let value = table[cell];
    if (0..=most).contains(&value) {
        Ok(value as u8)
    } else {
        Err(MessageError::Value { cell, value })
    }
}

fn counts(table: &CardTable) -> Result<[u8; SEATS], MessageError> {
    let mut counts = [0; SEATS];
    for (player, count) in counts.iter_mut().enumerate() {
        // 11 are dealt at most, and the daifugo may hold 13 before it gives.
        *count = ranged(table, cell::count(player), 13)?;
    }
    Ok(counts)
}

/// The seats of a server that sends none.
const NO_SEATS: [u8; SEATS] = [0; SEATS];

fn sent_seats(table: &CardTable) -> Result<[u8; SEATS], MessageError> {
    let mut seats = NO_SEATS;
    for (seat, player) in seats.iter_mut().enumerate() {
        *player = ranged(table, cell::seat(seat), 4)?;
    }
    Ok(seats)
}

fn seats(table: &CardTable) -> Result<[u8; SEATS], MessageError> {
    match sent_seats(table)? {
        NO_SEATS => Ok([0, 1, 2, 3, 4]),
        seats if is_permutation(seats) => Ok(seats),
        seats => Err(MessageError::Seats(seats)),
    }
}

fn is_permutation(numbers: [u8; SEATS]) -> bool {
    numbers.iter().fold(0_u8, |set, n| set | 1 << n) == 0x1F
}
