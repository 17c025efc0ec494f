//! Results as people and as programs read them.

pub(super) mod gat;
pub(super) mod native;
mod summary;
pub(super) mod uecda;
