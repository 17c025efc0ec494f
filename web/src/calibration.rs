//! Curves from what engines estimate to how often positions of such an estimate are won.
//!
//! `node web/browser/calibration.js` compares the estimates of an engine with the results of games, and fits a curve to
//! them: the logit of a share is multiplied by `slope` and moved by `shift`. An engine estimates a position by the best of
//! many moves, which on the mean is too high: a shift corrects that, and in games of more than two it also moves the even
//! share. What an engine has proved is on no curve.

use games::GameName;

use GameName::{Blokus, Daihinmin, Dobutsu, Geister, ScoreFour};

/// Slopes and shifts by game and by the name that an engine gives itself in its reasons; the empty name stands for all
/// others. They are fitted to 70 to 300 games of `best` against itself. Fits to half of the games were tested on the
/// others: the mean error of ten bins fell from 9 to 13 % to 3 to 9 %. A slope of 1 leaves estimates as they are, also
/// where no curve is proven to be better. An engine without a curve shows no value: `alphazero` was 22 % off in one small
/// sample, and of the positions that the tree searches of Blokus call won, most were not won.
const CURVES: [(GameName, &str, f64, f64); 8] = [
    (ScoreFour, "best", 1.0, 0.0),
    (ScoreFour, "", 0.75, -0.31),
    (Dobutsu, "alphabeta", 1.0, 0.0),
    (Geister, "best", 0.8, -0.45),
    (Geister, "policy", 1.0, 0.0),
    (Blokus, "best", 2.58, 1.49),
    (Blokus, "blokus-zero", 3.41, 2.06),
    (Daihinmin, "", 0.85, -0.3),
];

/// A monotone map of values, from -1, a loss, to 1, a win, which maps both ends to themselves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Curve {
    slope: f64,
    shift: f64,
}

impl Curve {
    /// The curve of an engine, by the name that it gives itself; `None` where its estimates say nothing of results.
    pub(crate) fn of(game: GameName, engine: Option<&str>) -> Option<Curve> {
        let find = |name: &str| {
            let mut curves = CURVES.iter();
            curves.find(|(of, engine, ..)| *of == game && *engine == name)
        };
        let found = find(engine.unwrap_or_default()).or_else(|| find(""));
        found.map(|&(.., slope, shift)| Curve { slope, shift })
    }

    pub(crate) fn value(self, estimate: f64) -> f64 {
        // A value is the hyperbolic tangent of half of the logit of its share.
        let half = estimate.clamp(-1.0, 1.0).atanh();
        (self.slope * half + self.shift / 2.0).tanh()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_rise_within_their_ends_and_keep_an_even_game_where_they_have_no_shift() {
        for (game, engine, slope, shift) in CURVES {
            let curve = Curve::of(game, Some(engine)).expect("a curve");
            assert_eq!(curve, Curve { slope, shift });
            let values: Vec<f64> = (-100..=100)
                .map(|n| curve.value(f64::from(n) / 100.0))
                .collect();
            assert!(
                values.windows(2).all(|pair| pair[0] < pair[1]),
                "{game}, {engine}"
            );
            assert_eq!((values[0], values[200]), (-1.0, 1.0));
            assert_eq!(values[100] == 0.0, shift == 0.0, "{game}, {engine}");
            // Values beyond the ends are clamped.
            assert_eq!((curve.value(-1.1), curve.value(f64::INFINITY)), (-1.0, 1.0));
        }
    }

    #[test]
    fn an_engine_has_its_own_curve_or_that_of_the_others_or_none() {
        let slope = |game, engine| Curve::of(game, engine).map(|curve| curve.slope);
        assert_eq!(slope(ScoreFour, Some("best")), Some(1.0));
        assert_eq!(slope(ScoreFour, Some("uct")), Some(0.75));
        assert_eq!(slope(Daihinmin, None), Some(0.85));
        assert_eq!(slope(Blokus, Some("mcts-maxn")), None);
        assert_eq!(slope(Blokus, None), None);
    }
}
