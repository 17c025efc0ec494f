//! Servers elsewhere, as command lines name them.

use std::str::FromStr;

use games::GameName;

/// A server at which a person is to sit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The game.
    pub game: GameName,
    /// Its host.
    pub host: String,
    /// Its port.
    pub port: u16,
}

/// Reads `uecda://HOST:PORT`, `gat://HOST:PORT` and `native://HOST:PORT/GAME`.
impl FromStr for Server {
    type Err = String;

    fn from_str(text: &str) -> Result<Server, String> {
        let wanted =
            || "uecda://HOST:PORT, gat://HOST:PORT or native://HOST:PORT/GAME is wanted".to_owned();
        let (protocol, rest) = text.split_once("://").ok_or_else(wanted)?;
        let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
        let game = match (protocol, path) {
            ("uecda", "") => GameName::Daihinmin,
            ("gat", "") => GameName::Geister,
            ("native", path) => path.parse().map_err(|e| format!("{e}"))?,
            _ => return Err(wanted()),
        };
        let is_native = crate::join::protocol(game) == "native";
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
        assert_eq!((server.game, server.port), (GameName::Daihinmin, 42485));
        assert_eq!(read("gat://[::1]:10000").expect("a server").host, "::1");
        let native = read("native://localhost:4444/blokus").expect("a server");
        assert_eq!(native.game, GameName::Blokus);
        for text in [
            "",
            "x",
            "uecda://x",
            "gat://:1",
            "native://x:1/geister",
            "http://x:1",
            "native://x:1",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
