//! Both ends of USI. What is read in pieces is what is read at once, and what was read can
//! be said again.

use protocol::usi::{
    Answer, BestMove, Command, ControllerEnd, EngineEnd, Event, Go, Position, Received,
};

use super::codecs::pieces;

pub(super) fn usi(data: &[u8]) {
    let (size, stream) = pieces(data);
    assert_eq!(usi_events(stream, size), usi_events(stream, usize::MAX));
    assert_eq!(usi_answers(stream, size), usi_answers(stream, usize::MAX));
    for line in String::from_utf8_lossy(stream).split('\n') {
        if let Some(command) = Command::parse(line) {
            assert_eq!(Command::parse(&command.to_line()), Some(command));
        }
        if let Some(answer) = Answer::parse(line) {
            assert_eq!(Answer::parse(&answer.to_line()), Some(answer));
        }
    }
}

/// An engine that answers every other `go` at once.
fn usi_events(stream: &[u8], size: usize) -> Vec<Event> {
    let mut end = EngineEnd::default();
    let mut found = Vec::new();
    for piece in stream.chunks(size) {
        end.receive(piece);
        while let Some(event) = end.next_event() {
            let is_asked = matches!(event, Event::Think { .. } | Event::Stop);
            if is_asked && found.len() % 2 == 0 {
                let _ = end.best_move(&BestMove::Resign);
            }
            found.push(event);
        }
    }
    found
}

fn usi_answers(stream: &[u8], size: usize) -> Vec<Received> {
    let mut end = ControllerEnd::default();
    let _ = end.usi();
    let mut found = Vec::new();
    for piece in stream.chunks(size) {
        end.receive(piece);
        while let Some(received) = end.next_received() {
            match received {
                Received::Identity(_) => drop(end.is_ready()),
                Received::Ready | Received::BestMove(_) => {
                    drop(end.go(&Position::default(), &Go::default()));
                }
                _ => {}
            }
            found.push(received);
        }
    }
    found
}
