//! The game as the controller has it.

use games::blokus::blksgf::{self, MainLine, Tree};
use games::blokus::{Board, Colour, IllegalMove, Placement};

#[derive(Clone, Debug, Default)]
pub(super) struct Position {
    source: Option<MainLine>,
    moves: Vec<(Colour, Placement)>,
    before: Vec<Board>,
    board: Board,
}

impl Position {
    pub(super) fn board(&self) -> &Board {
        &self.board
    }

    pub(super) fn play(&mut self, colour: Colour, placement: Placement) -> Result<(), IllegalMove> {
        let before = self.board;
        self.board.place(colour, placement)?;
        self.before.push(before);
        self.moves.push((colour, placement));
        Ok(())
    }

    pub(super) fn undo(&mut self) -> bool {
        self.moves.pop();
        self.before.pop().map(|board| self.board = board).is_some()
    }

    /// A game that was read, after so many of its moves.
    pub(super) fn of_line(line: MainLine, moves: usize) -> Result<Position, String> {
        let game = line.game();
        let mut position = Position {
            board: game.board_after(0).map_err(|e| e.to_string())?,
            ..Position::default()
        };
        for &(colour, placement) in game.moves.iter().take(moves) {
            position
                .play(colour, placement)
                .map_err(|e| format!("{colour} {placement}: {e}"))?;
        }
        position.source = Some(line);
        Ok(position)
    }

    /// The game for a file, with the scores and all that was read with it.
    pub(super) fn to_tree(&self) -> Tree {
        let mut tree = if let Some(line) = &self.source {
            line.with_moves(&self.moves)
        } else {
            let moves = self.moves.clone();
            let game = blksgf::Game {
                moves,
                ..blksgf::Game::default()
            };
            game.to_tree()
        };
        let scores = blksgf::score_comment(&self.board);
        let root = tree.node_mut(Tree::ROOT);
        // Those of an earlier position are out of date.
        let comment = root.value("C").unwrap_or_default();
        let kept = comment.lines().filter(|line| !line.starts_with("Scores: "));
        let lines: Vec<&str> = kept.chain([&scores[..]]).collect();
        root.set("C", lines.join("\n"));
        root.set("CA", "UTF-8");
        root.set("AP", concat!("Taikyoku:", env!("CARGO_PKG_VERSION")));
        tree
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
