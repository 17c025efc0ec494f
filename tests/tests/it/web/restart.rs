//! The page ends in the middle of a game, and starts again.

use std::collections::HashMap;
use std::fs;

use end_to_end::patience::at_once;
use end_to_end::web::{Gateway, Page};
use serde_json::{Value, json};

use super::{GAMES, random};

/// What a seat saw, by game and ply, without the times.
type Seen = HashMap<(u64, u64), Value>;

fn see(seen: &mut Seen, heard: &[String]) {
    for line in heard {
        let mut frame: Value = serde_json::from_str(line).expect("JSON");
        if frame["type"] != "frame" {
            continue;
        }
        let fields = frame.as_object_mut().expect("an object");
        fields.remove("clocks");
        fields.remove("used_ms");
        let number = |name: &str| frame[name].as_u64().expect("a number");
        let at = (number("game"), number("ply"));
        seen.insert(at, frame);
    }
}

/// Answers until a game has come so far; gives the last question, which is not answered.
fn play_to(
    page: &mut Page,
    game: u64,
    ply: u64,
    choose: &mut impl FnMut(&[&str]) -> usize,
) -> Value {
    loop {
        let ask = page.hear_of("ask");
        let at = |name: &str| ask[name].as_u64().expect("a number");
        if at("game") == game && at("ply") >= ply {
            return ask;
        }
        page.answer(&ask, &mut *choose);
    }
}

#[test]
fn a_match_goes_on_when_its_page_starts_again() {
    at_once(GAMES, |(game, seats)| {
        let mut gateway = Gateway::start(&[]);
        let bots =
            (1..seats).map(|at| json!({ "kind": "bot", "spec": format!("random:seed={at}") }));
        let seats: Vec<Value> = std::iter::once(json!({ "kind": "person" }))
            .chain(bots)
            .collect();
        let clock = json!({ "budget_ms": 600_000, "move_ms": 600_000 });
        let made = json!({ "game": game, "seats": seats, "games": 2, "clock": clock });
        let (table, tokens) = gateway.make(&made);
        let mut choose = random(9);
        let mut page = gateway.sit(&table, &tokens[0]);
        let mut seen = Seen::new();
        // The ghosts are placed in two plies.
        let first = if game == "geister" { 4 } else { 2 };
        for (signal, number, ply) in [("INT", 1, first), ("KILL", 2, 1), ("TERM", 2, first)] {
            let ask = play_to(&mut page, number, ply, &mut choose);
            see(&mut seen, &page.heard);
            gateway.start_again(signal);
            // What the server of the table has written of the game in play is nobody's to see.
            let record = format!("GET /api/records/{table}/games/{number}");
            let (status, _, body) = gateway.ask(&record, "", "");
            assert_eq!(status, 404, "{game}: {body}");
            page = gateway.sit(&table, &tokens[0]);
            let again = page.hear_of("ask");
            let times = |ask: &Value| {
                let mut ask = ask.clone();
                let left = ask["left_ms"].take();
                (ask, left.as_u64().unwrap_or_default())
            };
            let ((ask, before), (again, after)) = (times(&ask), times(&again));
            assert_eq!(again, ask, "{game} after {signal}");
            assert!(
                before.abs_diff(after) < 30_000,
                "{game}: {before} and {after} ms"
            );
            let mut now = Seen::new();
            see(&mut now, &page.heard);
            assert!(
                now.len() > 1 && now.len() >= ply as usize,
                "{game}: {} frames",
                now.len()
            );
            for (at, frame) in &now {
                assert_eq!(Some(frame), seen.get(at), "{game} after {signal}");
            }
            page.answer(&again, &mut choose);
        }
        let (over, _) = page.play(&mut choose);
        assert_eq!(
            (&over["games"], &over["reason"]),
            (&json!(2), &Value::Null),
            "{game}: {over}"
        );
        assert_eq!(over["record"], *table, "{game}");
        let record = gateway.get(&format!("/api/records/{table}"));
        let games = record["games"].as_array().expect("games");
        assert_eq!(games.len(), 2, "{game}");
        for replayed in games {
            let frames = replayed["frames"].as_array().map(Vec::len);
            let plies = replayed["plies"].as_u64().map(|plies| plies as usize + 1);
            assert_eq!(frames, plies, "{game}");
        }
        // Nothing is left of tables that are over.
        let files = fs::read_dir(gateway.records().join(".tables")).expect("a folder");
        let names: Vec<_> = files
            .map(|file| file.expect("a file").file_name())
            .collect();
        assert_eq!(names, ["lock"]);
    });
}

#[test]
fn a_guest_comes_back_to_a_table_that_waits_and_to_its_match() {
    let mut gateway = Gateway::start(&[]);
    let seats = json!([{ "kind": "person" }, { "kind": "open" }]);
    let made = json!({ "game": "score-four", "seats": seats });
    let (table, tokens) = gateway.make(&made);
    let mut guest = gateway.sit(&table, &tokens[1]);
    let given = guest.hear_of("token")["token"]
        .as_str()
        .expect("a token")
        .to_owned();
    guest.say(&json!({ "type": "sit", "table": table, "token": given, "name": "Bo" }));
    guest.hear_of("table");
    gateway.start_again("KILL");
    let mut other = gateway.sit(&table, &tokens[1]);
    assert_eq!(other.hear_of("error")["code"], "taken");
    for _ in 0..2 {
        let mut pages = [&tokens[0], &given].map(|token| gateway.sit(&table, token));
        let ask = pages[0].hear_of("ask");
        pages[0].answer(&ask, |_| 0);
        let ask = pages[1].hear_of("ask");
        let names = pages[1].heard.iter().any(|line| line.contains("\"Bo\""));
        assert!(names, "{:?}", pages[1].heard);
        pages[1].answer(&ask, |_| 0);
        pages[0].hear_of("ask");
        gateway.start_again("INT");
    }
    let mut pages = [&tokens[0], &given].map(|token| gateway.sit(&table, token));
    pages[0].hear_of("ask");
    pages[1].say(&json!({ "type": "resign" }));
    for page in &mut pages {
        assert_eq!(page.hear_of("over")["reason"], Value::Null);
    }
}
