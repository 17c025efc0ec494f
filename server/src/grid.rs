//! Tables of text.

use std::fmt::Write as _;

use games::Printable;
use unicode_width::UnicodeWidthStr as _;

/// A table for a terminal, with columns as wide as they need to be.
pub struct Grid {
    rows: Vec<Vec<String>>,
    /// Which columns begin at the left; the others end at the right.
    pub left: Vec<bool>,
}

impl Grid {
    /// A table with these heads, whose columns end at the right.
    pub fn new(heads: &[&str]) -> Grid {
        Grid {
            rows: vec![heads.iter().map(|&h| h.to_owned()).collect()],
            left: vec![false; heads.len()],
        }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(
            cells
                .into_iter()
                .map(|cell| Printable(cell).to_string())
                .collect(),
        );
    }

    pub fn text(&self) -> String {
        let columns = self.left.len();
        let widths: Vec<usize> = (0..columns)
            .map(|c| {
                self.rows
                    .iter()
                    .map(|row| row[c].width())
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (c, cell) in row.iter().enumerate() {
                let blank = " ".repeat(widths[c] - cell.width());
                // A column without a heading, as that of half widths, stands close to the one before.
                if c > 0 {
                    line.push_str(if self.rows[0][c].is_empty() {
                        " "
                    } else {
                        "  "
                    });
                }
                if self.left[c] {
                    let _ = write!(line, "{cell}{blank}");
                } else {
                    let _ = write!(line, "{blank}{cell}");
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}
