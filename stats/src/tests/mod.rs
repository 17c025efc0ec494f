//! Simulated tournaments whose truth is known.

use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;

mod coverage;
mod means;
mod sprt;

/// A draw from Gumbel's distribution: the order of strengths plus such noise is that of Plackett and Luce.
fn gumbel(rng: &mut impl Rng) -> f64 {
    let u: f64 = (f64::from(rng.next_u32()) + 0.5) / 4_294_967_296.0;
    -(-u.ln()).ln()
}

/// Places of performances, the largest is the best.
fn places(performances: &[f64]) -> Vec<u8> {
    let better = |p: &f64| performances.iter().filter(|q| *q > p).count() as u8;
    performances.iter().map(better).collect()
}

fn outcome(entrants: Vec<usize>, performances: &[f64]) -> Outcome {
    let places = places(performances);
    let points = places
        .iter()
        .map(|&p| (places.len() - 1 - usize::from(p)) as f64)
        .collect();
    Outcome {
        entrants,
        places,
        points,
    }
}

/// Blocks of `size` games of three out of four entrants with these strengths in rating points; `luck` is the
/// weight of what the deal gives to each seat, `kept` whether all games of a block have the same deal.
fn tournament(
    strengths: &[f64; 4],
    blocks: usize,
    luck: f64,
    kept: bool,
    rng: &mut Xoshiro256PlusPlus,
) -> Vec<Block> {
    let block = |i: usize| {
        let mut entrants: Vec<usize> = (0..4).filter(|e| *e != i % 4).collect();
        let mut deal: Vec<f64> = (0..3).map(|_| luck * gumbel(rng)).collect();
        let game = |_| {
            if !kept {
                deal = (0..3).map(|_| luck * gumbel(rng)).collect();
            }
            entrants.rotate_left(1);
            let seated = entrants.iter().zip(&deal);
            let performances: Vec<f64> = seated
                .map(|(&e, luck)| strengths[e] / POINTS + luck + gumbel(rng))
                .collect();
            outcome(entrants.clone(), &performances)
        };
        (0..3).map(game).collect::<Block>()
    };
    (0..blocks).map(block).collect()
}

#[test]
fn ratings_find_the_strengths() {
    let strengths = [0.0, 100.0, -50.0, 300.0];
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let blocks = tournament(&strengths, 8000, 0.0, true, &mut rng);
    let plan = Plan {
        resamples: 30,
        ..Plan::default()
    };
    let found = ratings(4, &blocks, plan);
    for (rating, strength) in found.entrants.iter().zip(strengths) {
        assert!((rating.rating - strength).abs() < 12.0, "{found:?}");
        assert!(rating.half_width < 14.0, "{found:?}");
        assert_eq!(rating.games, 18_000);
    }
    assert_eq!((found.entrants[0].half_width, found.draw), (0.0, None));
}

#[test]
fn intervals_cover_the_truth() {
    let strengths = [0.0, 60.0, -120.0, 200.0];
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let (mut covered, mut all) = (0_u32, 0_u32);
    for seed in 0..400 {
        let blocks = tournament(&strengths, 60, 0.0, true, &mut rng);
        let plan = Plan {
            resamples: 100,
            seed,
            ..Plan::default()
        };
        let found = ratings(4, &blocks, plan);
        for (rating, strength) in found.entrants.iter().zip(strengths).skip(1) {
            covered += u32::from((rating.rating - strength).abs() <= rating.half_width);
            all += 1;
        }
    }
    let share = f64::from(covered) / f64::from(all);
    assert!((0.93..=0.97).contains(&share), "{share}");
}

#[test]
fn a_deal_that_is_played_by_all_shrinks_intervals() {
    let strengths = [0.0, 60.0, -120.0, 200.0];
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut width = |kept: bool| -> f64 {
        let blocks = tournament(&strengths, 300, 2.0, kept, &mut rng);
        standings(4, &blocks)
            .iter()
            .map(|s| s.score.half_width())
            .sum()
    };
    let (kept, fresh) = (width(true), width(false));
    assert!(kept < 0.75 * fresh, "{kept} against {fresh}");
}

#[test]
fn draws_of_two_follow_davidson() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let (a, b, nu) = (10_f64.powf(0.25), 1.0, 0.8);
    let drawn = nu * f64::sqrt(a * b);
    let game = |_| {
        let u: f64 = rng.random_range(0.0..a + b + drawn);
        let places = if u < a {
            vec![0, 1]
        } else if u < a + b {
            vec![1, 0]
        } else {
            vec![0, 0]
        };
        let points = places.iter().map(|&p| 1.0 - f64::from(p)).collect();
        let game = Outcome {
            entrants: vec![1, 0],
            places,
            points,
        };
        Block::from_iter([game])
    };
    let blocks: Vec<Block> = (0..20_000).map(game).collect();
    let plan = Plan {
        resamples: 20,
        ..Plan::default()
    };
    let found = ratings(2, &blocks, plan);
    assert!((found.entrants[1].rating - 100.0).abs() < 8.0, "{found:?}");
    assert!((found.draw.unwrap() - 0.8).abs() < 0.05, "{found:?}");
}

#[test]
fn shared_places_rate_equals_equal() {
    let game = |places: Vec<u8>| Outcome {
        entrants: vec![0, 1, 2],
        points: vec![0.0; 3],
        places,
    };
    let block = Block::from_iter([
        game(vec![0, 0, 2]),
        game(vec![0, 0, 0]),
        game(vec![1, 1, 0]),
    ]);
    let plan = Plan {
        resamples: 0,
        ..Plan::default()
    };
    let found = ratings(3, &vec![block.clone(); 50], plan);
    assert!(found.entrants[1].rating.abs() < 1e-6, "{found:?}");
    let table = cross_table(3, std::slice::from_ref(&block));
    let cross = table[0][2].unwrap();
    assert_eq!((cross.ahead, cross.level, cross.behind), (1, 1, 1));
    assert!((cross.score.mean - 0.5).abs() < 1e-12);
    assert_eq!(table[0][0], None);
    assert!((block.games[0].win_share(0) - 0.5).abs() < 1e-12);
    assert!((block.games[0].mean_place(1) - 1.5).abs() < 1e-12);
    assert!((block.games[1].score(2) - 0.5).abs() < 1e-12);
    assert!((block.games[2].score(0) - 0.25).abs() < 1e-12);
}

#[test]
fn a_block_of_weight_two_counts_as_two() {
    let scores = [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]];
    let game = |scores: &[f64; 2]| Block::from_iter([outcome(vec![0, 1], scores)]);
    let blocks: Vec<Block> = scores.iter().map(game).collect();
    let plan = Plan {
        resamples: 0,
        ..Plan::default()
    };
    let [a, b, c] = &blocks[..] else {
        unreachable!("three blocks");
    };
    let weighted = [(a, 1, 2.0), (b, 2, 0.5), (c, 1, 0.5)];
    let weighted = Booked::weighted(2, weighted).ratings(plan);
    let doubled = [a, a, a, a, b, b, c].map(|block| (block, 1, 0.5));
    let doubled = Booked::weighted(2, doubled).ratings(plan);
    let difference = weighted.entrants[1].rating - doubled.entrants[1].rating;
    assert!(difference.abs() < 1e-9, "{weighted:?} {doubled:?}");
    assert!(weighted.entrants[1].rating < 0.0);
}

#[test]
fn an_anchor_that_plays_rarely_leaves_the_others_known() {
    let game =
        |entrants: Vec<usize>, scores: &[f64; 2]| Block::from_iter([outcome(entrants, scores)]);
    let mut blocks = vec![game(vec![0, 1], &[0.0, 1.0]); 3];
    for i in 0..300 {
        let scores = if i % 3 == 0 { [0.0, 1.0] } else { [1.0, 0.0] };
        blocks.push(game(vec![1, 2], &scores));
    }
    let found = ratings(3, &blocks, Plan::default()).entrants;
    for known in &found[1..] {
        assert!(known.half_width > 200.0, "{found:?}");
        assert!(known.half_width_to_mean < 50.0, "{found:?}");
    }
    assert!(found[0].half_width_to_mean > 200.0 && found[0].half_width == 0.0);
}

#[test]
fn one_that_wins_every_game_has_a_finite_rating() {
    let game = outcome(vec![0, 1, 2], &[1.0, 3.0, 2.0]);
    let blocks = vec![Block::from_iter([game]); 40];
    let found = ratings(3, &blocks, Plan::default());
    assert!(found.entrants.iter().all(|r| r.rating.is_finite()));
    assert!(found.entrants[1].rating > 400.0, "{found:?}");
}

/// Pairs of games with the seats exchanged: win, draw or loss each.
fn pair(score: f64, rng: &mut Xoshiro256PlusPlus) -> f64 {
    let draw = 0.2;
    let game = |rng: &mut Xoshiro256PlusPlus| {
        let u: f64 = rng.random_range(0.0..1.0);
        if u < draw {
            0.5
        } else {
            f64::from(u8::from(u < draw + score - draw / 2.0))
        }
    };
    f64::midpoint(game(rng), game(rng))
}

#[test]
fn the_test_errs_as_rarely_as_designed() {
    let hypotheses = Hypotheses::of_ratings(0.0, 60.0, 0.05, 0.05);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut errors = |truth: f64, right: Verdict| {
        let mut wrong = 0;
        for _ in 0..1000 {
            let mut test = Sprt::pentanomial(hypotheses);
            while test.add(pair(truth, &mut rng)) == Verdict::Open {
                assert!(test.blocks() < 20_000);
            }
            wrong += u32::from(test.verdict() != right);
            // The verdict holds.
            assert_eq!(test.add(0.0), test.verdict());
        }
        wrong
    };
    let lower = errors(hypotheses.s0, Verdict::Lower);
    let higher = errors(hypotheses.s1, Verdict::Higher);
    assert!(lower <= 65 && higher <= 65, "{lower} {higher}");
}

#[test]
fn the_test_of_many_seats_errs_as_rarely_as_designed() {
    // Mean scores of sessions hardly ever come twice: the test takes them as normal.
    let hypotheses = Hypotheses {
        s0: 0.5,
        s1: 0.53,
        alpha: 0.05,
        beta: 0.05,
    };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    let mut errors = |truth: f64, right: Verdict| {
        let mut wrong = 0;
        for _ in 0..300 {
            let mut test = Sprt::normal(hypotheses);
            loop {
                // Of deviation 0.1.
                let sum: f64 = (0..12).map(|_| rng.random_range(0.0..1.0)).sum();
                if test.add(truth + (sum - 6.0) / 10.0) != Verdict::Open {
                    break;
                }
                assert!(test.blocks() < 5000);
            }
            wrong += u32::from(test.verdict() != right);
            assert_eq!(test.add(1.0 - truth), test.verdict());
        }
        wrong
    };
    let lower = errors(hypotheses.s0, Verdict::Lower);
    let higher = errors(hypotheses.s1, Verdict::Higher);
    assert!(lower <= 26 && higher <= 26, "{lower} {higher}");
}

#[test]
fn means_by_entrant_are_those_of_its_blocks() {
    let strengths = [0.0, 60.0, -120.0, 200.0];
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let blocks = tournament(&strengths, 41, 1.0, true, &mut rng);
    for (entrant, standing) in standings(4, &blocks).into_iter().enumerate() {
        let due = |value: &dyn Fn(&Outcome, usize) -> f64| {
            let blocks: Vec<f64> = blocks
                .iter()
                .filter_map(|b| b.mean_of(entrant, value))
                .collect();
            (
                blocks.len() as u64,
                blocks.iter().sum::<f64>() / blocks.len() as f64,
            )
        };
        for (got, (blocks, mean)) in [
            (standing.place, due(&Outcome::mean_place)),
            (standing.points, due(&|game, seat| game.points[seat])),
            (standing.wins, due(&Outcome::win_share)),
            (standing.score, due(&Outcome::score)),
        ] {
            assert_eq!(got.blocks, blocks);
            assert!((got.mean - mean).abs() < 1e-12);
        }
    }
}

#[test]
fn the_multinomial_and_the_normal_ratio_agree_on_many_blocks() {
    let hypotheses = Hypotheses::of_ratings(0.0, 20.0, 1e-9, 1e-9);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    let (mut few, mut many) = (Sprt::pentanomial(hypotheses), Sprt::normal(hypotheses));
    for _ in 0..600 {
        let score = pair(0.51, &mut rng);
        few.add(score);
        many.add(score);
    }
    let (few, many) = (few.ratio().unwrap(), many.ratio().unwrap());
    assert!((few - many).abs() < 0.05 * few.abs().max(1.0));
}

#[test]
fn means_and_students_quantiles_are_those_of_the_tables() {
    for (degrees, due) in [
        (1.0, 12.7062),
        (2.0, 4.30265),
        (3.0, 3.182_45),
        (5.0, 2.570_58),
        (10.0, 2.228_14),
        (100.0, 1.983_97),
        (1e6, 1.959_97),
    ] {
        let got = student(degrees);
        assert!((got - due).abs() < 2e-3, "{degrees}: {got}");
    }
    let mean = Mean::of([1.0, 2.0, 3.0, 4.0], [0.0, 5.0]);
    assert!((mean.mean - 2.5).abs() < 1e-12 && (mean.deviation - 1.290_994).abs() < 1e-6);
}

#[test]
fn chances_of_the_normal_distribution_are_those_of_the_tables() {
    for (x, due) in [
        (0.0, 0.5),
        (1.0, 0.841_344_7),
        (-1.959_964, 0.025),
        (3.0, 0.998_650_1),
    ] {
        assert!((student::normal(x) - due).abs() < 1e-6, "{x}");
    }
}

#[test]
fn ratings_grow_into_the_last_and_the_stronger_is_likely_stronger() {
    let strengths = [0.0, 60.0, -120.0, 200.0];
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let blocks = tournament(&strengths, 300, 1.0, true, &mut rng);
    let booked = Booked::of(4, &blocks);
    let found = booked.ratings(Plan::default());
    let steps = booked.progress(0, 12);
    assert_eq!(
        (steps.len(), steps[0].blocks, steps[11].blocks),
        (12, 25, 300)
    );
    for (rating, last) in found.entrants.iter().zip(&steps[11].ratings) {
        assert!((rating.rating - last.unwrap()).abs() < 1e-3);
    }
    // The first block seats three of four.
    let first = &Booked::of(4, &blocks[..1]).progress(1, 12)[0];
    assert_eq!(first.ratings.iter().filter(|r| r.is_some()).count(), 3);
    for i in 0..4 {
        for j in 0..4 {
            if i == j {
                continue;
            }
            let both = found.superior[i][j].unwrap() + found.superior[j][i].unwrap();
            assert!((both - 1.0).abs() < 1e-6, "{found:?}");
            assert_eq!(
                found.superior[i][j].unwrap() > 0.5,
                strengths[i] > strengths[j],
                "{found:?}"
            );
        }
    }
    assert!(found.superior[3][2].unwrap() > 0.999, "{found:?}");
}

#[test]
fn two_that_no_chain_of_games_connects_have_no_interval() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut game = |a: usize, b: usize| outcome(vec![a, b], &[gumbel(&mut rng), gumbel(&mut rng)]);
    let mut blocks: Vec<Block> = (0..100)
        .map(|i| Block::from_iter([if i % 2 == 0 { game(0, 1) } else { game(2, 3) }]))
        .collect();
    let found = ratings(5, &blocks, Plan::default());
    let is_known = |found: &Ratings| -> Vec<bool> {
        let all = found.entrants.iter();
        all.map(|rating| rating.half_width.is_finite()).collect()
    };
    assert_eq!(is_known(&found), [true, true, false, false, false]);
    assert!(found.superior[0][2].is_none() && found.superior[3][1].is_none());
    assert!(found.superior[2][3].is_some());
    // An anchor without a game has none either.
    let anchored = Plan {
        anchor: 4,
        ..Plan::default()
    };
    assert_eq!(is_known(&ratings(5, &blocks, anchored)), [false; 5]);
    blocks.push(Block::from_iter([game(1, 2)]));
    let found = ratings(5, &blocks, Plan::default());
    assert_eq!(is_known(&found), [true, true, true, true, false]);
}
