//! The native protocol's codec.

mod properties;

use std::time::Duration;

use serde_json::json;
use taikyoku_protocol::native::{
    BURST, ClientEnd, ClientMessage, DEPTH_LIMIT, ErrorCode, Fault, Hello, LINE_COST, LINE_LIMIT,
    NAME_LIMIT, Received, SERVER_LINE_LIMIT, ServerEnd, ServerMessage, name_of,
};

const NOW: Duration = Duration::from_secs(100);

fn received(end: &mut ServerEnd, bytes: &[u8], now: Duration) -> Vec<Result<ClientMessage, Fault>> {
    end.receive(bytes, now);
    std::iter::from_fn(|| end.next_message(now)).collect()
}

fn one(line: &[u8]) -> Result<ClientMessage, Fault> {
    let mut all = received(&mut ServerEnd::default(), &[line, b"\n"].concat(), NOW);
    assert_eq!(all.len(), 1, "{}", String::from_utf8_lossy(line));
    all.remove(0)
}

fn code(line: &str) -> ErrorCode {
    one(line.as_bytes()).expect_err(line).code
}

#[test]
fn unknown_fields_and_missing_options_are_tolerated() {
    let hello =
        one(br#"{"name":"a","color":{"x":[1]},"versions":[2,1],"type":"hello","token":null,"watch":null}"#);
    let due = Hello {
        versions: vec![2, 1],
        name: "a".to_owned(),
        ..Hello::default()
    };
    assert_eq!(hello, Ok(ClientMessage::Hello(due)));
    let mv = one(b" {\"type\" : \"move\", \"move\":\"b3\", \"thought\":\"long\"}\r");
    let due = ClientMessage::Move {
        game: None,
        ply: None,
        mv: "b3".to_owned(),
    };
    assert_eq!(mv, Ok(due));
    assert_eq!(
        one(br#"{"type":"resign","why":"lost"}"#),
        Ok(ClientMessage::Resign)
    );
}

#[test]
fn what_is_wrong_is_said() {
    for line in [
        "x",
        "{",
        "[1]",
        "1",
        "null",
        "{}",
        r#"{"type":1}"#,
        "{\"type\":\"move\"\u{0}}",
    ] {
        assert_eq!(code(line), ErrorCode::Malformed, "{line}");
    }
    for rest in [
        r#""move""#,
        r#""move","move":3"#,
        r#""move","move":"a1","ply":-1"#,
        r#""move","move":"a1","ply":1e999"#,
        r#""hello","versions":1,"name":"a""#,
        r#""hello","versions":[1]"#,
    ] {
        let line = format!("{{\"type\":{rest}}}");
        let fault = one(line.as_bytes()).unwrap_err();
        assert_eq!((fault.code, fault.sent), (ErrorCode::Malformed, line));
    }
    let fault = one(br#"{"type":"move"}"#).unwrap_err();
    assert_eq!(
        fault.message,
        r#"a message of type "move": missing field `move`"#
    );
    assert_eq!(one(b"\xff\xfe").unwrap_err().code, ErrorCode::Malformed);
    assert_eq!(
        code(r#"{"type":"chat","text":"hi"}"#),
        ErrorCode::UnknownType
    );
    assert_eq!(code(r#"{"type":"welcome"}"#), ErrorCode::UnknownType);
    assert_eq!(code(&"x".repeat(LINE_LIMIT + 1)), ErrorCode::TooLong);
    assert_eq!(code(&"[".repeat(LINE_LIMIT)), ErrorCode::TooDeep);
    let nested = |n: usize| {
        format!(
            r#"{{"type":"resign","x":{}{}}}"#,
            "[".repeat(n),
            "]".repeat(n)
        )
    };
    assert!(one(nested(DEPTH_LIMIT - 1).as_bytes()).is_ok());
    assert_eq!(code(&nested(DEPTH_LIMIT)), ErrorCode::TooDeep);
}

#[test]
fn a_flood_of_lines_or_of_one_line_ends_it() {
    let mut end = ServerEnd::default();
    let all = received(
        &mut end,
        "{\"type\":\"legal\"}\n".repeat(1000).as_bytes(),
        NOW,
    );
    assert_eq!(all.len(), BURST / LINE_COST + 1);
    assert_eq!(
        all.last().unwrap().as_ref().unwrap_err().code,
        ErrorCode::Rate
    );
    assert_eq!(received(&mut end, b"{\"type\":\"legal\"}\n", NOW * 2), []);

    let mut end = ServerEnd::default();
    let mut faults = Vec::new();
    for _ in 0..100 {
        faults.extend(received(&mut end, &[b'x'; 2048], NOW));
        assert!(end.waiting() <= LINE_LIMIT + 1);
    }
    let codes: Vec<ErrorCode> = faults.into_iter().map(|f| f.unwrap_err().code).collect();
    assert_eq!(codes, [ErrorCode::TooLong, ErrorCode::Rate]);
}

#[test]
fn a_player_that_is_asked_may_answer_at_any_speed() {
    let mut end = ServerEnd::default();
    let request = ServerMessage::Request {
        game: 1,
        ply: 0,
        left_ms: None,
        budget_ms: None,
    };
    for _ in 0..10_000 {
        end.send(&request);
        let lines = b"{\"type\":\"legal\"}\n{\"type\":\"move\",\"move\":\"a1\"}\n";
        assert!(received(&mut end, lines, NOW).iter().all(Result::is_ok));
    }
}

#[test]
fn a_client_comes_back_with_token_and_last_event() {
    let mut end = ClientEnd::new("ana", None, None);
    assert_eq!(
        end.hello(),
        "{\"type\":\"hello\",\"versions\":[1],\"name\":\"ana\"}\n"
    );
    let welcome = json!({"type": "welcome", "version": 1, "server": "s", "game": "g", "match": 3,
        "player": 1, "token": "abc", "resumed": false, "motto": "new in version 7"});
    end.receive(format!("{welcome}\n").as_bytes());
    assert!(matches!(end.next_message(), Some(Received::Message(_))));
    end.receive(b"{\"type\":\"presence\",\"event\":9,\"player\":0,\"here\":true}\n{\"half");
    assert!(matches!(end.next_message(), Some(Received::Message(_))));
    let mut again = ServerEnd::default();
    let hello = end.hello();
    let [Ok(ClientMessage::Hello(hello))] = &received(&mut again, hello.as_bytes(), NOW)[..] else {
        panic!("{hello}");
    };
    assert_eq!((hello.token.as_deref(), hello.last), (Some("abc"), Some(9)));
    end.receive(b"{\"type\":\"weather\"}\nwhat\n");
    assert_eq!(
        end.next_message(),
        Some(Received::Unknown("weather".to_owned()))
    );
    assert!(matches!(end.next_message(), Some(Received::Odd(_))));
    end.receive(&vec![b'x'; SERVER_LINE_LIMIT + 1]);
    assert_eq!(end.next_message(), Some(Received::TooLong));
}

#[test]
fn codes_and_names() {
    for text in [
        "malformed",
        "too-long",
        "too-deep",
        "unknown-type",
        "rate",
        "version",
        "hello",
        "game",
        "full",
        "token",
        "replaced",
        "no-game",
        "not-your-turn",
        "stale",
        "illegal",
        "stopped",
        "act",
    ] {
        let code: ErrorCode = serde_json::from_value(text.into()).unwrap();
        assert_eq!(code.as_str(), text);
        assert_eq!(serde_json::to_value(code).unwrap(), text);
    }
    let later = br#"{"type":"error","code":"teapot","message":"no coffee"}"#;
    let Ok(ServerMessage::Error { code, .. }) = ServerMessage::parse(later) else {
        panic!();
    };
    assert_eq!(code, ErrorCode::Other);
    assert_eq!(name_of(" ana\u{7}\n ", "x"), "ana");
    assert_eq!(name_of("\n", "player 1"), "player 1");
    assert_eq!(name_of(&"é".repeat(100), "x").chars().count(), NAME_LIMIT);
    // What is not shown does not count, and leaves no blanks at the ends.
    assert_eq!(name_of("\u{7} ana \u{7}", "x"), "ana");
    assert_eq!(
        name_of(&format!("{}ana", "\u{1b} ".repeat(100)), "x"),
        "ana"
    );
    assert_eq!(
        name_of(&format!("{} z", "y".repeat(63)), "x"),
        "y".repeat(63)
    );
    assert_eq!(
        name_of("a\u{202e}b\u{2066}c\u{2028}d\u{200f}e", "x"),
        "abcde"
    );
    assert_eq!(name_of("\u{2029}\u{61c} ", "x"), "x");
}
