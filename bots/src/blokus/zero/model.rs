//! Networks of files, opened once and used again, and why an engine cannot be made of one.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use games::blokus::{Placement, Scene};
use models::blokus::{Fast, Paper};
use models::{Encoding, Layout, Metadata, Network, NetworkError, NnEngine, Precision};

use super::ZeroOptions;

/// The network of the project, from the folder of the repository or of a release.
pub const MODEL: &str = "models/blokus/blokus-zero.onnx";

/// The file of the project's network: [`MODEL`] in a folder above that of the program or above the current one.
///
/// # Errors
/// When it is in none of them.
pub fn find_model() -> Result<PathBuf, BuildError> {
    let program = std::env::current_exe().unwrap_or_default();
    let program = program.parent().unwrap_or(Path::new("."));
    let here = std::env::current_dir().unwrap_or_default();
    let folders = program.ancestors().chain(here.ancestors());
    let mut files = folders.map(|folder| folder.join(MODEL));
    files
        .find(|file| file.is_file())
        .ok_or_else(|| BuildError::NoModel {
            program: program.to_owned(),
            here: here.clone(),
        })
}

/// A network of a file for as many threads as want it: each takes one that is free, or makes one more from the first.
#[derive(Debug)]
pub struct Model {
    wanted: Wanted,
    layout: &'static Layout,
    pub(super) pack: fn(&Scene, &mut [u8]),
    pub(super) logit: fn(&Scene, Placement) -> u16,
    engine: NnEngine,
    metadata: Metadata,
    has_scores: bool,
    /// The network that is never lent: more are made from it, whatever has become of the file.
    first: Mutex<Network>,
    free: Mutex<Vec<Network>>,
}

/// Which network.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wanted {
    path: PathBuf,
    engine: NnEngine,
    precision: Option<Precision>,
}

impl Wanted {
    fn open(&self, layout: &Layout) -> Result<Network, NetworkError> {
        Network::open_in(&self.path, layout, self.engine, self.precision)
    }
}

impl Model {
    /// Opens a network for one of the layouts of Blokus.
    ///
    /// # Errors
    /// It cannot be opened, or is for another game.
    pub fn open(
        path: PathBuf,
        engine: NnEngine,
        precision: Option<Precision>,
    ) -> Result<Self, BuildError> {
        let wanted = Wanted {
            path,
            engine,
            precision,
        };
        match Self::of::<Fast>(wanted.clone()) {
            Err(NetworkError::Layout { .. }) => {}
            other => return Ok(other?),
        }
        match Self::of::<Paper>(wanted) {
            Err(NetworkError::Layout { path, found, .. }) => {
                Err(BuildError::Layout { path, found })
            }
            other => Ok(other?),
        }
    }

    fn of<E>(wanted: Wanted) -> Result<Self, NetworkError>
    where
        E: Encoding<Position = Scene, Move = Placement>,
    {
        let network = wanted.open(&E::LAYOUT)?;
        Ok(Self {
            wanted,
            layout: &E::LAYOUT,
            pack: E::pack,
            logit: E::logit,
            engine: network.engine(),
            metadata: network.metadata().clone(),
            has_scores: network.has_scores(),
            first: Mutex::new(network),
            free: Mutex::default(),
        })
    }

    fn free(&self) -> MutexGuard<'_, Vec<Network>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes sure that so many are free.
    ///
    /// # Errors
    /// One more cannot be made.
    pub fn provide(&self, count: usize) -> Result<(), NetworkError> {
        let mut free = self.free();
        while free.len() < count {
            free.push(self.one_more()?);
        }
        Ok(())
    }

    fn one_more(&self) -> Result<Network, NetworkError> {
        let first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        first.try_clone()
    }

    /// Lends a network.
    ///
    /// # Errors
    /// That of the borrower, or none is free and no more can be made.
    pub fn lend<T>(
        &self,
        borrow: impl FnOnce(&mut Network) -> Result<T, NetworkError>,
    ) -> Result<T, NetworkError> {
        let taken = self.free().pop();
        let mut network = match taken {
            Some(network) => network,
            None => self.one_more()?,
        };
        let result = borrow(&mut network);
        self.free().push(network);
        result
    }

    /// The layout.
    pub const fn layout(&self) -> &'static Layout {
        self.layout
    }

    /// What runs it.
    pub const fn engine(&self) -> NnEngine {
        self.engine
    }

    /// What its file says about it.
    pub const fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// How much of the values is to be the share by score, where so much is wanted: nothing if the network does not tell it,
    /// for what the values do not have in them, the ends of games must not either.
    pub const fn score_share(&self, wanted: f64) -> f64 {
        if self.has_scores { wanted } else { 0.0 }
    }

    /// The name of its file.
    pub fn name(&self) -> String {
        let name = self.wanted.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

/// The networks that were opened so far, for engines that are made later.
#[derive(Clone, Debug, Default)]
pub struct Models(Arc<Mutex<Vec<Arc<Model>>>>);

impl Models {
    /// The network of these options, opened if it is not yet.
    ///
    /// # Errors
    /// There is none, or it cannot be used.
    pub fn get(&self, options: &ZeroOptions) -> Result<Arc<Model>, BuildError> {
        let path = match &options.model {
            Some(path) => path.clone(),
            None => find_model()?,
        };
        let mut models = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = Wanted {
            path,
            engine: options.nn_engine,
            precision: options.precision.precision(),
        };
        if let Some(model) = models.iter().find(|model| model.wanted == wanted) {
            return Ok(Arc::clone(model));
        }
        let model = Model::open(wanted.path, wanted.engine, wanted.precision)?;
        let model = Arc::new(model);
        models.push(Arc::clone(&model));
        Ok(model)
    }
}

/// Why an engine cannot be made; says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No network is given, and that of the project is nowhere.
    #[error(
        "blokus-zero needs a network, and {MODEL} is in no folder above {} or {}; give one with --model FILE \
         (in a specification: model=FILE)",
        program.display(), here.display()
    )]
    NoModel {
        /// The folder of the program.
        program: PathBuf,
        /// The current folder.
        here: PathBuf,
    },
    /// The network is for something else.
    #[error(
        "the network {} is for {found}, but blokus-zero needs one for blokus-fast or blokus-paper; give another with \
         --model FILE", path.display()
    )]
    Layout {
        /// Its file.
        path: PathBuf,
        /// The layout it is for.
        found: String,
    },
    /// Two searches are asked for.
    #[error(
        "blokus-zero (--lazy): a network that is asked late has neither batches nor leaf playouts nor anything else that is \
         set of the search that evaluates every position at once; leave that out, or take lazy 0"
    )]
    LazyAndEager,
    /// A weight is given to answers that are not asked for.
    #[error("blokus-zero: weight is for a network that is asked late; set lazy, too")]
    WeightAlone,
    /// The network cannot be opened or run.
    #[error("blokus-zero (--model): {0}")]
    Network(#[from] NetworkError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_networks_are_made_without_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("network.onnx");
        let fixture = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../models/fixtures/tiny-fast.onnx"
        );
        std::fs::copy(fixture, &path).expect("a copy");
        let model = Model::open(path, NnEngine::Rten, None).expect("a network");
        drop(folder);
        model.provide(1).expect("one more");
        let mut packed = vec![0; model.layout().bytes()];
        (model.pack)(&Scene::new(), &mut packed);
        let value = |network: &mut Network| Ok(network.evaluate(&packed, 1)?.value.to_vec());
        let (first, second) = model
            .lend(|network| Ok((value(network)?, model.lend(value)?)))
            .expect("answers");
        assert_eq!(first, second);
        assert_eq!(model.free().len(), 2);
    }
}
