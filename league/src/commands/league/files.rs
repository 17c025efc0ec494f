//! The folder of a league.

use std::path::{Path, PathBuf};
use std::{fs, io};

use program::Failure;
use record::files::{HIDDEN_NAMES, named};

use crate::archive::RECORDS;
use crate::journal::{ACTS, FILE_NAME};
use crate::result::{JSON, PAGE, csv};
use crate::sections::{MOST_MATCHUPS, Section};
use crate::settings::Settings;
use server::commands::allow_open_files;
use server::config::limits::MOST_TURNED_AWAY;

/// Name of the file that says which remote entrants are there.
pub(super) const PRESENCE: &str = "presence.json";

#[derive(Clone, Debug)]
pub(in crate::commands) struct Folder(PathBuf);

impl Folder {
    /// The folder of a league's file, unless it was said to be another.
    pub(super) fn of(file: &Path, out: Option<&Path>) -> Folder {
        Folder::beside(file, "league", out)
    }

    /// The folder beside a file that has another extension, unless it was said to be another.
    pub(in crate::commands) fn beside(file: &Path, extension: &str, out: Option<&Path>) -> Folder {
        Folder(out.map_or_else(|| file.with_extension(extension), Path::to_owned))
    }

    /// Makes it, if it is not there. It has the seeds of deals in it, which are nobody else's business.
    pub(in crate::commands) fn make(&self) -> io::Result<()> {
        let make = || {
            if self.0.is_dir() {
                return Ok(());
            }
            if let Some(parent) = self.0.parent() {
                fs::create_dir_all(parent)?;
            }
            let mut builder = fs::DirBuilder::new();
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.create(&self.0)
        };
        make().map_err(|e| named(&self.0, &e))
    }

    pub(in crate::commands) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn journal(&self) -> PathBuf {
        self.0.join(FILE_NAME)
    }

    pub(super) fn records(&self) -> PathBuf {
        self.0.join(RECORDS)
    }

    pub(super) fn stderr(&self) -> PathBuf {
        self.0.join("stderr")
    }

    /// The file with the presence of remote entrants, while the league runs.
    pub(super) fn presence(&self) -> PathBuf {
        self.0.join(PRESENCE)
    }

    pub(super) fn page(&self) -> PathBuf {
        self.0.join(PAGE)
    }

    /// Hides the report and the records from readers of this folder, or shows them again.
    pub(super) fn hide(&self, is_hidden: bool) -> io::Result<()> {
        let marker = self.0.join(HIDDEN_NAMES);
        let done = if is_hidden {
            fs::write(&marker, "")
        } else {
            fs::remove_file(&marker).or_else(|e| match e.kind() {
                io::ErrorKind::NotFound => Ok(()),
                _ => Err(e),
            })
        };
        done.map_err(|e| named(&marker, &e))
    }

    /// Moves what an earlier league has left into a folder of its own, and says which; `None` if there is nothing.
    pub(super) fn put_aside(&self) -> io::Result<Option<PathBuf>> {
        let names = [
            FILE_NAME,
            ACTS,
            RECORDS,
            "stderr",
            PAGE,
            JSON,
            csv::STANDINGS,
            csv::GAMES,
            HIDDEN_NAMES,
        ];
        let is_there = |name: &&str| self.0.join(name).symlink_metadata().is_ok();
        let names: Vec<&str> = names.into_iter().filter(is_there).collect();
        if names.is_empty() {
            return Ok(None);
        }
        let free = |n: &u32| self.0.join(format!("old-{n}")).symlink_metadata().is_err();
        let number = (1..=u32::MAX).find(free).unwrap_or_default();
        let aside = self.0.join(format!("old-{number}"));
        fs::create_dir(&aside).map_err(|e| named(&aside, &e))?;
        for name in names {
            let from = self.0.join(name);
            fs::rename(&from, aside.join(name)).map_err(|e| named(&from, &e))?;
        }
        Ok(Some(aside))
    }
}

/// Open files of a player at a table: its port, its port in the sandbox and the socket through which that comes, its connection,
/// its standard error, and one that closes.
const FILES_OF_PLAYER: u64 = 6;
/// Those of a remote entrant beside its connections: its port, and clients that are turned away there.
const FILES_OF_VISITORS: u64 = MOST_TURNED_AWAY as u64 + 1;
const OTHER_FILES: u64 = 64;

pub(super) fn check_schedule(settings: &Settings) -> Result<(), Failure> {
    let matchups = Section::matchups_of(settings);
    if matchups > MOST_MATCHUPS {
        return Err(Failure::usage(format_args!(
            "the schedule has {matchups} matchups, and {MOST_MATCHUPS} at most are played: use the format swiss, gauntlet or ladder"
        )));
    }
    Ok(())
}

/// Lets this process open as many files as its tables need.
pub(super) fn allow_files(settings: &Settings) -> Result<(), Failure> {
    let needed = files(settings, settings.run.at_once);
    let limit = allow_open_files(needed);
    if limit < needed {
        let at_once = settings.run.at_once;
        let fewer = if files(settings, 1) > limit {
            ""
        } else {
            "play fewer with --at-once, or "
        };
        return Err(Failure::usage(format_args!(
            "{at_once} tables at once need {needed} open files, the system allows {limit}: {fewer}let it allow more (ulimit -Hn; nofile in /etc/security/limits.conf, LimitNOFILE of a service)"
        )));
    }
    Ok(())
}

/// Files that are open at the same time with so many tables.
fn files(settings: &Settings, at_once: usize) -> u64 {
    let players = at_once.saturating_mul(settings.seats()) as u64;
    let remote = settings
        .entrants
        .iter()
        .filter(|e| e.comes_itself())
        .count() as u64;
    players
        .saturating_mul(FILES_OF_PLAYER)
        .saturating_add(remote.saturating_mul(FILES_OF_VISITORS))
        .saturating_add(settings.connections(at_once) as u64)
        .saturating_add(OTHER_FILES)
}

/// What is to be said of programs that are kept to processors which several tables share.
pub(super) fn shared_processors(settings: &Settings) -> Option<String> {
    let pinned = settings.entrants.iter().filter(|e| !e.cpus.is_empty());
    let names: Vec<&str> = pinned.map(|e| &e.name[..]).collect();
    (settings.run.at_once > 1 && !names.is_empty()).then(|| {
        format!(
            "warning: {} tables are played at once, and `cpus` keeps all programs of {} to the same processors: they take \
             time from each other; with --at-once 1 they do not",
            settings.run.at_once,
            names.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Format, Start};
    use crate::testing::settings;

    #[test]
    fn what_is_old_is_put_aside_and_never_lost() {
        let folder = tempfile::tempdir().unwrap();
        let league = Folder::of(&folder.path().join("mine.toml"), None);
        league.make().unwrap();
        assert_eq!(league.path(), folder.path().join("mine.league"));
        assert_eq!(league.put_aside().unwrap(), None);
        for round in ["1", "2"] {
            fs::write(league.journal(), round).unwrap();
            fs::create_dir(league.records()).unwrap();
            let aside = league.put_aside().unwrap().unwrap();
            assert_eq!(aside, league.path().join(format!("old-{round}")));
            assert_eq!(fs::read_to_string(aside.join(FILE_NAME)).unwrap(), round);
            assert!(aside.join("records").is_dir() && !league.journal().exists());
        }
        let other = folder.path().join("a/b");
        Folder::of(Path::new("x.toml"), Some(&other))
            .make()
            .unwrap();
        assert!(other.is_dir());
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(&other).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
        }
    }

    #[test]
    fn schedules_that_nobody_plays_are_refused() {
        let mut settings = settings();
        assert!(check_schedule(&settings).is_ok());
        let entrant = settings.entrants[0].clone();
        settings.entrants.resize(500, entrant);
        let error = check_schedule(&settings).unwrap_err();
        assert!(error.code() == 2);
        assert!(error.to_string().contains("124750 matchups"), "{error}");
        settings.format = Format::Gauntlet { challenger: 3 };
        assert!(check_schedule(&settings).is_ok());
        settings.format = Format::Ladder;
        assert!(check_schedule(&settings).is_ok());
    }

    #[test]
    fn tables_that_need_more_files_than_there_may_be_are_refused() {
        let mut settings = settings();
        settings.run.at_once = 1;
        allow_files(&settings).unwrap();
        assert_eq!(files(&settings, 1), 2 * 6 + 64);
        settings.entrants[1].start = Start::Remote;
        // Its port, its connections that wait or play, and clients that are greeted or turned away.
        assert_eq!(files(&settings, 1), 2 * 6 + 64 + 1 + 16 + 2 + 2 * 256 + 32);
        settings.run.at_once = usize::MAX;
        let error = allow_files(&settings).unwrap_err();
        assert!(error.to_string().contains("--at-once"), "{error}");
    }

    #[test]
    fn shared_processors_are_spoken_of() {
        let mut settings = settings();
        settings.run.at_once = 2;
        assert_eq!(shared_processors(&settings), None);
        settings.entrants[1].cpus = vec![1];
        let said = shared_processors(&settings).unwrap();
        assert!(said.contains("of bo to"), "{said}");
        settings.run.at_once = 1;
        assert_eq!(shared_processors(&settings), None);
    }
}
