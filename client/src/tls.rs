//! Whom a client trusts in TLS.

use std::fs;
use std::io;
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use protocol::tls::{self, Trust};

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
    pub fn trust(&self) -> Result<Option<Trust>, String> {
        let (certificates, place) = match &self.tls_ca {
            Some(path) => {
                let place = path.display().to_string();
                let text = fs::read(path).map_err(|e| format!("{place}: {e}"))?;
                let found = tls::certificates_in(&text).map_err(|e| format!("{place}: {e}"))?;
                (found, place)
            }
            None if self.tls => {
                let place = "this system has no certificates of authorities, give --tls-ca";
                (tls::of_system(), place.to_owned())
            }
            None => return Ok(None),
        };
        let trust = Trust::new(certificates).map_err(|e| format!("{place}: {e}"))?;
        Ok(Some(trust))
    }
}

/// Shakes hands with a server that must be `host`; each step may take so long (or a second, if that is longer).
///
/// # Errors
/// As [`Trust::shake`].
pub(super) fn shake(
    trust: &Trust,
    mut stream: TcpStream,
    host: &str,
    limit: Duration,
) -> io::Result<Stream> {
    let limit = limit.max(HANDSHAKE);
    stream.set_read_timeout(Some(limit))?;
    stream.set_write_timeout(Some(limit))?;
    let session = trust.shake(&mut stream, host)?;
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)?;
    Ok(Stream::secure(stream, session))
}
