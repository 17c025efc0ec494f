//! The files of a port that speaks TLS, and of a client that comes to one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use clap::Args;
use jiff::Timestamp;
use program::Failure;
use protocol::tls::{self, OutOfDate, ServerConfig, Trust};
use record::files::named;

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

impl Tls {
    /// Reads the files; `None` for plain text.
    pub fn server(&self) -> Result<Option<Arc<ServerConfig>>, Failure> {
        // The command line has both or neither.
        let (Some(certificate), Some(key)) = (&self.tls_cert, &self.tls_key) else {
            return Ok(None);
        };
        let chain = read(certificate)?;
        let made = tls::server(&chain, &read(key)?);
        let dated =
            made.and_then(|server| Ok((server, tls::out_of_date(&chain, SystemTime::now())?)));
        let (server, out_of_date) = dated.map_err(|error| {
            let (certificate, key) = (certificate.display(), key.display());
            Failure::usage(format_args!("TLS with {certificate} and {key}: {error}"))
        })?;
        if let Some(why) = out_of_date {
            log::warn!("{}: {}", certificate.display(), told(why));
        }
        Ok(Some(server))
    }
}

/// Says for people that a certificate is out of date.
fn told(why: OutOfDate) -> String {
    let (what, seconds) = match why {
        OutOfDate::Expired(seconds) => ("has expired: it was valid until", seconds),
        OutOfDate::NotYetValid(seconds) => ("is not valid yet: it will be from", seconds),
    };
    let time = i64::try_from(seconds)
        .ok()
        .and_then(|s| Timestamp::from_second(s).ok());
    let time = time.map_or_else(|| format!("{seconds} s"), |time| time.to_string());
    format!("a certificate in this file {what} {time}; clients refuse it")
}

/// Whether TLS is spoken with a server, and which certificates to trust.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct TlsTrust {
    /// Speak TLS: the server must show a certificate for HOST from an authority that this system trusts
    #[arg(long)]
    pub tls: bool,
    /// Speak TLS and trust no certificate but those in this file, in PEM, and those that come from them
    #[arg(long, value_name = "FILE")]
    pub tls_ca: Option<PathBuf>,
}

impl TlsTrust {
    /// Reads the certificates; `None` for plain text.
    pub fn trust(&self) -> Result<Option<Trust>, Failure> {
        let (found, place) = match &self.tls_ca {
            Some(path) => (
                tls::certificates_in(&read(path)?),
                path.display().to_string(),
            ),
            None if self.tls => {
                let place = "this system has no certificates of authorities, give --tls-ca";
                (Ok(tls::of_system()), place.to_owned())
            }
            None => return Ok(None),
        };
        let trust = found.and_then(Trust::new);
        trust
            .map(Some)
            .map_err(|error| Failure::usage(format_args!("{place}: {error}")))
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| Failure::usage(named(path, &error)))
}
