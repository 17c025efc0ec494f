//! The game as the client follows it.

use games::score_four::{Peg, Position};
use serde_json::Value;

/// The game in play.
#[derive(Clone, Debug, Default)]
pub(super) struct Track {
    /// Whether a match has begun.
    pub(super) has_match: bool,
    /// Number of the game; 0 before the first.
    pub(super) game: u32,
    /// The own number in the match.
    pub(super) player: u8,
    /// The own seat.
    pub(super) seat: u8,
    /// The position.
    pub(super) position: Position,
}

impl Track {
    pub(super) fn match_began(&mut self) {
        self.has_match = true;
    }

    /// A game begins with these players in its seats. Its view follows, but for a game that was played
    /// while the connection was lost.
    pub(super) fn begin(&mut self, game: u32, players: &[u8]) {
        self.game = game;
        if let Some(seat) = players.iter().position(|&player| player == self.player) {
            self.seat = seat as u8;
        }
        self.position = Position::START;
    }

    /// Takes a view over.
    pub(super) fn view(&mut self, game: u32, seat: u8, view: &Value) -> Result<(), String> {
        let board = view["board"].as_str().ok_or("a view without a board")?;
        self.position = board
            .parse()
            .map_err(|e| format!("the board {board}: {e}"))?;
        self.game = game;
        self.seat = seat;
        Ok(())
    }

    /// Follows a move; gives whether it fits. One that is in the position already does.
    pub(super) fn moved(&mut self, game: u32, ply: u32, mv: &str) -> bool {
        let now = (self.game, u32::from(self.position.ply()));
        if (game, ply) < now {
            return true;
        }
        let Ok(peg) = mv.parse::<Peg>() else {
            return false;
        };
        (game, ply) == now && self.position.play(peg).is_ok()
    }
}
