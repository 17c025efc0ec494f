//! What a match is played by, and what its games come to.

use std::time::Duration;

use games::{ByPlayer, Game, Player, Seating};
use protocol::native::Clocks;
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use record::EndKind;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchSettings<R> {
    pub games: u32,
    /// Whether the players move on by a seat after every game.
    pub swap: bool,
    /// Whether the seats of the first game of each round are drawn, of every game without `swap`.
    pub draw: bool,
    pub rules: R,
    /// Time limits of each player: the budget for all its moves of a game, the increment after each move, and the time for
    /// each move after the budget is used up.
    pub clocks: ByPlayer<record::Clocks>,
    /// How long the seat of a lost connection is kept.
    pub resume: Duration,
    /// How long a player that says when it is ready is waited for between two games.
    pub ready: Duration,
    /// Illegal moves and lines that are no messages that a player may send in a game without losing
    /// it.
    pub retries: u32,
    /// Games in a row that a player may lose on time: it is gone then; 0 is any number.
    pub timeouts: u32,
    /// Whether the others play on without a player that is gone, if there are two or more.
    pub goes_on: bool,
    /// Whether players may agree on a draw, in games that have draws.
    pub draws: bool,
    /// Random plies at the start of a game. With `swap` the games of one round of seats have the
    /// same ones.
    pub opening: u32,
    /// Position in which every game begins in place of one after random plies, as [`Game::position`] writes it; empty
    /// where none is given.
    pub position: String,
    /// Seed of the openings and of the seats.
    pub seed: u64,
    /// Seats and openings of the first games, where they are given; of all others they are drawn as the fields above
    /// say.
    pub given: Vec<GameSetup>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSetup {
    pub seating: Seating,
    pub seed: u64,
}

impl<R> MatchSettings<R> {
    /// The seed, if all that is drawn is drawn from it.
    pub fn seed_used(&self) -> Option<u64> {
        let is_drawn = self.opening > 0 || self.draw;
        (is_drawn && self.given.is_empty()).then_some(self.seed)
    }

    /// Whether games begin elsewhere than in the first position.
    pub(super) const fn has_opening(&self) -> bool {
        self.opening > 0 || !self.position.is_empty()
    }

    /// The clocks of a player in the form of the protocol.
    pub(super) fn clocks_of(&self, player: Player) -> Clocks {
        let clocks = self.clocks[player];
        Clocks {
            budget_ms: clocks.game_ms,
            increment_ms: clocks.increment_ms.filter(|ms| *ms > 0),
            move_ms: clocks.move_ms,
            resume_ms: Some(self.resume.as_millis() as u64),
        }
    }
}

/// What one game came to. Lists go by player.
#[derive(Clone, Debug, PartialEq)]
pub struct GameResult {
    /// Number of the game, from 1.
    pub game: u32,
    pub seating: Seating,
    /// Places, 0 is the best; empty in a void game.
    pub places: ByPlayer<u8>,
    pub points: ByPlayer<f64>,
    /// What each player has by the game's own count; empty in games without one.
    pub game_points: ByPlayer<i32>,
    /// How it ended for each player.
    pub kinds: ByPlayer<EndKind>,
    /// The rule that ended it; `None` after a fault.
    pub rule: Option<&'static str>,
    /// The fault that ended it where no rule did: the last, if there were several; or that the players agreed on a draw.
    pub end: EndKind,
    /// Moves played, those of the opening included.
    pub plies: u32,
}

impl GameResult {
    pub fn is_void(&self) -> bool {
        self.places.is_empty()
    }

    /// The rule or the fault that ended it, as the protocol names it.
    pub fn end_name(&self) -> &'static str {
        self.rule.unwrap_or(self.end.as_str())
    }
}

/// Sets the draws of seats apart from those of openings, which count up from the seed.
const SEATS_APART: u64 = 0x5eed_0f5e_a75b_e6a2;

impl<R> MatchSettings<R> {
    /// Games of one round: as many as there are seats, so that everyone has every seat once.
    const fn round(&self, seats: usize) -> u64 {
        if self.swap { seats as u64 } else { 1 }
    }

    pub(super) fn seating(&self, number: u32, seats: usize) -> Seating {
        if let Some(given) = self.given.get(number as usize) {
            return given.seating.clone();
        }
        let mut players: Vec<Player> = Player::all(seats).collect();
        if self.draw {
            let round = u64::from(number) / self.round(seats);
            let seed = (self.seed ^ SEATS_APART).wrapping_add(round);
            players.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        }
        if self.swap {
            players.rotate_left(number as usize % seats);
        }
        Seating::new(players.into()).expect("the players in another order")
    }

    /// The first position of the game after `number` games; `None` when there is none.
    pub(super) fn opening_of<G: Game<Rules = R>>(&self, number: u32) -> Option<G> {
        if !self.position.is_empty() {
            let game = G::read(&self.rules, &self.position).ok();
            return game.filter(|game| game.to_move().is_some());
        }
        let round = u64::from(number) / self.round(G::SEATS);
        let seed = match self.given.get(number as usize) {
            Some(given) => given.seed,
            None => self.seed.wrapping_add(round),
        };
        opening(&self.rules, self.opening, seed)
    }
}

/// The position after so many random plies, drawn from this seed; `None` when there is none.
pub fn opening<G: Game>(rules: &G::Rules, plies: u32, seed: u64) -> Option<G> {
    G::opening(rules, plies, &mut Xoshiro256PlusPlus::seed_from_u64(seed))
}
