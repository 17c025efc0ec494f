//! Dialogues with referees: text files in `server/dialogues`, a folder for each protocol, which are played in virtual
//! time. What the referee sends and records must be there byte for byte; with `UPDATE_GOLDEN=1` in the environment it
//! is written anew.
//!
//! | line | meaning |
//! |---|---|
//! | `# TEXT` | a comment |
//! | `set KEY VALUE` | a setting of the tables that follow |
//! | `table` | a table begins, at 0 ms, with the settings so far |
//! | `player 0 > TEXT` | the player sends this; `300 x player 0 > TEXT` sends it 300 times |
//! | `player 0 is lost`, `player 0 crashes` | its connection ends, or its program |
//! | `player 0 is back`, `player 0 is back from 7` | it has a new connection, and all events up to the seventh |
//! | `at 500 ms` | time passes up to then; the referee is woken when it wants to be |
//! | `asleep until 500 ms` | the same, but the server is late with its own work and wakes nobody |
//! | `awaited > TEXT` | the player that the referee waits for sends this; `awaited is lost` works, too |
//! | `honest until TEXT` | all play as plain players do until the game reaches TEXT; lines up to there are left out, except faults and ends |
//! | `honest until TEXT, player 0 after 400 ms` | the same, with one player that takes so long for each answer |
//! | `stop`, `finish` | the server ends the match at once, or after the game in play |
//! | `woken at 500 ms` | what follows happens then |
//! | `player 0 < TEXT` | the referee sends this to the player |
//! | `close 0` | the referee has the player's connection closed |
//! | `record JSON` | a line of the record |
//!
//! In what players send, `\r`, `\n` and `\xFF` are bytes and `\5000{x}` is 5,000 times `x`. What comes of lines that
//! are sent many times is counted, as in `300 x player 0 < NG \r\n`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use games::Player;
use record::{EndKind, Event, Header, ReadError, RecordReader, Replayed, replay};

use super::{Outbox, Referee};

/// What differs between protocols.
pub(super) trait Dialogue: Default {
    type Referee: Referee;

    /// Changes a setting of the tables to come.
    fn set(&mut self, key: &str, value: &str);

    fn table(&mut self) -> Self::Referee;

    /// What the referee is given when a player sends this.
    fn read(
        &mut self,
        referee: &Self::Referee,
        player: Player,
        text: &str,
        now: Duration,
    ) -> Vec<<Self::Referee as Referee>::In>;

    /// How a message to a player is written.
    fn print(&mut self, player: Player, message: &<Self::Referee as Referee>::Out) -> String;

    /// The player that is awaited.
    fn awaited(&self, _referee: &Self::Referee) -> Option<Player> {
        None
    }

    /// Whether the game has reached the point that `honest until` names.
    fn is_at(&self, _referee: &Self::Referee, _what: &str) -> bool {
        false
    }

    /// A player has a new connection.
    fn reconnect(&mut self, _player: Player) {}

    /// Plays the record of a match that is over again.
    fn verify(&self, _events: &[Event]) {}
}

/// A dialogue that is being played.
struct Playing<D: Dialogue> {
    dialogue: D,
    referee: Option<D::Referee>,
    now: Duration,
    events: Vec<Event>,
    /// What has come of the line that is being played.
    heard: Vec<String>,
}

impl<D: Dialogue> Playing<D> {
    /// Lets the referee do something and hears what comes of it.
    fn act(
        &mut self,
        act: impl FnOnce(&mut D::Referee, &mut Outbox<<D::Referee as Referee>::Out>),
    ) {
        let mut out = Outbox::at(self.now);
        let referee = self.referee.as_mut().expect("`table` comes first");
        act(referee, &mut out);
        for (player, message) in &out.messages {
            let text = self.dialogue.print(*player, message);
            self.heard
                .push(format!("player {} < {text}", player.number()));
        }
        let closed = out.close.iter();
        let closed = closed.map(|player| format!("close {}", player.number()));
        self.heard.extend(closed);
        for event in out.events {
            let json = serde_json::to_string(&event).expect("an event");
            self.heard.push(format!("record {json}"));
            self.events.push(event);
        }
    }

    fn pass_time(&mut self, until: Duration) {
        while let Some(at) = self.referee.as_ref().and_then(Referee::next_deadline)
            && at <= until
        {
            self.now = self.now.max(at);
            let before = self.heard.len();
            self.act(Referee::wake);
            if self.heard.len() > before {
                let woken = format!("woken at {} ms", self.now.as_millis());
                self.heard.insert(before, woken);
            }
        }
        self.now = until;
    }

    fn end_table(&mut self) {
        if self.referee.take().is_some_and(|referee| referee.is_over()) {
            self.dialogue.verify(&self.events);
        }
        self.events.clear();
    }

    fn awaited(&self) -> Option<Player> {
        self.dialogue.awaited(self.referee.as_ref()?)
    }

    fn play_honestly(&mut self, until: &str, slow: Option<(Player, Duration)>) -> Option<()> {
        let from = self.heard.len();
        while let Some(player) = self.awaited()
            && !self.dialogue.is_at(self.referee.as_ref()?, until)
        {
            if let Some((_, time)) = slow.filter(|slow| slow.0 == player) {
                self.pass_time(self.now + time);
            }
            if self.awaited() == Some(player) {
                self.play_of(player, "> lowest")?;
            }
        }
        let heard = self.heard.split_off(from);
        self.heard
            .extend(heard.into_iter().filter(|line| !is_plain(line)));
        Some(())
    }

    /// Plays one line; gives nothing if it is none that can be played.
    fn play(&mut self, line: &str) -> Option<()> {
        let (times, line) = counted(line);
        if let Some((key, value)) = line
            .strip_prefix("set ")
            .and_then(|set| set.split_once(' '))
        {
            self.end_table();
            self.dialogue.set(key, value);
        } else if let Some(time) = line.strip_prefix("at ") {
            self.pass_time(milliseconds(time)?);
        } else if let Some(time) = line.strip_prefix("asleep until ") {
            self.now = milliseconds(time)?;
        } else if let Some(until) = line.strip_prefix("honest until ") {
            let (until, slow) = match until.split_once(", player ") {
                None => (until, None),
                Some((until, slow)) => {
                    let (player, time) = slow.split_once(" after ")?;
                    let player = Player::new(player.parse().ok()?);
                    (until, Some((player, milliseconds(time)?)))
                }
            };
            self.play_honestly(until, slow)?;
        } else if let Some(what) = line.strip_prefix("awaited ") {
            self.play_of(self.awaited()?, what)?;
        } else if let Some(rest) = line.strip_prefix("player ") {
            let (player, what) = rest.split_once(' ')?;
            let player = Player::new(player.parse().ok()?);
            for _ in 0..times {
                self.play_of(player, what)?;
            }
        } else {
            match line {
                "table" => {
                    self.end_table();
                    self.now = Duration::ZERO;
                    self.referee = Some(self.dialogue.table());
                    self.act(Referee::start);
                }
                "stop" => self.act(Referee::stop),
                "finish" => self.act(|referee, _| referee.finish()),
                _ => return None,
            }
        }
        Some(())
    }

    fn play_of(&mut self, player: Player, what: &str) -> Option<()> {
        if let Some(text) = what.strip_prefix("> ") {
            let referee = self.referee.as_ref()?;
            for message in self.dialogue.read(referee, player, text, self.now) {
                self.act(|referee, out| referee.receive(player, message, out));
            }
        } else if let Some(rest) = what.strip_prefix("is back") {
            let last = rest.strip_prefix(" from ").map(str::parse).transpose();
            self.dialogue.reconnect(player);
            let last = last.ok()?;
            self.act(|referee, out| referee.rejoin(player, last, out));
        } else {
            let (kind, reason) = match what {
                "is lost" => (EndKind::Disconnect, "gone"),
                "crashes" => (EndKind::Crash, "signal 11"),
                _ => return None,
            };
            self.act(|referee, out| referee.lose(player, kind, reason, out));
        }
        Some(())
    }
}

/// Plays a record again.
pub(super) fn replayed(header: &Header, events: &[Event]) -> Result<Replayed, ReadError> {
    let mut lines = vec![serde_json::to_string(header).expect("a header")];
    let events = events.iter().map(serde_json::to_string);
    lines.extend(events.map(|event| event.expect("an event")));
    replay(RecordReader::new(lines.join("\n").as_bytes(), "r")?)
}

/// The bytes that a player sends.
pub(super) fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend(before.bytes());
        if let Some(hex) = after.strip_prefix('x') {
            bytes.push(u8::from_str_radix(&hex[..2], 16).expect("two hexadecimal digits"));
            rest = &hex[2..];
        } else if let Some((times, repeated)) = after.split_once('{')
            && let Ok(times) = times.parse()
        {
            let (repeated, after) = repeated.split_once('}').expect("a closing brace");
            bytes.extend(self::bytes(repeated).repeat(times));
            rest = after;
        } else {
            bytes.push(match &after[..1] {
                "r" => b'\r',
                "n" => b'\n',
                other => panic!("\\{other} in {text}"),
            });
            rest = &after[1..];
        }
    }
    bytes.extend(rest.bytes());
    bytes
}

fn milliseconds(text: &str) -> Option<Duration> {
    let number = text.strip_suffix(" ms")?.parse().ok()?;
    Some(Duration::from_millis(number))
}

/// How often a line happens, and the line.
fn counted(line: &str) -> (usize, &str) {
    let counted = line.split_once(" x ");
    let counted = counted.and_then(|(times, rest)| Some((times.parse().ok()?, rest)));
    counted.unwrap_or((1, line))
}

/// Lines with how often each comes, in the order in which they come first.
fn count(lines: Vec<String>) -> Vec<String> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for line in lines {
        match counts.iter_mut().find(|(known, _)| *known == line) {
            Some((_, count)) => *count += 1,
            None => counts.push((line, 1)),
        }
    }
    let lines = counts.into_iter().map(|(line, count)| match count {
        1 => line,
        _ => format!("{count} x {line}"),
    });
    lines.collect()
}

/// Whether a line is an ordinary one of a game: no fault, and no end.
fn is_plain(line: &str) -> bool {
    let is_event = |event: &str| line.contains(&format!(r#""event":"{event}""#));
    let is_fault = line.contains(r#""fault":"#);
    line.starts_with("woken ")
        || line.starts_with("player ") && !line.ends_with(" < 2")
        || ["begin", "give", "move"].into_iter().any(is_event) && !is_fault
}

fn is_heard(line: &str) -> bool {
    let (_, line) = counted(line);
    let begins = |start: &str| line.starts_with(start);
    ["woken ", "close ", "record "].into_iter().any(begins)
        || (begins("player ") && line.split(' ').nth(2) == Some("<"))
}

/// The dialogue as it goes when all that is no word of the referee is played.
fn played<D: Dialogue>(path: &Path, text: &str) -> String {
    let mut playing = Playing {
        dialogue: D::default(),
        referee: None,
        now: Duration::ZERO,
        events: Vec::new(),
        heard: Vec::new(),
    };
    let mut lines = Vec::new();
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !is_heard(line)) {
        lines.push(line.to_owned());
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let is_known = playing.play(line).is_some();
        assert!(is_known, "{}:{}: what is {line}?", path.display(), i + 1);
        let heard = std::mem::take(&mut playing.heard);
        lines.extend(if counted(line).0 > 1 {
            count(heard)
        } else {
            heard
        });
    }
    playing.end_table();
    lines.join("\n") + "\n"
}

/// Plays all dialogues of a folder.
pub(super) fn play_all<D: Dialogue>(folder: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("dialogues/")
        .join(folder);
    let files = fs::read_dir(&folder)
        .expect("a folder")
        .map(|file| file.expect("a file").path());
    let mut files: Vec<_> = files.collect();
    files.sort();
    assert!(!files.is_empty());
    for path in files {
        let text = fs::read_to_string(&path).expect("a dialogue");
        let played = played::<D>(&path, &text);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, played).expect("a file");
            continue;
        }
        let lines = text
            .lines()
            .chain(["the end"])
            .zip(played.lines().chain(["the end"]));
        for (i, (expected, got)) in lines.enumerate() {
            let line = i + 1;
            assert!(
                expected == got,
                "{}:{line}:\nexpected {expected}\n     got {got}",
                path.display()
            );
        }
    }
}
