//! rten, an engine in Rust.

use std::sync::Arc;

use rten::{Model, NodeId, RunOptions, ThreadPool, Value, ValueOrView};
use rten_tensor::TensorView;
use rten_tensor::prelude::*;

use super::engine::{Engine, INPUTS, Input, OUTPUTS};

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
