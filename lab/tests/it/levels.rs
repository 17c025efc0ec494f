//! Levels for people: each is an engine of its game that plays a game to its end.

use std::fmt::Debug;
use std::str::FromStr;

use bots::{Level, geister};
use games::GameName;
use games::blokus::Scoring;
use games::geister::Rules;
use taikyoku_lab::arena::{
    BlokusMatch, Contest, DaihinminMatch, DobutsuMatch, GeisterMatch, ScoreFourMatch,
};

/// The engine of a level, with fewer playouts than it has, so that the test is short.
fn quick<O: FromStr<Err: Debug>>(game: GameName, level: Level) -> O {
    let text = level.specification(game);
    text.parse::<O>().expect("a level can be read by itself");
    let parts = text.split(':').map(|part| match part.split_once('=') {
        Some((key @ ("playouts" | "simulations"), count)) => {
            let count: u32 = count.parse().expect("a number");
            format!("{key}={}", count.min(30))
        }
        _ => part.to_owned(),
    });
    let parts: Vec<String> = parts.collect();
    parts.join(":").parse().expect("a level")
}

fn contest(game: GameName, level: Level) -> Box<dyn Contest> {
    match game {
        GameName::Daihinmin => Box::new(DaihinminMatch {
            entrants: vec![quick(game, level)],
            session: 1,
            seed: 1,
        }),
        GameName::Geister => Box::new(GeisterMatch {
            entrants: [0; 2].map(|_| {
                let engine: geister::EngineOptions = quick(game, level);
                engine.prepare().expect("weights")
            }),
            rules: Rules { ply_limit: 60 },
            session: 1,
            seed: 1,
        }),
        GameName::Blokus => Box::new(BlokusMatch {
            entrants: vec![quick(game, level)],
            assignments: vec![[0; 4]],
            width: 1,
            random_plies: 4,
            seed: 1,
            scoring: Scoring::Advanced,
        }),
        GameName::ScoreFour => Box::new(ScoreFourMatch {
            entrants: [quick(game, level), quick(game, level)],
            random_plies: 2,
            seed: 1,
        }),
        GameName::Dobutsu => Box::new(DobutsuMatch {
            entrants: [quick(game, level), quick(game, level)],
            random_plies: 2,
            is_second: false,
            seed: 1,
        }),
    }
}

#[test]
fn every_level_of_every_game_plays() {
    for game in GameName::ALL {
        for level in Level::ALL {
            let played = contest(game, level).play(0, 0);
            let played = played.unwrap_or_else(|e| panic!("{game}, {}: {e}", level.name()));
            assert!(!played.is_empty(), "{game}, {}", level.name());
        }
    }
}
