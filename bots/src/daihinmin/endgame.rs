//! The end between two seats: both hands are known to each, so it is solved exactly.

use std::collections::HashMap;

use games::daihinmin::{Cards, Meld, Position, View, legal_moves_no_waste};

/// Positions after which the solver gives up.
const LIMIT: usize = 60_000;

/// What a position is to the solver: the two hands, the field and the flags.
type Key = (Cards, Cards, Meld, u8, u8, bool, bool, u8);

/// A move that wins the place between the last two seats, if the seat to move has one; `None`
/// when it is lost, too large, or not an end between two.
pub(crate) fn winning_move(view: &View) -> Option<Meld> {
    if view.table.players_left() != 2 {
        return None;
    }
    let mut hands = [Cards::EMPTY; 5];
    hands[usize::from(view.seat)] = view.hand;
    let rival = (view.table.alive & !(1 << view.seat)).trailing_zeros() as usize;
    hands[rival] = view.unseen();
    let position = Position {
        table: view.table,
        hands,
    };
    let mut solver = Solver {
        known: HashMap::new(),
    };
    let mut moves = Vec::new();
    legal_moves_no_waste(&position.table, view.hand, &mut moves);
    moves.sort_by_key(|m| std::cmp::Reverse(m.len()));
    moves
        .into_iter()
        .find(|&meld| solver.after(&position, meld, view.seat) == Some(true))
}

struct Solver {
    known: HashMap<Key, bool>,
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
        if self.known.len() >= LIMIT {
            return None;
        }
        let mut moves = Vec::with_capacity(16);
        legal_moves_no_waste(t, position.hand(), &mut moves);
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
