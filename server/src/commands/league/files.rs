//! The folder of a league.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::league::journal::FILE_NAME;
use record::files::named;

/// The folder, and what lies in it.
#[derive(Clone, Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// The folder of a league's file, unless it was said to be another.
    pub(super) fn of(file: &Path, out: Option<&Path>) -> Folder {
        Folder(out.map_or_else(|| file.with_extension("league"), Path::to_owned))
    }

    /// Makes it, if it is not there. It has the seeds of deals in it, which are nobody else's business.
    pub(super) fn make(&self) -> io::Result<()> {
        let make = || {
            if self.0.is_dir() {
                return Ok(());
            }
            if let Some(parent) = self.0.parent() {
                fs::create_dir_all(parent)?;
            }
            let mut builder = fs::DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.create(&self.0)
        };
        make().map_err(|e| named(&self.0, &e))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn journal(&self) -> PathBuf {
        self.0.join(FILE_NAME)
    }

    pub(super) fn records(&self) -> PathBuf {
        self.0.join("records")
    }

    pub(super) fn stderr(&self) -> PathBuf {
        self.0.join("stderr")
    }

    pub(super) fn page(&self) -> PathBuf {
        self.0.join("report.html")
    }

    /// Moves what an earlier league has left into a folder of its own, and says which; `None` if there is nothing.
    pub(super) fn put_aside(&self) -> io::Result<Option<PathBuf>> {
        let names = [
            FILE_NAME,
            "records",
            "stderr",
            "report.html",
            "standings.csv",
            "games.csv",
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

#[cfg(test)]
mod tests {
    use super::*;

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
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(&other).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
        }
    }
}
