//! What the hall makes of what servers tell.

use std::time::Instant;

use super::*;

fn text(lines: &[Utf8Bytes]) -> Vec<Value> {
    let values = lines.iter().map(|line| serde_json::from_str(line));
    values.map(|value| value.expect("JSON")).collect()
}

/// A hall with a source that nobody listens to.
fn hall() -> Arc<Hall> {
    let stop = CancellationToken::new();
    stop.cancel();
    Hall::new(vec![("localhost".to_owned(), 1)], None, true, &stop)
}

fn take(hall: &Hall, message: &Value) {
    take_at(&hall.sources[0], message);
    hall.change();
}

fn take_at(source: &Source, message: &Value) {
    source.take(&WatchMessage::parse(message.to_string().as_bytes()).expect("a message"));
}

/// A match begins, with its first game.
fn begin(hall: &Hall, number: u64, id: &str) {
    begin_at(&hall.sources[0], number, id);
    hall.change();
}

fn begin_at(source: &Source, number: u64, id: &str) {
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
        &with(json!({ "type": "match", "rules": {}, "header": {},
        "clocks": { "budget_ms": 60_000 } })),
    );
    take_at(source, &game(number, 1));
}

fn game(number: u64, game: u32) -> Value {
    json!({ "type": "game", "match": number, "event": 1, "game": game, "players": [0, 1], "ply": 0,
        "to_move": 0, "view": { "moves": "" } })
}

fn moved(number: u64, mv: &str) -> Value {
    json!({ "type": "moved", "match": number, "event": 2, "game": 1, "ply": 0, "seat": 0, "move": mv,
        "used_ms": 4, "budget_ms": 50_000, "to_move": 1, "view": { "moves": mv } })
}

fn of_type(lines: &[Utf8Bytes], kind: &str) -> Vec<Value> {
    let mut values = text(lines);
    values.retain(|value| value["type"] == kind);
    values
}

#[tokio::test]
async fn a_match_is_told_as_frames() {
    let hall = hall();
    assert!(hall.watch("0", Some(3)).is_none());
    begin(&hall, 3, "m");
    take(&hall, &moved(3, "b3"));
    let (missed, mut news) = hall.watch("0", Some(3)).expect("a match");
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
        &hall,
        &json!({ "type": "result", "match": 3, "event": 3, "game": 1, "places": [1, 2],
        "scores": [1.0, 0.0], "end": "line", "views": [{}, {}] }),
    );
    let result = text(&[news.try_recv().expect("news")]).remove(0);
    assert_eq!(
        (&result["views"], &result["event"]),
        (&json!([{}, {}]), &Value::Null)
    );
    take(
        &hall,
        &json!({ "type": "league", "title": "Spring", "game": "score-four", "fixtures": 1, "scheduled": 2,
        "entrants": [{ "name": "a", "games": 1, "faults": 0, "rating": 5.0, "half_width": 2.0 },
        { "name": "b", "games": 1, "faults": 0, "rating": null, "half_width": null }], "cross": [], "next": [] }),
    );
    let lobby = text(&[hall.whole_lobby()]).remove(0);
    let league = &lobby["leagues"][0];
    assert_eq!(
        (&league["source"], &league["title"]),
        (&json!("0"), &json!("Spring"))
    );
    assert_eq!(
        (&league["entrants"][0]["low"], &league["entrants"][1]["low"]),
        (&json!(3.0), &Value::Null)
    );
    assert_eq!(lobby["tables"][0]["views"], json!([{ "moves": "b3" }]));
    assert_eq!(lobby["tables"][0]["seats"], json!([0, 1]));
    // The next game begins anew.
    take(&hall, &game(3, 2));
    let (missed, _) = hall.watch("0", Some(3)).expect("a match");
    assert_eq!(of_type(&missed, "frame").len(), 1);
}

#[tokio::test]
async fn a_page_that_comes_late_is_told_the_times_of_now() {
    let hall = hall();
    begin(&hall, 1, "m");
    take(&hall, &moved(1, "b3"));
    let known = |hall: &Hall, ago: u64| {
        let mut matches = hall.sources[0].matches();
        let known = matches.get_mut(&1).expect("a match");
        known.since = Instant::now().checked_sub(Duration::from_millis(ago));
        known.clock().expect("a clock")
    };
    let told = known(&hall, 20_000);
    assert_eq!(told["left_ms"][0], 50_000);
    let left = told["left_ms"][1].as_u64().expect("a time");
    assert!((30_000..=40_000).contains(&left), "{left}");
    assert_eq!(known(&hall, 90_000)["left_ms"][1], 0);
    // No time runs while the connection is lost: the clocks stand where they stood then.
    hall.sources[0].lose();
    let (missed, _) = hall.watch("0", Some(1)).expect("a match");
    let stopped = json!({ "type": "clock", "left_ms": [50_000, 0], "running": null });
    assert_eq!(of_type(&missed, "clock"), [stopped]);
}

#[tokio::test]
async fn a_page_is_told_why_its_match_is_silent_and_its_clock_stops() {
    let hall = hall();
    begin(&hall, 1, "m");
    take(&hall, &moved(1, "b3"));
    let (_, mut page) = hall.watch("0", Some(1)).expect("a match");
    // It is tried again in vain, which is no news.
    hall.sources[0].lose();
    hall.sources[0].lose();
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
    let said = |hall: &Hall| of_type(&hall.watch("0", Some(1)).expect("a match").0, "said");
    assert_eq!(said(&hall), [lost], "a page that comes meanwhile");
    begin(&hall, 1, "m");
    assert!(said(&hall).is_empty());
    // The server leaves out the rest of a game, and tells the next one.
    take(&hall, &json!({ "type": "missed", "match": 1, "game": 1 }));
    let missed = said(&hall).remove(0);
    assert_eq!(
        missed["text"],
        "the server could not keep up: this game is told no further"
    );
    take(&hall, &game(1, 2));
    assert!(said(&hall).is_empty());
}

#[tokio::test]
async fn a_page_that_comes_late_is_told_who_is_away() {
    let hall = hall();
    begin(&hall, 1, "m");
    let presence = |player: u8, here: bool| json!({ "type": "presence", "match": 1, "event": 2, "player": player, "here": here });
    for (player, here) in [(0, false), (1, false), (0, true)] {
        take(&hall, &presence(player, here));
    }
    let away = |hall: &Hall| of_type(&hall.watch("0", Some(1)).expect("a match").0, "presence");
    let told = json!({ "type": "presence", "player": 1, "here": false });
    assert_eq!(away(&hall), [told]);
    // A server that is watched again tells it anew.
    hall.sources[0].lose();
    begin(&hall, 1, "m");
    assert!(away(&hall).is_empty());
}

#[tokio::test]
async fn a_server_that_was_restarted_is_not_mixed_with_the_one_before() {
    let hall = hall();
    for number in 1..=4 {
        begin(&hall, number, "old");
        take(&hall, &moved(number, "b3"));
    }
    take(
        &hall,
        &json!({ "type": "over", "match": 4, "event": 3, "games": 1, "scores": [1.0, 0.0] }),
    );
    let mut pages: Vec<_> = (1..=3)
        .map(|number| hall.watch("0", Some(number)).expect("a match").1)
        .collect();
    hall.sources[0].lose();
    // Match 1 is another, 2 goes on, and 3 is not named any more.
    let watching = json!({ "type": "watching", "version": 1, "server": "x", "delay_ms": 0 });
    take(&hall, &watching);
    begin(&hall, 1, "new");
    begin(&hall, 2, "old");
    take(&hall, &json!({ "type": "tables", "playing": [1, 2] }));
    let (missed, _) = hall.watch("0", Some(1)).expect("a match");
    assert_eq!(text(&missed)[0]["id"], "new");
    assert_eq!(of_type(&missed, "frame").len(), 1);
    assert!(hall.watch("0", Some(3)).is_none());
    // What was seen to its end stays.
    let (missed, _) = hall.watch("0", Some(4)).expect("a match");
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
    let hall = hall();
    hall.show_table("t", true);
    let source = hall.tables()["t"].clone();
    let watching = json!({ "type": "watching", "version": 1, "server": "x", "delay_ms": 0 });
    let (_, mut page) = hall.watch("t", None).expect("a table");
    for _ in 0..2 {
        take_at(&source, &watching);
        begin_at(&source, 1, "DOBUTSU-5-1");
        take_at(&source, &moved(1, "b3"));
    }
    let (missed, _) = hall.watch("t", None).expect("a table");
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
    let hall = hall();
    begin(&hall, 1, "m");
    begin(&hall, 2, "n");
    let (_, mut slow) = hall.watch("0", Some(1)).expect("a match");
    let (_, mut quick) = hall.watch("0", Some(1)).expect("a match");
    let (_, mut other) = hall.watch("0", Some(2)).expect("a match");
    for _ in 0..=MOST_WAITING {
        take(&hall, &moved(1, "b3"));
        assert!(quick.try_recv().is_ok());
    }
    assert_eq!(hall.sources[0].matches()[&1].pages.len(), 1);
    let waiting = std::iter::from_fn(|| slow.try_recv().ok()).count();
    assert_eq!((waiting, slow.is_closed()), (MOST_WAITING, true));
    take(&hall, &moved(2, "b3"));
    assert!(other.try_recv().is_ok());
    // One that has gone leaves nothing behind.
    drop(other);
    hall.watch("0", Some(2)).expect("a match");
    assert_eq!(hall.sources[0].matches()[&2].pages.len(), 1);
}

#[tokio::test]
async fn a_lobby_is_built_when_it_has_changed_and_is_read() {
    let hall = hall();
    begin(&hall, 1, "m");
    begin(&hall, 2, "n");
    let built = || *hall.built.lock().expect("nothing panics with the lobby");
    assert_eq!(built(), 0, "nobody reads it");
    take(
        &hall,
        &json!({ "type": "table", "match": 1, "game": "score-four", "protocol": "native", "id": "m",
        "players": ["a", "b"], "games": 2, "scores": [1.0, 0.0], "state": "over" }),
    );
    let lobby = hall.lobby();
    let told = text(&[lobby.borrow().clone()]).remove(0);
    let order = [0, 1].map(|at| told["tables"][at]["match"].clone());
    assert_eq!(order, [json!(2), json!(1)], "those in play come first");
    let at = built();
    assert!(at > 0);
    drop(hall.lobby());
    assert_eq!(built(), at, "nothing has changed");
}
