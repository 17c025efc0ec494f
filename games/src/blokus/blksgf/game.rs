//! One line of a record as a game, and positions that are set up.

use std::fmt;
use std::str::FromStr;

use super::super::{Board, Colour, IllegalMove, ParseError, Placement, SEATS};
use super::error::{Location, PIECE_LIMIT, SETUP_LIMIT};
use super::{InvalidSetup, NodeId, Property, SgfError, SgfErrorKind, Tree};

/// A game: who plays, from which position, and the moves.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Game {
    /// Names by seat; an empty one is not written.
    pub players: [String; SEATS],
    /// Further properties of the root as names and values, such as `DT` for the date, `EV` for the event
    /// and `AP` for the program. A name that this format uses itself is not one of them.
    pub info: Vec<(String, String)>,
    /// The comment of the root.
    pub comment: String,
    /// What lies on the board at the start.
    pub setup: Setup,
    /// The moves. Colours may come out of turn.
    pub moves: Vec<(Colour, Placement)>,
}

impl Game {
    /// The board after all moves.
    ///
    /// # Errors
    /// What the rules forbid, as the text of a move or of the position at the start.
    pub fn board(&self) -> Result<Board, SgfError> {
        self.board_after(self.moves.len())
    }

    /// The board after so many moves, or after all when there are fewer.
    ///
    /// # Errors
    /// As [`Game::board`].
    pub fn board_after(&self, moves: usize) -> Result<Board, SgfError> {
        let nowhere = Location::default();
        let mut board = self.setup.board().map_err(|error| nowhere.error(error))?;
        for &(colour, placement) in self.moves.iter().take(moves) {
            board
                .place(colour, placement)
                .map_err(|reason| nowhere.error(illegal(colour, placement, reason)))?;
        }
        Ok(board)
    }

    /// A tree of one line. The moves are not checked.
    ///
    /// # Panics
    /// When the name of a further property is empty or has other characters than ASCII letters and
    /// digits.
    pub fn to_tree(&self) -> Tree {
        let mut tree = Tree::new();
        let root = tree.node_mut(Tree::ROOT);
        root.add("GM", "Blokus");
        root.add("CA", "UTF-8");
        for (name, value) in &self.info {
            root.add(name, value);
        }
        for (colour, name) in Colour::ALL.into_iter().zip(&self.players) {
            if !name.is_empty() {
                root.add(&format!("P{}", number(colour)), name);
            }
        }
        for colour in Colour::ALL {
            for (_, placement) in self.setup.pieces.iter().filter(|(c, _)| *c == colour) {
                root.add(&format!("A{}", number(colour)), placement.to_string());
            }
        }
        if let Some(colour) = self.setup.to_move {
            root.add("PL", number(colour).to_string());
        }
        if !self.comment.is_empty() {
            root.add("C", &self.comment);
        }
        let mut last = Tree::ROOT;
        for &(colour, placement) in &self.moves {
            last = tree.add(last);
            let node = tree.node_mut(last);
            node.add(&number(colour).to_string(), placement.to_string());
        }
        tree
    }
}

/// The number of a colour, 1 to 4.
pub(super) fn number(colour: Colour) -> u8 {
    colour.seat() + 1
}

fn illegal(colour: Colour, placement: Placement, reason: IllegalMove) -> SgfErrorKind {
    SgfErrorKind::Illegal(colour, placement, reason)
}

impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_tree().fmt(f)
    }
}

/// Reads the main line of a text: see [`Game::of_line`].
impl FromStr for Game {
    type Err = SgfError;

    fn from_str(text: &str) -> Result<Game, SgfError> {
        let tree: Tree = text.parse()?;
        Game::of_line(&tree, &tree.main_line())
    }
}

/// A comment with the advanced scores of all colours, in turn order.
pub fn score_comment(board: &Board) -> String {
    let scores = Colour::ALL.map(|colour| format!("{colour} {}", board.score(colour)));
    format!("Scores: {}", scores.join(", "))
}

/// Pieces that lie on the board before the first move, and whose turn it is.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Setup {
    /// The pieces. Their order matters only for the bonus of a colour that has placed all: its last
    /// piece is the one that comes last here, as far as the rules let it.
    pub pieces: Vec<(Colour, Placement)>,
    /// The colour whose turn it is, or would be if it had a move; blue when it is not said.
    pub to_move: Option<Colour>,
}

impl Setup {
    /// Whether nothing is set up.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.to_move.is_none()
    }

    /// The board with these pieces: each colour's must lie as if it had placed them one by one.
    ///
    /// # Errors
    /// A piece that cannot lie where it does.
    pub fn board(&self) -> Result<Board, InvalidSetup> {
        let mut board = Board::new();
        let mut waiting = self.pieces.clone();
        while !waiting.is_empty() {
            let before = waiting.len();
            // What is legal now stays legal whatever the others do, unless the pieces contradict one
            // another: so the order in which they are tried does not matter.
            waiting.retain(|&(colour, placement)| {
                let legal = board.is_legal(colour, placement);
                if legal {
                    board.put(colour, placement);
                }
                !legal
            });
            if waiting.len() == before {
                let (colour, placement) = waiting[0];
                let reason = board.check(colour, placement).err();
                // One of those that wait is illegal, or it would not wait.
                let reason = reason.unwrap_or(IllegalMove::Apart(colour));
                return Err(InvalidSetup(colour, placement, reason));
            }
        }
        board.give_turn(self.to_move.unwrap_or(Colour::BLUE));
        Ok(board)
    }
}

enum Effect {
    Move(Colour),
    Add(Colour),
    Remove,
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

/// Moves of other forms of the Smart Game Format, and colours as other programs shorten them.
const FOREIGN: [&str; 5] = ["B", "W", "Y", "R", "G"];

/// The seat of a property `P1` to `P4`.
fn player(name: &str) -> Option<usize> {
    ["P1", "P2", "P3", "P4"].iter().position(|&p| p == name)
}

/// A line as far as it has been followed.
pub(super) struct Line {
    pub(super) game: Game,
    board: Board,
    /// Nodes that set up a position, and the last of them.
    setups: usize,
    pub(super) start: NodeId,
    pub(super) nodes: Vec<NodeId>,
}

impl Line {
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

    fn play(&mut self, id: NodeId, colour: Colour, property: &Property) -> Result<(), SgfError> {
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
        self.nodes.push(id);
        Ok(())
    }

    /// All that lies on the board becomes the position at the start, to be changed.
    fn fold(&mut self) {
        if !self.game.moves.is_empty() {
            self.game.setup.to_move = self.board.to_move();
            self.game.setup.pieces.append(&mut self.game.moves);
            self.nodes.clear();
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
        Ok(Line::of(tree, line)?.game)
    }
}

impl Line {
    /// As [`Game::of_line`].
    pub(super) fn of(tree: &Tree, line: &[NodeId]) -> Result<Line, SgfError> {
        let root = tree.node(Tree::ROOT);
        let property = root.properties().iter().find(|p| p.name() == "GM");
        let property = property.ok_or_else(|| Location::default().error(SgfErrorKind::NoGame))?;
        let name = property.values()[0].trim();
        if name != "Blokus" {
            let name = name.chars().take(40).collect();
            return Err(property.location.error(SgfErrorKind::Game(name)));
        }
        let mut line_so_far = Line {
            game: Game::default(),
            board: Board::new(),
            setups: 0,
            start: Tree::ROOT,
            nodes: Vec::new(),
        };
        for &id in line {
            line_so_far.follow(tree, id)?;
        }
        Ok(line_so_far)
    }

    fn follow(&mut self, tree: &Tree, id: NodeId) -> Result<(), SgfError> {
        let mut changed = None;
        let properties = tree.node(id).properties();
        for property in properties {
            match effect(property.name()) {
                None if FOREIGN.contains(&property.name()) => {
                    let name = property.name().to_owned();
                    return Err(property.location.error(SgfErrorKind::ForeignMove(name)));
                }
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
            self.start = id;
            if self.setups > SETUP_LIMIT {
                return Err(at.error(SgfErrorKind::Setups));
            }
            let board = self.game.setup.board();
            self.board = board.map_err(|error| at.error(error))?;
        }
        for property in properties {
            if let Some(Effect::Move(colour)) = effect(property.name()) {
                self.play(id, colour, property)?;
            }
        }
        Ok(())
    }
}
