//! What a seat sees of a game, as frames.

use games::geister::{GameView, TurnView, View};
use games::{Player, Seat};
use protocol::gat::{Board, Outcome};
use record::{Frame, GameResult};
use serde_json::json;

use super::Followed;
use crate::TableEvent;

/// The frames of a game. Placements are plies, and the own player is number 0.
pub(super) struct SeatFrames(Frame);

impl SeatFrames {
    pub(super) fn new(game: u32) -> SeatFrames {
        SeatFrames(Frame::begin(game, Vec::new()))
    }

    pub(super) fn view(&mut self, view: &GameView) -> TableEvent {
        let (seat, ply, to_move) = match view {
            GameView::Placing { seat, to_move, .. } => (seat.number(), 0, Some(*to_move)),
            GameView::Playing(view) => {
                let ply = 2 + u32::from(view.ply());
                (view.seat(), ply, view.to_move().map(Seat::new))
            }
        };
        self.0.players = [seat, 1 - seat].map(Player::new).to_vec();
        self.0.show(ply, to_move, json!(view));
        TableEvent::Frame(self.0.clone())
    }

    /// A move, and what the seat sees after it.
    pub(super) fn after(&mut self, followed: &Followed) -> TableEvent {
        let Followed {
            before: mut view,
            mv,
            captured,
        } = *followed;
        let seen = TurnView::Moved {
            mv,
            captured,
            revealed: None,
        };
        let mover = Seat::new(view.to_move().unwrap_or_default());
        let ply = 3 + u32::from(view.ply());
        self.0.play(ply, mover, seen.to_string(), None);
        view.follow(mv, captured).expect("it was followed before");
        self.view(&GameView::Playing(view))
    }

    /// The result of the game for this seat.
    pub(super) fn result(&self, seat: u8, outcome: Outcome, end: &str) -> TableEvent {
        let (mut places, mut scores) = match outcome {
            Outcome::Won => ([1, 2], [1.0, 0.0]),
            Outcome::Lost => ([2, 1], [0.0, 1.0]),
            Outcome::Draw => ([1, 1], [0.5, 0.5]),
        };
        places.rotate_left(usize::from(seat));
        scores.rotate_left(usize::from(seat));
        let (places, scores) = (places.to_vec(), scores.to_vec());
        TableEvent::Result(GameResult::new(self.0.game, places, scores, end))
    }
}

/// The view with all colours that the last board shows.
pub(super) fn revealed(view: &View, board: &Board) -> Option<View> {
    let mover = u8::from(view.ply() % 2 == 1);
    let (own, enemy) = (board.own, board.enemy);
    View::from_ghosts(view.seat(), own, enemy, mover, view.ply(), view.rules()).ok()
}
