//! ONNX Runtime, whose library is looked for when it is needed.

use std::env;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ort::environment::Environment;
use ort::session::{Session, SessionInputValue};
use ort::value::{DynValue, TensorRef};
use sha2::{Digest as _, Sha256};

use super::engine::{Engine, INPUTS, Input, OUTPUTS};
use super::error::NetworkError;

const VARIABLE: &str = "ORT_DYLIB_PATH";

/// The script that fetches the library, with the SHA-256 of each that it may fetch.
const FETCHING: &str = include_str!("../../fetch-onnxruntime");

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
        match checked(&path).and_then(|()| load(&path)) {
            Ok(environment) => return Ok(environment),
            Err(reason) => {
                log::warn!("{} cannot be used: {reason}", path.display());
                tried.push(format!("{}: {reason}", path.display()));
            }
        }
    }
    tried.push(format!(
        "not beside {}, not as .ort/{name} beside the folder `target` that it was built in",
        executable.display()
    ));
    Err(Absent::NotFound(tried.join("; ")))
}

/// The places of a library that come with an executable: beside it, then `.ort` of the project whose `target` it lies in.
fn near(executable: &Path, name: &str) -> impl Iterator<Item = PathBuf> {
    let beside = executable.parent().map(|folder| folder.join(name));
    let target = executable
        .ancestors()
        .skip(1)
        .find(|folder| folder.ends_with("target"));
    let project = target.and_then(Path::parent);
    let fetched = project.map(|folder| folder.join(".ort").join(name));
    beside.into_iter().chain(fetched)
}

/// Refuses a library that nobody has named and that the project does not fetch: whatever lies there would run.
fn checked(path: &Path) -> Result<(), String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let mut hash = String::new();
    for byte in Sha256::digest(&bytes) {
        let _ = write!(hash, "{byte:02x}");
    }
    if FETCHING.contains(&hash) {
        Ok(())
    } else {
        Err(format!(
            "its SHA-256 {hash} is not one of those that are known here; {VARIABLE} takes any library"
        ))
    }
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

pub(super) struct OnnxRuntime {
    session: Session,
    environment: &'static Environment,
    bytes: Arc<[u8]>,
    /// The outputs of the last run, in the order of [`OUTPUTS`].
    last: Vec<DynValue>,
}

impl OnnxRuntime {
    pub(super) fn open(
        environment: &'static Environment,
        bytes: Arc<[u8]>,
    ) -> Result<Self, String> {
        let session = session(environment, &bytes).map_err(|error| error.to_string())?;
        Ok(Self {
            session,
            environment,
            bytes,
            last: Vec::new(),
        })
    }

    fn evaluate(&mut self, n: usize, inputs: &[Input<'_>]) -> ort::Result<()> {
        let mut values: Vec<(&str, SessionInputValue<'_>)> = Vec::with_capacity(inputs.len());
        for (name, input) in INPUTS.into_iter().zip(inputs) {
            let shape: Vec<usize> = [n].iter().chain(input.shape).copied().collect();
            let tensor = TensorRef::from_array_view((shape, input.numbers))?;
            values.push((name, tensor.into()));
        }
        // Before the run, so that the memory of the old outputs is taken again.
        self.last.clear();
        let mut outputs = self.session.run(values)?;
        self.last
            .extend(OUTPUTS.iter().map_while(|name| outputs.remove(name)));
        Ok(())
    }
}

fn session(environment: &Environment, bytes: &[u8]) -> ort::Result<Session> {
    // Threads that spin while they wait take CPU from the search.
    Session::builder(environment)?
        .with_intra_threads(1)?
        .with_intra_op_spinning(false)?
        .with_inter_op_spinning(false)?
        .commit_from_memory(bytes)
}

impl Engine for OnnxRuntime {
    fn run(&mut self, n: usize, inputs: &[Input<'_>]) -> Result<(), String> {
        self.evaluate(n, inputs).map_err(|error| error.to_string())
    }

    fn output(&self, index: usize) -> &[f32] {
        self.last
            .get(index)
            .and_then(|value| value.try_extract_tensor::<f32>().ok())
            .map_or(&[], |(_, numbers)| numbers)
    }

    fn again(&self) -> Result<Box<dyn Engine>, String> {
        let again = Self::open(self.environment, Arc::clone(&self.bytes))?;
        Ok(Box::new(again))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_lies_beside_the_executable_or_in_its_project() {
        let places = |path: &str| near(Path::new(path), "lib.so").collect::<Vec<_>>();
        assert_eq!(
            places("/a/b/target/release/taikyoku"),
            ["/a/b/target/release/lib.so", "/a/b/.ort/lib.so"].map(PathBuf::from)
        );
        assert_eq!(
            places("/tmp/a/b/taikyoku"),
            [PathBuf::from("/tmp/a/b/lib.so")]
        );
    }

    #[test]
    fn a_library_of_unknown_content_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lib.so");
        std::fs::write(&path, "whatever").unwrap();
        let reason = checked(&path).unwrap_err();
        // `printf whatever | sha256sum`
        let hash = "85738f8f9a7f1b04b5329c590ebcb9e425925c6d0984089c43a022de4f19c281";
        assert!(reason.contains(hash), "{reason}");
    }

    #[test]
    fn every_library_that_is_fetched_is_known() {
        let is_hash = |word: &&str| word.len() == 64 && word.bytes().all(|b| b.is_ascii_hexdigit());
        let known = FETCHING.split('"').filter(is_hash).count();
        assert_eq!(known, 4);
    }
}
