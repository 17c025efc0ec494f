//! `taikyoku league --events`: what happens in a league, a line of JSON for each thing, for scripts.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use jiff::Timestamp;
use record::watch::League;
use serde_json::{Value, json};

use crate::journal::{Entry, Played};
use crate::remote::Presence;
use crate::runner::LeagueEvent;
use crate::sections::Section;
use crate::settings::Settings;
use server::commands::printer::Printer;

pub(super) struct Events {
    out: Option<Printer>,
    title: String,
    game: &'static str,
    names: Vec<String>,
    sections: Vec<Section>,
    presence: Vec<Presence>,
    standings: Option<League>,
}

impl Events {
    /// Those of a league, into a file to which they are added, or with `-` to standard output.
    pub(super) fn open(to: Option<&Path>, settings: &Settings) -> io::Result<Events> {
        let out = match to {
            None => None,
            Some(path) if path == Path::new("-") => Some(Printer::events(Output(Some(
                program::PrintableWriter(io::stdout()),
            )))),
            Some(path) => {
                let file = OpenOptions::new().create(true).append(true).open(path)?;
                Some(Printer::events(Output(Some(file))))
            }
        };
        Ok(Events {
            out,
            title: settings.title.clone(),
            game: settings.game().as_str(),
            names: settings.names().into_iter().map(str::to_owned).collect(),
            sections: Section::all(settings),
            presence: Vec::new(),
            standings: None,
        })
    }

    pub(super) const fn are_wanted(&self) -> bool {
        self.out.is_some()
    }

    /// The league begins or goes on.
    pub(super) fn begin(&mut self, played: u64, scheduled: Option<u64>) {
        let text = json!({
            "event": "begin",
            "title": self.title,
            "game": self.game,
            "entrants": self.names,
            "played": played,
            "scheduled": scheduled,
        });
        self.tell(text);
    }

    pub(super) fn news(&mut self, news: &LeagueEvent) {
        if !self.are_wanted() {
            return;
        }
        let text = match news {
            LeagueEvent::Table(key, players) => json!({
                "event": "table", "key": key, "entrants": self.named(players),
            }),
            LeagueEvent::Line(entry) => match self.line(entry) {
                Some(event) => event,
                None => return,
            },
            LeagueEvent::Stopped(stopped) => json!({
                "event": "given-up",
                "matchup": stopped.matchup,
                "entrants": self.named(&stopped.entrants),
                "reason": stopped.reason,
            }),
            LeagueEvent::Note(text) => json!({"event": "note", "text": text}),
            // The act says so.
            LeagueEvent::Struck(_) => return,
        };
        self.tell(text);
    }

    /// What a line of the journal tells, if it is something new.
    fn line(&self, entry: &Entry) -> Option<Value> {
        Some(match entry {
            Entry::Played(played)
            | Entry::Replayed {
                replayed: played, ..
            } => self.game(played),
            Entry::Void { key, void } => json!({"event": "void", "key": key, "reason": void}),
            Entry::Command { act, .. } => json!({"event": "act", "act": act}),
            Entry::Excluded { set_aside, .. } => json!({
                "event": "set-aside",
                "entrant": set_aside.entrant,
                "reason": set_aside.reason,
                "games": set_aside.games,
            }),
            Entry::Round { round, .. } => {
                let groups = round.groups.iter().map(|group| self.named(group));
                let matchups = round.matchups.iter().map(|matchup| self.named(matchup));
                json!({
                    "event": "round",
                    "stage": self.sections.get(round.section).map(|section| &section.name),
                    "first": round.first,
                    "groups": groups.collect::<Vec<_>>(),
                    "matchups": matchups.collect::<Vec<_>>(),
                })
            }
            Entry::Joined { .. } | Entry::Begun { .. } => return None,
        })
    }

    /// Which remote entrants are there: a line for each of which that is new.
    pub(super) fn presence(&mut self, all: &[Presence]) {
        let before = std::mem::replace(&mut self.presence, all.to_vec());
        for one in all.iter().filter(|one| !before.contains(one)) {
            self.tell(json!({
                "event": "presence", "entrant": one.name, "state": one.state, "connects_to": one.connects_to,
            }));
        }
    }

    pub(super) fn standings(&mut self, league: &League) {
        if self.standings.as_ref() == Some(league) {
            return;
        }
        self.tell(json!({
            "event": "standings",
            "played": league.fixtures,
            "scheduled": league.scheduled,
            "entrants": league.entrants,
        }));
        self.standings = Some(league.clone());
    }

    /// The league ends, for now or for good. What nobody reads is not waited for.
    pub(super) fn end(&mut self) {
        self.tell(json!({"event": "end"}));
        if let Some(out) = &self.out {
            out.flush();
        }
    }

    fn game(&self, played: &Played) -> Value {
        let games = played.games.iter().map(|game| {
            json!({"places": game.places, "points": game.points, "ends": game.kinds, "rule": game.rule})
        });
        json!({
            "event": "game",
            "key": played.key,
            "entrants": self.named(&played.seats),
            "ms": played.ms,
            "games": games.collect::<Vec<_>>(),
        })
    }

    fn named(&self, entrants: &[usize]) -> Vec<&str> {
        let name = |&entrant: &usize| &self.names[entrant][..];
        entrants.iter().map(name).collect()
    }

    /// Writes a line as soon as those before it are read. Where too many wait it is left out, and the games go on.
    fn tell(&self, mut event: Value) {
        if let Some(out) = &self.out {
            event["at"] = Timestamp::now().to_string().into();
            // The next line that is read says how many there were.
            let _ = out.print(event.to_string());
        }
    }
}

/// Where lines are written; after a failure nowhere.
struct Output<W>(Option<W>);

impl<W: Write> Output<W> {
    fn attempt<T>(
        &mut self,
        write: impl Fn(&mut W) -> io::Result<T>,
        otherwise: T,
    ) -> io::Result<T> {
        let Some(out) = &mut self.0 else {
            return Ok(otherwise);
        };
        write(out).inspect_err(|e| {
            if e.kind() == io::ErrorKind::Interrupted {
                return;
            }
            if e.kind() != io::ErrorKind::BrokenPipe {
                tell(&format!("no further events are written: {e}"));
            }
            self.0 = None;
        })
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(|out| out.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt(W::flush, ())
    }
}

/// Writes a line to standard error. A closed standard error does not stop the games.
pub(in crate::commands) fn tell(text: &str) {
    let _ = writeln!(program::PrintableWriter(io::stderr().lock()), "{text}");
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::journal::{CommandAction, Game, OrganiserCommand};
    use crate::remote::PresenceState;
    use crate::testing::settings;

    #[test]
    fn each_thing_is_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        let mut events = Events::open(Some(&path), &settings()).unwrap();
        events.begin(0, Some(2));
        let mut presence = vec![Presence {
            name: "bo".to_owned(),
            connects_to: "127.0.0.1:5100".parse().unwrap(),
            state: PresenceState::Missing,
        }];
        events.presence(&presence);
        events.presence(&presence);
        presence[0].state = PresenceState::Here;
        events.presence(&presence);
        let key = "0.0.1".parse().unwrap();
        events.news(&LeagueEvent::Table(key, vec![0, 1]));
        events.news(&LeagueEvent::Line(Entry::Played(Played {
            key,
            seats: vec![1, 0],
            ms: 7,
            games: vec![Game {
                places: vec![0, 1],
                points: vec![1.0, 0.0],
                ..Game::default()
            }],
            record: None,
            host: None,
        })));
        events.news(&LeagueEvent::Line(Entry::Command {
            begun: String::new(),
            act: OrganiserCommand {
                number: 0,
                at: "2026-11-23T10:00:00Z".to_owned(),
                action: CommandAction::Pause,
                reason: "lunch".to_owned(),
            },
        }));
        events.end();
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let names: Vec<&str> = lines
            .iter()
            .filter_map(|line| line["event"].as_str())
            .collect();
        let due = [
            "begin", "presence", "presence", "table", "game", "act", "end",
        ];
        assert_eq!(names, due);
        assert_eq!(lines[0]["scheduled"], 2);
        assert_eq!(lines[2]["state"], "here");
        assert_eq!(lines[4]["entrants"], json!(["bo", "ana"]));
        assert_eq!(lines[4]["games"][0]["points"], json!([1.0, 0.0]));
        assert_eq!(lines[5]["act"]["reason"], "lunch");
        assert!(lines.iter().all(|line| line["at"].is_string()));
        // The next start adds to it.
        let mut events = Events::open(Some(&path), &settings()).unwrap();
        events.begin(1, Some(2));
        events.end();
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 9);
    }
}
