//! What the tables makes of what servers tell.

use std::time::Instant;

use serde_json::{Value, json};

use super::*;

fn text(lines: &[Utf8Bytes]) -> Vec<Value> {
    let values = lines.iter().map(|line| serde_json::from_str(line));
    values.map(|value| value.expect("JSON")).collect()
}

/// A tables with a source that nobody listens to.
fn tables() -> Arc<WatchedTables> {
    let stop = CancellationToken::new();
    stop.cancel();
    WatchedTables::new(vec![("localhost".to_owned(), 1)], None, true, &stop)
}

fn take(tables: &WatchedTables, message: &Value) {
    take_at(&tables.sources[0], message);
    tables.change();
}

fn take_at(source: &WatchedServer, message: &Value) {
    source.take(&WatchMessage::parse(message.to_string().as_bytes()).expect("a message"));
}

/// A match begins, with its first game.
fn begin(tables: &WatchedTables, number: u64, id: &str) {
    begin_at(&tables.sources[0], number, id);
    tables.change();
}

fn begin_at(source: &WatchedServer, number: u64, id: &str) {
    let about = json!({ "match": number, "game": "score-four", "protocol": "native", "id": id,
        "players": ["a", "b"], "games": 2 });
    let with = |more: Value| {
        let mut message = about.clone();
        for (key, to) in more.as_object().expect("an object") {
            message[key] = to.clone();
        }
        message
    };
    take_at(
        source,
        &with(json!({ "type": "table", "scores": [0.0, 0.0], "state": "playing" })),
    );
    take_at(
        source,
        &json!({ "type": "match", "match": number, "header": { "taikyoku-record": 1, "game": "score-four",
        "match": id, "tongue": "native", "players": [{ "name": "a" }, { "name": "b" }], "games": 2, "rules": {},
        "clocks": { "game-ms": 60_000 }, "started": "", "server": "" } }),
    );
    take_at(source, &game(number, 1));
}

fn game(number: u64, game: u32) -> Value {
    json!({ "type": "frame", "match": number, "game": game, "ply": 0, "seat": null, "move": null, "used_ms": null,
        "to_move": 0, "views": [{ "moves": "" }], "clocks": [60_000, 60_000], "players": [0, 1] })
}

fn moved(number: u64, mv: &str) -> Value {
    json!({ "type": "frame", "match": number, "game": 1, "ply": 1, "seat": 0, "move": mv, "used_ms": 4,
        "to_move": 1, "views": [{ "moves": mv }], "clocks": [50_000, 60_000], "players": [0, 1] })
}

fn of_type(lines: &[Utf8Bytes], kind: &str) -> Vec<Value> {
    let mut values = text(lines);
    values.retain(|value| value["type"] == kind);
    values
}

#[tokio::test]
async fn a_match_is_told_as_frames() {
    let tables = tables();
    assert!(tables.watch("0", Some(3), None).is_none());
    begin(&tables, 3, "m");
    take(&tables, &moved(3, "b3"));
    let (missed, mut news) = tables.watch("0", Some(3), None).expect("a match");
    let missed = text(&missed);
    assert_eq!(missed.len(), 4);
    assert_eq!(
        (&missed[0]["type"], &missed[0]["id"]),
        (&json!("table"), &json!("m"))
    );
    assert_eq!(missed[0]["missed"], 2);
    assert_eq!(missed[1]["clocks"], json!([60_000, 60_000]));
    assert_eq!(
        (&missed[2]["ply"], &missed[2]["move"]),
        (&json!(1), &json!("b3"))
    );
    assert_eq!(missed[2]["views"], json!([{ "moves": "b3" }]));
    assert_eq!(
        (&missed[3]["type"], &missed[3]["running"]),
        (&json!("clock"), &json!(1))
    );
    take(
        &tables,
        &json!({ "type": "result", "match": 3, "game": 1, "places": [1, 2],
        "scores": [1.0, 0.0], "end": "line", "views": [{}, {}] }),
    );
    let result = text(&[news.try_recv().expect("news")]).remove(0);
    assert_eq!(result["views"], json!([{}, {}]));
    take(
        &tables,
        &json!({ "type": "league", "title": "Spring", "game": "score-four", "fixtures": 1, "scheduled": 2,
        "entrants": [{ "name": "a", "games": 1, "faults": 0, "rating": 5.0, "half_width": 2.0 },
        { "name": "b", "games": 1, "faults": 0, "rating": null, "half_width": null }], "cross": [], "next": [] }),
    );
    let lobby = text(&[tables.whole_lobby()]).remove(0);
    let league = &lobby["leagues"][0];
    assert_eq!(
        (&league["source"], &league["title"]),
        (&json!("0"), &json!("Spring"))
    );
    assert_eq!(lobby["tables"][0]["views"], json!([{ "moves": "b3" }]));
    assert_eq!(lobby["tables"][0]["seats"], json!([0, 1]));
    // The next game begins anew.
    take(&tables, &game(3, 2));
    let (missed, _) = tables.watch("0", Some(3), None).expect("a match");
    assert_eq!(of_type(&missed, "frame").len(), 1);
}

#[tokio::test]
async fn a_page_that_comes_late_is_told_the_times_of_now() {
    let tables = tables();
    begin(&tables, 1, "m");
    take(&tables, &moved(1, "b3"));
    let known = |tables: &WatchedTables, ago: u64| {
        let mut matches = tables.sources[0].matches();
        let known = matches.get_mut(&1).expect("a match");
        known.since = Instant::now().checked_sub(Duration::from_millis(ago));
        json!(known.clock().expect("a clock"))
    };
    let told = known(&tables, 20_000);
    assert_eq!(told["left_ms"][0], 50_000);
    let left = told["left_ms"][1].as_u64().expect("a time");
    assert!((30_000..=40_000).contains(&left), "{left}");
    assert_eq!(known(&tables, 90_000)["left_ms"][1], 0);
    // No time runs while the connection is lost: the clocks stand where they stood then.
    tables.sources[0].lose();
    let (missed, _) = tables.watch("0", Some(1), None).expect("a match");
    let stopped = json!({ "type": "clock", "left_ms": [50_000, 0], "running": null });
    assert_eq!(of_type(&missed, "clock"), [stopped]);
}

#[tokio::test]
async fn a_page_is_told_why_its_match_is_silent_and_its_clock_stops() {
    let tables = tables();
    begin(&tables, 1, "m");
    take(&tables, &moved(1, "b3"));
    let (_, mut page) = tables.watch("0", Some(1), None).expect("a match");
    // It is tried again in vain, which is no news.
    tables.sources[0].lose();
    tables.sources[0].lose();
    let told: Vec<_> = std::iter::from_fn(|| page.try_recv().ok()).collect();
    let told = text(&told);
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(
        (&told[0]["type"], &told[0]["running"]),
        (&json!("clock"), &Value::Null)
    );
    assert_eq!(told[0]["left_ms"][0], 50_000);
    let lost = json!({ "type": "said", "text": "the connection with the watched server is lost; it is tried again" });
    assert_eq!(told[1], lost);
    let said = |tables: &WatchedTables| {
        of_type(
            &tables.watch("0", Some(1), None).expect("a match").0,
            "said",
        )
    };
    assert_eq!(said(&tables), [lost], "a page that comes meanwhile");
    begin(&tables, 1, "m");
    assert!(said(&tables).is_empty());
    // The server leaves out the rest of a game, and tells the next one.
    take(&tables, &json!({ "type": "missed", "match": 1, "game": 1 }));
    let missed = said(&tables).remove(0);
    assert_eq!(
        missed["text"],
        "the server could not keep up: this game is told no further"
    );
    take(&tables, &game(1, 2));
    assert!(said(&tables).is_empty());
}

#[tokio::test]
async fn a_page_that_comes_late_is_told_who_is_away() {
    let tables = tables();
    begin(&tables, 1, "m");
    let presence = |player: u8, here: bool| json!({ "type": "presence", "match": 1, "player": player, "here": here });
    for (player, here) in [(0, false), (1, false), (0, true)] {
        take(&tables, &presence(player, here));
    }
    let away = |tables: &WatchedTables| {
        of_type(
            &tables.watch("0", Some(1), None).expect("a match").0,
            "presence",
        )
    };
    let told = json!({ "type": "presence", "player": 1, "here": false });
    assert_eq!(away(&tables), [told]);
    // A server that is watched again tells it anew.
    tables.sources[0].lose();
    begin(&tables, 1, "m");
    assert!(away(&tables).is_empty());
}

#[tokio::test]
async fn a_server_that_was_restarted_is_not_mixed_with_the_one_before() {
    let tables = tables();
    for number in 1..=4 {
        begin(&tables, number, "old");
        take(&tables, &moved(number, "b3"));
    }
    take(
        &tables,
        &json!({ "type": "over", "match": 4, "games": 1, "scores": [1.0, 0.0] }),
    );
    let mut pages: Vec<_> = (1..=3)
        .map(|number| tables.watch("0", Some(number), None).expect("a match").1)
        .collect();
    tables.sources[0].lose();
    // Match 1 is another, 2 goes on, and 3 is not named any more.
    let watching = json!({ "type": "watching", "version": 1, "server": "x", "delay_ms": 0 });
    take(&tables, &watching);
    begin(&tables, 1, "new");
    begin(&tables, 2, "old");
    take(&tables, &json!({ "type": "tables", "playing": [1, 2] }));
    let (missed, _) = tables.watch("0", Some(1), None).expect("a match");
    assert_eq!(text(&missed)[0]["id"], "new");
    assert_eq!(of_type(&missed, "frame").len(), 1);
    assert!(tables.watch("0", Some(3), None).is_none());
    // What was seen to its end stays.
    let (missed, _) = tables.watch("0", Some(4), None).expect("a match");
    assert_eq!(of_type(&missed, "over").len(), 1);
    let told = |page: &mut mpsc::Receiver<Utf8Bytes>| {
        let lines: Vec<_> = std::iter::from_fn(|| page.try_recv().ok()).collect();
        let kinds = text(&lines).into_iter().map(|one| one["type"].clone());
        (kinds.collect::<Vec<_>>(), page.is_closed())
    };
    let lost: Vec<_> = ["clock", "said", "over"].map(Value::from).into();
    assert_eq!(told(&mut pages[0]), (lost.clone(), true));
    assert_eq!(told(&mut pages[2]), (lost.clone(), true));
    let (kinds, is_closed) = told(&mut pages[1]);
    assert!(!is_closed && !kinds.contains(&json!("over")), "{kinds:?}");
}

#[tokio::test]
async fn the_next_match_of_a_table_begins_from_nothing_whatever_its_id() {
    let tables = tables();
    tables.show_table("t", true);
    let source = tables.tables()["t"].clone();
    let watching = json!({ "type": "watching", "version": 1, "server": "x", "delay_ms": 0 });
    let (_, mut page) = tables.watch("t", None, None).expect("a table");
    for _ in 0..2 {
        take_at(&source, &watching);
        begin_at(&source, 1, "DOBUTSU-5-1");
        take_at(&source, &moved(1, "b3"));
    }
    let (missed, _) = tables.watch("t", None, None).expect("a table");
    assert_eq!(of_type(&missed, "over"), [Value::Null; 0]);
    assert_eq!(of_type(&missed, "frame").len(), 2);
    let told: Vec<_> = std::iter::from_fn(|| page.try_recv().ok()).collect();
    let told: Vec<Value> = text(&told)
        .into_iter()
        .map(|one| one["type"].clone())
        .collect();
    assert_eq!(
        told,
        ["table", "frame", "frame", "over", "table", "frame", "frame"]
    );
}

#[tokio::test]
async fn a_page_that_does_not_read_is_cut_off_alone() {
    let tables = tables();
    begin(&tables, 1, "m");
    begin(&tables, 2, "n");
    let (_, mut slow) = tables.watch("0", Some(1), None).expect("a match");
    let (_, mut quick) = tables.watch("0", Some(1), None).expect("a match");
    let (_, mut other) = tables.watch("0", Some(2), None).expect("a match");
    for _ in 0..=MOST_WAITING {
        take(&tables, &moved(1, "b3"));
        assert!(quick.try_recv().is_ok());
    }
    assert_eq!(tables.sources[0].matches()[&1].pages.len(), 1);
    let waiting = std::iter::from_fn(|| slow.try_recv().ok()).count();
    assert_eq!((waiting, slow.is_closed()), (MOST_WAITING, true));
    take(&tables, &moved(2, "b3"));
    assert!(other.try_recv().is_ok());
    // One that has gone leaves nothing behind.
    drop(other);
    tables.watch("0", Some(2), None).expect("a match");
    assert_eq!(tables.sources[0].matches()[&2].pages.len(), 1);
}

#[tokio::test]
async fn a_lobby_is_built_when_it_has_changed_and_is_read() {
    let tables = tables();
    begin(&tables, 1, "m");
    begin(&tables, 2, "n");
    let built = || *tables.built.lock().expect("nothing panics with the lobby");
    assert_eq!(built(), 0, "nobody reads it");
    take(
        &tables,
        &json!({ "type": "table", "match": 1, "game": "score-four", "protocol": "native", "id": "m",
        "players": ["a", "b"], "games": 2, "scores": [1.0, 0.0], "state": "over" }),
    );
    let lobby = tables.lobby();
    let told = text(&[lobby.borrow().clone()]).remove(0);
    let order = [0, 1].map(|at| told["tables"][at]["match"].clone());
    assert_eq!(order, [json!(2), json!(1)], "those in play come first");
    let at = built();
    assert!(at > 0);
    drop(tables.lobby());
    assert_eq!(built(), at, "nothing has changed");
}

/// Plays the first game of a match that has begun to its end.
fn play(tables: &WatchedTables, number: u64, moves: &[&str]) {
    let mut played = String::new();
    let mut events = vec![json!({ "ms": 0, "event": "begin", "game": 1, "seats": [0, 1] })];
    for (ply, mv) in (1..).zip(moves) {
        played += mv;
        let mut frame = moved(number, mv);
        (frame["ply"], frame["views"]) = (json!(ply), json!([{ "moves": played }]));
        take(tables, &frame);
        let player = (ply - 1) % 2;
        events.push(json!({ "ms": ply, "event": "move", "player": player, "move": mv }));
    }
    take(
        tables,
        &json!({ "type": "result", "match": number, "game": 1, "places": [2, 1], "scores": [0.0, 1.0], "end": "line",
        "game_points": [3, 5] }),
    );
    events.push(
        json!({ "ms": 9, "event": "end", "game": 1, "places": [1, 0], "points": [0.0, 1.0],
        "kinds": ["normal", "normal"], "rule": "line" }),
    );
    let (first, rest) = events.split_at(2);
    for (piece, more) in [(first, true), (rest, false)] {
        take(
            tables,
            &json!({ "type": "record", "match": number, "game": 1, "events": piece, "more": more }),
        );
    }
}

fn standing(fixtures: u64, ratings: [f64; 2]) -> Value {
    let entrant = |name: &str, rating: f64| json!({ "name": name, "games": 9, "faults": 0, "rating": rating, "half_width": 20.0 });
    json!({ "type": "league", "title": "Spring", "game": "score-four", "fixtures": fixtures, "scheduled": 9,
        "entrants": [entrant("a", ratings[0]), entrant("b", ratings[1])], "cross": [], "next": [] })
}

#[tokio::test]
async fn games_worth_a_look_stay_when_their_matches_are_gone() {
    let tables = tables();
    let found = || -> Vec<(String, u64, f64)> {
        let all = json!(tables.highlights());
        let one = |one: &Value| {
            let kind = one["kind"].as_str().expect("a kind").to_owned();
            let number = one["match"].as_u64().expect("a match");
            (kind, number, one["measure"].as_f64().expect("a measure"))
        };
        all.as_array().expect("a list").iter().map(one).collect()
    };
    let own = |kind: &str, number: u64, measure: f64| (kind.to_owned(), number, measure);
    take(&tables, &standing(1, [30.0, 0.0]));
    for (number, moves) in [
        (1, &["a1", "b1"][..]),
        (2, &["a1"]),
        (3, &["a1", "b1", "c1"]),
    ] {
        begin(&tables, number, &format!("m{number}"));
        play(&tables, number, moves);
    }
    // The second one wins, and is rated below by more than the intervals. The first games of a kind stay first.
    let due = [
        own("upset", 1, 30.0),
        own("upset", 2, 30.0),
        own("closest", 1, 2.0),
        own("closest", 2, 2.0),
        own("longest", 3, 3.0),
        own("longest", 1, 2.0),
        own("shortest", 2, 1.0),
        own("shortest", 1, 2.0),
    ];
    assert_eq!(found(), due);
    let first = json!(tables.highlights()[0]);
    assert_eq!(first["views"], json!([{ "moves": "a1b1" }]));
    assert_eq!(
        (&first["ply"], &first["players"]),
        (&json!(2), &json!(["a", "b"]))
    );
    // The match plays on, and then it is gone.
    take(&tables, &game(1, 2));
    for _ in 0..2 {
        let (lines, mut news) = tables.watch("0", Some(1), Some(1)).expect("a highlight");
        assert_eq!(of_type(&lines, "frame").len(), 3);
        assert_eq!(of_type(&lines, "over").len(), 1);
        assert!(news.recv().await.is_none());
        take(&tables, &json!({ "type": "tables", "playing": [2, 3] }));
    }
    assert!(tables.watch("0", Some(1), None).is_none());
    // Another league has none.
    take(&tables, &standing(2, [10.0, 0.0]));
    begin(&tables, 4, "m4");
    play(&tables, 4, &["a1", "b1", "c1", "d1"]);
    assert_eq!(found()[0], due[0], "the intervals are wider");
    let mut other = standing(1, [0.0, 0.0]);
    take(&tables, &other);
    assert_eq!(found()[0], due[0], "a game is played again");
    other["title"] = json!("Summer");
    take(&tables, &other);
    assert_eq!(found(), []);
}
