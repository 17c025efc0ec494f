//! The journal of a match: what it draws from and all its events, written at once, so that a server that starts again goes on
//! with the match.
//!
//! The clients of the players come again as new ones, and make their moves again. The referee takes them at the times of the
//! journal, so that clocks are what they were, and the events of the journal stand for those that it gives out again.

use std::collections::VecDeque;
use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::mem::discriminant;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use games::{DealKey, Player};
use record::files::{keep, named};
use record::{EndKind, Event, What};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::lobby::{CLIENTS, drawn_key};

/// Name of the variable that names the file. The file tells all hands: only its owner may read it.
const JOURNAL: &str = "TAIKYOKU_JOURNAL";

/// Said when the last event of the journal has happened again. The page waits for it.
const GOES_ON: &str = "the match goes on where it was left";

#[derive(Serialize, Deserialize)]
struct Head {
    key: DealKey,
}

/// The journal of one match, if one is kept.
#[derive(Clone, Debug, Default)]
pub struct Journal(Option<Arc<Mutex<Entries>>>);

#[derive(Debug)]
struct Entries {
    file: Option<File>,
    key: DealKey,
    /// Events that are to happen again.
    past: VecDeque<Event>,
    /// The time of the last of them, if there were any.
    last: Option<Duration>,
}

/// The event that is to happen again next.
#[derive(Clone, Copy, Debug)]
pub(super) struct NextEvent {
    pub(super) at: Duration,
    /// The player whose message brings it about; `None` where several may.
    pub(super) player: Option<Player>,
    /// Whether it happens because nothing came in time.
    pub(super) is_late: bool,
}

impl Journal {
    /// The journal that the environment names, if it does.
    pub(crate) fn of_environment() -> io::Result<Journal> {
        let path = env::var_os(JOURNAL);
        path.map_or(Ok(Journal::default()), |path| {
            Journal::open(Path::new(&path))
        })
    }

    pub(crate) fn open(path: &Path) -> io::Result<Journal> {
        let wrong = |line: usize, e: serde_json::Error| {
            let text = format!("line {line} is none of a journal: {e}; remove the file");
            named(path, &io::Error::new(io::ErrorKind::InvalidData, text))
        };
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(0o600);
        let mut file = options.open(path).map_err(|e| named(path, &e))?;
        let text = fs::read_to_string(path).map_err(|e| named(path, &e))?;
        // A server that is killed may leave a part of a line.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        file.set_len(whole as u64).map_err(|e| named(path, &e))?;
        let mut lines = text[..whole].lines();
        let key = if let Some(head) = lines.next() {
            let head: Head = serde_json::from_str(head).map_err(|e| wrong(1, e))?;
            head.key
        } else {
            let key = drawn_key();
            let head = serde_json::to_string(&Head { key }).expect("a key is plain data");
            if let Err(e) = writeln!(file, "{head}") {
                log::error!("the journal is given up: {}", named(path, &e));
                // The match goes on all the same, and what lacks its beginning brings none back.
                drop(file.set_len(0));
                return Ok(Journal::default());
            }
            key
        };
        let past = lines.zip(2..);
        let past = past.map(|(line, at)| serde_json::from_str(line).map_err(|e| wrong(at, e)));
        let past: VecDeque<Event> = past.collect::<io::Result<_>>()?;
        Ok(Journal(Some(Arc::new(Mutex::new(Entries {
            file: Some(file),
            key,
            last: past.back().map(|event| Duration::from_millis(event.ms)),
            past,
        })))))
    }

    fn entries(&self) -> Option<MutexGuard<'_, Entries>> {
        let entries = self.0.as_ref()?.lock();
        Some(entries.expect("nothing panics with the entries but the table of the match"))
    }

    /// Whether the next server continues a match that is stopped.
    pub(crate) const fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    /// What the match draws from.
    pub(crate) fn key(&self) -> Option<DealKey> {
        self.entries().map(|entries| entries.key)
    }

    /// The zero of a clock which shows now the time of the last event that is to happen again; `None` if there were none.
    pub(crate) fn epoch(&self) -> Option<Instant> {
        Instant::now().checked_sub(self.entries()?.last?)
    }

    /// What happens again next; `None` when all has.
    pub(super) fn next(&self) -> Option<NextEvent> {
        let entries = self.entries()?;
        let Event { ms, what } = entries.past.front()?;
        let is_late = |kind| matches!(kind, EndKind::Timeout | EndKind::Stall);
        let (player, is_late) = match what {
            What::Setup { player, .. } | What::Draw { player, .. } => (Some(*player), false),
            What::Give { from, fault, .. } => (Some(*from), fault.is_some_and(is_late)),
            What::Move { player, fault, .. } => (Some(*player), fault.is_some_and(is_late)),
            What::Forfeit { player, kind, .. } => (Some(*player), is_late(*kind)),
            _ => (None, false),
        };
        Some(NextEvent {
            at: Duration::from_millis(*ms),
            player: player.map(Player::new),
            is_late,
        })
    }

    /// Takes an event of the referee and tells of what has happened: of the event, which is written down, or of that in the
    /// journal which it repeats. Nothing happens in a match that `is_stopped` and goes on elsewhere.
    ///
    /// # Panics
    /// When the match does not go as its journal says.
    pub(super) fn take(&self, event: &Event, is_stopped: bool, mut tell: impl FnMut(&Event)) {
        let Some(mut entries) = self.entries() else {
            return tell(event);
        };
        if is_stopped {
            return;
        }
        if entries.past.is_empty() {
            let line = serde_json::to_string(event).expect("an event is plain data");
            keep(&mut entries.file, "journal", |file| {
                // What lacks an event brings no match back: it is better empty.
                writeln!(file, "{line}").inspect_err(|_| drop(file.set_len(0)))
            });
            drop(entries);
            return tell(event);
        }
        // What was refused is not sent again, and an answer that came late may come at another time.
        if let What::Refused { .. } = event.what {
            return;
        }
        // Two players set up in any order.
        let setups = entries.past.iter().take_while(|past| is_setup(&past.what));
        let among = setups.count().max(1);
        let at = (0..among).find(|&at| repeats(&event.what, &entries.past[at].what));
        let Some(past) = at.and_then(|at| entries.past.remove(at)) else {
            let due = entries.past.front().map(|past| past.what.clone());
            drop(entries);
            panic!("the journal has {due:?} where {:?} happens", event.what);
        };
        let mut happened = vec![past];
        while let Some(refused) = entries
            .past
            .pop_front_if(|past| matches!(past.what, What::Refused { .. }))
        {
            happened.push(refused);
        }
        let is_last = entries.past.is_empty();
        drop(entries);
        happened.iter().for_each(tell);
        if is_last {
            log::info!(target: CLIENTS, "{GOES_ON}");
        }
    }
}

const fn is_setup(what: &What) -> bool {
    matches!(what, What::Setup { .. })
}

/// Whether an event is one of the journal again, as far as that follows from what the players do.
fn repeats(event: &What, past: &What) -> bool {
    let player = |what: &What| match what {
        What::Setup { player, .. }
        | What::Move { player, .. }
        | What::Forfeit { player, .. }
        | What::Draw { player, .. } => Some(*player),
        What::Give { from, .. } => Some(*from),
        _ => None,
    };
    discriminant(event) == discriminant(past) && player(event) == player(past)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin() -> Event {
        let what = What::Begin {
            game: 1,
            seats: vec![0, 1],
            ranks: None,
            hands: Vec::new(),
            position: None,
        };
        what.at(3)
    }

    fn told(journal: &Journal, event: &Event) -> Vec<Event> {
        let mut told = Vec::new();
        journal.take(event, false, |event| told.push(event.clone()));
        told
    }

    #[test]
    fn what_a_killed_server_has_written_happens_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.events");
        let refused = What::Refused {
            player: 0,
            sent: "a9".to_owned(),
            reason: "there is no such peg".to_owned(),
        };
        let journal = Journal::open(&path).unwrap();
        let events = [begin(), What::play(0, "a1").at(900), refused.at(950)];
        for event in &events {
            assert_eq!(told(&journal, event), std::slice::from_ref(event));
        }
        journal.take(&What::play(1, "b1").at(970), true, |_| {});
        let (key, mode) = (
            journal.key(),
            std::os::unix::fs::PermissionsExt::mode(&path.metadata().unwrap().permissions()),
        );
        assert_eq!(mode & 0o777, 0o600);
        let mut text = fs::read_to_string(&path).unwrap();
        text.push_str(r#"{"ms":980,"ev"#);
        fs::write(&path, text).unwrap();

        let again = Journal::open(&path).unwrap();
        assert!(again.epoch().is_some() && again.key() == key);
        assert_eq!(again.next().unwrap().at, Duration::from_millis(3));
        assert_eq!(told(&again, &begin()), [begin()]);
        let next = again.next().unwrap();
        assert_eq!((next.player, next.is_late), (Some(Player::new(0)), false));
        assert_eq!(told(&again, &What::play(0, "a1").at(899)), &events[1..]);
        assert!(again.next().is_none());
        told(&again, &What::play(1, "b1").at(1000));
        let lines = fs::read_to_string(&path).unwrap();
        assert_eq!(lines.lines().count(), 1 + 4, "{lines}");
    }

    #[test]
    #[should_panic(expected = "the journal has")]
    fn a_match_that_goes_otherwise_has_no_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.events");
        told(&Journal::open(&path).unwrap(), &begin());
        told(&Journal::open(&path).unwrap(), &What::play(0, "a1").at(3));
    }

    #[test]
    fn a_file_that_is_no_journal_is_named_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.events");
        fs::write(&path, "{}\n").unwrap();
        let error = Journal::open(&path).unwrap_err().to_string();
        assert!(error.contains("x.events: line 1"), "{error}");
    }
}
