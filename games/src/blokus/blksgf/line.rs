//! What the properties of a line mean.

use super::super::{Board, Colour, ParseError, Placement};
use super::error::Location;
use super::game::illegal;
use super::setup::PIECE_LIMIT;
use super::{Game, NodeId, Property, SgfError, SgfErrorKind, Tree};

/// How many nodes of a line may set up a position: each costs as much as a game.
pub const SETUP_LIMIT: usize = 256;

/// What a property does to the position.
enum Effect {
    /// A move.
    Move(Colour),
    /// Pieces put on the board.
    Add(Colour),
    /// Pieces taken off.
    Remove,
    /// The colour to move.
    Turn,
}

/// `None` for a property that leaves the position alone.
fn effect(name: &str) -> Option<Effect> {
    Some(match name {
        "AE" => Effect::Remove,
        "PL" => Effect::Turn,
        "1" | "2" | "3" | "4" | "BLUE" | "YELLOW" | "RED" | "GREEN" => {
            // Records of Pentobi before version 0.2 have the colours' names.
            Effect::Move(name.parse().ok()?)
        }
        "A1" | "A2" | "A3" | "A4" => Effect::Add(name[1..].parse().ok()?),
        _ => return None,
    })
}

/// The seat of a property `P1` to `P4`.
fn player(name: &str) -> Option<usize> {
    ["P1", "P2", "P3", "P4"].iter().position(|&p| p == name)
}

/// A line as far as it has been followed.
struct Line {
    game: Game,
    board: Board,
    /// Nodes that set up a position.
    setups: usize,
}

impl Line {
    /// The root's other properties.
    fn describe(&mut self, property: &Property) {
        let value = &property.values()[0];
        match property.name() {
            "GM" | "CA" => {}
            "C" => self.game.comment.clone_from(value),
            name => match player(name) {
                Some(seat) => self.game.players[seat].clone_from(value),
                None => self.game.info.push((name.to_string(), value.clone())),
            },
        }
    }

    fn play(&mut self, colour: Colour, property: &Property) -> Result<(), SgfError> {
        // Records of Pentobi before version 0.3 have a value for each square.
        let text = property.values().join(",");
        // A pass, which newer records leave out.
        if text.trim().is_empty() {
            return Ok(());
        }
        let at = property.location;
        let placement = placement(&text, at)?;
        self.board
            .place(colour, placement)
            .map_err(|reason| at.error(illegal(colour, placement, reason)))?;
        self.game.moves.push((colour, placement));
        Ok(())
    }

    /// All that lies on the board becomes the position at the start, to be changed.
    fn fold(&mut self) {
        if !self.game.moves.is_empty() {
            self.game.setup.to_move = self.board.to_move();
            self.game.setup.pieces.append(&mut self.game.moves);
        }
    }

    fn set_up(&mut self, effect: &Effect, property: &Property) -> Result<(), SgfError> {
        self.fold();
        let pieces = &mut self.game.setup.pieces;
        let at = property.location;
        for value in property.values() {
            match effect {
                Effect::Add(colour) => {
                    pieces.push((*colour, placement(value, at)?));
                    if pieces.len() > PIECE_LIMIT {
                        return Err(at.error(SgfErrorKind::Pieces));
                    }
                }
                Effect::Remove => {
                    let placement = placement(value, at)?;
                    let lies = pieces.iter().position(|&(_, p)| p == placement);
                    let lies = lies.ok_or_else(|| at.error(SgfErrorKind::Absent(placement)))?;
                    pieces.remove(lies);
                }
                Effect::Turn | Effect::Move(_) => {
                    let colour = value.trim().parse();
                    let colour = colour.map_err(|error: ParseError| at.error(error))?;
                    self.game.setup.to_move = Some(colour);
                }
            }
        }
        Ok(())
    }
}

fn placement(text: &str, at: Location) -> Result<Placement, SgfError> {
    text.parse().map_err(|error: ParseError| at.error(error))
}

impl Game {
    /// The game of a line of a tree, from the root on, such as [`Tree::main_line`] or [`Tree::path`]. What
    /// lies on the board when a later node sets up a position becomes the position at the start.
    /// Comments other than that of the root are left to the tree.
    ///
    /// # Errors
    /// When the game is not Blokus for four players, or what is wrong with a property, and where.
    ///
    /// # Panics
    /// When another, larger tree gave the line.
    pub fn of_line(tree: &Tree, line: &[NodeId]) -> Result<Game, SgfError> {
        let root = tree.node(Tree::ROOT);
        let property = root.properties().iter().find(|p| p.name() == "GM");
        let property = property.ok_or_else(|| Location::default().error(SgfErrorKind::NoGame))?;
        let name = property.values()[0].as_str();
        if name != "Blokus" {
            let name = name.chars().take(40).collect();
            return Err(property.location.error(SgfErrorKind::Game(name)));
        }
        let mut line_so_far = Line {
            game: Game::default(),
            board: Board::new(),
            setups: 0,
        };
        for &id in line {
            line_so_far.follow(tree, id)?;
        }
        Ok(line_so_far.game)
    }
}

impl Line {
    fn follow(&mut self, tree: &Tree, id: NodeId) -> Result<(), SgfError> {
        let mut changed = None;
        let properties = tree.node(id).properties();
        for property in properties {
            match effect(property.name()) {
                None if id == Tree::ROOT => self.describe(property),
                None | Some(Effect::Move(_)) => {}
                Some(effect) => {
                    self.set_up(&effect, property)?;
                    changed = Some(property.location);
                }
            }
        }
        if let Some(at) = changed {
            self.setups += 1;
            if self.setups > SETUP_LIMIT {
                return Err(at.error(SgfErrorKind::Setups));
            }
            let board = self.game.setup.board();
            self.board = board.map_err(|error| at.error(error))?;
        }
        for property in properties {
            if let Some(Effect::Move(colour)) = effect(property.name()) {
                self.play(colour, property)?;
            }
        }
        Ok(())
    }
}
