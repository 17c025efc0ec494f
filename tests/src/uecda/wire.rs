//! The UECda wire format restated: tables of 8 x 15 and single integers, 32 bits, big endian.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Read, Write};

use sha2::{Digest, Sha256};

pub const ROWS: usize = 8;
pub const COLUMNS: usize = 15;
pub(super) const TABLE_BYTES: usize = ROWS * COLUMNS * 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table(pub [[i32; COLUMNS]; ROWS]);

impl Table {
    pub const EMPTY: Table = Table([[0; COLUMNS]; ROWS]);

    /// The table with ones in these cells.
    pub fn of(cells: &[(usize, usize)]) -> Table {
        let mut table = Table::EMPTY;
        for &(row, column) in cells {
            table.0[row][column] = 1;
        }
        table
    }

    pub fn bytes(&self) -> Vec<u8> {
        let cells = self.0.iter().flatten();
        cells.flat_map(|cell| cell.to_be_bytes()).collect()
    }

    pub fn from_bytes(bytes: &[u8; TABLE_BYTES]) -> Table {
        let mut table = Table::EMPTY;
        for (cell, four) in table.0.iter_mut().flatten().zip(bytes.chunks_exact(4)) {
            *cell = i32::from_be_bytes([four[0], four[1], four[2], four[3]]);
        }
        table
    }

    /// Cells of rows 0 to 3 and columns 1 to 13 with a 1, by column and row.
    pub fn cards(&self) -> Vec<(usize, usize)> {
        let cells = (1..14).flat_map(|column| (0..4).map(move |row| (row, column)));
        cells
            .filter(|&(row, column)| self.0[row][column] == 1)
            .collect()
    }

    /// Whether a 2 is in any cell of rows 0 to 4.
    pub fn has_joker(&self) -> bool {
        self.0[..5].iter().flatten().any(|&cell| cell == 2)
    }
}

/// A connection that counts and hashes all that it receives.
#[derive(Debug)]
pub struct Wire<S> {
    pub stream: S,
    pub received: u64,
    /// Whether each message is taken with one read, and a short one is an error.
    pub is_strict: bool,
    hash: Sha256,
}

impl<S: Read + Write> Wire<S> {
    pub fn new(stream: S) -> Wire<S> {
        Wire {
            stream,
            received: 0,
            is_strict: false,
            hash: Sha256::new(),
        }
    }

    pub fn table(&mut self) -> io::Result<Table> {
        let mut bytes = [0; TABLE_BYTES];
        self.take(&mut bytes)?;
        Ok(Table::from_bytes(&bytes))
    }

    pub fn int(&mut self) -> io::Result<i32> {
        let mut bytes = [0; 4];
        self.take(&mut bytes)?;
        Ok(i32::from_be_bytes(bytes))
    }

    /// Sends a table with one write.
    pub fn send(&mut self, table: &Table) -> io::Result<()> {
        self.stream.write_all(&table.bytes())
    }

    /// SHA-256 of all that was received, in hexadecimal.
    pub fn digest(&self) -> String {
        hex(&self.hash.clone().finalize())
    }

    fn take(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        if self.is_strict {
            let read = self.stream.read(bytes)?;
            if (1..bytes.len()).contains(&read) {
                let short = format!("read {read} of {} bytes", bytes.len());
                return Err(io::Error::new(ErrorKind::InvalidData, short));
            }
            if read == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        } else {
            self.stream.read_exact(bytes)?;
        }
        self.received += bytes.len() as u64;
        self.hash.update(&*bytes);
        Ok(())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
