//! What the mover knows, which is all that the networks read of a decision.

use games::daihinmin::{Cards, Position, SEATS, Table, View};

#[derive(Clone, Copy, Debug)]
pub struct InformationState {
    pub table: Table,
    pub hand: Cards,
    /// The cards that the others hold together.
    pub others: Cards,
    /// Numbers of cards by seat.
    pub counts: [u8; SEATS],
    /// Places in the last game by seat.
    pub ranks: Option<[u8; SEATS]>,
}

impl InformationState {
    pub fn of(view: &View) -> InformationState {
        InformationState {
            table: view.table,
            hand: view.hand,
            others: view.unseen(),
            counts: view.counts,
            ranks: view.ranks,
        }
    }

    /// What a rich seat knows when it decides its gift. Over the wire the daifugo does not see the exchange of the other two
    /// seats, which it knows all the same: the networks have learned with it.
    pub fn at_gift(view: &View) -> InformationState {
        let mut known = InformationState {
            table: Table::new(view.seat, view.table.rules),
            ..InformationState::of(view)
        };
        let seat_of = |place: u8| view.ranks?.iter().position(|&rank| rank == place);
        if seat_of(0) == Some(usize::from(view.seat))
            && let (Some(fugo), Some(hinmin)) = (seat_of(1), seat_of(3))
        {
            known.counts[fugo] += 1;
            known.counts[hinmin] = known.counts[hinmin].saturating_sub(1);
        }
        known
    }

    pub fn in_position(position: &Position, ranks: Option<[u8; SEATS]>) -> InformationState {
        let all = position.hands.iter().fold(Cards::EMPTY, |all, &h| all | h);
        InformationState {
            table: position.table,
            hand: position.hand(),
            others: all - position.hand(),
            counts: position.counts(),
            ranks,
        }
    }
}
