//! Where records lie: names that are free, folders, and files that may fail while a match goes on.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use super::Header;
use super::reader::{open_file, read_line};

/// The file in the folder of a league that keeps its report and its records from readers, while the names of its entrants
/// are hidden.
pub const HIDDEN_NAMES: &str = "names-hidden";

/// Writes to a file that may fail: one that does is given up with a line in the program's log.
pub fn keep<T>(file: &mut Option<T>, name: &str, write: impl FnOnce(&mut T) -> io::Result<()>) {
    if let Some(open) = file
        && let Err(e) = write(open)
    {
        log::error!("the {name} is given up: {e}");
        *file = None;
    }
}

/// The error with the name of its file before it.
pub fn named(path: &Path, e: &io::Error) -> io::Error {
    io::Error::new(e.kind(), format!("{}: {e}", path.display()))
}

/// A path as an address has it, relative if the path is.
pub fn address(path: &Path) -> String {
    let encode = |&byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    };
    path.as_os_str()
        .as_encoded_bytes()
        .iter()
        .map(encode)
        .collect()
}

/// A path as a shell takes it.
pub fn in_shell(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:,@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A place that ends in `.jsonl` is the file of the first match, later ones get a number; any
/// other place is a folder. A name that is taken by an older file is never given: the next number
/// that is free is.
pub fn record_path(place: &Path, number: u64, header: &Header) -> PathBuf {
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

/// The records that are named, each once; those of a folder in the order of their names.
///
/// # Errors
/// A folder that cannot be read, or has no record in it.
pub fn records_at(places: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for place in places {
        if !place.is_dir() {
            files.push(place.clone());
            continue;
        }
        if place.join("journal.jsonl").is_file() {
            let records = if place.join("records").is_dir() {
                ", and its records are in `records` in it"
            } else {
                ""
            };
            let reason = format!(
                "this is the folder of a league: `taikyoku league report` and `taikyoku league verify` read it{records}"
            );
            return Err(named(place, &io::Error::other(reason)));
        }
        let from = files.len();
        for entry in fs::read_dir(place).map_err(|e| named(place, &e))? {
            let path = entry.map_err(|e| named(place, &e))?.path();
            if path.extension().is_some_and(|e| e == "jsonl") && path.is_file() {
                files.push(path);
            }
        }
        if files.len() == from {
            let reason =
                io::Error::new(io::ErrorKind::NotFound, "there is no record (.jsonl) in it");
            return Err(named(place, &reason));
        }
        files[from..].sort_unstable();
    }
    // A record that is named beside its folder counts once.
    let mut known = BTreeSet::new();
    files.retain(|path| known.insert(path.canonicalize().unwrap_or_else(|_| path.clone())));
    Ok(files)
}

/// The files without copies, and the copies, each with the file that it repeats.
///
/// A file repeats another of the same header if its lines are those with which the other begins: a download with another
/// name, or a backup from the middle of the match. Of equal files the one with the shortest name stays. What cannot be read
/// repeats nothing.
pub fn without_copies(files: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<(PathBuf, PathBuf)>) {
    let mut kept: Vec<PathBuf> = Vec::new();
    let mut copies: Vec<(PathBuf, usize)> = Vec::new();
    // The indices of the kept files, by their headers.
    let mut known: HashMap<_, Vec<usize>> = HashMap::new();
    for file in files {
        let Some(header) = Lines::open(&file).and_then(|mut lines| lines.next()) else {
            kept.push(file);
            continue;
        };
        let same = known.entry(header).or_default();
        let found = same
            .iter()
            .find_map(|&number| Some((number, lengths(&file, &kept[number])?)));
        let Some((number, length)) = found else {
            same.push(kept.len());
            kept.push(file);
            continue;
        };
        let name = |file: &Path| std::cmp::Reverse(file.as_os_str().len());
        let is_original = length.then(name(&file).cmp(&name(&kept[number]))).is_gt();
        let copy = if is_original {
            std::mem::replace(&mut kept[number], file)
        } else {
            file
        };
        copies.push((copy, number));
    }
    let copies = copies.into_iter();
    let copies = copies
        .map(|(copy, number)| (copy, kept[number].clone()))
        .collect();
    (kept, copies)
}

/// Which of two files has more lines, where one has those with which the other begins; `None` where their lines differ.
fn lengths(first: &Path, second: &Path) -> Option<Ordering> {
    let (mut first, mut second) = (Lines::open(first)?, Lines::open(second)?);
    loop {
        match (first.next(), second.next()) {
            (None, None) => return Some(Ordering::Equal),
            (None, _) => return Some(Ordering::Less),
            (_, None) => return Some(Ordering::Greater),
            (Some(one), Some(other)) if one == other => {}
            // The last line may be torn.
            (Some(one), Some(other)) if first.is_torn && other.starts_with(&one) => {
                return Some(Ordering::Less);
            }
            (Some(one), Some(other)) if second.is_torn && one.starts_with(&other) => {
                return Some(Ordering::Greater);
            }
            _ => return None,
        }
    }
}

/// The lines of a file without blank ones, blanks at their ends and a mark of byte order.
struct Lines {
    input: BufReader<File>,
    text: String,
    /// Whether the line read last has no line break.
    is_torn: bool,
}

impl Lines {
    fn open(path: &Path) -> Option<Lines> {
        Some(Lines {
            input: BufReader::new(open_file(path).ok()?),
            text: String::new(),
            is_torn: false,
        })
    }
}

impl Iterator for Lines {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        while read_line(&mut self.input, &mut self.text).ok()? {
            self.is_torn = !self.text.ends_with('\n');
            let line = self.text.trim_start_matches('\u{feff}').trim();
            if !line.is_empty() {
                return Some(line.to_owned());
            }
        }
        None
    }
}

/// Makes the folders of records and of files of single games, where they are asked for.
///
/// # Errors
/// A folder that cannot be made, or in which no file can be, with its name.
pub fn make_folders(records: Option<&Path>, sheets: Option<&Path>) -> io::Result<()> {
    let records = records.and_then(|place| match place.extension() {
        Some(extension) if extension == "jsonl" => place.parent(),
        _ => Some(place),
    });
    let folders = records.into_iter().chain(sheets);
    for folder in folders.filter(|folder| !folder.as_os_str().is_empty()) {
        if folder.is_file() {
            let reason = "this is a file: records go into a folder, or into a new file whose name ends in .jsonl";
            return Err(named(folder, &io::Error::other(reason)));
        }
        let made = fs::create_dir_all(folder).and_then(|()| try_out(folder));
        made.map_err(|e| named(folder, &e))?;
    }
    Ok(())
}

/// Makes a file in a folder and takes it away again.
fn try_out(folder: &Path) -> io::Result<()> {
    let path = folder.join(format!(".taikyoku-{}", std::process::id()));
    match OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(_) => fs::remove_file(&path),
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(e),
    }
}

/// Makes a new file, and its folder.
///
/// # Errors
/// When the file cannot be made, with its name; one that is there already is never written over.
pub fn create_new(path: &Path) -> io::Result<File> {
    let create = || {
        if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        OpenOptions::new().write(true).create_new(true).open(path)
    };
    create().map_err(|e| match e.kind() {
        io::ErrorKind::AlreadyExists => {
            let reason = "it exists already and is not overwritten: give another name, or a folder";
            named(path, &io::Error::new(e.kind(), reason))
        }
        _ => named(path, &e),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Player;
    use games::GameName;

    fn header() -> Header {
        let player = |name: &str| Player {
            name: name.to_owned(),
            client: None,
        };
        let players = vec![player("ana"), player("bo")];
        Header::new(GameName::Geister, "id", "gat", players, 2)
    }

    #[test]
    fn addresses_have_no_characters_of_their_own() {
        assert_eq!(
            address(Path::new("records/0.0-1_~.jsonl")),
            "records/0.0-1_~.jsonl"
        );
        assert_eq!(address(Path::new("春 #?%:")), "%E6%98%A5%20%23%3F%25%3A");
    }

    #[test]
    fn paths_are_words_of_a_shell() {
        assert_eq!(in_shell(Path::new("a/0.0-1_%.jsonl")), "a/0.0-1_%.jsonl");
        assert_eq!(in_shell(Path::new("it's $1")), r"'it'\''s $1'");
    }

    #[test]
    fn the_records_of_a_folder_are_in_order_and_count_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["b.jsonl", "a.jsonl", "notes.txt"] {
            fs::write(at(name), "").unwrap();
        }
        let found = records_at(&[at("b.jsonl"), folder.path().to_owned()]).unwrap();
        assert_eq!(found, [at("b.jsonl"), at("a.jsonl")]);
        fs::write(at("journal.jsonl"), "").unwrap();
        let error = records_at(&[folder.path().to_owned()]).unwrap_err();
        assert!(error.to_string().contains("of a league"), "{error}");
        fs::create_dir(at("empty")).unwrap();
        let error = records_at(&[at("empty")]).unwrap_err().to_string();
        assert!(error.contains("no record"), "{error}");
    }

    #[test]
    fn a_record_counts_once_whatever_its_copies_are_called() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let header = serde_json::to_string(&header()).unwrap();
        let other = header.replace(r#""match":"id""#, r#""match":"other""#);
        let files = [
            // A backup from the middle of the match, in the middle of a line.
            ("0.jsonl", format!("{header}\none\ntw")),
            (
                "a (1).jsonl",
                format!("\u{feff}{header}\r\none\r\n\r\ntwo\r\nthree"),
            ),
            ("a.jsonl", format!("{header}\none\ntwo\nthree\n")),
            ("b.jsonl", format!("{other}\none\ntwo\nthree\n")),
            ("c.jsonl", format!("{header}\none\nelse\n")),
            ("e.jsonl", String::new()),
            ("f.jsonl", String::new()),
        ];
        for (name, text) in &files {
            fs::write(at(name), text).unwrap();
        }
        let found = records_at(&[folder.path().to_owned()]).unwrap();
        let (kept, copies) = without_copies(found);
        let kept_names = ["a.jsonl", "b.jsonl", "c.jsonl", "e.jsonl", "f.jsonl"];
        assert_eq!(kept, kept_names.map(at));
        let original = at("a.jsonl");
        assert_eq!(
            copies,
            ["0.jsonl", "a (1).jsonl"].map(|name| (at(name), original.clone()))
        );
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
        // No user can make files there, not even root.
        #[cfg(target_os = "linux")]
        {
            let error = make_folders(Some(Path::new("/proc/self")), None).unwrap_err();
            assert!(error.to_string().contains("/proc/self"), "{error}");
        }
    }

    #[test]
    fn a_record_is_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let header = header();
        let next = |place: &Path, number| {
            let path = record_path(place, number, &header);
            create_new(&path).unwrap();
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
        let taken = create_new(&file).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
    }
}
