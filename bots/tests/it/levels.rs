//! Levels for people: the documentation has their table, and the clients read them.

use clap::{Args, Parser};
use games::GameName;
use taikyoku_bots::Level;
use taikyoku_bots::{blokus, daihinmin, dobutsu, geister};

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
        let options: daihinmin::client::DaihinminOptions = client(level);
        assert_eq!(options.engine(), Ok(name.parse().ok()), "{name}");
        let options: geister::client::GeisterOptions = client(level);
        assert_eq!(options.engine(), Ok(name.parse().ok()), "{name}");
        let due: blokus::EngineOptions = name.parse().expect("a level");
        let options: blokus::client::BlokusOptions = client(level);
        let options = options.engine().expect("its options").expect("an engine");
        assert_eq!(
            (options.engine, options.playouts, options.epsilon),
            (due.engine, due.playouts, due.epsilon)
        );
        let due: dobutsu::EngineOptions = name.parse().expect("a level");
        let options: dobutsu::client::DobutsuOptions = client(level);
        let options = options.engine().expect("its options").expect("an engine");
        assert_eq!((options.engine, options.nodes), (due.engine, due.nodes));
        assert!((options.blunders - due.blunders).abs() < f64::EPSILON);
    }
}
