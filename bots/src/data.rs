//! Where the data of an installation lies: networks, and the table of Dobutsu shogi.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The data folder of an installation, from the folder in which `bin` is.
const SHARED: &str = "share/taikyoku";

static PROGRAM_FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Says where the programs of the installation are, for a process that is none of them, such as an interpreter. The first
/// call counts.
pub fn set_program_folder(folder: PathBuf) {
    PROGRAM_FOLDER.get_or_init(|| folder);
}

/// The folder of this program, or the one that [`set_program_folder`] has named.
pub(crate) fn program_folder() -> PathBuf {
    let own = || Some(env::current_exe().ok()?.parent()?.to_owned());
    PROGRAM_FOLDER
        .get()
        .cloned()
        .or_else(own)
        .unwrap_or_default()
}

/// The folder `taikyoku` in the user's folder for data; `None` where the environment names no such folder.
pub(crate) fn of_user() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty());
    let data = set("XDG_DATA_HOME")
        .or_else(|| set("LOCALAPPDATA"))
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(set("HOME")?).join(".local/share")))?;
    Some(data.join("taikyoku"))
}

/// Looks for a file of the project: in the folders above that of the program, in those above the folder `here`, in
/// `share/taikyoku` beside the folder of the program, and in the user's data.
pub(crate) fn find(
    file: &str,
    program: &Path,
    here: &Path,
    of_user: Option<&Path>,
) -> Option<PathBuf> {
    let above = program.ancestors().chain(here.ancestors());
    let shared = program.parent().map(|prefix| prefix.join(SHARED));
    let folders = above.map(Path::to_owned).chain(shared);
    let mut files = folders
        .chain(of_user.map(Path::to_owned))
        .map(|folder| folder.join(file));
    files.find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_found_above_the_program_in_an_installation_and_in_the_data_of_the_user() {
        let root = tempfile::tempdir().expect("a folder");
        let root = root.path();
        let make = |path: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(&path, "").expect("a file");
            path
        };
        let found = || {
            let (program, here) = (root.join("usr/bin"), root.join("home/me"));
            find(
                "models/a.onnx",
                &program,
                &here,
                Some(&root.join("home/data")),
            )
        };
        assert_eq!(found(), None);
        // The later ones go before the earlier ones.
        for path in [
            "home/data/models/a.onnx",
            "usr/share/taikyoku/models/a.onnx",
            "home/models/a.onnx",
            "usr/models/a.onnx",
        ] {
            let path = make(path);
            assert_eq!(found(), Some(path));
        }
    }
}
