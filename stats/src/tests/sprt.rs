//! The sequential test of scores that vary little.

use super::*;

#[test]
fn scores_that_vary_little_have_a_verdict_no_sooner_than_the_normal_ratio_says() {
    let hypotheses = Hypotheses {
        s0: 0.50,
        s1: 0.51,
        alpha: 0.05,
        beta: 0.05,
    };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(10);
    let (mut blocks, mut wrong, leagues) = (0, 0, 200);
    for _ in 0..leagues {
        let mut test = Sprt::normal(hypotheses);
        assert_eq!(test.ratio(), None);
        loop {
            // Of deviation 0.02.
            let sum: f64 = (0..12).map(|_| rng.random_range(0.0..1.0)).sum();
            match test.add(0.51 + (sum - 6.0) / 50.0) {
                Verdict::Open => assert!(test.blocks() < 1000),
                verdict => {
                    wrong += u32::from(verdict == Verdict::Lower);
                    break;
                }
            }
        }
        assert!(test.blocks() >= Sprt::LEAST_BLOCKS);
        blocks += test.blocks();
    }
    let mean = blocks as f64 / f64::from(leagues);
    // Wald's test of a known variance needs 21 in the mean, and no verdict falls before the sixteenth.
    assert!((20.0..35.0).contains(&mean), "{mean}");
    assert!(wrong <= 20, "{wrong}");
    // Scores that are all alike are no infinite evidence.
    let mut same = Sprt::normal(hypotheses);
    for _ in 0..16 {
        same.add(0.51);
    }
    assert!(same.ratio().unwrap().is_finite());
}
