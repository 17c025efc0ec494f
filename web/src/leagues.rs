//! Leagues whose folders lie where the records are: their reports, and the records of their games.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Component, Path, PathBuf};

use record::files::HIDDEN_NAMES;
use serde_json::Value;

use crate::messages::LeagueInfo;

/// The page of a league, in its folder.
pub(crate) const PAGE: &str = "report.html";
/// The tables of a league, beside its page.
const TABLES: [&str; 2] = ["standings.csv", "games.csv"];
/// The folder of the records of a league, in its own.
const RECORDS: &str = "records";
/// The files that make a folder that of a league, or of a ladder.
pub(crate) const JOURNAL: &str = "journal.jsonl";
pub(crate) const LADDER: &str = "status.json";
/// Most bytes of the first line of a journal.
const MOST_BYTES: u64 = 1 << 20;

/// A league, or a ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct League {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
}

impl League {
    /// The leagues of a folder of records, or the ladders: the folder itself, the one whose records it has, and those in it.
    /// Their names differ.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub(crate) fn all(records: &Path, file: &str) -> io::Result<Vec<League>> {
        let mut all: Vec<League> = around(records, file).into_iter().collect();
        for entry in fs::read_dir(records)? {
            let path = entry?.path();
            if let Some(league) = League::at(path, file)
                && all.iter().all(|other| other.name != league.name)
            {
                all.push(league);
            }
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// The league of this name in a folder of records, or the ladder.
    pub(crate) fn named(records: &Path, name: impl AsRef<OsStr>, file: &str) -> Option<League> {
        let name = name.as_ref();
        let around = around(records, file).filter(|league| name == &league.name[..]);
        around.or_else(|| League::at(inside(records, name)?, file))
    }

    fn at(folder: PathBuf, file: &str) -> Option<League> {
        let name = folder.file_name()?.to_str()?.to_owned();
        let is_league = folder.join(file).is_file();
        // Its pages have names that are hidden until its end.
        let is_shown = is_league && !folder.join(HIDDEN_NAMES).exists();
        is_shown.then_some(League { name, folder })
    }

    /// The page or a table, if it is there and it is called so.
    pub(crate) fn file(&self, name: &str) -> Option<PathBuf> {
        let is_known = name == PAGE || TABLES.contains(&name);
        let path = self.folder.join(name);
        (is_known && path.is_file()).then_some(path)
    }

    pub(crate) fn records(&self) -> PathBuf {
        self.folder.join(RECORDS)
    }

    /// What a value says of it at these places, which are those of its title and a time.
    pub(crate) fn info(self, value: &Value, [title, when]: [&str; 2]) -> LeagueInfo {
        let text = |path| Some(value.pointer(path)?.as_str()?.to_owned());
        LeagueInfo {
            title: text(title).unwrap_or_else(|| self.name.clone()),
            when: text(when),
            name: self.name,
        }
    }

    /// What the first line of the journal says of it.
    fn head(&self) -> Option<Value> {
        let file = File::open(self.folder.join(JOURNAL)).ok()?;
        let mut line = Vec::new();
        let mut reader = BufReader::new(file.take(MOST_BYTES));
        reader.read_until(b'\n', &mut line).ok()?;
        serde_json::from_slice(&line).ok()
    }
}

/// The path of a name in a folder. Names come from addresses: none leads out of the folder.
pub(crate) fn inside(folder: &Path, name: &OsStr) -> Option<PathBuf> {
    let mut parts = Path::new(name).components();
    let is_name = matches!(
        (parts.next(), parts.next()),
        (Some(Component::Normal(part)), None) if part == name
    );
    is_name.then(|| folder.join(name))
}

/// Whether a folder of records is that of a league whose names are hidden, or the folder of its records.
pub(crate) fn are_hidden(records: &Path) -> bool {
    let folder = records.canonicalize();
    folder.is_ok_and(|folder| {
        let above = folder.parent().filter(|_| folder.ends_with(RECORDS));
        above
            .into_iter()
            .chain([&*folder])
            .any(|one| one.join(HIDDEN_NAMES).exists())
    })
}

/// Whether a folder has the records of a league or a ladder, to which nothing is added.
pub(crate) fn is_of_league(records: &Path) -> bool {
    let mut files = [JOURNAL, LADDER].into_iter();
    files.any(|file| around(records, file).is_some()) || are_hidden(records)
}

/// The league or ladder that a folder of records is, or that it belongs to.
fn around(records: &Path, file: &str) -> Option<League> {
    // A folder such as `.` has a name of its own.
    let folder = records.canonicalize().ok()?;
    let above = folder
        .parent()
        .filter(|_| folder.file_name().is_some_and(|name| name == RECORDS));
    let above = above.map(Path::to_owned);
    League::at(folder, file).or_else(|| League::at(above?, file))
}

/// The leagues of a folder of records that have a page: name, title and beginning.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn list(records: &Path) -> io::Result<Vec<LeagueInfo>> {
    let leagues = League::all(records, JOURNAL)?.into_iter();
    let leagues = leagues.filter(|league| league.file(PAGE).is_some());
    let leagues = leagues.map(|league| {
        let head = league.head().unwrap_or_default();
        league.info(&head, ["/settings/title", "/started"])
    });
    Ok(leagues.collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::records::plain;

    /// A folder with a league of this name, its page and a record.
    fn league(folder: &Path, name: &str) -> PathBuf {
        let own = folder.join(name);
        fs::create_dir_all(own.join(RECORDS)).unwrap();
        let head = json!({ "taikyoku-league": 1, "started": "2026-11-21T10:00:00Z", "settings": { "title": "Spring", "seed": 7 } });
        fs::write(own.join(JOURNAL), format!("{head}\n{{}}\n")).unwrap();
        fs::write(own.join(PAGE), "<!doctype html>").unwrap();
        fs::write(own.join(RECORDS).join("0.0.0.jsonl"), "").unwrap();
        own
    }

    #[test]
    fn leagues_are_found_in_a_folder_as_it_and_above_it() {
        let folder = tempfile::tempdir().unwrap();
        let own = league(folder.path(), "春 1.league");
        fs::create_dir(folder.path().join("other")).unwrap();
        for records in [folder.path(), &own, &own.join(RECORDS)] {
            let all = League::all(records, JOURNAL).unwrap();
            let names: Vec<&str> = all.iter().map(|league| &league.name[..]).collect();
            assert_eq!(names, ["春 1.league"], "{}", records.display());
            let found = League::named(records, "春 1.league", JOURNAL).unwrap();
            assert!(found.file(PAGE).is_some() && found.file("games.csv").is_none());
            assert!(found.file(JOURNAL).is_none() && found.file("../x").is_none());
            let record = |id| plain(&found.records(), id);
            assert!(record("0.0.0").is_some());
            assert!(record("0.0.1").is_none() && record("../journal").is_none());
        }
        let list = list(folder.path()).unwrap();
        let due = LeagueInfo {
            name: "春 1.league".to_owned(),
            title: "Spring".to_owned(),
            when: Some("2026-11-21T10:00:00Z".to_owned()),
        };
        assert_eq!(list, [due]);
    }

    #[test]
    fn nothing_of_a_league_is_shown_while_its_names_are_hidden() {
        let folder = tempfile::tempdir().unwrap();
        let own = league(folder.path(), "a.league");
        let records = own.join(RECORDS);
        let seen = || {
            let id = |folder: &Path, id| crate::records::file(folder, id).is_some();
            [
                list(folder.path()).unwrap().len() == 1,
                list(&records).unwrap().len() == 1,
                id(folder.path(), "a.league:0.0.0"),
                id(&records, "0.0.0"),
                League::named(folder.path(), "a.league", JOURNAL).is_some(),
            ]
        };
        assert_eq!(seen(), [true; 5]);
        fs::write(own.join(HIDDEN_NAMES), "").unwrap();
        assert_eq!(seen(), [false; 5]);
        assert!(is_of_league(&records));
        assert!(crate::records::list(&records, &[]).unwrap().is_empty());
        assert!(crate::records::whole(&own, "journal").is_err());
        fs::remove_file(own.join(HIDDEN_NAMES)).unwrap();
        assert_eq!(seen(), [true; 5]);
    }

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        league(folder.path(), "a.league");
        let records = folder.path().join("records of others");
        league(&records, "b.league");
        for name in [
            "../a.league",
            "..",
            ".",
            "",
            "/",
            "b.league/",
            "./b.league",
            "x",
        ] {
            assert_eq!(League::named(&records, name, JOURNAL), None, "{name}");
        }
        assert!(League::named(&records, "b.league", JOURNAL).is_some());
    }
}
