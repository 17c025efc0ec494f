//! The names under which the page answers.
//!
//! A browser lets a page speak to its own host. The owner of a name elsewhere can make that name lead to this machine, and
//! its page would then speak to this gateway; nobody can do so with an address.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};

use axum::http::{HeaderMap, HeaderValue, header};

/// Names of hosts under which the page answers, in small letters.
pub(crate) struct Hosts {
    given: Vec<String>,
    /// Those of this machine, for a page that is open to others.
    own: Vec<String>,
}

impl Hosts {
    pub(crate) fn new(given: &[String]) -> Hosts {
        Hosts {
            given: given.iter().map(|name| plain(name)).collect(),
            own: own_name().map_or_else(Vec::new, |name| names_of(&name)),
        }
    }

    /// Whether a request's host is this machine; `is_local` where the page is for this machine alone.
    pub(crate) fn has(&self, host: &str, is_local: bool) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        };
        let address = name.trim_start_matches('[').trim_end_matches(']');
        if let Ok(address) = address.parse::<IpAddr>() {
            return address.is_loopback() || !is_local;
        }
        let name = plain(name);
        let is_own = !is_local && self.own.contains(&name);
        name == "localhost" || self.given.contains(&name) || is_own
    }
}

fn plain(name: &str) -> String {
    name.trim_end_matches('.').to_ascii_lowercase()
}

/// The ways in which others write the name of a machine.
fn names_of(name: &str) -> Vec<String> {
    let name = plain(name);
    let first = name.split('.').next().unwrap_or_default().to_owned();
    let local = format!("{first}.local");
    let names = [name, first, local].into_iter();
    names
        .filter(|name| !name.is_empty() && name != ".local")
        .collect()
}

/// The name that the system has for this machine.
fn own_name() -> Option<String> {
    Some(rustix::system::uname().nodename().to_str().ok()?.to_owned())
}

/// Whether a request comes from no page of another host; requests of programs state no origin.
pub(crate) fn is_own_page(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else {
        return true;
    };
    let host = headers.get(header::HOST).map(HeaderValue::as_bytes);
    let origin = origin.as_bytes();
    let name = origin
        .strip_prefix(b"http://")
        .or_else(|| origin.strip_prefix(b"https://"));
    name.is_some() && name == host
}

/// The address at which other machines reach a port of this one.
pub(crate) fn open_address(listening: SocketAddr) -> Option<SocketAddr> {
    let ip = match listening.ip() {
        ip if ip.is_loopback() => None,
        ip if ip.is_unspecified() => network_address().ok(),
        ip => Some(ip),
    };
    Some(SocketAddr::new(ip?, listening.port()))
}

/// The address that this machine has in its network: that from which a packet to `ELSEWHERE` would go. No packet is sent.
fn network_address() -> io::Result<IpAddr> {
    /// An address of a network for documentation, so that every machine finds it behind its router.
    const ELSEWHERE: (Ipv4Addr, u16) = (Ipv4Addr::new(192, 0, 2, 1), 9);
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    socket.connect(ELSEWHERE)?;
    Ok(socket.local_addr()?.ip())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_answers_to_the_addresses_and_names_of_its_machine() {
        let hosts = Hosts {
            given: vec![plain("Play.Example.")],
            own: names_of("Hall.lan"),
        };
        let has = |host: &str| [true, false].map(|is_local| hosts.has(host, is_local));
        for host in [
            "localhost",
            "localhost:8080",
            "127.0.0.1:8080",
            "[::1]:8080",
            "play.example",
            "PLAY.example:443",
        ] {
            assert_eq!(has(host), [true, true], "{host}");
        }
        for host in [
            "192.0.2.7:8080",
            "[2001:db8::1]",
            "hall.lan:8080",
            "hall",
            "hall.local.:80",
        ] {
            assert_eq!(has(host), [false, true], "{host}");
        }
        for host in [
            "",
            ":80",
            ".local",
            "elsewhere.example",
            "hall.elsewhere.example:8080",
            "127.0.0.1.elsewhere.example",
            "play.example.elsewhere",
        ] {
            assert_eq!(has(host), [false, false], "{host}");
        }
        assert!(names_of("").is_empty());
    }

    #[test]
    fn others_are_told_no_address_that_leads_to_their_own_machine() {
        let at = |text: &str| open_address(text.parse().expect("an address"));
        assert_eq!(at("127.0.0.1:8080"), None);
        assert_eq!(at("[::1]:8080"), None);
        let own = "192.0.2.7:8080";
        assert_eq!(at(own), Some(own.parse().expect("an address")));
        for all in ["0.0.0.0:8080", "[::]:8080"] {
            // A machine may have no network.
            let found = at(all).map(|address| (address.port(), address.ip()));
            assert_eq!(found, network_address().ok().map(|ip| (8080, ip)));
            assert!(found.is_none_or(|(_, ip)| !ip.is_loopback() && !ip.is_unspecified()));
        }
    }
}
