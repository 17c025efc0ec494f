//! The signatures of searches: what a fixed seed and a fixed budget come to. A change that is not meant to change a
//! search must not change its signature.

use games::blokus::{Board, Placement};
use games::daihinmin::{Dealer, Session, SessionRules, View};
use games::{Dobutsu, Game as _, GameName, geister};

use crate::engine::OpenPosition as _;
use crate::search::Budget;
use crate::spec::Specified as _;
use crate::{blokus, daihinmin, dobutsu, geister as geister_bots, score_four};

#[derive(Clone, Copy, Debug)]
pub struct Signature {
    pub game: GameName,
    /// The search and its budget, as specifications of engines have them.
    pub search: &'static str,
    pub of: fn() -> u64,
}

pub fn all() -> impl Iterator<Item = Signature> {
    let of = |game, search, of| Signature { game, search, of };
    [
        of(GameName::Daihinmin, "crow:playouts=500", crow),
        of(GameName::Geister, "best:simulations=60", || {
            folded(geister_best().bytes().map(u64::from))
        }),
        of(GameName::Blokus, "best:playouts=400", || {
            folded(blokus_best())
        }),
        of(GameName::ScoreFour, "best:nodes=19400", score_four_best),
        of(
            GameName::Dobutsu,
            "alphabeta:nodes=20000",
            dobutsu_alphabeta,
        ),
    ]
    .into_iter()
}

const PRIME: u64 = 0x0100_0000_01b3;

fn folded(numbers: impl IntoIterator<Item = u64>) -> u64 {
    let mix = |sum: u64, number: u64| sum.wrapping_mul(PRIME) ^ number;
    numbers.into_iter().fold(0, mix)
}

/// Rewards and trials of the first decisions of `crow` in eight games.
pub fn crow() -> u64 {
    let mut crow = daihinmin::MonteCarlo::new(Budget::playouts(500), 0.9, 1, 42);
    let mut session = Session::new(SessionRules::default(), Dealer::plain(11));
    let mut signature = 0_u64;
    for _ in 0..8 {
        let start = session.deal().start();
        session.finish([0, 1, 2, 3, 4]);
        for candidate in crow.search(&View::at_start(&start, start.table.turn), None) {
            let points = (candidate.sum * 1e6).round() as u64;
            signature = signature.wrapping_mul(PRIME) ^ points.wrapping_add(candidate.trials);
        }
    }
    signature
}

/// Plies, the placement of seat 1 and the last board of a game of Geister.
pub fn of_geister(end: &geister::Position) -> String {
    format!("{}:{}:{end}", end.ply(), end.placement(1))
}

/// A game of Geister's `best` against itself.
pub fn geister_best() -> String {
    let mut options = geister_bots::EngineOptions::default();
    options.plan.simulations = 60;
    let [mut a, mut b] =
        [2026, 2027].map(|seed| options.build(seed).expect("built-in weights are there"));
    let end = geister_bots::play_game([&mut *a, &mut *b], geister::Rules::default());
    of_geister(&end.expect("an engine chooses legal moves").end)
}

/// Visits of the searches of Blokus's `best` on the empty board, and after 8 and 30 random plies.
pub fn blokus_best() -> [u64; 3] {
    [0, 8, 30].map(|plies| {
        let options = blokus::EngineOptions {
            playouts: Some(400),
            ..blokus::EngineOptions::named(blokus::EngineName::Best)
        };
        let mut engine = options.build(1).expect("`best` needs no file");
        let mv = engine.choose(&Board::random_opening(plies, 1), None);
        let values = engine.values();
        // A search ends when no other move can overtake the first.
        let visits = values.iter().map(|&(_, _, visits)| visits).sum::<u64>();
        assert!((1..=400).contains(&visits), "{visits}");
        let mix = |sum: u64, &(mv, _, visits): &(Placement, f64, u64)| {
            (sum ^ mv.index() as u64).wrapping_mul(PRIME) ^ visits
        };
        values.iter().fold(mv.index() as u64, mix) % 1_000_000
    })
}

/// Pegs, depths and scores of score four's `best` in five positions.
pub fn score_four_best() -> u64 {
    let mut engine = score_four::EngineOptions {
        playouts: Some(19_400),
        ..score_four::EngineOptions::named(score_four::EngineName::Best)
    }
    .build(1)
    .expect("`best` needs no file");
    let mut signature = 0_u64;
    for text in [
        "start",
        "a1d4",
        "b2c3b2c3",
        "a1b1c1d1a2b2c2d2",
        "a1b2d3c4a1b2d3c4",
    ] {
        let peg = engine.choose(&text.parse().expect("these are legal moves"), None);
        let reasons = engine.explain().expect("`best` gives its reasons");
        let number = |key: &str| reasons[key].as_i64().unwrap_or(0) as u64;
        signature = signature.wrapping_mul(PRIME)
            ^ (peg.index() as u64 + 16 * number("depth"))
            ^ number("score") << 16;
    }
    signature
}

/// Moves, depths and scores of Dobutsu shogi's `alphabeta` in four positions, one of them with repetitions.
pub fn dobutsu_alphabeta() -> u64 {
    let options = dobutsu::EngineOptions {
        nodes: Some(20_000),
        ..dobutsu::EngineOptions::named(dobutsu::EngineName::Alphabeta)
    };
    let mut engine = options.build(1).expect("`alphabeta` needs no file");
    let numbers = [
        "",
        "2c2b 1a2b 2d2c 3a3b",
        "1d1c 3a3b 1c1d 3b3a 1d1c 3a3b 1c1d",
        "sfen 1l1/e1g/1+C1/EL1 b GC 1",
    ]
    .map(|text| {
        let game = Dobutsu::read(&games::dobutsu::Rules::default(), text);
        let mv = engine.choose(&game.expect("these are legal moves"), None);
        let reasons = engine.explain().expect("`alphabeta` gives its reasons");
        let number = |key: &str| reasons[key].as_i64().unwrap_or(0) as u64;
        let score = number("score") ^ number("win") << 32 ^ number("loss") << 48;
        let mv = crate::dobutsu::move_number::number(mv) as u64;
        mv ^ number("depth") << 10 ^ score << 16
    });
    folded(numbers)
}
