//! Both ends of TLS, without sockets.
//!
//! The certificates last until 2126: `openssl req -x509 -newkey ed25519 -nodes -keyout server.key -out server.pem -days
//! 36500 -subj "/CN=taikyoku test" -addext "subjectAltName=DNS:localhost,IP:127.0.0.1" -addext
//! "basicConstraints=critical,CA:FALSE"`, and the same for `other`.

use std::time::{Duration, UNIX_EPOCH};

use rustls::pki_types::ServerName;
use rustls::{CertificateError, ClientConnection, Error, ServerConnection};
use taikyoku_protocol::tls::{self, FIRST_BYTE, OutOfDate, TlsError, Trust};

const SERVER: &[u8] = include_bytes!("certificates/server.pem");
const KEY: &[u8] = include_bytes!("certificates/server.key");
const OTHER: &[u8] = include_bytes!("certificates/other.pem");
const OTHER_KEY: &[u8] = include_bytes!("certificates/other.key");

/// Shakes hands with a client that trusts this certificate; gives what the server reads of the client's words.
fn shake(trusted: &[u8], host: &'static str) -> Result<Vec<u8>, Error> {
    let server = tls::server(SERVER, KEY).unwrap();
    let trust = Trust::new(tls::certificates_in(trusted).unwrap()).unwrap();
    let mut server = ServerConnection::new(server).unwrap();
    let name = ServerName::try_from(host).unwrap();
    let mut client = ClientConnection::new(trust.config().clone(), name).unwrap();
    std::io::Write::write_all(&mut client.writer(), b"hello").unwrap();
    let mut is_first = true;
    while client.wants_write() || server.wants_write() {
        let mut bytes = Vec::new();
        client.write_tls(&mut bytes).unwrap();
        assert!(!is_first || bytes[0] == FIRST_BYTE);
        is_first = false;
        server.read_tls(&mut &bytes[..]).unwrap();
        server.process_new_packets().unwrap();
        bytes.clear();
        server.write_tls(&mut bytes).unwrap();
        client.read_tls(&mut &bytes[..]).unwrap();
        client.process_new_packets()?;
    }
    let mut read = vec![0; 100];
    let count = std::io::Read::read(&mut server.reader(), &mut read).unwrap();
    read.truncate(count);
    Ok(read)
}

#[test]
fn a_client_hears_a_server_that_it_trusts_and_no_other() {
    assert_eq!(shake(SERVER, "localhost"), Ok(b"hello".to_vec()));
    assert_eq!(shake(SERVER, "127.0.0.1"), Ok(b"hello".to_vec()));
    let certificate = |error| matches!(error, Err(Error::InvalidCertificate(_)));
    assert!(certificate(shake(OTHER, "localhost")));
    let elsewhere = shake(SERVER, "example.org").unwrap_err();
    assert!(matches!(
        elsewhere,
        Error::InvalidCertificate(CertificateError::NotValidForNameContext { .. })
    ));
}

#[test]
fn a_certificate_that_is_out_of_date_is_told() {
    let at = |seconds| {
        let now = UNIX_EPOCH + Duration::from_secs(seconds);
        tls::out_of_date(SERVER, now).unwrap()
    };
    // In 2030, in 1970, and in 2286.
    assert_eq!(at(1_900_000_000), None);
    assert!(matches!(
        at(0),
        Some(OutOfDate::NotYetValid(1_700_000_000..))
    ));
    assert!(matches!(
        at(10_000_000_000),
        Some(OutOfDate::Expired(..=5_000_000_000))
    ));
}

#[test]
fn texts_that_make_no_end_are_told_apart() {
    let server = |certificate, key| tls::server(certificate, key).unwrap_err();
    assert_eq!(server(b"", KEY), TlsError::NoCertificate);
    assert_eq!(server(KEY, KEY), TlsError::NoCertificate);
    assert_eq!(server(SERVER, SERVER), TlsError::NoKey);
    assert!(matches!(server(SERVER, OTHER_KEY), TlsError::Unusable(_)));
    let damaged = String::from_utf8_lossy(SERVER).replace("MII", "M*I");
    assert!(matches!(
        tls::certificates_in(damaged.as_bytes()),
        Err(TlsError::Pem(_))
    ));
}
