//! The lines between a driver and the carrier of its work.

use std::io;

use serde::Serialize;
use serde::de::{Deserialize, DeserializeOwned};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite,
    AsyncWriteExt as _, BufReader,
};

use super::{Piece, Reply, Request};

/// Longest line from a carrier, in bytes.
pub const LONGEST_LINE: u64 = 64 << 20;

/// Gives out pieces of work and takes their results.
pub trait Driver: Sync {
    /// What a worker must agree with.
    type Contest: Serialize + Send;
    /// The work of a piece.
    type Work: Serialize + Send;
    /// A line that a worker writes.
    type Line: DeserializeOwned + Send;

    /// The contents of the first line.
    fn contest(&self) -> Self::Contest;

    /// The next piece, if one is to go out now.
    fn next(&self) -> Option<Piece<Self::Work>>;

    /// Waits until there may be a next piece.
    fn woken(&self) -> impl Future<Output = ()> + Send;

    /// Takes a line of the carrier.
    fn take(&self, reply: Reply<Self::Line>);
}

/// The pipes from and to a carrier.
#[derive(Debug)]
pub struct Pipes<R, W> {
    from: BufReader<R>,
    to: W,
    /// The line that is being read.
    line: Vec<u8>,
    has_begun: bool,
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin> Pipes<R, W> {
    /// Makes the pipes, before the first line.
    pub fn new(from: R, to: W) -> Pipes<R, W> {
        Pipes {
            from: BufReader::new(from),
            to,
            line: Vec::new(),
            has_begun: false,
        }
    }

    /// Exchanges lines with the carrier until it ends; returns why. It may be dropped between two pieces and called again.
    pub async fn exchange<D: Driver>(&mut self, driver: &D) -> io::Error {
        let contest = (!self.has_begun).then(|| Request::Contest(driver.contest()));
        self.has_begun = true;
        tokio::select! {
            ended = read(driver, &mut self.from, &mut self.line) => ended,
            ended = write(driver, contest, &mut self.to) => ended,
        }
    }
}

async fn write<D: Driver>(
    driver: &D,
    contest: Option<Request<D::Contest, D::Work>>,
    to: &mut (impl AsyncWrite + Unpin),
) -> io::Error {
    let mut next = contest.or_else(|| driver.next().map(Request::Piece));
    loop {
        while let Some(request) = next {
            let written = async {
                let mut line = serde_json::to_vec(&request)?;
                line.push(b'\n');
                to.write_all(&line).await?;
                to.flush().await
            };
            if let Err(e) = written.await {
                return e;
            }
            next = driver.next().map(Request::Piece);
        }
        driver.woken().await;
        next = driver.next().map(Request::Piece);
    }
}

/// The part that is read of a line which cannot be read as a whole.
#[derive(serde::Deserialize)]
struct PieceNumber {
    piece: u64,
}

async fn read<D: Driver>(
    driver: &D,
    from: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
) -> io::Error {
    let invalid = |text: String| io::Error::new(io::ErrorKind::InvalidData, text);
    loop {
        let mut bounded = (&mut *from).take(LONGEST_LINE - line.len() as u64);
        let read = match bounded.read_until(b'\n', line).await {
            Ok(0) => return io::ErrorKind::UnexpectedEof.into(),
            Ok(_) => std::mem::take(line),
            Err(e) => return e,
        };
        if read.last() != Some(&b'\n') {
            match (piece_of(&read), skip_line(from).await) {
                // A piece of fewer jobs has a shorter one.
                (Some(piece), Ok(true)) => {
                    let lost = format!("its line is longer than {LONGEST_LINE} bytes");
                    driver.take(Reply::Lost { piece, lost });
                    continue;
                }
                (_, Err(e)) => return e,
                _ => {
                    let text = format!("a line is torn, or longer than {LONGEST_LINE} bytes");
                    return invalid(text);
                }
            }
        }
        match serde_json::from_slice(&read) {
            Ok(reply) => driver.take(reply),
            // The fault may be that of one worker; another one can do the piece.
            Err(e) => match serde_json::from_slice(&read) {
                Ok(PieceNumber { piece }) => driver.take(Reply::Lost {
                    piece,
                    lost: format!("what came of it cannot be read: {e}"),
                }),
                Err(_) => return invalid(e.to_string()),
            },
        }
    }
}

/// The piece of a line that is too long to be read as a whole, if the line begins with it.
fn piece_of(line: &[u8]) -> Option<u64> {
    let rest = line.trim_ascii_start().strip_prefix(b"{")?;
    let rest = rest.trim_ascii_start().strip_prefix(b"\"piece\"")?;
    let rest = rest.trim_ascii_start().strip_prefix(b":")?;
    u64::deserialize(&mut serde_json::Deserializer::from_slice(rest)).ok()
}

/// Reads to the end of a line; returns whether it has one.
async fn skip_line(from: &mut (impl AsyncBufRead + Unpin)) -> io::Result<bool> {
    loop {
        let bytes = from.fill_buf().await?;
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let read = end.map_or(bytes.len(), |end| end + 1);
        if read == 0 {
            return Ok(false);
        }
        from.consume(read);
        if end.is_some() {
            return Ok(true);
        }
    }
}
