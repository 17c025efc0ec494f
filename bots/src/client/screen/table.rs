//! What is known of a table beside the position: names, turns, clocks and the last moves.

use std::time::{Duration, Instant};

use games::Printable;
use protocol::native::ServerMessage;
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};

/// A time for a move that is as good as none.
const NO_LIMIT: Duration = Duration::from_hours(24);

/// Names, turns, clocks and the last moves of a game; lists go by seat unless something else is said.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    names: Vec<String>,
    players: Vec<u8>,
    /// The own seat, as soon as it is known.
    pub(crate) seat: Option<usize>,
    pub(crate) to_move: Option<usize>,
    /// The last move and its seat, in the notation of the protocol.
    pub(crate) last: Option<(usize, String)>,
    /// The last move of each seat.
    moves: Vec<String>,
    /// Milliseconds of budget that a seat had left after its last move.
    budgets: Vec<Option<u64>>,
    /// What the own seat has for the move that is due, and since when.
    left: Option<(Duration, Instant)>,
    game: u32,
    games: u32,
}

impl Table {
    pub(super) fn take(&mut self, message: &ServerMessage) {
        match message {
            ServerMessage::Match { players, games, .. } => {
                self.names = players
                    .iter()
                    .map(|name| Printable(name).to_string())
                    .collect();
                self.games = *games;
            }
            ServerMessage::Game { game, players, .. } => {
                *self = Table {
                    names: std::mem::take(&mut self.names),
                    players: players.clone(),
                    seat: self.seat.filter(|_| self.game == *game),
                    moves: vec![String::new(); players.len()],
                    budgets: vec![None; players.len()],
                    game: *game,
                    games: self.games,
                    ..Table::default()
                };
            }
            ServerMessage::View { seat, to_move, .. } => {
                self.seat = Some(usize::from(*seat));
                self.to_move = to_move.map(usize::from);
            }
            ServerMessage::Request { left_ms, .. } => {
                let left = left_ms.map(Duration::from_millis);
                let left = left.filter(|left| *left < NO_LIMIT);
                self.left = left.map(|left| (left, Instant::now()));
            }
            ServerMessage::Moved {
                seat,
                mv,
                budget_ms,
                ..
            } => {
                let seat = usize::from(*seat);
                let mv = Printable(mv).to_string();
                if let Some(budget) = self.budgets.get_mut(seat) {
                    *budget = *budget_ms;
                }
                if let Some(last) = self.moves.get_mut(seat) {
                    last.clone_from(&mv);
                }
                self.last = Some((seat, mv));
                self.left = self.left.filter(|_| Some(seat) != self.seat);
            }
            ServerMessage::Result { .. } => {
                self.to_move = None;
                self.left = None;
            }
            _ => {}
        }
    }

    /// Whether a message begins a game after another one.
    pub(super) fn is_left_by(&self, message: &ServerMessage) -> bool {
        matches!(message, ServerMessage::Game { game, .. } if self.game > 0 && *game != self.game)
    }

    /// The number of the game in words; empty before the first.
    pub(super) fn game(&self) -> String {
        match (self.game, self.games) {
            (0, _) => String::new(),
            (game, 0) => format!("game {game}"),
            (game, games) => format!("game {game} of {games}"),
        }
    }

    pub(super) fn left(&self) -> Option<Duration> {
        let (left, since) = self.left?;
        Some(left.saturating_sub(since.elapsed()))
    }

    pub(crate) fn name(&self, seat: usize) -> String {
        if self.seat == Some(seat) {
            return "you".to_owned();
        }
        let player = self.players.get(seat).map_or(seat, |p| usize::from(*p));
        let name = self.names.get(player);
        match name {
            Some(name) => name.clone(),
            None if self.names.is_empty() && self.players.len() == 2 => "enemy".to_owned(),
            None => format!("player {player}"),
        }
    }

    /// The last move of a seat, empty without one.
    pub(crate) fn last_of(&self, seat: usize) -> &str {
        self.moves.get(seat).map_or("", String::as_str)
    }

    /// A line about a player: a sign when it is its turn, its name, what the game tells of it, and its clock.
    pub(crate) fn line(&self, seat: usize, about: impl Into<Vec<Span<'static>>>) -> Line<'static> {
        let turn = self.to_move == Some(seat);
        let style = if turn {
            Style::new().add_modifier(Modifier::BOLD)
        } else {
            Style::new()
        };
        let sign = if turn { '>' } else { ' ' };
        let name: String = self.name(seat).chars().take(12).collect();
        let mut spans = vec![Span::styled(format!("{sign} {name:<9} "), style)];
        spans.extend(about.into());
        if let Some(ms) = self.budgets.get(seat).copied().flatten() {
            spans.push(Span::raw(format!("  {}", clock(Duration::from_millis(ms)))));
        }
        Line::from(spans)
    }
}

/// Minutes and seconds.
pub(super) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}
