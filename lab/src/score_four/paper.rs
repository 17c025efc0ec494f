//! The paper's three tables as data.

use bots::score_four::EngineName;
use bots::spec::Names as _;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    pub engine: EngineName,
    pub seat: u8,
    pub playouts: u64,
    pub wins: u32,
    pub seconds: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    pub table: u8,
    /// The engine named first and the other one.
    pub sides: [Side; 2],
}

fn row(line: &str) -> Option<Row> {
    let mut cells = line.split(',');
    let table = cells.next()?.parse().ok()?;
    let engine = |name: &str| EngineName::named(name);
    let a = Side {
        engine: engine(cells.next()?)?,
        seat: cells.next()?.parse().ok()?,
        playouts: cells.next()?.parse().ok()?,
        wins: cells.next()?.parse().ok()?,
        seconds: cells.next()?.parse().ok()?,
    };
    let b = Side {
        engine: engine(cells.next()?)?,
        seat: 1 - a.seat,
        playouts: cells.next()?.parse().ok()?,
        wins: cells.next()?.parse().ok()?,
        seconds: cells.next()?.parse().ok()?,
    };
    Some(Row {
        table,
        sides: [a, b],
    })
}

/// Returns all 16 rows.
pub fn rows() -> Vec<Row> {
    let lines = include_str!("paper.csv").lines();
    let rows = lines.filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|line| row(line).unwrap_or_else(|| panic!("paper.csv: `{line}` is not a row")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_file_is_read() {
        let rows = rows();
        assert_eq!(rows.len(), 16);
        let count = |table| rows.iter().filter(|row| row.table == table).count();
        assert_eq!([1, 2, 3].map(count), [6, 6, 4]);
        for row in &rows {
            let wins: u32 = row.sides.iter().map(|side| side.wins).sum();
            assert!(wins == 100 || wins == 99, "{row:?}");
        }
    }
}
