//! The names under which the page answers.
//!
//! A browser lets a page speak to its own host. The owner of a name elsewhere can make that name lead to this machine, and
//! its page would then speak to this gateway; nobody can do so with an address.

use std::net::IpAddr;

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
}
