//! The game as the client follows it.

use serde_json::Value;

use super::NativeGame;

/// The game in play.
pub(crate) struct Track<G: NativeGame> {
    /// Whether a match has begun.
    pub(super) has_match: bool,
    /// Number of the game; 0 before the first.
    pub(super) game: u32,
    /// The own number in the match.
    pub(super) player: u8,
    /// The own seat.
    pub(super) seat: u8,
    /// The position.
    pub(crate) position: G::View,
    /// Whether only the view can tell the position: the game began from plies that are not told.
    awaits_view: bool,
}

impl<G: NativeGame> Default for Track<G> {
    fn default() -> Track<G> {
        Track {
            has_match: false,
            game: 0,
            player: 0,
            seat: 0,
            position: G::View::default(),
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
        if let Some(seat) = players.iter().position(|&player| player == self.player) {
            self.seat = seat as u8;
        }
        self.position = G::View::default();
    }

    /// Takes a view over.
    pub(super) fn view(&mut self, game: u32, seat: u8, view: &Value) -> Result<(), String> {
        self.position = G::read_view(view)?;
        self.awaits_view = false;
        self.game = game;
        self.seat = seat;
        Ok(())
    }

    /// Plies played.
    pub(super) fn ply(&self) -> u32 {
        G::ply(&self.position)
    }

    /// Whether this is the move that is asked for.
    pub(super) fn is_asked(&self, game: u32, ply: u32) -> bool {
        (self.game, self.ply()) == (game, ply) && G::to_move(&self.position) == Some(self.seat)
    }

    /// Follows a move; gives whether it fits. One that is in the position already does.
    pub(crate) fn moved(&mut self, game: u32, ply: u32, seat: u8, mv: &str) -> bool {
        let now = (self.game, self.ply());
        self.awaits_view
            || (game, ply) < now
            || (game, ply) == now && G::play(&mut self.position, seat, mv)
    }

    /// Follows that a seat is out, by a rule or by a fault. What the rules do, the position does, too.
    pub(crate) fn out(&mut self, game: u32, seat: u8, end: &str) {
        if game == self.game && !G::RULE_ENDS.contains(&end) {
            G::withdraw(&mut self.position, seat);
        }
    }
}
