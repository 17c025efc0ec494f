//! The rules once more, slowly: one board of letters as seat 0 sees it, capitals for its ghosts and
//! small letters for those of seat 1.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refusal {
    Over,
    NotOnBoard,
    OwnGhost,
    OffBoard,
    RedEscape,
}

/// A game that has ended: the winner, or a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Result {
    Won(usize, &'static str),
    Draw,
}

/// Letters of the directions, in the order of the move list.
pub(super) const DIRECTIONS: [char; 4] = ['E', 'S', 'W', 'N'];

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Board {
    /// Rows from the far one of seat 0 down.
    pub(super) rows: [[char; 6]; 6],
    /// Letters of the red ghosts of both sides.
    pub(super) red: String,
    pub(super) captured: String,
    pub(super) escaped: String,
    pub(super) plies: u32,
    pub(super) limit: u32,
}

impl Board {
    /// The start; the red ghosts by their letters, in capitals.
    pub(super) fn start(red0: &str, red1: &str, limit: u32) -> Board {
        let rows = [".hgfe.", ".dcba.", "......", "......", ".ABCD.", ".EFGH."];
        Board {
            rows: rows.map(|row| {
                let letters: Vec<char> = row.chars().collect();
                letters.try_into().unwrap()
            }),
            red: red0.to_ascii_uppercase() + &red1.to_ascii_lowercase(),
            captured: String::new(),
            escaped: String::new(),
            plies: 0,
            limit,
        }
    }

    pub(super) fn mover(&self) -> usize {
        self.plies as usize % 2
    }

    /// The letter of a ghost of `seat` on this board.
    pub(super) fn letter(seat: usize, ghost: char) -> char {
        if seat == 0 {
            ghost.to_ascii_uppercase()
        } else {
            ghost.to_ascii_lowercase()
        }
    }

    pub(super) fn find(&self, letter: char) -> Option<(i32, i32)> {
        for (y, row) in (0..).zip(&self.rows) {
            for (x, &cell) in (0..).zip(row) {
                if cell == letter {
                    return Some((x, y));
                }
            }
        }
        None
    }

    /// How many ghosts of `seat` of a colour were captured.
    pub(super) fn lost(&self, seat: usize, red: bool) -> usize {
        let captured = self.captured.chars();
        captured
            .filter(|&c| Board::letter(seat, c) == c && self.red.contains(c) == red)
            .count()
    }

    pub(super) fn result(&self) -> Option<Result> {
        for seat in 0..2 {
            if self.escaped.chars().any(|c| Board::letter(seat, c) == c) {
                return Some(Result::Won(seat, "escape"));
            }
            if self.lost(seat, false) == 4 {
                return Some(Result::Won(1 - seat, "blues-taken"));
            }
            if self.lost(seat, true) == 4 {
                return Some(Result::Won(seat, "reds-taken"));
            }
        }
        (self.plies == self.limit).then_some(Result::Draw)
    }

    /// Where a move of the mover leads, or why it is refused.
    fn target(&self, ghost: char, direction: char) -> std::result::Result<(i32, i32), Refusal> {
        if self.result().is_some() {
            return Err(Refusal::Over);
        }
        let seat = self.mover();
        let letter = Board::letter(seat, ghost);
        let Some((x, y)) = self.find(letter) else {
            return Err(Refusal::NotOnBoard);
        };
        let (dx, dy) = match direction {
            'E' => (1, 0),
            'S' => (0, 1),
            'W' => (-1, 0),
            _ => (0, -1),
        };
        // Seat 1 sits on the other side of the board.
        let (nx, ny) = if seat == 0 {
            (x + dx, y + dy)
        } else {
            (x - dx, y - dy)
        };
        if (0..6).contains(&nx) && (0..6).contains(&ny) {
            let cell = self.rows[ny as usize][nx as usize];
            return if cell != '.' && Board::letter(seat, cell) == cell {
                Err(Refusal::OwnGhost)
            } else {
                Ok((nx, ny))
            };
        }
        let doors = match seat {
            0 => [((0, 0), ['W', 'N']), ((5, 0), ['E', 'N'])],
            _ => [((5, 5), ['W', 'N']), ((0, 5), ['E', 'N'])],
        };
        let door =
            |(corner, ways): ((i32, i32), [char; 2])| corner == (x, y) && ways.contains(&direction);
        match (doors.into_iter().any(door), self.red.contains(letter)) {
            (true, false) => Ok((nx, ny)),
            (true, true) => Err(Refusal::RedEscape),
            (false, _) => Err(Refusal::OffBoard),
        }
    }

    pub(super) fn refusal(&self, ghost: char, direction: char) -> Option<Refusal> {
        self.target(ghost, direction).err()
    }

    /// The board after a legal move.
    pub(super) fn after(&self, ghost: char, direction: char) -> Board {
        let (x, y) = self.target(ghost, direction).unwrap();
        let letter = Board::letter(self.mover(), ghost);
        let mut next = self.clone();
        for cell in next.rows.iter_mut().flatten() {
            if *cell == letter {
                *cell = '.';
            }
        }
        if (0..6).contains(&x) && (0..6).contains(&y) {
            let cell = &mut next.rows[y as usize][x as usize];
            if *cell != '.' {
                next.captured.push(*cell);
            }
            *cell = letter;
        } else {
            next.escaped.push(letter);
        }
        next.plies += 1;
        next
    }

    /// All legal moves in the order A to H, each E, S, W, N; an escape to the side only.
    pub(super) fn moves(&self) -> Vec<(char, char)> {
        let all = ('A'..='H').flat_map(|g| DIRECTIONS.map(|d| (g, d)));
        all.filter(|&(ghost, direction)| match self.target(ghost, direction) {
            Ok((_, y)) => direction != 'N' || (0..6).contains(&y),
            Err(_) => false,
        })
        .collect()
    }

    /// Number of sequences of `depth` moves.
    pub(super) fn perft(&self, depth: usize) -> u64 {
        if depth == 0 {
            return 1;
        }
        let moves = self.moves().into_iter();
        moves.map(|(g, d)| self.after(g, d).perft(depth - 1)).sum()
    }
}
