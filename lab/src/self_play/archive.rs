//! A file of games, to which games are added.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::Record;

/// What a file of games begins with; the name of the game follows in 16 bytes, filled up with zeros.
const MAGIC: [u8; 8] = *b"TKGAMES1";
const HEADER: usize = 24;
/// Most bytes of a game: more than any has, so that a length of chance bytes is seen to be one.
const LONGEST: usize = 1 << 22;

/// Why a file of games cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("{path}: {error}")]
    Io { path: PathBuf, error: io::Error },
    #[error("{0} is not a file of games of this program; choose another name")]
    Other(PathBuf),
    #[error("{path} holds games of {found}, not of {wanted}")]
    Game {
        path: PathBuf,
        found: String,
        wanted: String,
    },
    #[error(
        "{path} is damaged at byte {offset}, and whole games follow; keep a copy, and `truncate --size={offset} FILE` \
         to go on with the games before it"
    )]
    Damaged { path: PathBuf, offset: usize },
    #[error("{0} is being written by another program; wait for it, or choose another file")]
    Busy(PathBuf),
}

/// A file of games that this program adds to. A game is one write: a program that is killed leaves at most one
/// torn game at the end, and the next program that opens the file cuts it off.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    file: File,
    /// Bytes of the header and the whole games.
    end: u64,
    ids: HashSet<u64>,
    bytes: Vec<u8>,
}

impl Archive {
    /// Opens a file to add games to it, and makes it if there is none.
    ///
    /// # Errors
    /// It cannot be written, is of another kind or game or damaged, or somebody writes to it.
    pub fn open(path: &Path, game: &str) -> Result<Self, ArchiveError> {
        let io = |error| ArchiveError::Io {
            path: path.to_owned(),
            error,
        };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(io)?;
        if file.try_lock().is_err() {
            return Err(ArchiveError::Busy(path.to_owned()));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let mut ids = HashSet::new();
        let header = header(game);
        let end = if bytes.len() < HEADER && header.starts_with(&bytes) {
            file.set_len(0).map_err(io)?;
            file.seek(SeekFrom::Start(0)).map_err(io)?;
            file.write_all(&header).map_err(io)?;
            HEADER
        } else {
            check(path, &bytes, game)?;
            let mut games = Games::after_header(&bytes);
            ids.extend(games.by_ref().map(|record| record.id));
            games.end(path)?
        };
        let end = end as u64;
        file.set_len(end).map_err(io)?;
        file.seek(SeekFrom::Start(end)).map_err(io)?;
        Ok(Self {
            path: path.to_owned(),
            file,
            end,
            ids,
            bytes: Vec::new(),
        })
    }

    /// Whether it holds a game of this number.
    pub fn contains(&self, id: u64) -> bool {
        self.ids.contains(&id)
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Adds a game, as a whole or not at all.
    ///
    /// # Errors
    /// It cannot be written; the file is then as it was before.
    pub fn add(&mut self, record: &Record) -> Result<(), ArchiveError> {
        self.bytes.clear();
        self.bytes.extend([0; 4]);
        record.write(&mut self.bytes);
        let body = &self.bytes[4..];
        let (length, sum) = (body.len() as u32, checksum(body));
        self.bytes[..4].copy_from_slice(&length.to_le_bytes());
        self.bytes.extend(sum.to_le_bytes());
        if let Err(error) = self.file.write_all(&self.bytes) {
            // What is left of it would lie before the next game. If that fails too, the next who opens the file cuts it.
            let cut = self.file.set_len(self.end);
            if let Err(error) = cut.and_then(|()| self.file.seek(SeekFrom::Start(self.end))) {
                log::warn!("{}: {error}", self.path.display());
            }
            return Err(ArchiveError::Io {
                path: self.path.clone(),
                error,
            });
        }
        self.end += self.bytes.len() as u64;
        self.ids.insert(record.id);
        Ok(())
    }

    /// Reads all whole games of a file, in their order in it; the last may be being written.
    ///
    /// # Errors
    /// It cannot be read, is of another kind or game, or is damaged.
    pub fn read(path: &Path, game: &str) -> Result<Vec<Record>, ArchiveError> {
        let bytes = std::fs::read(path).map_err(|error| ArchiveError::Io {
            path: path.to_owned(),
            error,
        })?;
        check(path, &bytes, game)?;
        let mut games = Games::after_header(&bytes);
        let records = games.by_ref().collect();
        games.end(path)?;
        Ok(records)
    }
}

fn header(game: &str) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    for (byte, letter) in header[8..].iter_mut().zip(game.bytes()) {
        *byte = letter;
    }
    header
}

fn name(bytes: &[u8]) -> Option<String> {
    let name = bytes.get(..HEADER)?.strip_prefix(&MAGIC)?;
    let name = name.split(|&byte| byte == 0).next()?;
    Some(String::from_utf8_lossy(name).into_owned())
}

fn check(path: &Path, bytes: &[u8], game: &str) -> Result<(), ArchiveError> {
    let found = name(bytes).ok_or_else(|| ArchiveError::Other(path.to_owned()))?;
    if found == game {
        Ok(())
    } else {
        Err(ArchiveError::Game {
            path: path.to_owned(),
            found,
            wanted: game.to_owned(),
        })
    }
}

/// The games of a file: length u32, the [`Record`], its checksum u32. Ends at the first that is not whole.
struct Games<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Games<'a> {
    const fn after_header(bytes: &'a [u8]) -> Self {
        Self { bytes, at: HEADER }
    }

    /// Where the whole games end, once they have been read. Behind that there may be what is left of one game that was
    /// not written to its end: it would reach to the end of the file, or is zeros where a machine lost its power.
    fn end(&self, path: &Path) -> Result<usize, ArchiveError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let reaches = rest
            .first_chunk()
            .is_none_or(|length| u32::from_le_bytes(*length) as usize + 8 >= rest.len());
        let is_torn = reaches || rest.iter().all(|&byte| byte == 0);
        // Its length may be what is damaged.
        if is_torn && (1..rest.len()).all(|at| game_at(&rest[at..]).is_none()) {
            return Ok(self.at);
        }
        Err(ArchiveError::Damaged {
            path: path.to_owned(),
            offset: self.at,
        })
    }
}

/// The game that bytes begin with, if it is whole, and its length with all that belongs to it.
fn game_at(bytes: &[u8]) -> Option<(Record, usize)> {
    let (length, rest) = bytes.split_first_chunk()?;
    let length = u32::from_le_bytes(*length) as usize;
    let body = rest.get(..length).filter(|_| length <= LONGEST)?;
    let sum = rest[length..].first_chunk()?;
    if checksum(body) != u32::from_le_bytes(*sum) {
        return None;
    }
    Some((Record::read(body)?, length + 8))
}

impl Iterator for Games<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let (record, length) = game_at(self.bytes.get(self.at..)?)?;
        self.at += length;
        Some(record)
    }
}

/// FNV-1a of 32 bits.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, &byte: &u8| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    bytes.iter().fold(0x811c_9dc5, step)
}
