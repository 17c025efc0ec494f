//! The ends of connections, by `rustls`.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

pub(super) use rustls::ClientConfig;
use rustls::client::verify_server_cert_signed_by_trust_anchor;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::version::TLS13;
use rustls::{CertificateError, Error, RootCertStore};
pub use rustls::{ClientConnection, ServerConfig};

use super::{OutOfDate, TlsError};

pub(super) type Certificate = CertificateDer<'static>;

impl From<rustls::Error> for TlsError {
    fn from(error: rustls::Error) -> TlsError {
        TlsError::Unusable(error.to_string())
    }
}

/// Makes the end of a server from its certificate, with those between it and an authority's behind it, and its key.
///
/// # Errors
/// When there is none in the texts, or the two do not belong together.
pub fn server(certificates: &[u8], key: &[u8]) -> Result<Arc<ServerConfig>, TlsError> {
    let chain = certificates_in(certificates)?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|e| match e {
        rustls::pki_types::pem::Error::NoItemsFound => TlsError::NoKey,
        e => TlsError::Pem(e.to_string()),
    })?;
    let config = ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&TLS13])?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    Ok(Arc::new(config))
}

/// Finds the first certificate in a text that is not valid at this time, if there is one.
///
/// # Errors
/// When there is none in the text, or it is damaged.
pub fn out_of_date(certificates: &[u8], now: SystemTime) -> Result<Option<OutOfDate>, TlsError> {
    let now = UnixTime::since_unix_epoch(now.duration_since(UNIX_EPOCH).unwrap_or_default());
    let algorithms = provider().signature_verification_algorithms.all;
    // Verification checks the validity period before the issuer, so no trusted root is needed.
    let no_roots = RootCertStore::empty();
    for certificate in certificates_in(certificates)? {
        let parsed = ParsedCertificate::try_from(&certificate)?;
        let verified =
            verify_server_cert_signed_by_trust_anchor(&parsed, &no_roots, &[], now, algorithms);
        match verified {
            Err(Error::InvalidCertificate(CertificateError::ExpiredContext {
                not_after, ..
            })) => {
                return Ok(Some(OutOfDate::Expired(not_after.as_secs())));
            }
            Err(Error::InvalidCertificate(CertificateError::NotValidYetContext {
                not_before,
                ..
            })) => return Ok(Some(OutOfDate::NotYetValid(not_before.as_secs()))),
            _ => {}
        }
    }
    Ok(None)
}

pub(super) fn client_config(
    trusted: impl IntoIterator<Item = Certificate>,
) -> Result<ClientConfig, TlsError> {
    let mut roots = RootCertStore::empty();
    let (usable, _) = roots.add_parsable_certificates(trusted);
    if usable == 0 {
        return Err(TlsError::NoCertificate);
    }
    Ok(ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

pub(super) fn shake(
    config: &Arc<ClientConfig>,
    stream: &mut (impl Read + Write),
    host: &str,
) -> io::Result<ClientConnection> {
    let invalid = |e| io::Error::new(io::ErrorKind::InvalidInput, e);
    let name = ServerName::try_from(host.to_owned()).map_err(|e| invalid(e.to_string()))?;
    let session = ClientConnection::new(Arc::clone(config), name);
    let mut session = session.map_err(|e| invalid(e.to_string()))?;
    while session.is_handshaking() {
        session.complete_io(stream)?;
    }
    Ok(session)
}

pub(super) fn reason(error: &io::Error) -> String {
    let of_tls = error.get_ref().and_then(|e| e.downcast_ref::<Error>());
    match of_tls {
        Some(Error::InvalidMessage(_)) => {
            "it speaks no TLS; without --tls and --tls-ca it may answer".to_owned()
        }
        // One of the same name has another key.
        Some(Error::InvalidCertificate(
            CertificateError::UnknownIssuer | CertificateError::BadSignature,
        )) => "nobody who is trusted has issued its certificate; --tls-ca FILE trusts those in \
             the file"
            .to_owned(),
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

/// The certificates in a text, at least one.
///
/// # Errors
/// When there is none, or the text is damaged.
pub fn certificates_in(pem: &[u8]) -> Result<Vec<Certificate>, TlsError> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let certificates = certificates.map_err(|e| TlsError::Pem(e.to_string()))?;
    if certificates.is_empty() {
        return Err(TlsError::NoCertificate);
    }
    Ok(certificates)
}

/// The certificates of the authorities that this system trusts.
pub fn of_system() -> Vec<Certificate> {
    rustls_native_certs::load_native_certs().certs
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}
