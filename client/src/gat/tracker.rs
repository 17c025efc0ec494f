//! Keeps the view of one seat through a game, from boards and answers alone.

use games::geister::{Colour, EndKind, Ghost, Move, Place, Placement, Rules, View};
use log::warn;
use protocol::gat::{Board, enemy_move};

/// The ply limit to go on with when the server plays past the one that it was said to have.
const LONGER_LIMIT: u16 = 300;

/// One seat's knowledge of a game in progress.
///
/// The protocol tells neither the seat nor the enemy's moves nor the ply: the seat is 1 if the enemy
/// has moved on the first board, moves come from comparing boards, plies from counting.
#[derive(Clone, Debug)]
pub struct BoardTracker {
    view: View,
    seat_known: bool,
    own_moves: u16,
    /// An own move that has been sent and not answered.
    sent: Option<Move>,
    disagreements: u64,
}

/// A move that was followed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Followed {
    /// The view before it.
    pub before: View,
    /// The move in the mover's own words.
    pub mv: Move,
    /// Colour of the ghost that it captured.
    pub captured: Option<Colour>,
}

/// What a request for a move brought to light, in the order in which it happened.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct RequestOutcome {
    /// The game has begun: the view at its start. With the first request only.
    pub began: Option<View>,
    /// The own move, if the server has not answered it.
    pub own: Option<Followed>,
    /// The enemy's move. `None` before the first move, and if no move explains the board.
    pub enemy: Option<Followed>,
}

/// Why a game ended, as far as the last board shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A ghost escaped.
    Escape,
    /// Four blue ghosts of a side are captured.
    BluesTaken,
    /// Four red ghosts of a side are captured.
    RedsTaken,
    /// A draw.
    PlyLimit,
    /// None of these: somebody ran out of time, left, or sent what is no legal move.
    Forfeit,
}

impl Reason {
    /// A word for the log.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Escape => "escape",
            Self::BluesTaken => "blues-taken",
            Self::RedsTaken => "reds-taken",
            Self::PlyLimit => "ply-limit",
            Self::Forfeit => "forfeit",
        }
    }

    /// What the last board shows; `draw` is what the server said.
    pub fn of(board: &Board, draw: bool) -> Self {
        let own = board.own.map(|(place, colour)| (place, Some(colour)));
        let taken = |ghosts: &[(Place, Option<Colour>)], colour| {
            let captured = (Place::Captured, Some(colour));
            ghosts.iter().filter(|&&ghost| ghost == captured).count() == 4
        };
        let any = |colour| taken(&own, colour) || taken(&board.enemy, colour);
        let places = own.iter().chain(&board.enemy).map(|(place, _)| *place);
        if places.clone().any(|place| place == Place::Escaped) {
            Self::Escape
        } else if any(Colour::Blue) {
            Self::BluesTaken
        } else if any(Colour::Red) {
            Self::RedsTaken
        } else if draw {
            Self::PlyLimit
        } else {
            Self::Forfeit
        }
    }
}

impl BoardTracker {
    /// Before the first board of a game.
    pub fn new(placement: Placement, rules: Rules) -> Self {
        Self {
            view: View::start(0, placement, rules),
            seat_known: false,
            own_moves: 0,
            sent: None,
            disagreements: 0,
        }
    }

    /// What is known. Before the first request the seat is not, and stands as 0.
    pub const fn view(&self) -> &View {
        &self.view
    }

    /// The seat, once a board has shown it.
    pub fn seat(&self) -> Option<u8> {
        self.seat_known.then(|| self.view.seat())
    }

    /// How often the server's board was not what the tracked game led to.
    pub const fn disagreements(&self) -> u64 {
        self.disagreements
    }

    /// The server asks for a move and shows this board; `None` if it showed none that can be. After
    /// this the own seat is to move in [`BoardTracker::view`].
    pub fn requested(&mut self, board: Option<&Board>) -> RequestOutcome {
        let mut news = RequestOutcome::default();
        if !self.seat_known {
            self.find_seat(board);
            news.began = Some(self.view);
        }
        if let Some(mv) = self.sent {
            let captured = board.and_then(|board| self.captured_by(mv, board));
            news.own = self.made(mv, captured);
        }
        self.pass_limit();
        let seat = self.view.seat();
        if let Some(board) = board {
            if self.view.to_move() == Some(1 - seat) {
                news.enemy = self.follow_enemy(board);
                self.pass_limit();
            }
            if self.view.to_move() == Some(seat) && Board::from(&self.view) == *board {
                return news;
            }
        }
        self.take_over(board);
        news
    }

    /// The own move that has been sent and not answered.
    pub const fn sent(&self) -> Option<Move> {
        self.sent
    }

    /// An own move is sent.
    pub fn sending(&mut self, mv: Move) {
        self.sent = Some(mv);
    }

    /// The server has refused the own move.
    pub fn refused(&mut self) {
        self.sent = None;
    }

    /// The server has made the own move, which captured a ghost of this colour. `None` if that cannot
    /// be: the next board will tell.
    pub fn made(&mut self, mv: Move, captured: Option<Colour>) -> Option<Followed> {
        self.sent = None;
        self.own_moves = self.own_moves.saturating_add(1);
        let before = self.view;
        match self.view.follow(mv, captured) {
            Ok(()) => Some(Followed {
                before,
                mv,
                captured,
            }),
            Err(error) => {
                warn!("the server answers what cannot be: {error}");
                None
            }
        }
    }

    /// The server shows the last board. Gives the enemy's last move if the game ended with it.
    pub fn ended(&mut self, board: &Board) -> Option<Followed> {
        let enemy = 1 - self.view.seat();
        (self.seat_known && self.view.to_move() == Some(enemy))
            .then(|| self.follow_enemy(board))
            .flatten()
    }

    /// The plies that the game has come to, by counting own moves at a request.
    fn plies(&self) -> u16 {
        let own = self.own_moves.saturating_mul(2);
        own.saturating_add(u16::from(self.view.seat()))
    }

    fn find_seat(&mut self, board: Option<&Board>) {
        let start = Board::from(&self.view);
        let enemy_moved = board.is_some_and(|board| board.enemy != start.enemy);
        let (placement, rules) = (self.view.placement(), self.view.rules());
        self.view = View::start(u8::from(enemy_moved), placement, rules);
        self.seat_known = true;
    }

    fn follow_enemy(&mut self, board: &Board) -> Option<Followed> {
        let before = self.view;
        let mv = enemy_move(&Board::from(&before), board)?;
        let target = before.enemy(mv.ghost).0.square();
        let target = target.and_then(|from| from.step(mv.direction.turned()));
        let captured = Ghost::ALL
            .into_iter()
            .map(|ghost| before.own(ghost))
            .find(|(place, _)| target.is_some() && place.square() == target)
            .map(|(_, colour)| colour);
        match self.view.follow(mv, captured) {
            Ok(()) => Some(Followed {
                before,
                mv,
                captured,
            }),
            Err(error) => {
                warn!("the board shows a move of the enemy that cannot be: {error}");
                None
            }
        }
    }

    /// The colour that a board gives to the ghost that an own move should have captured.
    fn captured_by(&self, mv: Move, board: &Board) -> Option<Colour> {
        let to = self.view.own(mv.ghost).0.square()?.step(mv.direction)?;
        let hit = Ghost::ALL
            .into_iter()
            .find(|&ghost| self.view.enemy(ghost).0 == Place::On(to))?;
        board.enemy[hit.index()].1
    }

    /// The server goes on. If the view has ended by the ply limit, the limit was another one.
    fn pass_limit(&mut self) {
        let view = &self.view;
        if view.end().is_some_and(|end| end.kind == EndKind::PlyLimit) {
            let rules = longer(view.rules(), view.ply());
            warn!("the server plays on past the ply limit of {}", view.ply());
            let known = Board::from(view);
            let mover = u8::from(view.ply() % 2 == 1);
            let seat = view.seat();
            if let Ok(view) =
                View::from_ghosts(seat, known.own, known.enemy, mover, view.ply(), rules)
            {
                self.view = view;
            }
        }
    }

    /// Goes on from what the server shows, or without a board from what is known, with the own seat to
    /// move.
    fn take_over(&mut self, board: Option<&Board>) {
        let (seat, plies) = (self.view.seat(), self.plies());
        self.disagreements += 1;
        warn!("ply {plies}: the moves did not lead to the server's board: going on from it");
        let rules = longer(self.view.rules(), plies);
        let known = Board::from(&self.view);
        for ghosts in [board, Some(&known)].into_iter().flatten() {
            match View::from_ghosts(seat, ghosts.own, ghosts.enemy, seat, plies, rules) {
                Ok(view) => {
                    self.view = view;
                    return;
                }
                Err(error) => warn!("the board cannot be: {error}"),
            }
        }
        self.view = View::start(seat, self.view.placement(), rules);
    }
}

/// Rules under which the game goes on after `plies`.
fn longer(rules: Rules, plies: u16) -> Rules {
    if plies < rules.ply_limit {
        return rules;
    }
    let ply_limit = if plies < LONGER_LIMIT {
        LONGER_LIMIT
    } else {
        u16::MAX
    };
    Rules { ply_limit }
}
