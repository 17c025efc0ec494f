//! The main line of a tree, and what becomes of the tree when its game takes another course.

use super::super::{Colour, Placement};
use super::game::{Line, number};
use super::{Game, NodeId, SgfError, Tree};

/// A tree and the game of its main line.
#[derive(Clone, Debug)]
pub struct MainLine {
    tree: Tree,
    game: Game,
    /// The node that sets up the position before the first move.
    start: NodeId,
    nodes: Vec<NodeId>,
}

impl MainLine {
    /// Follows the main line of a tree.
    ///
    /// # Errors
    /// As [`Game::of_line`].
    pub fn of(tree: Tree) -> Result<MainLine, SgfError> {
        let Line {
            game, start, nodes, ..
        } = Line::of(&tree, &tree.main_line())?;
        Ok(MainLine {
            tree,
            game,
            start,
            nodes,
        })
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The node that led to the position after so many moves.
    ///
    /// # Panics
    /// When the game has fewer moves.
    pub fn node(&self, moves: usize) -> NodeId {
        moves
            .checked_sub(1)
            .map_or(self.start, |last| self.nodes[last])
    }

    /// The tree with these moves as its main line, from its first position on; what it has beside them stays, and lines that
    /// go on behind them. A node with several moves, of which the last are others, cannot be divided: then only the names and
    /// the properties of the root stay.
    pub fn with_moves(&self, moves: &[(Colour, Placement)]) -> Tree {
        let shared = self.game.moves.iter().zip(moves);
        let shared = shared.take_while(|(own, other)| own == other).count();
        let mut last = self.node(shared);
        if shared < moves.len() && self.nodes.get(shared) == Some(&last) {
            let moves = moves.to_vec();
            return Game {
                moves,
                ..self.game.clone()
            }
            .to_tree();
        }
        let mut tree = self.tree.clone();
        for &(colour, placement) in &moves[shared..] {
            last = tree.add_first(last);
            tree.node_mut(last)
                .add(&number(colour).to_string(), placement.to_string());
        }
        tree
    }
}
