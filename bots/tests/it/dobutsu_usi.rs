//! A USI session inside the process: its answers, its options, and the word that ends a search.

use std::io::{BufRead as _, BufReader, Cursor, Write as _, pipe};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use games::dobutsu::{Dobutsu, Rules};
use games::{Game as _, Seat};
use taikyoku_bots::dobutsu::EngineOptions;
use taikyoku_bots::dobutsu::usi::{UsiSession, run};

fn session() -> UsiSession {
    let options: EngineOptions = "alphabeta:nodes=2000".parse().expect("a specification");
    UsiSession::new(options, 1)
}

fn answers(lines: &str) -> Vec<String> {
    let mut output = Vec::new();
    run(session(), Cursor::new(lines.to_owned()), &mut output).expect("nothing breaks");
    let output = String::from_utf8(output).expect("text");
    output.lines().map(str::to_owned).collect()
}

fn best(answers: &[String]) -> Vec<&str> {
    let best = answers
        .iter()
        .filter_map(|line| line.strip_prefix("bestmove "));
    best.collect()
}

#[test]
fn it_tells_of_itself_searches_and_ends() {
    let lines = answers("usi\nisready\nusinewgame\nposition startpos moves 2c2b\ngo nodes 900\n");
    assert!(
        lines[0].starts_with("id name Taikyoku Dobutsu"),
        "{lines:?}"
    );
    for due in [
        "option name USI_Hash type spin default 16 min 1 max 65536",
        "option name Engine type combo default alphabeta var random var alphabeta var alphazero var perfect var best",
        "option name Repetition type spin default 3 min 0 max 255",
        "usiok",
        "readyok",
    ] {
        assert!(lines.iter().any(|line| line == due), "{due}: {lines:?}");
    }
    let last = &lines[lines.len() - 2];
    assert!(
        last.starts_with("info depth ") && last.contains(" pv "),
        "{last}"
    );
    let game = Dobutsu::read(&Rules::default(), "2c2b").expect("a game");
    let mv = best(&lines)[0].parse().expect("a move");
    assert!(game.board().is_legal(mv));
    assert!(
        answers("usi\nquit\ngo nodes 10\n")
            .last()
            .is_some_and(|line| line == "usiok")
    );
}

#[test]
fn every_way_to_end_a_search_is_known() {
    for go in [
        "go",
        "go depth 3",
        "go nodes 100",
        "go movetime 60",
        "go btime 1000 wtime 1000 byoyomi 0",
        "go btime 0 wtime 0 byoyomi 60",
        "go infinite",
        "go ponder btime 1000 wtime 1000",
        "go ponder\nponderhit",
        "go infinite\nstop",
    ] {
        let lines = answers(&format!("position startpos\n{go}\n"));
        assert_eq!(best(&lines).len(), 1, "{go}: {lines:?}");
    }
}

#[test]
fn stop_ends_an_endless_search() {
    let (input, mut commands) = pipe().expect("a pipe");
    let (answers, output) = pipe().expect("a pipe");
    let engine = thread::spawn(move || run(session(), input, output));
    commands
        .write_all(b"position startpos\ngo infinite\n")
        .expect("it reads");
    let mut lines = BufReader::new(answers)
        .lines()
        .map(|line| line.expect("a line"));
    let first = lines.next().expect("it tells of the search");
    assert!(first.starts_with("info depth 1 "), "{first}");
    thread::sleep(Duration::from_millis(50));
    let begin = Instant::now();
    commands.write_all(b"isready\nstop\n").expect("it reads");
    let rest: Vec<String> = lines
        .by_ref()
        .take_while(|line| !line.starts_with("bestmove"))
        .collect();
    assert!(rest.iter().any(|line| line == "readyok"), "{rest:?}");
    assert!(begin.elapsed() < Duration::from_mins(1));
    commands.write_all(b"quit\n").expect("it reads");
    assert_eq!(lines.next(), None);
    engine.join().expect("no panic").expect("nothing breaks");
}

#[test]
fn what_cannot_be_played_is_no_resignation_and_has_a_reason() {
    for (position, reason) in [
        ("startpos moves 2c2a", "move 1 of the sequence"),
        ("sfen gle/1c1/1C1 b - 1", "four ranks"),
        ("sfen 1l1/3/3/3 b - 1", "the game is over"),
    ] {
        let lines = answers(&format!("position {position}\ngo nodes 10\n"));
        assert!(
            lines[0].starts_with("info string ") && lines[0].contains(reason),
            "{lines:?}"
        );
        assert_eq!(best(&lines), ["none"]);
    }
    // A controller with another rule of repetition plays on.
    let back = " 1d1c 3a3b 1c1d 3b3a".repeat(2);
    let lines = answers(&format!("position startpos moves{back}\ngo nodes 10\n"));
    assert_ne!(best(&lines), ["none"], "{lines:?}");
}

#[test]
fn go_mate_proves() {
    let mate = |position: &str, go: &str| {
        let lines = answers(&format!("position {position}\n{go}\n"));
        let [line] = &lines[..] else {
            panic!("{lines:?}");
        };
        line.strip_prefix("checkmate ")
            .expect("its answer")
            .to_owned()
    };
    for (position, plies) in [
        ("sfen gle/1G1/1C1/1LE b - 1", 1),
        ("sfen 1l1/3/1CL/3 b GE 1", 5),
    ] {
        let line = mate(position, "go mate 600000");
        let game = Dobutsu::read(&Rules::default(), &format!("{position} moves {line}"));
        let game = game.expect("legal moves");
        assert_eq!(game.ply(), plies, "{line}");
        assert_eq!(
            game.outcome().map(|outcome| outcome.points[Seat::new(0)]),
            Some(1.0)
        );
    }
    // Each move of the second player lets its lion be caught.
    assert_eq!(mate("sfen l2/2L/3/3 w - 1", "go mate 600000"), "nomate");
    for unknown in ["startpos", "sfen nothing"] {
        let lines = answers(&format!("position {unknown}\ngo mate 1\n"));
        assert_eq!(
            lines.last().map(String::as_str),
            Some("checkmate timeout"),
            "{unknown}"
        );
    }
}

#[test]
fn options_are_set_and_refused() {
    let lines =
        answers("setoption name Engine value random\nposition startpos\ngo infinite\nstop\n");
    assert_eq!(
        lines.len(),
        1,
        "nothing is told of a random move: {lines:?}"
    );
    for (option, reason) in [
        ("Engine value stockfish", "`stockfish` is no value of it"),
        ("USI_Hash value much", "`much` is no value of it"),
        ("MultiPV value 3", "there is no option `MultiPV`"),
        (
            "USI_Variant value minishogi",
            "`minishogi` is no value of it",
        ),
    ] {
        let lines = answers(&format!("setoption name {option}\n"));
        assert!(lines.len() == 1 && lines[0].contains(reason), "{lines:?}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().display();
    let lines = answers(&format!(
        "setoption name Table value {table}\nsetoption name Engine value perfect\nisready\n"
    ));
    assert!(lines[0].contains("dobutsu-solve --table"), "{lines:?}");
    assert_eq!(lines[1], "readyok");
    let lines = answers(&format!(
        "setoption name Table value {table}\nsetoption name Engine value best\nisready\n"
    ));
    assert!(lines[0].contains("dobutsu-solve --table"), "{lines:?}");
    for quiet in [
        "USI_Hash value 2",
        "Repetition value 2",
        "USI_Variant value dobutsu",
    ] {
        assert!(answers(&format!("setoption name {quiet}\n")).is_empty());
    }
}

#[test]
fn options_of_a_server_are_refused_beside_usi() {
    for option in [
        "--tls",
        "--host=localhost",
        "--port=4000",
        "--tls-ca=ca.pem",
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_dobutsu"))
            .args(["--usi", option])
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{option}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("cannot be used with"), "{option}: {said}");
    }
}
