//! A scripted server with nothing but the rules.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use games::geister::{Move, MoveList, Placement, Position, Rules};
use protocol::gat::{Board, ClientLine, Outcome, ServerLine};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A listener, its port, and what serves the client.
pub(crate) fn serve(server: impl FnOnce(&TcpListener) + Send + 'static) -> (u16, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (port, thread::spawn(move || server(&listener)))
}

pub(crate) struct Seat {
    lines: BufReader<TcpStream>,
}

impl Seat {
    pub(crate) fn accept(listener: &TcpListener) -> Seat {
        let (stream, _) = listener.accept().unwrap();
        stream.set_nodelay(true).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let lines = BufReader::new(stream);
        Seat { lines }
    }

    pub(crate) fn say(&mut self, text: &str) {
        self.lines.get_mut().write_all(text.as_bytes()).unwrap();
    }

    pub(crate) fn hear(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line.strip_suffix("\r\n").expect("CR LF").to_owned()
    }

    pub(crate) fn placement(&mut self) -> Placement {
        self.say("SET?\r\n");
        let placement = self.hear_placement();
        self.say("OK \r\n");
        placement
    }

    pub(crate) fn hear_placement(&mut self) -> Placement {
        match ClientLine::parse(&self.hear()) {
            ClientLine::Set {
                placement,
                name: None,
            } => placement,
            other => panic!("{other:?} where a plain placement was due"),
        }
    }

    pub(crate) fn hear_move(&mut self) -> Move {
        match ClientLine::parse(&self.hear()) {
            ClientLine::Move(mv) => mv,
            other => panic!("{other:?} where a move was due"),
        }
    }

    pub(crate) fn closed(mut self) {
        let mut rest = String::new();
        let n = self.lines.read_line(&mut rest).unwrap_or(0);
        assert_eq!(
            (n, rest.as_str()),
            (0, ""),
            "the client closes after the result"
        );
    }
}

pub(crate) fn message(line: ServerLine) -> String {
    String::from_utf8(line.encode().to_vec()).unwrap()
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Manner {
    /// The answer to a move comes in one packet with the result.
    pub(crate) glued: bool,
    /// Every message comes in single bytes.
    pub(crate) crumbs: bool,
    pub(crate) limit: u16,
}

/// Plays one game with the client in `seat` against random moves. Returns how it ended for the client.
pub(crate) fn game(client: &mut Seat, seat: u8, manner: Manner, seed: u64) -> Outcome {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let own = client.placement();
    let mut placements = [Placement::ALL[rng.random_range(0..70)]; 2];
    placements[usize::from(seat)] = own;
    let limit = if manner.limit == 0 { 200 } else { manner.limit };
    let mut position = Position::new(placements, Rules { ply_limit: limit });
    let mut pending = String::new();
    let mut moves = MoveList::new();
    let say = |client: &mut Seat, text: &str| {
        if manner.crumbs {
            text.split_inclusive(|_| true)
                .for_each(|byte| client.say(byte));
        } else {
            client.say(text);
        }
    };
    while let Some(mover) = position.to_move() {
        let mv = if mover == seat {
            pending += &message(ServerLine::MoveRequest(Board::from(&position.view(seat))));
            say(client, &std::mem::take(&mut pending));
            client.hear_move()
        } else {
            position.legal_moves(&mut moves);
            moves[rng.random_range(0..moves.len())]
        };
        let played = position.play(mv).unwrap();
        if mover == seat {
            let captured = played.captured.map(|(_, colour)| colour);
            pending += &message(ServerLine::Ok(captured));
            if !manner.glued {
                say(client, &std::mem::take(&mut pending));
            }
        }
    }
    let outcome = Outcome::of(seat, position.end().unwrap().winner);
    let board = Board::from(&position.final_view(seat));
    pending += &message(ServerLine::Result(outcome, board));
    say(client, &pending);
    outcome
}
