//! The server's end of one client's connection.

use std::time::Duration;

use super::json::Malformed;
use super::message::{ClientMessage, ErrorCode, ServerMessage};
use crate::line::{Line, LineEnd, LineReader};

/// Longest line of a client in bytes, without its end.
pub const LINE_LIMIT: usize = 4096;

/// A line that is no message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What it is about.
    pub code: ErrorCode,
    /// A sentence for people.
    pub message: String,
    /// The line as well as it can be written, shortened; for logs.
    pub sent: String,
}

/// Longest part of a line that is kept in a [`Fault`], in bytes.
const MOST_KEPT: usize = 200;

/// Bytes and lines of one client, without input, output and clocks.
///
/// Feed every byte to [`ServerEnd::receive`] and take messages with [`ServerEnd::next_message`] until
/// it gives `None`. Messages to the client go through [`ServerEnd::send`], which also keeps account of
/// how much the client may send.
///
/// ```
/// use std::time::Duration;
/// use taikyoku_protocol::native::{ClientMessage, ErrorCode, ServerEnd};
///
/// let now = Duration::ZERO;
/// let mut end = ServerEnd::default();
/// end.receive(b"{\"type\":\"re", now);
/// assert_eq!(end.next_message(now), None);
/// end.receive(b"sign\"}\nhello?\n", now);
/// assert_eq!(end.next_message(now), Some(Ok(ClientMessage::Resign)));
/// let fault = end.next_message(now).unwrap().unwrap_err();
/// assert_eq!(fault.code, ErrorCode::Malformed);
/// ```
#[derive(Clone, Debug)]
pub struct ServerEnd {
    lines: LineReader,
    rate: RateLimit,
    /// Whether the rate limit was passed, and whether that was told.
    flood: bool,
    told: bool,
}

impl Default for ServerEnd {
    fn default() -> ServerEnd {
        ServerEnd {
            lines: LineReader::new(LineEnd::Lf, LINE_LIMIT),
            rate: RateLimit::default(),
            flood: false,
            told: false,
        }
    }
}

impl ServerEnd {
    /// Takes in bytes of the client, in any cuts.
    pub fn receive(&mut self, bytes: &[u8], now: Duration) {
        // A line that never ends is never counted as a line.
        if self.lines.is_dropping() {
            self.flood |= !self.rate.spend(bytes.len(), now);
        }
        if !self.flood {
            self.lines.push(bytes);
        }
    }

    /// Bytes taken in and not given as a message yet.
    pub fn waiting(&self) -> usize {
        self.lines.waiting()
    }

    /// The next message, or what is wrong with the line; `None` until more bytes come. Empty lines
    /// are passed over. [`ErrorCode::Rate`] is the last: the connection is to be closed then.
    pub fn next_message(&mut self, now: Duration) -> Option<Result<ClientMessage, Fault>> {
        if self.told {
            return None;
        }
        while !self.flood {
            let (line, cost) = match self.lines.next_line()? {
                Line::TooLong => (None, LINE_LIMIT),
                Line::Text(line) => (Some(line), line.len()),
            };
            if !self.rate.take(cost, now) {
                self.flood = true;
                break;
            }
            match line {
                Some([]) => {}
                Some(line) => return Some(ClientMessage::parse(line).map_err(|e| fault(&e, line))),
                None => {
                    return Some(Err(Fault {
                        code: ErrorCode::TooLong,
                        message: format!("the line is longer than {LINE_LIMIT} bytes"),
                        sent: String::new(),
                    }));
                }
            }
        }
        self.told = true;
        Some(Err(Fault {
            code: ErrorCode::Rate,
            message: "more was sent than the rate limit allows".to_owned(),
            sent: String::new(),
        }))
    }

    /// The line to send. Every request for a move pays for two lines of the client.
    pub fn send(&mut self, message: &ServerMessage) -> String {
        if let ServerMessage::Request { .. } = message {
            self.rate.asked();
        }
        message.to_line()
    }
}

fn fault(malformed: &Malformed, line: &[u8]) -> Fault {
    Fault {
        code: match malformed {
            Malformed::TooDeep => ErrorCode::TooDeep,
            Malformed::UnknownType(_) => ErrorCode::UnknownType,
            _ => ErrorCode::Malformed,
        },
        message: malformed.to_string(),
        sent: String::from_utf8_lossy(&line[..line.len().min(MOST_KEPT)]).into_owned(),
    }
}

/// What each line costs at least; a longer one costs its bytes.
pub const LINE_COST: usize = 256;
/// What may be spent at once: 256 short lines.
pub const BURST: usize = 64 * 1024;
/// What comes back in a second: 64 short lines.
pub const PER_SECOND: usize = 16 * 1024;

/// A bucket of credits: lines take from it, time and requests of the server fill it.
///
/// ```
/// use std::time::Duration;
/// use taikyoku_protocol::native::{BURST, LINE_COST, RateLimit};
///
/// let mut rate = RateLimit::default();
/// let second = Duration::from_secs(1);
/// assert!((0..BURST / LINE_COST).all(|_| rate.take(10, second)));
/// assert!(!rate.take(10, second));
/// assert!(rate.take(10, 2 * second));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateLimit {
    burst: usize,
    per_second: usize,
    credit: usize,
    last: Option<Duration>,
}

impl Default for RateLimit {
    fn default() -> RateLimit {
        RateLimit::new(BURST, PER_SECOND)
    }
}

impl RateLimit {
    /// A limit of `burst` credits at once, of which `per_second` come back in a second.
    pub const fn new(burst: usize, per_second: usize) -> RateLimit {
        RateLimit {
            burst,
            per_second,
            credit: burst,
            last: None,
        }
    }

    /// Takes what a line of so many bytes costs; gives whether there was enough.
    pub fn take(&mut self, bytes: usize, now: Duration) -> bool {
        self.spend(bytes.max(LINE_COST), now)
    }

    /// Takes `cost` credits and returns true, or takes none and returns false if there are fewer.
    pub fn spend(&mut self, cost: usize, now: Duration) -> bool {
        self.fill(now);
        let enough = cost <= self.credit;
        self.credit -= if enough { cost } else { 0 };
        enough
    }

    /// The time from the last call until there are `cost` credits.
    pub fn wait(&self, cost: usize) -> Duration {
        let missing = cost.saturating_sub(self.credit);
        Duration::from_secs_f64(missing as f64 / self.per_second as f64)
    }

    /// Whether all credits are there.
    pub fn is_full(&mut self, now: Duration) -> bool {
        self.fill(now);
        self.credit == self.burst
    }

    fn fill(&mut self, now: Duration) {
        let last = *self.last.get_or_insert(now);
        let micros = now.saturating_sub(last).as_micros();
        let more = micros * self.per_second as u128 / 1_000_000;
        if more > 0 {
            self.last = Some(now);
            let most = self.burst - self.credit;
            self.credit += usize::try_from(more).map_or(most, |more| more.min(most));
        }
    }

    /// Credits two lines: the server has asked for a move.
    pub fn asked(&mut self) {
        self.credit = (self.credit + 2 * LINE_COST).min(self.burst);
    }
}
