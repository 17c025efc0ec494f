//! A connection of lines that end with CR LF, and all that was received on it.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};

use crate::patience::connect;

/// A connection to a port of a server.
#[derive(Debug)]
pub struct Wire {
    stream: TcpStream,
    pub received: Vec<u8>,
    /// How many of them were given as lines.
    given: usize,
}

impl Wire {
    pub const fn of(stream: TcpStream) -> Wire {
        Wire {
            stream,
            received: Vec::new(),
            given: 0,
        }
    }

    /// Connects to a server of this machine that may still be starting.
    pub fn to(port: u16) -> Wire {
        Wire::of(connect(port).expect("a connection"))
    }

    /// The next line, without its CR LF.
    pub fn line(&mut self) -> io::Result<String> {
        loop {
            let rest = &self.received[self.given..];
            if let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
                let line = String::from_utf8_lossy(&rest[..end]).into_owned();
                self.given += end + 2;
                return Ok(line);
            }
            if self.read()?.is_empty() {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// What the next read of the socket gives; nothing is the end.
    pub fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut space = [0; 4096];
        let n = self.stream.read(&mut space)?;
        self.received.extend_from_slice(&space[..n]);
        Ok(space[..n].to_vec())
    }

    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// Sends a line, or fails the test.
    pub fn say(&mut self, line: &str) {
        self.send(format!("{line}\r\n").as_bytes())
            .expect("a server that listens");
    }

    /// Reads a line that must begin so; gives the rest of it.
    pub fn expect(&mut self, start: &str) -> String {
        let line = self
            .line()
            .unwrap_or_else(|e| panic!("{start} was due: {e}"));
        let rest = line.strip_prefix(start);
        rest.unwrap_or_else(|| panic!("{start} was due, not {line}"))
            .to_owned()
    }

    /// Reads a line that must be this.
    pub fn expect_line(&mut self, line: &str) {
        assert_eq!(self.expect(line), "", "after {line}");
    }

    /// Whether nothing has come, not even the end, that is not read.
    pub fn is_quiet(&mut self) -> bool {
        self.stream.set_nonblocking(true).expect("an option");
        let peeked = self.stream.peek(&mut [0]);
        self.stream.set_nonblocking(false).expect("an option");
        self.received.len() == self.given
            && peeked.is_err_and(|e| e.kind() == ErrorKind::WouldBlock)
    }

    /// Sends nothing more, and reads until the server closes too. Gives whether it closed cleanly.
    pub fn close(mut self) -> (Vec<u8>, bool) {
        let _ = self.stream.shutdown(Shutdown::Write);
        let mut rest = Vec::new();
        let clean = self.stream.read_to_end(&mut rest).is_ok();
        self.received.append(&mut rest);
        (self.received, clean)
    }

    /// Reads until the server closes, and closes then. Gives all that was received, and whether the
    /// server closed cleanly.
    pub fn close_after_server(mut self) -> (Vec<u8>, bool) {
        let mut rest = Vec::new();
        let clean = self.stream.read_to_end(&mut rest).is_ok();
        self.received.append(&mut rest);
        (self.received, clean)
    }

    pub fn stream(&mut self) -> &mut TcpStream {
        &mut self.stream
    }
}
