//! Players of `UECda`.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::exit;
use std::sync::mpsc;

use end_to_end::patience::connect;
use end_to_end::uecda::{Fault, Malformed, Phase, Player, Script, Style};

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
        "illegal" => at(Phase::Turn, Fault::Malformed(Malformed::NotHeld)),
        "garbage" => at(Phase::Turn, Fault::Malformed(Malformed::AllMax)),
        "stall" => at(Phase::Turn, Fault::Silence),
        "crash" => at(Phase::Turn, Fault::Leave),
        "slow" => at(Phase::Turn, Fault::Sleep(450)),
        "leaves-early" => {
            let mut player = at(Phase::Ended, Fault::Leave);
            if let Some(script) = &mut player.script {
                script.after = 0;
            }
            player
        }
        "bad-handshake" => return bad_handshake(port),
        "mute" => return mute(port),
        "one-read" => Player::honest("mock").playing(Style::Pass).strict(),
        _ => Player::honest("mock"),
    };
    let (seated, _kept) = mpsc::channel();
    let outcome = player.play(port, seated).expect("a server");
    match mode {
        "crash" => {
            eprintln!("index out of bounds: the card is 99");
            exit(3);
        }
        "one-read" if !outcome.finished => {
            eprintln!("recv: {:?}", outcome.error);
            exit(2);
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
