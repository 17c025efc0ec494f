//! A player that speaks the protocol by hand: well, or with one fault.

use std::io::{self, ErrorKind};
use std::net::TcpStream;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::board::moves;
use super::wire::Wire;
use crate::fault::{Conduct, Fault, Phase, Script, Stop};
use crate::patience::connect;

/// Before a player leaves in an early phase it waits so long: until then the server has found it an
/// opponent, if one is there.
const BEFORE_LEAVING: Duration = Duration::from_millis(250);

/// A player and what it does. It goes ahead where it can, and elsewhere at random.
#[derive(Clone, Debug)]
pub struct Player {
    pub reds: String,
    pub seed: u64,
    pub script: Option<Script>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub lines: Vec<String>,
    /// `WON:`, `LST:` or `DRW:`, if it has read a result.
    pub result: Option<String>,
    /// Whether the server closed the connection cleanly after the result.
    pub finished: bool,
    /// The error that ended it, if one did.
    pub error: Option<ErrorKind>,
}

impl Outcome {
    /// Answers of `NG ` among the lines.
    pub fn refused(&self) -> usize {
        self.lines.iter().filter(|line| *line == "NG ").count()
    }
}

impl Player {
    pub fn honest(seed: u64) -> Player {
        Player {
            reds: "ADFG".to_owned(),
            seed,
            script: None,
        }
    }

    pub fn with(script: Script) -> Player {
        Player {
            script: Some(script),
            ..Player::honest(7)
        }
    }

    /// Plays one game. Says in `greeted` that the other may come: the server has seen it.
    pub fn play(&self, port: u16, greeted: &Sender<()>) -> io::Result<Outcome> {
        Ok(self.play_on(connect(port)?, greeted))
    }

    /// Plays one game on an open connection.
    pub fn play_on(&self, stream: TcpStream, greeted: &Sender<()>) -> Outcome {
        let mut seated = Seated {
            player: self,
            wire: Wire::of(stream),
            rng: Xoshiro256PlusPlus::seed_from_u64(self.seed),
            outcome: Outcome {
                lines: Vec::new(),
                result: None,
                finished: false,
                error: None,
            },
            conduct: Conduct::new(self.script),
        };
        match seated.play(greeted) {
            Ok(()) => {
                (_, seated.outcome.finished) = seated.wire.close();
            }
            Err(Stop::Io(error)) => seated.outcome.error = Some(error.kind()),
            Err(Stop::Gone) => {}
        }
        seated.outcome
    }
}

struct Seated<'a> {
    player: &'a Player,
    wire: Wire,
    rng: Xoshiro256PlusPlus,
    outcome: Outcome,
    conduct: Conduct,
}

impl Seated<'_> {
    fn play(&mut self, greeted: &Sender<()>) -> Result<(), Stop> {
        self.wire.stream().peek(&mut [0])?;
        // Nobody may be waiting for it any more.
        let _ = greeted.send(());
        self.reach(Phase::Connected)?;
        self.expect("SET?")?;
        self.reach(Phase::Asked)?;
        let set = format!("SET:{}", self.player.reds);
        self.command(&set)?;
        self.expect("OK ")?;
        self.reach(Phase::Seated)?;
        loop {
            let line = self.line()?;
            if let Some(board) = line.strip_prefix("MOV?") {
                self.reach(Phase::Turn)?;
                let mv = format!("MOV:{}", self.choose(board));
                self.command(&mv)?;
                let answer = self.line()?;
                if answer.starts_with("OK") {
                    self.reach(Phase::Waiting)?;
                } else if self.outcome.result.is_some() {
                    // The other has left meanwhile.
                    return self.reach(Phase::Ended);
                }
            } else if self.outcome.result.is_some() {
                return self.reach(Phase::Ended);
            } else {
                return Err(Stop::Io(ErrorKind::InvalidData.into()));
            }
        }
    }

    fn choose(&mut self, board: &str) -> String {
        let moves = moves(board);
        let ahead: Vec<&String> = moves.iter().filter(|mv| mv.ends_with('N')).collect();
        let draw = self.rng.next_u64() as usize;
        if !ahead.is_empty() && !draw.is_multiple_of(3) {
            return ahead[draw / 3 % ahead.len()].clone();
        }
        moves[draw / 3 % moves.len()].clone()
    }

    fn line(&mut self) -> Result<String, Stop> {
        let line = self.wire.line()?;
        if ["WON:", "LST:", "DRW:"]
            .iter()
            .any(|end| line.starts_with(end))
        {
            self.outcome.result = Some(line[..4].to_owned());
        }
        self.outcome.lines.push(line.clone());
        Ok(line)
    }

    fn expect(&mut self, expected: &str) -> Result<(), Stop> {
        if self.line()? == expected {
            Ok(())
        } else {
            Err(Stop::Io(ErrorKind::InvalidData.into()))
        }
    }

    fn command(&mut self, command: &str) -> Result<(), Stop> {
        let bytes = format!("{command}\r\n").into_bytes();
        self.conduct.send(self.wire.stream(), &bytes)
    }

    /// Comes to a phase, and does its fault if it is time for it.
    fn reach(&mut self, phase: Phase) -> Result<(), Stop> {
        let Some(fault) = self.conduct.due(phase) else {
            return Ok(());
        };
        if matches!(phase, Phase::Connected | Phase::Asked | Phase::Seated) {
            thread::sleep(BEFORE_LEAVING);
        }
        // What it is told meanwhile is part of the outcome.
        if fault == Fault::Silence {
            loop {
                self.line()?;
            }
        }
        fault.begin(self.wire.stream())
    }
}
