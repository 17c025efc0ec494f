//! A client of GAT (Geister) that plays the first legal move: `gat_client [HOST:PORT] [GAMES]`.
//!
//! It connects for each game anew, as the protocol has it, and prints the result of each. The function `choose` decides
//! every move.

use std::error::Error;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use games::geister::{Colour, Direction, Ghost, Move, Place};
use taikyoku_protocol::gat::{Board, ClientEnd, Event, Outcome};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next();
    let address = address.as_deref().unwrap_or("127.0.0.1:10000");
    let games: u32 = arguments.next().map_or(Ok(1), |n| n.parse())?;
    for game in 1..=games {
        println!("game {game}: {:?}", play(address)?);
    }
    Ok(())
}

/// Connects. The server may not listen yet, or not between two games: then this tries again for ten seconds.
fn connect(address: &str) -> io::Result<TcpStream> {
    let mut left = 500;
    loop {
        match TcpStream::connect(address) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused && left > 0 => {
                left -= 1;
                thread::sleep(Duration::from_millis(20));
            }
            connected => return connected,
        }
    }
}

/// Plays one game; gives its outcome for this player.
fn play(address: &str) -> Result<Outcome, Box<dyn Error>> {
    let mut stream = connect(address)?;
    stream.set_nodelay(true)?;
    let mut end = ClientEnd::new();
    let mut buffer = [0; 4096];
    loop {
        while let Some(event) = end.next_event() {
            let answer = match event {
                Event::SetRequested => end.set("ABCD".parse()?, None)?,
                Event::SetAnswer(false) => return Err("the placement was refused".into()),
                Event::MoveRequested(board) => {
                    let mv = choose(&board?).ok_or("there is no legal move")?;
                    end.play(mv)?
                }
                Event::Ended(outcome, _) => return Ok(outcome),
                // After a refused move the result follows.
                Event::SetAnswer(true) | Event::MoveAnswer(_) => continue,
                Event::Odd(line) => {
                    eprintln!("a line without a meaning: {line}");
                    continue;
                }
            };
            stream.write_all(&answer)?;
        }
        match stream.read(&mut buffer)? {
            0 => return Err("the server closed the connection".into()),
            n => end.receive(&buffer[..n]),
        }
    }
}

/// Decides a move: here the first legal one by ghosts and directions, an escape before all others.
fn choose(board: &Board) -> Option<Move> {
    let mut first = None;
    for ghost in Ghost::ALL {
        let (place, colour) = board.own[ghost.index()];
        let Some(square) = place.square() else {
            continue;
        };
        for direction in Direction::ALL {
            let mv = Move { ghost, direction };
            if colour == Colour::Blue && square.is_exit(direction) {
                return Some(mv);
            }
            let is_own = |to| board.own.iter().any(|(place, _)| *place == Place::On(to));
            if square.step(direction).is_some_and(|to| !is_own(to)) {
                first.get_or_insert(mv);
            }
        }
    }
    first
}
