//! An open connection and what wakes its client.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::stream::Stream;

/// How long a server that answers at once may say nothing before people are told: perhaps it speaks another protocol.
pub(crate) const UNTOLD: Duration = Duration::from_secs(3);
const READ_LEN: usize = 1 << 12;

/// What wakes a client.
#[derive(Debug)]
pub enum Input {
    /// Bytes of the connection with this number, and when they arrived.
    Bytes(u32, Instant, Vec<u8>),
    /// The connection with this number is of no more use.
    Lost(u32, Lost),
    /// The player has something to say.
    Player,
}

/// Why a connection is of no more use.
#[derive(Debug, thiserror::Error)]
pub enum Lost {
    /// The server closed it.
    #[error("the server closed the connection")]
    Closed,
    /// It broke.
    #[error("the connection broke: {0}")]
    Broken(#[from] io::Error),
    /// The server said nothing for too long.
    #[error("the server has said nothing for {} s", .0.as_secs_f64())]
    Silent(Duration),
}

/// Where connections and the player of a client send to.
#[derive(Debug)]
pub struct Inputs {
    sender: Sender<Input>,
    receiver: Receiver<Input>,
}

impl Default for Inputs {
    fn default() -> Inputs {
        let (sender, receiver) = channel();
        Inputs { sender, receiver }
    }
}

impl Inputs {
    /// For a connection that is read on a thread.
    pub(crate) fn sender(&self) -> Sender<Input> {
        self.sender.clone()
    }

    /// For the client's player.
    pub fn waker(&self) -> Waker {
        Waker(self.sender())
    }

    pub(crate) fn next(&self) -> Input {
        self.receiver.recv().expect("a sender is kept here")
    }

    /// Waits for the next input for so long.
    pub(crate) fn next_within(&self, within: Duration) -> Option<Input> {
        self.receiver.recv_timeout(within).ok()
    }
}

/// Wakes a client when its player has something to say.
#[derive(Clone, Debug)]
pub struct Waker(Sender<Input>);

impl Waker {
    /// Wakes it; gives whether it is still there.
    pub fn wake(&self) -> bool {
        self.0.send(Input::Player).is_ok()
    }
}

/// An open connection; it is closed with this.
pub(crate) struct Link {
    stream: Stream,
    number: u32,
    is_threaded: bool,
    timeout: Option<Duration>,
}

impl Link {
    /// A connection for a player: read on a thread of its own for one that wakes its client, and without a thread in
    /// between for one that says something only when it is asked.
    pub(crate) fn new(
        stream: impl Into<Stream>,
        number: u32,
        inputs: &Inputs,
        wakes: bool,
    ) -> Link {
        let stream = stream.into();
        if wakes {
            return Link::threaded(stream, number, inputs.sender());
        }
        Link {
            stream,
            number,
            is_threaded: false,
            timeout: None,
        }
    }

    /// A connection that is read on a thread of its own, beside whatever else goes to `inputs`.
    pub(crate) fn threaded(stream: Stream, number: u32, inputs: Sender<Input>) -> Link {
        let reader = stream.try_clone();
        thread::spawn(move || {
            let lost = match reader.and_then(|reader| forward(reader, number, &inputs)) {
                Ok(()) => Lost::Closed,
                Err(e) => Lost::Broken(e),
            };
            // The client may have ended.
            let _ = inputs.send(Input::Lost(number, lost));
        });
        Link {
            stream,
            number,
            is_threaded: true,
            timeout: None,
        }
    }

    /// Its number among the connections of its client.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    pub(crate) fn close(&self) {
        self.stream.close();
    }

    /// Sends a message with one call, unless the system has no room for it.
    pub(crate) fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.stream.write_all(message)
    }

    /// Waits for the next input of this connection or of the player; `None` if none has come in the time `within`.
    pub(crate) fn next(&mut self, inputs: &Inputs, within: Option<Duration>) -> Option<Input> {
        let deadline = within.map(|within| Instant::now() + within);
        loop {
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            let input = match left {
                Some(Duration::ZERO) => return None,
                _ if !self.is_threaded => self.read(left)?,
                Some(left) => inputs.next_within(left)?,
                None => inputs.next(),
            };
            match input {
                Input::Bytes(number, ..) | Input::Lost(number, _) if number != self.number => {}
                input => return Some(input),
            }
        }
    }

    fn read(&mut self, within: Option<Duration>) -> Option<Input> {
        if within != self.timeout {
            if let Err(e) = self.stream.set_read_timeout(within) {
                return Some(Input::Lost(self.number, e.into()));
            }
            self.timeout = within;
        }
        let mut bytes = [0; READ_LEN];
        loop {
            match self.stream.read(&mut bytes) {
                Ok(0) => return Some(Input::Lost(self.number, Lost::Closed)),
                Ok(n) => {
                    let bytes = bytes[..n].to_vec();
                    return Some(Input::Bytes(self.number, Instant::now(), bytes));
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    // Without a time-out of our own it is the system that has given the connection up.
                    return within.is_none().then(|| Input::Lost(self.number, e.into()));
                }
                Err(e) => return Some(Input::Lost(self.number, e.into())),
            }
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // The reading thread ends with it.
        self.close();
    }
}

fn forward(mut stream: Stream, number: u32, inputs: &Sender<Input>) -> io::Result<()> {
    let mut bytes = [0; READ_LEN];
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return Ok(()),
            Ok(n) => {
                let input = Input::Bytes(number, Instant::now(), bytes[..n].to_vec());
                if inputs.send(input).is_err() {
                    return Ok(());
                }
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}
