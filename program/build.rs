//! Asks git where it notes the commits that are checked out. A program that says its commit reads that file when it is
//! compiled: after a commit only the programs are compiled again, and none of the packages that they are made of.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where it is"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where output goes"));
    let log = match log_of_head(&folder) {
        Some(path) => format!("Some(include_bytes!({path:?}))"),
        None => "None".to_owned(),
    };
    if let Some(path) = stable_file(&folder) {
        // Without the repository there is no log to include.
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let text = format!(
        "/// The log of HEAD, as git writes it; `None` where the sources are not in a repository of git.\n\
         #[macro_export]\n\
         macro_rules! log_of_head {{\n    () => {{\n        {log}\n    }};\n}}\n"
    );
    fs::write(out.join("log_of_head.rs"), text).expect("cargo's folder takes files");
}

/// The log of HEAD of the repository that these sources are in. The repository of something else, which they were unpacked
/// into, does not know them.
fn log_of_head(folder: &Path) -> Option<String> {
    git(folder, &["ls-files", "--error-unmatch", "build.rs"])?;
    let path = git(folder, &["rev-parse", "--git-path", "logs/HEAD"])?;
    let path = folder.join(path).canonicalize().ok()?;
    path.is_file().then_some(())?;
    path.into_os_string().into_string().ok()
}

/// A file of the repository that no commit changes.
fn stable_file(folder: &Path) -> Option<PathBuf> {
    let own = PathBuf::from(git(folder, &["rev-parse", "--absolute-git-dir"])?);
    let files = ["commondir", "description", "config"];
    let mut files = files.iter().map(|name| own.join(name));
    files.find(|path| path.is_file())
}

/// What git says; `None` where there is no git, or it fails.
fn git(folder: &Path, words: &[&str]) -> Option<String> {
    let mut git = Command::new("git");
    // A hook of git tells its commands of another repository.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(name);
    }
    let output = git.args(words).current_dir(folder).output();
    let output = output.ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim_end().to_owned())
}
