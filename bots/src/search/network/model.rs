//! Networks of files, opened once and used again, and why an engine cannot be made of one.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use models::{Metadata, Network, NetworkError, NnEngine, Precision};
use serde_json::{Value, json};

use super::{GameLayout, Networked};
use crate::data;
use crate::search::lock;

/// The file of the project's network: [`Networked::MODEL`] in a folder above that of the program or above the current one,
/// or in an installation: `share/taikyoku` beside the folder of the program, or `taikyoku` in the user's folder for data.
///
/// # Errors
/// When it is in none of them.
pub fn find_model<G: Networked>() -> Result<PathBuf, ModelError> {
    let program = data::program_folder();
    let here = std::env::current_dir().unwrap_or_default();
    data::find(G::MODEL, &program, &here, data::of_user().as_deref()).ok_or_else(|| {
        ModelError::NoModel {
            engine: G::ENGINE,
            model: G::MODEL,
            program: program.clone(),
            here: here.clone(),
        }
    })
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelOptions {
    /// The network; without it that of the project, see [`find_model`].
    pub model: Option<PathBuf>,
    pub nn_engine: NnEngine,
    pub precision: Precision,
}

/// A network of a file for as many threads as want it: each takes one that is free, or makes one more from the first.
#[derive(Debug)]
pub struct Model<G: Networked> {
    /// With the path of the network in any case.
    options: ModelOptions,
    form: &'static GameLayout<G>,
    engine: NnEngine,
    metadata: Metadata,
    has_scores: bool,
    /// The network that is never lent: more are made from it, whatever has become of the file.
    first: Mutex<Network>,
    free: Mutex<Vec<Network>>,
}

impl<G: Networked> Model<G> {
    /// Opens a network for one of the layouts of the game.
    ///
    /// # Errors
    /// It cannot be opened, or is for another game.
    pub fn open(mut options: ModelOptions) -> Result<Self, ModelError> {
        let path = options.model.take().map_or_else(find_model::<G>, Ok)?;
        let mut found = String::new();
        for form in G::FORMS {
            match Network::open_in(&path, form.layout, options.nn_engine, options.precision) {
                Ok(network) => {
                    options.model = Some(path);
                    return Ok(Self {
                        options,
                        form,
                        engine: network.engine(),
                        metadata: network.metadata().clone(),
                        has_scores: network.has_scores(),
                        first: Mutex::new(network),
                        free: Mutex::default(),
                    });
                }
                Err(NetworkError::Layout { found: other, .. }) => found = other,
                Err(error) => return Err(error.into()),
            }
        }
        let layouts: Vec<_> = G::FORMS.iter().map(|form| form.layout.name).collect();
        Err(ModelError::Layout {
            engine: G::ENGINE,
            layouts: layouts.join(" or "),
            path,
            found,
        })
    }

    fn free(&self) -> MutexGuard<'_, Vec<Network>> {
        lock(&self.free)
    }

    /// Makes sure that so many are free.
    pub fn provide(&self, count: usize) -> Result<(), NetworkError> {
        let mut free = self.free();
        while free.len() < count {
            free.push(self.one_more()?);
        }
        Ok(())
    }

    fn one_more(&self) -> Result<Network, NetworkError> {
        let first = lock(&self.first);
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

    pub const fn form(&self) -> &'static GameLayout<G> {
        self.form
    }

    pub const fn engine(&self) -> NnEngine {
        self.engine
    }

    pub const fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// How much of the values is to be the share by score, where so much is wanted: nothing if the network does not tell it,
    /// for what the values do not have in them, the ends of games must not either.
    pub const fn score_share(&self, wanted: f64) -> f64 {
        if self.has_scores { wanted } else { 0.0 }
    }

    pub fn name(&self) -> String {
        let path = self.options.model.as_deref();
        let name = path.and_then(Path::file_name).unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    pub fn about(&self) -> Value {
        json!({
            "model": self.name(),
            "nn_engine": self.engine.to_string(),
            "precision": self.metadata.precision.to_string(),
        })
    }
}

/// Files that were opened so far, by what was asked for, for engines that are made later. Copies have them in common.
pub struct Opened<K, T>(Arc<Mutex<KeyedList<K, T>>>);

type KeyedList<K, T> = Vec<(K, Arc<T>)>;

impl<K, T> Clone for Opened<K, T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K, T> Default for Opened<K, T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K, T> fmt::Debug for Opened<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Opened")
    }
}

impl<K: PartialEq + Clone, T> Opened<K, T> {
    /// What is opened for a key, if it is not yet.
    pub fn get_or<E>(&self, key: K, open: impl FnOnce(K) -> Result<T, E>) -> Result<Arc<T>, E> {
        let mut opened = lock(&self.0);
        if let Some((_, known)) = opened.iter().find(|(other, _)| *other == key) {
            return Ok(Arc::clone(known));
        }
        let new = Arc::new(open(key.clone())?);
        opened.push((key, Arc::clone(&new)));
        Ok(new)
    }
}

pub type Models<G> = Opened<ModelOptions, Model<G>>;

impl<G: Networked> Models<G> {
    /// The network of these options, opened if it is not yet.
    pub fn get(&self, options: &ModelOptions) -> Result<Arc<Model<G>>, ModelError> {
        let model = options.model.clone().map_or_else(find_model::<G>, Ok)?;
        let wanted = ModelOptions {
            model: Some(model),
            ..*options
        };
        self.get_or(wanted, Model::open)
    }
}

/// Why there is no network for an engine; says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    #[error(
        "{engine} needs a network, and {model} is in no folder above {} or {}, and in no data folder \
         (docs/install.md); give one with --model FILE (in a specification model=FILE, in Python model=\"FILE\")",
        program.display(), here.display()
    )]
    NoModel {
        engine: &'static str,
        model: &'static str,
        program: PathBuf,
        here: PathBuf,
    },
    #[error(
        "the network {} is for {found}, but {engine} needs one for {layouts}; give another with --model FILE", path.display()
    )]
    Layout {
        engine: &'static str,
        layouts: String,
        path: PathBuf,
        found: String,
    },
    #[error("--model: {0}")]
    Network(#[from] NetworkError),
}

#[cfg(test)]
mod tests {
    use super::*;

    use games::blokus::Scene;

    #[test]
    fn more_networks_are_made_without_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("network.onnx");
        let fixture = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../models/fixtures/tiny-fast.onnx"
        );
        std::fs::copy(fixture, &path).expect("a copy");
        let model = Model::<Scene>::open(ModelOptions {
            model: Some(path),
            nn_engine: NnEngine::Rten,
            ..ModelOptions::default()
        });
        let model = model.expect("a network");
        drop(folder);
        model.provide(1).expect("one more");
        let mut packed = vec![0; model.form().layout.bytes()];
        (model.form().pack)(&Scene::new(), &mut packed);
        let value = |network: &mut Network| Ok(network.evaluate(&packed, 1)?.value.to_vec());
        let (first, second) = model
            .lend(|network| Ok((value(network)?, model.lend(value)?)))
            .expect("answers");
        assert_eq!(first, second);
        assert_eq!(model.free().len(), 2);
    }
}
