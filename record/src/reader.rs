//! Reading a record.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

use serde::Deserialize;

use super::event::Event;
use super::header::{Header, VERSION};

/// Most bytes of a line of a record, its line break included. A longer one is never read into memory as a whole.
pub const LONGEST_LINE: usize = 1 << 20;

/// Most players of a record.
pub const MOST_PLAYERS: usize = 16;

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

impl From<ReadError> for program::Failure {
    fn from(error: ReadError) -> program::Failure {
        program::Failure::failed(error)
    }
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

/// What is read first of a header.
#[derive(Deserialize)]
struct Versioned {
    #[serde(rename = "taikyoku-record")]
    version: u32,
}

/// Reads a line over the text, its line break included; gives `false` at the end.
pub(crate) fn read_line(input: &mut impl BufRead, text: &mut String) -> io::Result<bool> {
    let mut bytes = std::mem::take(text).into_bytes();
    bytes.clear();
    let mut most = input.take(LONGEST_LINE as u64 + 1);
    most.read_until(b'\n', &mut bytes)?;
    if bytes.len() > LONGEST_LINE {
        return Err(io::Error::other(format!(
            "the line has more than {LONGEST_LINE} bytes"
        )));
    }
    *text = String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the line is not UTF-8"))?;
    Ok(!text.is_empty())
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
        read_line(&mut input, &mut text).map_err(|e| error(e.to_string()))?;
        // Editors of some systems put a mark before the first letter.
        let line = text.trim_start_matches('\u{feff}');
        let no_header = |e: serde_json::Error| error(format!("{NO_HEADER}: {e}"));
        let Versioned { version } = serde_json::from_str(line).map_err(no_header)?;
        if !line.trim_start().starts_with('{') {
            return Err(error(NO_HEADER.to_owned()));
        }
        if version != VERSION {
            let reason = format!("record version {version}: this program reads version {VERSION}");
            return Err(error(reason));
        }
        let header: Header =
            serde_json::from_str(line).map_err(|e| error(format!("record header: {e}")))?;
        let players = header.players.len();
        if players > MOST_PLAYERS {
            let reason = format!(
                "record header: it has {players} players, at most {MOST_PLAYERS} are possible"
            );
            return Err(error(reason));
        }
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
        self.line += 1;
        read_line(&mut self.input, &mut self.text)
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
        let list = b"[1]";
        let error = Record::read(&list[..], "d").unwrap_err();
        assert_eq!(error.to_string(), format!("d:1: {NO_HEADER}"));
    }

    #[test]
    fn a_mark_of_byte_order_and_blank_lines_are_no_text() {
        let text = String::from_utf8(sample())
            .unwrap()
            .replace('\n', "\n \r\n\n");
        let marked = Record::read(format!("\u{feff}{text}").as_bytes(), "a").unwrap();
        assert_eq!(marked, Record::read(&sample()[..], "a").unwrap());
    }

    /// A text without an end, of which it is known how much was read.
    struct Endless(usize);

    impl io::Read for Endless {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.0 += out.len();
            out.fill(b'1');
            Ok(out.len())
        }
    }

    #[test]
    fn no_line_and_no_header_takes_all_memory() {
        let sample = String::from_utf8(sample()).unwrap();
        for (before, line) in [("", 1), (&sample[..], 4)] {
            let mut input = BufReader::new(before.as_bytes().chain(Endless(0)));
            let error = Record::read(&mut input, "a").unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("a:{line}: the line has more than {LONGEST_LINE} bytes")
            );
            let read = input.get_ref().get_ref().1.0;
            assert!(read <= LONGEST_LINE + input.capacity() + 1, "{read}");
        }
        let crowd = |players: usize| {
            let names = vec![r#"{"name":""}"#; players].join(",");
            let text = sample.replace(r#""players":[]"#, &format!(r#""players":[{names}]"#));
            Record::read(text.as_bytes(), "a").map_err(|e| e.to_string())
        };
        assert!(crowd(MOST_PLAYERS).is_ok());
        let error = crowd(MOST_PLAYERS + 1).unwrap_err();
        assert!(
            error.starts_with("a:1: record header: it has 17 players"),
            "{error}"
        );
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
