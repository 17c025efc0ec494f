//! Sans-I/O codecs and state machines of the protocols that Taikyoku speaks.
//!
//! A protocol is a module with its specification as a page beside it: [`uecda`] (`UECDA.md`), [`gat`]
//! (`GAT.md`), [`native`] (`NATIVE.md`), [`gtp`] (`GTP.md`), [`usi`] (`USI.md`). Bytes become typed messages and messages become bytes. Nothing here
//! opens a socket, keeps a clock or knows the rules of a game beyond what its wire format needs. [`tls`] is what both
//! ends of a connection in TLS are made of. Input from outside becomes a typed value or a typed error, never a panic.
//!
//! Error types, and what a native server says, are `#[non_exhaustive]`; the messages of a contest's
//! protocol, which its organisers fixed, are not.

pub mod gat;
pub mod gtp;
mod line;
pub mod native;
#[cfg(feature = "tls")]
pub mod tls;
pub mod uecda;
pub mod usi;

pub use line::{Line, LineEnd, LineReader};
