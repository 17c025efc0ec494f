//! `log-YYYY-MM-dd-HH-mm-ss-SSS.txt` of the official server of Geister, one for each game.
//!
//! Players are numbered by their seat there, 0 moves first. The winner is written of games that
//! ended by the rules only, as the official server does.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use games::is_printable;
use jiff::{ToSpan, Zoned};

use crate::{Event, What};

/// The log of a game from the events of its record; `None` if they lack its beginning.
pub fn game_log(events: &[Event]) -> Option<String> {
    let second = events.iter().find_map(|event| match &event.what {
        What::Begin { seats, .. } => seats.get(1).copied(),
        _ => None,
    })?;
    let seat_of = |player: u8| u8::from(player == second);
    let command = |player: u8, text: &str| {
        let text = text.replace(|c| !is_printable(c), "");
        format!("player={},{text}\n", seat_of(player))
    };
    let mut log = String::new();
    for event in events {
        match &event.what {
            What::Setup {
                player,
                setup,
                name,
            } => {
                let name = name
                    .as_ref()
                    .map_or(String::new(), |name| format!(",NAME:{name}"));
                log += &command(*player, &format!("SET:{setup}{name}"));
            }
            What::Move { player, mv, .. } => log += &command(*player, &format!("MOV:{mv}")),
            What::Refused { player, sent, .. } => log += &command(*player, sent),
            What::End {
                places,
                rule: Some(_),
                ..
            } => {
                let winner = match places[..] {
                    [first, second] if first != second => seat_of(u8::from(second < first)),
                    _ => 2,
                };
                let _ = writeln!(log, "winner={winner}");
            }
            _ => {}
        }
    }
    Some(log)
}

/// Makes the file for the log of a game that began at `began`, and its folder. Games that began in the same
/// millisecond are named by the next ones.
///
/// # Errors
/// When it cannot be made.
pub fn create_game_log(folder: &Path, began: &Zoned) -> io::Result<(File, PathBuf)> {
    fs::create_dir_all(folder)?;
    let mut time = began.clone();
    loop {
        let name = time.strftime("log-%Y-%m-%d-%H-%M-%S-%3f.txt").to_string();
        let path = folder.join(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                time = time
                    .checked_add(1.millisecond())
                    .map_err(io::Error::other)?;
            }
            opened => return opened.map(|file| (file, path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EndKind;

    /// A game that ends by a rule or by a fault.
    fn events(rule: Option<&str>) -> Vec<Event> {
        let setup = |player, setup: &str, name: Option<&str>| What::Setup {
            player,
            setup: setup.to_owned(),
            name: name.map(str::to_owned),
        };
        let begin = What::Begin {
            game: 1,
            seats: vec![1, 0],
            ranks: None,
            hands: Vec::new(),
            position: None,
        };
        let refused = What::Refused {
            player: 0,
            sent: "MOV:A,\tN".to_owned(),
            reason: "no".to_owned(),
        };
        let end = What::End {
            game: 1,
            places: vec![1, 0],
            points: vec![0.0, 1.0],
            game_points: Vec::new(),
            kinds: vec![EndKind::Normal; 2],
            rule: rule.map(str::to_owned),
        };
        [
            begin,
            setup(0, "ABCD", None),
            setup(1, "EFGH", Some("foo")),
            What::play(1, "A,N"),
            refused,
            end,
        ]
        .map(|what| what.at(1))
        .to_vec()
    }

    #[test]
    fn lines_go_by_seat_and_the_winner_by_the_rules_only() {
        let lines =
            "player=1,SET:ABCD\nplayer=0,SET:EFGH,NAME:foo\nplayer=0,MOV:A,N\nplayer=1,MOV:A,N\n";
        assert_eq!(game_log(&events(None)).unwrap(), lines);
        let log = game_log(&events(Some("escape"))).unwrap();
        assert_eq!(log, format!("{lines}winner=0\n"));
    }

    #[test]
    fn games_of_the_same_millisecond_have_files_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let began = jiff::civil::date(2024, 3, 9).at(10, 11, 12, 99_000_000);
        let began = began.to_zoned(jiff::tz::TimeZone::UTC).unwrap();
        let names = [(), ()].map(|()| {
            let (_, path) = create_game_log(folder.path(), &began).unwrap();
            path.file_name().unwrap().to_owned()
        });
        assert_eq!(names[0], "log-2024-03-09-10-11-12-099.txt");
        assert_eq!(names[1], "log-2024-03-09-10-11-12-100.txt");
    }
}
