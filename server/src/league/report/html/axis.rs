//! Axes of plots.

/// A scale from values to pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    values: [f64; 2],
    pixels: [f64; 2],
}

impl Axis {
    /// An axis on which all `values` that are finite have a place, with a little room at both ends.
    pub(super) fn over(values: impl IntoIterator<Item = f64>, pixels: [f64; 2]) -> Axis {
        let finite = values.into_iter().filter(|v| v.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
            (low.min(v), high.max(v))
        });
        let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
        let room = ((high - low) * 0.06).max(high.abs().max(1.0) * 1e-6);
        // All values alike: one unit on both sides.
        let room = if high > low { room } else { 1.0 };
        Axis {
            values: [low - room, high + room],
            pixels,
        }
    }

    /// Where a value stands; one that is beyond stands at the end.
    pub(super) fn at(&self, value: f64) -> f64 {
        let [low, high] = self.values;
        let [from, to] = self.pixels;
        from + (value.clamp(low, high) - low) / (high - low) * (to - from)
    }

    /// Round values with a line each, about `count` of them.
    pub(super) fn ticks(&self, count: usize) -> Vec<f64> {
        let [low, high] = self.values;
        let rough = (high - low) / count.max(1) as f64;
        let power = 10_f64.powf(rough.log10().floor());
        let steps = [0.5, 1.0, 2.0, 5.0, 10.0].map(|s| s * power);
        let fits = steps.iter().position(|&s| s >= rough * 0.999);
        // A step of nearly the whole axis may have no multiple on it: then the next smaller one has.
        let sizes = (0..=fits.unwrap_or(steps.len() - 1)).rev();
        let ticks = sizes.map(|size| {
            let step = steps[size];
            let first = (low / step).ceil() as i64;
            let last = (high / step).floor() as i64;
            (first..=last).map(|i| i as f64 * step).collect()
        });
        ticks
            .into_iter()
            .find(|ticks: &Vec<f64>| !ticks.is_empty())
            .unwrap_or_default()
    }
}

/// Digits behind the point that tell ticks apart.
pub(super) fn digits(ticks: &[f64]) -> usize {
    let step = match ticks {
        [a, b, ..] => b - a,
        _ => 1.0,
    };
    (-step.log10().floor()).clamp(0.0, 6.0) as usize
}
