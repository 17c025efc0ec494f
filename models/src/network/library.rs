//! Where the library of ONNX Runtime is.

use std::env;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ort::environment::Environment;

use super::NetworkError;

/// The variable that names the library.
const VARIABLE: &str = "ORT_DYLIB_PATH";

/// Why there is no library.
#[derive(Clone, Debug)]
pub(super) enum Absent {
    /// The one that [`VARIABLE`] names cannot be used.
    Named(PathBuf, String),
    /// None was found; where it was looked for.
    NotFound(String),
}

impl From<Absent> for NetworkError {
    fn from(absent: Absent) -> Self {
        match absent {
            Absent::Named(path, reason) => Self::LibraryPath { path, reason },
            Absent::NotFound(tried) => Self::NoLibrary { tried },
        }
    }
}

/// The one environment of ONNX Runtime that a process may have; the first call looks for the library.
pub(super) fn environment() -> Result<&'static Environment, Absent> {
    static FOUND: OnceLock<Result<Environment, Absent>> = OnceLock::new();
    FOUND.get_or_init(find).as_ref().map_err(Absent::clone)
}

fn find() -> Result<Environment, Absent> {
    if let Some(named) = env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        let path = PathBuf::from(named);
        return load(&path).map_err(|reason| Absent::Named(path, reason));
    }
    let name = format!("{DLL_PREFIX}onnxruntime{DLL_SUFFIX}");
    let executable = env::current_exe().unwrap_or_default();
    let mut tried = Vec::new();
    for path in near(&executable, &name).filter(|path| path.is_file()) {
        match load(&path) {
            Ok(environment) => return Ok(environment),
            Err(reason) => {
                log::warn!("{} cannot be used: {reason}", path.display());
                tried.push(format!("{}: {reason}", path.display()));
            }
        }
    }
    load(Path::new(&name)).map_err(|_| {
        tried.push(format!(
            "not beside {}, not as .ort/{name} in a folder above it, not on the system",
            executable.display()
        ));
        Absent::NotFound(tried.join("; "))
    })
}

/// The places of a library that come with an executable: beside it, then `.ort` in each folder above it.
fn near(executable: &Path, name: &str) -> impl Iterator<Item = PathBuf> {
    let folders = executable.ancestors().skip(1);
    let beside = folders.clone().take(1).map(move |folder| folder.join(name));
    beside.chain(folders.map(move |folder| folder.join(".ort").join(name)))
}

/// Loads a library; `ort` would panic if it were left to find it itself.
fn load(path: &Path) -> Result<Environment, String> {
    ort::init_from(path)
        .map_err(|error| error.to_string())?
        .with_name("taikyoku")
        .with_telemetry(false)
        .build()
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_the_executable_then_the_folders_above() {
        let places: Vec<_> = near(Path::new("/a/b/taikyoku"), "lib.so").collect();
        assert_eq!(
            places,
            [
                "/a/b/lib.so",
                "/a/b/.ort/lib.so",
                "/a/.ort/lib.so",
                "/.ort/lib.so"
            ]
            .map(PathBuf::from)
        );
    }
}
