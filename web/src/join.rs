//! How a person's client comes to a table: each game through its own protocol.

use std::io;
use std::sync::Arc;

use client::native::{self, NativeGame};
use client::uecda::Assumptions;
use client::{Repeated, ServerOptions, Sitter, gat, uecda};
use games::{Blokus, Dobutsu, GameName, ScoreFour};
use protocol::tls::Trust;
use protocol::uecda::Version;

use crate::advice::Advised;
use crate::browser::Browser;
use crate::seat::Seat;

/// Seconds to go on trying while a port refuses.
const CONNECT_SECONDS: f64 = 10.0;

#[derive(Clone, Debug)]
pub(crate) struct ServerAddress {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Whom to trust in TLS; `None` for plain text, which is all that UECda and GAT know.
    pub(crate) trust: Option<Trust>,
    /// Games to play, where the client has to count them; `None` is one.
    pub(crate) games: Option<u32>,
    pub(crate) name: String,
    /// What the client shows in place of a name: at a ladder `@NUMBER` asks for an opponent.
    pub(crate) token: Option<String>,
    /// What the person has done before.
    pub(crate) script: Vec<String>,
}

/// Plays at a table for the person of a seat, until the match is over.
///
/// # Errors
/// A sentence on why it was not played to its end.
pub(crate) fn play(game: GameName, way: &ServerAddress, seat: Arc<Seat>) -> Result<(), String> {
    let server = ServerOptions {
        host: way.host.clone(),
        connect_timeout: CONNECT_SECONDS,
    };
    let (server, port) = (&server, way.port);
    match game {
        GameName::Daihinmin => {
            let assumptions = Assumptions {
                games: way.games,
                ..Assumptions::default()
            };
            let settings = uecda::UecdaSettings {
                server,
                port,
                version: Version::V20070,
                name: way.token.as_deref().unwrap_or(&way.name),
                assumptions,
                json: false,
            };
            let played = uecda::run(&settings, sitter(seat, way));
            played.map(drop).map_err(|e| e.to_string())
        }
        GameName::Geister => {
            let ports = (0..way.games.unwrap_or(1)).map(|_| port);
            let settings = gat::GatSettings {
                server,
                name: None,
                rules: games::geister::Rules::default(),
                idle: None,
                json: false,
            };
            let played = gat::run(&settings, ports, sitter(seat, way), &mut io::sink());
            played.map(drop).map_err(|e| e.to_string())
        }
        GameName::Blokus => sit::<Blokus>(server, way, seat),
        GameName::ScoreFour => sit::<ScoreFour>(server, way, seat),
        GameName::Dobutsu => sit::<Dobutsu>(server, way, seat),
    }
}

fn sit<G: NativeGame + Advised>(
    server: &ServerOptions,
    way: &ServerAddress,
    seat: Arc<Seat>,
) -> Result<(), String> {
    let settings = native::NativeSettings {
        server,
        port: way.port,
        trust: way.trust.clone(),
        name: way.name.clone(),
        token: way.token.as_deref(),
        token_file: None,
        json: false,
    };
    let played = native::run::<G>(&settings, sitter(seat, way), &mut io::sink());
    played.map(drop).map_err(|e| e.to_string())
}

fn sitter<G: Advised>(seat: Arc<Seat>, way: &ServerAddress) -> Sitter<G> {
    let script = way.script.clone();
    Box::new(move |waker, manners| {
        let browser = Browser::new(seat, waker, manners);
        Box::new(Repeated::new(browser, script))
    })
}
