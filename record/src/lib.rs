//! The record of a match: one JSON object a line, only ever appended to, the same for all games.
//!
//! The first line is the [`Header`], every other line an [`Event`]: a time in milliseconds since
//! the header and what happened. Players are numbers, in the order of [`Header::players`]; lists
//! without a word about it go by player. Moves are in the notation of the game. Games of one match
//! that are played at the same time stand one after the other, in the order of their ends.
//!
//! ```text
//! {"taikyoku-record":1,"game":"daihinmin","match":"...","tongue":"uecda","players":[{"name":"a"}, ...
//! {"ms":3,"event":"begin","game":1,"seats":[2,0,1,4,3],"hands":["S3D7...", ...]}
//! {"ms":5,"event":"move","player":2,"move":"D3","used":1}
//! {"ms":9,"event":"refused","player":0,"sent":"H3","reason":"the meld does not beat the field"}
//! {"ms":9,"event":"move","player":0,"move":"pass","fault":"illegal"}
//! {"ms":80,"event":"end","game":1,"places":[1,0,2,4,3],"points":[4,5,3,1,2],"kinds":["normal","normal", ...]}
//! {"ms":81,"event":"result","games":1,"points":[4,5,3,1,2],"kinds":[...],"key":"5f0c..."}
//! ```
//!
//! `game_points` of an end is what each player has by the game's own count, where the game has one. The
//! `position` of a beginning is in the notation of the game: for score four the pegs played, one after the
//! other; for Blokus the steps with `;` between them, each the squares of a move (`b19,a20,b20;t20`) or `-`
//! and the name of a colour that was withdrawn (`-yellow`).
//!
//! [`Frames`] is the one fold from events to what is shown; page, watchers, terminal and replays use it. [`replay()`] plays a
//! record again by the rules, and [`verify`] compares deals and results as well. [`import`](mod@import) makes records from the
//! texts of other programs. Nothing here opens a socket, judges a
//! message or searches. Begin reading at `event.rs`, then at `frame.rs`.
//!
//! # Secrets
//! Hands, set-ups, gifts and refused moves are secret while a game runs, and the seed or key is while the match
//! runs. The header has a commitment to the key, by which [`verify`] knows that the deals were fixed before.
//! [`RecordWriter`] therefore keeps the lines of the game in play in memory and writes them when that game ends;
//! [`What::Result`], the last line, is the only place for seed and key. A reader of the file of a running match learns
//! nothing that can still be used in it.
//!
//! # Reading
//! ```
//! use taikyoku_record::{Record, What, replay, RecordReader};
//!
//! let text = r#"{"taikyoku-record":1,"game":"score-four","match":"m","tongue":"native",
//! "players":[{"name":"ana"},{"name":"bo"}],"games":1,"rules":{},"started":"","server":""}"#;
//! let text = text.replace('\n', "") + r#"
//! {"ms":0,"event":"begin","game":1,"seats":[1,0],"position":"a1a2b1b2c1c2"}
//! {"ms":4,"event":"move","player":1,"move":"d1"}
//! {"ms":4,"event":"end","game":1,"places":[1,0],"points":[0.0,1.0],"kinds":["normal","normal"],"rule":"line"}
//! "#;
//! let record = Record::read(text.as_bytes(), "m.jsonl")?;
//! assert_eq!(record.header.players[1].name, "bo");
//! assert!(matches!(&record.events[1].what, What::Move { mv, .. } if mv == "d1"));
//!
//! let replayed = replay(RecordReader::new(text.as_bytes(), "m.jsonl")?)?;
//! assert_eq!(replayed.points, [0.0, 1.0]);
//! # Ok::<(), taikyoku_record::ReadError>(())
//! ```

mod event;
pub mod files;
mod frame;
mod header;
pub mod import;
pub mod official_log;
mod reader;
mod replay;
mod spool;
pub mod watch;
mod writer;

pub use event::{EndKind, Event, What};
pub use frame::{Frame, Frames, GameResult, Out, Viewer};
pub use header::{Clocks, Header, Player, VERSION};
pub use reader::{LONGEST_LINE, MOST_PLAYERS, ReadError, Record, RecordReader, open_file};
pub use replay::{
    DaihinminGame, DealtSession, Deficit, Deficits, HighlightKind, Recorded, Replay, ReplayError,
    Replayed, Verified, replay, verify, verify_events, verify_sessions,
};
pub use spool::{Medium, Spool};
pub use writer::RecordWriter;
