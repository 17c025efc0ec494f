//! What runs networks: rten, or ONNX Runtime in builds that know it.

use std::sync::Arc;

use rten::{Model, NodeId, RunOptions, ThreadPool, Value, ValueOrView};
use rten_tensor::TensorView;
use rten_tensor::prelude::*;

use super::engine::{Engine, INPUTS, Input, NnEngine, OUTPUTS};
use super::error::NetworkError;
use super::file::{File, Precision};
#[cfg(feature = "onnxruntime")]
use super::onnxruntime::{self, Absent, OnnxRuntime};

/// Chooses the engine, ort or rten.
#[cfg(feature = "onnxruntime")]
pub(super) fn choose(engine: NnEngine) -> Result<NnEngine, NetworkError> {
    static WARNED: std::sync::Once = std::sync::Once::new();
    if engine == NnEngine::Rten {
        return Ok(NnEngine::Rten);
    }
    match onnxruntime::environment() {
        Ok(_) => Ok(NnEngine::Ort),
        Err(Absent::NotFound(_)) if engine == NnEngine::Auto => {
            WARNED.call_once(|| {
                // With a target of its own, a program that starts several bots can turn the warning off in theirs.
                log::warn!(
                    target: "onnxruntime",
                    "ONNX Runtime was not found: networks run in rten, 2 to 6 times slower; \
                     `models/fetch-onnxruntime` makes them faster"
                );
            });
            Ok(NnEngine::Rten)
        }
        Err(absent) => Err(absent.into()),
    }
}

/// Chooses the engine, which is rten.
#[cfg(not(feature = "onnxruntime"))]
pub(super) fn choose(engine: NnEngine) -> Result<NnEngine, NetworkError> {
    match engine {
        NnEngine::Ort => Err(NetworkError::NotBuilt),
        NnEngine::Auto | NnEngine::Rten => Ok(NnEngine::Rten),
    }
}

/// Starts an engine with the bytes of a file.
pub(super) fn start(file: &mut File, used: NnEngine) -> Result<Box<dyn Engine>, NetworkError> {
    let bytes = std::mem::take(&mut file.bytes);
    let engine: Result<Box<dyn Engine>, String> = if used == NnEngine::Ort {
        #[cfg(not(feature = "onnxruntime"))]
        return Err(NetworkError::NotBuilt);
        #[cfg(feature = "onnxruntime")]
        OnnxRuntime::open(onnxruntime::environment()?, Arc::from(bytes)).map(|it| Box::new(it) as _)
    } else {
        if let Some(operator) = file.header.dynamic_quantisation() {
            return Err(NetworkError::DynamicallyQuantised {
                path: file.path.clone(),
                operator: operator.to_owned(),
            });
        }
        if file.metadata.precision == Precision::Int8 {
            log::warn!(
                "{}: rten gains nothing from 8 bits; prefer the fp32 file",
                file.path.display()
            );
        }
        Rten::open(bytes).map(|it| Box::new(it) as _)
    };
    engine.map_err(|reason| NetworkError::of_engine(&file.path, used, reason))
}

/// A network in rten, an engine in Rust.
pub(super) struct Rten {
    model: Arc<Model>,
    inputs: Vec<NodeId>,
    outputs: Vec<NodeId>,
    /// Of one thread: a search has as many networks as threads.
    pool: Arc<ThreadPool>,
    last: Vec<Value>,
}

impl Rten {
    pub(super) fn open(bytes: Vec<u8>) -> Result<Self, String> {
        let model = Model::load(bytes).map_err(|error| error.to_string())?;
        Ok(Self::of(Arc::new(model)))
    }

    fn of(model: Arc<Model>) -> Self {
        let nodes = |names: &[&str]| {
            let nodes = names.iter().filter_map(|name| model.find_node(name));
            nodes.collect::<Vec<_>>()
        };
        Self {
            inputs: nodes(&INPUTS),
            outputs: nodes(&OUTPUTS),
            pool: Arc::new(ThreadPool::with_num_threads(1)),
            last: Vec::new(),
            model,
        }
    }
}

impl Engine for Rten {
    fn run(&mut self, n: usize, inputs: &[Input<'_>]) -> Result<(), String> {
        let inputs = self.inputs.iter().zip(inputs).map(|(&node, input)| {
            let shape: Vec<_> = [n].iter().chain(input.shape).copied().collect();
            let view = TensorView::from_data(shape.as_slice(), input.numbers);
            (node, ValueOrView::from(view))
        });
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&self.pool)));
        self.last = self
            .model
            .run(inputs.collect(), &self.outputs, Some(options))
            .map_err(|error| error.to_string())?;
        if (0..self.last.len()).any(|index| self.output(index).is_empty()) {
            return Err("an output is not a row of numbers".to_owned());
        }
        Ok(())
    }

    fn output(&self, index: usize) -> &[f32] {
        match self.last.get(index) {
            Some(Value::FloatTensor(tensor)) => tensor.data().unwrap_or_default(),
            _ => &[],
        }
    }

    fn again(&self) -> Result<Box<dyn Engine>, String> {
        Ok(Box::new(Self::of(Arc::clone(&self.model))))
    }
}
