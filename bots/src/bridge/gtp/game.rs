//! The moves of the game in play, as the server tells them.

use games::blokus::{Colour, Placement};
use serde_json::Value;

use crate::bridge::engine::Follow;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) colour: Colour,
    pub(super) placement: Placement,
}

impl Told {
    fn read(seat: u64, squares: &str) -> Result<Told, String> {
        let colour = u8::try_from(seat).ok().and_then(Colour::new);
        let colour = colour.ok_or_else(|| format!("a move of seat {seat}"))?;
        let placement = squares.parse().map_err(|e| format!("{squares}: {e}"))?;
        Ok(Told { colour, placement })
    }
}

#[derive(Debug, Default)]
pub(super) struct Game {
    /// Its number; 0 before the first.
    number: u32,
    /// The own colour, once a view has told.
    pub(super) colour: Option<Colour>,
    /// Its moves, those of a random opening included.
    pub(super) moves: Vec<Told>,
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
        let read = |mv: &Value| match (mv[0].as_u64(), mv[1].as_str()) {
            (Some(seat), Some(squares)) => Told::read(seat, squares),
            _ => Err(format!("the view has {mv} as a move")),
        };
        let moves: Result<Vec<Told>, String> = moves.iter().map(read).collect();
        self.moves = moves?;
        self.number = number;
        self.colour = Colour::new(seat);
        Ok(())
    }

    fn ply(&self) -> u32 {
        self.moves.len() as u32
    }

    fn moved(&mut self, number: u32, ply: u32, seat: u8, mv: &str) -> Result<(), String> {
        if (number, ply) == (self.number, self.ply()) {
            self.moves.push(Told::read(u64::from(seat), mv)?);
        }
        Ok(())
    }

    fn number(&self) -> u32 {
        self.number
    }

    fn seat(&self) -> Option<u8> {
        self.colour.map(Colour::seat)
    }
}
