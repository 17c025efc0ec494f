//! Properties: round trips, every cut of the stream, arbitrary bytes, the rate.

use std::time::Duration;

use proptest::prelude::*;
use taikyoku_protocol::native::{
    BURST, ClientEnd, ClientMessage, ErrorCode, Fault, LINE_COST, LINE_LIMIT, PER_SECOND, Received,
    ServerEnd, WatchEnd,
};

use super::arbitrary::{client_message, server_message};
use super::{NOW, one, received};

proptest! {
    #[test]
    fn client_messages_read_as_they_were_written(message in client_message()) {
        let line = message.to_line();
        prop_assert_eq!(line.matches('\n').count(), 1);
        prop_assume!(line.len() <= LINE_LIMIT);
        prop_assert_eq!(one(line.trim_end_matches('\n').as_bytes()), Ok(message));
    }

    #[test]
    fn server_messages_read_as_they_were_written(messages in proptest::collection::vec(server_message(), 1..5), cut in any::<proptest::sample::Index>()) {
        let mut server = ServerEnd::default();
        let stream: String = messages.iter().map(|message| server.send(message)).collect();
        let mut client = ClientEnd::new("x", None, None);
        let cut = cut.index(stream.len());
        let mut back = Vec::new();
        for part in [&stream.as_bytes()[..cut], &stream.as_bytes()[cut..]] {
            client.receive(part);
            back.extend(std::iter::from_fn(|| client.next_message()));
        }
        let due: Vec<Received> = messages.into_iter().map(Received::Message).collect();
        prop_assert_eq!(back, due);
    }

    #[test]
    fn cuts_of_the_stream_change_nothing(
        pieces in proptest::collection::vec(prop_oneof![
            client_message().prop_map(|m| m.to_line().into_bytes()),
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
    fn no_bytes_do_harm(bytes in proptest::collection::vec(any::<u8>(), 0..3000)) {
        received(&mut ServerEnd::default(), &bytes, NOW);
        let mut client = ClientEnd::new("x", None, None);
        client.receive(&bytes);
        while client.next_message().is_some() {}
        let mut watcher = WatchEnd::default();
        watcher.receive(&bytes);
        while watcher.next_message().is_some() {}
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
