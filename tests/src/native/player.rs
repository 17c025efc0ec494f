//! Players of the native protocol that know no rules: they draw among the legal moves that the server tells
//! them, and misbehave when they are told to.

use std::process::exit;
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};

use crate::native::Client;

/// What a player does instead of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Says nothing until its time is up.
    Stall,
    /// Sends a move that is none.
    Illegal,
    /// Sends a line that is no message.
    Garbage,
    Resign,
    Vanish,
    /// Ends its process with this code.
    Exit(i32),
}

/// A player that misbehaves now and then.
#[derive(Clone, Debug)]
pub struct Random {
    name: String,
    seed: u64,
    /// Game, request of the game from 0, and what it does then.
    acts: Vec<(u32, u32, Act)>,
    /// What it does at every request, in every seat or in one.
    always: Option<(Act, Option<u64>)>,
    /// Whether it takes two lines at most from a read, once it has been asked.
    is_hasty: bool,
    /// Whether its process ends when another player is gone.
    quits: bool,
}

/// What a player has heard by the end.
#[derive(Debug, Default)]
pub struct Heard {
    /// The end of the match, if it was there.
    pub over: Option<Value>,
    pub errors: Vec<String>,
}

impl Random {
    pub fn new(name: &str, seed: u64) -> Random {
        Random {
            name: name.to_owned(),
            seed,
            acts: Vec::new(),
            always: None,
            is_hasty: false,
            quits: false,
        }
    }

    /// A player in the mode of a `mock-player`.
    pub fn in_mode(mode: &str) -> Random {
        let always = match mode {
            "illegal" => Some((Act::Illegal, None)),
            "second-seat" => Some((Act::Illegal, Some(1))),
            "garbage" => Some((Act::Garbage, None)),
            "crash" => Some((Act::Exit(3), None)),
            "stall" => Some((Act::Stall, None)),
            _ => None,
        };
        Random {
            always,
            is_hasty: mode == "together",
            quits: mode == "quits",
            ..Random::new("mock", 7)
        }
    }

    /// With an act at a request (from 0) of a game (from 1).
    #[must_use]
    pub fn acts(mut self, game: u32, request: u32, act: Act) -> Random {
        self.acts.push((game, request, act));
        self
    }

    /// Takes a seat, and plays in a thread of its own.
    pub fn sit(self, port: u16) -> JoinHandle<Heard> {
        let client = Client::seated(port, &self.name);
        thread::spawn(move || self.play(client))
    }

    /// Plays on a seat that it has taken.
    pub fn play(mut self, mut client: Client) -> Heard {
        let mut heard = Heard::default();
        let mut last = 0;
        let (mut game, mut requests, mut seat) = (0, 0, None);
        loop {
            if self.is_hasty && (game, requests) > (1, 0) {
                client.forget_beyond(2);
            }
            let Ok(line) = client.line() else {
                return heard;
            };
            let message: Value = serde_json::from_str(&line).expect("JSON");
            if let Some(event) = message["event"].as_u64() {
                // A view tells of the last event again.
                let due = last + u64::from(message["type"] != "view");
                assert!(event == due || self.is_hasty, "{due} was due: {line}");
                last = event;
            }
            match message["type"].as_str() {
                Some("game") => {
                    game = message["game"].as_u64().expect("a number") as u32;
                    requests = 0;
                }
                Some("view") => seat = message["seat"].as_u64(),
                Some("out") if self.quits && message["end"] == "disconnect" => {
                    eprintln!("panic: no such player");
                    exit(9);
                }
                Some("request") => {
                    let due = |act: &(u32, u32, Act)| (act.0, act.1) == (game, requests);
                    let act = self.acts.iter().position(due);
                    let act = act.map(|place| self.acts.remove(place).2);
                    let always = self.always.filter(|(_, of)| of.is_none() || *of == seat);
                    requests += 1;
                    match act.or(always.map(|(act, _)| act)) {
                        None => say(&mut client, r#"{"type":"legal"}"#),
                        Some(Act::Stall) => {}
                        Some(Act::Illegal) => {
                            say(&mut client, r#"{"type":"move","move":"nowhere"}"#);
                        }
                        Some(Act::Garbage) => say(&mut client, "}{"),
                        Some(Act::Exit(code)) => exit(code),
                        Some(Act::Resign) => say(&mut client, r#"{"type":"resign"}"#),
                        Some(Act::Vanish) => {
                            client.cut();
                            return heard;
                        }
                    }
                }
                Some("legal") => {
                    let moves = message["moves"].as_array().expect("moves");
                    if !moves.is_empty() {
                        let mv = &moves[self.draw(moves.len())];
                        let (game, ply) = (&message["game"], &message["ply"]);
                        let message = json!({"type": "move", "game": game, "ply": ply, "move": mv});
                        say(&mut client, &message.to_string());
                    }
                }
                Some("over") => heard.over = Some(message),
                Some("error") => {
                    let code = message["code"].as_str().unwrap_or_default();
                    heard.errors.push(code.to_owned());
                }
                _ => {}
            }
        }
    }

    /// A number below `most` (a linear congruential generator, D. E. Knuth's MMIX).
    fn draw(&mut self, most: usize) -> usize {
        let seed = self.seed.wrapping_mul(6_364_136_223_846_793_005);
        self.seed = seed.wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) as usize % most
    }
}

/// Sends a line. A connection that is lost shows in the reading.
fn say(client: &mut Client, line: &str) {
    let _ = client.write(format!("{line}\n").as_bytes());
}
