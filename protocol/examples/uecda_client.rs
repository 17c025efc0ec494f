//! A client of `UECda` (Daihinmin) that plays its lowest legal meld, or passes:
//! `uecda_client [HOST:PORT] [NAME]`.
//!
//! It plays a whole match and prints its points. The function `choose` decides every move.

use std::error::Error;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use games::daihinmin::{Meld, Rules, Table, legal_moves};
use taikyoku_protocol::uecda::{ClientEnd, Event, Hand, Submission, Version};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (address, name) = (arguments.next(), arguments.next());
    let address = address.as_deref().unwrap_or("127.0.0.1:42485");
    let mut end = ClientEnd::new(Version::V20070, name.as_deref().unwrap_or("lowest"));
    let mut stream = connect(address)?;
    stream.set_nodelay(true)?;
    stream.write_all(&end.hello().expect("version 20070 has a profile"))?;

    let (mut me, mut points, mut games) = (0, 0, 0);
    // What the last field table showed.
    let mut field = Meld::PASS;
    let mut buffer = [0; 4096];
    while !end.is_over() {
        match stream.read(&mut buffer)? {
            0 => return Err("the server closed the connection".into()),
            n => end.receive(&buffer[..n])?,
        }
        while let Some(event) = end.next_event()? {
            match event {
                Event::Number(number) => me = usize::from(number),
                Event::Deal(deal) => {
                    // Only the deal tells the places of the game before.
                    if let Some(ranks) = deal.ranks {
                        points += 5 - i32::from(ranks[me]);
                    }
                    games += 1;
                    if deal.give > 0 {
                        let lowest = deal.hand.iter().take(deal.give as usize).collect();
                        stream.write_all(&end.give(lowest)?)?;
                    }
                }
                Event::Hand(hand) if hand.my_turn => {
                    stream.write_all(&end.submit(choose(&hand, field))?)?;
                }
                Event::Field(shown) => {
                    if let Submission::Meld(meld) = shown.cards {
                        field = meld;
                    }
                }
                Event::Hand(_) | Event::Ack(_) | Event::End(_) => {}
            }
        }
    }
    println!("player {me}: {points} points in the games before the last of {games}");
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

/// Decides a move: here the lowest legal meld on a field, the pass if there is none.
fn choose(hand: &Hand, field: Meld) -> Meld {
    let mut table = Table::new(0, Rules::default());
    table.lock = hand.status.lock;
    table.revolution = hand.status.revolution;
    if !hand.status.empty_field {
        table.field = field;
    }
    let mut moves = Vec::new();
    legal_moves(&table, hand.hand, &mut moves);
    let melds = moves.into_iter().filter(|meld| !meld.is_pass());
    melds.min_by_key(|meld| meld.low()).unwrap_or(Meld::PASS)
}
