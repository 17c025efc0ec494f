//! The page: a gateway from browsers to tables.

mod assets;
mod listener;
mod routes;

pub use listener::Listener;
