//! TLS around a protocol: what each end of a connection is made of, from texts in PEM.
//!
//! Both ends speak TLS 1.3 and nothing older. The sessions are those of `rustls`, which know no sockets either. A build
//! without the feature `tls` has the same functions, which say so.

#[cfg_attr(not(feature = "tls"), path = "absent.rs")]
mod sessions;

use std::io::{self, Read, Write};
use std::sync::Arc;

use sessions::{Certificate, ClientConfig};
pub use sessions::{
    ClientConnection, ServerConfig, certificates_in, of_system, out_of_date, server,
};

/// The first byte of every connection in TLS, that of a record of its handshake. No message of another protocol here
/// begins with it.
pub const FIRST_BYTE: u8 = 0x16;

/// Why an end cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each error says what it is")]
pub enum TlsError {
    #[error("there is no certificate in PEM (-----BEGIN CERTIFICATE-----) in it")]
    NoCertificate,
    #[error("there is no private key in PEM (-----BEGIN PRIVATE KEY-----) in it")]
    NoKey,
    #[error("it is not PEM: {0}")]
    Pem(String),
    /// A certificate or key cannot be used, or they do not belong together.
    #[error("{0}")]
    Unusable(String),
    #[error("this build speaks no TLS: build the programs with `--features tls`")]
    Absent,
}

/// Why every client refuses a certificate at a given time. Times are seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfDate {
    /// Its validity ended at this time.
    Expired(u64),
    /// Its validity begins at this time.
    NotYetValid(u64),
}

/// Whom a client trusts.
#[derive(Clone, Debug)]
pub struct Trust(Arc<ClientConfig>);

impl Trust {
    /// Trusts a server whose certificate is one of these, or comes from one of these. Those that cannot be used are left
    /// out, as systems keep some of that kind.
    ///
    /// # Errors
    /// When none can be used.
    pub fn new(trusted: impl IntoIterator<Item = Certificate>) -> Result<Trust, TlsError> {
        Ok(Trust(Arc::new(sessions::client_config(trusted)?)))
    }

    /// What the ends of connections are made of.
    pub fn config(&self) -> &Arc<ClientConfig> {
        &self.0
    }

    /// Shakes hands over a stream with a server that must be `host`. [`Trust::reason`] says for people why not.
    ///
    /// # Errors
    /// That of the stream, one of `rustls` within an [`io::ErrorKind::InvalidData`], or an
    /// [`io::ErrorKind::InvalidInput`] where `host` is no name of a host.
    pub fn shake(
        &self,
        stream: &mut (impl Read + Write),
        host: &str,
    ) -> io::Result<ClientConnection> {
        sessions::shake(&self.0, stream, host)
    }

    /// Says for people why hands were not shaken.
    pub fn reason(error: &io::Error) -> String {
        sessions::reason(error)
    }
}
