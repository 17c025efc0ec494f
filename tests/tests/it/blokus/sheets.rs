//! The blksgf files of a match.

use std::fs;

use end_to_end::run::Server;
use games::blokus::Colour;
use games::blokus::blksgf::Game;
use record::{Record, What};

/// Texts of the blksgf files, by number of the game.
pub(super) fn of(server: &Server) -> Vec<String> {
    let files = fs::read_dir(server.folder.path().join("games")).expect("a folder");
    let mut sheets: Vec<(u32, String)> = files
        .map(|file| {
            let path = file.expect("a file").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            let name = name.strip_suffix(".blksgf").expect("its extension");
            let (_, number) = name.rsplit_once("-game-").expect("a number");
            let text = fs::read_to_string(&path).expect("a text");
            (number.parse().expect("a number"), text)
        })
        .collect();
    sheets.sort();
    sheets.into_iter().map(|(_, text)| text).collect()
}

/// Asserts that every game of the record reads back from its blksgf with the same players and scores.
pub(super) fn assert_sheets(sheets: &[String], record: &Record) {
    let mut sheets = sheets.iter();
    let mut player_at = Vec::new();
    for event in &record.events {
        match &event.what {
            What::Begin { seats, .. } => player_at.clone_from(seats),
            What::End { game_points, .. } => {
                let game: Game = sheets.next().expect("a file").parse().expect("blksgf");
                let board = game.board().expect("legal moves");
                for (&player, colour) in player_at.iter().zip(Colour::ALL) {
                    let player = usize::from(player);
                    let name = &record.header.players[player].name;
                    assert_eq!(game.players[colour.index()], *name);
                    let squares = record.header.rules["scoring"] == "squares";
                    let score = if squares {
                        i32::from(board.squares(colour))
                    } else {
                        i32::from(board.score(colour))
                    };
                    assert_eq!(score, game_points[player]);
                }
            }
            _ => {}
        }
    }
    assert_eq!(sheets.next(), None);
}
