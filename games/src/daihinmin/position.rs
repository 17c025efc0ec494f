//! One game in play: the public table and the five hands, indexed by seat.

use super::cards::Cards;
use super::legal;
use super::meld::Meld;
use super::rules::Rules;
use super::{NO_PLACE, SEATS};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
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

/// One game in play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// What everybody sees.
    pub table: Table,
    /// The hand of each seat.
    pub hands: [Cards; SEATS],
}

impl Position {
    /// A fresh game with these hands: the holder of the diamond 3 leads, seat 0 if nobody holds it.
    pub fn new(hands: [Cards; SEATS], rules: Rules) -> Position {
        let leader = hands
            .iter()
            .position(|h| h.contains_all(Cards::DIAMOND_3))
            .unwrap_or_default();
        Position {
            table: Table::new(leader as u8, rules),
            hands,
        }
    }

    /// Hand of the seat to move.
    #[inline]
    pub fn hand(&self) -> Cards {
        self.hands[usize::from(self.table.turn)]
    }

    /// Number of cards of each seat.
    pub fn counts(&self) -> [u8; SEATS] {
        self.hands.map(|h| h.len() as u8)
    }

    /// Clears `out` and fills it with every legal move of the seat to move, the pass first.
    pub fn legal_moves(&self, out: &mut Vec<Meld>) {
        legal::legal_moves(&self.table, self.hand(), out);
    }

    /// Plays a move of the seat to move.
    ///
    /// # Errors
    /// The reason, when the move is illegal; the position is unchanged.
    pub fn play(&mut self, meld: Meld) -> Result<(), IllegalMove> {
        legal::is_legal(&self.table, self.hand(), meld)?;
        self.play_unchecked(meld);
        Ok(())
    }

    /// Plays a move that is known to be legal.
    #[inline]
    pub fn play_unchecked(&mut self, meld: Meld) {
        self.lay(meld, meld.cards());
        self.table.advance();
    }

    /// First half of a move ([`Table::lay`]), taking `spent` from the mover's hand. `spent` is
    /// `meld.cards()` but where the official server's faults are replayed.
    #[inline]
    pub fn lay(&mut self, meld: Meld, spent: Cards) {
        let hand = &mut self.hands[usize::from(self.table.turn)];
        *hand -= spent;
        let emptied = hand.is_empty();
        self.table.lay(meld, emptied);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cards(s: &str) -> Cards {
        s.parse().expect("cards")
    }

    fn meld(s: &str) -> Meld {
        s.parse().expect("meld")
    }

    fn position(hands: [&str; 5]) -> Position {
        Position::new(hands.map(cards), Rules::default())
    }

    #[test]
    fn owner_gets_turns_until_he_passes_himself() {
        let mut p = position(["D3S4S5", "S6", "S7", "S8", "S9"]);
        p.play(meld("D3")).unwrap();
        for _ in 0..4 {
            p.play(Meld::PASS).unwrap();
        }
        assert_eq!(p.table.turn, 0);
        p.play(meld("S5")).unwrap();
        assert_eq!(p.table.turn, 0, "the others have passed");
        p.play(Meld::PASS).unwrap();
        assert_eq!((p.table.turn, p.table.field), (0, Meld::PASS));
    }

    #[test]
    fn eight_cut_ends_the_trick_and_passes_the_lead_of_a_finished_seat() {
        let mut p = position(["D3H8", "S6S7", "S4", "S5", "S9"]);
        p.play(meld("H8")).unwrap();
        assert_eq!((p.table.turn, p.table.field), (0, Meld::PASS));
        p.play(meld("D3")).unwrap();
        assert_eq!(p.table.places[0], 0);
        assert_eq!(p.table.turn, 1);
        let mut q = position(["D3H9", "S6", "S8", "S5", "S9"]);
        q.play(meld("D3")).unwrap();
        q.play(Meld::PASS).unwrap();
        q.play(meld("S8")).unwrap();
        assert_eq!((q.table.turn, q.table.places[2]), (3, 0));
    }

    #[test]
    fn spade_3_takes_the_lone_joker_and_leads() {
        let mut p = position(["D3J3", "S3S6", "S8S7", "S5", "S9"]);
        p.play(Meld::LONE_JOKER).unwrap();
        assert_eq!(p.play(meld("S6")), Err(IllegalMove::OnlySpade3));
        p.play(meld("S3")).unwrap();
        assert_eq!((p.table.turn, p.table.field), (1, Meld::PASS));
    }

    #[test]
    fn lock_starts_with_equal_suits_and_ends_with_the_lone_joker() {
        let mut p = position(["D3H9", "D4S6", "D7H7", "J3S5", "S9"]);
        p.play(meld("D3")).unwrap();
        p.play(meld("D4")).unwrap();
        assert!(p.table.lock);
        assert_eq!(p.play(meld("H7")), Err(IllegalMove::Locked));
        p.play(meld("D7")).unwrap();
        p.play(Meld::LONE_JOKER).unwrap();
        assert!(!p.table.lock);
    }

    #[test]
    fn revolution_reverses_single_and_sequence_comparison() {
        let mut p = position(["D3H3S3C3HT", "D9S6D8D7", "D7H7", "S5H5", "S9"]);
        p.play(meld("S3H3D3C3")).unwrap();
        assert!(p.table.revolution);
        for _ in 0..5 {
            p.play(Meld::PASS).unwrap();
        }
        p.play(meld("HT")).unwrap();
        assert_eq!(p.table.turn, 1);
        p.play(meld("D9")).unwrap();
        assert_eq!(p.play(meld("S9")), Err(IllegalMove::NotHeld));
        p.play(meld("D7")).unwrap();
        assert!(p.table.lock);
    }

    #[test]
    fn twenty_passes_stall_the_game() {
        let mut p = position(["D3H9", "D4S6", "D7H7", "J3S5", "S9"]);
        for i in 0..20 {
            assert!(!p.table.is_stalled());
            assert_eq!(p.table.turn, i % 5);
            p.play(Meld::PASS).unwrap();
        }
        assert!(p.table.is_stalled());
        p.table.rank_rest(&[3, 1]);
        assert!(p.table.is_over());
        assert_eq!(p.table.places, [2, 1, 3, 0, 4]);
    }
}
