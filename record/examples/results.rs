//! Prints the result of each game of a record: `cargo run --example results -- RECORD`.

use std::error::Error;
use std::path::Path;

use taikyoku_record::{Record, What};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which record?")?;
    let record = Record::open(Path::new(&path))?;
    let names: Vec<&str> = record.header.players.iter().map(|p| &p.name[..]).collect();
    println!("{}: {}", record.header.game, names.join(", "));
    for event in &record.events {
        if let What::End { game, points, .. } = &event.what {
            println!("game {game}: {points:?}");
        }
    }
    Ok(())
}
