//! Engines as a line of text, for matches and experiments.

use std::str::FromStr;
use std::time::Duration;

use clap::ValueEnum;

use super::zero::{Playouts, ZeroOptions};
use super::{EngineName, EngineOptions};
use crate::client::spec::{self, Key, SpecificationError, Specified, Value};
use crate::search::puct::FirstPlay;

/// What `blokus-zero` alone has.
const ZERO: &[EngineName] = &[EngineName::BlokusZero];

/// A key of `blokus-zero` that sets this.
const fn zero(
    names: &'static [&'static str],
    help: &'static str,
    value: Value<EngineOptions>,
) -> Key<EngineOptions> {
    Key::new(names, help, value).of(ZERO)
}

/// What of `blokus-zero` only the search has that evaluates every position at once.
fn eager(options: &mut EngineOptions) -> &mut ZeroOptions {
    options.zero.is_eager = true;
    &mut options.zero
}

impl Specified for EngineOptions {
    type Name = EngineName;

    const KEYS: &'static [Key<Self>] = &[
        zero(
            &["model"],
            "the network, an .onnx file",
            Value::File(|o, path| o.zero.model = Some(path)),
        ),
        zero(
            &["simulations"],
            "most simulations a move",
            Value::Number(|o, n| o.playouts = Some(n as u64)),
        ),
        zero(
            &["nn"],
            "what runs the network",
            Value::Word(&["auto", "ort", "rten"], |o, word| {
                o.zero.nn_engine = ValueEnum::from_str(word, true).expect("a listed engine");
            }),
        ),
        zero(
            &["precision"],
            "which file of the network is taken",
            Value::Word(&["auto", "fp32", "int8"], |o, word| {
                o.zero.precision = ValueEnum::from_str(word, true).expect("a listed precision");
            }),
        ),
        zero(
            &["batch"],
            "positions that a thread has evaluated together",
            Value::Number(|o, n| eager(o).batch = (n as usize).clamp(1, 1024)),
        ),
        zero(
            &["score"],
            "share of the score in values, 0 to 1",
            Value::Number(|o, n| eager(o).score_share = n.min(1.0)),
        ),
        zero(
            &["exploration"],
            "init of PUCT",
            Value::Number(|o, n| eager(o).exploration = n),
        ),
        zero(
            &["first"],
            "value of moves without visits",
            Value::Number(|o, n| eager(o).first_play = FirstPlay::Value(n)),
        ),
        zero(
            &["below"],
            "how much less than the position moves without visits are worth",
            Value::Number(|o, n| eager(o).first_play = FirstPlay::Below(n)),
        ),
        zero(
            &["gumbel"],
            "moves that a Gumbel root considers, 0 for none",
            Value::Number(|o, n| eager(o).considered = Some(n as usize).filter(|&n| n > 0)),
        ),
        zero(
            &["leaf"],
            "playouts from each evaluated position",
            Value::Number(|o, n| eager(o).playouts.count = n.min(Playouts::MOST.into()) as u32),
        ),
        zero(
            &["mix"],
            "share of these playouts in its value, 0 to 1",
            Value::Number(|o, n| eager(o).playouts.share = n.min(1.0)),
        ),
        zero(
            &["lazy"],
            "visits of a position after which the network is asked, 0 for at once, 6 on time alone",
            Value::Number(|o, n| o.zero.lazy = Some(n.min(ZeroOptions::MOST_LAZY.into()) as u32)),
        ),
        zero(
            &["weight"],
            "playouts that its answer counts as then",
            Value::Number(|o, n| {
                o.zero.weight = Some(n.min(ZeroOptions::MOST_WEIGHT.into()) as u32);
            }),
        ),
        zero(
            &["packing"],
            "whether the best packing is looked for once one colour alone can move",
            Value::Switch(|o, is_on| eager(o).packing = is_on),
        ),
        Key::new(
            &["playouts", "nodes"],
            "playouts or nodes a move",
            Value::Number(|o, n| o.playouts = Some(n as u64)),
        ),
        Key::new(
            &["ms"],
            "most milliseconds a move",
            Value::Number(|o, n| o.time = Some(Duration::from_secs_f64(n.min(1e9) / 1000.0))),
        ),
        Key::new(
            &["threads"],
            "threads of the search",
            Value::Number(|o, n| o.threads = (n as usize).clamp(1, 256)),
        ),
        Key::new(
            &["epsilon"],
            "chance of a uniformly random move in greedy and in playouts, 0 to 1",
            Value::Number(|o, n| o.epsilon = Some(n.min(1.0))),
        ),
        Key::new(
            &["exact"],
            "whether playouts draw uniformly over moves",
            Value::Switch(|o, is_on| o.exact = is_on),
        ),
        Key::new(
            &["exploration"],
            "C of UCB1 in the Monte Carlo tree searches",
            Value::Number(|o, n| o.exploration = n),
        ),
        Key::new(
            &["history"],
            "W of Progressive History in them",
            Value::Number(|o, n| o.history = n),
        ),
    ];

    fn named(engine: EngineName) -> Self {
        Self::named(engine)
    }
}

/// Reads `NAME[:option=value]...`, for example `mcts-maxn:playouts=800`, `best:ms=1000` or
/// `blokus-zero:model=FILE:simulations=800`.
impl FromStr for EngineOptions {
    type Err = SpecificationError;

    fn from_str(text: &str) -> Result<Self, SpecificationError> {
        spec::read(text)
    }
}
