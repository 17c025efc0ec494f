//! The moves of the game in play, as the server tells them.

use protocol::usi::Position;
use serde_json::Value;

use crate::bridge::engine::Follow;

#[derive(Debug, Default)]
pub(super) struct Game {
    number: u32,
    seat: Option<u8>,
    /// Its moves, those of a random opening included.
    moves: Vec<String>,
}

impl Game {
    /// The position, as an engine is told it.
    pub(super) fn position(&self) -> Position {
        Position::after(&self.moves)
    }
}

/// A move as a server tells it: a word, which an engine is told as it is.
fn read(mv: &str) -> Result<String, String> {
    let mv: games::dobutsu::Move = mv.parse().map_err(|e| format!("{mv}: {e}"))?;
    Ok(mv.to_string())
}

impl Follow for Game {
    fn begin(number: u32) -> Game {
        Game {
            number,
            ..Game::default()
        }
    }

    fn view(&mut self, number: u32, seat: u8, view: &Value) -> Result<(), String> {
        let moves = view["moves"].as_array().ok_or("a view without moves")?;
        let moves = moves
            .iter()
            .map(|mv| read(mv.as_str().ok_or("a move that is no text")?));
        self.moves = moves.collect::<Result<_, String>>()?;
        self.number = number;
        self.seat = Some(seat);
        Ok(())
    }

    fn moved(&mut self, number: u32, ply: u32, _seat: u8, mv: &str) -> Result<(), String> {
        if (number, ply) == (self.number, self.ply()) {
            self.moves.push(read(mv)?);
        }
        Ok(())
    }

    fn number(&self) -> u32 {
        self.number
    }

    fn seat(&self) -> Option<u8> {
        self.seat
    }

    fn ply(&self) -> u32 {
        self.moves.len() as u32
    }
}
