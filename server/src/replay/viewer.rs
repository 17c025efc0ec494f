//! Stepping through a record, and printing it.

use std::io::{self, BufRead, Write};
use std::ops::Range;
use std::path::Path;

use games::{Player, Printable, count_of_games};
use program::Failure;
use record::{EndKind, Frame, Frames, ReadError, Record, Viewer, What};
use serde::Serialize;

use super::steps::{Games, Place};
use crate::drawing::drawn;

pub(super) struct RecordViewer {
    record: Record,
    file: String,
    games: Vec<(u32, Range<usize>)>,
}

/// An event, and the frame to which it leads, as `--json` prints them.
#[derive(Serialize)]
struct Position<'a> {
    what: &'a What,
    #[serde(flatten)]
    frame: Frame,
}

impl RecordViewer {
    pub(super) fn new(record: Record, path: &Path) -> RecordViewer {
        let file = path.display().to_string();
        let mut games: Vec<(u32, Range<usize>)> = Vec::new();
        for (i, event) in record.events.iter().enumerate() {
            if let What::Begin { game, .. } = event.what {
                games.push((game, i..i + 1));
            } else if let Some((_, range)) = games.last_mut()
                && !matches!(event.what, What::Result { .. })
            {
                range.end = i + 1;
            }
        }
        RecordViewer {
            record,
            file,
            games,
        }
    }

    /// Calls `visit` with each position of a game until it says false.
    fn walk(
        &self,
        index: usize,
        mut visit: impl FnMut(usize, Position<'_>) -> Result<bool, Failure>,
    ) -> Result<(), Failure> {
        let Some((_, range)) = self.games.get(index) else {
            return Ok(());
        };
        let mut frames: Option<Frames> = None;
        for (n, i) in range.clone().enumerate() {
            let what = &self.record.events[i].what;
            let applied = match &mut frames {
                None => Frames::begin(&self.record.header, what, Viewer::All)
                    .map(|begun| frames = begun),
                Some(frames) => frames.pass(what).map(drop),
            };
            applied.map_err(|e| ReadError {
                file: self.file.clone(),
                line: i as u64 + 2,
                reason: e.to_string(),
            })?;
            let Some(frame) = frames.as_ref().and_then(Frames::latest) else {
                continue;
            };
            if !visit(n, Position { what, frame })? {
                break;
            }
        }
        Ok(())
    }

    /// Prints one game, or all, and the result.
    pub(super) fn print(
        &self,
        game: Option<u32>,
        json: bool,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let draw = |place| self.text(place);
        for index in self.games(&draw).wanted(game)? {
            self.walk(index, |_, position| {
                if json {
                    let line = serde_json::to_string(&position).map_err(io::Error::from)?;
                    writeln!(out, "{line}")?;
                } else {
                    writeln!(out, "{}", self.drawn(&position))?;
                }
                Ok(true)
            })?;
        }
        if game.is_none() && !json {
            self.print_result(out)?;
        }
        Ok(())
    }

    fn print_result(&self, out: &mut dyn Write) -> Result<(), Failure> {
        for event in &self.record.events {
            if let What::Result {
                games,
                points,
                kinds,
                reason,
                ..
            } = &event.what
            {
                let reason = reason
                    .as_deref()
                    .map_or(String::new(), |r| format!(" ({})", Printable(r)));
                let games = count_of_games(*games);
                writeln!(out, "result after {games}{reason}")?;
                for ((player, points), kind) in
                    self.record.header.players.iter().zip(points).zip(kinds)
                {
                    let name = Printable(&player.name);
                    writeln!(out, "  {name:<16} {points:>7} {kind}")?;
                }
            }
        }
        if self.record.torn {
            writeln!(out, "the last line of the record is torn and was left out")?;
        }
        Ok(())
    }

    pub(super) fn step_through(
        &self,
        game: Option<u32>,
        input: &mut dyn BufRead,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let draw = |place| self.text(place);
        self.games(&draw).step_through(game, input, out)
    }

    fn text(&self, place: Place) -> Result<String, Failure> {
        let mut shown = String::new();
        self.walk(place.game, |n, position| {
            if n == place.position {
                shown = self.drawn(&position);
            }
            Ok(n < place.position)
        })?;
        Ok(shown)
    }

    /// A position in several lines. The first one says which game this is, how many plies have been played, and what has just
    /// happened.
    fn drawn(&self, Position { what, frame }: &Position<'_>) -> String {
        let header = &self.record.header;
        let (game, ply, games) = (frame.game, frame.ply, header.games);
        let event = Printable(self.event_text(what));
        let board = drawn(header.game, frame, |seat| {
            self.name(frame.players[seat.index()])
        });
        format!("game {game} of {games}, ply {ply}: {event}\n{board}")
    }

    fn name(&self, player: Player) -> String {
        let name = self.record.header.players.get(player.index());
        let name = name.map_or("", |player| &player.name);
        Printable(format!("{player} {name}").trim_end()).to_string()
    }

    fn event_text(&self, what: &What) -> String {
        let by_fault = |fault: &Option<EndKind>| match fault {
            Some(kind) => format!(" (played by the referee: {kind})"),
            None => String::new(),
        };
        let clock = |used: &Option<u64>| match used {
            Some(used) => format!(" in {used} ms"),
            None => String::new(),
        };
        match what {
            What::Begin { hands, .. } if hands.is_empty() => "begins".to_owned(),
            What::Begin { .. } => "dealt".to_owned(),
            What::Setup {
                player,
                setup,
                name,
            } => {
                let named = name
                    .as_ref()
                    .map_or(String::new(), |name| format!(" as {name}"));
                format!("{} sets up {setup}{named}", self.name(Player::new(*player)))
            }
            What::Give {
                from,
                to,
                cards,
                forced,
                fault,
                used,
                ..
            } => format!(
                "{} gives {cards} to {}{}{}{}",
                self.name(Player::new(*from)),
                self.name(Player::new(*to)),
                if *forced { " by the rules" } else { "" },
                by_fault(fault),
                clock(used)
            ),
            What::Move {
                player,
                mv,
                fault,
                used,
                ..
            } => {
                let verb = if mv == "pass" { "passes" } else { "plays " };
                let mv = if mv == "pass" { "" } else { mv };
                let name = self.name(Player::new(*player));
                format!("{name} {verb}{mv}{}{}", by_fault(fault), clock(used))
            }
            What::Refused {
                player,
                sent,
                reason,
            } => format!(
                "{} sent {sent}, refused: {reason}",
                self.name(Player::new(*player))
            ),
            What::Forfeit {
                player,
                kind,
                reason,
            } => format!(
                "{} is out by {kind}: {reason}",
                self.name(Player::new(*player))
            ),
            What::Draw { player, act } => {
                let name = self.name(Player::new(*player));
                format!("{name} on a draw: {}", act.as_str())
            }
            What::Lot { order } => {
                let names: Vec<String> = order.iter().map(|&p| self.name(Player::new(p))).collect();
                format!(
                    "twenty passes in a row; ranked by lot: {}",
                    names.join(", ")
                )
            }
            What::End { kinds, rule, .. } => {
                let faults: Vec<String> = (0..)
                    .zip(kinds)
                    .filter(|(_, kind)| **kind != EndKind::Normal)
                    .map(|(player, kind)| format!("{} {kind}", self.name(Player::new(player))))
                    .collect();
                if faults.is_empty() {
                    let rule = rule
                        .as_ref()
                        .map_or(String::new(), |rule| format!(" by {rule}"));
                    format!("end{rule}")
                } else {
                    format!("end; {}", faults.join(", "))
                }
            }
            _ => String::new(),
        }
    }

    fn games<'a>(&self, draw: &'a dyn Fn(Place) -> Result<String, Failure>) -> Games<'a> {
        let lengths = self
            .games
            .iter()
            .map(|(number, events)| (*number, events.len()));
        Games {
            lengths: lengths.collect(),
            draw,
        }
    }
}

#[cfg(test)]
mod tests {
    use games::daihinmin::SessionRules;

    use super::*;
    use games::GameName;
    use record::{Event, Header};

    fn viewer() -> RecordViewer {
        let hands = ["D3", "S4", "S5", "S6", "S7"].map(str::to_owned).to_vec();
        let players = ["ana", "bo", "ci", "di\u{1b}[2J", "e"].map(|name| record::Player {
            name: name.to_owned(),
            client: None,
        });
        let header = Header::new(GameName::Daihinmin, "m", "uecda", players.to_vec(), 2);
        let game = |game| {
            let mut events = vec![What::Begin {
                game,
                seats: vec![0, 1, 2, 3, 4],
                ranks: None,
                hands: hands.clone(),
                position: None,
            }];
            let moves = ["D3", "S4", "S5", "S6"];
            events.extend((0..).zip(moves).map(|(p, mv)| What::play(p, mv)));
            events.push(What::End {
                game,
                places: vec![0, 1, 2, 3, 4],
                points: vec![5.0, 4.0, 3.0, 2.0, 1.0],
                game_points: Vec::new(),
                kinds: vec![EndKind::Normal; 5],
                rule: None,
            });
            events
        };
        let events: Vec<Event> = game(1)
            .into_iter()
            .chain(game(2))
            .map(|what| what.at(0))
            .collect();
        let record = Record {
            header: header.with_rules(&SessionRules::default()),
            events,
            torn: false,
        };
        RecordViewer::new(record, Path::new("r.jsonl"))
    }

    fn stepped(keys: &str) -> String {
        let mut out = Vec::new();
        viewer()
            .step_through(None, &mut keys.as_bytes(), &mut out)
            .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn keys_step_forward_and_back_and_between_games() {
        let text = stepped("\nn\n");
        assert!(
            text.contains("game 1 of 2, ply 1: 0 ana plays D3"),
            "{text}"
        );
        assert!(text.contains("field: S4 by 1 bo"), "{text}");
        let text = stepped("n\np\nn\n");
        assert_eq!(text.matches("ply 1: 0 ana plays D3").count(), 2);
        let text = stepped("g 2\np\ng 7\nx\nq\nn\n");
        assert!(text.contains("game 2 of 2, ply 0: dealt"));
        assert!(text.contains("game 1 of 2, ply 4: end"));
        assert!(text.contains("no game 7"));
        let text = stepped(&"n\n".repeat(30));
        assert!(text.ends_with("[end] "));
        assert!(!text.contains('\u{1b}'), "no control letters of a name");
    }

    #[test]
    fn whole_games_are_printed() {
        let mut out = Vec::new();
        viewer().print(Some(2), false, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            !text.contains("game 1 of") && text.contains("  4 e: 1 card, place 5, S7\n"),
            "{text}"
        );
        let mut out = Vec::new();
        viewer().print(None, true, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.lines().count(), 12);
        assert!(
            text.lines()
                .all(|l| serde_json::from_str::<serde_json::Value>(l).is_ok())
        );
        assert!(matches!(
            viewer().print(Some(9), false, &mut Vec::new()),
            Err(e) if e.to_string().starts_with("the record has no game 9")
        ));
    }
}
