//! The order of the entrants by which groups are balanced: their names in the file, or the ratings of an earlier league.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "`order` is a list of the names of all entrants, or the path of a standings.csv"
)]
pub(super) enum OrderFile {
    Names(Vec<String>),
    /// The standings of an earlier league, from the folder of the file.
    Standings(PathBuf),
}

impl Default for OrderFile {
    fn default() -> OrderFile {
        OrderFile::Names(Vec::new())
    }
}

impl OrderFile {
    /// The names in their order, of these entrants where a table has it.
    pub(super) fn names(&self, folder: &Path, entrants: &[&str]) -> Result<Vec<String>, String> {
        let file = match self {
            OrderFile::Names(names) => return Ok(names.clone()),
            OrderFile::Standings(file) => folder.join(file),
        };
        let text = fs::read_to_string(&file).map_err(|e| e.to_string());
        let order = text.and_then(|text| by_ratings(&text, entrants));
        order.map_err(|reason| format!("{}: {reason}", file.display()))
    }
}

/// These entrants by the columns `name` and `rating` of a table, from the best to the worst. Behind them come those of the
/// table without a rating, and then those that it does not have, as new ones, in the order of the file.
fn by_ratings(table: &str, entrants: &[&str]) -> Result<Vec<String>, String> {
    let table = table.strip_prefix('\u{feff}').unwrap_or(table);
    let mut rows = table.lines().map(cells);
    let head = rows.next().unwrap_or_default();
    let column = |name: &str| head.iter().position(|cell| cell == name);
    let (Some(name), Some(rating)) = (column("name"), column("rating")) else {
        return Err(
            "the first line has no columns `name` and `rating`: name the standings.csv of a league"
                .to_owned(),
        );
    };
    let mut rated: Vec<(f64, String)> = Vec::new();
    for (number, row) in (2..).zip(rows).filter(|(_, row)| *row != [""]) {
        let Some(own) = row.get(name) else {
            return Err(format!("line {number} has no name"));
        };
        let own = match own.strip_prefix('\'') {
            // So the tables of leagues have what looks like a formula.
            Some(text) if text.starts_with(['=', '+', '-', '@']) => text,
            _ => own,
        };
        let value = match row.get(rating).map_or("", |cell| cell.trim()) {
            "" => f64::NEG_INFINITY,
            text => match text.parse::<f64>() {
                Ok(value) if value.is_finite() => value,
                _ => return Err(format!("line {number}: the rating `{text}` is no number")),
            },
        };
        if rated.iter().any(|(_, other)| other == own) {
            return Err(format!("line {number} has {own} a second time"));
        }
        if entrants.contains(&own) {
            rated.push((value, own.to_owned()));
        }
    }
    if rated.is_empty() {
        return Err("it has none of the entrants".to_owned());
    }
    rated.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut order: Vec<String> = rated.into_iter().map(|(_, name)| name).collect();
    let new = entrants
        .iter()
        .filter(|name| !order.iter().any(|o| o == *name));
    let new: Vec<String> = new.map(|&name| name.to_owned()).collect();
    order.extend(new);
    Ok(order)
}

/// The cells of a line of RFC 4180.
pub(crate) fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let Some(cell) = cells.last_mut() else {
            break;
        };
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            c => cell.push(c),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_of_an_earlier_league_order_the_entrants() {
        let table = "\u{feff}rank,name,number,rating\r\n1,bo,0,-3.5\r\n2,'=cy,1,40\r\n3,\"di, the 2nd\",2,\r\n4,old,3,99\r\n";
        let entrants = ["new", "di, the 2nd", "bo", "=cy"];
        let order = by_ratings(table, &entrants).unwrap();
        assert_eq!(order, ["=cy", "bo", "di, the 2nd", "new"]);
    }

    #[test]
    fn a_table_that_says_nothing_is_refused() {
        for (table, reason) in [
            ("", "no columns"),
            ("name,points\nbo,1\n", "no columns"),
            ("name,rating\nold,1\n", "none of the entrants"),
            ("name,rating\nbo,much\n", "line 2: the rating `much`"),
            ("name,rating\nbo,1\nbo,2\n", "line 3 has bo a second time"),
        ] {
            let said = by_ratings(table, &["bo"]).unwrap_err();
            assert!(said.contains(reason), "{said}");
        }
        let file = OrderFile::Standings("none.csv".into());
        let said = file.names(Path::new("/nowhere"), &["bo"]).unwrap_err();
        assert!(said.starts_with("/nowhere/none.csv: "), "{said}");
    }
}
