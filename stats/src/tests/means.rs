//! Means whose intervals a person has worked out.

use super::*;

#[test]
fn students_chances_are_those_of_the_tables() {
    for (x, degrees, due) in [
        (1.0, 1, 0.75),
        (-12.706_2, 1, 0.025),
        (4.302_65, 2, 0.975),
        (3.182_45, 3, 0.975),
        (-1.812_46, 10, 0.05),
        (2.570_58, 5, 0.975),
        (1.983_97, 100, 0.975),
        (2.364_22, 100, 0.99),
        (1.962_34, 1000, 0.975),
        (1.962_34, 1001, 0.975),
        (0.0, 7, 0.5),
    ] {
        let got = student::below(x, degrees);
        assert!((got - due).abs() < 2e-6, "{x} {degrees}: {got}");
    }
}

#[test]
fn a_mean_of_blocks_of_unequal_size_is_that_of_all_values() {
    // Values 1; 0, 0, 1; 1, 1: the residuals are 1 - 2/3, 1 - 2 and 2 - 4/3.
    let mean = Mean::ratio([(1.0, 1.0), (1.0, 3.0), (2.0, 2.0)], UNIT);
    assert!((mean.mean - 4.0 / 6.0).abs() < 1e-12);
    let squares = (1.0_f64 / 9.0) + 1.0 + 4.0 / 9.0;
    assert!((mean.deviation - (squares / 2.0).sqrt() / 2.0).abs() < 1e-9);
    let same = [
        Mean::ratio([(2.0, 1.0), (1.0, 1.0)], [0.0, 2.0]),
        Mean::of([1.0, 2.0], [0.0, 2.0]),
    ];
    assert_eq!(same[0], same[1]);
}

const UNIT: [f64; 2] = [0.0, 1.0];

/// Blocks of `games` games, of which so many were won in each.
fn won(games: f64, won: &[f64]) -> Mean {
    Mean::ratio(won.iter().map(|&won| (won, games)), UNIT)
}

#[test]
fn ends_of_one_kind_of_loss_are_those_of_its_likelihood() {
    // Of n blocks k were won, the others lost: with the chance q of a loss the likelihood is (1 - q)^k q^(n - k + 1/20), for
    // the block that was not seen is lost. At the lower end it is exp(-cost) of the largest one.
    for (n, lost) in [(20.0, 0.0), (20.0, 1.0), (50.0, 4.0), (400.0, 4.0)] {
        let results: Vec<f64> = (0..n as u32)
            .map(|block| f64::from(u8::from(f64::from(block) >= lost)))
            .collect();
        let found = won(1.0, &results).low;
        let unseen = lost + 0.05;
        let weight = (n - 1.0) / n;
        let cost = 1.959_964_f64.powi(2) / 2.0 * weight * (1.0 + 5.0 / (n + 2.0));
        let log = |q: f64| (n - lost) * (1.0 - q).ln() + unseen * q.ln();
        let spent = weight * (log(unseen / (n + 0.05)) - log(1.0 - found));
        assert!((spent - cost).abs() < 1e-5, "{n} {lost}: {found}");
    }
    // The upper end of none lost is what is possible, and the other side is its image.
    assert!((won(2.0, &[2.0; 16]).high - 1.0).abs() < 1e-12);
    let [wins, losses] = [
        won(2.0, &[2.0, 1.0, 2.0, 0.0]),
        won(2.0, &[0.0, 1.0, 0.0, 2.0]),
    ];
    assert!(
        (wins.low + losses.high - 1.0).abs() < 1e-9 && (wins.high + losses.low - 1.0).abs() < 1e-9
    );
}

#[test]
fn a_game_that_is_lost_lowers_both_ends() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(31);
    let at_most = |a: f64, b: f64| a <= b + 1e-9;
    for case in 0..3000 {
        let games = [1, 2, 5, 40][case % 4];
        let chance = [0.5, 0.9, 0.99, 1.0, 0.1][case % 5];
        let opponents = 1 + case % 3;
        let blocks = 2 + rng.random_range(0..[3, 12, 40][case % 3]);
        let mut won: Vec<(usize, f64)> = (0..blocks)
            .map(|block| {
                let won = (0..games).filter(|_| rng.random_bool(chance)).count();
                (block % opponents, won as f64)
            })
            .collect();
        let mean = |won: &[(usize, f64)], extra: Option<usize>| {
            let mut sample = Sample::default();
            for &(opponent, won) in won.iter().chain(&extra.map(|opponent| (opponent, 0.0))) {
                sample.add(opponent, won, f64::from(games));
            }
            sample.mean(UNIT)
        };
        let before = mean(&won, None);
        assert!(
            at_most(0.0, before.low) && at_most(before.low, before.mean),
            "{won:?}"
        );
        assert!(
            at_most(before.mean, before.high) && at_most(before.high, 1.0),
            "{won:?}"
        );
        let falls = |after: Mean| {
            let is_lower = at_most(after.low, before.low) && at_most(after.high, before.high);
            assert!(is_lower, "{won:?} of {games}: {before:?} {after:?}");
        };
        // Another block with no game won, where one opponent is met; with several its share of the blocks grows, too.
        if opponents == 1 {
            falls(mean(&won, Some(0)));
        }
        let block = rng.random_range(0..blocks);
        if won[block].1 > 0.0 {
            won[block].1 -= 1.0;
            let after = mean(&won, None);
            assert!(
                at_most(after.low, before.low) && at_most(after.high, before.high),
                "{won:?}"
            );
        }
    }
    // What made these intervals narrower once: one game lost of 32, and of 100.
    for n in [16, 50] {
        let mut results = vec![2.0; n];
        let all = won(2.0, &results);
        results[0] = 1.0;
        let but_one = won(2.0, &results);
        assert!(
            but_one.low < all.low && but_one.high < 1.0,
            "{all:?} {but_one:?}"
        );
    }
}

#[test]
fn few_blocks_have_wide_intervals_and_one_has_none() {
    let two = won(2.0, &[2.0, 2.0]);
    assert!(two.low < 0.3 && two.ends().is_some(), "{two:?}");
    for unknown in [
        won(2.0, &[2.0]),
        won(2.0, &[]),
        // All values alike, of what might have been others.
        Mean::of([1.0; 9], [1.0, 1.0]),
    ] {
        assert!(
            unknown.half_width().is_infinite() && unknown.ends().is_none(),
            "{unknown:?}"
        );
    }
    // A few long sessions say much.
    let sessions = won(500.0, &[270.0, 281.0, 276.0, 290.0, 262.0, 275.0]);
    assert!(sessions.half_width() < 0.05, "{sessions:?}");
}

#[test]
fn opponents_of_unlike_strength_are_no_chance() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(32);
    let chances = [0.95, 0.7, 0.4, 0.15];
    let leagues = 2000;
    let mut covered = 0;
    let [mut width, mut width_of_all] = [0.0; 2];
    for _ in 0..leagues {
        let [mut by_opponent, mut all] = [Sample::default(), Sample::default()];
        for (opponent, &chance) in chances.iter().enumerate() {
            for _ in 0..10 {
                let won = (0..2).filter(|_| rng.random_bool(chance)).count() as f64;
                by_opponent.add(opponent, won, 2.0);
                all.add(0, won, 2.0);
            }
        }
        let [mean, of_all] = [by_opponent, all].map(|sample| sample.mean(UNIT));
        assert!((mean.mean - of_all.mean).abs() < 1e-12);
        covered += u32::from((mean.low..=mean.high).contains(&0.55));
        width += mean.high - mean.low;
        width_of_all += of_all.high - of_all.low;
    }
    let share = f64::from(covered) / f64::from(leagues);
    assert!((0.935..0.975).contains(&share), "{share}");
    assert!(width < 0.8 * width_of_all, "{width} {width_of_all}");
}

#[test]
fn mean_scores_of_all_entrants_add_up_whatever_their_seats() {
    // Five seats of three entrants: two of them sit twice. Equally many blocks of each kind.
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(21);
    let block = |single: usize| {
        let mut entrants: Vec<usize> = (0..3).chain((0..3).filter(|&e| e != single)).collect();
        let game = |_| {
            entrants.rotate_left(1);
            let noise: Vec<f64> = entrants
                .iter()
                .map(|&e| e as f64 + gumbel(&mut rng))
                .collect();
            outcome(entrants.clone(), &noise)
        };
        (0..5).map(game).collect::<Block>()
    };
    let blocks: Vec<Block> = (0..60).map(|i| i % 3).map(block).collect();
    let all = standings(3, &blocks);
    let sum = |value: &dyn Fn(&Standing) -> f64| all.iter().map(value).sum::<f64>();
    assert!((sum(&|s| s.score.mean) - 1.5).abs() < 1e-9, "{all:?}");
    // Means of seats: weighted by seats they are those of all games.
    let seats = |value: &dyn Fn(&Standing) -> f64| sum(&|s| s.seats as f64 * value(s));
    assert!((seats(&|s| s.place.mean) - 300.0 * 15.0).abs() < 1e-6);
    assert!((seats(&|s| s.wins.mean) - 300.0).abs() < 1e-6);
    assert!((sum(&|s| s.points_total) - 300.0 * 10.0).abs() < 1e-9);
    // An entrant is not measured by its own copies: its score is that of the cross table.
    for (entrant, (line, row)) in all.iter().zip(cross_table(3, &blocks)).enumerate() {
        let met: Vec<Cross> = row.into_iter().flatten().collect();
        let pairs = |c: &Cross| (c.ahead + c.level + c.behind) as f64;
        let won = met.iter().map(|c| c.ahead as f64 + c.level as f64 / 2.0);
        let due = won.sum::<f64>() / met.iter().map(pairs).sum::<f64>();
        assert!((line.score.mean - due).abs() < 1e-9, "{entrant}");
    }
}

#[test]
fn intervals_of_means_with_unequal_seats_cover_the_truth() {
    // Entrant 0 has one seat of three or two of them, by turns, and scores better alone.
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(22);
    let block = |i: usize, rng: &mut Xoshiro256PlusPlus| {
        let entrants = if i.is_multiple_of(2) {
            vec![0, 1, 2]
        } else {
            vec![0, 0, 1]
        };
        let strength = |e: usize| {
            if e == 0 {
                0.5 - 0.5 * (i % 2) as f64
            } else {
                0.0
            }
        };
        let noise: Vec<f64> = entrants
            .iter()
            .map(|&e| strength(e) + gumbel(rng))
            .collect();
        Block::from_iter([outcome(entrants, &noise)])
    };
    let of = |n: usize, rng: &mut Xoshiro256PlusPlus| {
        let blocks: Vec<Block> = (0..n).map(|i| block(i, rng)).collect();
        standings(3, &blocks)[0].wins
    };
    let truth = of(200_000, &mut rng).mean;
    let leagues = 1500;
    let covered = (0..leagues)
        .filter(|_| {
            let wins = of(40, &mut rng);
            (wins.low..=wins.high).contains(&truth)
        })
        .count();
    let share = covered as f64 / f64::from(leagues);
    assert!((0.93..0.975).contains(&share), "{share}");
}

#[test]
fn chances_have_wilsons_intervals() {
    for (hits, trials, low, high) in [(108, 200, 0.4709, 0.6076), (9, 200, 0.0238, 0.0833)] {
        let got = wilson(hits, trials);
        assert!(
            (got[0] - low).abs() < 1e-4 && (got[1] - high).abs() < 1e-4,
            "{got:?}"
        );
    }
    assert!(wilson(0, 10)[0].abs() < 1e-12);
}

#[test]
fn scores_of_games_for_two_count_both_seats() {
    let game = |entrants: [usize; 2], places: [u8; 2]| Outcome {
        entrants: entrants.to_vec(),
        places: places.to_vec(),
        points: vec![0.0; 2],
    };
    let blocks = [
        Block::from_iter([game([0, 1], [0, 1]), game([1, 0], [0, 0])]),
        Block::from_iter([game([0, 1], [1, 0]), game([1, 0], [1, 0])]),
    ];
    let score = Score::of(0, &blocks);
    assert_eq!((score.wins, score.draws, score.losses), (2, 1, 1));
    assert!((score.score.mean - 0.625).abs() < 1e-12 && score.score.blocks == 2);
    assert!((score.win_rate().unwrap() - 2.0 / 3.0).abs() < 1e-12);
    assert!((score.draw_rate() - 0.25).abs() < 1e-12);
    assert!((Score::of(1, &blocks).score.mean - 0.375).abs() < 1e-12);
}

#[test]
fn duels_are_counted_by_game_and_by_pair() {
    let game = |entrants: [usize; 2], places: [u8; 2]| Outcome {
        entrants: entrants.to_vec(),
        places: places.to_vec(),
        points: vec![0.0; 2],
    };
    let pair = |[first, second]: [[u8; 2]; 2]| {
        Block::from_iter([game([0, 1], first), game([1, 0], second)])
    };
    let (win, draw, loss) = ([0, 1], [0, 0], [1, 0]);
    // By the first entrant: 2, 3/2, 1, 1 and 0 points; the second game is told from the other side.
    let blocks = [
        [win, loss],
        [win, draw],
        [draw, draw],
        [win, win],
        [loss, win],
    ]
    .map(pair);
    let all = standings(2, &blocks);
    let both = duels(2, &blocks, |entrant| all[entrant].score).unwrap();
    assert_eq!((both[0].won, both[0].drawn, both[0].lost), (4, 3, 3));
    assert_eq!((both[1].won, both[1].drawn, both[1].lost), (3, 3, 4));
    assert_eq!(
        (both[0].pairs, both[1].pairs),
        ([1, 0, 2, 1, 1], [1, 1, 2, 0, 1])
    );
    // The score is 0.55, with the deviations 0.45, 0.2, -0.05 twice and -0.55 of the pairs.
    let elo = 400.0 * (0.55_f64 / 0.45).log10();
    assert!((both[0].elo.value - elo).abs() < 1e-9 && (both[1].elo.value + elo).abs() < 1e-9);
    let deviation = (0.55_f64 / 4.0).sqrt() * 2.0_f64.sqrt();
    let normalized = 800.0 / std::f64::consts::LN_10 * 0.05 / deviation;
    let got = both[0].normalized_elo;
    assert!(
        (got.value - normalized).abs() < 1e-9,
        "{got:?} is not {normalized}"
    );
    // By the delta method, with the skewness and the kurtosis of these pairs; 2.776 is Student's quantile.
    let unit = 800.0 / std::f64::consts::LN_10 / 2.0_f64.sqrt();
    let [third, fourth] = [3, 4].map(|power| {
        let deviations = [0.45_f64, 0.2, -0.05, -0.05, -0.55];
        let about = |d: &f64| (d / (0.55_f64 / 5.0).sqrt()).powi(power);
        deviations.iter().map(about).sum::<f64>() / 5.0
    });
    let value = got.value / unit;
    let variance = 1.0 - value * third + value * value * (fourth - 1.0) / 4.0;
    let half_width = unit * 2.776_445 * (variance / 5.0).sqrt();
    assert!(
        (got.high - got.value - half_width).abs() < 1.0,
        "{got:?} is not ± {half_width}"
    );
    assert!((got.high + got.low - 2.0 * got.value).abs() < 1e-9);
    assert!((both[1].elo.high + both[0].elo.low).abs() < 1e-9);
    // A block whose games nobody has begun changes nothing.
    let none = [&[Block::default()][..], &blocks].concat();
    let same = duels(2, &none, |entrant| standings(2, &none)[entrant].score);
    assert_eq!(same.unwrap()[0].normalized_elo, got);

    // A score of 1 has no finite Elo, and games of three are no duels.
    let won = [pair([win, loss]), pair([win, loss])];
    let all = standings(2, &won);
    let both = duels(2, &won, |entrant| all[entrant].score).unwrap();
    assert_eq!(both[0].pairs, [0, 0, 0, 0, 2]);
    assert!(both[0].elo.value.is_infinite() && both[0].elo.value > 0.0);
    assert!(both[0].elo.low.is_finite() && both[0].normalized_elo.value.is_infinite());
    let three = Block::from_iter([outcome(vec![0, 1, 2], &[3.0, 2.0, 1.0])]);
    assert!(duels(3, &[three], |_| all[0].score).is_none());
}
