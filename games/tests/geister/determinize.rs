//! `View::determinize` draws every state that agrees with the view, each as often as any other.

use std::collections::BTreeMap;

use taikyoku_games::geister::{Placement, View};

use super::{drawn, random_move, rng, shown};

/// Draws many states and compares their frequencies with equal ones by a chi-square test.
fn assert_uniform(view: &View, allowed: &[Placement], seed: u64) {
    let mut counts: BTreeMap<Placement, u32> = allowed.iter().map(|&p| (p, 0)).collect();
    let draws = 200 * allowed.len() as u32;
    let mut rng = rng(seed);
    for _ in 0..draws {
        let state = view.determinize(&mut rng);
        assert_eq!(state.view(view.seat()), *view);
        let enemy = state.placement(1 - view.seat());
        let count = counts.get_mut(&enemy);
        *count.unwrap_or_else(|| panic!("{enemy} does not agree with the view")) += 1;
    }
    let expected = f64::from(draws) / allowed.len() as f64;
    let chi2: f64 = counts
        .values()
        .map(|&n| (f64::from(n) - expected).powi(2) / expected)
        .sum();
    // Mean df, variance 2 df: five standard deviations above the mean.
    let df = allowed.len() as f64 - 1.0;
    let limit = df + 5.0 * (2.0 * df).sqrt();
    assert!(chi2 <= limit, "chi2 {chi2:.1} of {df} degrees of freedom");
}

#[test]
fn states_that_agree_are_equally_likely() {
    let mut rng = rng(1);
    let mut sizes = BTreeMap::new();
    for seed in 0..120 {
        let mut position = drawn(&mut rng, 300);
        let mut wanted = seed % 7;
        while position.end().is_none() && wanted > 0 {
            let before = position;
            let mv = random_move(&position, &mut rng);
            wanted -= u64::from(position.play(mv).unwrap().captured.is_some());
            if position.end().is_some() {
                position = before;
                break;
            }
        }
        for seat in 0..2 {
            let view = position.view(seat);
            let agrees = |p: &Placement| {
                shown(&position, 1 - seat).all(|(ghost, colour)| p.colour(ghost) == colour)
            };
            let allowed: Vec<Placement> = Placement::ALL.into_iter().filter(agrees).collect();
            assert!(view.placements().eq(allowed.iter().copied()));
            for p in Placement::ALL {
                assert_eq!(view.allows(p), allowed.contains(&p));
                assert_eq!(view.with(p).is_some(), allowed.contains(&p));
            }
            *sizes.entry(allowed.len()).or_insert(0) += 1;
            assert_uniform(&view, &allowed, seed);
        }
    }
    // Nothing known, one known, and so on down to few possibilities.
    assert!(
        sizes.contains_key(&70) && sizes.contains_key(&35),
        "{sizes:?}"
    );
    assert!(sizes.keys().any(|&n| n <= 5), "{sizes:?}");
}

#[test]
fn a_known_enemy_is_drawn_as_it_is() {
    let position = drawn(&mut rng(2), 200);
    let view = position.final_view(0);
    assert_eq!(view.placements().count(), 1);
    assert_eq!(view.determinize(&mut rng(3)), position);
}
