//! Players of `UECda`.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::exit;
use std::sync::mpsc;

use end_to_end::uecda::{Fault, Malformed, Phase, Script};
use end_to_end::uecda::{Player, connect};
use end_to_end::uecda::{TABLE_BYTES, Table};

pub(crate) fn play(mode: &str, port: u16) {
    let at = |phase, fault| {
        let script = Script {
            phase,
            after: 1,
            fault,
        };
        Player::with("mock", script)
    };
    let player = match mode {
        "illegal" => at(Phase::AtHand, Fault::Malformed(Malformed::NotHeld)),
        "garbage" => at(Phase::AtHand, Fault::Malformed(Malformed::AllMax)),
        "stall" => at(Phase::AtHand, Fault::Silence),
        "crash" => at(Phase::AtHand, Fault::Leave),
        "slow" => at(Phase::AtHand, Fault::Sleep(450)),
        "leaves-early" => {
            let mut player = at(Phase::AfterEnd, Fault::Leave);
            if let Some(script) = &mut player.script {
                script.after = 0;
            }
            player
        }
        "bad-handshake" => return bad_handshake(port),
        "mute" => return mute(port),
        "one-read" => return one_read(port),
        _ => Player::honest("mock"),
    };
    let (seated, _kept) = mpsc::channel();
    let outcome = player.play(port, seated).expect("a server");
    match mode {
        "crash" => {
            eprintln!("index out of bounds: the card is 99");
            exit(3);
        }
        "noisy" => eprintln!("{}", "thinking\n".repeat(20_000)),
        _ => {}
    }
    if mode == "good" && !outcome.finished {
        exit(4);
    }
}

/// Greets as if this were HTTP, and waits.
fn bad_handshake(port: u16) {
    let mut stream = connect(port).expect("a server");
    let _ = stream.write_all(b"GET / HTTP/1.1\r\n\r\n");
    wait(stream);
}

/// Waits for the server to speak first.
fn mute(port: u16) {
    wait(connect(port).expect("a server"));
}

fn wait(mut stream: TcpStream) {
    let mut bytes = [0; 16];
    while let Ok(1..) = stream.read(&mut bytes) {}
}

/// A client that takes what one read gives for a message.
fn one_read(port: u16) {
    let mut stream = connect(port).expect("a server");
    let profile = Player::honest("mock").profile();
    stream.write_all(&profile.bytes()).expect("a server");
    int(&mut stream);
    loop {
        let deal = table(&mut stream);
        let owed = deal.0[5][1];
        if (1..100).contains(&owed) {
            let cards = deal.cards();
            let gift = Table::of(&cards[..cards.len().min(owed as usize)]);
            let _ = stream.write_all(&gift.bytes());
        }
        loop {
            let hand = table(&mut stream);
            if hand.0[5][2] == 1 {
                let _ = stream.write_all(&Table::EMPTY.bytes());
                int(&mut stream);
            }
            table(&mut stream);
            match int(&mut stream) {
                0 => {}
                1 => break,
                _ => return,
            }
        }
    }
}

fn table(stream: &mut TcpStream) -> Table {
    Table::from_bytes(&message::<TABLE_BYTES>(stream))
}

fn int(stream: &mut TcpStream) -> i32 {
    i32::from_be_bytes(message(stream))
}

fn message<const N: usize>(stream: &mut TcpStream) -> [u8; N] {
    let mut bytes = [0; N];
    match stream.read(&mut bytes) {
        Ok(n) if n == N => bytes,
        read => {
            eprintln!("recv: {read:?} in place of {N} bytes");
            exit(2);
        }
    }
}
