//! Games as networks learn and search them.

use games::dobutsu::{Board, Dobutsu, Move, MoveList, Position};
use models::{Encoding, Layout, dobutsu};

use crate::dobutsu::Value;
use crate::dobutsu::alpha_beta::AlphaBeta;
use crate::dobutsu::engine::Limits;
use crate::dobutsu::move_number::{MOVES, number};
use crate::search::network::{GameLayout, Networked};
use crate::search::{Game, Rewards, two_seats};

/// A position with those before it. The second occurrence of a position is a draw, and the game is over where the table
/// of the solved game ends: where the lion can be caught, or has tried and cannot be. So a network is never asked about
/// a position that it was not taught.
#[derive(Debug)]
pub struct Line {
    first: Position,
    position: Position,
    moves: Vec<Move>,
    past: Vec<u64>,
    end: Option<Rewards>,
}

impl Line {
    /// A position of a game, which goes on there whatever has occurred before.
    pub fn of(game: &Dobutsu) -> Self {
        Self {
            first: *game.first(),
            position: *game.board(),
            moves: game.moves().to_vec(),
            past: game.past().iter().map(|past| past.board().key()).collect(),
            end: None,
        }
    }

    /// A position without a past, for the seat that moves first.
    pub fn from_board(board: Board) -> Self {
        let first = Position::new(board, 0, Position::START.variant());
        Self {
            first,
            position: first,
            moves: Vec::new(),
            past: Vec::new(),
            end: None,
        }
    }

    pub const fn position(&self) -> &Position {
        &self.position
    }

    pub(super) fn past(&self) -> &[u64] {
        &self.past
    }

    /// A move that wins in so many plies, if such a search finds one.
    pub fn mate(&self, search: &mut AlphaBeta, plies: u32) -> Option<Move> {
        let limits = Limits::of_depth(plies);
        let win = search.mate(&self.position, &self.past, &limits)?;
        Some(win.mv)
    }

    fn find_end(&self) -> Option<Rewards> {
        let board = self.position.board();
        let mover = self.position.turn();
        let winner = if let Some(end) = self.position.end() {
            end.winner
        } else if let Some(value) = Value::at_once(board) {
            if value.sign() > 0 { mover } else { 1 - mover }
        } else {
            // The boards that this seat has seen.
            let mut seen = self.past.iter().rev().skip(1).step_by(2);
            return seen
                .any(|&past| past == board.key())
                .then(|| two_seats(0.5));
        };
        Some(two_seats(f64::from(1 - winner)))
    }
}

/// Simulations begin with a copy, which finds its memory in place.
impl Clone for Line {
    fn clone(&self) -> Self {
        Self {
            moves: self.moves.clone(),
            past: self.past.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.moves.clone_from(&other.moves);
        self.past.clone_from(&other.past);
        (self.first, self.position, self.end) = (other.first, other.position, other.end);
    }
}

impl Game for Line {
    type Move = Move;

    const SEATS: usize = games::dobutsu::SEATS;

    const MOVES: usize = MOVES;

    fn index(mv: Move) -> usize {
        number(mv)
    }

    fn to_move(&self) -> Option<u8> {
        self.end.is_none().then_some(self.position.turn())
    }

    fn moves(&self, out: &mut Vec<Move>) {
        out.clear();
        if self.end.is_none() {
            let mut moves = MoveList::new();
            self.position.legal_moves(&mut moves);
            out.extend_from_slice(&moves);
        }
    }

    fn play(&mut self, mv: Move) {
        self.past.push(self.position.board().key());
        self.moves.push(mv);
        self.position.play_unchecked(mv);
        self.end = self.find_end();
    }

    fn rewards(&self) -> Option<Rewards> {
        self.end
    }

    fn moves_since(&self, earlier: &Self, out: &mut Vec<Move>) -> bool {
        out.clear();
        let is_later = self.first == earlier.first && self.moves.starts_with(&earlier.moves);
        if is_later {
            out.extend_from_slice(&self.moves[earlier.moves.len()..]);
        }
        is_later
    }
}

impl Networked for Line {
    const ENGINE: &'static str = "alphazero";
    const MODEL: &'static str = "models/dobutsu/dobutsu-pairs.onnx";
    const FORMS: &'static [GameLayout<Self>] = &[GameLayout::of::<Framed>()];

    fn beginning() -> Self {
        Self::from_board(Board::START)
    }
}

/// Size of the table of a search for wins of few plies, as a power of two.
pub const MATE_BITS: u32 = 12;

/// The layout `dobutsu`, for moves as seat 0 sees them.
#[derive(Clone, Copy, Debug)]
pub struct Framed;

impl Encoding for Framed {
    type Position = Line;
    type Move = Move;

    const LAYOUT: Layout = dobutsu::Dobutsu::LAYOUT;

    fn pack(line: &Line, packed: &mut [u8]) {
        dobutsu::Dobutsu::pack(line.position.board(), packed);
    }

    #[inline]
    fn logit(line: &Line, mv: Move) -> u16 {
        dobutsu::Dobutsu::logit(line.position.board(), line.position.framed(mv))
    }
}

#[cfg(test)]
mod tests {
    use games::dobutsu::Rules;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::dobutsu::move_of;

    /// A line of random moves, and its game under the rule of the second occurrence.
    fn random_line(seed: u64) -> (Line, Dobutsu) {
        let rules = Rules {
            repetition: 2,
            ..Rules::default()
        };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut line = Line::beginning();
        let mut game = Dobutsu::from_position(&rules, Position::START);
        let mut moves = Vec::new();
        loop {
            line.moves(&mut moves);
            if moves.is_empty() {
                return (line, game);
            }
            let mv = moves[rng.random_range(0..moves.len())];
            line.play(mv);
            games::Game::play(&mut game, mv).expect("a legal move");
        }
    }

    #[test]
    fn a_line_ends_where_its_game_does_or_a_lion_can_be_caught() {
        let (mut draws, mut caught) = (0, 0);
        for seed in 0..300 {
            let (line, game) = random_line(seed);
            let rewards = line.rewards().expect("it is over");
            if let Some(end) = games::Game::outcome(&game) {
                assert!((rewards[0] - end.points[games::Seat::new(0)]).abs() < 1e-9);
            } else {
                assert!(game.board().board().can_catch());
                assert!(rewards[usize::from(game.board().turn())] > 0.9);
                caught += 1;
            }
            draws += u32::from((rewards[0] - 0.5).abs() < 0.1);
        }
        assert!(draws > 0 && caught > 100, "{draws} {caught}");
    }

    #[test]
    fn a_line_of_a_game_goes_on_and_knows_what_came_before() {
        let mut game = Dobutsu::from_position(&Rules::default(), Position::START);
        let mut line = Line::of(&game);
        let earlier = line.clone();
        // Both giraffes go out and back.
        for text in ["1d1c", "3a3b", "1c1d"] {
            let mv = text.parse().expect("a move");
            line.play(mv);
            games::Game::play(&mut game, mv).expect("legal");
        }
        let mut since = Vec::new();
        assert!(Line::of(&game).moves_since(&earlier, &mut since));
        assert_eq!(since, game.moves());
        let back = "3b3a".parse().expect("a move");
        line.play(back);
        assert_eq!(
            (line.to_move(), line.rewards()),
            (None, Some(two_seats(0.5)))
        );
        games::Game::play(&mut game, back).expect("legal");
        assert_eq!(Line::of(&game).to_move(), Some(0));
    }

    #[test]
    fn moves_have_the_numbers_that_they_are_found_by() {
        let mut moves = Vec::new();
        for seed in 0..20 {
            random_line(seed).0.moves.iter().for_each(|&mv| {
                assert_eq!(move_of(Line::index(mv) as u16), Some(mv));
            });
        }
        Line::beginning().moves(&mut moves);
        assert_eq!(moves.len(), 4);
        assert_eq!(move_of(MOVES as u16), None);
    }
}
