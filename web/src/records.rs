//! Record files in a folder: the page's ids for them, their list, and the search by id.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use record::files::address;
use record::{Event, ReadError, RecordReader, What};

use crate::leagues::{JOURNAL, LADDER, League, are_hidden, inside};
use crate::messages::RecordInfo;

/// Number of records in a list; older records are left out.
const MOST_LISTED: usize = 1000;

/// Number of bytes at the end of a record that are searched for its last line.
const TAIL: u64 = 64 << 10;

/// The reason why a record or its replay is not available.
#[derive(Clone, Debug)]
pub(crate) enum Missing {
    /// There is no such record, or no such game in it.
    Absent,
    Broken(String),
}

impl From<ReadError> for Missing {
    fn from(error: ReadError) -> Missing {
        // The message omits the path.
        Missing::Broken(format!("line {}: {}", error.line, error.reason))
    }
}

const ENDING: &str = ".jsonl";

/// The entrants of a ladder with their tokens, which are sent to nobody.
const TOKENS: &str = "entrants.jsonl";

/// The file of a record: `ID` in the folder of records, `LEAGUE:ID` in the folder of a league, or `LADDER:DAY:ID` in that of a
/// day of a ladder.
pub(crate) fn file(folder: &Path, id: &str) -> Option<PathBuf> {
    match id.rsplit_once(':') {
        Some((league, id)) => {
            let (folder, league) = match league.split_once(':') {
                Some((name, day)) => (League::named(folder, decoded(name)?, LADDER)?.folder, day),
                None => (folder.to_owned(), league),
            };
            plain(
                &League::named(&folder, decoded(league)?, JOURNAL)?.records(),
                id,
            )
        }
        None if are_hidden(folder) => None,
        None => plain(folder, id),
    }
}

/// The file of a record that lies directly in this folder.
pub(crate) fn plain(folder: &Path, id: &str) -> Option<PathBuf> {
    let other = inside(folder, &decoded(id)?)?;
    let mut path = other.clone().into_os_string();
    path.push(ENDING);
    let mut found = [path.into(), other].into_iter();
    found.find(|path| is_record_file(path))
}

/// Whether a file has the extension of records, in upper or lower case, and no tokens.
fn is_record_file(path: &Path) -> bool {
    let ending = path.extension().filter(|_| !path.ends_with(TOKENS));
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case(&ENDING[1..])) && path.is_file()
}

/// The page's id of a record file: the percent-encoded file name, without the extension if that is in lower case.
fn id_of(path: &Path) -> Option<String> {
    let name = address(path.file_name()?.as_ref());
    let id = name.strip_suffix(ENDING).map(str::to_owned);
    Some(id.unwrap_or(name))
}

pub(crate) fn decoded(text: &str) -> Option<OsString> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, more @ ..] = rest {
        let code = more.get(..2).filter(|_| *first == b'%');
        let byte = if let Some(code) = code.filter(|code| code.iter().all(u8::is_ascii_hexdigit)) {
            rest = &more[2..];
            u8::from_str_radix(str::from_utf8(code).ok()?, 16).ok()?
        } else {
            rest = more;
            *first
        };
        bytes.push(byte);
    }
    Some(OsString::from_vec(bytes))
}

/// Opens the file of a record, to be sent unchanged. Other files in the folder count as absent, such as the journal of a
/// league, which contains the seed of its deals.
///
/// # Errors
/// There is no such record.
pub(crate) fn whole(folder: &Path, id: &str) -> Result<File, Missing> {
    let path = file(folder, id).ok_or(Missing::Absent)?;
    let mut file = File::open(path).map_err(|_| Missing::Absent)?;
    // The check and the transfer use the same open file, even if another file takes its name.
    RecordReader::new(BufReader::new(&file), id).map_err(|_| Missing::Absent)?;
    file.rewind().map_err(|_| Missing::Absent)?;
    Ok(file)
}

/// Lists the records of a folder, the latest first, without those of these tables.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn list(folder: &Path, unlisted: &[String]) -> io::Result<Vec<RecordInfo>> {
    if are_hidden(folder) {
        return Ok(Vec::new());
    }
    let mut found: Vec<(SystemTime, String, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(id) = id_of(&path).filter(|_| is_record_file(&path)) else {
            continue;
        };
        // The name of a table's record is its id, from its second match on with a number.
        let is_of = |table: &String| {
            let rest = id.strip_prefix(&table[..]);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        if unlisted.iter().any(is_of) {
            continue;
        }
        if let Ok(metadata) = path.metadata() {
            let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            found.push((modified, id, path));
        }
    }
    found.sort_by_key(|(modified, ..)| std::cmp::Reverse(*modified));
    // The list omits files that are not records, such as the journal of a league.
    let records = found.into_iter().filter_map(|(_, id, path)| {
        let reader = RecordReader::open(&path).ok()?;
        Some((id, reader.header().clone(), result(&path)))
    });
    let records = records.take(MOST_LISTED).map(|(id, header, result)| {
        let (played, scores) = result.unzip();
        RecordInfo {
            id,
            game: header.game,
            players: header
                .players
                .into_iter()
                .map(|player| player.name)
                .collect(),
            when: header.started,
            games: header.games,
            played,
            scores,
        }
    });
    Ok(records.collect())
}

/// The number of games that counted, and the points of each player in them; `None` if the match is not over.
fn result(path: &Path) -> Option<(u32, Vec<f64>)> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))
        .ok()?;
    let mut tail = Vec::new();
    file.take(TAIL).read_to_end(&mut tail).ok()?;
    let last = tail.trim_ascii_end().rsplit(|byte| *byte == b'\n').next()?;
    match serde_json::from_slice::<Event>(last).ok()?.what {
        What::Result { games, points, .. } => Some((games, points)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = r#"{"taikyoku-record":1,"game":"dobutsu","match":"m","tongue":"native","players":[{"name":"a"},{"name":"b"}],"games":1,"rules":{},"started":"","server":""}"#;

    #[test]
    fn the_records_of_tables_that_are_not_listed_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.jsonl", "a-2.jsonl", "ab.jsonl"] {
            fs::write(folder.path().join(name), RECORD).unwrap();
        }
        let list = list(folder.path(), &["a".to_owned()]).unwrap();
        assert_eq!((&list[0].id[..], list.len()), ("ab", 1));
    }

    #[test]
    fn a_record_is_listed_and_found_whatever_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let mut names: Vec<OsString> = [
            "2026 \u{6700}\u{7d42}\u{6226} #1 (100%).jsonl",
            "a+b,c~d.jsonl",
            "20:15 game.jsonl",
            "100%41.jsonl",
            "UPPER.JSONL",
            ".hidden.jsonl",
            "with.dots.jsonl",
        ]
        .map(OsString::from)
        .into();
        names.push(std::os::unix::ffi::OsStringExt::from_vec(
            b"caf\xe9.jsonl".to_vec(),
        ));
        for name in &names {
            // Some editors begin a file with a byte order mark.
            fs::write(folder.path().join(name), format!("\u{feff}{RECORD}\n")).unwrap();
        }
        fs::write(folder.path().join("notes.txt"), RECORD).unwrap();
        fs::create_dir(folder.path().join("folder.jsonl")).unwrap();
        let list = list(folder.path(), &[]).unwrap();
        let ids = list.iter().map(|record| &record.id[..]);
        let mut found: Vec<OsString> = ids
            .map(|id| {
                assert!(whole(folder.path(), id).is_ok(), "{id}");
                let path = file(folder.path(), id).unwrap();
                path.file_name().unwrap().to_owned()
            })
            .collect();
        found.sort();
        names.sort();
        assert_eq!(found, names);
        let inner = folder.path().join("folder.jsonl");
        for id in [
            "..",
            ".",
            "",
            "/",
            "..%2Fwith.dots",
            "%2E%2E",
            "x/../with.dots",
            "%zz",
            "%",
        ] {
            assert_eq!(file(&inner, id), None, "{id}");
        }
    }
}
