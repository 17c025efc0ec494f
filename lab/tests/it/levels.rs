//! Levels for people: each is an engine of its game that plays a game to its end.

use std::fmt::Debug;
use std::str::FromStr;

use bots::Level;
use games::GameName;
use games::blokus::Scoring;
use games::geister::Rules;
use taikyoku_lab::arena::{
    Contest, blokus_contest, daihinmin_contest, dobutsu_contest, geister_contest,
    score_four_contest,
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

fn contest(game: GameName, level: Level) -> Contest {
    match game {
        GameName::Daihinmin => daihinmin_contest(vec![quick(game, level)], 1, 1),
        GameName::Geister => {
            let entrants = [quick(game, level), quick(game, level)];
            geister_contest(entrants, Rules { ply_limit: 60 }, 1, 1)
        }
        GameName::Blokus => {
            let entrants = vec![quick(game, level)];
            blokus_contest(entrants, vec![[0; 4]], 1, 4, 1, Scoring::Advanced)
        }
        GameName::ScoreFour => score_four_contest([quick(game, level), quick(game, level)], 2, 1),
        GameName::Dobutsu => dobutsu_contest([quick(game, level), quick(game, level)], 2, false, 1),
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
