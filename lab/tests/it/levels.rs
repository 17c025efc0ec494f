//! Levels for people: each is an engine of its game that plays a game to its end, and the documentation has their table.

use std::fmt::Debug;
use std::str::FromStr;

use clap::{Args, Parser};
use games::GameName;
use games::blokus::Scoring;
use games::geister::Rules;
use taikyoku_bots::Level;
use taikyoku_bots::arena::Contest;
use taikyoku_bots::{blokus, daihinmin, dobutsu, geister, score_four};

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
        GameName::Daihinmin => Box::new(daihinmin::arena::Contest {
            entrants: vec![quick(game, level)],
            session: 1,
            seed: 1,
        }),
        GameName::Geister => Box::new(geister::arena::Contest {
            entrants: [quick(game, level), quick(game, level)],
            rules: Rules { ply_limit: 60 },
            session: 1,
            seed: 1,
        }),
        GameName::Blokus => Box::new(blokus::arena::Contest {
            entrants: vec![quick(game, level)],
            assignments: vec![[0; 4]],
            width: 1,
            random_plies: 4,
            seed: 1,
            scoring: Scoring::Advanced,
        }),
        GameName::ScoreFour => Box::new(score_four::arena::Contest {
            entrants: [quick(game, level), quick(game, level)],
            random_plies: 2,
            seed: 1,
        }),
        GameName::Dobutsu => Box::new(dobutsu::arena::Contest {
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

#[test]
fn the_documentation_has_every_level() {
    let page = include_str!("../../../docs/strength.md");
    for game in GameName::ALL {
        let title = format!("`taikyoku-lab match {game} level-9 level-8");
        let (_, mut rest) = page.split_once(&title).expect("a table of levels");
        for (level, n) in Level::ALL.into_iter().zip(1..) {
            let row = format!("\n| {n} | `{}` | ", level.specification(game));
            let found = rest.split_once(&row);
            (_, rest) = found.unwrap_or_else(|| panic!("{title}: no row{row}"));
        }
    }
}

/// A command line with the options of a client.
#[derive(Parser)]
#[command(disable_help_flag = true)]
struct Line<O: Args> {
    #[command(flatten)]
    options: O,
}

fn client<O: Args>(level: Level) -> O {
    let line = Line::<O>::try_parse_from(["client", "--engine", level.name()]);
    line.unwrap_or_else(|e| panic!("{}: {e}", level.name()))
        .options
}

#[test]
fn the_clients_play_a_level_as_its_specification_says() {
    for level in Level::ALL {
        let name = level.name();
        let options: daihinmin::client::Options = client(level);
        assert_eq!(options.engine(), Ok(name.parse().ok()), "{name}");
        let options: geister::client::Options = client(level);
        assert_eq!(options.engine(), Ok(name.parse().ok()), "{name}");
        let due: blokus::EngineOptions = name.parse().expect("a level");
        let options: blokus::client::Options = client(level);
        let options = options.engine().expect("its options").expect("an engine");
        assert_eq!(
            (options.engine, options.playouts, options.epsilon),
            (due.engine, due.playouts, due.epsilon)
        );
        let due: dobutsu::EngineOptions = name.parse().expect("a level");
        let options: dobutsu::client::Options = client(level);
        let options = options.engine().expect("its options").expect("an engine");
        assert_eq!((options.engine, options.nodes), (due.engine, due.nodes));
        assert!((options.blunders - due.blunders).abs() < f64::EPSILON);
    }
}
