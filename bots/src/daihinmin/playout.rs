//! Uniformly random playouts, and the value that they give to the seat that thinks.

use games::daihinmin::Position;
use rand::Rng;

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
