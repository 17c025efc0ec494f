//! Networks in Rust alone: the nodes of an ONNX file one after the other, with the matrix products of rten-gemm.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::engine::{Engine, INPUTS, Input, OUTPUTS};
use super::graph::{Graph, Node};
use super::operator::{Operator, rectified};
use super::tensor::Tensor;

pub(super) struct Rten {
    plan: Arc<Plan>,
    values: Vec<Tensor>,
    room: Vec<f32>,
}

struct Plan {
    constants: Vec<Tensor>,
    steps: Vec<Step>,
    /// How many values there are at a time; those of the inputs come first.
    values: usize,
    outputs: Vec<usize>,
}

struct Step {
    operator: Operator,
    inputs: Vec<Place>,
    outputs: Vec<usize>,
    relu: bool,
    /// The name of its first output, which errors tell.
    name: String,
}

#[derive(Clone, Copy)]
enum Place {
    Constant(usize),
    Value(usize),
}

impl Plan {
    fn of(graph: Graph) -> Result<Self, String> {
        let mut uses = BTreeMap::<&str, usize>::new();
        let inputs = graph
            .nodes
            .iter()
            .flat_map(|node| &node.inputs)
            .map(String::as_str);
        for name in inputs.chain(OUTPUTS) {
            *uses.entry(name).or_default() += 1;
        }
        let alone: BTreeSet<String> = uses
            .into_iter()
            .filter(|&(_, uses)| uses == 1)
            .map(|(name, _)| name.to_owned())
            .collect();
        let mut plan = Self {
            constants: Vec::new(),
            steps: Vec::new(),
            values: INPUTS.len(),
            outputs: Vec::new(),
        };
        let mut weights = graph.weights;
        let mut places: BTreeMap<String, Place> = INPUTS
            .into_iter()
            .enumerate()
            .map(|(i, name)| (name.to_owned(), Place::Value(i)))
            .collect();
        for node in graph.nodes {
            let name = node.outputs.first().cloned().unwrap_or_default();
            plan.add(node, &mut weights, &mut places, &alone)
                .map_err(|reason| format!("`{name}`: {reason}"))?;
        }
        for name in OUTPUTS {
            match places.get(name) {
                Some(&Place::Value(at)) => plan.outputs.push(at),
                _ if name == OUTPUTS[2] => {}
                _ => return Err(format!("`{name}` is not computed")),
            }
        }
        plan.share_room();
        Ok(plan)
    }

    /// Adds a node, or computes it where it takes nothing but weights.
    fn add(
        &mut self,
        node: Node,
        weights: &mut BTreeMap<String, Tensor>,
        places: &mut BTreeMap<String, Place>,
        alone: &BTreeSet<String>,
    ) -> Result<(), String> {
        if let ("Relu", [input], [output]) = (&*node.operator, &*node.inputs, &*node.outputs)
            && alone.contains(input)
            && let Some(&Place::Value(at)) = places.get(input)
            && let Some(step) = self.steps.iter_mut().find(|step| step.outputs == [at])
        {
            step.relu = true;
            places.insert(output.clone(), Place::Value(at));
            return Ok(());
        }
        let fixed = node
            .inputs
            .iter()
            .all(|name| name.is_empty() || weights.contains_key(name));
        let names = node.outputs.clone();
        let (operator, inputs) = Operator::of(node, |name| weights.get(name))?;
        let mut found = Vec::new();
        for name in inputs {
            if let Some(weight) = weights.get(&name)
                && !places.contains_key(&name)
            {
                places.insert(name.clone(), Place::Constant(self.constants.len()));
                self.constants.push(weight.clone());
            }
            found.push(
                *places
                    .get(&name)
                    .ok_or_else(|| format!("`{name}` is not there"))?,
            );
        }
        if fixed {
            let mut outputs = vec![Tensor::default(); names.len()];
            let inputs: Vec<_> = found.iter().map(|&at| self.tensor(&[], at)).collect();
            operator.run(&inputs, &mut outputs, &mut Vec::new())?;
            weights.extend(names.into_iter().zip(outputs));
            return Ok(());
        }
        let outputs: Vec<_> = (self.values..).take(names.len()).collect();
        self.values += names.len();
        let name = names.first().cloned().unwrap_or_default();
        places.extend(
            names
                .into_iter()
                .zip(outputs.iter().map(|&at| Place::Value(at))),
        );
        self.steps.push(Step {
            operator,
            inputs: found,
            outputs,
            relu: false,
            name,
        });
        Ok(())
    }

    /// Gives values that are not needed at the same time the same room.
    fn share_room(&mut self) {
        let mut last: Vec<usize> = vec![0; self.values];
        for (i, step) in self.steps.iter().enumerate() {
            for &place in &step.inputs {
                if let Place::Value(at) = place {
                    last[at] = i;
                }
            }
            step.outputs.iter().for_each(|&at| last[at] = i);
        }
        for at in (0..INPUTS.len()).chain(self.outputs.iter().copied()) {
            last[at] = usize::MAX;
        }
        let mut rooms: Vec<usize> = (0..self.values).collect();
        let (mut used, mut free) = (INPUTS.len(), Vec::new());
        for (i, step) in self.steps.iter_mut().enumerate() {
            let mut over: Vec<_> = step
                .outputs
                .iter()
                .copied()
                .filter(|&at| last[at] == i)
                .collect();
            for output in &mut step.outputs {
                let room = free.pop().unwrap_or_else(|| {
                    used += 1;
                    used - 1
                });
                rooms[*output] = room;
                *output = room;
            }
            for place in &mut step.inputs {
                if let Place::Value(at) = place {
                    if last[*at] == i && !over.contains(at) {
                        over.push(*at);
                    }
                    *at = rooms[*at];
                }
            }
            free.extend(over.into_iter().map(|at| rooms[at]));
        }
        self.outputs.iter_mut().for_each(|at| *at = rooms[*at]);
        self.values = used;
    }

    fn tensor<'a>(&'a self, values: &'a [Tensor], place: Place) -> &'a Tensor {
        match place {
            Place::Constant(at) => &self.constants[at],
            Place::Value(at) => &values[at],
        }
    }
}

impl Rten {
    pub(super) fn open(bytes: &[u8]) -> Result<Self, String> {
        let graph = Graph::read(bytes).map_err(|malformed| malformed.0.to_owned())?;
        Ok(Self::of(Arc::new(Plan::of(graph)?)))
    }

    fn of(plan: Arc<Plan>) -> Self {
        Self {
            values: vec![Tensor::default(); plan.values],
            room: Vec::new(),
            plan,
        }
    }
}

impl Engine for Rten {
    fn run(&mut self, n: usize, inputs: &[Input<'_>]) -> Result<(), String> {
        for (value, input) in self.values.iter_mut().zip(inputs) {
            let shape = [&[n], input.shape].concat();
            if shape.iter().product::<usize>() != input.numbers.len() {
                return Err(format!("{} numbers are not {shape:?}", input.numbers.len()));
            }
            value.resize(&shape)?.copy_from_slice(input.numbers);
        }
        let Self { plan, values, room } = self;
        for step in &plan.steps {
            let mut outputs: Vec<_> = step
                .outputs
                .iter()
                .map(|&at| std::mem::take(&mut values[at]))
                .collect();
            let inputs: Vec<_> = step
                .inputs
                .iter()
                .map(|&at| plan.tensor(values, at))
                .collect();
            let done = step.operator.run(&inputs, &mut outputs, room);
            done.map_err(|reason| format!("`{}`: {reason}", step.name))?;
            if step.relu {
                let numbers = outputs[0].numbers.iter_mut();
                numbers.for_each(|number| *number = rectified(*number));
            }
            for (&at, output) in step.outputs.iter().zip(outputs) {
                values[at] = output;
            }
        }
        Ok(())
    }

    fn output(&self, index: usize) -> &[f32] {
        let at = self
            .plan
            .outputs
            .get(index)
            .and_then(|&at| self.values.get(at));
        at.map_or(&[], |value| &value.numbers)
    }

    fn again(&self) -> Result<Box<dyn Engine>, String> {
        Ok(Box::new(Self::of(Arc::clone(&self.plan))))
    }
}
