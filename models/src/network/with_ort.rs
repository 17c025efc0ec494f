//! ONNX Runtime, through `ort`.

use std::sync::Arc;

use ort::environment::Environment;
use ort::session::{Session, SessionInputValue};
use ort::value::{DynValue, TensorRef};

use super::engine::{Engine, INPUTS, Input, OUTPUTS};

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

impl OnnxRuntime {
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
