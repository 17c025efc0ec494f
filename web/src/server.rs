//! Servers elsewhere, as command lines name them.

use std::error::Error;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::str::FromStr;
use std::time::{Duration, Instant};

use client::native::connect;
use games::GameName;
use protocol::native::{ClientEnd, ErrorCode, SERVER_LINE_LIMIT, ServerMessage};
use protocol::tls::Trust;

/// How long a server may take to tell its game.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server at which a person is to sit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The game; `None` where the server has to be asked.
    pub game: Option<GameName>,
    /// Its host.
    pub host: String,
    /// Its port.
    pub port: u16,
}

impl Server {
    /// Whether its protocol can be spoken in TLS, as far as the address tells.
    pub fn knows_tls(&self) -> bool {
        self.game.is_none_or(|game| game.protocol() == "native")
    }

    /// The game that is played there; it is asked for in TLS where there is somebody to trust.
    ///
    /// # Errors
    /// A sentence on why that cannot be known.
    pub(crate) fn game(&self, trust: Option<&Trust>) -> Result<GameName, String> {
        let Some(game) = self.game else {
            let place = format!("native://{}:{}", self.host, self.port);
            let asked = self.ask(trust).map_err(|e| format!("{place}: {e}"))?;
            return asked
                .ok_or_else(|| format!("{place} does not tell its game: write {place}/GAME"));
        };
        Ok(game)
    }

    /// A server of the native protocol refuses a client of a game that does not exist, before it has a seat, and says
    /// which it has.
    fn ask(&self, trust: Option<&Trust>) -> Result<Option<GameName>, Box<dyn Error>> {
        let deadline = Instant::now() + PATIENCE;
        let mut stream = connect(&self.host, self.port, trust, deadline)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let hello = ClientEnd::new("person", Some("?"), None).hello();
        stream.write_all(hello.as_bytes())?;
        let mut line = String::new();
        BufReader::new(stream.take(SERVER_LINE_LIMIT as u64)).read_line(&mut line)?;
        Ok(match ServerMessage::parse(line.trim_end().as_bytes()) {
            Ok(ServerMessage::Error {
                code: ErrorCode::Game,
                message,
                ..
            }) => message
                .split_whitespace()
                .find_map(|word| word.parse().ok()),
            _ => None,
        })
    }
}

/// Reads `uecda://HOST:PORT`, `gat://HOST:PORT`, `native://HOST:PORT` and `native://HOST:PORT/GAME`.
impl FromStr for Server {
    type Err = String;

    fn from_str(text: &str) -> Result<Server, String> {
        let wanted = || {
            "uecda://HOST:PORT, gat://HOST:PORT or native://HOST:PORT[/GAME] is wanted".to_owned()
        };
        let (protocol, rest) = text.split_once("://").ok_or_else(wanted)?;
        let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
        let game = match (protocol, path) {
            ("uecda", "") => Some(GameName::Daihinmin),
            ("gat", "") => Some(GameName::Geister),
            ("native", "") => None,
            ("native", path) => Some(path.parse().map_err(|e| format!("{e}"))?),
            _ => return Err(wanted()),
        };
        let is_native = game.is_none_or(|game| game.protocol() == "native");
        let (host, port) = place.rsplit_once(':').ok_or_else(wanted)?;
        let port = port.parse().map_err(|_| wanted())?;
        if host.is_empty() || is_native != (protocol == "native") {
            return Err(wanted());
        }
        let host = host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .to_owned();
        Ok(Server { game, host, port })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_read() {
        let read = |text: &str| text.parse::<Server>();
        let server = read("uecda://game.example:42485").expect("a server");
        assert_eq!(
            (server.game, server.port),
            (Some(GameName::Daihinmin), 42485)
        );
        assert_eq!(read("gat://[::1]:10000").expect("a server").host, "::1");
        let native = read("native://localhost:4444/blokus").expect("a server");
        assert_eq!(native.game, Some(GameName::Blokus));
        assert_eq!(read("native://x:1").expect("a server").game, None);
        for text in [
            "",
            "x",
            "uecda://x",
            "gat://:1",
            "native://x:1/geister",
            "http://x:1",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
