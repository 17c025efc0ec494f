//! Leagues of real programs over real sockets.

mod acts;
mod archive;
mod aside;
#[cfg(target_os = "linux")]
pub(crate) mod confined;
mod ends;
mod events;
mod links;
mod remote;
mod resume;
#[cfg(target_os = "linux")]
mod strangers;
mod workers;
