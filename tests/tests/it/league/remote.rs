//! Entrants on machines of their own, which connect by themselves.

use std::io::Read as _;
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use end_to_end::entrant::Entrant;
use end_to_end::league::{League, Running};
use end_to_end::patience::wait_for;
use end_to_end::{programs, uecda};
use record::EndKind;

/// A league of remote entrants, each with these lines in its section.
fn contest(head: &str, contest: &str, entrants: &[(&str, &str)]) -> League {
    let sections = entrants.iter().map(|(name, lines)| {
        format!("[[entrants]]\nname = \"{name}\"\nstart = \"remote\"\n{lines}\n")
    });
    let sections: String = sections.collect();
    League::new(&format!(
        "seed = 5\n{head}\n[contest]\nhost = \"127.0.0.1\"\nport = 0\n{contest}\n{sections}"
    ))
}

/// Whether a remote entrant is there, as `league status` says.
fn state(league: &League, name: &str) -> String {
    let status = league.ask("status", "out");
    let remote = status["remote"].as_array().cloned().unwrap_or_default();
    let own = remote.iter().find(|entrant| entrant["name"] == name);
    own.map_or_else(String::new, |own| {
        own["state"].as_str().unwrap_or_default().to_owned()
    })
}

/// Connects and waits until the server has closed the connection; gives what it said.
fn turned_away(port: u16, from: [u8; 4], says: &[u8]) -> String {
    use std::io::Write as _;
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket
        .bind(&std::net::SocketAddr::from((from, 0)).into())
        .unwrap();
    let there = std::net::SocketAddr::from(([127, 0, 0, 1], port));
    socket.connect(&there.into()).unwrap();
    let mut stream = TcpStream::from(socket);
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    stream.write_all(says).unwrap();
    let mut told = String::new();
    stream.read_to_string(&mut told).unwrap();
    let _ = stream.shutdown(Shutdown::Both);
    told
}

const FOUR: &str =
    "game = \"score-four\"\ndeals = 2\nat-once = 2\nclocks = { move-ms = 5000, start-ms = 2000 }";

#[test]
fn bots_on_their_own_play_a_league_and_a_stranger_does_not() {
    let tokens = [
        ("ana", "token = \"sesame-1\""),
        ("bo", "token = \"sesame-2\""),
    ];
    let league = contest(FOUR, "", &tokens);
    let running = league.run("out");
    let ports = ["ana", "bo"].map(|name| running.port(name));
    let _bo = Entrant::bot(ports[1], "sesame-2");
    running.wait_said("bo is here");
    // Its opponent is missing: strangers come to its port, one of them with the token of another entrant.
    for token in ["", ",\"token\":\"sesame-2\"", ",\"token\":\"sesame-10\""] {
        let hello = format!("{{\"type\":\"hello\",\"versions\":[1],\"name\":\"ana\"{token}}}\n");
        let told = turned_away(ports[0], [127, 0, 0, 1], hello.as_bytes());
        assert!(
            told.contains("\"token\"") && !told.contains("welcome"),
            "{told}"
        );
    }
    wait_for("presence", || {
        (state(&league, "bo") == "here").then_some(())
    });
    assert_eq!(
        (state(&league, "ana"), league.played("out")),
        ("missing".to_owned(), 0)
    );
    let _ana = Entrant::bot(ports[0], "sesame-1");
    let (code, said) = running.end();
    assert_eq!(code, Some(0), "{said}");
    for reason in [
        "this port wants the token of its entrant",
        "this token is not that of the entrant at this port",
    ] {
        assert!(
            said.contains(&format!("is turned away: {reason}")),
            "{said}"
        );
    }
    assert_eq!(league.fixtures("out").len(), 4, "{said}");
    for entrant in 0..2 {
        assert_eq!(league.kinds("out", entrant), [EndKind::Normal; 4], "{said}");
    }
    let journal = std::fs::read_to_string(league.out("out").join("journal.jsonl")).unwrap();
    assert!(!journal.contains("sesame"), "a token is secret");
}

#[test]
fn a_contest_raises_its_own_limit_of_open_files_or_says_what_helps() {
    let tokens = [
        ("ana", "token = \"sesame-1\""),
        ("bo", "token = \"sesame-2\""),
    ];
    let league = contest(FOUR, "", &tokens);
    // Fewer than its ports need: it takes what the system allows beyond the soft limit.
    let running = league.run_under("ulimit -S -n 256", "out");
    let _ana = Entrant::bot(running.port("ana"), "sesame-1");
    let _bo = Entrant::bot(running.port("bo"), "sesame-2");
    let (code, said) = running.end();
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = league.run_under("ulimit -n 256", "few").end();
    assert_eq!(code, Some(i32::from(program::USAGE)), "{said}");
    // One table at a time would need too many as well.
    let told = "the system allows 256: let it allow more";
    assert!(said.contains(told) && !said.contains("--at-once"), "{said}");
}

const UECDA: &str =
    "game = \"daihinmin\"\ndeals = 1\nsession = 2\nclocks = { move-ms = 2000, start-ms = 4000 }";
const FIVE: [(&str, &str); 5] = [("p0", ""), ("p1", ""), ("p2", ""), ("p3", ""), ("p4", "")];

fn ports(running: &Running) -> [u16; 5] {
    FIVE.map(|(name, _)| running.port(name))
}

#[test]
fn five_of_uecda_come_again_also_after_a_loss_and_after_the_death_of_the_league() {
    let league = contest(UECDA, "", &FIVE);
    let mut running = league.run("out");
    let mut number = 0;
    let entrants = ports(&running).map(|port| {
        number += 1;
        let name = format!("p{number}");
        let is_first = number == 1;
        Entrant::uecda(port, move |number| {
            let script = uecda::Script::first(uecda::Phase::Dealt, uecda::Fault::Leave);
            match number {
                0 if is_first => uecda::Player::with(&name, script),
                _ => uecda::Player::honest(&name),
            }
        })
    });
    for played in [2, 3] {
        league.wait_for("out", played, &mut running.child);
        running.child.kill().unwrap();
        running.end();
        running = league.run("out");
        for (entrant, port) in entrants.iter().zip(ports(&running)) {
            entrant.moves_to(port);
        }
    }
    let (code, said) = running.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(league.fixtures("out").len(), 5, "{said}");
    // It was there again for the next session.
    let gone = league.kinds("out", 0);
    assert!(
        gone.contains(&EndKind::Disconnect) && gone.contains(&EndKind::Normal),
        "{gone:?}"
    );
    for entrant in 1..5 {
        assert_eq!(league.kinds("out", entrant), [EndKind::Normal; 10]);
    }
}

#[test]
fn one_of_uecda_that_never_answers_passes_and_one_that_never_comes_too() {
    let head = UECDA
        .replace("session = 2", "session = 1")
        .replace("2000", "40");
    // The silent one is let in after 2 s.
    let contest_lines = "wait-s = 5\nabsent = \"forfeit\"";
    let league = contest(&head, contest_lines, &FIVE);
    let running = league.run("out");
    let ports = ports(&running);
    let mut entrants: Vec<Entrant> = (0..3)
        .map(|n: usize| Entrant::uecda(ports[n], move |_| uecda::Player::honest(&format!("p{n}"))))
        .collect();
    entrants.push(Entrant::uecda(ports[3], |_| {
        let script = uecda::Script::first(uecda::Phase::Connected, uecda::Fault::Silence);
        uecda::Player::with("silent", script)
    }));
    let (code, said) = running.end();
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("p4 is missing for 5 s: its fixtures are played without it"),
        "{said}"
    );
    let fixtures = league.fixtures("out");
    assert_eq!(fixtures.len(), 5, "{said}");
    // The others wait for it in three games.
    let words = "p3 is set aside: it was out of time in 3 fixtures in a row; its games are lost";
    assert!(said.contains(words), "{said}");
    let silent = league.kinds("out", 3);
    assert_eq!(silent[..3], [EndKind::Timeout; 3]);
    assert_eq!(silent[3..], [EndKind::Disconnect; 2]);
    assert_eq!(league.kinds("out", 4), [EndKind::Disconnect; 5]);
}

#[test]
fn the_name_in_a_profile_may_be_a_token() {
    let mut five = FIVE;
    five[0].1 = "token = \"open-7f3a\"";
    let head = UECDA.replace("session = 2", "session = 1");
    let league = contest(&head, "", &five);
    let running = league.run("out");
    let ports = ports(&running);
    let mut entrants: Vec<Entrant> = (1..5)
        .map(|n: usize| Entrant::uecda(ports[n], move |_| uecda::Player::honest(&format!("p{n}"))))
        .collect();
    let profile = uecda::Player::honest("p0").profile().bytes();
    assert_eq!(turned_away(ports[0], [127, 0, 0, 1], &profile), "");
    assert_eq!(
        (league.played("out"), state(&league, "p0")),
        (0, "missing".to_owned())
    );
    entrants.push(Entrant::uecda(ports[0], |_| {
        uecda::Player::honest("open-7f3a")
    }));
    let (code, said) = running.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(league.kinds("out", 0), [EndKind::Normal; 5], "{said}");
}

const GAT: &str =
    "game = \"geister\"\ndeals = 1\nclocks = { move-ms = 3000, start-ms = 20000, wait-ms = 0 }";

#[test]
fn two_of_gat_are_known_by_their_ports_and_addresses() {
    let here = "address = \"127.0.0.1\"";
    let league = contest(GAT, "", &[("ana", here), ("bo", here)]);
    let running = league.run("out");
    let ports = ["ana", "bo"].map(|name| running.port(name));
    let _bo = Entrant::gat(ports[1], 100);
    running.wait_said("bo is here");
    // From another machine: the game would begin with it.
    assert_eq!(turned_away(ports[0], [127, 0, 0, 2], b"SET:ABCD\r\n"), "");
    assert_eq!(state(&league, "ana"), "missing");
    let _ana = Entrant::gat(ports[0], 200);
    let (code, said) = running.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(league.fixtures("out").len(), 2, "{said}");
    for entrant in 0..2 {
        assert_eq!(league.kinds("out", entrant), [EndKind::Normal; 2], "{said}");
    }
}

#[test]
fn two_of_gat_that_are_silent_lose_both_and_the_swiss_goes_on() {
    // The others have time enough on a slow machine.
    let head = GAT.replace("start-ms = 20000", "start-ms = 3000").replace(
        "deals",
        "format = \"swiss\"\nrounds = 2\npreset = \"gat-main\"\ndeals",
    );
    let four = [("ana", ""), ("bo", ""), ("cy", ""), ("di", "")];
    let league = contest(&head, "", &four);
    let running = league.run("out");
    // They take their seats, and say nothing. The first round is that of ana and bo, and of cy and di.
    let silent = |name: &str| {
        Entrant::new(running.port(name), |port, _| {
            let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else {
                return;
            };
            let _ = stream.read_to_end(&mut Vec::new());
        })
    };
    let _silent = [silent("ana"), silent("bo")];
    let _others = [
        Entrant::gat(running.port("cy"), 300),
        Entrant::gat(running.port("di"), 400),
    ];
    let (code, said) = running.end();
    assert_eq!(code, Some(0), "{said}");
    let fixtures = league.fixtures("out");
    assert_eq!(fixtures.len(), 8, "{said}");
    for played in fixtures.values() {
        let game = &played.games[0];
        let is_silent = played.seats.iter().all(|&entrant| entrant < 2);
        assert_eq!(
            game.rule.as_deref() == Some("walkover"),
            is_silent,
            "{game:?}"
        );
        if is_silent {
            assert_eq!(
                (&game.points[..], &game.kinds[..]),
                (&[0.0; 2][..], &[EndKind::Stall; 2][..])
            );
        }
    }
    // Two in the first round, none in the second, in which those with more points meet those with fewer or each other.
    assert!(
        fixtures
            .values()
            .any(|played| played.games[0].rule.as_deref() == Some("walkover"))
    );
}

#[test]
fn programs_and_those_that_come_themselves_play_each_other() {
    let league = contest(FOUR, "", &[("ana", "")]);
    let file = league.folder.path().join("it.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    programs::score_four();
    league.rewrite(&(text + "[[entrants]]\nengine = \"random\"\n"));
    let running = league.run("out");
    let _ana = Entrant::random(running.port("ana"), 9);
    let (code, said) = running.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(league.kinds("out", 0), [EndKind::Normal; 4], "{said}");
}
