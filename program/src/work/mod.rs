//! Work for other machines: a driver hands out pieces of it to a *carrier*, a program that brings each piece to a worker,
//! wherever that is, and what the worker has written back. Both ends speak lines of JSON (`docs/many_machines.md`).

mod exchange;
mod queue;
mod transport;

use serde::{Deserialize, Serialize};

pub use exchange::{Driver, LONGEST_LINE, Pipes};
pub use queue::{Loss, Queue};
pub use transport::Transport;

/// A line to the carrier, which passes it on to workers as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Request<C, W> {
    /// The first line: what a worker must agree with.
    Contest(C),
    /// Work for one worker.
    Piece(Piece<W>),
}

/// Work for one worker, which takes about a minute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece<W> {
    /// Its number, which no other piece of the same run has.
    pub piece: u64,
    /// What is to be done.
    #[serde(flatten)]
    pub work: W,
}

/// A line from the carrier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Reply<L> {
    /// How many pieces it takes at the same time from now on.
    Slots {
        /// How many.
        slots: usize,
    },
    /// A piece is over.
    Over {
        /// Its number.
        piece: u64,
        /// Time of the worker, in milliseconds.
        ms: u64,
        /// What the worker has written.
        lines: Vec<L>,
    },
    /// A piece is lost: its machine has vanished, or its worker has failed.
    Lost {
        /// Its number.
        piece: u64,
        /// Why.
        lost: String,
    },
}
