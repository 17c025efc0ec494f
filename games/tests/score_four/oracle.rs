//! The rules once more, slowly: pegs as strings, lines by walking from every square in every direction.

/// Pegs a1, b1, ... d4 from the bottom up, `x` for seat 0 and `o` for seat 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Board {
    pub(super) pegs: Vec<String>,
}

impl Board {
    pub(super) fn start() -> Board {
        Board {
            pegs: vec![String::new(); 16],
        }
    }

    fn at(&self, x: i32, y: i32, level: i32) -> Option<char> {
        if !(0..4).contains(&x) || !(0..4).contains(&y) || level < 0 {
            return None;
        }
        self.pegs[(x + 4 * y) as usize].chars().nth(level as usize)
    }

    pub(super) fn balls(&self) -> usize {
        self.pegs.iter().map(String::len).sum()
    }

    /// Squares (x, y, level) of all lines of four equal balls.
    pub(super) fn lines(&self) -> Vec<[(i32, i32, i32); 4]> {
        let mut found: Vec<[(i32, i32, i32); 4]> = Vec::new();
        for start in 0..64 {
            let (x, y, z) = (start % 4, start / 4 % 4, start / 16);
            for way in 0..27 {
                let (dx, dy, dz) = (way % 3 - 1, way / 3 % 3 - 1, way / 9 - 1);
                if (dx, dy, dz) == (0, 0, 0) {
                    continue;
                }
                let mut squares = [0, 1, 2, 3].map(|i| (x + i * dx, y + i * dy, z + i * dz));
                let first = self.at(x, y, z);
                let same = squares.iter().all(|&(x, y, z)| self.at(x, y, z) == first);
                squares.sort_unstable();
                if first.is_some() && same && !found.contains(&squares) {
                    found.push(squares);
                }
            }
        }
        found
    }

    pub(super) fn winner(&self) -> Option<u8> {
        let &(x, y, z) = self.lines().first()?.first()?;
        self.at(x, y, z).map(|ball| u8::from(ball == 'o'))
    }

    /// Pegs on which the next ball may be dropped.
    pub(super) fn moves(&self) -> Vec<usize> {
        if !self.lines().is_empty() {
            return Vec::new();
        }
        (0..16).filter(|&peg| self.pegs[peg].len() < 4).collect()
    }

    pub(super) fn after(&self, peg: usize) -> Board {
        let mut next = self.clone();
        next.pegs[peg].push(if self.balls().is_multiple_of(2) {
            'x'
        } else {
            'o'
        });
        next
    }

    /// Number of sequences of `depth` moves.
    pub(super) fn perft(&self, depth: usize) -> u64 {
        if depth == 0 {
            return 1;
        }
        let moves = self.moves().into_iter();
        moves.map(|peg| self.after(peg).perft(depth - 1)).sum()
    }
}
