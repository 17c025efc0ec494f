//! Evaluations by another program, at the other end of two pipes: fixed-size frames, see `models/SELF_PLAY.md`.

use std::io::{self, ErrorKind, Read, Write};

use models::Layout;

use super::batch::{Answers, Batch, Oracle, OracleError};

const VERSION: u32 = 1;
const HELLO: u32 = 0x4852_4b54;
const REQUEST: u32 = 0x5152_4b54;
const REPLY: u32 = 0x5052_4b54;
/// Bytes of the words that a frame begins with.
const HEAD: usize = 16;
/// Half of the games go on while the other half waits.
const SLOTS: usize = 2;

pub struct Pipe<R, W> {
    reader: R,
    writer: W,
    batch: usize,
    moves: usize,
    seats: usize,
    bytes: usize,
    /// Positions and moves of the batch in each slot.
    asked: [Option<(usize, usize)>; SLOTS],
    frame: Vec<u8>,
}

impl<R: Read, W: Write> Pipe<R, W> {
    /// Greets the other end.
    pub fn open(reader: R, writer: W, layout: &Layout, batch: usize) -> io::Result<Self> {
        let mut pipe = Self {
            reader,
            writer,
            batch,
            moves: Batch::slots(layout, batch),
            seats: layout.seats,
            bytes: layout.bytes(),
            asked: [None; SLOTS],
            frame: Vec::new(),
        };
        let hello = [
            HELLO,
            VERSION,
            layout.bytes() as u32,
            layout.policy as u32,
            layout.seats as u32,
            batch as u32,
            pipe.moves as u32,
            layout.version,
        ];
        let hello: Vec<u8> = hello.iter().flat_map(|word| word.to_le_bytes()).collect();
        pipe.writer.write_all(&hello)?;
        pipe.writer.flush()?;
        Ok(pipe)
    }
}

impl<R: Read, W: Write> Oracle for Pipe<R, W> {
    fn slots(&self) -> usize {
        SLOTS
    }

    fn submit(&mut self, slot: usize, batch: &Batch) -> Result<(), OracleError> {
        let (n, m) = (batch.len(), batch.moves.len());
        let frame = &mut self.frame;
        frame.clear();
        for word in [REQUEST, slot as u32, n as u32, m as u32] {
            frame.extend(word.to_le_bytes());
        }
        frame.extend(&batch.packed);
        let mut end = HEAD + (self.batch * self.bytes).next_multiple_of(4);
        frame.resize(end, 0);
        frame.extend(batch.ends.iter().flat_map(|end| end.to_le_bytes()));
        end += self.batch * 4;
        frame.resize(end, 0);
        frame.extend(batch.moves.iter().flat_map(|mv| mv.to_le_bytes()));
        end += self.moves * 2;
        frame.resize(end, 0);
        self.writer.write_all(frame).map_err(closed)?;
        self.writer.flush().map_err(closed)?;
        self.asked[slot % SLOTS] = Some((n, m));
        Ok(())
    }

    fn receive(&mut self, answers: &mut Answers) -> Result<usize, OracleError> {
        let length = HEAD + 4 * (self.moves + self.batch * self.seats);
        self.frame.resize(length, 0);
        self.reader.read_exact(&mut self.frame).map_err(closed)?;
        let (head, body) = self.frame.split_at(HEAD);
        let word = |i: usize| number(&head[4 * i..]) as usize;
        let (slot, n, m) = (word(1), word(2), word(3));
        let asked = self.asked.get_mut(slot).and_then(Option::take);
        if word(0) != REPLY as usize || asked != Some((n, m)) {
            let text = format!(
                "a reply to slot {slot} with {n} positions and {m} moves, which were not asked for"
            );
            return Err(io::Error::new(ErrorKind::InvalidData, text).into());
        }
        answers.logits.clear();
        answers.values.clear();
        let (logits, values) = body.split_at(4 * self.moves);
        answers.logits.extend(floats(&logits[..4 * m]));
        answers.values.extend(floats(&values[..4 * n * self.seats]));
        if answers.are_numbers() {
            Ok(slot)
        } else {
            Err(OracleError::NotNumbers)
        }
    }
}

/// The other end is gone: that is how it says that it wants no more games.
fn closed(error: io::Error) -> OracleError {
    match error.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => {
            OracleError::Closed
        }
        _ => OracleError::Pipe(error),
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes
        .first_chunk()
        .map_or(0, |word| u32::from_le_bytes(*word))
}

fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|word| f32::from_le_bytes(*word))
}
