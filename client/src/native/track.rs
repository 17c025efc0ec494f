//! The game as the client follows it.

use games::{Player, Seat};
use serde_json::Value;

use super::NativeGame;

pub(crate) struct Track<G: NativeGame> {
    pub(super) has_match: bool,
    pub(super) rules: G::Rules,
    /// Number of the game; 0 before the first.
    pub(super) game: u32,
    pub(super) player: Player,
    pub(super) seat: Seat,
    pub(crate) position: G,
    /// Whether only the view can tell the position: the game began from plies that are not told.
    awaits_view: bool,
}

impl<G: NativeGame> Default for Track<G> {
    fn default() -> Track<G> {
        let rules = G::Rules::default();
        Track {
            has_match: false,
            game: 0,
            player: Player::default(),
            seat: Seat::default(),
            position: G::begin(&rules, 0),
            rules,
            awaits_view: false,
        }
    }
}

impl<G: NativeGame> Track<G> {
    /// A game begins with these players in its seats, after so many plies. Its view follows, but for a game
    /// that was played while the connection was lost.
    pub(crate) fn begin(&mut self, game: u32, players: &[u8], plies: u32) {
        self.game = game;
        self.awaits_view = plies > 0;
        let own = self.player.number();
        let mut seats = players.iter().take(G::SEATS);
        if let Some(seat) = seats.position(|&player| player == own) {
            self.seat = Seat::at(seat);
        }
        self.position = G::begin(&self.rules, 0);
    }

    pub(super) fn view(&mut self, game: u32, seat: u8, view: &Value) -> Result<(), String> {
        self.position = G::read_view(&self.rules, view)?;
        self.awaits_view = false;
        self.game = game;
        self.seat = Seat::new(seat);
        Ok(())
    }

    pub(super) fn ply(&self) -> u32 {
        self.position.ply()
    }

    /// Whether this is the move that is asked for.
    pub(super) fn is_asked(&self, game: u32, ply: u32) -> bool {
        (self.game, self.ply()) == (game, ply) && self.position.to_move() == Some(self.seat)
    }

    /// Follows a move; gives whether it fits. One that is in the position already does.
    pub(crate) fn moved(&mut self, game: u32, ply: u32, seat: Seat, mv: &str) -> bool {
        let now = (self.game, self.ply());
        self.awaits_view
            || (game, ply) < now
            || (game, ply) == now
                && self.position.to_move() == Some(seat)
                && self.position.play_text(mv).is_ok()
    }

    /// Follows that a seat is out, by a rule or by a fault. What the rules do, the position does, too.
    pub(crate) fn out(&mut self, game: u32, seat: Seat, end: &str) {
        let is_seat = seat.index() < G::SEATS;
        if game == self.game && is_seat && self.position.out(seat) != Some(end) {
            self.position.withdraw(seat);
        }
    }
}

#[cfg(test)]
mod tests {
    use games::ScoreFour;

    use super::*;

    #[test]
    fn seats_that_the_game_has_not_are_passed_over() {
        let mut track = Track::<ScoreFour>::default();
        let mut players = vec![9; 1000];
        players[999] = 0;
        track.begin(1, &players, 0);
        track.out(1, Seat::new(200), "timeout");
        assert!(!track.moved(1, 0, Seat::new(200), "a1"));
        assert_eq!((track.seat, track.ply()), (Seat::new(0), 0));
        assert!(track.moved(1, 0, Seat::new(0), "a1"));
    }
}
