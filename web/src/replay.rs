//! Records as the page replays them: every game, with the view of each seat at each ply.

use std::collections::VecDeque;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use client::native::NativeGame;
use games::{Blokus, ByPlayer, Dobutsu, Game, GameName, Player, ScoreFour, Seat};
use record::{
    DaihinminGame, EndKind, Event, GeisterGame, Header, RecordReader, Recorded, Replay,
    ReplayError, What,
};
use serde_json::{Value, json};

use crate::advice::{Advised, Exact};
use crate::join::{self, protocol};
use crate::records::{Missing, decoded, file};
use crate::thoughts::{Thought, Thoughts};

/// Frames of an answer, up to the end of the game of the last; games behind it are named without theirs.
const MOST_FRAMES: usize = 2000;
/// Most bytes of a record that is replayed or sent.
pub(crate) const MOST_BYTES: u64 = 256 << 20;

/// A record with its frames, or with those of one game only.
///
/// # Errors
/// Why there is no replay.
pub(crate) fn show(folder: &Path, id: &str, only: Option<u32>) -> Result<Value, Missing> {
    let path = file(folder, id).ok_or(Missing::Absent)?;
    let reader = open(&path)?;
    let header = reader.header().clone();
    let thoughts = Thoughts::read(&path);
    let games = match header.game {
        GameName::Daihinmin => games_of::<DaihinminGame>(reader, thoughts, only),
        GameName::Geister => games_of::<GeisterGame>(reader, thoughts, only),
        GameName::ScoreFour => games_of::<ScoreFour>(reader, thoughts, only),
        GameName::Blokus => games_of::<Blokus>(reader, thoughts, only),
        GameName::Dobutsu => games_of::<Dobutsu>(reader, thoughts, only),
    }?;
    if only.is_some() && games.is_empty() {
        return Err(Missing::Absent);
    }
    let players = (0_u8..).zip(&header.players);
    let players = players
        .map(|(number, player)| json!({ "name": player.name, "kind": "guest", "player": number }));
    let clocks = header.clocks;
    Ok(json!({
        "table": {
            "type": "table",
            "id": id,
            "game": header.game,
            "match": 1,
            "games": header.games,
            "players": players.collect::<Vec<_>>(),
            "you": null,
            "rules": header.rules,
            "clocks": {
                "budget_ms": clocks.game_ms,
                "increment_ms": clocks.increment_ms,
                "move_ms": clocks.move_ms,
            },
            "practice": false,
            "protocol": protocol(header.game),
            "record": id,
            "league": id.rsplit_once(':').and_then(|(league, _)| decoded(league)?.into_string().ok()),
            "can": { "resign": false, "takeback": false, "hint": false },
            "when": header.started,
        },
        "games": games,
    }))
}

/// A game in the customary format of its field, and what the name of such a file ends in.
///
/// # Errors
/// Why there is none.
pub(crate) fn sheet(folder: &Path, id: &str, game: u32) -> Result<(String, &'static str), Missing> {
    let path = file(folder, id).ok_or(Missing::Absent)?;
    let reader = open(&path)?;
    match reader.header().game {
        GameName::Blokus => sheet_of::<Blokus>(reader, game),
        GameName::Dobutsu => sheet_of::<Dobutsu>(reader, game),
        GameName::ScoreFour => sheet_of::<ScoreFour>(reader, game),
        GameName::Daihinmin | GameName::Geister => Err(Missing::Absent),
    }
}

/// The exact values of the moves of a position of a game.
///
/// # Errors
/// Why there are none.
pub(crate) fn exact(folder: &Path, id: &str, game: u32, ply: u32) -> Result<Exact, Missing> {
    let path = file(folder, id).ok_or(Missing::Absent)?;
    let reader = open(&path)?;
    match reader.header().game {
        GameName::Dobutsu => exact_of::<Dobutsu>(reader, game, ply),
        GameName::ScoreFour => exact_of::<ScoreFour>(reader, game, ply),
        GameName::Blokus | GameName::Daihinmin | GameName::Geister => Err(Missing::Absent),
    }
}

fn exact_of<G>(mut reader: Reader, wanted: u32, ply: u32) -> Result<Exact, Missing>
where
    G: NativeGame + Advised<View = <G as NativeGame>::Board>,
{
    let rules = Replay::<G>::rules(reader.header()).map_err(|e| Missing::Broken(e.to_string()))?;
    let mut current: Option<Replay<G>> = None;
    let mut led = VecDeque::new();
    loop {
        let what = match led.pop_front() {
            Some(what) => what,
            None => match reader.next() {
                Some(event) => event?.what,
                None => return Err(Missing::Absent),
            },
        };
        if matches!(what, What::Begin { game, .. } if game == wanted) {
            let begun = begin(&what, &rules).map_err(|e| reader.error(e))?;
            current = begun.map(|(replay, moves)| {
                led = moves;
                replay
            });
        } else if let Some(replay) = &mut current {
            replay.apply(&what).map_err(|e| reader.error(e))?;
        }
        let Some(replay) = &current else {
            continue;
        };
        if replay.game.plies() == ply && replay.mover().is_some() {
            return Ok(G::exact(replay.game.board()));
        }
        if replay.ended {
            return Err(Missing::Absent);
        }
    }
}

/// A game that begins, and events to be applied to it before those of the record.
type Begun<G> = (Replay<G>, VecDeque<What>);

/// Begins a game; gives the moves, too, that lead to the position in which its record begins it, where the text of that
/// position tells them: the game before moves that were taken back, or an opening by lot.
fn begin<G: Recorded>(what: &What, rules: &G::Rules) -> Result<Option<Begun<G>>, ReplayError> {
    let mut first = what.clone();
    if let What::Begin { position, .. } = &mut first
        && let Some(position) = position.take()
    {
        let begun = Replay::begin(&first, rules)?;
        let moves = join::moves(G::NAME, &position);
        if let (Some(begun), Some(moves)) = (begun, moves)
            && let Some(led) = led(begun.clone(), moves)
        {
            return Ok(Some((begun, led)));
        }
    }
    let begun = Replay::begin(what, rules)?;
    Ok(begun.map(|replay| (replay, VecDeque::new())))
}

/// The events of moves; `None` where they cannot be played.
fn led<G: Recorded>(mut replay: Replay<G>, moves: Vec<String>) -> Option<VecDeque<What>> {
    let events = moves.into_iter().map(|mv| {
        let what = What::Move {
            player: replay.mover()?.number(),
            mv,
            fault: None,
            spent: None,
            used: None,
            left: None,
        };
        replay.apply(&what).ok()?;
        Some(what)
    });
    events.collect()
}

type Reader = RecordReader<BufReader<File>>;

fn open(path: &Path) -> Result<Reader, Missing> {
    match path.metadata() {
        // The header of a match that has just begun is on its way to the disk.
        Ok(metadata) if metadata.len() == 0 => Err(Missing::Absent),
        Ok(metadata) if metadata.len() <= MOST_BYTES => Ok(RecordReader::open(path)?),
        Ok(_) => Err(Missing::Broken("the record is too large".to_owned())),
        Err(_) => Err(Missing::Absent),
    }
}

fn sheet_of<G: Game>(mut reader: Reader, wanted: u32) -> Result<(String, &'static str), Missing> {
    let ending = G::SHEET.ok_or(Missing::Absent)?;
    let header = reader.header().clone();
    let rules = Replay::<G>::rules(&header).map_err(|e| Missing::Broken(e.to_string()))?;
    let mut current: Option<Replay<G>> = None;
    while let Some(event) = reader.next() {
        let what = event?.what;
        if matches!(what, What::Begin { game, .. } if game == wanted) {
            let begun = Replay::begin(&what, &rules).map_err(|e| reader.error(e))?;
            current = begun;
        } else if let Some(replay) = &mut current {
            replay.apply(&what).map_err(|e| reader.error(e))?;
            if replay.ended {
                return Ok((replay.sheet(&header), ending));
            }
        }
    }
    Err(Missing::Absent)
}

/// All games, or one of them.
fn games_of<G: Recorded>(
    mut reader: Reader,
    mut thoughts: Thoughts,
    only: Option<u32>,
) -> Result<Vec<Value>, Missing> {
    let header = reader.header().clone();
    let rules = Replay::<G>::rules(&header).map_err(|e| Missing::Broken(e.to_string()))?;
    let mut games = Vec::new();
    let mut current: Option<Film<G>> = None;
    let mut left = MOST_FRAMES;
    while let Some(event) = reader.next() {
        let event = event?;
        let Some(film) = &mut current else {
            let begun = begin(&event.what, &rules).map_err(|e| reader.error(e))?;
            if let Some((replay, led)) = begun {
                let is_shown = only.map_or(left > 0, |only| only == replay.number);
                let mut film = Film::new(replay, &header, is_shown);
                film.shoot(None);
                for what in led {
                    film.take(&Event { what, ..event }, &mut thoughts)
                        .map_err(|e| reader.error(e))?;
                }
                current = Some(film);
            }
            continue;
        };
        film.take(&event, &mut thoughts)
            .map_err(|e| reader.error(e))?;
        if film.replay.ended {
            let film = current.take().expect("a game is played");
            left = left.saturating_sub(film.frames.len());
            if only == Some(film.replay.number) {
                return Ok(vec![film.whole()]);
            }
            games.push(film.whole());
        }
    }
    // The record of a match in play has no secrets, and the game that is torn off is none.
    games.extend(current.map(Film::whole));
    games.retain(|game| only.is_none_or(|only| game["game"] == only));
    Ok(games)
}

struct Film<G> {
    replay: Replay<G>,
    ply: u32,
    /// Whether it has frames; to make them costs most of a replay.
    is_shown: bool,
    frames: Vec<Value>,
    left: Vec<Option<u64>>,
    result: Option<Value>,
    /// Whether the last places of Daihinmin were drawn.
    is_stalled: bool,
    /// What happened since the last frame, for people.
    note: Option<String>,
}

struct Step<'a> {
    player: u8,
    mv: String,
    used: Option<u64>,
    left: Option<u64>,
    fault: Option<&'a EndKind>,
    thought: Option<Thought>,
}

impl<G: Recorded> Film<G> {
    fn new(replay: Replay<G>, header: &Header, is_shown: bool) -> Film<G> {
        Film {
            ply: replay.game.plies(),
            is_shown,
            frames: Vec::new(),
            // Some servers write that there is no budget as one of nothing.
            left: (replay.seating.players().iter())
                .map(|player| {
                    header
                        .clocks_of(player.index())
                        .game_ms
                        .filter(|ms| *ms > 0)
                })
                .collect(),
            result: None,
            is_stalled: false,
            note: None,
            replay,
        }
    }

    fn take(&mut self, event: &Event, thoughts: &mut Thoughts) -> Result<(), ReplayError> {
        let game = self.replay.number;
        self.replay.apply(&event.what)?;
        match &event.what {
            What::Setup { player, setup, .. } => self.step(&Step {
                player: *player,
                mv: setup.clone(),
                used: None,
                left: None,
                fault: None,
                thought: None,
            }),
            What::Give { forced: true, .. } => self.shoot(None),
            What::Lot { .. } => {
                self.is_stalled = true;
                self.shoot(None);
            }
            What::Give {
                from,
                cards,
                fault,
                used,
                left,
                ..
            } => {
                let mv = format!("give {cards}");
                self.step(&Step {
                    player: *from,
                    thought: thoughts.take(game, *from, &mv),
                    mv,
                    used: *used,
                    left: *left,
                    fault: fault.as_ref(),
                });
            }
            What::Move {
                player,
                mv,
                fault,
                used,
                left,
                ..
            } => self.step(&Step {
                player: *player,
                mv: mv.clone(),
                used: *used,
                left: *left,
                fault: fault.as_ref(),
                // What the referee played has no thought.
                thought: match fault {
                    None => thoughts.take(game, *player, mv),
                    Some(_) => None,
                },
            }),
            What::Forfeit {
                player,
                kind,
                reason,
            } => {
                self.note = Some(format!("player {player}: {kind}: {reason}"));
                self.shoot(None);
            }
            What::End { .. } => self.end(&event.what),
            _ => {}
        }
        Ok(())
    }

    fn step(&mut self, step: &Step<'_>) {
        self.ply += 1;
        if let Some(fault) = step.fault {
            self.note = Some(format!("the server has played: {fault}"));
        }
        self.shoot(Some(step));
    }

    fn seat(&self, player: u8) -> Option<Seat> {
        let seats = self.replay.seating.seats();
        seats.get(Player::new(player)).copied()
    }

    /// Adds a frame; one of the same ply takes the place of that before it.
    fn shoot(&mut self, step: Option<&Step<'_>>) {
        if !self.is_shown {
            return;
        }
        let replay = &self.replay;
        let seat = step.and_then(|step| self.seat(step.player));
        if let (Some(seat), Some(left)) = (seat, step.and_then(|step| step.left))
            && let Some(clock) = &mut self.left[seat.index()]
        {
            *clock = left;
        }
        let turn = replay.game.turn();
        let to_move = turn.filter(|_| replay.mover().is_some()).map(Seat::number);
        let views: Vec<Value> = Seat::all(G::SEATS)
            .map(|seat| replay.game.seen(seat))
            .collect();
        let mut frame = json!({
            "type": "frame",
            "game": replay.number,
            "ply": self.ply,
            "seat": seat,
            "move": step.map(|step| &step.mv),
            "used_ms": step.and_then(|step| step.used),
            "to_move": to_move,
            "views": views,
            "clocks": self.left.iter().any(Option::is_some).then_some(&self.left),
            "players": replay.seating.players().iter().map(|p| p.number()).collect::<Vec<_>>(),
        });
        if let Some(note) = self.note.take() {
            frame["note"] = json!(note);
        }
        if let Some(thought) = step.and_then(|step| step.thought.as_ref()) {
            frame["thought"] = thought.reasons.clone();
            frame["value"] = json!(thought.value);
        }
        if step.is_none()
            && let Some(last) = self.frames.last_mut()
            && last["ply"] == frame["ply"]
        {
            for kept in ["seat", "move", "used_ms", "thought", "value"] {
                if let Some(value) = last.get_mut(kept) {
                    frame[kept] = value.take();
                }
            }
            *last = frame;
        } else {
            self.frames.push(frame);
        }
    }

    fn end(&mut self, end: &What) {
        let What::End {
            places,
            points,
            game_points,
            kinds,
            rule,
            ..
        } = end
        else {
            unreachable!("only an end is handed over");
        };
        let seating = &self.replay.seating;
        let by_seat = |values: Vec<Value>| -> Vec<Value> {
            let values = ByPlayer::from(values);
            let players = seating.players().iter();
            players
                .filter_map(|player| values.get(*player).cloned())
                .collect()
        };
        let list = |values: &[u8], add: u8| {
            by_seat(values.iter().map(|value| json!(value + add)).collect())
        };
        let is_out = |kind: &EndKind| *kind != EndKind::Normal;
        let fault = (0..).zip(kinds).find(|(_, kind)| is_out(kind));
        // Where a rule has ended the game, a fault has only put its own seat out.
        let (end, by) = match (rule, fault) {
            (Some(rule), _) => (rule.clone(), None),
            // Records of Daihinmin name no rule for the end of a game. The cards decide all places, even if a player was late.
            (None, _) if G::NAME == GameName::Daihinmin && !places.is_empty() => {
                let end = if self.is_stalled {
                    "stalled"
                } else {
                    "played-out"
                };
                (end.to_owned(), None)
            }
            // No seat is at fault in a void game.
            (None, Some((player, kind))) => {
                let by = self.seat(player).filter(|_| *kind != EndKind::Void);
                (kind.to_string(), by)
            }
            (None, None) => ("played-out".to_owned(), None),
        };
        let ends = kinds
            .iter()
            .map(|kind| json!(is_out(kind).then(|| kind.to_string())));
        self.result = Some(json!({
            "type": "result",
            "game": self.replay.number,
            "places": list(places, 1),
            "scores": by_seat(points.iter().map(|value| json!(value)).collect()),
            "game_points": by_seat(game_points.iter().map(|value| json!(value)).collect()),
            "end": end,
            "by": by,
            "reason": null,
            "ends": (G::SEATS > 2).then(|| by_seat(ends.collect())),
        }));
    }

    /// The game, with its frames if it has any.
    fn whole(self) -> Value {
        json!({
            "game": self.replay.number,
            "plies": self.ply,
            "frames": self.is_shown.then_some(self.frames),
            "result": self.result,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read as _;

    use super::*;
    use crate::records::whole;

    #[test]
    fn a_record_without_its_header_yet_is_absent_and_one_with_another_is_broken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.jsonl");
        fs::write(&path, "").unwrap();
        let shown = show(folder.path(), "m", Some(1));
        assert!(matches!(shown, Err(Missing::Absent)), "{shown:?}");
        fs::write(&path, "{}\n").unwrap();
        let shown = show(folder.path(), "m", Some(1));
        assert!(matches!(shown, Err(Missing::Broken(_))), "{shown:?}");
    }

    #[test]
    fn a_long_record_has_the_frames_of_its_first_games_and_of_any_that_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let header = json!({ "taikyoku-record": 1, "game": "score-four", "match": "m", "tongue": "native",
            "players": [{ "name": "a" }, { "name": "b" }], "games": 400, "rules": {}, "started": "", "server": "" });
        let mut lines = vec![header];
        for game in 1..=400 {
            lines.push(json!({ "ms": 0, "event": "begin", "game": game, "seats": [0, 1] }));
            let pegs = ["a1", "b1", "a1", "b1", "a1", "b1", "a1"];
            lines.extend((0..).zip(pegs).map(
                |(ply, peg)| json!({ "ms": 0, "event": "move", "player": ply % 2, "move": peg }),
            ));
            lines.push(
                json!({ "ms": 0, "event": "end", "game": game, "places": [0, 1], "points": [1, 0],
                "kinds": ["normal", "normal"], "rule": "line" }),
            );
        }
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        fs::write(folder.path().join("m.jsonl"), lines.join("\n") + "\n").unwrap();
        let shown = show(folder.path(), "m", None).unwrap();
        let games = shown["games"].as_array().unwrap();
        assert_eq!(games.len(), 400);
        let frames = |game: &Value| game["frames"].as_array().map(Vec::len);
        // Eight frames each.
        assert_eq!(games.iter().filter_map(frames).sum::<usize>(), MOST_FRAMES);
        assert_eq!((frames(&games[249]), frames(&games[250])), (Some(8), None));
        assert!(
            games
                .iter()
                .all(|game| game["plies"] == 7 && game["result"]["end"] == "line")
        );
        let last = show(folder.path(), "m", Some(400)).unwrap();
        assert_eq!(frames(&last["games"][0]), Some(8));
        assert_eq!(last["games"].as_array().map(Vec::len), Some(1));
    }

    #[test]
    fn what_is_no_record_is_neither_sent_nor_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let league = folder.path().join("a.league");
        fs::create_dir_all(league.join("records")).unwrap();
        let journal =
            "{\"taikyoku-league\":1,\"settings\":{\"seed\":\"5ec7e7\"}}\n{\"key\":\"5ec7e7\"}\n";
        let act = "5ec7e7 is no JSON\n";
        let record = r#"{"taikyoku-record":1,"game":"dobutsu","match":"m","tongue":"native","players":[{"name":"a"},{"name":"b"}],"games":1,"rules":{},"started":"","server":""}"#;
        for (name, text) in [
            ("journal.jsonl", journal),
            ("acts.jsonl", act),
            ("empty.jsonl", ""),
            ("records/0.jsonl", act),
            ("records/1.jsonl", record),
        ] {
            fs::write(league.join(name), text).unwrap();
        }
        for (folder, id) in [
            (league.as_path(), "journal"),
            (league.as_path(), "acts"),
            (league.as_path(), "empty"),
            (folder.path(), "a.league:0"),
        ] {
            assert!(file(folder, id).is_some(), "{id}");
            assert!(matches!(whole(folder, id), Err(Missing::Absent)), "{id}");
            let said = [
                show(folder, id, None).map(drop).unwrap_err(),
                show(folder, id, Some(1)).map(drop).unwrap_err(),
                sheet(folder, id, 1).map(drop).unwrap_err(),
                exact(folder, id, 1, 0).map(drop).unwrap_err(),
            ];
            assert!(!format!("{said:?}").contains("5ec7e7"), "{said:?}");
        }
        let mut sent = String::new();
        let mut file = whole(folder.path(), "a.league:1").unwrap();
        file.read_to_string(&mut sent).unwrap();
        assert_eq!(sent, record);
    }

    #[test]
    fn a_game_that_ends_by_a_rule_is_nobodys_fault() {
        let text = r#"{"taikyoku-record":1,"game":"blokus","match":"m","tongue":"native","players":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"}],"games":1,"rules":{"scoring":"advanced"},"started":"","server":""}
{"ms":0,"event":"begin","game":1,"seats":[1,0,2,3]}
"#;
        let mut reader = RecordReader::new(text.as_bytes(), "m.jsonl").unwrap();
        let rules = Replay::<Blokus>::rules(reader.header()).unwrap();
        let begin = reader.next().unwrap().unwrap().what;
        let replay = Replay::<Blokus>::begin(&begin, &rules).unwrap().unwrap();
        let mut film = Film::new(replay, reader.header(), true);
        let mut ended = |rule: Option<&str>| {
            film.end(&What::End {
                game: 1,
                places: vec![3, 0, 1, 2],
                points: vec![0.0, 1.0, 0.0, 0.0],
                game_points: Vec::new(),
                kinds: [EndKind::Timeout]
                    .into_iter()
                    .chain([EndKind::Normal; 3])
                    .collect(),
                rule: rule.map(str::to_owned),
            });
            film.result.take().unwrap()
        };
        let result = ended(Some("no-moves"));
        assert_eq!(result["end"], "no-moves");
        assert!(result["by"].is_null());
        // Player 0 has seat 1.
        assert_eq!(result["ends"], json!([null, "timeout", null, null]));
        let result = ended(None);
        assert_eq!(result["end"], "timeout");
        assert_eq!(result["by"], 1);
        film.end(&What::End {
            game: 1,
            places: Vec::new(),
            points: Vec::new(),
            game_points: Vec::new(),
            kinds: vec![EndKind::Void; 4],
            rule: None,
        });
        let result = film.result.take().unwrap();
        assert_eq!(result["end"], "void");
        assert!(result["by"].is_null(), "{result}");
    }

    #[test]
    fn a_game_of_daihinmin_ends_by_its_places_whoever_was_late() {
        let text = r#"{"taikyoku-record":1,"game":"daihinmin","match":"m","tongue":"uecda","players":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"},{"name":"e"}],"games":1,"rules":{},"started":"","server":""}
{"ms":0,"event":"begin","game":1,"seats":[1,0,2,3,4],"hands":["D3","D4","D5","D6","D7"]}
"#;
        let mut reader = RecordReader::new(text.as_bytes(), "m.jsonl").unwrap();
        let rules = Replay::<DaihinminGame>::rules(reader.header()).unwrap();
        let begin = reader.next().unwrap().unwrap().what;
        let replay = Replay::<DaihinminGame>::begin(&begin, &rules);
        let mut film = Film::new(replay.unwrap().unwrap(), reader.header(), true);
        let ended = |film: &mut Film<DaihinminGame>| {
            let mut kinds = vec![EndKind::Normal; 5];
            kinds[1] = EndKind::Timeout;
            film.end(&What::End {
                game: 1,
                places: vec![3, 0, 1, 2, 4],
                points: vec![0.0; 5],
                game_points: Vec::new(),
                kinds,
                rule: None,
            });
            let result = film.result.take().unwrap();
            assert!(result["by"].is_null(), "{result}");
            // Player 1 has seat 0.
            assert_eq!(result["ends"], json!(["timeout", null, null, null, null]));
            result["end"].clone()
        };
        assert_eq!(ended(&mut film), "played-out");
        let mut take = |what: What| film.take(&what.at(0), &mut Thoughts::default()).unwrap();
        // The holder of the diamond 3 leads.
        for player in [0, 2, 3, 4, 1].into_iter().cycle().take(20) {
            take(What::play(player, "pass"));
        }
        let order = vec![1, 2, 3, 0, 4];
        take(What::Lot { order });
        assert_eq!(ended(&mut film), "stalled");
    }
}
