//! Both ends of the protocols of Dobutsu shogi. What is read in pieces is what is read at once, and what was read can
//! be said again.

use protocol::animal_shogi::{
    ClientEnd as LinesClient, ClientLine, End, Event as LinesEvent, Outcome, Request,
    ServerEnd as LinesServer, ServerLine, Side,
};
use protocol::course::{
    Answer as CourseAnswer, ClientEnd as CourseClient, Command as CourseCommand,
    Event as CourseEvent, ServerEnd as CourseServer,
};
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

/// The lines of `AnimalShogiServer`, of clients and of servers.
pub(super) fn animal_shogi(data: &[u8]) {
    let (size, stream) = pieces(data);
    assert_eq!(
        line_requests(stream, size),
        line_requests(stream, usize::MAX)
    );
    assert_eq!(line_events(stream, size), line_events(stream, usize::MAX));
    for line in String::from_utf8_lossy(stream).split('\n') {
        let read = ClientLine::parse(line);
        assert_eq!(ClientLine::parse(&read.to_string()), read);
        let read = ServerLine::parse(line);
        assert_eq!(ServerLine::parse(&read.to_string()), read);
    }
}

fn line_requests(stream: &[u8], size: usize) -> Vec<Request> {
    let mut end = LinesServer::default();
    let mut found = Vec::new();
    for piece in stream.chunks(size) {
        end.receive(piece);
        while let Some(request) = end.next_request() {
            match &request {
                Request::Login(_) => drop(end.summary("1", Side::First)),
                Request::Agree => drop(end.start()),
                Request::Move(mv) => drop(end.played(*mv)),
                Request::Resign => drop(end.end(End::GameOver, Outcome::Lose)),
                Request::Fault(_) | Request::Ignored(_) => {}
            }
            found.push(request);
        }
    }
    found
}

fn line_events(stream: &[u8], size: usize) -> Vec<LinesEvent> {
    let mut end = LinesClient::default();
    let mut found = Vec::new();
    for piece in stream.chunks(size) {
        end.receive(piece);
        while let Some(event) = end.next_event() {
            if let LinesEvent::Summary { .. } = event {
                let _ = end.agree();
            }
            found.push(event);
        }
    }
    found
}

/// The protocol of the course: commands and answers.
pub(super) fn course(data: &[u8]) {
    let (size, stream) = pieces(data);
    assert_eq!(
        course_commands(stream, size),
        course_commands(stream, usize::MAX)
    );
    assert_eq!(
        course_events(stream, size),
        course_events(stream, usize::MAX)
    );
    for line in String::from_utf8_lossy(stream).split('\n') {
        if let Some(read) = CourseCommand::parse(line) {
            assert_eq!(CourseCommand::parse(&read.to_string()), Some(read));
        }
        let read = CourseAnswer::parse(line);
        assert_eq!(CourseAnswer::parse(&read.to_string()), read);
    }
}

fn course_commands(stream: &[u8], size: usize) -> Vec<CourseCommand> {
    let mut end = CourseServer::default();
    let mut found = Vec::new();
    for piece in stream.chunks(size) {
        end.receive(piece);
        found.extend(std::iter::from_fn(|| end.next_command()));
    }
    found
}

fn course_events(stream: &[u8], size: usize) -> Vec<CourseEvent> {
    let mut end = CourseClient::default();
    let mut found = Vec::new();
    for piece in stream.chunks(size) {
        end.receive(piece);
        found.extend(std::iter::from_fn(|| end.next_event()));
    }
    found
}
