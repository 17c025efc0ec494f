//! The games of the page: their engines, rules and texts of positions.

use bots::spec::Specified as _;
use bots::{Level, blokus, daihinmin, dobutsu, geister, score_four};
use clap::ValueEnum;
use games::{Blokus, Dobutsu, Game as _, GameName, Player, ScoreFour, Seat};
use record::Frame;
use serde_json::{Value, json};

/// Whether two players of a game may agree on a draw. The protocol of Geister has no word for it, as it has none for
/// resigning.
pub(crate) const fn has_draws(game: GameName) -> bool {
    match game {
        GameName::ScoreFour => ScoreFour::HAS_DRAWS,
        GameName::Dobutsu => Dobutsu::HAS_DRAWS,
        GameName::Daihinmin | GameName::Geister | GameName::Blokus => false,
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

/// The error that an engine cannot play because a file that it needs is missing or cannot be used.
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
            let found = perfect.table().map(drop).map_err(|e| e.to_string());
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

/// Checks that there is an engine or a level of a name, without options, and that its files are there.
///
/// # Errors
/// A sentence for everybody.
pub(crate) fn check_engine(game: GameName, name: &str) -> Result<(), String> {
    if Level::named(name).is_none() && !engines(game).iter().any(|engine| engine == name) {
        return Err(format!("there is no engine of this name: {name}"));
    }
    find_files(game, name).map_err(|lacking| lacking.said)
}

fn names<E: ValueEnum>() -> Vec<String> {
    let names = E::value_variants().iter().rev();
    let names = names.filter_map(ValueEnum::to_possible_value);
    names.map(|value| value.get_name().to_owned()).collect()
}

/// The level of opponents unless a person chooses another: a beginner beats it now and then.
pub const USUAL_LEVEL: &str = "level-3";

/// The default rules of a game.
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

/// The frames of a seat from the beginning of a game that hides nothing up to the position of such a text; `None` where the
/// game begins elsewhere.
pub(crate) fn frames(game: GameName, position: &str, seat: Seat) -> Option<Vec<Frame>> {
    let moves = moves(game, position)?;
    match game {
        GameName::Daihinmin | GameName::Geister => None,
        GameName::Blokus => frames_of::<Blokus>(&moves, seat),
        GameName::ScoreFour => frames_of::<ScoreFour>(&moves, seat),
        GameName::Dobutsu => frames_of::<Dobutsu>(&moves, seat),
    }
}

fn frames_of<G: games::Game>(moves: &[String], seat: Seat) -> Option<Vec<Frame>> {
    let mut game = G::begin(&G::Rules::default(), 0);
    let mut frame = Frame::begin(1, Player::all(G::SEATS).collect());
    frame.show(0, game.to_move(), json!(game.view(seat)));
    let mut frames = vec![frame.clone()];
    for mv in moves {
        let mover = game.to_move()?;
        game.play_text(mv).ok()?;
        frame.play(game.ply(), mover, mv.clone(), None);
        frame.show(game.ply(), game.to_move(), json!(game.view(seat)));
        frames.push(frame.clone());
    }
    Some(frames)
}

/// The moves in such a text of a position, from the beginning of the game; `None` where it begins elsewhere.
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
