//! Properties: every cut of the stream, the rate. That what was read can be said again is a matter of the
//! fuzz target `native`, which the end-to-end tests run.

use std::time::Duration;

use proptest::prelude::*;
use taikyoku_protocol::native::{
    BURST, ClientMessage, ErrorCode, Fault, LINE_COST, LINE_LIMIT, PER_SECOND, ServerEnd,
};

use super::{NOW, received};

const LINES: [&str; 4] = [
    "{\"type\":\"hello\",\"versions\":[1],\"name\":\"\u{e9}\\n\"}\n",
    "{\"type\":\"move\",\"game\":1,\"ply\":3,\"move\":\"a1\"}\r\n",
    "{\"type\":\"resign\"}\n",
    "{\"type\":\"chat\"}\n",
];

proptest! {
    #[test]
    fn cuts_of_the_stream_change_nothing(
        pieces in proptest::collection::vec(prop_oneof![
            proptest::sample::select(&LINES[..]).prop_map(|line| line.as_bytes().to_vec()),
            proptest::collection::vec(any::<u8>(), 0..60),
            Just(b"\r\n".to_vec()),
            Just(b"[".repeat(LINE_LIMIT - 3)),
        ], 0..8),
        size in 1_usize..5000,
    ) {
        let stream = pieces.concat();
        let whole = received(&mut ServerEnd::default(), &stream, NOW);
        let mut end = ServerEnd::default();
        let mut cut = Vec::new();
        for part in stream.chunks(size) {
            cut.extend(received(&mut end, part, NOW));
            prop_assert!(end.waiting() <= LINE_LIMIT + 1);
        }
        let rate = |all: &[Result<ClientMessage, Fault>]| all.iter().any(|m| matches!(m, Err(f) if f.code == ErrorCode::Rate));
        prop_assume!(!rate(&whole) && !rate(&cut));
        prop_assert_eq!(whole, cut);
    }

    #[test]
    fn a_client_is_never_given_more_than_the_rate(
        lines in proptest::collection::vec((1_usize..2000, 0_u64..200), 1..200),
    ) {
        let mut end = ServerEnd::default();
        let (mut now, mut spent) = (NOW, 0);
        for (len, ms) in lines {
            now += Duration::from_millis(ms);
            let line = [vec![b' '; len], b"\n".to_vec()].concat();
            for message in received(&mut end, &line, now) {
                if message.unwrap_err().code == ErrorCode::Rate {
                    return Ok(());
                }
                spent += len.max(LINE_COST);
            }
            let filled = now.saturating_sub(NOW).as_secs_f64() * PER_SECOND as f64;
            prop_assert!(spent as f64 <= BURST as f64 + filled + 1.0);
        }
    }
}
