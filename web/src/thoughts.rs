//! What the bots of a table thought of their moves: the lines that they print, which are kept beside the record.
//!
//! A file of thoughts may hold what a game hides, as it is written while the game is on. A page gets a thought with the
//! frame of the record that it belongs to, and a record has a game only once it is over.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use games::GameName;
use log::warn;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::advice;
use crate::messages::PlyThought;

/// Most bytes of a line of a bot. Longer ones are passed over.
pub(crate) const MOST_LINE: u64 = 32 << 10;
/// Most bytes of the thoughts of a table.
const MOST_BYTES: u64 = 8 << 20;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Thought {
    pub(crate) game: u32,
    pub(crate) player: u8,
    #[serde(rename = "move")]
    pub(crate) mv: String,
    /// Plies before the move, where its protocol tells them.
    pub(crate) ply: Option<u32>,
    /// The bot's value of the position from -1, a loss, to 1, a win.
    pub(crate) value: Option<f64>,
    /// The engine's reasons, an object with the time in `ms`.
    pub(crate) reasons: Value,
}

impl Thought {
    /// Reads a line of a bot, which has `--json`; `None` if it tells no reasons.
    pub(crate) fn read(game: GameName, player: u8, line: &[u8]) -> Option<Thought> {
        let mut line: Value = serde_json::from_slice(line).ok()?;
        let mut reasons = line.get_mut("reason")?.take();
        let mv = match (line["move"].as_str(), line["gift"].as_str()) {
            (Some(mv), _) => mv.to_owned(),
            (None, gift) => format!("give {}", gift?),
        };
        let value = reasons
            .is_object()
            .then(|| advice::value(game, &reasons, &mv))?;
        advice::calibrate(game, &mut reasons);
        reasons["ms"] = line["ms"].take();
        if reasons.get("move").is_none() {
            reasons["move"] = mv.clone().into();
        }
        let number = |name: &str| line[name].as_u64().and_then(|n| n.try_into().ok());
        Some(Thought {
            game: number("game")?,
            player,
            mv,
            ply: number("ply"),
            value,
            reasons,
        })
    }

    /// What a page is told of it during a game.
    pub(crate) fn message(&self) -> PlyThought {
        PlyThought {
            game: self.game,
            ply: self.ply.map(|ply| ply + 1),
            value: self.value,
            thought: self.reasons.clone(),
        }
    }
}

pub(crate) fn file(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.thoughts"))
}

/// The same, beside the file of the record.
pub(crate) fn beside(record: &Path) -> PathBuf {
    record.with_extension("thoughts")
}

/// The lines of a file of thoughts; none where none were kept. One that is torn off is passed over.
fn lines(file: &Path) -> Vec<Thought> {
    let mut text = Vec::new();
    let read = File::open(file);
    match read.and_then(|file| file.take(MOST_BYTES).read_to_end(&mut text)) {
        Ok(_) => text
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect(),
        Err(_) => Vec::new(),
    }
}

/// Keeps the thoughts of a table as they come.
pub(crate) struct ThoughtWriter {
    path: PathBuf,
    kept: Mutex<ThoughtFile>,
}

struct ThoughtFile {
    file: Option<File>,
    bytes: u64,
}

impl ThoughtWriter {
    /// Keeps the thoughts of a record. The first thought that is kept makes the file.
    pub(crate) fn new(folder: &Path, id: &str) -> ThoughtWriter {
        let path = file(folder, id);
        let bytes = path.metadata().map_or(0, |file| file.len());
        ThoughtWriter {
            path,
            kept: Mutex::new(ThoughtFile { file: None, bytes }),
        }
    }

    /// Keeps the thoughts of another record of the same game, up to the moves after so many plies.
    pub(crate) fn go_on(&self, folder: &Path, before: &str, plies: u32) {
        for thought in lines(&file(folder, before)) {
            if thought.ply.is_some_and(|ply| ply < plies) {
                self.keep(&thought);
            }
        }
    }

    /// Keeps a thought, as long as there is room.
    pub(crate) fn keep(&self, thought: &Thought) {
        let mut line = serde_json::to_string(thought).expect("a thought is plain data");
        line.push('\n');
        let mut kept = self.kept();
        let had_room = kept.bytes < MOST_BYTES;
        kept.bytes = kept.bytes.saturating_add(line.len() as u64);
        if kept.bytes > MOST_BYTES {
            if had_room {
                warn!("{}: no more thoughts are kept", self.path.display());
            }
            kept.bytes = MOST_BYTES;
            return;
        }
        if let Err(e) = kept.write(&self.path, line.as_bytes()) {
            warn!("{}: {e}", self.path.display());
            kept.bytes = MOST_BYTES;
        }
    }

    fn kept(&self) -> MutexGuard<'_, ThoughtFile> {
        self.kept.lock().expect("nothing panics with the file")
    }
}

impl ThoughtFile {
    fn write(&mut self, path: &Path, line: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            empty => {
                let mut options = File::options();
                options.append(true).create(true);
                // It tells of hands and colours in play.
                std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
                empty.insert(options.open(path)?)
            }
        };
        file.write_all(line)
    }
}

/// The thoughts of a record, by game and player in the order of the moves.
#[derive(Default)]
pub(crate) struct Thoughts(HashMap<(u32, u8), VecDeque<Thought>>);

impl Thoughts {
    pub(crate) fn read(record: &Path) -> Thoughts {
        let mut thoughts = Thoughts::default();
        for thought in lines(&beside(record)) {
            thoughts.add(thought);
        }
        thoughts
    }

    fn add(&mut self, thought: Thought) {
        let of = self.0.entry((thought.game, thought.player)).or_default();
        of.push_back(thought);
    }

    /// The thought of the next move of a player. Those before it belong to moves that were refused.
    pub(crate) fn take(&mut self, game: u32, player: u8, mv: &str) -> Option<Thought> {
        let of = self.0.get_mut(&(game, player))?;
        let at = of.iter().position(|thought| thought.mv == mv)?;
        of.drain(..=at).next_back()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::calibration::Curve;

    #[test]
    fn lines_of_bots_are_read() {
        let read = |game, line: &str| Thought::read(game, 2, line.as_bytes());
        let line = r#"{"ms":12.5,"reason":{"engine":"best","value":0.75},"move":"a20","game":1,"ply":8,"seat":0,"board":"x"}"#;
        let thought = read(GameName::Blokus, line).expect("a thought");
        assert_eq!((thought.game, thought.player, thought.ply), (1, 2, Some(8)));
        let curve = Curve::of(GameName::Blokus, Some("best")).expect("a curve");
        let value = Some(curve.value(0.5));
        assert_eq!((&thought.mv[..], thought.value), ("a20", value));
        assert_eq!(
            thought.reasons,
            json!({ "engine": "best", "value": 0.75, "move": "a20", "ms": 12.5 })
        );
        assert_eq!(thought.message().ply, Some(9));
        let gift = r#"{"ms":1,"reason":{"reason":"playouts"},"gift":"S3D4","game":2,"turn":0}"#;
        let gift = read(GameName::Daihinmin, gift).expect("a thought");
        assert_eq!((&gift.mv[..], gift.ply), ("give S3D4", None));
        for line in [
            "",
            "[1]",
            r#"{"summary":{}}"#,
            r#"{"ms":1,"move":"a20","game":1}"#,
            r#"{"reason":"x","move":"a20","game":1}"#,
            r#"{"reason":{},"move":"a20","game":-1}"#,
            r#"{"reason":{},"game":1}"#,
        ] {
            assert_eq!(read(GameName::Blokus, line), None, "{line}");
        }
    }

    #[test]
    fn thoughts_are_kept_and_found_by_the_moves() {
        let folder = tempfile::tempdir().expect("a folder");
        let keeper = ThoughtWriter::new(folder.path(), "x");
        let read = || Thoughts::read(&folder.path().join("x.jsonl"));
        assert_eq!(read().take(1, 0, "a1"), None);
        let thought = |mv: &str, n: u32| Thought {
            game: 1,
            player: 0,
            mv: mv.to_owned(),
            ply: None,
            value: None,
            reasons: json!({ "n": n }),
        };
        for (n, mv) in (0..).zip(["pass", "S3", "S4", "pass"]) {
            keeper.keep(&thought(mv, n));
        }
        // Of a game whose moves are taken back, those before them go on.
        let next = ThoughtWriter::new(folder.path(), "y");
        let at = |mv: &str, ply| Thought {
            ply: Some(ply),
            ..thought(mv, ply)
        };
        let before = ThoughtWriter::new(folder.path(), "z");
        for (ply, mv) in (0..).zip(["a1", "a2", "a3"]) {
            before.keep(&at(mv, ply));
        }
        next.go_on(folder.path(), "z", 2);
        next.keep(&at("b3", 2));
        assert!(next.kept().bytes > 0);
        let moves = lines(&file(folder.path(), "y"))
            .into_iter()
            .map(|thought| thought.mv);
        assert_eq!(moves.collect::<Vec<_>>(), ["a1", "a2", "b3"]);
        let mut kept = read();
        let mut take = |mv: &str| {
            kept.take(1, 0, mv)
                .map(|thought| thought.reasons["n"].clone())
        };
        assert_eq!(take("pass"), Some(json!(0)));
        assert_eq!(take("S5"), None);
        // S3 was refused.
        assert_eq!(take("S4"), Some(json!(2)));
        assert_eq!(take("pass"), Some(json!(3)));
        assert_eq!(take("pass"), None);
        assert_eq!(read().take(1, 1, "S3"), None);
    }
}
