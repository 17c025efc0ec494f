//! How players misbehave on a connection, and when: the same for the protocols of UECda and of GAT.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::Duration;

/// What a misbehaving player does; `M` are messages that are none in its protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault<M> {
    /// Closes the connection.
    Leave,
    /// Resets the connection.
    Reset,
    /// Sends nothing more; goes on reading.
    Silence,
    /// Does nothing for so many milliseconds and goes on well.
    Sleep(u64),
    /// Does nothing for so many milliseconds each time that the phase comes.
    Late(u64),
    /// Sends all messages byte by byte.
    Fragments,
    /// Sends each message twice in one packet.
    Twice,
    /// Sends half a message and closes the connection.
    Half,
    /// Sends this again and again as fast as the connection takes it, and reads nothing.
    Flood(&'static [u8]),
    /// Sends such messages in place of its own.
    Malformed(M),
}

impl<M> Fault<M> {
    /// Begins the fault. One that shows in what is sent later only does nothing yet.
    pub(crate) fn begin(&self, stream: &mut TcpStream) -> Result<(), Stop> {
        match *self {
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
            Fault::Sleep(ms) | Fault::Late(ms) => {
                thread::sleep(Duration::from_millis(ms));
                Ok(())
            }
            Fault::Flood(piece) => {
                let bytes = piece.repeat(1_000);
                loop {
                    stream.write_all(&bytes)?;
                }
            }
            Fault::Fragments | Fault::Twice | Fault::Half | Fault::Malformed(_) => Ok(()),
        }
    }

    /// Sends a message as one does that has this fault.
    pub(crate) fn send(
        fault: Option<&Self>,
        stream: &mut TcpStream,
        bytes: &[u8],
    ) -> Result<(), Stop> {
        match fault {
            Some(Fault::Fragments) => {
                for byte in bytes {
                    stream.write_all(&[*byte])?;
                    thread::yield_now();
                }
            }
            Some(Fault::Twice) => stream.write_all(&bytes.repeat(2))?,
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

/// A fault and the phase of its protocol in which it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Script<P, F> {
    /// The phase.
    pub phase: P,
    /// Times that the phase passes well before.
    pub after: u32,
    /// What happens then.
    pub fault: F,
}

impl<P: Copy + PartialEq, F: Copy> Script<P, F> {
    /// A fault at the first time that a phase comes.
    pub const fn first(phase: P, fault: F) -> Self {
        Script {
            phase,
            after: 0,
            fault,
        }
    }

    /// The fault if it is the time for it in this phase; `times` counts how often the phase has passed well.
    pub(crate) fn due(&self, phase: P, times: &mut u32) -> Option<F> {
        if self.phase != phase {
            return None;
        }
        if *times < self.after {
            *times += 1;
            return None;
        }
        Some(self.fault)
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
