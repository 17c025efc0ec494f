//! The game as the controller has it.

use games::blokus::blksgf::{self, Setup};
use games::blokus::{Board, Colour, IllegalMove, Placement};

/// A board and how it came about.
#[derive(Clone, Debug, Default)]
pub(super) struct Position {
    setup: Setup,
    moves: Vec<(Colour, Placement)>,
    /// The boards before each of the moves.
    before: Vec<Board>,
    board: Board,
}

impl Position {
    pub(super) fn board(&self) -> &Board {
        &self.board
    }

    /// Plays a move of any colour.
    pub(super) fn play(&mut self, colour: Colour, placement: Placement) -> Result<(), IllegalMove> {
        let before = self.board;
        self.board.place(colour, placement)?;
        self.before.push(before);
        self.moves.push((colour, placement));
        Ok(())
    }

    /// Takes the last move back; gives whether there was one.
    pub(super) fn undo(&mut self) -> bool {
        self.moves.pop();
        self.before.pop().map(|board| self.board = board).is_some()
    }

    /// A game that was read, after so many of its moves.
    pub(super) fn of_game(game: &blksgf::Game, moves: usize) -> Result<Position, String> {
        let board = game.board_after(0).map_err(|e| e.to_string())?;
        let mut position = Position {
            setup: game.setup.clone(),
            board,
            ..Position::default()
        };
        for &(colour, placement) in game.moves.iter().take(moves) {
            position
                .play(colour, placement)
                .map_err(|e| format!("{colour} {placement}: {e}"))?;
        }
        Ok(position)
    }

    /// The game for a file.
    pub(super) fn to_game(&self) -> blksgf::Game {
        let program = concat!("Taikyoku:", env!("CARGO_PKG_VERSION"));
        blksgf::Game {
            info: vec![("AP".to_owned(), program.to_owned())],
            comment: blksgf::score_comment(&self.board),
            setup: self.setup.clone(),
            moves: self.moves.clone(),
            ..blksgf::Game::default()
        }
    }

    /// The board with the turn given to a colour; `None` if it has no move.
    pub(super) fn turned_to(&self, colour: Colour) -> Option<Board> {
        if !self.board.has_move(colour) {
            return None;
        }
        let mut board = self.board;
        board.give_turn(colour);
        Some(board)
    }
}
