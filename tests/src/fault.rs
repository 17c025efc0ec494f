//! How players misbehave on a connection, and when: the same for the protocols of UECda and of GAT.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::Duration;

use crate::uecda::Malformed;

/// A moment of a protocol at which a player can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Connected, and nothing sent or read.
    Connected,
    /// It is asked for its placement.
    Asked,
    /// It has its number, or its placement is accepted.
    Seated,
    Dealt,
    Turn,
    /// The answer to a move is read: it is the other's turn.
    Waiting,
    /// The end of a game is read, and the connection still open.
    Ended,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    Leave,
    Reset,
    /// Sends nothing more; goes on reading.
    Silence,
    /// Does nothing for so many milliseconds and goes on well.
    Sleep(u64),
    /// Sends half a message and closes the connection.
    Half,
    /// Sends this again and again as fast as the connection takes it, and reads nothing.
    Flood(&'static [u8]),
    /// Sends such tables in place of its own; lines that are no commands are sent by hand.
    Malformed(Malformed),
}

impl Fault {
    /// Begins the fault. One that shows in what is sent later only does nothing yet.
    pub(crate) fn begin(self, stream: &mut TcpStream) -> Result<(), Stop> {
        match self {
            Fault::Leave => {
                let _ = stream.shutdown(Shutdown::Both);
                Err(Stop::Gone)
            }
            Fault::Reset => {
                // The player is gone, and closes.
                socket2::SockRef::from(&*stream).set_linger(Some(Duration::ZERO))?;
                Err(Stop::Gone)
            }
            Fault::Silence => {
                while stream.read(&mut [0; 4096])? > 0 {}
                Err(Stop::Gone)
            }
            Fault::Sleep(ms) => {
                thread::sleep(Duration::from_millis(ms));
                Ok(())
            }
            Fault::Flood(piece) => {
                let bytes = piece.repeat(1_000);
                loop {
                    stream.write_all(&bytes)?;
                }
            }
            Fault::Half | Fault::Malformed(_) => Ok(()),
        }
    }
}

/// A fault and when it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Script {
    pub phase: Phase,
    /// Times that the phase passes well before.
    pub after: u32,
    pub fault: Fault,
}

impl Script {
    /// A fault at the first time that a phase comes.
    pub const fn first(phase: Phase, fault: Fault) -> Self {
        Script {
            phase,
            after: 0,
            fault,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Conduct {
    script: Option<Script>,
    times: u32,
    pub(crate) fault: Option<Fault>,
}

impl Conduct {
    pub(crate) const fn new(script: Option<Script>) -> Conduct {
        Conduct {
            script,
            times: 0,
            fault: None,
        }
    }

    /// The fault that begins in this phase.
    pub(crate) fn due(&mut self, phase: Phase) -> Option<Fault> {
        let script = self.script.filter(|script| script.phase == phase)?;
        self.times += 1;
        if self.fault.is_some() || self.times <= script.after {
            return None;
        }
        self.fault = Some(script.fault);
        self.fault
    }

    /// Sends a message in the way that the fault asks for.
    pub(crate) fn send(&self, stream: &mut TcpStream, bytes: &[u8]) -> Result<(), Stop> {
        match self.fault {
            Some(Fault::Half) => {
                stream.write_all(&bytes[..bytes.len() / 2])?;
                let _ = stream.shutdown(Shutdown::Both);
                return Err(Stop::Gone);
            }
            _ => stream.write_all(bytes)?,
        }
        Ok(())
    }
}

pub(crate) enum Stop {
    Io(io::Error),
    /// It has done its fault and is gone.
    Gone,
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Io(error)
    }
}
