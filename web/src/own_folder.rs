//! The gateway's own folder: what is in it lasts no longer than the gateway, and no other user may read it.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::{env, io};

use tempfile::TempDir;

const PREFIX: &str = "taikyoku-web-";
/// The file in it that its gateway has locked. The lock ends with the process, however that ends.
const LOCK: &str = "lock";

/// A folder that is removed with this. That of a gateway which was killed is removed by the next one.
pub(crate) struct OwnFolder {
    folder: TempDir,
    _lock: File,
}

impl OwnFolder {
    /// Makes one among the temporary files.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn make() -> io::Result<OwnFolder> {
        OwnFolder::make_in(&env::temp_dir())
    }

    fn make_in(place: &Path) -> io::Result<OwnFolder> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        builder.permissions(<Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o700));
        let folder = builder.tempdir_in(place)?;
        // Another gateway that starts at this time finds the file only once it is locked.
        let new = folder.path().join("new");
        let lock = File::create_new(&new)?;
        lock.lock()?;
        fs::rename(&new, folder.path().join(LOCK))?;
        let own = OwnFolder {
            folder,
            _lock: lock,
        };
        own.remove_others(place)?;
        Ok(own)
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A folder in it, for a table.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn folder(&self) -> io::Result<TempDir> {
        tempfile::tempdir_in(self.path())
    }

    /// Removes the folders of this user's gateways that have ended without doing so.
    fn remove_others(&self, place: &Path) -> io::Result<()> {
        let own = self.path().symlink_metadata()?;
        for entry in fs::read_dir(place)?.filter_map(Result::ok) {
            let is_named = entry
                .file_name()
                .as_encoded_bytes()
                .starts_with(PREFIX.as_bytes());
            if !is_named || !entry.metadata().is_ok_and(|other| is_alike(&own, &other)) {
                continue;
            }
            let lock = File::open(entry.path().join(LOCK));
            if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
                // Another gateway may be quicker.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        Ok(())
    }
}

/// Whether both are folders of the same user.
fn is_alike(own: &fs::Metadata, other: &fs::Metadata) -> bool {
    own.uid() == other.uid() && other.is_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_gateway_that_was_killed_is_removed_by_the_next_one() {
        let place = tempfile::tempdir().unwrap();
        let killed = place.path().join(format!("{PREFIX}killed"));
        fs::create_dir(&killed).unwrap();
        fs::write(killed.join(LOCK), "").unwrap();
        fs::write(killed.join("token"), "5ec7e7").unwrap();
        let other = place.path().join("other");
        fs::create_dir(&other).unwrap();
        fs::write(other.join(LOCK), "").unwrap();
        let first = OwnFolder::make_in(place.path()).unwrap();
        assert!(!killed.exists() && other.exists());
        let token = first.folder().unwrap().keep();
        let second = OwnFolder::make_in(place.path()).unwrap();
        assert!(token.exists(), "its gateway runs");
        for own in [&first, &second] {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = own.path().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
        }
        drop(first);
        assert!(!token.exists());
    }
}
