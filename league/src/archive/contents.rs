//! What is in an archive, by name, and the checksums of it.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Write as _};
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use program::Failure;
use record::files::named;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::RECORDS;
use crate::journal::{FILE_NAME, JournalReader};
use crate::result::{JSON, PAGE, Records, Report, Results, csv, json, page};
use crate::schedule::Key;

pub const SUMS: &str = "SHA256SUMS";

#[derive(Clone, Debug)]
pub(super) enum Source {
    Text(Vec<u8>),
    File(PathBuf),
}

impl Source {
    /// Its length in bytes, and something that reads it.
    pub(super) fn open(&self) -> io::Result<(u64, Box<dyn Read + '_>)> {
        match self {
            Source::Text(text) => Ok((text.len() as u64, Box::new(&text[..]))),
            Source::File(path) => {
                let file = File::open(path).map_err(|e| named(path, &e))?;
                let length = file.metadata()?.len();
                // No byte more, if it grows.
                Ok((length, Box::new(BufReader::new(file).take(length))))
            }
        }
    }
}

/// The files of the archive of the league in a folder, by name, with their checksums among them.
pub(super) fn contents(folder: &Path) -> Result<BTreeMap<String, Source>, Failure> {
    let path = folder.join(FILE_NAME);
    let reader = JournalReader::open(&path)?;
    let mut whole = fs::read(&path).map_err(|e| named(&path, &e))?;
    whole.truncate(reader.whole as usize);
    let (results, mut fixtures) = Results::read(reader)?;
    let records = Records::beside(folder);
    let report = Report::of(&results).with_comebacks(&results, &records);
    let page = page(&report, &results, &mut fixtures, &records)?;
    let [standings, games] = csv::tables(&report, &results, &mut fixtures)?;
    let texts = [
        (FILE_NAME, whole),
        (PAGE, page.into_bytes()),
        (JSON, json(&report).into_bytes()),
        standings,
        games,
    ];
    let texts = texts.into_iter();
    let texts = texts.map(|(name, text)| (name.to_owned(), Source::Text(text)));
    let mut contents: BTreeMap<String, Source> = texts.collect();
    for name in record_names(folder)? {
        let path = folder.join(RECORDS).join(&name);
        contents.insert(format!("{RECORDS}/{name}"), Source::File(path));
    }
    let mut sums = String::new();
    for (name, source) in &contents {
        let (_, mut bytes) = source.open()?;
        let _ = writeln!(sums, "{}  {name}", sha256(&mut bytes)?);
    }
    contents.insert(SUMS.to_owned(), Source::Text(sums.into_bytes()));
    Ok(contents)
}

/// Names of the files in the folder of the records, sorted; none where there is no such folder.
pub(super) fn record_names(folder: &Path) -> io::Result<Vec<String>> {
    let records = folder.join(RECORDS);
    let entries = match fs::read_dir(&records) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(named(&records, &e)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|e| named(&records, &e))?;
        if !entry.file_type()?.is_file() {
            continue;
        }
        match entry.file_name().into_string() {
            Ok(name) if !name.contains(['\n', '\r', '\\']) => names.push(name),
            _ => {
                let reason = "its name has letters that a list of checksums cannot have";
                return Err(named(&entry.path(), &io::Error::other(reason)));
            }
        }
    }
    names.sort();
    Ok(names)
}

/// The SHA-256 of what is read, in hexadecimal digits.
pub(super) fn sha256(bytes: &mut impl Read) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match bytes.read(&mut buffer)? {
            0 => break,
            n => hash.update(&buffer[..n]),
        }
    }
    let hash = hash.finalize();
    let digits = hash.iter().map(|byte| format!("{byte:02x}"));
    Ok(digits.collect())
}

/// Compares all files of a folder with its checksums, if it has them; gives how many were compared.
///
/// # Errors
/// The first file that is another, is missing, or is none of those with a checksum.
pub fn check_sums(folder: &Path) -> Result<Option<u64>, Disagreement> {
    let text = match fs::read_to_string(folder.join(SUMS)) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Disagreement::of(SUMS, e)),
    };
    let mut due: BTreeMap<&str, &str> = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        let (sum, name) = line.split_once("  ").ok_or_else(|| {
            Disagreement::of(SUMS, "this is no checksum with the name of a file").at_line(number)
        })?;
        due.insert(name, sum);
    }
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(folder).map_err(|e| Disagreement::of(SUMS, e))? {
        let entry = entry.map_err(|e| Disagreement::of(SUMS, e))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.retain(|name| name != SUMS && name != RECORDS);
    let records = record_names(folder).map_err(|e| Disagreement::of(RECORDS, e))?;
    names.extend(records.iter().map(|name| format!("{RECORDS}/{name}")));
    names.sort();
    if let Some(other) = names.iter().find(|name| !due.contains_key(&name[..])) {
        let reason = format!("{SUMS} has no checksum for it: the file was added later");
        return Err(Disagreement::of(other, reason));
    }
    for (name, sum) in &due {
        if names.binary_search_by(|known| known[..].cmp(name)).is_err() {
            let reason = format!("it is missing: {SUMS} has its checksum");
            return Err(Disagreement::of(name, reason));
        }
        let file = File::open(folder.join(name)).map_err(|e| Disagreement::of(name, e))?;
        let now = sha256(&mut BufReader::new(file)).map_err(|e| Disagreement::of(name, e))?;
        if now != *sum {
            let reason = format!("it was changed: its SHA-256 is {now}, in {SUMS} {sum}");
            return Err(Disagreement::of(name, reason));
        }
    }
    Ok(Some(due.len() as u64))
}

/// The first thing that does not agree with the rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
pub struct Disagreement {
    /// The file, by its name in the folder of the league.
    pub file: String,
    /// The line in it, from 1, if it is one.
    pub line: Option<u64>,
    /// The fixture, if it is about one.
    pub key: Option<Key>,
    pub reason: String,
}

impl Disagreement {
    pub(super) fn of(file: &str, reason: impl Display) -> Disagreement {
        Disagreement {
            file: file.to_owned(),
            line: None,
            key: None,
            reason: reason.to_string(),
        }
    }

    pub(super) const fn at_line(mut self, line: u64) -> Disagreement {
        self.line = Some(line);
        self
    }

    pub(super) const fn at_key(mut self, key: Option<Key>) -> Disagreement {
        self.key = key;
        self
    }
}

impl Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(key) = self.key {
            write!(f, ": game {key}")?;
        }
        write!(f, ": {}", self.reason)
    }
}
