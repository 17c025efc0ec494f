//! What the gateway refuses and bounds, and that nothing of it is left behind.

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
    assert!(status == 429 && body.contains("you have 8 tables already"), "{body}");
    // A table that is left makes room.
    let mut page = gateway.sit(&made[0].0, &made[0].1[0]);
    page.hear_of("ask");
    page.say(&json!({ "type": "leave" }));
    page.hear_of("over");
    while gateway.ask("POST /api/tables", "", &settings.to_string()).0 != 201 {
        std::thread::yield_now();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_outlasts_the_gateway() {
    let gateway = Gateway::start(&[]);
    let (table, tokens) = gateway.make(&table("blokus", 4));
    let mut page = gateway.sit(&table, &tokens[0]);
    page.hear_of("ask");
    let of = gateway.child.id();
    assert_eq!(children(of).len(), 4, "a server and three bots");
    let programs = children(of);
    drop(gateway);
    all_end(programs);
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

/// Waits until these processes have ended.
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
