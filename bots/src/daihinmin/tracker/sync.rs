//! Taking the server's word where it differs from the tracked game.

use games::daihinmin::{Meld, NO_PLACE, SEATS, Table, View};
use protocol::uecda::Hand;

use super::seat_finder;

/// Makes `view` agree with a hand table and gives the differences in words. `last_meld` goes back
/// on the field when the server has not cleared it.
pub(super) fn take_over(view: &mut View, hand: &Hand, last_meld: Meld) -> Vec<String> {
    let status = &hand.status;
    let mut wrong = Vec::new();
    if view.hand != hand.hand {
        wrong.push(format!("hand {} for {}", hand.hand, view.hand));
        view.hand = hand.hand;
    }
    let counts = status.player_at.map(|p| status.counts[usize::from(p)]);
    if view.counts != counts {
        wrong.push(format!("counts {counts:?} for {:?}", view.counts));
        view.counts = counts;
    }
    let table = &mut view.table;
    let alive = (0..SEATS).fold(0_u8, |set, s| set | u8::from(counts[s] > 0) << s);
    if table.alive != alive {
        wrong.push(format!("seats {alive:#b} in play for {:#b}", table.alive));
        set_alive(table, alive);
    }
    if table.revolution != status.revolution {
        wrong.push(format!("revolution {}", status.revolution));
        table.revolution = status.revolution;
    }
    if status.empty_field && !table.field.is_pass() {
        wrong.push(format!("an empty field for {}", table.field));
        table.field = Meld::PASS;
        table.passed = 0;
    } else if !status.empty_field && table.field.is_pass() {
        wrong.push(format!("{last_meld} on the field for nothing"));
        table.field = last_meld;
    }
    if table.lock != status.lock {
        wrong.push(format!("lock {}", status.lock));
        table.lock = status.lock;
    }
    let turn = if hand.my_turn {
        view.seat
    } else {
        seat_finder(status)(status.turn)
    };
    if table.turn != turn {
        wrong.push(format!("seat {turn} to move for {}", table.turn));
        table.turn = turn;
    }
    table.passed &= !(1 << turn);
    if table.is_stalled() {
        wrong.push("play goes on after twenty passes".to_owned());
        table.passes_in_row = 0;
    }
    wrong
}

/// Makes the seats in `alive` play and ranks those that are newly out, in seat order.
fn set_alive(table: &mut Table, alive: u8) {
    table.alive = alive;
    for (seat, place) in table.places.iter_mut().enumerate() {
        if alive >> seat & 1 != 0 {
            *place = NO_PLACE;
        }
    }
    table.finished = table
        .places
        .iter()
        .filter(|&&place| place != NO_PLACE)
        .count() as u8;
    for seat in (0..SEATS).filter(|seat| alive >> seat & 1 == 0) {
        if table.places[seat] == NO_PLACE {
            table.places[seat] = table.finished;
            table.finished += 1;
        }
    }
}
