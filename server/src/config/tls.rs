//! The files of a port that speaks TLS.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use protocol::tls::{self, TlsError};
use tokio_rustls::rustls::ServerConfig;

/// The certificate and the key of a server, or neither for plain text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct Tls {
    /// Speak TLS 1.3 alone, with this certificate in PEM; those between it and its authority follow it in
    /// the file
    #[arg(
        long,
        value_name = "FILE",
        requires = "tls_key",
        help_heading = "Where"
    )]
    pub tls_cert: Option<PathBuf>,
    /// Private key of the certificate, in PEM without a password
    #[arg(
        long,
        value_name = "FILE",
        requires = "tls_cert",
        help_heading = "Where"
    )]
    pub tls_key: Option<PathBuf>,
}

/// Why a port cannot speak TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsFailure {
    /// A file cannot be read.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// The files do not make a server.
    #[error("TLS with {certificate} and {key}: {error}")]
    Content {
        /// File of the certificate.
        certificate: String,
        /// File of the key.
        key: String,
        /// Why.
        error: TlsError,
    },
}

impl Tls {
    /// Reads the files; `None` for plain text.
    ///
    /// # Errors
    /// When they cannot be read, or do not belong together.
    pub fn server(&self) -> Result<Option<Arc<ServerConfig>>, TlsFailure> {
        // The command line has both or neither.
        let (Some(certificate), Some(key)) = (&self.tls_cert, &self.tls_key) else {
            return Ok(None);
        };
        match tls::server(&read(certificate)?, &read(key)?) {
            Ok(server) => Ok(Some(server)),
            Err(error) => Err(TlsFailure::Content {
                certificate: certificate.display().to_string(),
                key: key.display().to_string(),
                error,
            }),
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, TlsFailure> {
    fs::read(path).map_err(|error| TlsFailure::File {
        path: path.display().to_string(),
        error,
    })
}
