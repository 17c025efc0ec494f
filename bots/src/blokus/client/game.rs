//! Blokus as the client uses it.

use std::time::Duration;

use games::blokus::{Board, Colour, Placement, SEATS};
use serde_json::{Value, json};

use super::Tally;
use crate::blokus::{Engine, picture};
use crate::native_client::Game;

/// Moves of a colour in a game of strong players, about.
const MOVES: u32 = 18;

/// Blokus; seats are colours.
pub(in crate::blokus) enum Blokus {}

impl Game for Blokus {
    const NAME: &'static str = "blokus";
    const SEATS: u8 = SEATS as u8;
    const HELP: &'static str =
        "  b18,b19,c19,a20,b20  lay the piece of these squares, in any order
The first piece covers your corner; every other one touches an own piece at a corner and none along an
edge. Pieces are named as in Pentobi: a letter for the shape, a number for the squares.";
    const EXAMPLE: &'static str = "The squares of a piece such as a20,b20";

    type Position = Board;
    type Move = Placement;
    type Engine = Box<dyn Engine>;
    type Tally = Tally;

    /// Replays the `moves` of the view, pairs of a seat and squares, and withdraws the colours that `out` has.
    fn read_view(view: &Value) -> Result<Board, String> {
        let mut board = Board::new();
        for mv in view["moves"].as_array().ok_or("a view without moves")? {
            let seat = mv[0].as_u64().and_then(|seat| u8::try_from(seat).ok());
            let colour = seat.and_then(Colour::new);
            let (Some(colour), Some(squares)) = (colour, mv[1].as_str()) else {
                return Err(format!("the view has {mv} as a move"));
            };
            let placement: Placement = squares.parse().map_err(|e| format!("{squares}: {e}"))?;
            board
                .place(colour, placement)
                .map_err(|e| format!("{colour} {squares}: {e}"))?;
        }
        if let Some(out) = view["out"].as_array() {
            for (colour, why) in Colour::ALL.into_iter().zip(out) {
                if !why.is_null() {
                    board.withdraw(colour);
                }
            }
        }
        Ok(board)
    }

    fn ply(board: &Board) -> u32 {
        u32::from(board.ply())
    }

    fn to_move(board: &Board) -> Option<u8> {
        board.to_move().map(Colour::seat)
    }

    fn is_legal(board: &Board, placement: Placement) -> bool {
        board
            .to_move()
            .is_some_and(|colour| board.is_legal(colour, placement))
    }

    fn legal_moves(board: &Board) -> Vec<Placement> {
        let mut moves = Vec::new();
        board.legal_moves(&mut moves);
        moves
    }

    fn play(board: &mut Board, seat: u8, text: &str) -> bool {
        board.to_move().map(Colour::seat) == Some(seat)
            && text
                .parse()
                .is_ok_and(|placement| board.play(placement).is_ok())
    }

    fn withdraw(board: &mut Board, seat: u8) {
        if let Some(colour) = Colour::new(seat) {
            board.withdraw(colour);
        }
    }

    fn moves_left(board: &Board, seat: u8) -> Option<u32> {
        let left = board.pieces_left(Colour::new(seat)?).len();
        let played = games::blokus::PIECES as u32 - left;
        Some((MOVES.saturating_sub(played)).max(2).min(left).max(1))
    }

    /// The moves are in the log already: squares placed by seat, and who is out.
    fn log(board: &Board) -> Value {
        json!({
            "squares": Colour::ALL.map(|colour| board.squares(colour)),
            "out": Colour::ALL.map(|colour| board.is_out(colour)),
        })
    }

    fn draw(board: &Board) -> String {
        picture(board)
    }

    fn read_move(board: &Board, text: &str) -> Result<Placement, String> {
        let placement: Placement = text.parse().map_err(|e| format!("{e}"))?;
        match board.to_move() {
            None => Err("the game is over".to_owned()),
            Some(colour) => match board.check(colour, placement) {
                Ok(()) => Ok(placement),
                Err(e) => Err(format!("{placement}: {e}")),
            },
        }
    }

    fn check_notation(text: &str) -> Result<(), String> {
        text.parse::<Placement>()
            .map(|_| ())
            .map_err(|e| format!("{e}"))
    }

    fn seat_name(seat: u8) -> &'static str {
        Colour::new(seat).map_or("nobody", Colour::name)
    }

    fn choose(engine: &mut Self::Engine, board: &Board, limit: Option<Duration>) -> Placement {
        engine.choose(board, limit)
    }

    fn new_game(engine: &mut Self::Engine) {
        engine.new_game();
    }

    fn explain(engine: &Self::Engine) -> Option<Value> {
        engine.explain()
    }
}
