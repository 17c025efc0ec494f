//! Game records in blksgf, the Smart Game Format as Pentobi uses it for Blokus.
//!
//! A [`Tree`] is what the text says: nodes with properties, variations, comments. A [`Game`] is one line
//! of it as moves that the rules allow. What is particular to Blokus: the root has `GM[Blokus]`; a move
//! is `1[...]` to `4[...]` with its colour's number and its squares, from the bottom row, left to right;
//! passes are left out; `A1` to `A4` put pieces on the board, `AE` takes them off and `PL` says who is
//! to move; `P1` to `P4` name the players. The text is UTF-8. Results have no property of their own, so
//! [`score_comment`] makes a comment of them.
//!
//! ```
//! use taikyoku_games::blokus::blksgf::Game;
//!
//! let text = "(;GM[Blokus]P1[Ann];1[a17,b17,a18,a19,a20]C[good](;2[t20];3[t1])(;2[s20,t20]))";
//! let game: Game = text.parse()?;
//! assert_eq!(game.players[0], "Ann");
//! assert_eq!(game.moves.len(), 3);
//! assert_eq!(game.board()?.to_move().map(|colour| colour.name()), Some("green"));
//! let written = "(\n;GM[Blokus]CA[UTF-8]P1[Ann]\n;1[a17,b17,a18,a19,a20]\n;2[t20]\n;3[t1]\n)\n";
//! assert_eq!(game.to_string(), written);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod game;
mod main_line;
mod tree;

pub use error::{DEPTH_LIMIT, InvalidSetup, PROPERTY_LIMIT, SETUP_LIMIT, SgfError, SgfErrorKind};
pub use game::{Game, Setup, score_comment};
pub use main_line::MainLine;
pub use tree::{Node, NodeId, Property, Tree};
