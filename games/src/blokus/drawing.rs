//! Boards as text.

use std::fmt;

use super::{Board, Cell, Colour, SIDE};

/// The board as text: row 20 first, a letter for each covered square (`B`, `Y`, `R`, `G`), `.` for the others.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for y in (0..SIDE as u8).rev() {
            write!(f, "{:>2} ", y + 1)?;
            for x in 0..SIDE as u8 {
                let letter = match self.owner(Cell::at(x, y)).map(Colour::seat) {
                    Some(0) => 'B',
                    Some(1) => 'Y',
                    Some(2) => 'R',
                    Some(_) => 'G',
                    None => '.',
                };
                write!(f, " {letter}")?;
            }
            writeln!(f)?;
        }
        write!(f, "   ")?;
        (b'a'..b'a' + SIDE as u8).try_for_each(|letter| write!(f, " {}", letter as char))
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Board of ply {}, to move {:?}",
            self.ply(),
            self.to_move()
        )?;
        fmt::Display::fmt(self, f)
    }
}
