//! Drawings of public views.

use std::fmt::Write as _;

use games::{Dobutsu, Game as _, GameName, Printable, ScoreFour, count_of};
use serde_json::Value;

/// A public view in several lines; as it is where it cannot be drawn.
pub(super) fn board(game: Option<GameName>, view: &Value) -> String {
    let drawn = match game {
        Some(GameName::ScoreFour) => text(view, "moves")
            .and_then(|moves| ScoreFour::read(&<_>::default(), moves).ok())
            .map(|game| format!("{:#}", game.board())),
        Some(GameName::Dobutsu) => text(view, "position")
            .and_then(|moves| Dobutsu::read(&<_>::default(), moves).ok())
            .map(|game| format!("{:#}", game.board())),
        Some(GameName::Blokus) => blokus(view),
        Some(GameName::Geister) => geister(view),
        Some(GameName::Daihinmin) => daihinmin(view),
        None => None,
    };
    drawn.unwrap_or_else(|| view.to_string())
}

fn text<'a>(view: &'a Value, field: &str) -> Option<&'a str> {
    view.get(field)?.as_str()
}

fn list<'a>(view: &'a Value, field: &str) -> Option<&'a Vec<Value>> {
    view.get(field)?.as_array()
}

/// The board, and the pieces that are not placed.
fn blokus(view: &Value) -> Option<String> {
    let mut drawn = String::new();
    for (row, squares) in (1..=20).rev().zip(list(view, "board")?) {
        let squares: Vec<String> = squares.as_str()?.chars().map(String::from).collect();
        let _ = writeln!(drawn, "{row:>2} {}", squares.join(" "));
    }
    drawn += "   a b c d e f g h i j k l m n o p q r s t\n";
    for (colour, pieces) in ["blue", "yellow", "red", "green"]
        .iter()
        .zip(list(view, "left")?)
    {
        let pieces: Option<Vec<&str>> = pieces.as_array()?.iter().map(Value::as_str).collect();
        let _ = writeln!(drawn, "{colour:<6} left: {}", Printable(pieces?.join(" ")));
    }
    Some(drawn)
}

/// Six rows as seat 0 sees them: its ghosts in capitals, the other's in small letters, `*` behind a red one and `?`
/// behind one whose colour is hidden.
fn geister(view: &Value) -> Option<String> {
    let seats = list(view, "ghosts")?;
    if seats
        .iter()
        .all(|ghosts| ghosts.as_array().is_some_and(Vec::is_empty))
    {
        return Some("(not set up)".to_owned());
    }
    let mut rows = [const { [const { String::new() }; 6] }; 6];
    let mut gone = Vec::new();
    for (seat, ghosts) in seats.iter().enumerate() {
        let letters = if seat == 0 { 'A'..='H' } else { 'a'..='h' };
        for (letter, ghost) in letters.zip(ghosts.as_array()?) {
            let &[x, y, colour] = ghost.as_str()?.as_bytes() else {
                return None;
            };
            let mark = match colour {
                b'R' => '*',
                b'B' => ' ',
                _ => '?',
            };
            let [x, y] = [x, y].map(|digit| usize::from(digit.wrapping_sub(b'0')));
            match (x, y) {
                (9, 9) => gone.push(format!("{letter}{mark}").trim_end().to_owned()),
                (0..6, 0..6) => {
                    let (x, y) = if seat == 0 { (x, y) } else { (5 - x, 5 - y) };
                    rows[y][x] = format!("{letter}{mark}");
                }
                _ => {}
            }
        }
    }
    let mut drawn = String::new();
    for row in rows {
        let row = row.map(|square| {
            if square.is_empty() {
                ". ".to_owned()
            } else {
                square
            }
        });
        let _ = writeln!(drawn, "{}", row.join(" ").trim_end());
    }
    if !gone.is_empty() {
        let _ = writeln!(drawn, "captured: {}", gone.join(" "));
    }
    Some(drawn)
}

/// What a public view tells of each seat beside the drawing.
pub(super) fn notes(game: Option<GameName>, view: &Value) -> Vec<String> {
    match game {
        Some(GameName::Daihinmin) => hands(view).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// By seat the number of cards, and its place or whether it has passed.
fn hands(view: &Value) -> Option<Vec<String>> {
    let table = view.get("table")?;
    let passed = table.get("passed")?.as_u64()?;
    let mut notes = Vec::new();
    let seats = list(view, "counts")?.iter().zip(list(table, "places")?);
    for (seat, (cards, place)) in seats.enumerate() {
        let mut note = count_of(cards.as_u64()?, "card", "cards");
        match place.as_u64()? {
            place @ 0..5 => {
                let _ = write!(note, ", place {}", place + 1);
            }
            _ if passed >> seat & 1 != 0 => note += ", passed",
            _ => {}
        }
        notes.push(note);
    }
    Some(notes)
}

fn daihinmin(view: &Value) -> Option<String> {
    let table = view.get("table")?;
    let is_on = |field| {
        table
            .get(field)
            .and_then(Value::as_bool)
            .unwrap_or_default()
    };
    let field = match text(table, "field")? {
        "pass" => "empty",
        field => field,
    };
    let mut drawn = format!("field: {}", Printable(field));
    if is_on("lock") {
        drawn += ", locked";
    }
    if is_on("revolution") {
        drawn += ", revolution";
    }
    drawn.push('\n');
    Some(drawn)
}

#[cfg(test)]
mod tests {
    use games::{Blokus, Daihinmin};
    use serde_json::json;

    use super::*;

    fn drawn<G: games::Game>(moves: &[&str]) -> String {
        let mut game = G::begin(&G::Rules::default(), 3);
        for mv in moves {
            game.play_text(mv).unwrap();
        }
        board(
            Some(G::NAME),
            &serde_json::to_value(game.public_view()).unwrap(),
        )
    }

    #[test]
    fn every_game_is_drawn() {
        let due = [
            (drawn::<ScoreFour>(&["b3"]), "3  . x . ."),
            (drawn::<Dobutsu>(&["2c2b"]), "hand C"),
            (drawn::<Blokus>(&["a20,b20"]), "20 b b . ."),
            (drawn::<Blokus>(&[]), "green  left: 1 2 I3"),
            (drawn::<games::Geister>(&["ABCD"]), "(not set up)"),
            (
                drawn::<games::Geister>(&["ABCD", "EFGH", "A,N"]),
                ".  d? c? b? a? .",
            ),
            (drawn::<Daihinmin>(&["pass"]), "field: empty"),
        ];
        for (text, part) in due {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }

    #[test]
    fn seats_have_their_cards_where_these_are_hidden() {
        let mut game = Daihinmin::begin(&<_>::default(), 3);
        game.play_text("pass").unwrap();
        let view = serde_json::to_value(game.public_view()).unwrap();
        let notes = notes(Some(GameName::Daihinmin), &view);
        assert_eq!(notes.len(), 5);
        assert_eq!(
            notes
                .iter()
                .filter(|note| note.ends_with("cards, passed"))
                .count(),
            1
        );
        assert!(super::notes(Some(GameName::Geister), &view).is_empty());
    }

    #[test]
    fn what_is_no_view_is_shown_as_it_is() {
        for game in GameName::ALL {
            assert_eq!(board(Some(game), &json!([1])), "[1]");
            assert_eq!(
                board(Some(game), &json!({"ghosts": [["\n"]]})),
                r#"{"ghosts":[["\n"]]}"#
            );
        }
        assert_eq!(board(None, &json!({})), "{}");
    }
}
