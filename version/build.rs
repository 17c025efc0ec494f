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

/// What git says; `None` where there is no git, or it fails.
fn git(folder: &Path, words: &[&str]) -> Option<String> {
    let output = Command::new("git").args(words).current_dir(folder).output();
    let output = output.ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim_end().to_owned())
}
