//! Codecs and state machines, without input or output, of the protocols that Taikyoku speaks.
//!
//! A protocol is a module with its specification as a page beside the crate: [`uecda`] (`UECDA.md`), [`gat`] (`GAT.md`),
//! [`native`] (`NATIVE.md`), [`gtp`] (`GTP.md`), [`usi`] (`USI.md`). Each has both ends: bytes become typed messages, and
//! messages become bytes. [`tls`] is what both ends of a connection in TLS are made of.
//!
//! Nothing here opens a socket, keeps a clock, or knows the rules of a game beyond what its wire format needs. Input from
//! outside becomes a typed value or a typed error and never a panic; lines and frames have a maximum length.
//!
//! Error types, and what a native server says, are `#[non_exhaustive]`. The messages of a contest's protocol are not,
//! because its organisers fixed them.
//!
//! Begin reading at a `message.rs`, then at the `server_end.rs` beside it.

pub mod gat;
pub mod gtp;
mod line;
pub mod native;
pub mod tls;
pub mod uecda;
pub mod usi;

pub use line::{Line, LineEnd, LineReader};
