//! A controller of USI that asks an engine for one move: `usi_controller MOVES PROGRAM [ARGUMENT ...]`.
//!
//! MOVES are those from the initial position, with commas between them, or `startpos`. The engine gets a second.

use std::error::Error;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

use taikyoku_protocol::usi::{ControllerEnd, Go, Position, Received};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let moves = arguments.next().ok_or("no moves")?;
    let program = arguments.next().ok_or("no program")?;
    let moves: Vec<&str> = match moves.as_str() {
        "startpos" => Vec::new(),
        moves => moves.split(',').collect(),
    };
    let mut engine = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut input = engine.stdin.take().ok_or("no input")?;
    let mut output = engine.stdout.take().ok_or("no output")?;
    let mut end = ControllerEnd::default();
    input.write_all(end.usi()?.as_bytes())?;
    let mut buffer = [0; 4096];
    loop {
        let read = output.read(&mut buffer)?;
        if read == 0 {
            return Err("the engine has ended".into());
        }
        end.receive(&buffer[..read]);
        while let Some(received) = end.next_received() {
            let lines = match received {
                Received::Identity(identity) => {
                    println!("{} has {} options", identity.name, identity.options.len());
                    end.is_ready()?
                }
                Received::Ready => {
                    let movetime = Some(1000);
                    let go = Go {
                        movetime,
                        ..Go::default()
                    };
                    end.new_game()? + &end.go(&Position::after(&moves), &go)?
                }
                Received::BestMove(best) => {
                    println!("{best}");
                    input.write_all(end.quit().as_bytes())?;
                    engine.wait()?;
                    return Ok(());
                }
                Received::Info(_) | Received::Odd(_) | Received::TooLong => continue,
            };
            input.write_all(lines.as_bytes())?;
        }
    }
}
