//! Counts of a solved game.

use std::fmt::{self, Write as _};

use serde::Serialize;

use super::value::{DRAW, UNREACHED, Value};

/// Counts over all positions that a game comes to, from the side of the seat to move, mirror images counted once. A
/// position in which the lion can be captured, or in which it has tried and cannot be, is an end: it is counted, but not played on.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Statistics {
    pub reachable: u64,
    /// The seat to move can capture the lion: won in 1.
    pub catch: u64,
    /// The enemy lion has tried and cannot be captured: lost in 0.
    pub tried: u64,
    pub non_terminal: u64,
    /// Won positions, the catches among them.
    pub win: u64,
    /// Lost positions, the tries among them.
    pub loss: u64,
    pub draw: u64,
    /// Moves out of the positions that are no end.
    pub moves: u64,
    pub most_moves: usize,
    /// How many have so many.
    pub with_most_moves: u64,
    pub start: Option<Value>,
    /// The positions that are no end, by distance in plies: index 0 is distance 0.
    pub by_distance: Vec<u64>,
}

impl Statistics {
    /// Counts the values of positions that are no end; what is known of the others is there.
    pub fn count(&mut self, values: &[u8]) {
        let mut bytes = [0_u64; 256];
        for &value in values {
            bytes[usize::from(value)] += 1;
        }
        bytes[usize::from(UNREACHED)] = 0;
        self.draw = bytes[usize::from(DRAW)];
        let decided = &bytes[..usize::from(DRAW)];
        let longest = decided.iter().rposition(|&count| count > 0);
        self.by_distance = decided[..longest.map_or(0, |longest| longest + 1)].to_vec();
        self.non_terminal = bytes.iter().sum();
        self.win = self.catch + self.by_distance.iter().skip(1).step_by(2).sum::<u64>();
        self.loss = self.tried + self.by_distance.iter().step_by(2).sum::<u64>();
        self.reachable = self.catch + self.tried + self.non_terminal;
    }

    /// The plies of the longest win.
    pub fn longest_win(&self) -> Option<usize> {
        let wins = self.by_distance.iter().enumerate();
        let wins = wins.filter(|&(distance, &count)| distance % 2 == 1 && count > 0);
        wins.map(|(distance, _)| distance).next_back()
    }

    /// Lines `distance<TAB>win|lose<TAB>count` of the positions that are no end, by distance.
    pub fn distribution(&self) -> String {
        let mut lines = String::new();
        for (distance, &count) in self.by_distance.iter().enumerate() {
            if count > 0 {
                let word = ["lose", "win"][distance % 2];
                let _ = writeln!(lines, "{distance}\t{word}\t{count}");
            }
        }
        lines
    }
}

fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, count) in [
            ("reachable positions", self.reachable),
            ("the lion can be captured (win in 1)", self.catch),
            ("the enemy lion has tried (loss in 0)", self.tried),
            ("others", self.non_terminal),
            ("  of these won", self.win - self.catch),
            ("  of these lost", self.loss - self.tried),
            ("  of these drawn", self.draw),
            ("won in all", self.win),
            ("lost in all", self.loss),
            ("moves out of the others", self.moves),
            ("most legal moves", self.most_moves as u64),
            ("  in so many positions", self.with_most_moves),
            (
                "longest win in plies",
                self.longest_win().unwrap_or(0) as u64,
            ),
        ] {
            writeln!(f, "{name:<38} {:>13}", grouped(count))?;
        }
        if let Some(start) = self.start {
            writeln!(f, "{:<38} {:>13}", "the first position", start.to_string())?;
        }
        Ok(())
    }
}
