//! What a game of Geister is played by, and what it came to.

use std::time::Duration;

use games::geister::{Rules, SEATS};

use crate::config::Gat;
use record::EndKind;

/// Settings of one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameSettings {
    /// Number of the game in its match, from 1.
    pub game: u32,
    /// When the match began, on the clock that the referee is given: the zero of the record's times.
    pub began: Duration,
    /// The player in each seat; seat 0 moves first.
    pub player_at: [u8; SEATS],
    /// Rules of the game.
    pub rules: Rules,
    /// Time of each player for the whole game.
    pub budget: Duration,
    /// Time for each move once the budget is used up.
    pub per_move: Duration,
    /// Time to set up, from the moment that both are connected; `None` is no limit.
    pub set_up: Option<Duration>,
    /// Least time between an answer and the next message, by player.
    pub wait: [Duration; SEATS],
    /// Whether a refused move loses the game.
    pub ng_terminates: bool,
}

impl GameSettings {
    /// Those of game number `game` on a server with these settings. If the settings swap seats the players change
    /// them after every game; else player 0 is always the first to move.
    pub fn new(settings: &Gat, game: u32, began: Duration) -> GameSettings {
        let ms = Duration::from_millis;
        GameSettings {
            game,
            began,
            player_at: if settings.swaps() && game.is_multiple_of(2) {
                [1, 0]
            } else {
                [0, 1]
            },
            rules: Rules {
                ply_limit: settings.ply_limit,
            },
            budget: ms(settings.budget_ms),
            per_move: ms(settings.move_ms),
            set_up: (settings.seat_timeout_ms > 0).then(|| ms(settings.seat_timeout_ms)),
            wait: settings.waits().map(ms),
            ng_terminates: settings.ng_terminates,
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// The player in each seat.
    pub player_at: [u8; SEATS],
    /// The player that won; `None` for a draw and for a void game.
    pub winner: Option<u8>,
    /// How it ended for each player. Both are void in a game that does not count.
    pub kinds: [EndKind; SEATS],
    /// The rule that ended it: the name of a [`games::geister::EndKind`]; `None` after a fault.
    pub rule: Option<&'static str>,
    /// Moves played.
    pub plies: u16,
}

impl GameResult {
    /// Whether the game does not count.
    pub fn is_void(&self) -> bool {
        self.kinds[0] == EndKind::Void
    }
}
