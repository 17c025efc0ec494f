//! Simulates how often each interval of the project contains the truth, and how often each test errs.
//!
//! `cargo run --release -p taikyoku-stats --example coverage [LEAGUES] [SEED]`
//!
//! Each row simulates so many leagues (by default 2,000). Columns: share of intervals with the truth in it, shares that are
//! wholly below and above it, and the mean width; the last columns are those of a textbook's interval of the same leagues.

use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_stats::{
    Block, Hypotheses, Outcome, POINTS, Plan, Sample, Sprt, Verdict, duels, ratings, standings,
    student,
};

type Rng = Xoshiro256PlusPlus;

/// What came of the intervals of a row.
#[derive(Default)]
struct Coverage {
    all: f64,
    below: f64,
    above: f64,
    width: f64,
}

impl Coverage {
    fn add(&mut self, [low, high]: [f64; 2], truth: f64) {
        self.all += 1.0;
        self.below += f64::from(u8::from(high < truth - 1e-9));
        self.above += f64::from(u8::from(low > truth + 1e-9));
        self.width += high - low;
    }

    fn text(&self) -> String {
        let percent = |count: f64| 100.0 * count / self.all;
        format!(
            "{:.1} % ({:.1}, {:.1}), {:.3}",
            percent(self.all - self.below - self.above),
            percent(self.below),
            percent(self.above),
            self.width / self.all
        )
    }
}

/// Student's interval of a mean of blocks, exact for blocks that are all alike (Clopper and Pearson).
fn textbook(blocks: &[f64]) -> [f64; 2] {
    let n = blocks.len() as f64;
    let mean = blocks.iter().sum::<f64>() / n;
    let squares: f64 = blocks.iter().map(|block| (block - mean).powi(2)).sum();
    let half_width = if squares < 1e-12 {
        1.0 - 0.025_f64.powf(1.0 / n)
    } else {
        student(n - 1.0) * (squares / (n - 1.0) / n).sqrt()
    };
    [mean - half_width, mean + half_width]
}

fn row(what: &str, coverage: &Coverage, other: Option<&Coverage>) {
    let other = other.map_or_else(|| "–".to_owned(), Coverage::text);
    println!("| {what} | {} | {other} |", coverage.text());
}

/// A row of a mean over blocks of so many games: `draw` gives the score of a block, `games` are those that it counts.
fn mean(
    what: &str,
    leagues: u32,
    rng: &mut Rng,
    truth: f64,
    blocks: usize,
    games: f64,
    draw: &dyn Fn(&mut Rng) -> f64,
) {
    let [mut here, mut other] = [Coverage::default(), Coverage::default()];
    for _ in 0..leagues {
        let drawn: Vec<f64> = (0..blocks).map(|_| draw(rng)).collect();
        let mut sample = Sample::default();
        for block in &drawn {
            sample.add(0, block * games, games);
        }
        let found = sample.mean([0.0, 1.0]);
        here.add([found.low, found.high], truth);
        other.add(textbook(&drawn), truth);
    }
    row(&format!("{what}, {blocks} blocks"), &here, Some(&other));
}

fn won(rng: &mut Rng, chance: f64) -> f64 {
    f64::from(u8::from(rng.random_bool(chance)))
}

fn pair_score(rng: &mut Rng, chance: f64) -> f64 {
    f64::midpoint(won(rng, chance), won(rng, chance))
}

/// The points of a game of five seats as a share, from 0 for the last to 1 for the first place, by the chances of places.
fn points(rng: &mut Rng, chances: [f64; 5]) -> f64 {
    let mut left: f64 = rng.random_range(0.0..1.0);
    let place = chances.iter().position(|chance| {
        left -= chance;
        left < 0.0
    });
    1.0 - place.unwrap_or(4) as f64 / 4.0
}

fn means(leagues: u32, rng: &mut Rng) {
    for (chance, blocks) in [
        (0.5, 10),
        (0.5, 50),
        (0.8, 10),
        (0.8, 50),
        (0.9, 16),
        (0.9, 50),
        (0.95, 50),
        (0.95, 200),
        (0.98, 200),
        (0.99, 200),
        (0.99, 400),
    ] {
        let what = format!("score {chance}, pairs");
        mean(&what, leagues, rng, chance, blocks, 2.0, &|rng| {
            pair_score(rng, chance)
        });
    }
    for (chance, blocks) in [(0.5, 20), (0.9, 100), (0.99, 400)] {
        let what = format!("score {chance}, single games");
        mean(&what, leagues, rng, chance, blocks, 1.0, &|rng| {
            won(rng, chance)
        });
    }
    for (what, chances) in [
        ("points of Daihinmin among equals", [0.2; 5]),
        ("points of a strong entrant", [0.6, 0.2, 0.1, 0.07, 0.03]),
    ] {
        let truth = chances
            .iter()
            .zip(0..)
            .map(|(c, place)| c * (1.0 - f64::from(place) / 4.0));
        let truth: f64 = truth.sum();
        for blocks in [5, 10, 30] {
            mean(what, leagues, rng, truth, blocks, 5.0, &|rng| {
                (0..5).map(|_| points(rng, chances)).sum::<f64>() / 5.0
            });
        }
    }
    for blocks in [5, 10, 20] {
        // Each session has a luck of its own on top of that of its games.
        mean(
            "score 0.55, sessions of 500 games",
            leagues,
            rng,
            0.55,
            blocks,
            500.0,
            &|rng| {
                let luck = (0..12).map(|_| rng.random_range(-0.5..0.5)).sum::<f64>();
                0.55 + 0.03 * luck
            },
        );
    }
}

/// Pairs of games for two, seats exchanged: entrant 0 wins each with this chance, of those that are not drawn.
fn pairs(against: usize, chance: f64, drawn: f64, blocks: usize, rng: &mut Rng) -> Vec<Block> {
    let mut game = |entrants: [usize; 2]| {
        let first = usize::from(entrants[0] != 0);
        let mut places = vec![0, 0];
        if !rng.random_bool(drawn) {
            let lost = if rng.random_bool(chance) {
                1 - first
            } else {
                first
            };
            places[lost] = 1;
        }
        Outcome {
            entrants: entrants.to_vec(),
            points: places.iter().map(|&place| 1.0 - f64::from(place)).collect(),
            places,
        }
    };
    let block = |_| Block::from_iter([game([0, against]), game([against, 0])]);
    (0..blocks).map(block).collect()
}

fn round_robin(leagues: u32, rng: &mut Rng) {
    let chances = [0.95, 0.7, 0.4, 0.15];
    for deals in [2, 5, 25] {
        let [mut here, mut other] = [Coverage::default(), Coverage::default()];
        for _ in 0..leagues {
            let mut blocks = Vec::new();
            for (against, &chance) in (1..).zip(&chances) {
                blocks.extend(pairs(against, chance, 0.0, deals, rng));
            }
            let score = standings(5, &blocks)[0].score;
            here.add([score.low, score.high], 0.55);
            let scores = blocks
                .iter()
                .filter_map(|block| block.mean_of(0, Outcome::score));
            other.add(textbook(&scores.collect::<Vec<_>>()), 0.55);
        }
        row(
            &format!("score 0.55 over four opponents, {deals} pairs each"),
            &here,
            Some(&other),
        );
    }
}

fn elo(leagues: u32, rng: &mut Rng) {
    for (chance, drawn, blocks) in [
        (0.5, 0.0, 200),
        (0.7, 0.5, 50),
        (0.8, 0.0, 200),
        (0.9, 0.0, 50),
        (0.9, 0.0, 200),
        (0.95, 0.0, 200),
        (0.98, 0.0, 400),
    ] {
        let truth = drawn / 2.0 + (1.0 - drawn) * chance;
        // The deviation of a game.
        let square = drawn / 4.0 + (1.0 - drawn) * chance;
        let normalized = 2.0 * POINTS * (truth - 0.5) / (square - truth * truth).sqrt();
        let [mut logistic, mut by_delta, mut known] = [(); 3].map(|()| Coverage::default());
        let mut logistic_other = Coverage::default();
        for _ in 0..leagues {
            let league = pairs(1, chance, drawn, blocks, rng);
            let score = standings(2, &league)[0].score;
            let found = duels(2, &league, |_| score).expect("games for two")[0];
            let elo = POINTS * (truth / (1.0 - truth)).ln();
            logistic.add([found.elo.low, found.elo.high.min(2000.0)], elo);
            let scores = league
                .iter()
                .filter_map(|block| block.mean_of(0, Outcome::score));
            let of = |score: f64| POINTS * (score / (1.0 - score).max(1e-9)).ln();
            let ends = textbook(&scores.collect::<Vec<_>>()).map(|end| of(end.clamp(1e-9, 1.0)));
            logistic_other.add([ends[0], ends[1].min(2000.0)], elo);
            let delta = found.normalized_elo;
            if delta.value.is_finite() {
                by_delta.add([delta.low, delta.high], normalized);
                // As if the deviation were known.
                let half = 2.0 * POINTS / 2.0_f64.sqrt() * student(blocks as f64 - 1.0)
                    / (blocks as f64).sqrt();
                known.add([delta.value - half, delta.value + half], normalized);
            }
        }
        let draws = if drawn > 0.0 {
            ", half of the games drawn"
        } else {
            ""
        };
        let what = format!("score {truth}{draws}, {blocks} pairs");
        row(&format!("Elo, {what}"), &logistic, Some(&logistic_other));
        row(&format!("normalized Elo, {what}"), &by_delta, Some(&known));
    }
}

fn strengths(leagues: u32, rng: &mut Rng) {
    for (points, blocks) in [
        (0.0, 8),
        (0.0, 30),
        (200.0, 8),
        (200.0, 30),
        (400.0, 30),
        (700.0, 60),
    ] {
        let [mut rating, mut told, mut wrong] = [
            Coverage::default(),
            Coverage::default(),
            Coverage::default(),
        ];
        let chance = 1.0 / (1.0 + (-points / POINTS).exp());
        for seed in 0..leagues {
            let league = pairs(1, chance, 0.0, blocks, rng);
            let plan = Plan {
                anchor: 1,
                resamples: 100,
                seed: seed.into(),
            };
            let found = ratings(2, &league, plan);
            let own = found.entrants[0];
            rating.add(
                [own.rating - own.half_width, own.rating + own.half_width],
                points,
            );
            // A chance to be stronger of 97.5 % is an interval that begins at level.
            let superior = found.superior[0][1].unwrap_or(0.5);
            let side = |is_told: bool| if is_told { [1.0, 1.0] } else { [0.0, 0.0] };
            told.add(side(superior > 0.975), 0.0);
            wrong.add(side(superior < 0.025), 0.0);
        }
        row(
            &format!("rating, {points} points stronger, {blocks} pairs"),
            &rating,
            None,
        );
        let share = |coverage: &Coverage| 100.0 * coverage.above / coverage.all;
        println!(
            "| chance to be stronger, {points} points, {blocks} pairs | above 97.5 % in {:.1} %, below 2.5 % in {:.1} % | – |",
            share(&told),
            share(&wrong)
        );
    }
}

/// Draws the score of a block by its mean.
type Draw<'a> = &'a dyn Fn(&mut Rng, f64) -> f64;

fn sequential(leagues: u32, rng: &mut Rng) {
    let of_two = Hypotheses::of_ratings(0.0, 60.0, 0.05, 0.05);
    let of_many = Hypotheses {
        s0: 0.5,
        s1: 0.53,
        alpha: 0.05,
        beta: 0.05,
    };
    let many = |rng: &mut Rng, score: f64| {
        score + (0..12).map(|_| rng.random_range(-0.5..0.5)).sum::<f64>() / 10.0
    };
    let cases: [(&str, Hypotheses, Sprt, Draw); 2] = [
        (
            "SPRT of pairs, 0 against 60 Elo",
            of_two,
            Sprt::pentanomial(of_two),
            &pair_score,
        ),
        (
            "SPRT of many seats, 0.5 against 0.53",
            of_many,
            Sprt::normal(of_many),
            &many,
        ),
    ];
    for (what, hypotheses, test, draw) in cases {
        for (truth, right) in [
            (hypotheses.s0, Verdict::Lower),
            (hypotheses.s1, Verdict::Higher),
        ] {
            let [mut wrong, mut blocks] = [0; 2];
            for _ in 0..leagues {
                let mut test = test.clone();
                while test.add(draw(rng, truth)) == Verdict::Open {}
                wrong += u64::from(test.verdict() != right);
                blocks += test.blocks();
            }
            println!(
                "| {what}, truth {truth:.3} | errs in {:.1} %, {:.0} blocks in the mean | – |",
                100.0 * wrong as f64 / f64::from(leagues),
                blocks as f64 / f64::from(leagues)
            );
        }
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut next = |usual: u32| {
        let argument = arguments.next();
        argument.map_or(usual, |text| {
            text.parse().expect("a number of leagues, and a seed")
        })
    };
    let (leagues, seed) = (next(2000), next(1));
    println!("| interval | covers (below, above the truth), width | textbook |\n|---|---|---|");
    let parts = [means, round_robin, elo, strengths, sequential];
    for (number, part) in (0..).zip(parts) {
        // Each part has draws of its own, so that a change of one leaves the others alone.
        part(
            leagues,
            &mut Rng::seed_from_u64(u64::from(seed) << 8 | number),
        );
    }
}
