//! The rules in force and what everybody at the table sees, indexed by seat.

use super::meld::Meld;
use super::{NO_PLACE, SEATS};

/// Optional rules; the default is the UECda contest's set, all on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields, rename_all = "kebab-case")
)]
pub struct Rules {
    /// Groups of four and sequences of five turn the ranks over (`RULE_KAKUMEI`).
    pub revolution: bool,
    /// Two melds with the same suits in a row lock the trick to these suits (`RULE_SHIBARI`).
    pub lock: bool,
    /// Sequences are melds (`RULE_KAIDAN`).
    pub sequences: bool,
    /// A meld with an 8 ends the trick (`RULE_8GIRI`).
    pub eight_cut: bool,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            revolution: true,
            lock: true,
            sequences: true,
            eight_cut: true,
        }
    }
}

/// Passes in a row after which the game ends and the remaining seats are ranked at random
/// (`protocol/UECDA.md`; refused moves count as passes).
pub const PASSES_TO_STALL: u8 = 20;

/// Why a move may not be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum IllegalMove {
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// A card is not in the mover's hand.
    #[error("a card of the meld is not in the hand")]
    NotHeld,
    /// Sequences are switched off.
    #[error("sequences are switched off")]
    SequenceOff,
    /// Another number of cards lies on the field.
    #[error("the meld has another number of cards than the field")]
    WrongCount,
    /// Another shape lies on the field.
    #[error("the meld has another shape than the field")]
    WrongKind,
    /// The meld does not beat the field's rank.
    #[error("the meld does not beat the field")]
    TooWeak,
    /// The trick is locked to other suits.
    #[error("the trick is locked to other suits")]
    Locked,
    /// Only the spade 3 beats the lone joker.
    #[error("only the spade 3 beats the lone joker")]
    OnlySpade3,
}

/// All that everybody at the table sees, apart from the numbers of cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Table {
    /// The last meld of the trick; [`Meld::PASS`] when the field is empty.
    pub field: Meld,
    /// Seat that laid down the last meld (of this trick or the one before; at the start, the
    /// first leader).
    pub owner: u8,
    /// Seat to move.
    pub turn: u8,
    /// Seats that passed in this trick, one bit each.
    pub passed: u8,
    /// Seats that still hold cards, one bit each; 0 when the game is over.
    pub alive: u8,
    /// Whether the trick is locked to the suits of `field`.
    pub lock: bool,
    /// Whether low ranks beat high ones.
    pub revolution: bool,
    /// Passes since the last meld.
    pub passes_in_row: u8,
    /// Seats ranked so far.
    pub finished: u8,
    /// Place of each seat, [`NO_PLACE`] while it plays.
    pub places: [u8; SEATS],
    /// The rules in force.
    pub rules: Rules,
    /// Whether the last move ended the trick by an 8 or by the spade 3 on the joker.
    pub(super) cleared: bool,
}

impl Table {
    /// A fresh game in which seat `leader` (0..5) leads.
    pub const fn new(leader: u8, rules: Rules) -> Table {
        Table {
            field: Meld::PASS,
            owner: leader,
            turn: leader,
            passed: 0,
            alive: 0x1F,
            lock: false,
            revolution: false,
            passes_in_row: 0,
            finished: 0,
            places: [NO_PLACE; SEATS],
            rules,
            cleared: false,
        }
    }

    /// Whether every seat has its place.
    #[inline]
    pub const fn is_over(&self) -> bool {
        self.alive == 0
    }

    /// Whether twenty passes in a row have stopped the game; see [`Table::rank_rest`].
    #[inline]
    pub const fn is_stalled(&self) -> bool {
        self.passes_in_row >= PASSES_TO_STALL && self.alive != 0
    }

    /// Number of seats that still hold cards.
    #[inline]
    pub const fn players_left(&self) -> u32 {
        self.alive.count_ones()
    }

    /// Whether `seat` still holds cards.
    #[inline]
    pub const fn is_alive(&self, seat: u8) -> bool {
        self.alive >> seat & 1 != 0
    }

    /// Whether `seat` has passed in this trick.
    #[inline]
    pub const fn has_passed(&self, seat: u8) -> bool {
        self.passed >> seat & 1 != 0
    }

    /// First half of a move of the seat to move: the meld goes on the field and the flags and
    /// places follow. The trick is not yet cleared and the turn does not yet move; this is the
    /// moment that the field table of the protocol shows. `emptied` says that the mover has no
    /// card left.
    #[inline]
    pub fn lay(&mut self, meld: Meld, emptied: bool) {
        let seat = self.turn;
        let bit = 1 << seat;
        self.cleared = false;
        if meld.is_pass() {
            self.passed |= bit;
            self.passes_in_row += 1;
            return;
        }
        self.passes_in_row = 0;
        let previous = self.field;
        if meld.is_lone_joker() {
            self.lock = false;
        } else {
            self.lock |= self.rules.lock && meld.suits() == previous.suits();
            self.revolution ^= self.rules.revolution && meld.revolts();
        }
        self.cleared = (self.rules.eight_cut && meld.cuts()) || previous.is_lone_joker();
        self.field = meld;
        self.owner = seat;
        if emptied {
            self.places[usize::from(seat)] = self.finished;
            self.finished += 1;
            self.alive &= !bit;
            if self.alive.is_power_of_two() {
                self.places[self.alive.trailing_zeros() as usize] = self.finished;
                self.finished += 1;
                self.alive = 0;
            }
        }
    }

    /// Second half of a move: ends the trick if it is over and hands on the turn. Does nothing
    /// once the game is over or stalled.
    #[inline]
    pub fn advance(&mut self) {
        if self.alive == 0 || self.is_stalled() {
            return;
        }
        let active = self.alive & !self.passed;
        if self.cleared || active == 0 {
            self.field = Meld::PASS;
            self.passed = 0;
            self.lock = false;
            self.cleared = false;
            self.turn = if self.is_alive(self.owner) {
                self.owner
            } else {
                next(self.alive, self.owner)
            };
        } else {
            self.turn = next(active, self.turn);
        }
    }

    /// Ranks the seats that still play in the order given and ends the game. Seats that do not
    /// play are skipped; seats missing from `order` follow in seat order.
    pub fn rank_rest(&mut self, order: &[u8]) {
        for &seat in order.iter().chain(&[0, 1, 2, 3, 4]) {
            if self.is_alive(seat) {
                self.places[usize::from(seat)] = self.finished;
                self.finished += 1;
                self.alive &= !(1 << seat);
            }
        }
    }
}

/// The first seat after `seat`, in turn order, that is in the non-empty `mask`.
#[inline]
const fn next(mask: u8, seat: u8) -> u8 {
    let twice = (mask as u16) | ((mask as u16) << 5);
    let n = seat + 1 + (twice >> (seat + 1)).trailing_zeros() as u8;
    if n >= 5 { n - 5 } else { n }
}
