//! Systems without Linux's table of processes and without a sandbox.

use std::io;
use std::process::Stdio;

use tokio::net::TcpListener;

/// The processes of a program; this system does not list them.
#[derive(Clone, Debug)]
pub struct Members;

impl Members {
    pub(super) const fn new(_: u32) -> Members {
        Members
    }

    pub(super) const fn note_reaped(&self) {}

    pub(crate) const fn holds(&self, _: u64, _: u32) -> bool {
        true
    }
}

/// The port of a program in the sandbox; this system has no sandbox.
#[derive(Debug)]
pub struct InnerPort;

impl InnerPort {
    pub(super) fn new() -> io::Result<(InnerPort, Stdio)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Its listener.
    ///
    /// # Errors
    /// Always.
    pub(crate) async fn listener(&self) -> io::Result<TcpListener> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
