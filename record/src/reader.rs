//! Reading a record.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::event::Event;
use super::header::{Header, VERSION};

/// Why a record cannot be read, with its place.
#[derive(Debug, thiserror::Error)]
#[error("{file}{}: {reason}", if *.line == 0 { String::new() } else { format!(":{line}") })]
pub struct ReadError {
    /// Name of the file.
    pub file: String,
    /// Number of the line, from 1; 0 when the file could not be opened.
    pub line: u64,
    /// What is wrong.
    pub reason: String,
}

/// Reads a record line by line, as an iterator over its events.
///
/// A last line without its line break, which a stopped server may leave, ends the record
/// silently if it is no event; see [`RecordReader::is_torn`].
#[derive(Debug)]
pub struct RecordReader<R> {
    input: R,
    file: String,
    line: u64,
    header: Header,
    torn: bool,
    failed: bool,
    text: String,
}

impl RecordReader<BufReader<File>> {
    /// Opens a record.
    ///
    /// # Errors
    /// When the file cannot be opened or its first line is no header of this version.
    pub fn open(path: &Path) -> Result<RecordReader<BufReader<File>>, ReadError> {
        let file = open_file(path)?;
        RecordReader::new(BufReader::new(file), &path.display().to_string())
    }
}

/// Opens the file of a record.
///
/// # Errors
/// When it cannot be opened, or is a folder.
pub fn open_file(path: &Path) -> Result<File, ReadError> {
    let error = |reason: String| ReadError {
        file: path.display().to_string(),
        line: 0,
        reason,
    };
    let file = File::open(path).map_err(|e| error(e.to_string()))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        let reason = "this is a folder: name a record in it, such as NAME.jsonl";
        return Err(error(reason.to_owned()));
    }
    Ok(file)
}

/// Said of a file that is no record.
const NO_HEADER: &str = "the first line is no record header, as in the .jsonl files of --records";

impl<R: BufRead> RecordReader<R> {
    /// Begins to read; `name` is the file's name in errors.
    ///
    /// # Errors
    /// When the first line is no header of this version.
    pub fn new(mut input: R, name: &str) -> Result<RecordReader<R>, ReadError> {
        let error = |reason: String| ReadError {
            file: name.to_owned(),
            line: 1,
            reason,
        };
        let mut text = String::new();
        input
            .read_line(&mut text)
            .map_err(|e| error(e.to_string()))?;
        // Editors of some systems begin a file with a mark.
        let first = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let value: serde_json::Value =
            serde_json::from_str(first).map_err(|e| error(format!("{NO_HEADER}: {e}")))?;
        match value.get("taikyoku-record").map(serde_json::Value::as_u64) {
            Some(Some(version)) if version == u64::from(VERSION) => {}
            Some(version) => {
                let version = version.map_or_else(|| "?".to_owned(), |v| v.to_string());
                return Err(error(format!(
                    "record version {version}: this program reads version {VERSION}"
                )));
            }
            None => return Err(error(NO_HEADER.to_owned())),
        }
        let header =
            serde_json::from_value(value).map_err(|e| error(format!("record header: {e}")))?;
        Ok(RecordReader {
            input,
            file: name.to_owned(),
            line: 1,
            header,
            torn: false,
            failed: false,
            text,
        })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Number of the line read last.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Whether the last line was torn and left out. Known once the iterator has ended.
    pub fn is_torn(&self) -> bool {
        self.torn
    }

    /// An error at the line read last.
    pub fn error(&self, reason: impl std::fmt::Display) -> ReadError {
        ReadError {
            file: self.file.clone(),
            line: self.line,
            reason: reason.to_string(),
        }
    }

    fn next_line(&mut self) -> io::Result<bool> {
        self.text.clear();
        self.line += 1;
        Ok(self.input.read_line(&mut self.text)? > 0)
    }
}

impl<R: BufRead> Iterator for RecordReader<R> {
    type Item = Result<Event, ReadError>;

    fn next(&mut self) -> Option<Result<Event, ReadError>> {
        if self.failed || self.torn {
            return None;
        }
        loop {
            match self.next_line() {
                Ok(true) if self.text.trim().is_empty() => {}
                Ok(true) => break,
                Ok(false) => return None,
                // A torn last line may end inside a letter of several bytes.
                Err(e) if e.kind() == io::ErrorKind::InvalidData && self.at_end() => {
                    self.torn = true;
                    return None;
                }
                Err(e) => {
                    self.failed = true;
                    return Some(Err(self.error(e)));
                }
            }
        }
        match serde_json::from_str(&self.text) {
            Ok(event) => Some(Ok(event)),
            Err(_) if !self.text.ends_with('\n') => {
                self.torn = true;
                None
            }
            Err(e) => {
                self.failed = true;
                Some(Err(self.error(e)))
            }
        }
    }
}

impl<R: BufRead> RecordReader<R> {
    fn at_end(&mut self) -> bool {
        self.input.fill_buf().is_ok_and(<[u8]>::is_empty)
    }
}

/// A whole record in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The header.
    pub header: Header,
    /// The events in order.
    pub events: Vec<Event>,
    /// Whether a torn last line was left out.
    pub torn: bool,
}

impl Record {
    /// Reads a record from a file.
    ///
    /// # Errors
    /// The first line that is not as it should be.
    pub fn open(path: &Path) -> Result<Record, ReadError> {
        Record::collect(RecordReader::open(path)?)
    }

    /// Reads a record; `name` is the file's name in errors.
    ///
    /// # Errors
    /// The first line that is not as it should be.
    pub fn read(input: impl BufRead, name: &str) -> Result<Record, ReadError> {
        Record::collect(RecordReader::new(input, name)?)
    }

    fn collect<R: BufRead>(mut reader: RecordReader<R>) -> Result<Record, ReadError> {
        let events = reader.by_ref().collect::<Result<Vec<Event>, ReadError>>()?;
        Ok(Record {
            header: reader.header.clone(),
            events,
            torn: reader.torn,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RecordWriter, What};
    use games::GameName;

    fn sample() -> Vec<u8> {
        let mut out = Vec::new();
        let header = Header::new(GameName::Geister, "m", "gat", Vec::new(), 1);
        let mut writer = RecordWriter::new(&mut out, &header).unwrap();
        writer.event(&What::play(0, "あ").at(1)).unwrap();
        writer.event(&What::play(1, "い").at(2)).unwrap();
        drop(writer);
        out
    }

    #[test]
    fn every_cut_is_read_up_to_the_torn_line() {
        let whole = sample();
        let first = whole.iter().position(|&b| b == b'\n').unwrap() + 1;
        let events = |n| Record::read(&whole[..n], "x").map(|r| (r.events.len(), r.torn));
        for n in first..=whole.len() {
            let (count, torn) = events(n).unwrap();
            let lines = whole[first..n].split(|&b| b == b'\n').count() - 1;
            let half = whole[n - 1] != b'\n';
            // A line that lacks only its line break is whole.
            assert!(
                count == lines && torn == half || (count == lines + 1 && half && !torn),
                "cut at {n}"
            );
        }
    }

    #[test]
    fn errors_name_file_and_line() {
        let mut bytes = sample();
        bytes.extend_from_slice(b"{\"ms\":1,\"event\":\"dance\"}\n{}\n");
        let error = Record::read(&bytes[..], "a.jsonl").unwrap_err();
        assert!(error.to_string().starts_with("a.jsonl:4: "), "{error}");
        let error = Record::read(&b"{\"taikyoku-record\":9}\n"[..], "b").unwrap_err();
        assert_eq!(
            error.to_string(),
            "b:1: record version 9: this program reads version 1"
        );
        assert!(Record::read(&b""[..], "c").is_err());
    }

    #[test]
    fn a_file_that_is_not_there_has_no_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("none.jsonl");
        let error = Record::open(&path).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{}: ", path.display())),
            "{error}"
        );
    }
}
