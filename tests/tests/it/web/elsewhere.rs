//! People at tables of other servers, and such tables watched.

use std::io::Write as _;
use std::net::TcpStream;

use end_to_end::native::Client;
use end_to_end::patience::outcome;
use end_to_end::programs::{bot, end_of, started};
use end_to_end::run::{Server, sit_at};
use end_to_end::uecda::Player;
use end_to_end::web::Gateway;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::http::StatusCode;

use super::{no_secrets, random};

#[test]
fn a_person_sits_at_a_table_of_uecda_among_four_clients() {
    for (number, compat) in [(4, "safe"), (0, "official")] {
        let line = format!("uecda --dealer official --compat {compat} --seed 3 --games 2 --once");
        let server = Server::serve(&line);
        let clients = ["a", "b", "c", "d"].map(Player::honest);
        let (before, behind) = clients.split_at(number);
        let mut others = sit_at(server.port, before);
        let link = format!("uecda://127.0.0.1:{}", server.port);
        let gateway = Gateway::start(&["--join", &link]);
        let mut page = gateway.follow(&gateway.links[0]);
        page.hear_of("table");
        others.extend(sit_at(server.port, behind));
        let (over, [frames, asks, results]) = page.play(random(1));
        assert_eq!((&over["games"], results), (&json!(2), 2));
        assert!(frames > 40 && asks > 10, "{frames} frames, {asks} asks");
        for other in others {
            assert!(outcome(other).finished);
        }
        assert!(server.finish().status.success());
    }
}

#[test]
fn a_person_sits_at_a_table_of_gat() {
    let server = Server::serve("geister --games 1 --once");
    let link = format!("gat://127.0.0.1:{}", server.ports[0]);
    let gateway = Gateway::start(&["--join", &link]);
    let mut page = gateway.follow(&gateway.links[0]);
    let bot = started(&mut bot(
        "geister",
        server.ports[1],
        "--engine random --seed 4",
    ));
    let (over, [_, asks, results]) = page.play(random(1));
    assert_eq!((&over["games"], results), (&json!(1), 1));
    assert!(asks > 2);
    no_secrets("geister", &page);
    end_of(bot);
    assert!(server.finish().status.success());
}

#[test]
fn a_person_sits_at_a_native_table_whose_game_the_server_tells() {
    let server = Server::serve("dobutsu --games 1 --once");
    let link = format!("native://127.0.0.1:{}", server.port);
    let gateway = Gateway::start(&["--join", &link]);
    let mut page = gateway.follow(&gateway.links[0]);
    assert_eq!(page.hear_of("table")["game"], "dobutsu");
    let bot = started(&mut bot("dobutsu", server.port, "--engine random"));
    let (over, _) = page.play(random(1));
    assert_eq!(over["games"], 1);
    end_of(bot);
    assert!(server.finish().status.success());
}

#[test]
fn a_table_of_another_server_is_watched() {
    let server = Server::serve("score-four --games 1 --once --watch 0 --move-ms 600000");
    let watch = format!("127.0.0.1:{}", server.watch.expect("a port"));
    let gateway = Gateway::start(&["--watch", &watch]);
    let mut lobby = gateway.page();
    lobby.say(&json!({ "type": "watch", "source": null, "match": null }));
    assert_eq!(lobby.hear_of("lobby")["tables"], json!([]));
    let [mut first, mut second] = Client::pair(server.port);
    let mut told_of = |is_over: bool| loop {
        let told = lobby.hear_of("lobby")["tables"][0].clone();
        if !told.is_null() && (told["state"] == "over") == is_over {
            break told;
        }
    };
    // The gateway watches before the match ends, with which the server ends.
    told_of(false);
    first.play("a1");
    second.wait_for("request");
    second.say(r#"{"type":"resign"}"#);
    let told = told_of(true);
    assert_eq!(
        (&told["game"], &told["games"]),
        (&json!("score-four"), &json!(1))
    );
    let mut page = gateway.page();
    page.say(&json!({ "type": "watch", "source": "0", "match": told["match"] }));
    assert_eq!(page.hear_of("table")["protocol"], "native");
    assert_eq!(page.hear_of("frame")["ply"], 0);
    assert_eq!(page.hear_of("frame")["ply"], 1);
    let result = page.hear_of("result");
    assert_eq!(result["views"].as_array().map(Vec::len), Some(2));
    assert_eq!(result["end"], "resign");
    assert_eq!(page.hear_of("over")["games"], 1);
    assert!(server.finish().status.success());
}

/// A player of GAT that has set up, and is asked to move if it is the first.
fn set_up(port: u16, reds: &str) -> TcpStream {
    let mut player = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    player
        .write_all(format!("SET:{reds}\r\n").as_bytes())
        .expect("it is sent");
    player
}

#[test]
fn a_viewer_of_the_official_server_sees_a_game_of_geister() {
    let server = Server::serve("geister --watch 0 --once --games 1");
    let watch = format!("127.0.0.1:{}", server.watch.expect("a port"));
    let plain = Gateway::start(&["--watch", &watch]);
    let gateway = Gateway::start(&["--watch", &watch, "--geister-viewer", "2024"]);
    assert_eq!(
        plain.page_at("/ws/geister", "null").err(),
        Some(StatusCode::NOT_FOUND)
    );
    // A page from a file has no origin.
    let mut viewer = gateway.page_at("/ws/geister", "null").expect("a viewer");
    let mut frame = |label: &str| loop {
        let Ok(Message::Text(text)) = viewer.socket.read() else {
            panic!("no frame {label} came");
        };
        if text.starts_with(label) {
            break text;
        }
    };
    assert_eq!(frame("null").as_str(), "null");
    let first = set_up(server.ports[0], "ABCD");
    let second = set_up(server.ports[1], "EFGH");
    let start = "MV0:14u24u34u44u15u25u35u45u41u31u21u11u40u30u20u10u,";
    let playing = frame("MV0:");
    assert!(playing.starts_with(start), "a colour is shown: {playing}");
    // The first leaves, and all is shown.
    drop(first);
    let over = frame("WI1:");
    let end = "WI1:14B24B34B44B15R25R35R45R41r31r21r11r40b30b20b10b,";
    assert!(over.starts_with(end), "{over}");
    assert!(
        over.contains(",lose0:1,") && over.contains(",win1:1,"),
        "{over}"
    );
    drop(second);
    assert!(server.finish().status.success());
}
