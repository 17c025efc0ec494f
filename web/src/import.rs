//! Imports: texts that are recognised, replayed by the rules, and kept as records in the folder of records.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::path::Path;

use record::files::create_new;
use record::import::{ImportError, Imported, import as read};

use crate::messages::{ImportAnswer, ImportRefusal};

/// Most bytes of all imported records, so that readers cannot fill the disk.
const MOST_KEPT: u64 = 256 << 20;
/// What the names of their files begin with.
const PREFIX: &str = "import-";

/// Makes a record of a text in this folder. The same text leads to the same record.
///
/// # Errors
/// Why no record is made of it, or why it is not kept.
pub(crate) fn import(folder: &Path, text: &[u8]) -> Result<ImportAnswer, ImportRefusal> {
    let made = read(text).map_err(|e| refusal(&e))?;
    let kept =
        kept(folder).and_then(|kept| keep(folder, text, &made, MOST_KEPT - kept.min(MOST_KEPT)));
    let id = kept.map_err(|e| {
        log::warn!("an imported record is not kept: {e}");
        let is_full = e.kind() == io::ErrorKind::QuotaExceeded;
        let reason = if is_full {
            "the records that were brought here take up all their room"
        } else {
            "the folder of records cannot be written"
        };
        ImportRefusal {
            code: None,
            line: None,
            error: reason.to_owned(),
        }
    })?;
    Ok(ImportAnswer {
        id,
        format: made.format.as_str(),
        game: made.game,
        games: made.games,
        unfinished: made.is_unfinished,
        variations: made.has_variations,
    })
}

fn refusal(error: &ImportError) -> ImportRefusal {
    ImportRefusal {
        code: error.format.map(record::import::Format::as_str),
        line: Some(error.line).filter(|&line| line > 0),
        error: error.reason.clone(),
    }
}

/// What a record takes in a folder at least.
const LEAST_BYTES: u64 = 64 << 10;

/// The bytes of the imported records in a folder. A short one counts as a longer one, so that there are not too many.
fn kept(folder: &Path) -> io::Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(PREFIX.as_bytes())
        {
            sum += entry.metadata()?.len().max(LEAST_BYTES);
        }
    }
    Ok(sum)
}

/// Writes the record, where there is room for it; gives its id.
fn keep(folder: &Path, text: &[u8], made: &Imported, room: u64) -> io::Result<String> {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let name = format!("{PREFIX}{:016x}", hasher.finish());
    for number in 1_u32.. {
        let id = match number {
            1 => name.clone(),
            number => format!("{name}-{number}"),
        };
        let path = folder.join(format!("{id}.jsonl"));
        if let Ok(known) = fs::read(&path) {
            if known == made.bytes {
                return Ok(id);
            }
            continue;
        }
        if made.bytes.len() as u64 > room {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        let mut file = match create_new(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
            created => created?,
        };
        let written = write(&mut file, &made.bytes);
        if written.is_err() {
            let _ = fs::remove_file(&path);
        }
        return written.map(|()| id);
    }
    unreachable!("some name is free")
}

fn write(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records;

    #[test]
    fn a_text_becomes_one_record_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let text = b"startpos moves 2c2b 3a3b 2b2a+";
        let made = import(folder.path(), text).unwrap();
        assert_eq!(
            (made.format, made.games, made.unfinished),
            ("usi", 1, false)
        );
        assert_eq!(import(folder.path(), text).unwrap().id, made.id);
        let list = records::list(folder.path(), &[]).unwrap();
        assert_eq!(
            (list.len(), &list[0].id, list[0].scores.clone()),
            (1, &made.id, Some(vec![1.0, 0.0]))
        );
        // Another text with the same number has another name.
        fs::write(folder.path().join(format!("{}.jsonl", made.id)), "other").unwrap();
        assert_eq!(
            import(folder.path(), text).unwrap().id,
            format!("{}-2", made.id)
        );
    }

    #[test]
    fn a_damaged_text_is_refused_and_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let refused = import(folder.path(), b"N+a\nN-b\n+\n+B3B1HI\n").unwrap_err();
        assert_eq!((refused.code, refused.line), (Some("csa"), Some(4)));
        assert!(refused.error.contains("does not step"), "{}", refused.error);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn records_that_are_brought_have_a_room_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("own.jsonl"), [0; 100]).unwrap();
        fs::write(folder.path().join("import-1.jsonl"), [0; 10]).unwrap();
        assert_eq!(kept(folder.path()).unwrap(), LEAST_BYTES);
        let made = read(b"startpos moves 2c2b").unwrap();
        let full = keep(folder.path(), b"x", &made, 10).unwrap_err();
        assert_eq!(full.kind(), io::ErrorKind::QuotaExceeded);
        assert!(keep(folder.path(), b"x", &made, 10_000).is_ok());
    }
}
