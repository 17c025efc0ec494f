//! Both ends of the protocols. What is read in pieces is what is read at once, and what was read can be said again.

use std::time::Duration;

use client::uecda::{Assumptions, HandTracker};
use games::daihinmin::{Cards, Meld};
use protocol::gat::{
    BoardError, ClientEnd as GatClient, ClientLine, Event as GatEvent, Names, Request,
    ServerEnd as GatServer, ServerLine, ViewerBoard,
};
use protocol::gtp::{Answer, Command, ControllerEnd, EngineEnd, Received as GtpReceived};
use protocol::native::{
    ClientEnd as NativeClient, ClientMessage, Received, ServerEnd as NativeServer, ServerMessage,
};
use protocol::uecda::{
    CardTable, ClientEnd, ClientError, Deal, Event, Field, FrameReader, GiftChoice, Hand, Profile,
    Scan, Submission, Version, WireError, decode_table, meld_table, table_message,
};

/// The first byte tells the size of the pieces in which the others come.
pub(super) fn pieces(data: &[u8]) -> (usize, &[u8]) {
    match data.split_first() {
        Some((size, stream)) => (usize::from(*size).max(1), stream),
        None => (1, data),
    }
}

/// `UECda`: tables of a client, and what a server says to a client that answers.
pub(super) fn uecda(data: &[u8]) {
    let (size, stream) = pieces(data);
    let version = Version::ALL[size % Version::ALL.len()];
    let mut reader = FrameReader::default();
    for piece in stream.chunks(size) {
        reader.push(piece).expect("tables are taken as they come");
        while let Some(table) = reader.take_table(version).transpose() {
            if let Ok(table) = table {
                read_table(version, &table);
            }
        }
    }
    let (found, end) = uecda_events(version, stream, size);
    let (whole, whole_end) = uecda_events(version, stream, usize::MAX);
    // How much waits depends on the cuts.
    if !matches!(
        whole_end,
        Some(ClientError::Wire(WireError::Overflow { .. }))
    ) {
        assert_eq!((found, end), (whole, whole_end));
    }
}

/// The events of a client that answers, and the error that ends it.
fn uecda_events(version: Version, stream: &[u8], size: usize) -> (Vec<Event>, Option<ClientError>) {
    let mut client = ClientEnd::new(version, "fuzz");
    let mut tracker = HandTracker::new(0, Assumptions::default());
    let mut found = Vec::new();
    for piece in stream.chunks(size) {
        if let Err(error) = client.receive(piece) {
            return (found, Some(error));
        }
        loop {
            let event = match client.next_event() {
                Ok(Some(event)) => event,
                Ok(None) => break,
                Err(error) => return (found, Some(error)),
            };
            match &event {
                Event::Number(number) => {
                    tracker = HandTracker::new(*number, Assumptions::default());
                }
                Event::Deal(deal) => {
                    let cards: Cards = deal.hand.iter().take(deal.give as usize).collect();
                    tracker.deal(deal);
                    let _ = client.give(cards);
                }
                Event::Hand(hand) => {
                    tracker.hand(hand);
                    // The view knows the server's last word.
                    let view = tracker.view().expect("a game has begun");
                    assert_eq!(view.hand, hand.hand);
                    assert_eq!(view.table.revolution, hand.status.revolution);
                    assert_eq!(view.table.field.is_pass(), view.table.field == Meld::PASS);
                    if hand.my_turn {
                        let _ = client.submit(Meld::PASS);
                    }
                }
                Event::Field(field) => drop(tracker.field(field)),
                _ => {}
            }
            found.push(event);
        }
    }
    (found, None)
}

fn read_table(version: Version, table: &CardTable) {
    // Only version 20060 carries negative numbers.
    let bytes = table_message(version, table);
    let again = decode_table(version, &bytes).expect("what was written can be read");
    assert_eq!(table_message(version, &again), bytes);
    assert!(version != Version::V20060 || again == *table);
    let profile = Profile::parse(table);
    assert_eq!(Profile::parse(&profile.to_table()), profile);
    let submission = Submission::parse(table);
    if let Submission::Meld(meld) = submission {
        assert_eq!(Submission::parse(&meld_table(meld)), submission);
        assert_eq!(meld.to_string().parse(), Ok(meld));
    }
    let gift = GiftChoice::parse(table);
    for owed in 0..=2 {
        let _ = gift.cards(owed);
    }
    let _ = (
        Scan::of(table),
        Deal::parse(table),
        Hand::parse(table),
        Field::parse(table),
    );
}

/// GAT: lines of a client and of a server, and boards of the viewer.
pub(super) fn gat(data: &[u8]) {
    let (size, stream) = pieces(data);
    assert_eq!(gat_requests(stream, size), gat_requests(stream, usize::MAX));
    assert_eq!(gat_events(stream, size), gat_events(stream, usize::MAX));
    let text = String::from_utf8_lossy(stream);
    for line in text.split("\r\n") {
        let read = ClientLine::parse(line);
        assert_eq!(ClientLine::parse(&read.to_string()), read);
        if let Ok(read) = ServerLine::parse(line) {
            let bytes = read.encode();
            let said = std::str::from_utf8(&bytes).expect("ASCII");
            assert_eq!(ServerLine::parse(said.trim_end()), Ok(read));
        }
        let _: Result<ViewerBoard, BoardError> = line.parse();
    }
}

fn gat_requests(stream: &[u8], size: usize) -> Vec<Request> {
    let mut end = GatServer::new(Names::Optional);
    let mut found = Vec::new();
    for piece in stream.chunks(size) {
        end.receive(piece);
        while let Some(request) = end.next_request() {
            match &request {
                Request::Placement { .. } => {
                    end.accept_placement();
                    end.move_request(&board());
                }
                Request::Move(_) if found.len() % 7 == 6 => {
                    end.refuse();
                    end.finish();
                }
                Request::Move(_) => {
                    end.accept_move(None);
                    end.move_request(&board());
                }
                _ => {}
            }
            found.push(request);
        }
    }
    found
}

fn board() -> protocol::gat::Board {
    let text = "14R24R34R44R15B25B35B45B41u31u21u11u40u30u20u10u";
    text.parse().expect("the board of the beginning")
}

fn gat_events(stream: &[u8], size: usize) -> Vec<GatEvent> {
    let mut end = GatClient::new();
    let mut found = Vec::new();
    for piece in stream.chunks(size) {
        end.receive(piece);
        while let Some(event) = end.next_event() {
            match event {
                GatEvent::SetRequested | GatEvent::SetAnswer(false) => {
                    let placement = "ABCD".parse().expect("a placement");
                    let _ = end.set(placement, Some("fuzz"));
                }
                GatEvent::MoveRequested(_) => {
                    let _ = end.play("A,N".parse().expect("a move"));
                }
                _ => {}
            }
            found.push(event);
        }
    }
    found
}

/// The native protocol: lines of a client and of a server.
pub(super) fn native(data: &[u8]) {
    let (size, stream) = pieces(data);
    let now = Duration::ZERO;
    let mut end = NativeServer::default();
    for piece in stream.chunks(size) {
        end.receive(piece, now);
        while let Some(read) = end.next_message(now) {
            if let Ok(message) = read {
                let line = message.to_line();
                assert_eq!(
                    ClientMessage::parse(line.trim_end().as_bytes()).ok(),
                    Some(message)
                );
            }
        }
    }
    let found = native_messages(stream, size);
    assert_eq!(found, native_messages(stream, usize::MAX));
    for received in found {
        if let Received::Message(message) = received {
            let line = end.send(&message);
            assert_eq!(
                ServerMessage::parse(line.trim_end().as_bytes()).ok(),
                Some(message)
            );
        }
    }
}

fn native_messages(stream: &[u8], size: usize) -> Vec<Received> {
    let mut end = NativeClient::new("fuzz", None, None);
    let mut found = Vec::new();
    for piece in stream.chunks(size) {
        end.receive(piece);
        found.extend(std::iter::from_fn(|| end.next_message()));
    }
    found
}

pub(super) fn gtp(data: &[u8]) {
    let (size, stream) = pieces(data);
    let found = gtp_commands(stream, size);
    assert_eq!(found, gtp_commands(stream, usize::MAX));
    for command in found.into_iter().flatten() {
        assert_eq!(Command::parse(&command.to_line()), Ok(Some(command)));
    }
    let found = gtp_answers(stream, size);
    assert_eq!(found, gtp_answers(stream, usize::MAX));
    for received in found {
        if let GtpReceived::Answer(answer) = received {
            assert_eq!(Answer::parse(&answer.to_string()), Ok(answer));
        }
    }
}

fn gtp_commands(stream: &[u8], size: usize) -> Vec<Result<Command, protocol::gtp::InvalidCommand>> {
    let mut end = EngineEnd::default();
    let mut found = Vec::new();
    for piece in stream.chunks(size) {
        end.receive(piece);
        found.extend(std::iter::from_fn(|| end.next_command()));
    }
    end.finish();
    found.extend(std::iter::from_fn(|| end.next_command()));
    found
}

fn gtp_answers(stream: &[u8], size: usize) -> Vec<GtpReceived> {
    let mut end = ControllerEnd::default();
    let mut found = Vec::new();
    for piece in stream.chunks(size) {
        end.receive(piece);
        found.extend(std::iter::from_fn(|| end.next_answer()));
    }
    found
}
