//! Tables in play that outlast their gateway: what lies on the disk beside their records.
//!
//! For each table there is a file with its settings and the keys of its seats, and the journal of its server, which has the
//! key of the deals and every event. Both are removed when the table ends. The next gateway makes the tables again from them.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::net::IpAddr;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use client::{LATE, LEAVE, RESIGN, draw_line};
use log::warn;
use record::{EndKind, Event, What};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::table::Settings;
use crate::token::Key;

/// The folder among the records. No other user may read it: its files tell all hands and open all seats.
const FOLDER: &str = ".tables";
/// The file that a gateway has locked for as long as it lives.
const LOCK: &str = "lock";
const TABLE: &str = "json";
const JOURNAL: &str = "events";

/// A table that is to be made: what it has of the table before it, or of itself before its gateway began.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) id: String,
    /// How often it has begun, from 1.
    pub(crate) round: u32,
    /// The address of the person that has made it.
    pub(crate) from: IpAddr,
    /// The names that persons have given themselves, by player.
    pub(crate) called: Vec<Option<String>>,
    /// The keys of the seats, by player.
    pub(crate) keys: Vec<Option<Key>>,
}

impl Place {
    /// That of a new table.
    pub(crate) const fn new(from: IpAddr, id: String) -> Place {
        Place {
            id,
            round: 1,
            from,
            called: Vec::new(),
            keys: Vec::new(),
        }
    }

    pub(crate) fn record(&self) -> String {
        record_of(&self.id, self.round)
    }

    /// The same for its next match.
    pub(crate) fn next(self) -> Place {
        Place {
            round: self.round + 1,
            ..self
        }
    }
}

/// The name of the record of a table that has begun so often.
pub(crate) fn record_of(id: &str, round: u32) -> String {
    match round {
        1 => id.to_owned(),
        round => format!("{id}-{round}"),
    }
}

/// The files of the tables of one gateway.
pub(crate) struct KeptTables {
    folder: PathBuf,
    _lock: File,
}

/// A table, as its file has it.
#[derive(Serialize, Deserialize)]
pub(crate) struct KeptTable {
    pub(crate) place: Place,
    pub(crate) settings: Settings,
    /// See [`Settings::position`], which nobody may send.
    pub(crate) position: String,
    /// The players that have left it.
    pub(crate) left: BTreeSet<u8>,
}

/// What happened at a table before its gateway began.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    pub(crate) left: BTreeSet<u8>,
    events: Vec<Event>,
}

impl KeptTables {
    /// The tables of a folder of records; `None` where another gateway keeps its own there.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub(crate) fn open(records: &Path) -> io::Result<Option<KeptTables>> {
        let folder = records.join(FOLDER);
        let made = DirBuilder::new().mode(0o700).create(&folder);
        if let Err(e) = made
            && e.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(record::files::named(&folder, &e));
        }
        let lock = File::options()
            .append(true)
            .create(true)
            .open(folder.join(LOCK))
            .map_err(|e| record::files::named(&folder, &e))?;
        let is_ours = lock.try_lock().is_ok();
        Ok(is_ours.then_some(KeptTables {
            folder,
            _lock: lock,
        }))
    }

    /// The journal of the table with this record.
    pub(crate) fn journal(&self, record: &str) -> PathBuf {
        self.folder.join(record).with_extension(JOURNAL)
    }

    fn file(&self, record: &str) -> PathBuf {
        self.folder.join(record).with_extension(TABLE)
    }

    /// Writes a table down, in place of what was written of it before.
    pub(crate) fn keep(&self, table: &KeptTable) {
        let text = serde_json::to_vec(table).expect("a table is plain data");
        self.write(&self.file(&table.place.record()), &text);
    }

    /// Writes a file as a whole, for its owner alone.
    fn write(&self, path: &Path, text: &[u8]) {
        let written = NamedTempFile::new_in(&self.folder).and_then(|mut file| {
            file.write_all(text)?;
            file.persist(path).map_err(|e| e.error)
        });
        if let Err(e) = written {
            warn!(
                "{}: {e}: this table does not outlast the page",
                path.display()
            );
        }
    }

    /// Removes what was kept of a table.
    pub(crate) fn forget(&self, record: &str) {
        for path in [self.file(record), self.journal(record)] {
            match fs::remove_file(&path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => warn!("{}: {e}", path.display()),
                _ => {}
            }
        }
    }

    /// The tables that the gateway before this one has kept, with what happened at them.
    pub(crate) fn take(&self) -> Vec<(KeptTable, Past)> {
        let files = fs::read_dir(&self.folder).into_iter().flatten();
        let files = files.filter_map(|file| Some(file.ok()?.path()));
        let mut paths: Vec<PathBuf> = files.collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == TABLE));
        paths.sort();
        let read = |path: &PathBuf| {
            let table = read_table(path).and_then(|table| {
                let past = self.past(&table)?;
                Ok((table, past))
            });
            let wrong = |reason| warn!("{reason}; remove the file if the table is of no more use");
            table.map_err(wrong).ok()
        };
        paths.iter().filter_map(read).collect()
    }

    /// What happened at a table, of which its journal keeps no more than that.
    fn past(&self, table: &KeptTable) -> Result<Past, String> {
        let path = self.journal(&table.place.record());
        let text = match fs::read_to_string(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
            text => text.map_err(|e| format!("{}: {e}", path.display()))?,
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole == 0 && path.exists() {
            return Err(format!(
                "{}: the disk did not take all of it",
                path.display()
            ));
        }
        let mut events = Vec::new();
        let mut kept = 0;
        for (line, number) in text[..whole].split_inclusive('\n').zip(1..) {
            if number > 1 {
                let event: Event = serde_json::from_str(line)
                    .map_err(|e| format!("{}:{number}: {e}", path.display()))?;
                if is_of_the_end(&event.what, &table.left) {
                    break;
                }
                events.push(event);
            }
            kept += line.len();
        }
        if kept < text.len() {
            self.write(&path, &text.as_bytes()[..kept]);
        }
        let left = table.left.clone();
        Ok(Past { left, events })
    }
}

fn read_table(path: &Path) -> Result<KeptTable, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let table: Result<KeptTable, _> = serde_json::from_str(&text);
    let mut table = table.map_err(|e| format!("{}: {e}", path.display()))?;
    table.settings.position.clone_from(&table.position);
    Ok(table)
}

/// Whether this happened because the programs of a table ended with their gateway: the connections of all are lost then.
fn is_of_the_end(what: &What, left: &BTreeSet<u8>) -> bool {
    match what {
        What::Forfeit { player, kind, .. } => {
            matches!(kind, EndKind::Disconnect | EndKind::Crash) && !left.contains(player)
        }
        What::End { kinds, .. } => kinds.contains(&EndKind::Void),
        _ => false,
    }
}

impl Past {
    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// What a player did, as the lines of a script.
    pub(crate) fn script(&self, of: u8) -> Vec<String> {
        let mut has_left = false;
        let lines = self.events.iter().filter_map(|event| match &event.what {
            What::Setup { player, setup, .. } if *player == of => Some(setup.clone()),
            What::Give {
                from,
                cards,
                forced: false,
                ..
            } if *from == of => Some(cards.clone()),
            What::Move { player, mv, .. } if *player == of && !has_left => Some(mv.clone()),
            What::Draw { player, act } if *player == of && !has_left => Some(draw_line(*act)),
            What::Forfeit { player, kind, .. } if *player == of && !has_left => {
                let line = match kind {
                    EndKind::Timeout | EndKind::Stall => LATE,
                    EndKind::Disconnect | EndKind::Crash => {
                        has_left = true;
                        LEAVE
                    }
                    _ => RESIGN,
                };
                Some(line.to_owned())
            }
            _ => None,
        });
        lines.collect()
    }

    /// What the clock of each of so many players shows in the game in play, if the events tell it.
    pub(crate) fn left_ms(&self, players: usize) -> Vec<Option<u64>> {
        let mut all = vec![None; players];
        for event in &self.events {
            match &event.what {
                What::Begin { .. } => all.fill(None),
                What::Move { player, left, .. }
                | What::Give {
                    from: player, left, ..
                } => {
                    if let Some(own) = all.get_mut(usize::from(*player)) {
                        *own = *left;
                    }
                }
                _ => {}
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use serde_json::json;

    use super::*;

    fn table(id: &str, left: &[u8]) -> KeptTable {
        let settings =
            json!({ "game": "dobutsu", "seats": [{ "kind": "person" }, { "kind": "open" }] });
        KeptTable {
            place: Place::new(([127, 0, 0, 1]).into(), id.to_owned()),
            settings: serde_json::from_value(settings).unwrap(),
            position: "3c3b".to_owned(),
            left: left.iter().copied().collect(),
        }
    }

    #[test]
    fn a_table_is_kept_for_its_owner_alone_until_it_ends() {
        let records = tempfile::tempdir().unwrap();
        let open = || KeptTables::open(records.path()).unwrap();
        let kept = open().expect("the first gateway");
        assert!(open().is_none(), "its folder has one gateway");
        kept.keep(&table("a", &[]));
        kept.keep(&table("b", &[1]));
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&kept.folder), 0o700);
        assert_eq!(mode(&kept.file("a")), 0o600);
        fs::write(kept.file("c"), "{}").unwrap();
        drop(kept);
        let kept = open().expect("the gateway before it has ended");
        let found = kept.take();
        let ids: Vec<&str> = found.iter().map(|(table, _)| &table.place.id[..]).collect();
        assert_eq!(ids, ["a", "b"]);
        assert_eq!(found[0].0.settings.position, "3c3b");
        kept.forget("a");
        assert_eq!(kept.take().len(), 1);
    }

    #[test]
    fn what_happened_because_the_gateway_ended_did_not_happen() {
        let records = tempfile::tempdir().unwrap();
        let kept = KeptTables::open(records.path()).unwrap().unwrap();
        let forfeit = |player, kind| What::Forfeit {
            player,
            kind,
            reason: String::new(),
        };
        let mv = |player, left| What::Move {
            player,
            mv: format!("m{player}"),
            fault: None,
            spent: None,
            used: None,
            left: Some(left),
        };
        let events = [
            mv(0, 9),
            mv(1, 8),
            forfeit(0, EndKind::Resign),
            forfeit(1, EndKind::Disconnect),
            mv(0, 7),
            forfeit(0, EndKind::Disconnect),
            mv(1, 6),
        ];
        let mut text = "{\"key\":\"\"}\n".to_owned();
        for event in events {
            text += &serde_json::to_string(&event.at(1)).unwrap();
            text.push('\n');
        }
        fs::write(kept.journal("a"), text + "{\"ms\":1,").unwrap();
        let past = kept.past(&table("a", &[1])).unwrap();
        assert_eq!(past.script(0), ["m0", RESIGN, "m0"]);
        assert_eq!(past.script(1), ["m1", LEAVE]);
        assert_eq!(past.left_ms(2), [Some(7), Some(8)]);
        let text = fs::read_to_string(kept.journal("a")).unwrap();
        assert_eq!(text.lines().count(), 1 + 5);
        assert_eq!(kept.past(&table("a", &[])).unwrap().script(1), ["m1"]);
        fs::write(kept.journal("a"), "").unwrap();
        assert!(kept.past(&table("a", &[])).is_err());
    }
}
