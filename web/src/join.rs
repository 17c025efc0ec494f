//! The ways to tables: each game through its own protocol.

use std::io;
use std::sync::Arc;

use bots::{blokus, daihinmin, dobutsu, geister, score_four};
use clap::ValueEnum;
use client::native::{self, NativeGame};
use client::uecda::Assumptions;
use client::{ServerOptions, Sitter, gat, uecda};
use games::{Blokus, Dobutsu, Game as _, GameName, ScoreFour};
use protocol::tls::Trust;
use protocol::uecda::Version;
use serde_json::{Value, json};

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
}

/// The protocol in which persons play a game.
pub(crate) const fn protocol(game: GameName) -> &'static str {
    match game {
        GameName::Daihinmin => "uecda",
        GameName::Geister => "gat",
        GameName::Blokus | GameName::ScoreFour | GameName::Dobutsu => "native",
    }
}

/// Whether a game hides nothing from its players.
pub(crate) const fn is_open(game: GameName) -> bool {
    match game {
        GameName::Daihinmin | GameName::Geister => false,
        GameName::Blokus | GameName::ScoreFour | GameName::Dobutsu => true,
    }
}

pub(crate) const fn seats(game: GameName) -> usize {
    match game {
        GameName::Daihinmin => games::Daihinmin::SEATS,
        GameName::Geister => games::Geister::SEATS,
        GameName::Blokus => Blokus::SEATS,
        GameName::ScoreFour => ScoreFour::SEATS,
        GameName::Dobutsu => Dobutsu::SEATS,
    }
}

/// The names of a game's engines, the strongest first.
pub(crate) fn engines(game: GameName) -> Vec<String> {
    match game {
        GameName::Daihinmin => names::<daihinmin::EngineName>(),
        GameName::Geister => names::<geister::EngineName>(),
        GameName::Blokus => names::<blokus::EngineName>(),
        GameName::ScoreFour => names::<score_four::EngineName>(),
        GameName::Dobutsu => names::<dobutsu::EngineName>(),
    }
}

/// An engine cannot play, as a file that it needs is not there or cannot be used.
pub(crate) struct Lacking {
    /// A sentence for everybody, which names no file of this machine.
    pub(crate) said: String,
    /// A sentence for the person at this machine: what is missing, and how to get it.
    pub(crate) reason: String,
}

impl Lacking {
    fn new(engine: &str, needs: &str, reason: &str) -> Lacking {
        Lacking {
            said: format!("{engine} cannot play: it needs {needs}"),
            reason: format!("{engine} cannot play: {reason}"),
        }
    }
}

/// Looks for the table or the network that an engine needs.
///
/// # Errors
/// What is missing.
pub(crate) fn find_files(game: GameName, engine: &str) -> Result<(), Lacking> {
    let (needs, found) = match (game, engine) {
        (GameName::Dobutsu, "perfect") => {
            let perfect = dobutsu::EngineOptions::named(dobutsu::EngineName::Perfect);
            let found = perfect.build(0).map(drop).map_err(|e| e.to_string());
            ("the table of dobutsu-solve", found)
        }
        (GameName::Dobutsu, "alphazero") => {
            let alphazero = dobutsu::EngineOptions::named(dobutsu::EngineName::Alphazero);
            let found = alphazero.build(0).map(drop).map_err(|e| e.to_string());
            ("its network", found)
        }
        (GameName::Blokus, "blokus-zero") => {
            let zero = blokus::EngineOptions::named(blokus::EngineName::BlokusZero);
            let found = zero.build(0).map(drop).map_err(|e| e.to_string());
            ("its network", found)
        }
        _ => return Ok(()),
    };
    found.map_err(|reason| Lacking::new(engine, needs, &reason))
}

fn names<E: ValueEnum>() -> Vec<String> {
    let names = E::value_variants().iter().rev();
    let names = names.filter_map(ValueEnum::to_possible_value);
    names.map(|value| value.get_name().to_owned()).collect()
}

/// The rules of a game where nothing else is said.
pub(crate) fn rules(game: GameName) -> Value {
    match game {
        GameName::Daihinmin => json!(games::daihinmin::Rules::default()),
        GameName::Geister => json!(games::geister::Rules::default()),
        GameName::Blokus => json!(games::blokus::Rules::default()),
        GameName::ScoreFour => json!(games::score_four::Rules::default()),
        GameName::Dobutsu => json!(games::dobutsu::Rules::default()),
    }
}

/// The position after some moves of a game that hides nothing, as its record writes it; `None` where they are not those
/// of such a game.
pub(crate) fn position<'a>(game: GameName, moves: impl Iterator<Item = &'a str>) -> Option<String> {
    match game {
        GameName::Daihinmin | GameName::Geister => None,
        GameName::Blokus => position_of::<Blokus>(moves),
        GameName::ScoreFour => position_of::<ScoreFour>(moves),
        GameName::Dobutsu => position_of::<Dobutsu>(moves),
    }
}

fn position_of<'a, G: games::Game>(mut moves: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut game = G::begin(&G::Rules::default(), 0);
    moves.try_for_each(|mv| game.play_text(mv).map(drop)).ok()?;
    Some(game.position())
}

/// The moves that such a text of a position tells, from the beginning of the game; `None` where it begins elsewhere.
pub(crate) fn moves(game: GameName, position: &str) -> Option<Vec<String>> {
    let pegs = || position.as_bytes().chunks(2);
    match game {
        GameName::Daihinmin | GameName::Geister => None,
        GameName::Blokus => Some(position.split_terminator(';').map(str::to_owned).collect()),
        GameName::ScoreFour => pegs()
            .map(|peg| String::from_utf8(peg.to_vec()).ok())
            .collect(),
        GameName::Dobutsu if position.starts_with("sfen") => None,
        GameName::Dobutsu => Some(position.split_whitespace().map(str::to_owned).collect()),
    }
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
    let (server, port, name) = (&server, way.port, &way.name[..]);
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
                name,
                assumptions,
                json: false,
            };
            let played = uecda::run(&settings, sitter(seat));
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
            let played = gat::run(&settings, ports, sitter(seat), &mut io::sink());
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
        token: None,
        token_file: None,
        json: false,
    };
    let played = native::run::<G>(&settings, sitter(seat), &mut io::sink());
    played.map(drop).map_err(|e| e.to_string())
}

fn sitter<G: Advised>(seat: Arc<Seat>) -> Sitter<G> {
    Box::new(move |waker, manners| Box::new(Browser::new(seat, waker, manners)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_engine_lacks_is_said_without_names_of_files() {
        let reason = "/home/ana/dobutsu.table is not there";
        let lacking = Lacking::new("perfect", "the table of dobutsu-solve", reason);
        assert_eq!(
            lacking.said,
            "perfect cannot play: it needs the table of dobutsu-solve"
        );
        assert_eq!(lacking.reason, format!("perfect cannot play: {reason}"));
    }
}
