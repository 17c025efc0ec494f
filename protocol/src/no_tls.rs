//! TLS in a build without it: who asks for an end of a connection is told why there is none.

#![expect(
    missing_docs,
    clippy::missing_errors_doc,
    reason = "each stands for what the build with TLS has"
)]

use std::convert::Infallible;
use std::io::{self, Empty, Read, Sink, Write};
use std::sync::Arc;
use std::time::SystemTime;

/// The first byte of every connection in TLS. No message of another protocol here begins with it.
pub const FIRST_BYTE: u8 = 0x16;

/// Why an end cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this build speaks no TLS: build the programs with `--features tls`")]
pub struct TlsError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfDate {
    Expired(u64),
    NotYetValid(u64),
}

pub type ServerConfig = Infallible;

pub fn server(_: &[u8], _: &[u8]) -> Result<Arc<ServerConfig>, TlsError> {
    Err(TlsError)
}

pub fn out_of_date(_: &[u8], _: SystemTime) -> Result<Option<OutOfDate>, TlsError> {
    Err(TlsError)
}

pub fn certificates_in(_: &[u8]) -> Result<Vec<Infallible>, TlsError> {
    Err(TlsError)
}

pub fn of_system() -> Vec<Infallible> {
    Vec::new()
}

#[derive(Clone, Debug)]
pub enum Trust {}

impl Trust {
    pub fn new(_: impl IntoIterator<Item = Infallible>) -> Result<Trust, TlsError> {
        Err(TlsError)
    }

    pub fn shake(&self, _: &mut (impl Read + Write), _: &str) -> io::Result<ClientConnection> {
        match *self {}
    }

    pub fn reason(error: &io::Error) -> String {
        error.to_string()
    }
}

#[derive(Debug)]
pub enum ClientConnection {}

impl ClientConnection {
    pub fn reader(&mut self) -> Empty {
        match *self {}
    }

    pub fn writer(&mut self) -> Sink {
        match *self {}
    }

    pub fn read_tls(&mut self, _: &mut dyn Read) -> io::Result<usize> {
        match *self {}
    }

    pub fn process_new_packets(&mut self) -> io::Result<()> {
        match *self {}
    }

    pub fn wants_write(&self) -> bool {
        match *self {}
    }

    pub fn write_tls(&mut self, _: &mut dyn Write) -> io::Result<usize> {
        match *self {}
    }
}
