//! What the gateway refuses and bounds, and that nothing of it is left behind.

use std::process::Command;

use end_to_end::programs;
use end_to_end::web::Gateway;
use serde_json::{Value, json};

use super::table;

#[test]
fn strangers_are_refused() {
    let gateway = Gateway::start(&[]);
    let (table, tokens) = gateway.make(&table("dobutsu", 2));
    for (table, token) in [
        (&table[..], "0123456789abcdef0123456789abcdef"),
        (&table[..], "x"),
        ("elsewhere", &tokens[0][..]),
    ] {
        let mut page = gateway.sit(table, token);
        assert_eq!(page.hear_of("error")["code"], "token");
        assert!(page.hear().is_none());
    }
    let foreign = gateway.page_from("http://elsewhere.example");
    assert_eq!(foreign.err().map(|status| status.as_u16()), Some(403));
    let settings = table_of_bots().to_string();
    let origin = "Origin: http://elsewhere.example\r\n";
    assert_eq!(gateway.ask("POST /api/tables", origin, &settings).0, 403);
    assert_eq!(
        gateway.ask("GET /", "Host: elsewhere.example\r\n", "").0,
        421
    );
    assert_eq!(gateway.ask("POST /api/tables", "", &settings).0, 400);
    assert_eq!(gateway.ask("POST /api/tables", "", "{").0, 400);
    assert_eq!(gateway.ask("GET /api/records/..%2f..%2fx", "", "").0, 404);
    let (status, _, page) = gateway.ask("GET /nowhere", "", "");
    assert!(
        status == 404 && page.starts_with("<!doctype html>"),
        "{page}"
    );
    let (status, head, _) = gateway.ask("GET /", "", "");
    assert_eq!(status, 200);
    let head = head.to_lowercase();
    assert!(head.contains("content-security-policy: default-src 'none'; script-src 'self'"));
    assert!(head.contains("x-content-type-options: nosniff"));
}

#[test]
fn texts_become_records_where_the_page_keeps_records_and_within_limits() {
    let text = "startpos moves 2c2b 3a3b 2b2a+";
    let gateway = Gateway::start(&[]);
    let (status, _, body) = gateway.ask("POST /api/import", "", text);
    assert!(status == 409 && body.contains("keeps no records"), "{body}");
    let folder = tempfile::tempdir().expect("a folder");
    let gateway = Gateway::start(&["--records", folder.path().to_str().expect("a path")]);
    let origin = "Origin: http://elsewhere.example\r\n";
    assert_eq!(gateway.ask("POST /api/import", origin, text).0, 403);
    let (status, _, body) = gateway.ask("POST /api/import", "", text);
    let made: Value = serde_json::from_str(&body).expect("an answer");
    assert_eq!((status, &made["format"]), (201, &json!("usi")), "{body}");
    let id = made["id"].as_str().expect("an id");
    let (status, _, record) = gateway.ask(&format!("GET /api/records/{id}"), "", "");
    assert!(status == 200 && record.contains("catch"), "{record}");
    let (status, _, body) = gateway.ask("POST /api/import", "", "N+a\n+\n+B3B1HI\n");
    let refused: Value = serde_json::from_str(&body).expect("an answer");
    assert_eq!(
        (status, &refused["code"], &refused["line"]),
        (422, &json!("csa"), &json!(3))
    );
    let (status, _, body) = gateway.ask("POST /api/import", "", &"(".repeat((8 << 20) + 1));
    assert!(status == 413 && body.contains("more than 8 MiB"), "{body}");
    assert_eq!(
        std::fs::read_dir(folder.path())
            .expect("a folder")
            .filter(|entry| {
                let name = entry.as_ref().expect("an entry").file_name();
                name.to_string_lossy().starts_with("import-")
            })
            .count(),
        1
    );
}

fn table_of_bots() -> Value {
    json!({ "game": "dobutsu", "seats": [{ "kind": "bot" }, { "kind": "bot" }] })
}

#[test]
fn odd_messages_cost_the_page_its_connection_or_nothing() {
    let gateway = Gateway::start(&[]);
    let (table, tokens) = gateway.make(&table("dobutsu", 2));
    let mut page = gateway.sit(&table, &tokens[0]);
    let ask = page.hear_of("ask");
    for (message, code) in [
        (
            json!({ "type": "move", "game": 1, "ply": 0, "move": "9z9z" }),
            "illegal",
        ),
        (
            json!({ "type": "move", "game": 1, "ply": 5, "move": "2c2b" }),
            "not-due",
        ),
        (json!({ "type": "move" }), "malformed"),
        (json!({ "type": "takeback" }), "takeback"),
        (json!([1]), "malformed"),
    ] {
        page.say(&message);
        assert_eq!(page.hear_of("error")["code"], code, "{message}");
    }
    page.say(&json!({ "type": "hint" }));
    let hint = page.hear_of("hint");
    assert!(
        ask["moves"]
            .as_array()
            .expect("moves")
            .contains(&hint["moves"][0]["move"])
    );
    page.say(&json!({ "type": "move", "move": "x".repeat(100_000) }));
    assert!(std::iter::from_fn(|| page.hear()).all(|message| message["type"] != "over"));
    // The seat is kept.
    let mut back = gateway.sit(&table, &tokens[0]);
    assert_eq!(back.hear_of("ask"), ask);
    back.say(&json!({ "type": "resign" }));
    let result = back.hear_of("result");
    assert_eq!(
        (&result["end"], &result["places"]),
        (&json!("resign"), &json!([2, 1]))
    );
}

#[test]
fn one_address_has_so_many_tables_only() {
    let gateway = Gateway::start(&[]);
    let settings = table("score-four", 2);
    let made: Vec<_> = (0..8).map(|_| gateway.make(&settings)).collect();
    let (status, _, body) = gateway.ask("POST /api/tables", "", &settings.to_string());
    assert!(
        status == 429 && body.contains("you have 8 tables already: end a table"),
        "{body}"
    );
    // A table that is ended makes room, and so does one that is left.
    let held: Vec<Value> = made
        .iter()
        .map(|(table, tokens)| json!({ "table": table, "token": tokens[0] }))
        .collect();
    let seats = |held: &[Value]| {
        let (status, _, body) = gateway.ask("POST /api/seats", "", &json!(held).to_string());
        assert_eq!(status, 200, "{body}");
        serde_json::from_str::<Vec<Value>>(&body).expect("a list")
    };
    let strange = json!({ "table": held[0]["table"], "token": held[1]["token"] });
    let known = seats(&[held[1].clone(), strange.clone()]);
    assert_eq!(
        (&known[0]["table"], &known[0]["you"]),
        (&held[1]["table"], &json!(0))
    );
    assert_eq!(known[1], Value::Null);
    let end = |held: &Value| gateway.ask("POST /api/seats/end", "", &held.to_string()).0;
    assert_eq!((end(&strange), end(&held[1])), (404, 204));
    while gateway.ask("POST /api/tables", "", &settings.to_string()).0 != 201 {
        std::thread::yield_now();
    }
    assert_eq!(seats(&held[1..2]), [Value::Null]);
    let mut page = gateway.sit(&made[1].0, &made[1].1[0]);
    assert_eq!(
        page.hear_of("over")["reason"],
        "the table was ended by the person that made it"
    );
    let mut page = gateway.sit(&made[0].0, &made[0].1[0]);
    page.hear_of("ask");
    page.say(&json!({ "type": "leave" }));
    page.hear_of("over");
    while gateway.ask("POST /api/tables", "", &settings.to_string()).0 != 201 {
        std::thread::yield_now();
    }
}

#[test]
fn a_page_that_is_open_to_others_answers_to_the_names_of_its_machine_alone() {
    let options = ["--host-name", "Play.Example"];
    let gateway = Gateway::run("web", &["--listen", "0.0.0.0:0"], &options);
    let settings = table("dobutsu", 2).to_string();
    let status = |host: &str, request: &str| {
        let headers = format!("Host: {host}\r\nOrigin: http://{host}\r\n");
        gateway.ask(request, &headers, &settings).0
    };
    for host in ["play.example", "192.0.2.7:8080", "localhost:8080"] {
        assert_eq!(status(host, "GET /"), 200, "{host}");
        assert_eq!(status(host, "POST /api/tables"), 201, "{host}");
    }
    // The name of another host that leads here has the origin of its own page.
    for host in ["elsewhere.example", "play.example.elsewhere"] {
        assert_eq!(status(host, "GET /"), 421, "{host}");
        assert_eq!(status(host, "POST /api/tables"), 421, "{host}");
    }
}

#[test]
fn the_visitors_of_a_proxy_are_told_apart_where_it_is_said_to_be_one() {
    // The other seat is empty: no program runs.
    let open = json!({ "game": "dobutsu", "seats": [{ "kind": "person" }, { "kind": "open" }] });
    for (options, of_others) in [(&["--behind-proxy"][..], 201), (&[], 429)] {
        let gateway = Gateway::start(options);
        let make = |visitor: &str| {
            let headers = format!("X-Forwarded-For: 127.0.0.1, {visitor}\r\n");
            gateway
                .ask("POST /api/tables", &headers, &open.to_string())
                .0
        };
        let made: Vec<u16> = (0..9).map(|_| make("192.0.2.1")).collect();
        assert_eq!(made, [[201; 8].as_slice(), &[429]].concat());
        assert_eq!(make("192.0.2.2"), of_others);
    }
}

#[test]
fn no_token_is_logged_whatever_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log");
    let mut command = Command::new(programs::taikyoku());
    command
        .args(["web", "--listen", "127.0.0.1:0"])
        .env(
            "RUST_LOG",
            "trace,tungstenite=trace,tokio_tungstenite=trace,hyper=trace",
        )
        .stderr(std::fs::File::create(&log).expect("a file"));
    let gateway = Gateway::begin(command);
    let (table, tokens) = gateway.make(&table("score-four", 2));
    gateway.sit(&table, &tokens[0]).hear_of("ask");
    drop(gateway);
    let log = std::fs::read_to_string(&log).expect("a log");
    assert!(log.contains("DEBUG"), "{log}");
    assert!(!log.contains(&tokens[0]) && !log.contains("TRACE"), "{log}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_record_that_the_disk_does_not_take_is_told() {
    use crate::doors::files::FullDisk;

    let folder = tempfile::tempdir().expect("a folder");
    let Some(disk) = FullDisk::mount(folder.path()) else {
        return;
    };
    let gateway = Gateway::over(folder);
    let settings = json!({ "game": "score-four", "seats": [{ "kind": "person" }, { "kind": "bot", "spec": "random" }] });
    let late = "the disk does not take the record of this match; it is tried for a minute";
    let play = || {
        let (table, tokens) = gateway.make(&settings);
        let mut page = gateway.sit(&table, &tokens[0]);
        page.hear_of("ask");
        page.say(&json!({ "type": "resign" }));
        let over = page.hear_of("over");
        assert_eq!(
            (&over["record"], &over["note"]),
            (&Value::Null, &json!(late))
        );
        (table, page)
    };
    let (table, mut page) = play();
    disk.make_room();
    let over = page.hear_of("over");
    assert_eq!(
        (&over["record"], &over["note"]),
        (&json!(table), &Value::Null)
    );
    assert_eq!(
        gateway.get(&format!("/api/records/{table}"))["games"][0]["game"],
        1
    );
    disk.fill();
    let (table, mut page) = play();
    // Its server gives up before the minute is over.
    for program in children(gateway.child.id()) {
        while parent(program).is_some() {
            let _ = Command::new("kill").arg(program.to_string()).status();
        }
    }
    let over = page.hear_of("over");
    let lost = "the record of this match is lost: the disk has not taken it";
    assert_eq!(
        (&over["record"], &over["note"]),
        (&Value::Null, &json!(lost))
    );
    assert_eq!(
        gateway.ask(&format!("GET /api/records/{table}"), "", "").0,
        404
    );
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_outlasts_a_gateway_that_is_killed() {
    let mut gateway = Gateway::start(&[]);
    for (game, seats) in [("blokus", 4), ("geister", 2), ("daihinmin", 5)] {
        let (table, tokens) = gateway.make(&table(game, seats));
        let mut page = gateway.sit(&table, &tokens[0]);
        page.hear_of("ask");
    }
    let programs = children(gateway.child.id());
    assert_eq!(
        programs.len(),
        3 + 3 + 1 + 4,
        "three servers and their bots"
    );
    // Nothing is said to them: the gateway has no time for it.
    gateway.child.kill().expect("it is killed");
    gateway.child.wait().expect("it ends");
    all_end(programs);
}

#[cfg(target_os = "linux")]
fn all_end(programs: Vec<u32>) {
    // They have been told to end, and the kernel may need a moment for it.
    let due = std::time::Instant::now() + std::time::Duration::from_secs(40);
    for program in programs {
        while parent(program).is_some() {
            assert!(
                std::time::Instant::now() < due,
                "process {program} lives on"
            );
            std::thread::yield_now();
        }
    }
}

/// The parent of a process; `None` when the process has ended.
#[cfg(target_os = "linux")]
fn parent(process: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    fields.next().filter(|state| *state != "Z")?;
    fields.next()?.parse().ok()
}

/// The processes that a process has started, and that have not ended.
#[cfg(target_os = "linux")]
fn children(of: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").expect("processes");
    let numbers = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    numbers
        .filter(|number| parent(*number) == Some(of))
        .collect()
}
