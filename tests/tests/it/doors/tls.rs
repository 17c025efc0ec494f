//! Ports that speak TLS, and clients of both kinds at ports of both kinds.

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use end_to_end::native::Client;
use end_to_end::patience::connect;
use end_to_end::programs::{self, Ended, end_of, ended, run, started};
use end_to_end::run::Server;
use end_to_end::web::Gateway;
use serde_json::json;

macro_rules! certificate {
    ($file:literal) => {
        concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../protocol/tests/certificates/",
            $file
        )
    };
}

const CERTIFICATE: &str = certificate!("server.pem");
const KEY: &str = certificate!("server.key");
const OTHER: &str = certificate!("other.pem");

fn serve_in_tls(options: &str) -> Server {
    Server::serve(&format!(
        "score-four --tls-cert {CERTIFICATE} --tls-key {KEY} {options}"
    ))
}

fn bot(port: u16, options: &[&str]) -> Command {
    let mut bot = programs::bot("score-four", port, "--engine random --seed 1");
    bot.args(options);
    bot
}

/// What a bot says that gets no seat.
fn refusal(port: u16, options: &[&str]) -> String {
    let Ended { code, err, .. } = ended(&mut bot(port, options));
    assert_eq!(code, Some(3), "{err}");
    err
}

#[test]
fn bots_play_a_match_in_tls() {
    let server = serve_in_tls("--games 2 --once --json");
    let trust = ["--tls-ca", CERTIFICATE];
    let by_name = Command::new(programs::score_four())
        .args([
            "play",
            "--engine",
            "random",
            "--port",
            &server.port.to_string(),
        ])
        .args(trust)
        .spawn();
    let bots = [
        by_name.expect("it starts"),
        started(&mut bot(server.port, &trust)),
    ];
    for bot in bots {
        end_of(bot).good();
    }
    let finished = server.finish();
    assert!(finished.status.success());
    assert_eq!(finished.json()["games"], 2);
}

#[test]
fn a_person_plays_and_others_watch_in_tls() {
    let server = serve_in_tls("--games 1 --once --watch 0");
    let watch = format!("127.0.0.1:{}", server.watch.expect("a port of watchers"));
    let join = format!("native://127.0.0.1:{}", server.port);
    let trust = ["--tls-ca", CERTIFICATE];
    let gateway = Gateway::start(&[&["--watch", &watch, "--join", &join][..], &trust].concat());
    let mut page = gateway.follow(&gateway.links[0]);
    assert_eq!(page.hear_of("table")["game"], "score-four");
    let bot = started(&mut bot(server.port, &trust));
    // The person moves when all watchers are there.
    let mut lobby = gateway.page();
    lobby.say(&json!({ "type": "watch", "source": null, "match": null }));
    while lobby.hear_of("lobby")["tables"][0]["state"] != "playing" {}
    let mut watcher = Command::new(programs::taikyoku());
    let watcher = watcher.args(["watch", &watch, "--json"]).args(trust);
    let mut watcher = started(watcher);
    let mut told = BufReader::new(watcher.stdout.take().expect("a pipe")).lines();
    let mut told = std::iter::from_fn(|| told.next()?.ok());
    assert!(told.any(|line| line.contains(r#""type":"match""#)));
    let (over, [_, asks, results]) = page.play(|_| 0);
    assert_eq!((&over["games"], results), (&json!(1), 1));
    assert!(asks > 2);
    while lobby.hear_of("lobby")["tables"][0]["state"] != "over" {}
    assert!(told.any(|line| line.contains(r#""type":"over""#)));
    assert!(watcher.wait().expect("a child").success());
    end_of(bot).good();
    assert!(server.finish().status.success());
}

#[test]
fn watchers_and_pages_say_why_they_are_not_let_in() {
    let server = serve_in_tls("--watch 0");
    let watch = format!("127.0.0.1:{}", server.watch.expect("a port of watchers"));
    let join = format!("native://127.0.0.1:{}", server.port);
    let page = ["web", "--listen", "127.0.0.1:0", "--join"];
    let page = |more: &[&'static str], join| [&page[..], &[join], more].concat();
    let other = ["--tls-ca", OTHER];
    for (arguments, code, why) in [
        (vec!["watch", &watch], 3, "this port speaks TLS"),
        ([&["watch", &watch][..], &other].concat(), 3, "has issued"),
        (vec!["watch", &watch, "--tls-ca", KEY], 2, "no certificate"),
        (page(&other, &join), 1, "has issued"),
        (page(&["--tls-ca", KEY], &join), 2, "no certificate"),
        (
            page(&["--tls-ca", CERTIFICATE], "gat://x:1"),
            2,
            "know no TLS",
        ),
    ] {
        let Ended {
            code: ended, err, ..
        } = run(&arguments);
        assert_eq!(ended, Some(code), "{arguments:?}: {err}");
        assert!(err.contains(why), "{arguments:?}: {err}");
    }
}

#[test]
fn a_bot_that_does_not_trust_the_server_says_so() {
    let server = serve_in_tls("");
    let text = refusal(server.port, &["--tls-ca", OTHER]);
    assert!(text.contains("has issued its certificate"), "{text}");
    // No authority of the system has issued it.
    let Ended { code, err, .. } = ended(&mut bot(server.port, &["--tls"]));
    // A system without any authority is told apart.
    assert!(matches!(code, Some(2 | 3)), "{err}");
    assert!(err.contains("--tls-ca"), "{err}");
}

#[test]
fn plain_text_and_tls_are_told_apart_at_once() {
    let server = serve_in_tls("");
    let mut client = Client::connect(server.port);
    client.send(&json!({"type": "hello", "versions": [1], "name": "plain"}));
    let error = client.expect("error");
    assert_eq!(error["code"], "hello");
    assert!(error["message"].to_string().contains("TLS"), "{error}");
    assert!(client.is_closed());
    let text = refusal(server.port, &[]);
    assert!(text.contains("connect with --tls"), "{text}");

    let plain = Server::serve("score-four");
    let began = Instant::now();
    let text = refusal(plain.port, &["--tls-ca", CERTIFICATE]);
    assert!(text.contains("it speaks no TLS"), "{text}");
    // Before the ten seconds of a greeting are over.
    assert!(began.elapsed() < Duration::from_secs(9));
}

#[test]
fn clients_that_never_shake_hands_are_let_go() {
    let mut server = serve_in_tls("--games 1");
    let began = Instant::now();
    let silent: Vec<TcpStream> = (0..300)
        .map(|_| {
            let mut stream = connect(server.port).expect("a connection");
            // The beginning of a record of the handshake.
            std::io::Write::write_all(&mut stream, &[0x16, 3, 1]).expect("a server that listens");
            stream
        })
        .collect();
    let trust = ["--tls-ca", CERTIFICATE];
    let bots = [(); 2].map(|()| started(&mut bot(server.port, &trust)));
    let is_closed = |mut stream: &TcpStream| {
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .expect("a time");
        let mut alert = Vec::new();
        let _ = stream.read_to_end(&mut alert);
    };
    // The oldest go when others come, and the last when their time is up.
    is_closed(&silent[0]);
    let mut last = &silent[299];
    last.set_nonblocking(true).expect("a socket");
    let early = last.read(&mut [0]).map_err(|error| error.kind());
    // A machine so busy that the ten seconds of a greeting are over by now cannot tell.
    assert!(
        early == Err(ErrorKind::WouldBlock) || began.elapsed() > Duration::from_secs(8),
        "{early:?}"
    );
    last.set_nonblocking(false).expect("a socket");
    for bot in bots {
        end_of(bot).good();
    }
    is_closed(last);
    assert!(server.is_running());
}

#[test]
fn files_that_make_no_server_are_an_error_at_the_start() {
    for (options, why) in [
        (&["--tls-cert", CERTIFICATE][..], "--tls-key"),
        (&["--tls-cert", OTHER, "--tls-key", KEY], "other.pem and"),
        (
            &["--tls-cert", "nowhere.pem", "--tls-key", KEY],
            "nowhere.pem",
        ),
    ] {
        let serve = ["serve", "score-four", "--port", "0"];
        let Ended { code, err, .. } = run(&[&serve, options].concat());
        assert!(code == Some(2) && err.contains(why), "{err}");
    }
}
