//! The Daihinmin bots: engines, their match runner for experiments, and the UECda client.

mod engine;

pub use engine::Engine;
