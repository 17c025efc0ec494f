//! How often the interval of a rating has the truth in it.

use super::*;

/// Pairs of games, seats exchanged, in which the first is by `points` stronger.
fn pairs(first: usize, second: usize, points: f64, n: usize, rng: &mut impl Rng) -> Vec<Block> {
    let chance = 1.0 / (1.0 + (-points / POINTS).exp());
    let game = |entrants: [usize; 2], rng: &mut dyn FnMut() -> f64| {
        let wins = rng() < chance;
        let ahead = |entrant: usize| (entrant == first) == wins;
        outcome(
            entrants.to_vec(),
            &entrants.map(|e| f64::from(u8::from(ahead(e)))),
        )
    };
    let mut draw = || rng.random_range(0.0..1.0);
    let block = |_| {
        Block::from_iter([
            game([first, second], &mut draw),
            game([second, first], &mut draw),
        ])
    };
    (0..n).map(block).collect()
}

/// The share of intervals with the truth in it, by entrant but the first, in leagues of entrant 0 against each of the others,
/// which are by so many points weaker and play so many pairs.
fn coverage(others: &[(f64, usize)], leagues: u64, seed: u64) -> Vec<f64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut covered = vec![0.0; others.len()];
    for seed in 0..leagues {
        let mut blocks = Vec::new();
        for (other, &(weaker, n)) in (1..).zip(others) {
            blocks.extend(pairs(0, other, weaker, n, &mut rng));
        }
        let plan = Plan {
            resamples: 100,
            seed,
            ..Plan::default()
        };
        let found = ratings(others.len() + 1, &blocks, plan);
        let rated = found.entrants[1..].iter().zip(others);
        for (covered, (rating, (weaker, _))) in covered.iter_mut().zip(rated) {
            let has = (rating.rating + weaker).abs() <= rating.half_width;
            *covered += f64::from(u8::from(has)) / leagues as f64;
        }
    }
    covered
}

#[test]
fn near_separation_intervals_cover_the_truth() {
    for (weaker, pairs) in [(700.0, 60), (400.0, 30), (1000.0, 20)] {
        let covered = coverage(&[(weaker, pairs)], 400, 11)[0];
        assert!(covered >= 0.93, "{weaker} in {pairs}: {covered}");
    }
}

#[test]
fn opponents_with_few_blocks_have_intervals_of_their_own() {
    let others = [(50.0, 3), (-80.0, 5), (0.0, 20), (100.0, 20), (30.0, 20)];
    let covered = coverage(&others, 300, 12);
    assert!(covered.iter().all(|&c| c >= 0.91), "{covered:?}");
    let gauntlet = [(0.0, 8), (100.0, 8), (-100.0, 8), (200.0, 8), (50.0, 8)];
    let covered = coverage(&gauntlet, 200, 13);
    let mean = covered.iter().sum::<f64>() / 5.0;
    assert!((0.93..0.995).contains(&mean), "{covered:?}");
}

#[test]
fn results_that_are_all_alike_leave_much_open() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(14);
    let all_won = |n: usize, rng: &mut Xoshiro256PlusPlus| {
        let found = ratings(2, &pairs(1, 0, 1e9, n, rng), Plan::default());
        (found.entrants[1], found.superior[1][0])
    };
    let (two, better) = all_won(2, &mut rng);
    assert!(two.rating > 300.0 && two.half_width > two.rating, "{two:?}");
    assert!(better.unwrap() < 0.975, "{better:?}");
    let (many, better) = all_won(60, &mut rng);
    assert!(
        many.half_width > 200.0 && better.unwrap() > 0.99,
        "{many:?} {better:?}"
    );
    assert_eq!(all_won(1, &mut rng).1, None);
    assert!(all_won(1, &mut rng).0.half_width.is_infinite());

    let drawn = Block::from_iter([
        outcome(vec![0, 1], &[0.0, 0.0]),
        outcome(vec![1, 0], &[0.0, 0.0]),
    ]);
    let found = ratings(2, &vec![drawn; 20], Plan::default());
    assert!(found.entrants[1].half_width > 20.0, "{found:?}");
}
