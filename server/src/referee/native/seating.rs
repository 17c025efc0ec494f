//! Who sits where, and from which position a game begins.

use games::Game;
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::MatchSettings;

/// Sets the draws of seats apart from those of openings, which count up from the seed.
const SEATS_APART: u64 = 0x5eed_0f5e_a75b_e6a2;

impl<R> MatchSettings<R> {
    /// Games of one round: as many as there are seats, so that everyone has every seat once.
    const fn round(&self, seats: u32) -> u32 {
        if self.swap { seats } else { 1 }
    }

    /// The player in each seat of the game after `number` games.
    pub(super) fn seating(&self, number: u32, seats: u32) -> Vec<u8> {
        if let Some(given) = self.given.get(number as usize) {
            return given.player_at.clone();
        }
        let mut players: Vec<u8> = (0..seats as u8).collect();
        if self.draw {
            let round = u64::from(number / self.round(seats));
            let seed = (self.seed ^ SEATS_APART).wrapping_add(round);
            players.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        }
        if self.swap {
            players.rotate_left((number % seats) as usize);
        }
        players
    }

    /// The first position of the game after `number` games; `None` when there is none.
    pub(super) fn opening_of<G: Game<Rules = R>>(&self, number: u32) -> Option<G> {
        let round = u64::from(number / self.round(G::SEATS as u32));
        let seed = match self.given.get(number as usize) {
            Some(given) => given.seed,
            None => self.seed.wrapping_add(round),
        };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        G::opening(&self.rules, self.opening, &mut rng)
    }
}
