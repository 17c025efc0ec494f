//! The table of all values: its file, and looking positions up in it.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use flate2::Compression;
use flate2::Crc;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use games::dobutsu::{Board, MOST_MOVES, Move, MoveList, Position, Variant};

use super::bits::share;
use super::value::{DRAW, FAR, NEAR};
use super::{Index, Material, Value};
use crate::{data, whole_file};

const FILE: &str = "dobutsu.table";
/// The first bytes of the file, and the version of all that follows.
const MAGIC: &[u8; 16] = b"taikyoku-dobutsu";
const VERSION: u32 = 1;
const BLOCK: usize = 1 << 16;
/// Bytes of the head before the blocks are listed.
const HEAD: usize = 32;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{}: there is no table: `dobutsu-solve --table {}` makes one in about a minute", path.display(), folder.display())]
    Absent { path: PathBuf, folder: PathBuf },
    #[error("{}: {reason}: `dobutsu-solve` makes a new one", path.display())]
    Broken { path: PathBuf, reason: &'static str },
    #[error("the folder for data of the user is not known: give --table DIR")]
    NoFolder,
}

/// The folder of the table where none is given: `taikyoku/dobutsu` in the user's folder for data.
///
/// # Errors
/// If the environment names no such folder.
pub fn default_folder() -> Result<PathBuf, TableError> {
    let data = data::of_user().ok_or(TableError::NoFolder)?;
    Ok(data.join("dobutsu"))
}

/// All values of a solved game. Blocks of the file are unpacked when a value in them is first asked for.
pub struct Table {
    index: Index,
    file: Vec<u8>,
    /// Where each block ends in the file, after where the first one begins.
    ends: Vec<usize>,
    blocks: Vec<OnceLock<Box<[u8]>>>,
    whole: OnceLock<Vec<u8>>,
}

impl Table {
    /// Writes the values of a solved game into a folder, which is made if need be, on so many threads. The file is there
    /// whole or not at all. Returns its length in bytes.
    pub fn write(
        folder: &Path,
        index: &Index,
        values: &[u8],
        threads: usize,
    ) -> Result<u64, TableError> {
        let blocks: Vec<&[u8]> = values.chunks(BLOCK).collect();
        let packed = share(threads, blocks.len(), |block| pack(blocks[block]));
        let mut head = Vec::with_capacity(HEAD + 8 * packed.len() + 4);
        head.extend_from_slice(MAGIC);
        head.extend_from_slice(&VERSION.to_le_bytes());
        let Material {
            giraffes,
            elephants,
            chicks,
        } = index.material();
        head.extend_from_slice(&[giraffes, elephants, chicks, 0]);
        head.extend_from_slice(&(BLOCK as u32).to_le_bytes());
        head.extend_from_slice(&index.len().to_le_bytes());
        for block in &packed {
            head.extend_from_slice(&(block.len() as u32).to_le_bytes());
            head.extend_from_slice(&sum(block).to_le_bytes());
        }
        head.extend_from_slice(&sum(&head).to_le_bytes());
        let path = folder.join(FILE);
        let write = || {
            fs::create_dir_all(folder)?;
            whole_file::save(&path, |file| {
                file.write_all(&head)?;
                packed.iter().try_for_each(|block| file.write_all(block))
            })
        };
        write().map_err(|error| TableError::File { path, error })?;
        let blocks: usize = packed.iter().map(Vec::len).sum();
        Ok((head.len() + blocks) as u64)
    }

    /// Finds out whether a table can be written into a folder, which is made if need be: solving takes about a minute.
    pub fn try_folder(folder: &Path) -> Result<(), TableError> {
        let path = folder.join(FILE);
        let place = fs::create_dir_all(folder).and_then(|()| whole_file::try_place(&path));
        place.map_err(|error| TableError::File { path, error })
    }

    /// Opens the table in a folder. All of the file is read and checked, nothing is unpacked.
    ///
    /// # Errors
    /// If there is none, or it is damaged or of another version.
    pub fn open(folder: &Path) -> Result<Table, TableError> {
        let path = folder.join(FILE);
        let file = fs::read(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => TableError::Absent {
                path: path.clone(),
                folder: folder.to_owned(),
            },
            _ => TableError::File {
                path: path.clone(),
                error,
            },
        })?;
        Self::read(file).map_err(|reason| TableError::Broken { path, reason })
    }

    fn read(file: Vec<u8>) -> Result<Table, &'static str> {
        const SHORT: &str = "the file is cut off";
        let number = |at: usize| -> Result<u32, &'static str> {
            let bytes = file.get(at..at + 4).ok_or(SHORT)?;
            Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
        };
        if !file.starts_with(MAGIC) {
            return Err("the file is no table of Dobutsu shogi");
        }
        if number(16)? != VERSION {
            return Err("the table is of another version");
        }
        let head = file.get(..HEAD).ok_or(SHORT)?;
        let [giraffes, elephants, chicks] = [head[20], head[21], head[22]];
        if [giraffes, elephants, chicks].iter().any(|&count| count > 2) || head[23] != 0 {
            return Err("the head is damaged");
        }
        let index = Index::new(Material {
            giraffes,
            elephants,
            chicks,
        });
        if number(24)? as usize != BLOCK || number(28)? != index.len() {
            return Err("the head is damaged");
        }
        let count = (index.len() as usize).div_ceil(BLOCK);
        let end = HEAD + 8 * count;
        if number(end)? != sum(&file[..end]) {
            return Err("the head is damaged");
        }
        let mut end = end + 4;
        let mut ends = Vec::with_capacity(count + 1);
        ends.push(end);
        for block in 0..count {
            let begin = end;
            end += number(HEAD + 8 * block)? as usize;
            if sum(file.get(begin..end).ok_or(SHORT)?) != number(HEAD + 8 * block + 4)? {
                return Err("a block is damaged");
            }
            ends.push(end);
        }
        if end < file.len() {
            return Err("there is something behind the last block");
        }
        let blocks = (0..count).map(|_| OnceLock::new()).collect();
        Ok(Table {
            index,
            file,
            ends,
            blocks,
            whole: OnceLock::new(),
        })
    }

    /// All values by number, see [`Value::from_byte`]: unpacked on so many threads when this is called for the first
    /// time, and kept, a byte for each number. Looking positions up is quicker afterwards.
    pub fn values(&self, threads: usize) -> &[u8] {
        self.whole.get_or_init(|| self.unpack_all(threads))
    }

    fn unpack_all(&self, threads: usize) -> Vec<u8> {
        let length = self.index.len() as usize;
        let values: Vec<AtomicU8> = (0..length).map(|_| AtomicU8::new(FAR)).collect();
        let blocks: Vec<&[AtomicU8]> = values.chunks(BLOCK).collect();
        share(threads, blocks.len(), |block| {
            for (value, byte) in blocks[block].iter().zip(self.unpack(block)) {
                value.store(byte, Relaxed);
            }
        });
        // Lost positions stay as they are meanwhile, and of others nothing is asked.
        let at = |number: u32| values[number as usize].load(Relaxed);
        share(threads, blocks.len(), |block| {
            for (value, number) in blocks[block].iter().zip((block * BLOCK) as u32..) {
                if value.load(Relaxed) == FAR {
                    value.store(self.far_win(&self.index.unrank(number), at), Relaxed);
                }
            }
        });
        values.into_iter().map(AtomicU8::into_inner).collect()
    }

    pub fn index(&self) -> &Index {
        &self.index
    }

    fn unpack(&self, block: usize) -> Box<[u8]> {
        let length = BLOCK.min(self.index.len() as usize - block * BLOCK);
        let packed = &self.file[self.ends[block]..self.ends[block + 1]];
        unpack(packed, length)
    }

    /// The byte of a number in the file, or its value if all are unpacked.
    #[inline]
    fn stored(&self, number: u32) -> u8 {
        if let Some(whole) = self.whole.get() {
            return whole[number as usize];
        }
        let block = number as usize / BLOCK;
        let values = self.blocks[block].get_or_init(|| self.unpack(block));
        values[number as usize % BLOCK]
    }

    /// The byte of a number below [`Index::len`], see [`Value::from_byte`].
    ///
    /// # Panics
    /// If the number is larger.
    #[inline]
    pub fn byte(&self, number: u32) -> u8 {
        match self.stored(number) {
            FAR => self.far_win(&self.index.unrank(number), |number| self.stored(number)),
            byte => byte,
        }
    }

    /// The byte of a won board, from those of the lost ones that its moves lead to.
    fn far_win(&self, board: &Board, at: impl Fn(u32) -> u8) -> u8 {
        let mut least = FAR;
        board.each_after(|child| {
            if Value::at_once(&child).is_none() {
                let byte = at(self.index.rank(&child));
                if byte.is_multiple_of(2) && byte != DRAW {
                    least = least.min(byte);
                }
            }
        });
        assert!(least < FAR, "a move of a won position leads to a lost one");
        least + 1
    }

    /// The value of a board for its mover; `None` if it has other pieces than the game, or the game never comes to
    /// it.
    #[inline]
    pub fn board_value(&self, board: &Board) -> Option<Value> {
        Value::at_once(board).or_else(|| {
            let known = self.index.has(board);
            known.then(|| match self.stored(self.index.rank(board)) {
                FAR => Some(Value::Win(
                    self.far_win(board, |number| self.stored(number)),
                )),
                byte => Value::from_byte(byte),
            })?
        })
    }

    /// The value of a position for the seat to move, without regard to positions before it; `None` under other
    /// rules than those of tournaments, and as for [`Table::board_value`].
    #[inline]
    pub fn value(&self, position: &Position) -> Option<Value> {
        let usual = position.variant() == Variant::default();
        usual.then(|| self.board_value(position.board()))?
    }

    /// Clears `out` and fills it with the legal moves and their values for the seat to move, in the order of
    /// [`Position::legal_moves`]. Where the lion can be captured, moves that no game is played on with, and whose
    /// values are not known, are left out. Returns whether the value of the position is known; the list is empty
    /// otherwise, and when the game is over.
    pub fn moves(&self, position: &Position, out: &mut Vec<(Move, Value)>) -> bool {
        out.clear();
        if self.value(position).is_none() {
            return false;
        }
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        // All numbers first: then the memory is asked for all values at once.
        let mut after = [(None, 0); MOST_MOVES];
        for (&mv, (value, number)) in moves.iter().zip(&mut after) {
            let board = position.board().after(position.framed(mv));
            *value = Value::at_once(&board);
            if value.is_none() {
                *number = self.index.rank(&board);
            }
        }
        for (&mv, (value, number)) in moves.iter().zip(after) {
            let value = value.or_else(|| Value::from_byte(self.byte(number)));
            out.extend(value.map(|value| (mv, value.before())));
        }
        true
    }

    /// The line of best play from a position, first moves first among equal ones: to the end of the game, or, in a draw,
    /// until a position comes again. Empty if the value is not known.
    pub fn line(&self, position: &Position) -> Vec<Move> {
        let mut position = *position;
        let (mut line, mut moves) = (Vec::new(), Vec::new());
        let mut seen = HashSet::new();
        while self.moves(&position, &mut moves) && seen.insert(position) {
            // The first of the best ones.
            let Some(&(mv, _)) = moves.iter().rev().max_by_key(|(_, value)| *value) else {
                break;
            };
            line.push(mv);
            position.play_unchecked(mv);
        }
        line
    }
}

fn sum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

fn pack(values: &[u8]) -> Vec<u8> {
    let is_far = |byte: u8| NEAR < byte && byte < FAR && byte % 2 == 1;
    let stored: Vec<u8> = values
        .iter()
        .map(|&byte| if is_far(byte) { FAR } else { byte })
        .collect();
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(&stored)
        .and_then(|()| encoder.finish())
        .expect("a vector takes all bytes")
}

fn unpack(packed: &[u8], length: usize) -> Box<[u8]> {
    let mut values = vec![0; length].into_boxed_slice();
    DeflateDecoder::new(packed)
        .read_exact(&mut values)
        .expect("a block whose checksum is right is whole");
    values
}
