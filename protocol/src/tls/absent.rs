//! TLS in a build without it: a program that asks for an end of a connection is told why there is none.

#![expect(
    missing_docs,
    clippy::missing_errors_doc,
    reason = "each stands for what the build with TLS has"
)]

use std::convert::Infallible;
use std::io::{self, Empty, Read, Sink, Write};
use std::sync::Arc;
use std::time::SystemTime;

use super::{OutOfDate, TlsError};

pub(super) type Certificate = Infallible;
pub(super) type ClientConfig = Infallible;
pub type ServerConfig = Infallible;

pub fn server(_: &[u8], _: &[u8]) -> Result<Arc<ServerConfig>, TlsError> {
    Err(TlsError::Absent)
}

pub fn out_of_date(_: &[u8], _: SystemTime) -> Result<Option<OutOfDate>, TlsError> {
    Err(TlsError::Absent)
}

pub fn certificates_in(_: &[u8]) -> Result<Vec<Certificate>, TlsError> {
    Err(TlsError::Absent)
}

pub fn of_system() -> Vec<Certificate> {
    Vec::new()
}

pub(super) fn client_config(
    _: impl IntoIterator<Item = Certificate>,
) -> Result<ClientConfig, TlsError> {
    Err(TlsError::Absent)
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature of the build with TLS"
)]
pub(super) fn shake(
    config: &ClientConfig,
    _: &mut (impl Read + Write),
    _: &str,
) -> io::Result<ClientConnection> {
    match *config {}
}

pub(super) fn reason(error: &io::Error) -> String {
    error.to_string()
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
