//! A small engine of Blokus that speaks GTP, good or bad: `mock-gtp-engine MODE [N]`.
//!
//! In the N-th `genmove` of its process, from 0, it does what its mode says; before and, where it can, after that
//! it plays. A good one ends with status 7 as soon as a command of the controller cannot be: so that a test that
//! sees it play to the end knows that it was told everything, in order.

use std::io::{self, BufRead as _, Write as _};
use std::process::exit;
use std::thread;
use std::time::Duration;

use games::blokus::{Board, Colour, Placement};

const COMMANDS: &str =
    "list_commands\nname\nversion\nset_game\nclear_board\nplay\ngenmove\nquit\nparam\n";

/// Status of an engine that was told what cannot be.
const MISLED: i32 = 7;

fn main() {
    let mut words = std::env::args().skip(1);
    let mode = words.next().unwrap_or_else(|| "good".to_owned());
    let at: u32 = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
    let mut engine = Engine {
        mode,
        at,
        asked: 0,
        board: Board::new(),
        is_set: false,
    };
    if engine.mode == "crash-at-start" {
        exit(5);
    }
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let (id, command) = match line.split_once(' ') {
            Some((id, rest)) if id.bytes().all(|b| b.is_ascii_digit()) => (id, rest),
            _ => ("", &line[..]),
        };
        // One of the many that do not repeat numbers.
        let id = if engine.mode == "no-numbers" { "" } else { id };
        let words: Vec<&str> = command.split_whitespace().collect();
        match &engine.mode[..] {
            "mute" => continue,
            // A library that talks.
            "chatty" => {
                if engine.asked > 0 {
                    print!("= by the way\n\n");
                }
                print!("=== {command} ===\ninfo: 1 node\n\n\nloading\n");
            }
            _ => {}
        }
        let answer = match engine.answer(&words) {
            Answer::Text(text) => format!("={id} {text}\n\n"),
            Answer::Failure(text) => format!("?{id} {text}\n\n"),
            Answer::Raw(text) => text.to_owned(),
        };
        print!("{answer}");
        let quits = words == ["quit"] && engine.mode != "stay";
        if io::stdout().flush().is_err() || quits {
            return;
        }
    }
    if engine.mode == "stay" {
        // Deaf to `quit`, and to the end of its input.
        thread::sleep(Duration::from_mins(10));
    }
}

enum Answer {
    Text(String),
    Failure(&'static str),
    Raw(&'static str),
}

struct Engine {
    mode: String,
    at: u32,
    asked: u32,
    board: Board,
    is_set: bool,
}

impl Engine {
    fn answer(&mut self, words: &[&str]) -> Answer {
        match words {
            ["list_commands"] => Answer::Text(COMMANDS.trim().to_owned()),
            ["name"] => Answer::Text("Mock".to_owned()),
            ["set_game", "Blokus"] => {
                self.is_set = true;
                self.board = Board::new();
                Answer::Text(String::new())
            }
            ["clear_board"] => {
                self.board = Board::new();
                Answer::Text(String::new())
            }
            ["param"] => Answer::Text("move_ms 0\nthreads 1".to_owned()),
            ["param", "move_ms", ms] => {
                eprintln!("move_ms is {ms}");
                Answer::Text(String::new())
            }
            ["play", colour, mv] => {
                let colour = seat(colour);
                let placed = mv.parse().map(|mv| self.board.place(colour, mv));
                if !matches!(placed, Ok(Ok(()))) {
                    misled("a move that is illegal");
                }
                Answer::Text(String::new())
            }
            ["genmove", colour] => self.genmove(colour),
            ["quit"] => Answer::Text(String::new()),
            _ => Answer::Failure("unknown command"),
        }
    }

    fn genmove(&mut self, colour: &str) -> Answer {
        let colour = seat(colour);
        if !self.is_set {
            misled("no set_game");
        }
        let asked = self.asked;
        self.asked += 1;
        let Some(mv) = choose(&self.board, colour, asked as usize) else {
            misled("a genmove of a colour without a move");
        };
        if asked == self.at {
            match &self.mode[..] {
                "crash" => exit(3),
                "stall" => loop {
                    thread::sleep(Duration::from_mins(10));
                },
                "slow" => thread::sleep(Duration::from_millis(4500)),
                "illegal" => return Answer::Text("a1,a2,a3,t19,t20".to_owned()),
                "unreadable" => return Answer::Text("my best move\nis e4".to_owned()),
                "flood" => flood("info: thinking\n\n"),
                "endless" => flood("= thinking\n"),
                "garbage" => return Answer::Raw("}{ segmentation fault\n\n"),
                "fails" => return Answer::Failure("out of memory"),
                "resign" => return Answer::Text("resign".to_owned()),
                "pass" => return Answer::Text("pass".to_owned()),
                _ => {}
            }
        }
        self.board.put(colour, mv);
        Answer::Text(mv.to_string())
    }
}

/// One of the moves of the largest pieces.
fn choose(board: &Board, colour: Colour, draw: usize) -> Option<Placement> {
    let mut moves = Vec::new();
    board.legal_moves_of(colour, &mut moves);
    let largest = moves.iter().map(|mv| mv.cells().len()).max()?;
    moves.retain(|mv| mv.cells().len() == largest);
    Some(moves[draw % moves.len()])
}

fn seat(word: &str) -> Colour {
    if let Ok(number @ 1..=4) = word.parse::<usize>() {
        Colour::ALL[number - 1]
    } else {
        misled("no colour")
    }
}

fn flood(text: &str) -> ! {
    let text = text.repeat(1000);
    let mut stdout = io::stdout().lock();
    while stdout.write_all(text.as_bytes()).is_ok() {}
    exit(0);
}

fn misled(by: &str) -> ! {
    eprintln!("the engine was misled: {by}");
    exit(MISLED);
}
