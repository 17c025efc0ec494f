//! Leagues of real programs over real sockets.

mod ends;
mod resume;
