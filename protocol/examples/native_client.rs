//! A client of the native protocol, for any game: it asks for its legal moves and plays the first.
//! `native_client [HOST:PORT] [NAME]`. The function `choose` decides every move.

use std::error::Error;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use taikyoku_protocol::native::{ClientEnd, ClientMessage, Received, ServerMessage};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (address, name) = (arguments.next(), arguments.next());
    let address = address.as_deref().unwrap_or("127.0.0.1:4444");
    let mut end = ClientEnd::new(name.as_deref().unwrap_or("first"), None, None);
    let mut stream = connect(address)?;
    stream.set_nodelay(true)?;
    stream.write_all(end.hello().as_bytes())?;

    let mut me = 0;
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer)? {
            0 => return Err("the server closed the connection".into()),
            n => end.receive(&buffer[..n]),
        }
        while let Some(received) = end.next_message() {
            let message = match received {
                Received::Message(message) => message,
                Received::Unknown(_) => continue, // Of a later version.
                Received::Odd(e) => return Err(e.into()),
                Received::TooLong => return Err("an endless line".into()),
            };
            let answer = match message {
                ServerMessage::Welcome { player, .. } => {
                    me = usize::from(player);
                    continue;
                }
                ServerMessage::Request { .. } => ClientMessage::Legal,
                ServerMessage::Legal { game, ply, moves } => {
                    // Empty when the request is over by now.
                    let Some(mv) = choose(moves) else {
                        continue;
                    };
                    ClientMessage::Move {
                        game: Some(game),
                        ply: Some(ply),
                        mv,
                    }
                }
                ServerMessage::Error { message, .. } => {
                    eprintln!("the server: {message}");
                    continue;
                }
                ServerMessage::Over { scores, .. } => {
                    println!("player {me}: {} points", scores[me]);
                    return Ok(());
                }
                _ => continue,
            };
            stream.write_all(answer.to_line().as_bytes())?;
        }
    }
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

/// Decides a move, one of the legal ones: here the first. The position is in `View` and `Moved`, which the loop passes over.
fn choose(moves: Vec<String>) -> Option<String> {
    moves.into_iter().next()
}
