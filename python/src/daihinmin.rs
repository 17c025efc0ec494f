//! Daihinmin: what a seat may know as numbers, and a number for every gift and meld that there is.

use std::collections::HashMap;
use std::sync::LazyLock;

use games::daihinmin::{
    Card, Cards, DECK, Daihinmin, Dealer, Meld, NO_PLACE, Rules, SEATS, Session, SessionRules, Turn,
};
use games::{Game as _, Hidden as _, Seat};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::encoded::{Encoded, Tensor};

/// Melds: the pass, 53 single cards, 520 groups, 2,032 sequences. Gifts: 53 of one card, 1,378 of two.
const ACTIONS: usize = 1 + 53 + 520 + 2032 + 53 + 1378;

/// Numbers of turns: by size and rank, as `python/README.md` lists them.
static NUMBERS: LazyLock<HashMap<Turn, usize>> = LazyLock::new(|| {
    let mut turns = vec![Turn::Lay(Meld::PASS)];
    let mut lay = |meld| turns.push(Turn::Lay(meld));
    for column in 1..=13 {
        (0..4).for_each(|row| lay(Meld::single(column, row)));
    }
    lay(Meld::LONE_JOKER);
    for column in 1..=13 {
        for suits in (0..16_u8).filter(|suits| suits.count_ones() >= 2) {
            lay(Meld::group(column, suits, None));
            let rows = (0..4).filter(|row| suits >> row & 1 == 1);
            rows.for_each(|row| lay(Meld::group(column, suits, Some(row))));
        }
        lay(Meld::group(column, 15, Some(4)));
    }
    for len in 3..=14 {
        for low in 0..=15 - len {
            // Columns 0 and 14 have no cards: only the joker can stand there.
            let (below, above) = (low == 0, low + len == 15);
            for row in 0..4 {
                if !below && !above {
                    lay(Meld::sequence(low, len, row, None));
                }
                let stands = |column: &u8| (!below || *column == 0) && (!above || *column == 14);
                let columns = (low..low + len).filter(stands);
                columns.for_each(|column| lay(Meld::sequence(low, len, row, Some(column))));
            }
        }
    }
    let cards: Vec<Cards> = Cards::ALL.iter().map(Cards::from).collect();
    turns.extend(cards.iter().map(|&card| Turn::Give(card)));
    for (i, &first) in cards.iter().enumerate() {
        turns.extend(cards[..i].iter().map(|&card| Turn::Give(first | card)));
    }
    assert_eq!(turns.len(), ACTIONS, "numbers of turns");
    (0..)
        .zip(turns)
        .map(|(number, turn)| (turn, number))
        .collect()
});

const SIZE: usize = {
    let field = DECK + 4 + 15 + 1 + 5;
    let exchanged = 2 * DECK + SEATS;
    let flags = 2 * SEATS * SEATS + 6 * SEATS;
    DECK + field + SEATS * DECK + exchanged + flags + 3
};

/// Writes numbers one after the other.
struct Writer<'a>(std::slice::IterMut<'a, f32>);

impl Writer<'_> {
    fn put(&mut self, number: f32) {
        *self.0.next().expect("an observation has SIZE numbers") = number;
    }

    fn flag(&mut self, flag: bool) {
        self.put(u8::from(flag).into());
    }

    /// One number of `n` is 1; none where `at` is not below `n`.
    fn one_of(&mut self, n: usize, at: usize) {
        (0..n).for_each(|i| self.flag(i == at));
    }

    /// 53 numbers: the suits of the 3, those of the 4, and so on to the 2, and the joker.
    fn cards(&mut self, cards: Cards) {
        Cards::ALL
            .iter()
            .for_each(|card: Card| self.flag(cards.contains(card)));
    }
}

impl Encoded for Daihinmin {
    const TENSORS: &'static [Tensor] = &[Tensor {
        name: "g",
        shape: &[SIZE],
    }];
    const ACTIONS: usize = ACTIONS;
    const MOST_POINTS: f64 = 5.0;

    /// A game with ranks, in which the poor have given their cards and the rich are to give.
    fn begin_after(rules: &Rules, places: &[u8], seed: u64) -> Option<Self> {
        let places: [u8; SEATS] = places.try_into().ok()?;
        if !(0..SEATS as u8).all(|place| places.contains(&place)) {
            return None;
        }
        let rules = SessionRules {
            game: *rules,
            ..SessionRules::default()
        };
        let mut session = Session::new(rules, Dealer::plain(seed));
        session.deal();
        session.finish(places);
        let deal = session.deal();
        // The seats were drawn, so the order of the players in them is a lot.
        Some(Daihinmin::from_deal(&deal, deal.player_at))
    }

    fn action(&self, turn: Turn) -> usize {
        let number = NUMBERS.get(&turn);
        *number.expect("every legal turn has a number")
    }

    fn observe(&self, seat: Seat, out: &mut [f32]) {
        let game = self.view(seat);
        let (view, table) = (&game.view, &game.view.table);
        let relative = |seat: u8| (usize::from(seat) + SEATS - usize::from(view.seat)) % SEATS;
        let seats: [usize; SEATS] = std::array::from_fn(|i| (usize::from(view.seat) + i) % SEATS);
        let mut out = Writer(out.iter_mut());

        out.cards(view.hand);
        out.cards(table.field.cards());
        out.one_of(4, table.field.kind() as usize);
        let low = usize::from(table.field.low());
        out.one_of(15, if table.field.is_pass() { 15 } else { low });
        out.put(f32::from(table.field.len()) / 16.0);
        (0..5).for_each(|row| out.flag(table.field.suits() >> row & 1 == 1));
        for seat in seats {
            out.cards(view.played[seat]);
        }
        out.cards(view.exchanged.given);
        out.cards(view.exchanged.received);
        out.one_of(SEATS, view.exchanged.partner.map_or(SEATS, relative));

        let place = |place: u8| {
            if place == NO_PLACE {
                SEATS
            } else {
                place.into()
            }
        };
        for seat in seats {
            out.one_of(SEATS, place(table.places[seat]));
        }
        for seat in seats {
            out.one_of(SEATS, view.ranks.map_or(SEATS, |ranks| place(ranks[seat])));
        }
        for seat in seats {
            out.put((f32::from(view.counts[seat]) / 16.0).min(1.0));
            out.put(game.owed[seat] as f32 / 2.0);
            out.flag(table.is_alive(seat as u8));
            out.flag(table.has_passed(seat as u8));
            out.flag(usize::from(table.owner) == seat);
            out.flag(usize::from(table.turn) == seat && !table.is_over());
        }
        out.flag(table.lock);
        out.flag(table.revolution);
        out.put(f32::from(table.passes_in_row) / 20.0);
        debug_assert_eq!(out.0.len(), 0, "numbers of an observation");
    }

    fn determinized(&self, seat: Seat, rng: &mut Xoshiro256PlusPlus) -> Self {
        Daihinmin::determinize(&self.view(seat), rng)
    }

    fn drawing(&self) -> String {
        let (hands, table) = (self.state().hands, &self.state().table);
        let owed = self.public_view().owed;
        let seats = hands.iter().enumerate().map(|(seat, hand)| {
            let number = seat as u8;
            let mark = if self.to_move() == Some(Seat::at(seat)) {
                '>'
            } else {
                ' '
            };
            let state = match table.places[seat] {
                NO_PLACE if owed[seat] > 0 => format!(" (owes {})", owed[seat]),
                NO_PLACE if table.has_passed(number) => " (has passed)".to_owned(),
                NO_PLACE => String::new(),
                place => format!(" (place {})", place + 1),
            };
            format!("{mark} seat {seat}: {hand}{state}\n")
        });
        let field = match table.field {
            field if field.is_pass() => "empty".to_owned(),
            field => format!("{field} of seat {}", table.owner),
        };
        let flags = [(table.lock, ", locked"), (table.revolution, ", revolution")];
        let flags = flags.map(|(is_on, text)| if is_on { text } else { "" });
        format!(
            "{}table: {field}{}\n",
            seats.collect::<String>(),
            flags.concat()
        )
    }
}
