//! Standard error of programs that made faults or ended badly, kept in files.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Files that are kept; of more, the oldest go.
const KEPT: usize = 100;

/// The folder of the files.
#[derive(Debug)]
pub(super) struct StderrFiles {
    folder: PathBuf,
    /// From the oldest to the newest; `None` until the folder has been looked at.
    files: Mutex<Option<VecDeque<PathBuf>>>,
}

impl StderrFiles {
    pub(super) const fn new(folder: PathBuf) -> StderrFiles {
        StderrFiles {
            folder,
            files: Mutex::new(None),
        }
    }

    /// Writes a file. One that fails costs a line in the log, and no game.
    pub(super) fn write(&self, name: &str, text: &str) {
        let letter = |c: char| {
            if c.is_alphanumeric() || "._-".contains(c) {
                c
            } else {
                '_'
            }
        };
        let name: String = name.chars().map(letter).collect();
        let path = self.folder.join(name + ".txt");
        if let Err(e) = self.try_write(&path, text) {
            log::warn!("{}: {e}", path.display());
        }
    }

    fn try_write(&self, path: &Path, text: &str) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let files = match &mut *files {
            Some(files) => files,
            files => files.insert(of_folder(&self.folder)?),
        };
        files.retain(|known| known != path);
        while files.len() >= KEPT {
            if let Some(oldest) = files.pop_front() {
                // Somebody may have been tidy.
                let _ = fs::remove_file(oldest);
            }
        }
        fs::write(path, text)?;
        files.push_back(path.to_owned());
        Ok(())
    }
}

fn of_folder(folder: &Path) -> io::Result<VecDeque<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "txt") {
            files.push((entry.metadata()?.modified()?, path));
        }
    }
    files.sort();
    Ok(files.into_iter().map(|(_, path)| path).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_files_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("stderr");
        let names = || -> Vec<String> {
            let files = fs::read_dir(&folder).unwrap();
            let names = files.map(|f| f.unwrap().file_name().into_string().unwrap());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        };
        let files = StderrFiles::new(folder.clone());
        for i in 0..KEPT + 5 {
            files.write(&format!("{i:03}"), "x");
        }
        assert_eq!((names().len(), &names()[0][..]), (KEPT, "005.txt"));
        // Those of an earlier run count, too.
        let files = StderrFiles::new(folder.clone());
        files.write("../a b/ü", "y");
        assert_eq!(names().len(), KEPT);
        assert!(names().contains(&".._a_b_ü.txt".to_owned()));
    }
}
