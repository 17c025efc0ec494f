//! Players that are started as programs, good or bad: `mock-player TONGUE MODE PORT GAMES`, with the tongue `uecda`,
//! `native` or `gat`.

mod gat;
mod native;
mod uecda;

use std::process::exit;
use std::thread;
use std::time::Duration;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [tongue, mode, port, games] = &words[..] else {
        eprintln!("usage: mock-player uecda|native|gat MODE PORT GAMES");
        exit(2);
    };
    let (Ok(port), Ok(games)) = (port.parse(), games.parse()) else {
        eprintln!("the port and the games are numbers");
        exit(2);
    };
    if mode == "never-connects" {
        sleep();
    }
    match &tongue[..] {
        "uecda" => uecda::play(mode, port),
        "native" => native::play(mode, port),
        "gat" => gat::play(mode, port, games),
        _ => {
            eprintln!("no tongue {tongue}");
            exit(2);
        }
    }
    if mode == "lingers" {
        sleep();
    }
}

fn sleep() -> ! {
    loop {
        thread::sleep(Duration::from_mins(10));
    }
}
