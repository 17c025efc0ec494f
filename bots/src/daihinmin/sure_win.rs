//! The search for a certain win: an order of melds in which each but the last is sure to give the
//! lead back, whatever the others hold.

use std::time::Instant;

use games::daihinmin::{Cards, Meld, Table, View, legal_moves, legal_moves_no_waste};

/// Nodes after which the search gives up.
const LIMIT: u32 = 2_000;

/// Looks for a move that begins a certain win for the seat to move. Certain means: against every
/// deal of the unseen cards (their union is taken as one hand, limited by the largest rival hand).
pub(crate) fn sure_win(view: &View, deadline: Option<Instant>) -> Option<Meld> {
    let mut search = Search {
        others: view.unseen(),
        rivals: view.counts,
        nodes: 0,
        deadline,
    };
    search.rivals[usize::from(view.seat)] = 0;
    search.find(&view.table, view.hand)
}

struct Search {
    others: Cards,
    rivals: [u8; 5],
    nodes: u32,
    deadline: Option<Instant>,
}

impl Search {
    fn find(&mut self, table: &Table, hand: Cards) -> Option<Meld> {
        self.nodes += 1;
        let late =
            self.nodes.is_multiple_of(16) && self.deadline.is_some_and(|end| Instant::now() >= end);
        if late {
            self.nodes = LIMIT;
        }
        if self.nodes > LIMIT || late {
            return None;
        }
        let mut moves = Vec::with_capacity(32);
        legal_moves_no_waste(table, hand, &mut moves);
        moves.retain(|m| !m.is_pass());
        if let Some(&out) = moves.iter().find(|m| u32::from(m.len()) == hand.len()) {
            return Some(out);
        }
        // Many cards first: fewer melds are left to place.
        moves.sort_by_key(|m| std::cmp::Reverse(m.len()));
        moves.into_iter().find(|&meld| {
            self.lead_after(table, meld)
                .is_some_and(|next| self.find(&next, hand - meld.cards()).is_some())
        })
    }

    /// The table on which the mover leads again after `meld`, if that is certain.
    fn lead_after(&self, table: &Table, meld: Meld) -> Option<Table> {
        let me = table.turn;
        let mut next = *table;
        next.lay(meld, false);
        let rivals = next.alive & !next.passed & !(1 << me);
        let largest = (0..5)
            .filter(|seat| rivals >> seat & 1 != 0)
            .map(|seat| self.rivals[seat])
            .max()
            .unwrap_or(0);
        next.advance();
        let leads = |t: &Table| t.turn == me && t.field.is_pass();
        if leads(&next) {
            return Some(next);
        }
        if largest >= meld.len() && (rivals != 0) {
            // As one rival with all unseen cards; its passing shows that nobody can answer.
            let mut answers = Vec::with_capacity(16);
            legal_moves(&next, self.others, &mut answers);
            if answers.iter().any(|m| !m.is_pass()) {
                return None;
            }
        }
        for _ in 0..10 {
            if leads(&next) {
                return Some(next);
            }
            next.lay(Meld::PASS, false);
            next.advance();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::daihinmin::{Position, Rules};

    fn view(hands: [&str; 5]) -> View {
        let position = Position::new(hands.map(|h| h.parse().expect("cards")), Rules::default());
        View::at_start(&position, position.table.turn)
    }

    #[test]
    fn finds_eight_cut_then_last_meld_and_control_by_top_cards() {
        // The unseen set of a View is the whole rest of the deck, so only an 8 or the joker
        // beside the spade 3 gives control here.
        let v = view(["D3H8", "S6S7", "S4", "S5", "S9"]);
        assert_eq!(sure_win(&v, None), "H8".parse().ok());
        let v = view(["D3J3S3", "S6S7", "S4", "S5", "S9"]);
        assert!(sure_win(&v, None).is_some());
        let v = view(["D3J3", "S6S7", "S4", "S5", "S9S3"]);
        assert!(
            sure_win(&v, None).is_some_and(|m| m.len() == 2),
            "a pair of threes goes out"
        );
        let v = view(["D3H9", "S6S7", "S4", "S5", "S8"]);
        assert_eq!(sure_win(&v, None), None);
    }
}
