//! The words after a command.

use std::fmt::Display;
use std::str::FromStr;

use games::blokus::{Colour, Placement};

/// Arguments of a command, taken one after the other.
pub(super) struct Arguments<'a> {
    words: &'a [String],
    usage: &'static str,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(words: &'a [String], usage: &'static str) -> Arguments<'a> {
        Arguments { words, usage }
    }

    pub(super) fn word(&mut self) -> Result<&'a str, String> {
        let (first, rest) = self.words.split_first().ok_or_else(|| self.wrong())?;
        self.words = rest;
        Ok(first)
    }

    pub(super) fn optional_word(&mut self) -> Option<&'a str> {
        self.word().ok()
    }

    /// All other words, one blank between them; at least one.
    pub(super) fn rest(&mut self) -> Result<String, String> {
        if self.words.is_empty() {
            return Err(self.wrong());
        }
        Ok(std::mem::take(&mut self.words).join(" "))
    }

    pub(super) fn colour(&mut self) -> Result<Colour, String> {
        parsed(self.word()?)
    }

    pub(super) fn placement(&mut self) -> Result<Placement, String> {
        placement(&self.rest()?)
    }

    pub(super) fn number<N: FromStr>(&mut self) -> Result<N, String> {
        let word = self.word()?;
        word.parse()
            .map_err(|_| format!("`{}` is not a number that fits", short(word)))
    }

    pub(super) fn end(&self) -> Result<(), String> {
        if self.words.is_empty() {
            Ok(())
        } else {
            Err(self.wrong())
        }
    }

    fn wrong(&self) -> String {
        format!("wrong number of arguments: {}", self.usage)
    }
}

fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|e| format!("{e}"))
}

pub(super) fn placement(text: &str) -> Result<Placement, String> {
    parsed(text).map_err(|e| format!("invalid move: {e}"))
}

pub(super) fn short(word: &str) -> String {
    word.chars().take(40).collect()
}
