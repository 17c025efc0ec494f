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
use record::{EndKind, Event};

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
        player: Player,
        text: &str,
        now: Duration,
    ) -> Vec<<Self::Referee as Referee>::In>;

    /// How a message to a player is written.
    fn print(&mut self, player: Player, message: &<Self::Referee as Referee>::Out) -> String;

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

    /// Plays one line; gives nothing if it is none that can be played.
    fn play(&mut self, line: &str) -> Option<()> {
        let (times, line) = counted(line);
        if let Some((key, value)) = line
            .strip_prefix("set ")
            .and_then(|set| set.split_once(' '))
        {
            self.dialogue.set(key, value);
        } else if let Some(time) = line.strip_prefix("at ") {
            self.pass_time(milliseconds(time)?);
        } else if let Some(time) = line.strip_prefix("asleep until ") {
            self.now = milliseconds(time)?;
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
            for message in self.dialogue.read(player, text, self.now) {
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
