//! Makes records from texts of other programs: game sheets and official logs, whose games are replayed by the rules.
//!
//! ```
//! use taikyoku_record::import::{Format, import};
//!
//! let imported = import(b"startpos moves 2c2b 3a3b 2b2a+")?;
//! assert_eq!((imported.format, imported.games), (Format::Usi, 1));
//! let wrong = import(b"N+ana\n+\n+B3B1HI\n").unwrap_err();
//! assert_eq!((wrong.format, wrong.line), (Some(Format::Csa), 3));
//! # Ok::<(), taikyoku_record::import::ImportError>(())
//! ```

mod blokus;
mod dobutsu;
mod draft;
mod geister;
#[cfg(test)]
mod testing;
mod uecda;

use games::GameName;

use crate::RecordReader;
use crate::replay::replay;

/// Most bytes of a text. The log of a contest of 1000 games of `UECda` has about 1.5 MB.
pub const MOST_BYTES: usize = 8 << 20;

/// The format of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A record.
    Record,
    /// Games of Blokus as Pentobi writes them.
    Blksgf,
    /// Games of Dobutsu shogi in the manner of CSA.
    Csa,
    /// Games of Dobutsu shogi as USI writes them, a line each: positions as SFEN, and moves.
    Usi,
    /// The log of the official server of `UECda`.
    UecdaLog,
    /// The log of a game of the official server of GAT.
    GatLog,
}

impl Format {
    /// The name for programs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::Record => "record",
            Format::Blksgf => "blksgf",
            Format::Csa => "csa",
            Format::Usi => "usi",
            Format::UecdaLog => "uecda-log",
            Format::GatLog => "gat-log",
        }
    }

    /// What a text seems to be by its first line that is not empty.
    fn of(text: &str) -> Option<Format> {
        let first = text.lines().map(str::trim).find(|line| !line.is_empty())?;
        let is_csa = |start: &str| first.starts_with(start);
        match first.as_bytes()[0] {
            b'{' => Some(Format::Record),
            b'(' => Some(Format::Blksgf),
            b'%' => Some(Format::UecdaLog),
            _ if is_csa("player=") || is_csa("winner=") => Some(Format::GatLog),
            _ if ["N+", "N-", "V", "$", "'", "P1", "PI", "+", "-"]
                .into_iter()
                .any(is_csa) =>
            {
                Some(Format::Csa)
            }
            _ => dobutsu::is_usi(first).then_some(Format::Usi),
        }
    }
}

/// A record that was made of a text.
#[derive(Clone, Debug)]
pub struct Imported {
    /// What the text was.
    pub format: Format,
    /// The game.
    pub game: GameName,
    /// Games, the one without an end among them.
    pub games: u32,
    /// Whether a game has no end.
    pub is_unfinished: bool,
    /// Whether the text has variations, which no record has.
    pub has_variations: bool,
    /// The lines of the record.
    pub bytes: Vec<u8>,
}

/// Why no record is made of a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", if *.line == 0 { String::new() } else { format!("line {line}: ") })]
pub struct ImportError {
    /// What the text seems to be; `None` where it is like nothing that is known.
    pub format: Option<Format>,
    /// The line, from 1; 0 where it is none of one line.
    pub line: u64,
    /// What is wrong.
    pub reason: String,
}

/// A reason, and the line to which it belongs, from 1; 0 for none.
type Wrong = (u64, String);

/// Makes a record of a text: a record, or a text of another program. Its moves and ends are those of the rules.
///
/// # Errors
/// The first line that cannot be read or played, or that contradicts the lines before it.
pub fn import(text: &[u8]) -> Result<Imported, ImportError> {
    let error = |format, (line, reason): Wrong| ImportError {
        format,
        line,
        reason,
    };
    if text.len() > MOST_BYTES {
        let reason = format!("the text has more than {} MiB", MOST_BYTES >> 20);
        return Err(error(None, (0, reason)));
    }
    // Names in other encodings than UTF-8 do not keep a game from being read.
    let text = String::from_utf8_lossy(text);
    let text = text.trim_start_matches('\u{feff}');
    let unknown = "this is neither a record, a game sheet (blksgf, CSA, SFEN) nor an official log of UECda or GAT";
    let format = Format::of(text).ok_or_else(|| error(None, (0, unknown.to_owned())))?;
    let made = match format {
        Format::Record => of_record(text),
        Format::Blksgf => blokus::import(text),
        Format::Csa => dobutsu::import_csa(text),
        Format::Usi => dobutsu::import_usi(text),
        Format::UecdaLog => uecda::import(text),
        Format::GatLog => geister::import(text),
    };
    made.map_err(|wrong| error(Some(format), wrong))
}

/// A record, unchanged, after a replay by the rules.
fn of_record(text: &str) -> Result<Imported, Wrong> {
    let wrong = |e: crate::ReadError| (e.line, e.reason);
    let reader = RecordReader::new(text.as_bytes(), "").map_err(wrong)?;
    let game = reader.header().game;
    let seats = game.seats();
    let players = reader.header().players.len();
    if players != seats {
        let reason = format!("the record has {players} players, and {game} has {seats}");
        return Err((1, reason));
    }
    let replayed = replay(reader).map_err(wrong)?;
    let games = replayed.games + replayed.void + u32::from(replayed.unfinished);
    if games == 0 {
        return Err((0, "there is no game in it".to_owned()));
    }
    Ok(Imported {
        format: Format::Record,
        game,
        games,
        is_unfinished: replayed.unfinished,
        has_variations: false,
        bytes: text.as_bytes().to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = concat!(
        r#"{"taikyoku-record":1,"game":"score-four","match":"m","tongue":"native","players":[{"name":"a"},{"name":"b"}],"games":1,"rules":{},"started":"","server":""}"#,
        "\n",
        r#"{"ms":0,"event":"begin","game":1,"seats":[0,1]}"#,
        "\n",
        r#"{"ms":0,"event":"move","player":0,"move":"a1"}"#,
        "\n"
    );

    #[test]
    fn a_record_stays_as_it_is_and_has_to_play_again() {
        let made = import(format!("\u{feff}{RECORD}").as_bytes()).unwrap();
        assert_eq!(made.bytes, RECORD.as_bytes());
        assert_eq!(
            (made.format, made.games, made.is_unfinished),
            (Format::Record, 1, true)
        );
        let first_line = RECORD.lines().next().unwrap();
        for (text, line, reason) in [
            (
                RECORD.replace("\"move\":\"a1\"", "\"move\":\"a9\""),
                3,
                "not a peg",
            ),
            (
                RECORD.replace("\"event\":\"begin\"", "\"event\":\"began\""),
                2,
                "unknown variant",
            ),
            (RECORD.replace(r#",{"name":"b"}"#, ""), 1, "has 1 players"),
            (
                RECORD.replace("\"taikyoku-record\":1", "\"taikyoku-record\":9"),
                1,
                "version 9",
            ),
            (first_line.to_owned(), 0, "no game"),
            ("{\"key\":1}\n".to_owned(), 1, "no record header"),
        ] {
            let wrong = import(text.as_bytes()).unwrap_err();
            assert!(wrong.reason.contains(reason), "{wrong}");
            assert_eq!(
                (wrong.format, wrong.line),
                (Some(Format::Record), line),
                "{wrong}"
            );
        }
    }

    #[test]
    fn what_is_unknown_or_too_large_is_refused() {
        for text in ["", "\n \n", "hello", "1. e4 e5", "<html>", "\u{0}"] {
            let wrong = import(text.as_bytes()).unwrap_err();
            assert!(
                wrong.format.is_none() && wrong.reason.contains("neither"),
                "{wrong}"
            );
        }
        let wrong = import("2c2b\n".repeat(20_001).as_bytes()).unwrap_err();
        assert_eq!(wrong.reason, "there are more than 20000 games");
        let wrong = import(&vec![b'('; MOST_BYTES + 1]).unwrap_err();
        assert_eq!(wrong.to_string(), "the text has more than 8 MiB");
    }
}
