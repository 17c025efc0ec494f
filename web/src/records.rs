//! The files of records in a folder: how the page names, lists and finds them.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use record::files::address;
use record::{Event, ReadError, RecordReader, What};
use serde_json::{Value, json};

use crate::leagues::League;

/// Records in a list; the oldest are left out.
const MOST_LISTED: usize = 1000;

/// Bytes at the end of a record among which its last line stands.
const TAIL: u64 = 64 << 10;

/// Why there is no record or replay.
#[derive(Clone, Debug)]
pub(crate) enum Missing {
    /// There is no such record, or no such game in it.
    Absent,
    /// It cannot be read.
    Broken(String),
}

impl From<ReadError> for Missing {
    fn from(error: ReadError) -> Missing {
        // The error does not name the path.
        Missing::Broken(format!("line {}: {}", error.line, error.reason))
    }
}

/// What the names of records end in.
const ENDING: &str = ".jsonl";

/// The file of a record: `ID` in the folder of records, or `LEAGUE:ID` in that of a league.
pub(crate) fn file(folder: &Path, id: &str) -> Option<PathBuf> {
    match id.rsplit_once(':') {
        Some((league, id)) => League::named(folder, &decoded(league)?)?.record(id),
        None => plain(folder, id),
    }
}

/// The file of a record in this folder itself.
pub(crate) fn plain(folder: &Path, id: &str) -> Option<PathBuf> {
    let name = decoded(id)?;
    // Names come from addresses: none leads out of the folder.
    let mut parts = Path::new(&name).components();
    let (Some(Component::Normal(part)), None) = (parts.next(), parts.next()) else {
        return None;
    };
    let mut whole = (part == name).then_some(name)?;
    let other = folder.join(&whole);
    whole.push(ENDING);
    let path = folder.join(whole);
    let mut found = [path, other].into_iter();
    found.find(|path| is_record_file(path))
}

/// Whether a file is called as records are, in whatever letters.
fn is_record_file(path: &Path) -> bool {
    let ending = path.extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case(&ENDING[1..])) && path.is_file()
}

/// The name by which the page calls the file of a record: that of the file, as addresses have it, without its ending where
/// that is in small letters.
fn id_of(path: &Path) -> Option<String> {
    let name = address(path.file_name()?.as_ref());
    let id = name.strip_suffix(ENDING).map(str::to_owned);
    Some(id.unwrap_or(name))
}

/// A name as addresses have it, in which `%` and two digits stand for a byte.
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

/// Opens the file of a record, to be sent as it is. The folder may also have files that are no records, such as the journal of
/// a league, which has the seed of its deals: they count as absent.
///
/// # Errors
/// There is no such record.
pub(crate) fn whole(folder: &Path, id: &str) -> Result<File, Missing> {
    let path = file(folder, id).ok_or(Missing::Absent)?;
    let mut file = File::open(path).map_err(|_| Missing::Absent)?;
    // The same file is read and sent, whatever takes its name meanwhile.
    RecordReader::new(BufReader::new(&file), id).map_err(|_| Missing::Absent)?;
    file.rewind().map_err(|_| Missing::Absent)?;
    Ok(file)
}

/// The records of a folder, the latest first.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn list(folder: &Path) -> io::Result<Value> {
    let mut found: Vec<(SystemTime, String, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let Some(id) = id_of(&path).filter(|_| is_record_file(&path)) else {
            continue;
        };
        if let Ok(metadata) = path.metadata() {
            let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            found.push((modified, id, path));
        }
    }
    found.sort_by_key(|(modified, ..)| std::cmp::Reverse(*modified));
    // What is no record is left out, such as a journal of a league.
    let records = found.into_iter().filter_map(|(_, id, path)| {
        let reader = RecordReader::open(&path).ok()?;
        Some((id, reader.header().clone(), result(&path)))
    });
    let records = records.take(MOST_LISTED).map(|(id, header, result)| {
        let (played, scores) = result.unzip();
        let names = header.players.iter().map(|player| &player.name[..]);
        json!({
            "id": id,
            "game": header.game,
            "players": names.collect::<Vec<_>>(),
            "when": header.started,
            "games": header.games,
            "played": played,
            "scores": scores,
        })
    });
    Ok(records.collect())
}

/// The games that counted, and the points of each player over all of them; `None` where the match is not over.
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

    #[test]
    fn a_record_is_listed_and_found_whatever_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let record = r#"{"taikyoku-record":1,"game":"dobutsu","match":"m","tongue":"native","players":[{"name":"a"},{"name":"b"}],"games":1,"rules":{},"started":"","server":""}"#;
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
            // Editors of some systems begin a file with a mark.
            fs::write(folder.path().join(name), format!("\u{feff}{record}\n")).unwrap();
        }
        fs::write(folder.path().join("notes.txt"), record).unwrap();
        fs::create_dir(folder.path().join("folder.jsonl")).unwrap();
        let list = list(folder.path()).unwrap();
        let ids = list
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["id"].as_str().unwrap());
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
