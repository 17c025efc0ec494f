//! A person at the table, among engines.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use super::run_match;
use super::sockets::{Sockets, nobody, options};
use taikyoku_bots::daihinmin::client::run;

/// Lines of a person that come one after the other.
struct Lines(Receiver<String>, Vec<u8>);

impl Read for Lines {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        if self.1.is_empty() {
            // The end of the test is the end of the lines.
            self.1 = self.0.recv().unwrap_or_default().into_bytes();
        }
        let n = bytes.len().min(self.1.len());
        bytes[..n].copy_from_slice(&self.1[..n]);
        self.1.drain(..n);
        Ok(n)
    }
}

/// The screen of a person that looks at it, and types something whenever it is asked.
struct Screen {
    text: String,
    answered: usize,
    lines: Sender<String>,
    asked: u32,
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.text += std::str::from_utf8(bytes).expect("text");
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let new = &self.text[self.answered..];
        let due = new.contains("Your move:") || new.contains("You have to give");
        if !due || !new.contains("Hand: ") {
            return Ok(());
        }
        self.asked += 1;
        let hand = new.split("Hand: ").last().expect("a hand");
        let cards: Vec<&str> = hand.lines().next().expect("cards").split(' ').collect();
        let answer = if new.contains("You have to give 2") {
            format!("s9s9\nzz\n{}\n{} {}\n", cards[0], cards[0], cards[1]).to_lowercase()
        } else if new.contains("You have to give") {
            format!("{}\n", cards[0])
        } else if self.asked.is_multiple_of(2) {
            // What is not legal is explained, and the pass is.
            format!("help\nmoves\n{}\npass\n", cards[0])
        } else {
            "pass\n".to_owned()
        };
        self.answered = self.text.len();
        self.lines.send(answer).expect("the client reads");
        Ok(())
    }
}

#[test]
fn a_person_plays_to_the_end() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let engines: Vec<_> = (0..4)
        .map(|seed| {
            let options = options(&format!(
                "-h 127.0.0.1 -p {port} --engine random --seed {seed}"
            ));
            thread::spawn(move || run(&options, nobody(), &mut Vec::new()).unwrap())
        })
        .collect();
    let person = thread::spawn(move || {
        let options = options(&format!("-h 127.0.0.1 -p {port} --engine human"));
        let (sender, receiver) = channel();
        let lines: Box<dyn BufRead + Send> = Box::new(BufReader::new(Lines(receiver, Vec::new())));
        let mut screen = Screen {
            text: String::new(),
            answered: 0,
            lines: sender,
            asked: 0,
        };
        let summary = run(&options, lines, &mut screen).unwrap().remove(0);
        (summary, screen.text)
    });
    let points = run_match(12, 3, &mut Sockets::accept(&listener));
    for engine in engines {
        engine.join().unwrap();
    }
    let (summary, text) = person.join().unwrap();
    let player = usize::from(summary.counts.player);
    assert_eq!(
        (summary.counts.games, summary.counts.points()),
        (12, points[player])
    );
    assert_eq!((summary.disagreements, summary.refused), (0, 0), "{text}");
    for due in [
        "You are player",
        "Game 12. Your place in the last one was",
        "Your move:",
        " cards, has passed",
        "Field: ",
        "Hand: ",
        "Your place",
        "play these cards: suits S H D C",
        "leave the match; so does the end of the input",
        "passes.",
        "The game is over: your place is ",
        "The match is over.",
        &format!("player {player}: 12 games"),
    ] {
        assert!(text.contains(due), "{due} is not in\n{text}");
    }
    assert!(!text.contains("resign"), "{text}");
}

#[test]
fn who_quits_is_gone_and_unknown_words_are_explained() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut bytes = Vec::new();
        // The client closes.
        stream.read_to_end(&mut bytes).unwrap();
        bytes.len()
    });
    let options = options(&format!(
        "-h 127.0.0.1 -p {port} --engine human --matches 3"
    ));
    let lines = "what is this\n\nboard\nquit\n".as_bytes();
    let mut out = Vec::new();
    let summaries = run(&options, Box::new(lines), &mut out).unwrap();
    assert_eq!(server.join().unwrap(), 480);
    assert_eq!(summaries.len(), 1);
    let text = String::from_utf8(out).unwrap();
    for due in [
        "help lists what else there is",
        "It is not your turn yet.",
        "No game has begun yet.",
        "ended early: the player has left",
    ] {
        assert!(text.contains(due), "{due} is not in\n{text}");
    }
}
