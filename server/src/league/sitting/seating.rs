//! Which program takes which seat of a fixture.

use super::Sitting;

impl Sitting {
    /// The player in each seat of a fixture: copies of an entrant take its seats in their order.
    ///
    /// # Errors
    /// What is wrong when the players are not those of the fixture.
    pub(in crate::league) fn seating(&self, fixture: usize) -> Result<Vec<u8>, String> {
        let fixture = &self.fixtures[fixture];
        let mut free: Vec<bool> = vec![true; self.players.len()];
        let mut seat = |entrant: usize| {
            let here = |p: &usize| free[*p] && self.players[*p] == entrant;
            let player = (0..free.len()).find(here)?;
            free[player] = false;
            Some(player as u8)
        };
        let seats: Option<Vec<u8>> = fixture.seats.iter().map(|&e| seat(e)).collect();
        let is_full = !free.contains(&true);
        seats.filter(|_| is_full).ok_or_else(|| {
            format!(
                "the players of game {} are to be the entrants {:?}, those at the table are {:?}",
                fixture.key, fixture.seats, self.players
            )
        })
    }
}
