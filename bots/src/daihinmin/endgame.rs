//! Ends that are solved: between two seats, whose hands are known to each; and an order of melds in which each but the
//! last is sure to give the lead back, whatever the others hold.

use std::collections::HashMap;
use std::time::Instant;

use games::daihinmin::{Cards, Meld, Position, Table, View, legal_moves, legal_moves_no_waste};

use crate::search::is_over;

const MOST_POSITIONS: usize = 60_000;

/// What a position is to the solver: the two hands, the field and the flags.
type PositionKey = (Cards, Cards, Meld, u8, u8, bool, bool, u8);

/// A move that wins the place between the last two seats, if the seat to move has one; `None`
/// when it is lost, too large, or not an end between two.
pub(crate) fn winning_move(view: &View, deadline: Option<Instant>) -> Option<Meld> {
    if view.table.players_left() != 2 {
        return None;
    }
    let mut hands = [Cards::EMPTY; 5];
    hands[usize::from(view.seat)] = view.hand;
    let rival = (view.table.alive & !(1 << view.seat)).trailing_zeros() as usize;
    hands[rival] = view.unseen();
    // A server that lost a card leaves the rival's hand unknown; near twenty passes in a row the
    // draw by lot would have to be counted.
    if hands[rival].len() != u32::from(view.counts[rival]) || view.table.passes_in_row > 10 {
        return None;
    }
    let position = Position {
        table: view.table,
        hands,
    };
    let mut solver = EndgameSolver {
        known: HashMap::new(),
        deadline,
    };
    let mut moves = Vec::new();
    legal_moves(&position.table, view.hand, &mut moves);
    moves.sort_by_key(|m| std::cmp::Reverse(m.len()));
    moves
        .into_iter()
        .find(|&meld| solver.after(&position, meld, view.seat) == Some(true))
}

/// The search between two seats, exact since both hands are known.
struct EndgameSolver {
    known: HashMap<PositionKey, bool>,
    deadline: Option<Instant>,
}

impl EndgameSolver {
    /// Whether `seat` wins after `meld`.
    fn after(&mut self, position: &Position, meld: Meld, seat: u8) -> Option<bool> {
        // A pass on an empty field only hands on the lead; it is left out so that lines end.
        if meld.is_pass() && position.table.field.is_pass() {
            return Some(false);
        }
        let mut next = *position;
        next.play_unchecked(meld);
        if next.table.is_over() {
            let rival = (position.table.alive & !(1 << seat)).trailing_zeros() as usize;
            return Some(next.table.places[usize::from(seat)] < next.table.places[rival]);
        }
        let mover_wins = self.wins(&next)?;
        Some(mover_wins == (next.table.turn == seat))
    }

    /// Whether the seat to move wins; `None` when the limit is reached.
    fn wins(&mut self, position: &Position) -> Option<bool> {
        let t = &position.table;
        let me = t.turn;
        let rival = (t.alive & !(1 << me)).trailing_zeros() as usize;
        let key = (
            position.hand(),
            position.hands[rival],
            t.field,
            t.owner,
            t.passed & t.alive,
            t.lock,
            t.revolution,
            me,
        );
        if let Some(&win) = self.known.get(&key) {
            return Some(win);
        }
        let late = self.known.len() % 64 == 63 && is_over(self.deadline);
        if late || self.known.len() >= MOST_POSITIONS {
            return None;
        }
        let mut moves = Vec::with_capacity(16);
        legal_moves(t, position.hand(), &mut moves);
        moves.sort_by_key(|m| std::cmp::Reverse(m.len()));
        let mut win = false;
        for meld in moves {
            if self.after(position, meld, me)? {
                win = true;
                break;
            }
        }
        self.known.insert(key, win);
        Some(win)
    }
}

const MOST_NODES: u32 = 2_000;

/// Looks for a move that begins a certain win for the seat to move. Certain means: against every
/// deal of the unseen cards (their union is taken as one hand, limited by the largest rival hand).
pub(crate) fn sure_win(view: &View, deadline: Option<Instant>) -> Option<Meld> {
    let mut search = SureWin {
        others: view.unseen(),
        rivals: view.counts,
        nodes: 0,
        deadline,
    };
    search.rivals[usize::from(view.seat)] = 0;
    search.find(&view.table, view.hand)
}

/// The search for an order of melds in which each but the last gives the lead back, whatever the others hold.
struct SureWin {
    others: Cards,
    rivals: [u8; 5],
    nodes: u32,
    deadline: Option<Instant>,
}

impl SureWin {
    fn find(&mut self, table: &Table, hand: Cards) -> Option<Meld> {
        self.nodes += 1;
        let late = self.nodes.is_multiple_of(16) && is_over(self.deadline);
        if late {
            self.nodes = MOST_NODES;
        }
        if self.nodes > MOST_NODES || late {
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
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use crate::daihinmin::sampler::below;

    /// Whether the seat to move can go out first, by trying every line; passes on an empty field
    /// are left out on both sides.
    fn wins(position: &Position) -> bool {
        let me = position.table.turn;
        let mut moves = Vec::new();
        legal_moves(&position.table, position.hand(), &mut moves);
        moves.iter().any(|&meld| {
            if meld.is_pass() && position.table.field.is_pass() {
                return false;
            }
            let mut next = *position;
            next.play_unchecked(meld);
            if next.table.is_over() {
                return next.hands[usize::from(me)].is_empty();
            }
            wins(&next) == (next.table.turn == me)
        })
    }

    #[test]
    fn agrees_with_trying_every_line() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
        let mut won = 0;
        for round in 0..400 {
            let mut deck = Cards::ALL;
            let mut hands = [Cards::EMPTY; 5];
            for hand in hands.iter_mut().take(2) {
                for _ in 0..4 {
                    let card = deck.nth(below(&mut rng, deck.len()));
                    deck -= Cards::from(card);
                    hand.insert(card);
                }
            }
            let mut position = Position::new(hands, Rules::default());
            position.table.alive = 0b11;
            position.table.finished = 3;
            position.table.turn = 0;
            position.table.owner = 0;
            position.table.revolution = round % 3 == 0;
            let mut view = View::at_start(&position, 0);
            view.played[4] = deck;
            let found = winning_move(&view, None);
            assert_eq!(found.is_some(), wins(&position), "{position:?}");
            if let Some(meld) = found {
                won += 1;
                position.play(meld).expect("a legal move");
                let over = position.table.is_over();
                assert!(over || wins(&position) == (position.table.turn == 0));
            }
        }
        assert!((100..400).contains(&won), "{won}");
    }

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
