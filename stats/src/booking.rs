//! Games, written down as the counts that the likelihood needs.
//!
//! Games that ended alike are the same counts, and so are blocks of such games: each different one is kept once.

use std::collections::HashMap;

use super::Outcome;
use super::logit::{Alternative, Choices};

type Row = Vec<(u32, f64)>;

#[derive(Clone, Debug)]
pub(super) struct Clerk {
    choices: Choices,
    /// The parameter of draws: the one behind those of the entrants.
    draw: usize,
    /// By entrants and places what a game counts.
    games: HashMap<Vec<u64>, Row>,
    key: Vec<u64>,
    /// The open block by column, and the columns that it has.
    open: Vec<f64>,
    columns: Vec<u32>,
}

impl Clerk {
    pub(super) fn new(entrants: usize) -> Clerk {
        Clerk {
            choices: Choices::new(entrants + 1),
            draw: entrants,
            games: HashMap::new(),
            key: Vec::new(),
            open: Vec::new(),
            columns: Vec::new(),
        }
    }

    pub(super) fn book(&mut self, game: &Outcome) {
        let seats = game.entrants.iter().zip(&game.places);
        self.key.clear();
        self.key
            .extend(seats.map(|(&entrant, &place)| u64::from(place) << 32 | entrant as u64));
        self.key.sort_unstable();
        if !self.games.contains_key(&self.key) {
            let row = row(&mut self.choices, game, self.draw);
            self.games.insert(self.key.clone(), row);
            self.open.resize(self.choices.columns(), 0.0);
        }
        for &(column, count) in &self.games[&self.key] {
            let sum = &mut self.open[column as usize];
            if *sum == 0.0 {
                self.columns.push(column);
            }
            *sum += count;
        }
    }

    /// Ends the open block: what it counts, by column.
    pub(super) fn close(&mut self) -> Row {
        self.columns.sort_unstable();
        let taken = self.columns.drain(..);
        let open = &mut self.open;
        taken
            .map(|column| (column, std::mem::take(&mut open[column as usize])))
            .collect()
    }

    /// The column of the choice between two entrants, for games that were only thought of.
    pub(super) fn pair(&mut self, a: usize, b: usize) -> u32 {
        let key = vec![(a.min(b), 1.0_f64.to_bits()), (a.max(b), 1.0_f64.to_bits())];
        let set = || vec![Alternative::of(a, 1.0), Alternative::of(b, 1.0)];
        self.choices.column(key, set)
    }

    pub(super) fn into_choices(self) -> Choices {
        self.choices
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    known: HashMap<Vec<(u32, u64)>, u32>,
    entries: Row,
    ends: Vec<usize>,
}

impl Rows {
    /// The number of a row, which is added if it is new.
    pub(super) fn number_of(&mut self, row: Row) -> u32 {
        let next = self.ends.len() as u32;
        let key: Vec<(u32, u64)> = row.iter().map(|&(c, n)| (c, n.to_bits())).collect();
        let number = *self.known.entry(key).or_insert(next);
        if number == next {
            self.entries.extend(row);
            self.ends.push(self.entries.len());
        }
        number
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Adds all rows, each as often as `weights` says.
    pub(super) fn add(&self, weights: &[f64], counts: &mut [f64]) {
        let mut start = 0;
        for (&end, &weight) in self.ends.iter().zip(weights) {
            if weight > 0.0 {
                for &(column, count) in &self.entries[start..end] {
                    counts[column as usize] += weight * count;
                }
            }
            start = end;
        }
    }

    pub(super) fn add_one(&self, row: u32, counts: &mut [f64]) {
        let row = row as usize;
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        for &(column, count) in &self.entries[start..self.ends[row]] {
            counts[column as usize] += count;
        }
    }
}

fn row(choices: &mut Choices, game: &Outcome, draw: usize) -> Row {
    let mut row = Row::new();
    if let [a, b] = game.entrants[..] {
        if a != b {
            let column = choices.column(vec![(a.min(b), u64::MAX), (a.max(b), u64::MAX)], || {
                let drawn = Alternative {
                    share: 1.0,
                    terms: vec![(draw, 2), (a, 1), (b, 1)],
                };
                vec![Alternative::of(a, 1.0), Alternative::of(b, 1.0), drawn]
            });
            bump(&mut row, column, 1.0);
            match game.places[0].cmp(&game.places[1]) {
                std::cmp::Ordering::Less => bump(&mut row, a as u32, 1.0),
                std::cmp::Ordering::Greater => bump(&mut row, b as u32, 1.0),
                std::cmp::Ordering::Equal => {
                    bump(&mut row, draw as u32, 1.0);
                    bump(&mut row, a as u32, 0.5);
                    bump(&mut row, b as u32, 0.5);
                }
            }
        }
        return row;
    }
    let mut seats: Vec<usize> = (0..game.entrants.len()).collect();
    seats.sort_by_key(|&seat| game.places[seat]);
    let mut start = 0;
    while start + 1 < seats.len() {
        let place = game.places[seats[start]];
        let same = seats[start..]
            .iter()
            .take_while(|&&s| game.places[s] == place);
        let tied = same.count();
        // The last group has nobody left to beat.
        if start + tied == seats.len() {
            break;
        }
        for done in 0..tied {
            let share = 1.0 - done as f64 / tied as f64;
            let entrant = |&seat: &usize| game.entrants[seat];
            let offer: Vec<(usize, f64)> = seats[start..]
                .iter()
                .enumerate()
                .map(|(i, seat)| (entrant(seat), if i < tied { share } else { 1.0 }))
                .collect();
            let mut key: Vec<(usize, u64)> = offer.iter().map(|&(e, s)| (e, s.to_bits())).collect();
            key.sort_unstable();
            let set = || offer.iter().map(|&(e, s)| Alternative::of(e, s)).collect();
            let column = choices.column(key, set);
            bump(&mut row, column, 1.0);
            bump(&mut row, entrant(&seats[start + done]) as u32, 1.0);
        }
        start += tied;
    }
    row
}

fn bump(row: &mut Row, column: u32, count: f64) {
    match row.iter_mut().find(|(known, _)| *known == column) {
        Some((_, sum)) => *sum += count,
        None => row.push((column, count)),
    }
}
