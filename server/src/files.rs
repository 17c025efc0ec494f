//! The files of one match: the record, the official log, `debug.dat` and `debug2.dat`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use crate::config::Uecda;
use crate::official_log::{DebugDat, OfficialLog};
use crate::record::{Event, Header, RecordWriter};

/// Where the events of one match go. A file that fails is given up with a line in the log; the
/// match goes on.
#[derive(Debug, Default)]
pub(crate) struct MatchFiles {
    record: Option<RecordWriter<File>>,
    official_log: Option<OfficialLog<BufWriter<File>>>,
    debug_dat: Option<DebugDat<BufWriter<File>>>,
}

impl MatchFiles {
    /// Makes the files of match number `number` (from 1) that the settings ask for. From the
    /// second match on the official files go below `match-N`.
    ///
    /// # Errors
    /// A file that cannot be made, with its name.
    pub(crate) fn create(settings: &Uecda, number: u64, header: &Header) -> io::Result<MatchFiles> {
        let mut files = MatchFiles::default();
        if let Some(place) = &settings.records {
            let path = record_path(place, number, header);
            let record = create_record(&path, header).map_err(|e| named(&path, &e))?;
            log::info!("match {number}: record {}", path.display());
            files.record = Some(record);
        }
        if settings.official_log || settings.debug_dat {
            let mut here = settings.clone();
            if number > 1 {
                here.directory.push(format!("match-{number}"));
            }
            let directory = here.directory.clone();
            let error = |e: io::Error| named(&directory, &e);
            fs::create_dir_all(&directory).map_err(error)?;
            if settings.official_log {
                let (log, path) = OfficialLog::create(&here, header).map_err(error)?;
                log::info!("match {number}: log {}", path.display());
                files.official_log = Some(log);
            }
            if settings.debug_dat {
                files.debug_dat = Some(DebugDat::create(&here).map_err(error)?);
            }
        }
        Ok(files)
    }

    /// Writes an event to all files.
    pub(crate) fn event(&mut self, event: &Event) {
        keep(&mut self.record, "record", |record| record.event(event));
        keep(&mut self.official_log, "official log", |log| {
            log.event(event)
        });
        keep(&mut self.debug_dat, "debug.dat", |dat| dat.event(event));
    }
}

pub(crate) fn keep<T>(
    file: &mut Option<T>,
    name: &str,
    write: impl FnOnce(&mut T) -> io::Result<()>,
) {
    if let Some(open) = file
        && let Err(e) = write(open)
    {
        log::error!("the {name} is given up: {e}");
        *file = None;
    }
}

pub(crate) fn named(path: &Path, e: &io::Error) -> io::Error {
    io::Error::new(e.kind(), format!("{}: {e}", path.display()))
}

/// A place that ends in `.jsonl` is the file of the first match, later ones get a number; any
/// other place is a folder. A name that is taken by an older file is never given: the next number
/// that is free is.
pub(crate) fn record_path(place: &Path, number: u64, header: &Header) -> PathBuf {
    let (path, mut number) = if place.extension().is_none_or(|e| e != "jsonl") {
        (place.join(format!("{}.jsonl", header.id)), 1)
    } else {
        (place.to_owned(), number)
    };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    loop {
        let numbered = match number {
            1 => path.clone(),
            _ => path.with_file_name(format!("{stem}-{number}.jsonl")),
        };
        // A link that leads nowhere takes its name too.
        if numbered.symlink_metadata().is_err() {
            return numbered;
        }
        number += 1;
    }
}

/// Makes the folders of records and of files of single games, where they are asked for.
///
/// # Errors
/// A folder that cannot be made, with its name.
pub(crate) fn make_folders(records: Option<&Path>, sheets: Option<&Path>) -> io::Result<()> {
    let records = records.and_then(|place| match place.extension() {
        Some(extension) if extension == "jsonl" => place.parent(),
        _ => Some(place),
    });
    let folders = records.into_iter().chain(sheets);
    for folder in folders.filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|e| named(folder, &e))?;
    }
    Ok(())
}

/// Begins a record in a new file, and makes its folder.
///
/// # Errors
/// When the file cannot be made; one that is there already is never written over.
pub(crate) fn create_record(path: &Path, header: &Header) -> io::Result<RecordWriter<File>> {
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    RecordWriter::new(file, header)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameName, Player};

    fn header() -> Header {
        let player = |name: &str| Player {
            name: name.to_owned(),
            client: None,
        };
        let players = vec![player("ana"), player("bo")];
        Header::new(GameName::Geister, "id", "gat", players, 2)
    }

    #[test]
    fn folders_are_made_that_can_be() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        make_folders(Some(&at("a/b")), Some(&at("c"))).unwrap();
        make_folders(Some(&at("d/x.jsonl")), None).unwrap();
        make_folders(Some(Path::new("x.jsonl")), None).unwrap();
        assert!(["a/b", "c", "d"].iter().all(|name| at(name).is_dir()));
        fs::write(at("file"), "").unwrap();
        for (records, sheets) in [("file/a", "c"), ("file/x.jsonl", "c"), ("a", "file")] {
            let error = make_folders(Some(&at(records)), Some(&at(sheets))).unwrap_err();
            assert!(error.to_string().contains("file"), "{error}");
        }
    }

    #[test]
    fn a_record_is_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let header = header();
        let next = |place: &Path, number| {
            let path = record_path(place, number, &header);
            create_record(&path, &header).unwrap();
            path.file_name().unwrap().to_string_lossy().into_owned()
        };
        let file = folder.path().join("x.jsonl");
        let old = "an older record\n";
        fs::write(&file, old).unwrap();
        fs::write(folder.path().join("x-3.jsonl"), old).unwrap();
        assert_eq!(next(&file, 1), "x-2.jsonl");
        assert_eq!(next(&file, 2), "x-4.jsonl");
        assert_eq!(fs::read_to_string(&file).unwrap(), old);
        let new = folder.path().join("new/y.jsonl");
        assert_eq!(next(&new, 1), "y.jsonl");
        assert_eq!(next(&new, 2), "y-2.jsonl");
        let place = folder.path().join("records");
        assert_eq!(next(&place, 7), "id.jsonl");
        assert_eq!(next(&place, 7), "id-2.jsonl");
        let taken = create_record(&file, &header).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
    }
}
