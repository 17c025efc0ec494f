//! `log-YYYY-MM-dd-HH-mm-ss-SSS.txt` of the official server of Geister, one for each game.
//!
//! Players are numbered by their seat there, 0 moves first. The winner is written of games that
//! ended by the rules only, as the official server does.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use jiff::{ToSpan, Zoned};
use protocol::gat::{ClientLine, GameLog, LogLine};

use crate::record::{Event, What};
use crate::referee::gat::GameResult;

/// The log of a game from the events of its record.
pub fn game_log(events: &[Event], result: &GameResult) -> GameLog {
    let seat_of = |player: u8| u8::from(result.player_at[1] == player);
    let command = |player: u8, text: &str| LogLine::Command {
        player: seat_of(player),
        command: ClientLine::parse(text),
    };
    let mut lines: Vec<LogLine> = events
        .iter()
        .filter_map(|event| match &event.what {
            What::Setup {
                player,
                setup,
                name,
            } => {
                let name = name
                    .as_ref()
                    .map_or(String::new(), |n| format!(",NAME:{n}"));
                Some(command(*player, &format!("SET:{setup}{name}")))
            }
            What::Move { player, mv, .. } => Some(command(*player, &format!("MOV:{mv}"))),
            What::Refused { player, sent, .. } => Some(command(*player, sent)),
            _ => None,
        })
        .collect();
    if result.rule.is_some() {
        lines.push(LogLine::Winner(result.winner.map(seat_of)));
    }
    GameLog { lines }
}

/// Writes the log of a game that began at `began` into a folder; gives the file. Games that began
/// in the same millisecond are named by the next ones.
///
/// # Errors
/// When the file cannot be made or written.
pub fn write_game_log(folder: &Path, began: &Zoned, log: &GameLog) -> io::Result<PathBuf> {
    let mut time = began.clone();
    loop {
        let name = time.strftime("log-%Y-%m-%d-%H-%M-%S-%3f.txt").to_string();
        let path = folder.join(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                file.write_all(log.to_string().as_bytes())?;
                return Ok(path);
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                time = time
                    .checked_add(1.millisecond())
                    .map_err(io::Error::other)?;
            }
            Err(e) => return Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::EndKind;

    fn events() -> Vec<Event> {
        let setup = |player, setup: &str, name: Option<&str>| What::Setup {
            player,
            setup: setup.to_owned(),
            name: name.map(str::to_owned),
        };
        let refused = What::Refused {
            player: 0,
            sent: "MOV:A,\tN".to_owned(),
            reason: "no".to_owned(),
        };
        [
            setup(0, "ABCD", None),
            setup(1, "EFGH", Some("foo")),
            What::play(1, "A,N"),
            refused,
        ]
        .map(|what| what.at(1))
        .to_vec()
    }

    fn result(rule: Option<&'static str>) -> GameResult {
        GameResult {
            player_at: [1, 0],
            winner: Some(1),
            kinds: [EndKind::Normal; 2],
            rule,
            plies: 1,
        }
    }

    #[test]
    fn lines_go_by_seat_and_the_winner_by_the_rules_only() {
        let lines =
            "player=1,SET:ABCD\nplayer=0,SET:EFGH,NAME:foo\nplayer=0,MOV:A,N\nplayer=1,MOV:A,N\n";
        let log = game_log(&events(), &result(None));
        assert_eq!(log.to_string(), lines);
        let log = game_log(&events(), &result(Some("escape")));
        assert_eq!(log.to_string(), format!("{lines}winner=0\n"));
    }

    #[test]
    fn games_of_the_same_millisecond_have_files_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let log = game_log(&events(), &result(None));
        let began = jiff::civil::date(2024, 3, 9).at(10, 11, 12, 99_000_000);
        let began = began.to_zoned(jiff::tz::TimeZone::UTC).unwrap();
        let names = [(), ()].map(|()| {
            let path = write_game_log(folder.path(), &began, &log).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), log.to_string());
            path.file_name().unwrap().to_owned()
        });
        assert_eq!(names[0], "log-2024-03-09-10-11-12-099.txt");
        assert_eq!(names[1], "log-2024-03-09-10-11-12-100.txt");
    }
}
