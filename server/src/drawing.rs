//! Frames as text.

use std::fmt::Write as _;

use games::blokus::Piece;
use games::daihinmin::{Meld, Suit};
use games::{Dobutsu, Game as _, GameName, Printable, ScoreFour, Seat, count_of};
use record::Frame;
use serde_json::Value;

/// The seats with their players, and the board below them, in several lines; `name` is that of the player in a seat.
pub(crate) fn drawn(game: GameName, frame: &Frame, name: impl Fn(Seat) -> String) -> String {
    let mut text = String::new();
    for seat in (0..=u8::MAX).map(Seat::new).take(frame.players.len()) {
        let mark = if frame.to_move == Some(seat) {
            '>'
        } else {
            ' '
        };
        let sign = signs(game).get(seat.index());
        let sign = sign.map_or(String::new(), |sign| format!("{sign} "));
        let notes = notes(game, &frame.views, seat).unwrap_or_default();
        let notes = match &notes[..] {
            [] => String::new(),
            notes => format!(": {}", notes.join(", ")),
        };
        let _ = writeln!(text, "{mark} {sign}{}{notes}", name(seat));
    }
    for line in board(game, &frame.views, name).lines() {
        let _ = writeln!(text, "    {}", line.trim_end());
    }
    text
}

/// What stands on the board for each seat.
const fn signs(game: GameName) -> &'static [&'static str] {
    match game {
        GameName::ScoreFour => &["x", "o"],
        GameName::Dobutsu => &["L", "l"],
        GameName::Blokus => &["blue", "yellow", "red", "green"],
        GameName::Geister | GameName::Daihinmin => &[],
    }
}

/// The board of the views of a frame; the first view as it is where it cannot be drawn.
fn board(game: GameName, views: &[Value], name: impl Fn(Seat) -> String) -> String {
    let view = views.first().unwrap_or(&Value::Null);
    let drawn = match game {
        GameName::ScoreFour => text(view, "moves")
            .and_then(|moves| ScoreFour::read(&<_>::default(), moves).ok())
            .map(|game| format!("{:#}", game.board())),
        GameName::Dobutsu => text(view, "position")
            .and_then(|moves| Dobutsu::read(&<_>::default(), moves).ok())
            .map(|game| format!("{:#}", game.board())),
        GameName::Blokus => blokus(view),
        GameName::Geister => geister(views),
        GameName::Daihinmin => daihinmin(view, name),
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
    for (colour, pieces) in signs(GameName::Blokus).iter().zip(list(view, "left")?) {
        let pieces: Option<Vec<&str>> = pieces.as_array()?.iter().map(Value::as_str).collect();
        let _ = writeln!(drawn, "{colour:<6} left: {}", Printable(pieces?.join(" ")));
    }
    Some(drawn)
}

/// Six rows as seat 0 sees them: its ghosts in capitals, the other's in small letters, `*` behind a red one and `?`
/// behind one whose colour is hidden.
fn geister(views: &[Value]) -> Option<String> {
    let seats = match views {
        [view] => list(view, "ghosts")?.clone(),
        views => views.iter().map(|view| view["own"].clone()).collect(),
    };
    let is_set_up = |ghosts: &Value| ghosts.as_array().is_some_and(|own| !own.is_empty());
    let is_empty = |ghosts: &Value| ghosts.as_array().is_none_or(Vec::is_empty);
    if seats.iter().all(is_empty) {
        return Some("(not set up)".to_owned());
    }
    if !seats.iter().all(is_set_up) {
        return None;
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

/// What a frame tells of a seat beside the drawing.
fn notes(game: GameName, views: &[Value], seat: Seat) -> Option<Vec<String>> {
    let view = views.first()?;
    let mut notes = Vec::new();
    match game {
        GameName::Daihinmin => {
            let table = view.get("table")?;
            let cards = list(view, "counts")?.get(seat.index())?.as_u64()?;
            notes.push(count_of(cards, "card", "cards"));
            match list(table, "places")?.get(seat.index())?.as_u64()? {
                place @ 0..5 => notes.push(format!("place {}", place + 1)),
                _ if table
                    .get("passed")?
                    .as_u64()?
                    .checked_shr(seat.number().into())
                    .unwrap_or(0)
                    & 1
                    != 0 =>
                {
                    notes.push("passed".to_owned());
                }
                _ => {}
            }
            let ranks = view.get("ranks").and_then(Value::as_array);
            let last = ranks.and_then(|ranks| ranks.get(seat.index())?.as_u64());
            notes.extend(last.map(|place| format!("place {} before", place.saturating_add(1))));
            let own = views.get(seat.index()).and_then(|view| text(view, "hand"));
            notes.extend(own.filter(|hand| !hand.is_empty()).map(str::to_owned));
        }
        GameName::Blokus => {
            let pieces = list(view, "left")?.get(seat.index())?.as_array()?.iter();
            let pieces = pieces.filter_map(|piece| piece.as_str()?.parse::<Piece>().ok());
            let left: u64 = pieces.map(|piece| u64::from(piece.size())).sum();
            notes.push(format!("{} left", count_of(left, "square", "squares")));
            let out = list(view, "out").and_then(|outs| outs.get(seat.index())?.as_str());
            notes.extend(out.map(|end| format!("out by {}", Printable(end))));
        }
        GameName::Geister | GameName::ScoreFour | GameName::Dobutsu => {}
    }
    Some(notes)
}

/// What lies on the table of Daihinmin, and whose it is.
fn daihinmin(view: &Value, name: impl Fn(Seat) -> String) -> Option<String> {
    let table = view.get("table")?;
    let is_on = |field| table.get(field).and_then(Value::as_bool) == Some(true);
    let mut drawn = match text(table, "field")? {
        "pass" => "field: empty".to_owned(),
        field => {
            let owner = table.get("owner")?.as_u64()?.try_into().ok()?;
            format!("field: {} by {}", Printable(field), name(Seat::new(owner)))
        }
    };
    if is_on("lock") {
        let field: Meld = text(table, "field")?.parse().ok()?;
        let suits = Suit::ALL.into_iter().zip(["S", "H", "D", "C"]);
        let locked = suits.filter(|(suit, _)| field.suits() >> *suit as u8 & 1 != 0);
        let locked: String = locked.map(|(_, letter)| letter).collect();
        let _ = write!(drawn, ", locked to {locked}");
    }
    if is_on("revolution") {
        drawn += ", revolution";
    }
    drawn.push('\n');
    Some(drawn)
}

#[cfg(test)]
mod tests {
    use games::Geister;
    use games::{Blokus, Daihinmin, Game};
    use serde_json::json;

    use super::*;

    fn shown(game: GameName, views: Vec<Value>, players: u8) -> String {
        let frame = Frame {
            game: 1,
            ply: 0,
            seat: None,
            mv: None,
            used_ms: None,
            fault: None,
            to_move: Some(Seat::new(1)),
            views,
            clocks: None,
            players: (0..players).map(games::Player::new).collect(),
            outs: Vec::new(),
        };
        drawn(game, &frame, |seat| format!("bot{seat}"))
    }

    /// A game after some moves, as everybody sees it and as all seats do.
    fn played<G: Game>(moves: &[&str]) -> [String; 2] {
        let mut game = G::begin(&G::Rules::default(), 3);
        for mv in moves {
            game.play_text(mv).unwrap();
        }
        let public = vec![json!(game.public_view())];
        let views = Seat::all(G::SEATS).map(|seat| json!(game.view(seat)));
        let all = views.collect();
        [public, all].map(|views| shown(G::NAME, views, G::SEATS as u8))
    }

    #[test]
    fn every_game_is_drawn() {
        let placed = ["ABCD", "EFGH", "A,N"];
        let [score_four, dobutsu] = [played::<ScoreFour>(&["b3"]), played::<Dobutsu>(&["2c2b"])];
        let [begun, moved] = [&[][..], &["a20,b20"]].map(played::<Blokus>);
        let [placing, playing] = [&placed[..1], &placed].map(played::<Geister>);
        let daihinmin = played::<Daihinmin>(&["pass"]);
        for ([public, all], in_public, in_all) in [
            (&score_four, "3  . x . .", "> o bot1\n"),
            (&dobutsu, "hand C", "  L bot0\n"),
            (&moved, "20 b b . .", "  blue bot0: 87 squares left\n"),
            (&begun, "green  left: 1 2 I3", "> yellow bot1: 89"),
            (&placing, "(not set up)", "(not set up)"),
            (&playing, ".  d? c? b? a? .", ".  d  c  b  a  ."),
            (&playing, "A?", "A*"),
            (&daihinmin, "field: empty", " cards, passed"),
        ] {
            assert!(public.contains(in_public), "{in_public} in\n{public}");
            assert!(all.contains(in_all), "{in_all} in\n{all}");
        }
    }

    #[test]
    fn locks_and_the_last_places_are_told() {
        let game = Daihinmin::begin(&<Daihinmin as Game>::Rules::default(), 3);
        let mut view = json!(game.public_view());
        view["ranks"] = json!([4, 3, 2, 1, 0]);
        view["table"]["field"] = json!("S5H5");
        view["table"]["lock"] = json!(true);
        let text = shown(GameName::Daihinmin, vec![view], 5);
        assert!(text.contains("by bot0, locked to SH\n"), "{text}");
        let bot1 = text.lines().find(|line| line.contains(" bot1: "));
        assert!(
            bot1.is_some_and(|line| line.ends_with(" cards, place 4 before")),
            "{text}"
        );
    }

    #[test]
    fn hands_are_shown_to_those_who_see_all() {
        let [public, all] = played::<Daihinmin>(&[]);
        let hand = |line: &str| line.split(": ").nth(1).map(|notes| notes.contains(", "));
        let has_hands = |text: &str| text.lines().take(5).all(|line| hand(line) == Some(true));
        assert!(has_hands(&all) && !has_hands(&public), "{public}{all}");
    }

    #[test]
    fn what_is_no_view_is_shown_as_it_is() {
        for game in GameName::ALL {
            assert_eq!(shown(game, vec![json!([1])], 0), "    [1]\n");
            let odd = json!({"ghosts": [["\n"]]});
            let due = "    {\"ghosts\":[[\"\\n\"]]}\n";
            assert_eq!(shown(game, vec![odd], 0), due);
        }
    }
}
