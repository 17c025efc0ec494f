//! What a place is worth: its points now, and the better or worse start of the games to come.

/// How often one game's place (row) is followed by the next game's place (column) among strong
/// programs; the reference figures of the UECda specification, section 3.2.
pub const TRANSITIONS: [[f64; 5]; 5] = [
    [0.575, 0.253, 0.096, 0.049, 0.026],
    [0.276, 0.354, 0.200, 0.100, 0.069],
    [0.087, 0.198, 0.284, 0.247, 0.185],
    [0.038, 0.113, 0.236, 0.315, 0.297],
    [0.024, 0.082, 0.184, 0.288, 0.422],
];

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
