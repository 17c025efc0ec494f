//! USI, both ends. Bytes of any kind are a matter of the fuzz target `usi`.

use taikyoku_protocol::usi::{
    ANSWER_LIMIT, Answer, Awaited, BestMove, COMMAND_LIMIT, CheckMate, Command, ControllerEnd,
    EngineEnd, EngineOption, Event, GameEnd, Go, Identity, OptionKind, OutOfOrder, Position,
    Received,
};

use super::pieces;

fn events(stream: &[u8], sizes: &[usize]) -> Vec<Event> {
    let mut end = EngineEnd::default();
    let mut found = Vec::new();
    for piece in pieces(stream, sizes) {
        end.receive(piece);
        found.extend(std::iter::from_fn(|| end.next_event()));
    }
    end.finish();
    found.extend(std::iter::from_fn(|| end.next_event()));
    found
}

/// What a controller that has said `usi` receives; it says `isready` and `go` when it may.
fn received(stream: &[u8], sizes: &[usize]) -> Vec<Received> {
    let mut end = ControllerEnd::default();
    end.usi().expect("the first command");
    let mut found = Vec::new();
    for piece in pieces(stream, sizes) {
        end.receive(piece);
        while let Some(received) = end.next_received() {
            match received {
                Received::Identity(_) => drop(end.is_ready().expect("it is idle")),
                Received::Ready | Received::BestMove(_) => {
                    let go = end.go(&Position::default(), &Go::default());
                    drop(go.expect("it is idle"));
                }
                _ => {}
            }
            found.push(received);
        }
    }
    found
}

/// Commands as they are written; what is read of any line is a matter of the fuzz target `usi`.
const COMMANDS: [&str; 18] = [
    "usi",
    "isready",
    "setoption name Clear Hash",
    "setoption name Eval Dir value C:\\a  b",
    "setoption name Book value ",
    "usinewgame",
    "position startpos",
    "position startpos moves 2c2b C*2b 2b2a+",
    "position sfen gle/1c1/1C1/ELG b - 1 moves 2c2b",
    "go",
    "go ponder btime 1 wtime 0 byoyomi 3 binc 4 winc 5 movetime 6 nodes 7 depth 8",
    "go mate infinite infinite",
    "go mate 9223372036854775807",
    "stop",
    "ponderhit",
    "gameover lose",
    "gameover draw",
    "quit",
];

const ANSWERS: [&str; 22] = [
    "id name Lion 1.0",
    "id author nobody at all",
    "option name Threads type spin default -1 min -2 max 256",
    "option name Two Words type combo default calm one var calm one var wild",
    "option name Ponder type check default true",
    "option name Clear Hash type button",
    "option name Book type string default <empty>",
    "option name File type filename default a b",
    "usiok",
    "readyok",
    "info",
    "info depth 12 nodes 1000 nps 99 time 5 score cp -78 pv 2a2b 3d2c",
    "info score mate 3 string depth 3 of 4",
    "info score mate +",
    "info score mate -",
    "bestmove 2a2b ponder 3d2c",
    "bestmove C*2b",
    "bestmove resign",
    "bestmove win",
    "checkmate 2c2b 2a2b",
    "checkmate nomate",
    "checkmate timeout",
];

#[test]
fn lines_are_written_as_they_are_read_and_in_any_cuts() {
    for line in COMMANDS {
        assert_eq!(Command::parse(line).expect(line).to_string(), line);
    }
    for line in ANSWERS {
        assert_eq!(Answer::parse(line).expect(line).to_string(), line);
    }
    for end in ["\n", "\r\n", " \t\n\n"] {
        let stream = COMMANDS.map(|line| line.to_owned() + end).concat();
        let whole = events(stream.as_bytes(), &[usize::MAX]);
        assert_eq!(events(stream.as_bytes(), &[1, 7, 3]), whole);
        let stream = ANSWERS.map(|line| line.to_owned() + end).concat();
        let whole = received(stream.as_bytes(), &[usize::MAX]);
        assert_eq!(received(stream.as_bytes(), &[1, 7, 3]), whole);
    }
}

#[test]
fn a_session_of_both_ends_comes_to_its_end() {
    let (mut controller, mut engine) = (ControllerEnd::default(), EngineEnd::default());
    let identity = Identity {
        name: "Lion".to_owned(),
        author: "nobody".to_owned(),
        options: vec![EngineOption {
            name: "Threads".to_owned(),
            kind: OptionKind::Spin {
                default: 1,
                min: 1,
                max: 8,
            },
        }],
    };
    engine.receive(controller.usi().expect("first").as_bytes());
    assert_eq!(
        controller.is_ready(),
        Err(OutOfOrder::Unanswered(Awaited::UsiOk))
    );
    assert_eq!(engine.next_event(), Some(Event::Identify));
    controller.receive(engine.identify(&identity).as_bytes());
    assert_eq!(
        controller.next_received(),
        Some(Received::Identity(identity))
    );
    engine.receive(
        controller
            .set_option("Threads", Some("2"))
            .expect("idle")
            .as_bytes(),
    );
    engine.receive(controller.is_ready().expect("idle").as_bytes());
    assert!(matches!(engine.next_event(), Some(Event::SetOption { .. })));
    assert_eq!(engine.next_event(), Some(Event::Prepare));
    controller.receive(engine.ready().as_bytes());
    assert_eq!(controller.next_received(), Some(Received::Ready));
    engine.receive(controller.new_game().expect("idle").as_bytes());
    assert_eq!(engine.next_event(), Some(Event::NewGame));
    let ponder = Go {
        ponder: true,
        ..Go::default()
    };
    let position = Position::after(["2c2b"]);
    engine.receive(controller.go(&position, &ponder).expect("idle").as_bytes());
    let think = Event::Think {
        position: Some(position),
        go: ponder,
    };
    assert_eq!(engine.next_event(), Some(think));
    assert!(engine.is_searching());
    let waiting = Err(OutOfOrder::Unanswered(Awaited::BestMove));
    assert_eq!(controller.go(&Position::default(), &Go::default()), waiting);
    engine.receive(b"ponderhit\n");
    assert_eq!(engine.next_event(), Some(Event::PonderHit));
    let best = BestMove::of("2a2b");
    let line = engine.best_move(&best).expect("it searches");
    controller.receive(line.expect("it is due").as_bytes());
    assert_eq!(
        controller.next_received(),
        Some(Received::BestMove(best.clone()))
    );
    assert_eq!(engine.best_move(&best), Err(OutOfOrder::NoSearch));
    assert_eq!(controller.stop(), Err(OutOfOrder::NoSearch));
    engine.receive(b"gameover win\n");
    engine.receive(controller.quit().as_bytes());
    assert_eq!(engine.next_event(), Some(Event::GameOver(GameEnd::Win)));
    assert_eq!(engine.next_event(), Some(Event::Quit));
    assert_eq!(controller.new_game(), Err(OutOfOrder::NotThere));
}

#[test]
fn options_that_an_engine_does_not_take_are_named() {
    let mut end = ControllerEnd::default();
    end.usi().unwrap();
    end.receive(
        b"option name Threads type spin default 1 min 1 max 8\noption name Ponder type check default true\n\
          option name Style type combo default calm var calm var wild\noption name Clear Hash type button\n\
          option name Book type string default <empty>\nusiok\n",
    );
    let Some(Received::Identity(engine)) = end.next_received() else {
        panic!("it has told all");
    };
    let set = |text: &str| engine.setting(text);
    for (text, name, value) in [
        ("Threads=8", "Threads", Some("8")),
        ("Ponder=false", "Ponder", Some("false")),
        ("Style=wild", "Style", Some("wild")),
        ("Clear Hash", "Clear Hash", None),
        ("Book=a = b", "Book", Some("a = b")),
        ("Book=", "Book", Some("")),
        // A controller sets these whatever the engine lists.
        ("USI_Hash=64", "USI_Hash", Some("64")),
        ("USI_Ponder=false", "USI_Ponder", Some("false")),
    ] {
        assert_eq!(set(text), Ok((name.to_owned(), value.map(str::to_owned))));
    }
    for (text, says) in [
        ("NoSuch=1", "no option `NoSuch`: it has `Threads`, `Ponder`"),
        (
            "Threads=abc",
            "`Threads` takes a whole number from 1 to 8, not `abc`",
        ),
        ("Threads=9", "from 1 to 8, not `9`"),
        ("Threads=0", "from 1 to 8, not `0`"),
        ("Threads", "from 1 to 8, not nothing"),
        ("Ponder=yes", "takes `true` or `false`, not `yes`"),
        ("Style=mild", "takes one of `calm`, `wild`, not `mild`"),
        ("Clear Hash=1", "takes no value, not `1`"),
        ("Book=x\ny", "more than one line"),
    ] {
        let said = set(text).unwrap_err();
        assert!(said.contains(says), "{said}");
    }
}

#[test]
fn results_wait_while_a_search_is_open() {
    for (go, closing) in [
        ("go infinite", "stop"),
        ("go ponder btime 1000", "ponderhit"),
        ("go ponder", "stop"),
    ] {
        let mut end = EngineEnd::default();
        end.receive(format!("{go}\n").as_bytes());
        assert!(matches!(end.next_event(), Some(Event::Think { .. })));
        let best = BestMove::of("2c2b");
        assert_eq!(end.best_move(&best), Ok(None), "{go}");
        assert!(end.is_searching());
        // It neither searches again nor forgets what it has found.
        end.receive(b"go nodes 1\n");
        assert!(matches!(end.next_event(), Some(Event::Odd(_))));
        end.receive(format!("{closing}\n").as_bytes());
        let due = Event::Write("bestmove 2c2b\n".to_owned());
        assert_eq!(end.next_event(), Some(due), "{go}");
        assert!(!end.is_searching());
        end.receive(format!("{closing}\n").as_bytes());
        assert!(matches!(end.next_event(), Some(Event::Odd(_))), "{go}");
    }
}

#[test]
fn no_search_is_of_a_position_that_was_not_read() {
    let too_long = "x".repeat(2 * COMMAND_LIMIT);
    for line in ["position startpos 2c2b", "position", &too_long] {
        let mut end = EngineEnd::default();
        end.receive(format!("position startpos moves 2c2b\n{line}\ngo nodes 10\n").as_bytes());
        assert!(matches!(
            end.next_event(),
            Some(Event::Odd(_) | Event::TooLong)
        ));
        let think = end.next_event();
        assert!(
            matches!(think, Some(Event::Think { position: None, .. })),
            "{think:?}"
        );
    }
}

#[test]
fn what_a_search_for_a_mate_finds_is_told_at_once() {
    for (line, time) in [
        ("go mate 5000", 5000),
        ("go mate infinite", u64::MAX),
        ("go mate", u64::MAX),
    ] {
        let mut end = EngineEnd::default();
        end.receive(format!("{line}\n").as_bytes());
        let Some(Event::Think { go, .. }) = end.next_event() else {
            panic!("{line}");
        };
        assert_eq!(go.mate, Some(time));
        assert_eq!(end.is_endless(), time == u64::MAX);
        let moves = ["2c2b", "2a2b"].map(str::to_owned).to_vec();
        let due = Ok("checkmate 2c2b 2a2b\n".to_owned());
        assert_eq!(end.check_mate(CheckMate::Moves(moves)), due);
        assert!(!end.is_searching());
        assert_eq!(end.check_mate(CheckMate::NoMate), Err(OutOfOrder::NoSearch));
    }
}

#[test]
fn what_is_not_awaited_is_odd() {
    let stream = b"readyok\nbestmove 2c2b\nid name A\nusiok\nusiok\nid name B\nreadyok\nhello\n\nbestmove 2a2b\n";
    let found = received(stream, &[usize::MAX]);
    let odd = |line: &str| Received::Odd(line.to_owned());
    let identity = Identity {
        name: "A".to_owned(),
        ..Identity::default()
    };
    assert_eq!(
        found,
        [
            odd("readyok"),
            odd("bestmove 2c2b"),
            Received::Identity(identity),
            odd("usiok"),
            odd("id name B"),
            Received::Ready,
            odd("hello"),
            Received::BestMove(BestMove::of("2a2b")),
        ]
    );
}

#[test]
fn endless_lines_and_options_are_told_once() {
    let mut stream = b"setoption name A value ".to_vec();
    stream.extend(vec![b'x'; 3 * COMMAND_LIMIT]);
    stream.extend(b"\nusi\n");
    assert_eq!(events(&stream, &[1000]), [Event::TooLong, Event::Identify]);

    let endless = format!("info string {}\nusiok\n", "x".repeat(2 * ANSWER_LIMIT));
    let option = "option name A type button\n";
    let many = option.repeat(2 * ANSWER_LIMIT / option.len()) + "usiok\n";
    for stream in [endless, many] {
        let found = received(stream.as_bytes(), &[1 << 12]);
        assert!(matches!(
            found[..],
            [Received::TooLong, Received::Identity(_)]
        ));
    }
}
