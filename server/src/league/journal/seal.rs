//! Seals of the lines of a journal, in a file of their own: a line that was forged or changed has none that fits.
//!
//! The seal of a line is HMAC-SHA-256 of the seal before it and the line, under a key that lies beside the journal and
//! that only its owner may read. Each seal is written before its line.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::{fs, io};

use rand::RngExt as _;
use rand::rngs::StdRng;
use sha2::{Digest as _, Sha256};

use super::Page;
use record::files::named;

/// Names of the files of a journal that are beside it.
pub const SEAL_FILES: [&str; 2] = ["journal.seals", "journal.key"];

/// Bytes of a block of SHA-256.
const BLOCK: usize = 64;

/// Bytes of a seal in its file, with the end of its line.
pub const SEAL_LENGTH: usize = 65;

type Seal = [u8; 32];

/// The seals of a journal, which go on behind the last.
#[derive(Debug)]
pub(super) struct Seals {
    key: Seal,
    last: Seal,
    file: Box<dyn Page>,
}

/// How much of a journal has seals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sealed {
    /// There is no key, or it may not be read.
    Never,
    /// All lines but these at the end, which do not count.
    But(usize),
    /// All lines, and there are seals of so many more: each is written before its line, and a loss of power may take
    /// lines, as may somebody.
    Beyond(usize),
}

impl Seals {
    /// Makes a key and no seal yet.
    pub(super) fn create(journal: &Path) -> io::Result<Seals> {
        let [seals, key_file] = files(journal);
        let key: Seal = rand::make_rng::<StdRng>().random();
        let mut written = create(&key_file)?;
        written.write_all(format!("{}\n", hex(&key)).as_bytes())?;
        written.sync_all()?;
        Ok(Seals {
            key,
            last: Seal::default(),
            file: Box::new(create(&seals)?),
        })
    }

    /// Goes on behind this many lines; `None` if the journal has no seals.
    pub(super) fn resume(journal: &Path, lines: usize) -> io::Result<Option<Seals>> {
        let Some((key, seals)) = read(journal)? else {
            return Ok(None);
        };
        let [path, _] = files(journal);
        let file = OpenOptions::new().write(true).open(&path);
        let mut file = file.map_err(|e| named(&path, &e))?;
        file.set_len((lines * SEAL_LENGTH) as u64)?;
        file.seek(SeekFrom::End(0))?;
        let last = lines.checked_sub(1).and_then(|last| seals.get(last));
        Ok(Some(Seals {
            key,
            last: last.copied().unwrap_or_default(),
            file: Box::new(file),
        }))
    }

    /// The same seals, of which what this makes of their file is written.
    pub(super) fn on_page(mut self, page: impl FnOnce(Box<dyn Page>) -> Box<dyn Page>) -> Seals {
        self.file = page(self.file);
        self
    }

    pub(super) fn add(&mut self, line: &[u8]) -> io::Result<()> {
        self.last = seal(&self.key, &self.last, line);
        self.file
            .write_all(format!("{}\n", hex(&self.last)).as_bytes())
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync()
    }
}

/// How much of the whole lines of a journal has seals.
///
/// # Errors
/// The number of the first line whose seal does not fit, from 1, or files that cannot be read.
pub(super) fn check(journal: &Path, whole: &[u8]) -> io::Result<Result<Sealed, usize>> {
    let Some((key, seals)) = read(journal)? else {
        return Ok(Ok(Sealed::Never));
    };
    let mut last = Seal::default();
    let mut known = seals.iter();
    let mut without = 0;
    for (number, line) in (1..).zip(whole.split_inclusive(|&byte| byte == b'\n')) {
        last = seal(&key, &last, line);
        match known.next() {
            Some(seal) if *seal != last => return Ok(Err(number)),
            Some(_) => {}
            None => without += 1,
        }
    }
    Ok(Ok(match known.count() {
        0 => Sealed::But(without),
        surplus => Sealed::Beyond(surplus),
    }))
}

/// The key and all whole seals; `None` without a key that may be read.
///
/// # Errors
/// A file that cannot be read, with its name.
fn read(journal: &Path) -> io::Result<Option<(Seal, Vec<Seal>)>> {
    let [path, key_path] = files(journal);
    let key = match fs::read_to_string(&key_path) {
        Ok(key) => key,
        Err(e)
            if matches!(
                e.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
            ) =>
        {
            return Ok(None);
        }
        Err(e) => return Err(named(&key_path, &e)),
    };
    let invalid =
        |path: &Path, what: &str| named(path, &io::Error::new(io::ErrorKind::InvalidData, what));
    let key = unhex(key.trim_end());
    let key = key.ok_or_else(|| invalid(&key_path, "there is no key in it"))?;
    let text = fs::read_to_string(&path).map_err(|e| named(&path, &e))?;
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    let seals: Option<Vec<Seal>> = whole.lines().map(unhex).collect();
    let seals = seals.ok_or_else(|| invalid(&path, "it has lines that are no seals"))?;
    if seals.is_empty() {
        return Err(invalid(&path, "there is no seal in it"));
    }
    Ok(Some((key, seals)))
}

fn files(journal: &Path) -> [PathBuf; 2] {
    SEAL_FILES.map(|name| journal.with_file_name(name))
}

/// A file for its owner alone, in place of one that a start which was killed has left.
pub(super) fn create(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(named(path, &e)),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|e| named(path, &e))
}

/// HMAC-SHA-256 (RFC 2104) of two texts.
fn seal(key: &Seal, before: &Seal, line: &[u8]) -> Seal {
    let padded = |with: u8| {
        let mut pad = [with; BLOCK];
        pad.iter_mut().zip(key).for_each(|(pad, key)| *pad ^= key);
        Sha256::new().chain_update(pad)
    };
    let inner = padded(0x36).chain_update(before).chain_update(line);
    padded(0x5c)
        .chain_update(inner.finalize())
        .finalize()
        .into()
}

fn hex(bytes: &Seal) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn unhex(text: &str) -> Option<Seal> {
    let mut bytes = Seal::default();
    if text.len() != 2 * bytes.len() || !text.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seals_are_those_of_the_standard() {
        // RFC 4231, test case 3: twenty bytes aa, fifty bytes dd.
        let mut key = Seal::default();
        key[..20].fill(0xaa);
        let due = "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe";
        assert_eq!(hex(&seal(&key, &[0xdd; 32], &[0xdd; 18])), due);
        assert_eq!(unhex(due).map(|seal| hex(&seal)).as_deref(), Some(due));
        assert_eq!(unhex(&due[1..]), None);
        assert_eq!(unhex(&due.replace('7', "g")), None);
    }
}
