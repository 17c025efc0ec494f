//! Whom a client trusts in TLS.

use std::fs;
use std::io;
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use protocol::tls;
use rustls::pki_types::ServerName;
use rustls::{CertificateError, ClientConfig, ClientConnection, Error};

use super::stream::Stream;

/// The least time for the handshake.
const HANDSHAKE: Duration = Duration::from_secs(1);

/// Whether TLS is spoken with the server, and whom to trust.
#[derive(Args, Clone, Debug, Default)]
pub struct TlsOptions {
    /// Speak TLS: the server must show a certificate for HOST from an authority that this system trusts.
    #[arg(long)]
    pub tls: bool,
    /// Speak TLS and trust no certificate but those in this file, in PEM, and those that come from them.
    #[arg(long, value_name = "FILE")]
    pub tls_ca: Option<PathBuf>,
}

impl TlsOptions {
    /// Whom to trust; `None` for plain text.
    ///
    /// # Errors
    /// When there is no certificate to trust: why, with the file.
    pub(crate) fn trust(&self) -> Result<Option<Trust>, String> {
        let (certificates, place) = match &self.tls_ca {
            Some(path) => {
                let place = path.display().to_string();
                let text = fs::read(path).map_err(|e| format!("{place}: {e}"))?;
                let found = tls::certificates_in(&text).map_err(|e| format!("{place}: {e}"))?;
                (found, place)
            }
            None if self.tls => {
                let found = rustls_native_certs::load_native_certs();
                for error in &found.errors {
                    log::debug!("certificates of this system: {error}");
                }
                let place = "this system has no certificates of authorities, give --tls-ca";
                (found.certs, place.to_owned())
            }
            None => return Ok(None),
        };
        let client = tls::client(certificates).map_err(|e| format!("{place}: {e}"))?;
        Ok(Some(Trust(client)))
    }
}

/// Whom a client trusts.
#[derive(Clone, Debug)]
pub(crate) struct Trust(Arc<ClientConfig>);

impl Trust {
    /// Shakes hands with a server that must be `host`; each step may take so long (or a second, if that is longer).
    ///
    /// # Errors
    /// That of the connection, or one of `rustls` within an [`io::ErrorKind::InvalidData`].
    pub(crate) fn shake(
        &self,
        mut stream: TcpStream,
        host: &str,
        limit: Duration,
    ) -> io::Result<Stream> {
        let name = ServerName::try_from(host.to_owned()).map_err(invalid)?;
        let mut session = ClientConnection::new(Arc::clone(&self.0), name).map_err(invalid)?;
        let limit = limit.max(HANDSHAKE);
        stream.set_read_timeout(Some(limit))?;
        stream.set_write_timeout(Some(limit))?;
        while session.is_handshaking() {
            session.complete_io(&mut stream)?;
        }
        stream.set_read_timeout(None)?;
        stream.set_write_timeout(None)?;
        Ok(Stream::secure(stream, session))
    }

    /// Says for people why hands were not shaken.
    pub(crate) fn reason(error: &io::Error) -> String {
        let of_tls = error.get_ref().and_then(|e| e.downcast_ref::<Error>());
        match of_tls {
            Some(Error::InvalidMessage(_)) => {
                "it speaks no TLS; without --tls and --tls-ca it may answer".to_owned()
            }
            // One of the same name has another key.
            Some(Error::InvalidCertificate(
                CertificateError::UnknownIssuer | CertificateError::BadSignature,
            )) => {
                "nobody who is trusted has issued its certificate; --tls-ca FILE trusts those in \
                 the file"
                    .to_owned()
            }
            _ if matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
            ) =>
            {
                "it has not answered in time".to_owned()
            }
            _ => error.to_string(),
        }
    }
}

fn invalid(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error)
}
