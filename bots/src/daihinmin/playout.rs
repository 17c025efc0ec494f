//! Playouts, uniformly random or by the learned policy, and what their ends are worth to the seat that thinks.

use games::daihinmin::{Cards, Meld, NO_PLACE, Position, SEATS};
use rand::Rng;

use super::information_state::InformationState;
use super::mover::{Choices, Mover, Policies};
use super::sampler::random_move;

/// The smoothed value of a playout, as the bot Crow uses it. With `r_t` the number of players still
/// in the game at one's own turn t, `V(0) = r_0` and `V(t) = (1 - alpha) V(t-1) + alpha r_t`; the last
/// term is `R = 5 - place` (place 0..=4), once one's own place is known. `alpha` = 1 gives R alone:
/// plain Monte Carlo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TdValue {
    /// Weight of the newest term, in (0, 1].
    pub alpha: f64,
}

impl TdValue {
    #[inline]
    pub(crate) fn step(self, value: f64, term: f64) -> f64 {
        (1.0 - self.alpha) * value + self.alpha * term
    }
}

/// Plays the position out at random until `seat` has its place and gives the value for `seat`, in
/// 1..=5. The position's own turn counts as turn 0 with `start` players (pass the number of
/// players at the decision that is being judged).
#[inline]
pub fn playout(
    position: &mut Position,
    seat: u8,
    td: TdValue,
    start: f64,
    rng: &mut impl Rng,
) -> f64 {
    let mut value = start;
    loop {
        if !position.table.is_alive(seat) {
            let place = position.table.places[usize::from(seat)];
            return td.step(value, 5.0 - f64::from(place));
        }
        if position.table.is_stalled() {
            // Cannot happen while leaders never pass; the mean place of those left ends it.
            let left = f64::from(position.table.players_left());
            return td.step(
                value,
                5.0 - f64::from(position.table.finished) - (left - 1.0) / 2.0,
            );
        }
        if position.table.turn == seat {
            value = td.step(value, f64::from(position.table.players_left()));
        }
        let meld = random_move(&position.table, position.hand(), rng);
        position.play_unchecked(meld);
    }
}

/// A playout under the policy, with the bookkeeping that its inputs need.
#[derive(Debug)]
pub(crate) struct WeightedPlayout<'a> {
    pub(crate) mover: Mover<'a>,
    /// The policy of each seat; the value is that of the seat that thinks.
    pub(crate) policies: Policies<'a>,
    pub(crate) ranks: Option<[u8; SEATS]>,
    pub(crate) values: [f64; SEATS],
    /// Whether it ends at the next decision of the seat that thinks, where the value network judges.
    pub(crate) is_cut: bool,
}

impl WeightedPlayout<'_> {
    /// Plays `first`, if it is given, and then on until `seat` has its place or the playout is cut, and gives the value for
    /// it.
    pub(crate) fn run(
        &mut self,
        position: &mut Position,
        first: Option<Meld>,
        seat: u8,
        rng: &mut impl Rng,
    ) -> f64 {
        let mut left = position
            .hands
            .iter()
            .fold(Cards::EMPTY, |all, &hand| all | hand);
        let mut counts = position.counts();
        let mut given = first;
        loop {
            let turn = position.table.turn;
            let meld = if let Some(meld) = given.take() {
                meld
            } else {
                let hand = position.hand();
                let known = InformationState {
                    table: position.table,
                    hand,
                    others: left - hand,
                    counts,
                    ranks: self.ranks,
                };
                self.mover.networks = self.policies[usize::from(turn)];
                match self.mover.consider(&known) {
                    Choices::One(only) => only,
                    Choices::Several if turn == seat && self.is_cut => {
                        return self.mover.value(&known);
                    }
                    Choices::Several => self.mover.draw_among(&known, rng),
                }
            };
            left -= meld.cards();
            counts[usize::from(turn)] -= meld.len();
            position.play_unchecked(meld);
            let place = position.table.places[usize::from(seat)];
            if place != NO_PLACE {
                return self.values[usize::from(place)];
            }
            if position.table.is_stalled() {
                let place = position.table.finished + (position.table.players_left() / 2) as u8;
                return self.values[usize::from(place)];
            }
        }
    }
}

/// How often one game's place (row) is followed by the next game's place (column) among strong
/// programs.
pub const TRANSITIONS: [[f64; 5]; 5] = [
    [0.575, 0.253, 0.096, 0.049, 0.026],
    [0.276, 0.354, 0.200, 0.100, 0.069],
    [0.087, 0.198, 0.284, 0.247, 0.185],
    [0.038, 0.113, 0.236, 0.315, 0.297],
    [0.024, 0.082, 0.184, 0.288, 0.422],
];

/// Games to come with which the networks were learned.
pub const GAMES_TO_COME: u32 = 20;

/// Value of each place with `games` games to come before ranks are reset, scaled to 0..=1:
/// `v_0 = points`, `v_n+1(i) = points(i) + sum_j T(i, j) v_n(j)` less a constant.
pub fn place_values(games: u32) -> [f64; 5] {
    let points = [5.0, 4.0, 3.0, 2.0, 1.0];
    let mut value: [f64; 5] = points;
    // The differences settle at a rate of the second eigenvalue, about 0.6.
    for _ in 0..games.min(40) {
        let mut next = points;
        for (i, row) in TRANSITIONS.iter().enumerate() {
            next[i] += row.iter().zip(value).map(|(t, v)| t * v).sum::<f64>();
        }
        let base = next[4];
        value = next.map(|v| v - base);
    }
    let (low, high) = (value[4], value[0]);
    value.map(|v| (v - low) / (high - low))
}

#[cfg(test)]
mod tests {
    use super::*;

    use games::daihinmin::{Dealer, Session, SessionRules, View};
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use crate::daihinmin::DaihinminNetworks;

    #[test]
    fn playouts_allocate_nothing() {
        let mut session = Session::new(SessionRules::default(), Dealer::plain(2));
        let start = session.deal().start();
        let view = View::at_start(&start, start.table.turn);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let uniform = allocation_counter::measure(|| {
            for _ in 0..500 {
                let mut position = view.determinize(&mut rng);
                playout(
                    &mut position,
                    view.seat,
                    TdValue { alpha: 0.9 },
                    5.0,
                    &mut rng,
                );
            }
        });
        assert_eq!(uniform.count_total, 0);
        let networks = DaihinminNetworks::built_in();
        for is_cut in [false, true] {
            let mut weighted = WeightedPlayout {
                mover: Mover::new(&networks, 1.0),
                policies: [&networks; SEATS],
                ranks: None,
                values: place_values(20),
                is_cut,
            };
            let mut run = || {
                let mut position = view.determinize(&mut rng);
                let first = Meld::single(view.hand.nth(0).column(), view.hand.nth(0).row());
                weighted.run(&mut position, Some(first), view.seat, &mut rng);
            };
            // The room for the inputs of a decision grows to its size.
            (0..500).for_each(|_| run());
            let learned = allocation_counter::measure(|| (0..500).for_each(|_| run()));
            assert_eq!(learned.count_total, 0);
        }
    }

    #[test]
    fn rows_are_chances_and_the_top_is_worth_more_than_its_points() {
        for row in TRANSITIONS {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 0.002);
        }
        let points = place_values(0);
        for (value, expected) in points.iter().zip([1.0, 0.75, 0.5, 0.25, 0.0]) {
            assert!((value - expected).abs() < 1e-12);
        }
        let settled = place_values(50);
        assert!(settled[1] < 0.75 && settled[0] - settled[1] > settled[3] - settled[4]);
        assert!(settled.windows(2).all(|pair| pair[0] > pair[1]));
    }
}
