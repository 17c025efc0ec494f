//! GTP against itself in any cuts. Bytes of any kind are a matter of the fuzz target `gtp`.

use proptest::prelude::*;
use taikyoku_protocol::gtp::{
    ANSWER_LIMIT, Answer, COMMAND_LIMIT, Command, ControllerEnd, EngineEnd, InvalidCommand,
    Problem, Received,
};

use super::pieces;

fn commands_in_cuts(stream: &[u8], sizes: &[usize]) -> Vec<Result<Command, InvalidCommand>> {
    let mut end = EngineEnd::default();
    let mut found = Vec::new();
    for piece in pieces(stream, sizes) {
        end.receive(piece);
        found.extend(std::iter::from_fn(|| end.next_command()));
    }
    end.finish();
    found.extend(std::iter::from_fn(|| end.next_command()));
    found
}

fn answers_in_cuts(stream: &[u8], sizes: &[usize]) -> Vec<Received> {
    let mut end = ControllerEnd::default();
    let mut found = Vec::new();
    for piece in pieces(stream, sizes) {
        end.receive(piece);
        found.extend(std::iter::from_fn(|| end.next_answer()));
    }
    found
}

fn any_command() -> impl Strategy<Value = Command> {
    let word = prop_oneof![
        "[a-t]{1,2}[0-9]{1,2}(,[a-t][0-9]{1,2}){0,4}",
        "[^#\\p{Cc}]{0,20}",
        "[\"\\\\ a#]{0,6}".prop_map(|w| w.replace('#', "")),
    ];
    let name = "[a-zA-Z_=?.-][a-z_0-9\\\\-]{0,12}";
    (
        name,
        proptest::collection::vec(word, 0..4),
        any::<Option<u32>>(),
    )
        .prop_map(|(name, words, id)| Command {
            id,
            ..Command::new(&name, words).expect("words that fit")
        })
}

fn any_answer() -> impl Strategy<Value = Answer> {
    let text = prop_oneof!["[ -~]{0,30}", "([ -~]{0,12}\n){0,6}", any::<String>()];
    (text, any::<Option<u32>>(), any::<bool>()).prop_map(|(text, id, is_success)| {
        if is_success {
            Answer::success(id, text)
        } else {
            Answer::failure(id, text)
        }
    })
}

proptest! {
    #[test]
    fn commands_come_back_as_they_went(
        sent in proptest::collection::vec(any_command(), 0..6),
        sizes in proptest::collection::vec(1_usize..9, 1..5),
        ends in proptest::collection::vec(prop_oneof![Just(""), Just(" # why?"), Just("\r"), Just(" \t")], 6),
    ) {
        let mut stream = String::from("\n# a comment\n");
        for (command, end) in sent.iter().zip(&ends) {
            stream.extend([&command.to_string(), *end, "\n\n"]);
        }
        let due: Vec<_> = sent.into_iter().map(Ok).collect();
        prop_assert_eq!(&commands_in_cuts(stream.as_bytes(), &sizes), &due);
        prop_assert_eq!(&commands_in_cuts(stream.trim_end().as_bytes(), &[usize::MAX]), &due);
    }

    #[test]
    fn answers_come_back_as_they_went(
        sent in proptest::collection::vec(any_answer(), 0..6),
        sizes in proptest::collection::vec(1_usize..9, 1..5),
        crlf in any::<bool>(),
    ) {
        let mut stream: String = sent.iter().map(Answer::to_text).collect();
        if crlf {
            stream = stream.replace('\n', "\r\n");
        }
        let due: Vec<_> = sent.into_iter().map(Received::Answer).collect();
        prop_assert_eq!(answers_in_cuts(stream.as_bytes(), &sizes), due);
    }
}

#[test]
fn endless_lines_and_answers_are_told_once() {
    let problem = Problem::TooLong;
    let too_long = Err(InvalidCommand { id: None, problem });
    let mut stream = vec![b'a'; COMMAND_LIMIT];
    stream.extend(b"\n");
    stream.extend([b'a'; 3 * COMMAND_LIMIT]);
    stream.extend(b"\nname\n");
    let found = commands_in_cuts(&stream, &[1000]);
    assert!(found[0].is_ok());
    assert_eq!((found.len(), found[1].clone()), (3, too_long));

    // One long line, and many short ones.
    for line in ["x".repeat(ANSWER_LIMIT + 1), "x\n".repeat(ANSWER_LIMIT)] {
        let stream = format!("=1 {line}\n\n=2 y\n\n");
        let found = answers_in_cuts(stream.as_bytes(), &[1 << 16]);
        let last = Received::Answer(Answer::success(Some(2), "y"));
        assert_eq!(found, [Received::TooLong, last]);
    }
}
