//! One conformance suite for every game: random games are played and what every game must keep
//! is checked at each ply.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// What the suite needs to know of a game.
pub trait Game: Clone + PartialEq + Debug {
    /// A move.
    type Move: Copy + PartialEq + Debug + Display + FromStr;
    /// What one seat may know.
    type View: Clone + PartialEq + Debug;

    /// Number of seats.
    const SEATS: u8;

    /// A fresh game with chance drawn from `seed`.
    fn fresh(seed: u64) -> Self;
    /// The seat to move; `None` when the game is over.
    fn to_move(&self) -> Option<u8>;
    /// Clears `out` and fills it with all legal moves.
    fn legal_moves(&self, out: &mut Vec<Self::Move>);
    /// Plays a move, or refuses it and changes nothing.
    ///
    /// # Errors
    /// The reason, as text.
    fn play(&mut self, mv: Self::Move) -> Result<(), String>;
    /// What `seat` may know.
    fn view(&self, seat: u8) -> Self::View;
    /// Points by seat once the game is over.
    fn outcome(&self) -> Option<Vec<f64>>;
    /// Upper bound on the plies of a random game.
    fn max_plies() -> u32;
}

/// Plays `games` random games and checks at each ply: there is a legal move while the game goes
/// on, no move is listed twice, every listed move is accepted, notation parses what it prints, a
/// replay from the start reaches an equal position, views agree after the replay, and the outcome is
/// there exactly when nobody is to move.
///
/// # Panics
/// With the seed and the ply, at the first breach.
pub fn check<G: Game>(games: u64) {
    let mut moves = Vec::new();
    for seed in 0..games {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut game = G::fresh(seed);
        let mut history = Vec::new();
        while let Some(seat) = game.to_move() {
            let ply = history.len();
            assert!(seat < G::SEATS, "seed {seed} ply {ply}: seat {seat}");
            assert!(
                ply < G::max_plies() as usize,
                "seed {seed}: no end after {ply} plies"
            );
            assert!(
                game.outcome().is_none(),
                "seed {seed} ply {ply}: outcome before the end"
            );
            game.legal_moves(&mut moves);
            assert!(!moves.is_empty(), "seed {seed} ply {ply}: no legal move");
            for (i, &mv) in moves.iter().enumerate() {
                assert!(
                    !moves[..i].contains(&mv),
                    "seed {seed} ply {ply}: {mv} twice"
                );
                let text = mv.to_string();
                assert!(
                    text.parse::<G::Move>().is_ok_and(|m| m == mv),
                    "seed {seed} ply {ply}: {text} does not read back"
                );
            }
            let mv = moves[(rng.next_u64() % moves.len() as u64) as usize];
            if let Err(reason) = game.play(mv) {
                panic!("seed {seed} ply {ply}: {mv} refused: {reason}");
            }
            history.push(mv);
        }
        let points = game.outcome();
        assert!(
            points.is_some_and(|p| p.len() == usize::from(G::SEATS)),
            "seed {seed}: no outcome"
        );
        let mut again = G::fresh(seed);
        for &mv in &history {
            assert!(again.play(mv).is_ok(), "seed {seed}: replay refused {mv}");
        }
        assert_eq!(again, game, "seed {seed}: replay");
        for seat in 0..G::SEATS {
            assert_eq!(
                again.view(seat),
                game.view(seat),
                "seed {seed}: view of seat {seat}"
            );
        }
    }
}
