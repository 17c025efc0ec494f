//! TLS around a protocol: what each end of a connection is made of, from texts in PEM.
//!
//! Both ends speak TLS 1.3 and nothing older. The sessions are those of [`rustls`], which know no sockets either.

use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore, ServerConfig};

/// The first byte of every connection in TLS, that of a record of its handshake. No message of another protocol here
/// begins with it.
pub const FIRST_BYTE: u8 = 0x16;

/// Why an end cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// There is no certificate in the text.
    #[error("there is no certificate in PEM (-----BEGIN CERTIFICATE-----) in it")]
    NoCertificate,
    /// There is no key in the text.
    #[error("there is no private key in PEM (-----BEGIN PRIVATE KEY-----) in it")]
    NoKey,
    /// The text is no PEM.
    #[error("it is not PEM: {0}")]
    Pem(String),
    /// A certificate or key cannot be used, or they do not belong together.
    #[error("{0}")]
    Unusable(rustls::Error),
}

impl From<rustls::Error> for TlsError {
    fn from(error: rustls::Error) -> TlsError {
        TlsError::Unusable(error)
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

/// Makes the end of a client that trusts a server whose certificate is one of these, or comes from one of these.
/// Those that cannot be used are left out, as systems keep some of that kind.
///
/// # Errors
/// When none can be used.
pub fn client(
    trusted: impl IntoIterator<Item = CertificateDer<'static>>,
) -> Result<Arc<ClientConfig>, TlsError> {
    let mut roots = RootCertStore::empty();
    let (usable, _) = roots.add_parsable_certificates(trusted);
    if usable == 0 {
        return Err(TlsError::NoCertificate);
    }
    let config = ClientConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// The certificates in a text, at least one.
///
/// # Errors
/// When there is none, or the text is damaged.
pub fn certificates_in(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let certificates = certificates.map_err(|e| TlsError::Pem(e.to_string()))?;
    if certificates.is_empty() {
        return Err(TlsError::NoCertificate);
    }
    Ok(certificates)
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}
