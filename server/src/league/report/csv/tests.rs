use std::fs;

use super::super::tests::{NAMES, journal, large};
use super::super::write;
use super::*;

#[test]
fn tables_for_programs_have_all_columns_and_quotes() {
    let (settings, entries) = large(&NAMES);
    let journal = journal(&settings, &entries);
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &Report::of(&journal), &journal).unwrap();
    let columns = |name: &str| -> Vec<Vec<String>> {
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(text.ends_with("\r\n"));
        text.split_terminator("\r\n").map(fields).collect()
    };
    let standings = columns(STANDINGS);
    assert_eq!(standings.len(), 7);
    assert!(standings.iter().all(|row| row.len() == standings[0].len()));
    let mut names: Vec<&str> = standings[1..].iter().map(|row| &row[1][..]).collect();
    let mut due = NAMES.to_vec();
    names.sort_unstable();
    due.sort_unstable();
    assert_eq!(names, due);
    let games = columns(GAMES);
    assert_eq!(games.len(), 1 + 5 * journal.played().count());
    assert!(games.iter().all(|row| row.len() == games[0].len()));
    let illegal = games.iter().filter(|row| row[7] == "illegal").count();
    assert_eq!(illegal, journal.played().count().div_ceil(7));
    assert_eq!(games[1][..3], ["0.0.0", "1", "5"]);
}

/// The fields of a line of RFC 4180.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let field = fields.last_mut().unwrap();
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => field.push(c),
        }
    }
    fields
}
