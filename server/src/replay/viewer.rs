//! Stepping through a record, and printing it.

use std::io::{BufRead, Write};
use std::ops::Range;
use std::path::Path;

use games::{Printable, count_of_games};

use super::ReplayFailure;
use super::frame::{Frame, Show};
use super::steps::{Games, Place};
use record::{ReadError, Record, Replay, What};

pub(super) struct Viewer<G: Show> {
    record: Record,
    rules: G::Rules,
    file: String,
    games: Vec<(u32, Range<usize>)>,
}

impl<G: Show> Viewer<G> {
    pub(super) fn new(record: Record, path: &Path) -> Result<Viewer<G>, ReadError> {
        let file = path.display().to_string();
        let rules = Replay::<G>::rules(&record.header).map_err(|e| ReadError {
            file: file.clone(),
            line: 1,
            reason: e.to_string(),
        })?;
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
        Ok(Viewer {
            record,
            rules,
            file,
            games,
        })
    }

    /// Calls `visit` with each position of a game until it says false.
    fn walk(
        &self,
        index: usize,
        mut visit: impl FnMut(usize, &Frame<'_, G>) -> Result<bool, ReplayFailure>,
    ) -> Result<(), ReplayFailure> {
        let Some((_, range)) = self.games.get(index) else {
            return Ok(());
        };
        let mut replay: Option<Replay<G>> = None;
        for (n, i) in range.clone().enumerate() {
            let what = &self.record.events[i].what;
            let applied = match &mut replay {
                None => Replay::begin(what, &self.rules).map(|begun| replay = begun),
                Some(replay) => replay.apply(what),
            };
            applied.map_err(|e| ReadError {
                file: self.file.clone(),
                line: i as u64 + 2,
                reason: e.to_string(),
            })?;
            let Some(replay) = &replay else { continue };
            let frame = Frame {
                header: &self.record.header,
                replay,
                what,
            };
            if !visit(n, &frame)? {
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
    ) -> Result<(), ReplayFailure> {
        let draw = |place| self.text(place);
        for index in self.games(&draw).wanted(game)? {
            self.walk(index, |_, frame| {
                if json {
                    writeln!(out, "{}", frame.json())?;
                } else {
                    writeln!(out, "{}", frame.text())?;
                }
                Ok(true)
            })?;
        }
        if game.is_none() && !json {
            self.print_result(out)?;
        }
        Ok(())
    }

    fn print_result(&self, out: &mut dyn Write) -> Result<(), ReplayFailure> {
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
    ) -> Result<(), ReplayFailure> {
        let draw = |place| self.text(place);
        self.games(&draw).step_through(game, input, out)
    }

    fn text(&self, place: Place) -> Result<String, ReplayFailure> {
        let mut shown = String::new();
        self.walk(place.game, |n, frame| {
            if n == place.position {
                shown = frame.text();
            }
            Ok(n < place.position)
        })?;
        Ok(shown)
    }

    fn games<'a>(&self, draw: &'a dyn Fn(Place) -> Result<String, ReplayFailure>) -> Games<'a> {
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
    use record::{DaihinminGame, EndKind, Event, Header, Player};

    fn viewer() -> Viewer<DaihinminGame> {
        let hands = ["D3", "S4", "S5", "S6", "S7"].map(str::to_owned).to_vec();
        let players = ["ana", "bo", "ci", "di\u{1b}[2J", "e"].map(|name| Player {
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
        Viewer::new(record, Path::new("r.jsonl")).unwrap()
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
            !text.contains("game 1 of") && text.contains("daihinmin S7"),
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
            Err(ReplayFailure::NoGame { game: 9, .. })
        ));
    }
}
