//! Blokus for four players at a table.

mod rules;
mod sheet;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use games::blokus::{Board, Cell, Colour, Piece, Placement, SEATS, SIDE};
use serde_json::{Value, json};

use super::{Outcome, Sheet, TableGame};
use games::GameName;

pub use rules::BlokusRules;

/// End of a seat, and of a game, without legal moves.
const NO_MOVES: &str = "no-moves";
/// End of a seat that has placed all its pieces.
const ALL_PLACED: &str = "all-placed";

/// What has happened, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Move(Colour, Placement),
    /// A colour has lost by a fault.
    Withdrawn(Colour),
}

/// A game of Blokus; seats are colours. Its text is its steps, with `;` between them: a move such as
/// `a20,b20`, or `-yellow` for a colour that was withdrawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blokus {
    rules: BlokusRules,
    board: Board,
    steps: Vec<Step>,
    /// By seat, the rule that has put it out.
    out: [Option<&'static str>; SEATS],
}

impl Blokus {
    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Whether a colour was withdrawn.
    pub fn is_withdrawn(&self, colour: Colour) -> bool {
        self.board.is_withdrawn(colour)
    }

    /// What counts, by seat.
    pub fn scores(&self) -> [i16; SEATS] {
        self.board.scores(self.rules.scoring)
    }

    /// The moves played, with their colours.
    fn moves(&self) -> impl Iterator<Item = (Colour, Placement)> {
        self.steps.iter().filter_map(|step| match step {
            Step::Move(colour, placement) => Some((*colour, *placement)),
            Step::Withdrawn(_) => None,
        })
    }

    fn place(&mut self, mv: &str) -> Result<Placement, String> {
        let placement: Placement = mv
            .parse()
            .map_err(|e: games::blokus::ParseError| e.to_string())?;
        let colour = self.board.to_move();
        self.board.play(placement).map_err(|e| e.to_string())?;
        self.steps
            .extend(colour.map(|colour| Step::Move(colour, placement)));
        self.find_out();
        Ok(placement)
    }

    /// Notes who has no move any more: nobody gets one back.
    fn find_out(&mut self) {
        for colour in Colour::ALL {
            let out = &mut self.out[colour.index()];
            let plays = out.is_none() && !self.board.is_withdrawn(colour);
            if plays && !self.board.has_move(colour) {
                let all_placed = self.board.squares_left(colour) == 0;
                *out = Some(if all_placed { ALL_PLACED } else { NO_MOVES });
            }
        }
    }

    fn withdraw_colour(&mut self, colour: Colour) {
        self.steps.push(Step::Withdrawn(colour));
        self.board.withdraw(colour);
    }

    /// What each seat has come to, for the view.
    fn ends(&self) -> [Option<&'static str>; SEATS] {
        Colour::ALL.map(|colour| {
            if self.is_withdrawn(colour) {
                Some("forfeit")
            } else {
                self.out[colour.index()]
            }
        })
    }
}

fn letter(colour: Option<Colour>) -> char {
    colour.map_or('.', |colour| ['b', 'y', 'r', 'g'][colour.index()])
}

impl TableGame for Blokus {
    type Rules = BlokusRules;
    const NAME: GameName = GameName::Blokus;
    const SEATS: usize = SEATS;
    const SHEET: Option<&'static str> = Some("blksgf");

    fn begin(rules: &BlokusRules, position: Option<&str>) -> Result<Blokus, String> {
        let mut game = Blokus {
            rules: *rules,
            board: Board::new(),
            steps: Vec::new(),
            out: [None; SEATS],
        };
        for step in position.unwrap_or_default().split_terminator(';') {
            match step.strip_prefix('-') {
                None => {
                    game.place(step)?;
                }
                Some(colour) => {
                    let colour: Colour = colour
                        .parse()
                        .map_err(|e: games::blokus::ParseError| e.to_string())?;
                    if game.ends()[colour.index()].is_some() {
                        return Err(format!("{colour} is out already"));
                    }
                    game.withdraw_colour(colour);
                }
            }
        }
        Ok(game)
    }

    fn position(&self) -> String {
        let mut text = String::new();
        for (i, step) in self.steps.iter().enumerate() {
            let between = if i == 0 { "" } else { ";" };
            // Writing to a string does not fail.
            let _ = match step {
                Step::Move(_, placement) => write!(text, "{between}{placement}"),
                Step::Withdrawn(colour) => write!(text, "{between}-{colour}"),
            };
        }
        text
    }

    fn to_move(&self) -> Option<u8> {
        self.board.to_move().map(Colour::seat)
    }

    fn ply(&self) -> u32 {
        u32::from(self.board.ply())
    }

    /// `board`: the rows from 20 down to 1 as texts, a letter for each square. `left`: by seat, the names of
    /// the pieces that are not placed. `out`: by seat, why it plays no more. `moves`: seat and squares.
    fn view(&self, _: u8) -> Value {
        let rows = (0..SIDE as u16).rev().map(|y| {
            let cells = (0..SIDE as u16).filter_map(|x| Cell::new(y * SIDE as u16 + x));
            cells
                .map(|cell| letter(self.board.owner(cell)))
                .collect::<String>()
        });
        let left = Colour::ALL.map(|colour| {
            let pieces = self.board.pieces_left(colour);
            pieces.iter().map(Piece::name).collect::<Vec<_>>()
        });
        let moves = self
            .moves()
            .map(|(colour, placement)| json!([colour.seat(), placement.to_string()]));
        json!({
            "board": rows.collect::<Vec<_>>(),
            "left": left,
            "out": self.ends(),
            "moves": moves.collect::<Vec<_>>(),
        })
    }

    fn legal_moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        self.board.legal_moves(&mut moves);
        moves.iter().map(Placement::to_string).collect()
    }

    fn play(&mut self, mv: &str) -> Result<String, String> {
        self.place(mv).map(|placement| placement.to_string())
    }

    fn outcome(&self) -> Option<Outcome> {
        let playing = Colour::ALL.iter().filter(|c| !self.is_withdrawn(**c));
        let alone = playing.count() <= 1;
        if !alone && self.board.to_move().is_some() {
            return None;
        }
        let winners = self.board.winners(self.rules.scoring);
        let share = 1.0 / winners.iter().filter(|won| **won).count() as f64;
        Some(Outcome {
            places: self.board.places(self.rules.scoring).into(),
            points: winners
                .iter()
                .map(|won| if *won { share } else { 0.0 })
                .collect(),
            game_points: self.scores().map(i32::from).into(),
            rule: (!alone).then_some(NO_MOVES),
            reason: None,
        })
    }

    fn out(&self, seat: u8) -> Option<&'static str> {
        self.out[usize::from(seat)]
    }

    fn withdraw(&mut self, seat: u8) -> bool {
        if let Some(colour) = Colour::new(seat) {
            self.withdraw_colour(colour);
        }
        true
    }

    fn sheet(&self, about: &Sheet<'_>) -> String {
        self.blksgf(about).to_string()
    }
}
