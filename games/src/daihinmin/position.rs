//! One game in play: the public table and the five hands, indexed by seat.

use super::SEATS;
use super::cards::Cards;
use super::legal;
use super::meld::Meld;
use super::table::{IllegalMove, Rules, Table};

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
