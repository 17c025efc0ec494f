//! Bytes of tables and integers, and their reassembly from a stream.

use bytes::{Buf, BufMut, Bytes, BytesMut};

use super::card_table::{CELLS, COLUMNS, CardTable, cell};
use super::profile::Version;

/// Length of an integer message in bytes.
pub const INT_LEN: usize = 4;

/// What is wrong with received bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each error says what it is")]
pub enum WireError {
    /// More bytes are waiting than any honest peer sends ahead.
    #[error("{waiting} bytes wait unread, more than the limit of {limit}")]
    Overflow { waiting: usize, limit: usize },
    #[error("a message of {got} bytes where {want} were due")]
    Length { want: usize, got: usize },
    #[error("byte {byte:#04x} at digit {at} of a compact table is no hexadecimal digit")]
    Digit { at: usize, byte: u8 },
    /// A compact table names a cell that cannot hold the joker.
    #[error("a compact table puts the joker in cell {0}, but cells 0..75 hold cards")]
    JokerCell(u8),
}

/// Appends an integer message. Negative numbers become 0, but in version 20060.
pub fn encode_int(version: Version, value: i32, out: &mut BytesMut) {
    match version {
        Version::V20060 => out.put_i32_ne(value),
        Version::V20070 | Version::V20140 => out.put_i32(value.max(0)),
    }
}

/// Appends a table message. Negative numbers become 0, but in version 20060. The compact version
/// 20140 carries cards, flags and row 6 only, each digit the low four bits of its number.
pub fn encode_table(version: Version, table: &CardTable, out: &mut BytesMut) {
    match version {
        Version::V20070 => put_cells(table, |value| value.max(0).to_be_bytes(), out),
        Version::V20060 => put_cells(table, i32::to_ne_bytes, out),
        Version::V20140 => encode_compact(table, out),
    }
}

/// Appends the cells of a table, all at once.
fn put_cells(table: &CardTable, bytes_of: impl Fn(i32) -> [u8; 4], out: &mut BytesMut) {
    let mut bytes = [[0; 4]; CELLS];
    for (four, value) in bytes.iter_mut().zip(table.iter()) {
        *four = bytes_of(value);
    }
    out.extend_from_slice(bytes.as_flattened());
}

/// A table message by itself: [`encode_table`] into a buffer of its own.
pub fn table_message(version: Version, table: &CardTable) -> Bytes {
    let mut out = BytesMut::new();
    encode_table(version, table, &mut out);
    out.freeze()
}

/// An integer message by itself: [`encode_int`] into a buffer of its own.
pub fn int_message(version: Version, value: i32) -> Bytes {
    let mut out = BytesMut::with_capacity(INT_LEN);
    encode_int(version, value, &mut out);
    out.freeze()
}

/// Reads an integer message of exactly [`INT_LEN`] bytes.
///
/// # Errors
/// [`WireError::Length`].
pub fn decode_int(version: Version, bytes: &[u8]) -> Result<i32, WireError> {
    let four = <[u8; 4]>::try_from(bytes).map_err(|_| WireError::Length {
        want: INT_LEN,
        got: bytes.len(),
    })?;
    Ok(match version {
        Version::V20060 => i32::from_ne_bytes(four),
        Version::V20070 | Version::V20140 => i32::from_be_bytes(four),
    })
}

/// Reads a table message of exactly [`Version::table_len`] bytes.
///
/// # Errors
/// [`WireError::Length`]; in version 20140 also [`WireError::Digit`] and [`WireError::JokerCell`].
pub fn decode_table(version: Version, bytes: &[u8]) -> Result<CardTable, WireError> {
    if bytes.len() != version.table_len() {
        return Err(WireError::Length {
            want: version.table_len(),
            got: bytes.len(),
        });
    }
    if version == Version::V20140 {
        return decode_compact(bytes);
    }
    let mut cells = [0; CELLS];
    for (value, four) in cells.iter_mut().zip(bytes.chunks_exact(4)) {
        *value = decode_int(version, four)?;
    }
    Ok(CardTable::from(cells))
}

/// Digit of [`cell::GIVE`] is raised by 2, so that the poor's negative numbers fit.
const GIVE_OFFSET: i32 = 2;
/// Joker index of a table without the joker.
const NO_JOKER: u8 = 0xFF;

fn encode_compact(table: &CardTable, out: &mut BytesMut) {
    let mut digit = |value: i32| out.put_u8(b"0123456789ABCDEF"[(value & 0xF) as usize]);
    for column in 1..=13 {
        let suits = (0..4).filter(|&row| table.get(row, column) == 1);
        digit(suits.fold(0, |bits, row| bits | 1 << row));
    }
    let joker = table.marked(0..5).find(|&(_, value)| value == 2);
    let index = joker.map_or(i32::from(NO_JOKER), |((row, column), _)| {
        (row * COLUMNS + column) as i32
    });
    digit(index >> 4);
    digit(index);
    let pair = |high, low| 8_i32.wrapping_mul(high).wrapping_add(low);
    digit(pair(
        table[cell::DEAL],
        table[cell::GIVE].wrapping_add(GIVE_OFFSET),
    ));
    digit(pair(table[cell::MY_TURN], table[cell::TURN]));
    digit((0..4).fold(0, |bits, i| bits | i32::from(table.get(5, 4 + i) != 0) << i));
    for &value in table.row(6) {
        digit(value);
    }
}

fn decode_compact(bytes: &[u8]) -> Result<CardTable, WireError> {
    let mut digits = [0_i32; 33];
    for (at, (digit, &byte)) in digits.iter_mut().zip(bytes).enumerate() {
        let value = char::from(byte).to_digit(16);
        *digit = value.ok_or(WireError::Digit { at, byte })? as i32;
    }
    let mut table = CardTable::default();
    for column in 1..=13 {
        for row in 0..4 {
            table.set(row, column, digits[column - 1] >> row & 1);
        }
    }
    let joker = (digits[13] << 4 | digits[14]) as u8;
    if joker != NO_JOKER {
        let (row, column) = (usize::from(joker) / COLUMNS, usize::from(joker) % COLUMNS);
        if row > 4 {
            return Err(WireError::JokerCell(joker));
        }
        table.set(row, column, 2);
    }
    table[cell::DEAL] = digits[15] >> 3;
    table[cell::GIVE] = (digits[15] & 7) - GIVE_OFFSET;
    table[cell::MY_TURN] = digits[16] >> 3;
    table[cell::TURN] = digits[16] & 7;
    for i in 0..4 {
        table.set(5, 4 + i, digits[17] >> i & 1);
    }
    table.row_mut(6).copy_from_slice(&digits[18..]);
    Ok(table)
}

/// Puts the bytes of a connection together again: bytes go in as they come, in any cuts, and
/// whole messages come out. Holds at most `limit` bytes.
#[derive(Clone, Debug)]
pub struct FrameReader {
    waiting: BytesMut,
    limit: usize,
}

impl FrameReader {
    /// Room for eight tables: more than an honest peer ever sends ahead of the other side.
    pub const DEFAULT_LIMIT: usize = 8 * 4 * CELLS;

    /// A reader that holds at most `limit` bytes.
    pub fn new(limit: usize) -> FrameReader {
        FrameReader {
            waiting: BytesMut::new(),
            limit,
        }
    }

    /// Takes in bytes.
    ///
    /// # Errors
    /// [`WireError::Overflow`] when more than `limit` bytes would wait; none is then taken in.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), WireError> {
        let waiting = self.waiting.len().saturating_add(bytes.len());
        if waiting > self.limit {
            return Err(WireError::Overflow {
                waiting,
                limit: self.limit,
            });
        }
        self.waiting.extend_from_slice(bytes);
        Ok(())
    }

    /// Bytes that wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The next bytes to come out, without taking them.
    pub fn peek(&self) -> &[u8] {
        &self.waiting
    }

    /// Takes out a table, or `None` while it is incomplete.
    ///
    /// # Errors
    /// As [`decode_table`]; the bytes of the bad table are taken out, so that the next message
    /// can be read.
    pub fn take_table(&mut self, version: Version) -> Result<Option<CardTable>, WireError> {
        let len = version.table_len();
        if self.waiting.len() < len {
            return Ok(None);
        }
        let table = decode_table(version, &self.waiting[..len]);
        self.waiting.advance(len);
        table.map(Some)
    }

    /// Takes out an integer, or `None` while it is incomplete.
    pub fn take_int(&mut self, version: Version) -> Option<i32> {
        let value = decode_int(version, self.waiting.get(..INT_LEN)?).ok();
        self.waiting.advance(INT_LEN);
        value
    }
}

impl Default for FrameReader {
    /// A reader with [`FrameReader::DEFAULT_LIMIT`].
    fn default() -> FrameReader {
        FrameReader::new(FrameReader::DEFAULT_LIMIT)
    }
}
