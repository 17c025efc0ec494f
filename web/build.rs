//! Lists the files of the page, so that the program carries them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let variable = |name| PathBuf::from(env::var_os(name).expect("cargo sets it"));
    let folder = variable("CARGO_MANIFEST_DIR").join("assets");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    collect(&folder, &mut files)?;
    files.sort();
    let mut text = "&[".to_owned();
    for file in files {
        let name = file.strip_prefix(&folder).expect("it lies in the folder");
        let name = name.to_str().expect("assets have plain names");
        let path = file.to_str().expect("the workspace has a plain name");
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "({:?}, include_bytes!({path:?})),",
            name.replace('\\', "/")
        );
    }
    fs::write(variable("OUT_DIR").join("assets.rs"), text + "]")
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
