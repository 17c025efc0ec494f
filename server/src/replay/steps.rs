//! Stepping through games by keys.

use std::io::{BufRead, Write};

use super::no_game;
use program::Failure;

const KEYS: &str = "Enter, n: next   p: previous   g N: game N   g: next game   q: quit";

/// A place in a file: index of the game, and of the position in it.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub(super) game: usize,
    pub(super) position: usize,
}

impl Place {
    const fn first(game: usize) -> Place {
        Place { game, position: 0 }
    }
}

pub(super) struct Games<'a> {
    /// The number of each and its number of positions.
    pub(super) lengths: Vec<(u32, usize)>,
    pub(super) draw: &'a dyn Fn(Place) -> Result<String, Failure>,
}

impl Games<'_> {
    /// The games that are asked for, all without a number.
    pub(super) fn wanted(&self, number: Option<u32>) -> Result<std::ops::Range<usize>, Failure> {
        match number {
            None => Ok(0..self.lengths.len()),
            Some(_) => self.index_of(number).map(|index| index..index + 1),
        }
    }

    fn index_of(&self, number: Option<u32>) -> Result<usize, Failure> {
        let Some(game) = number else {
            return Ok(0);
        };
        let index = self.lengths.iter().position(|(n, _)| *n == game);
        let last = self.lengths.last().map_or(0, |(n, _)| *n);
        index.ok_or_else(|| no_game(game, last))
    }

    /// Steps through the games by keys, from one of them on.
    pub(super) fn step_through(
        &self,
        game: Option<u32>,
        input: &mut dyn BufRead,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let mut place = Place::first(self.index_of(game)?);
        writeln!(out, "{KEYS}\n")?;
        loop {
            let shown = (self.draw)(place)?;
            let keys = if self.next(place) == place {
                "end"
            } else {
                "n/p/g/q"
            };
            write!(out, "{shown}\n[{keys}] ")?;
            out.flush()?;
            let mut line = String::new();
            if input.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let mut words = line.split_ascii_whitespace();
            match (words.next(), words.next()) {
                (None | Some("n"), _) => place = self.next(place),
                (Some("p"), _) => place = self.previous(place),
                (Some("g"), None) if place.game + 1 < self.lengths.len() => {
                    place = Place::first(place.game + 1);
                }
                (Some("g"), Some(number)) => {
                    let game = number.parse();
                    match game.map(|number| self.index_of(Some(number))) {
                        Ok(Ok(game)) => place = Place::first(game),
                        Ok(Err(none)) => writeln!(out, "{none}")?,
                        Err(_) => writeln!(out, "{number} is no number of a game")?,
                    }
                }
                (Some("q"), _) => return Ok(()),
                _ => writeln!(out, "{KEYS}")?,
            }
        }
    }

    fn length(&self, game: usize) -> usize {
        self.lengths.get(game).map_or(0, |(_, length)| *length)
    }

    fn next(&self, place: Place) -> Place {
        if place.position + 1 < self.length(place.game) {
            Place {
                position: place.position + 1,
                ..place
            }
        } else if place.game + 1 < self.lengths.len() {
            Place::first(place.game + 1)
        } else {
            place
        }
    }

    fn previous(&self, place: Place) -> Place {
        if place.position > 0 {
            Place {
                position: place.position - 1,
                ..place
            }
        } else if place.game > 0 {
            let position = self.length(place.game - 1).saturating_sub(1);
            Place {
                game: place.game - 1,
                position,
            }
        } else {
            place
        }
    }
}
