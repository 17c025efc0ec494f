//! The end between two seats: both hands are known to each, so it is solved exactly.

use std::collections::HashMap;
use std::time::Instant;

use games::daihinmin::{Cards, Meld, Position, View, legal_moves};

/// Positions after which the solver gives up.
const LIMIT: usize = 60_000;

/// What a position is to the solver: the two hands, the field and the flags.
type Key = (Cards, Cards, Meld, u8, u8, bool, bool, u8);

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
    let mut solver = Solver {
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

struct Solver {
    known: HashMap<Key, bool>,
    deadline: Option<Instant>,
}

impl Solver {
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
        let late =
            self.known.len() % 64 == 63 && self.deadline.is_some_and(|end| Instant::now() >= end);
        if late || self.known.len() >= LIMIT {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daihinmin::sampler::below;
    use games::daihinmin::Rules;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

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
}
