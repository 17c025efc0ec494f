//! Records as the page replays them: every game, with the view of each seat at each ply.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use games::{Blokus, Dobutsu, Game, GameName};
use record::{Event, Frame, Frames, Header, RecordReader, Replay, ReplayError, Viewer, What};

use crate::catalogue;
use crate::messages::{FrameThought, RecordAnswer, RecordedFrame, RecordedGame, TableInfo};
use crate::records::{Missing, decoded, file};
use crate::thoughts::Thoughts;

/// Frames of an answer, up to the end of the game of the last; games behind it are named without theirs.
const MOST_FRAMES: usize = 2000;
/// Most bytes of a record that is replayed or sent.
pub(crate) const MOST_BYTES: u64 = 256 << 20;

/// A record with its frames, or with those of one game only.
///
/// # Errors
/// Why there is no replay.
pub(crate) fn show(folder: &Path, id: &str, only: Option<u32>) -> Result<RecordAnswer, Missing> {
    let path = file(folder, id).ok_or(Missing::Absent)?;
    let reader = open(&path)?;
    let header = reader.header().clone();
    let games = games_of(reader, Thoughts::read(&path), only)?;
    if only.is_some() && games.is_empty() {
        return Err(Missing::Absent);
    }
    let league = id.rsplit_once(':');
    let league = league.and_then(|(league, _)| decoded(league)?.into_string().ok());
    let table = TableInfo {
        id: id.to_owned(),
        protocol: header.game.protocol().to_owned(),
        record: Some(id.to_owned()),
        league,
        when: Some(header.started.clone()),
        ..TableInfo::of(1, &header)
    };
    Ok(RecordAnswer { table, games })
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
        GameName::ScoreFour | GameName::Daihinmin | GameName::Geister => Err(Missing::Absent),
    }
}

/// Begins a game; gives its first frames, too. Where the text of the position in which its record begins it tells the moves
/// that led there (the game before moves that were taken back, or an opening by lot) they are shown.
fn begin(header: &Header, what: &What) -> Result<Option<(Frames, Vec<Frame>)>, ReplayError> {
    let mut first = what.clone();
    if let What::Begin { position, .. } = &mut first
        && let Some(moves) = position
            .take()
            .and_then(|at| catalogue::moves(header.game, &at))
        && let Some(frames) = Frames::begin(header, &first, Viewer::All)?
        && let Some(begun) = led(frames, &moves)
    {
        return Ok(Some(begun));
    }
    let begun = Frames::begin(header, what, Viewer::All)?;
    Ok(begun.map(|frames| {
        let first = frames.latest().into_iter().collect();
        (frames, first)
    }))
}

/// The frames of moves; `None` where they cannot be played.
fn led(mut frames: Frames, moves: &[String]) -> Option<(Frames, Vec<Frame>)> {
    let mut shown = vec![frames.latest()?];
    for mv in moves {
        let last = shown.last()?;
        let player = last.players[last.to_move?.index()].number();
        shown.extend(frames.take(&What::play(player, mv)).ok()?);
    }
    Some((frames, shown))
}

pub(crate) type Reader = RecordReader<BufReader<File>>;

pub(crate) fn open(path: &Path) -> Result<Reader, Missing> {
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
fn games_of(
    mut reader: Reader,
    mut thoughts: Thoughts,
    only: Option<u32>,
) -> Result<Vec<RecordedGame>, Missing> {
    let header = reader.header().clone();
    let mut games = Vec::new();
    let mut current: Option<GameInReplay> = None;
    let mut left = MOST_FRAMES;
    while let Some(event) = reader.next() {
        let Event { what, .. } = event?;
        let Some(game) = &mut current else {
            let begun = begin(&header, &what).map_err(|e| reader.error(e))?;
            current = begun.map(|(frames, first)| {
                let is_shown = only.map_or(left > 0, |only| only == frames.number());
                let mut game = GameInReplay {
                    frames,
                    plies: 0,
                    shown: is_shown.then(Vec::new),
                };
                game.show(first, &mut thoughts);
                game
            });
            continue;
        };
        let shown = match game.shown {
            Some(_) => game.frames.take(&what),
            None => game.frames.pass(&what),
        };
        game.show(shown.map_err(|e| reader.error(e))?, &mut thoughts);
        if let Some(mut result) = game.frames.result(&what) {
            // The last frame has them.
            result.views.clear();
            let game = current.take().expect("a game is played");
            left = left.saturating_sub(game.shown.as_ref().map_or(0, Vec::len));
            let number = result.game;
            games.push(game.whole(Some(result)));
            if only == Some(number) {
                break;
            }
        }
    }
    // The record of a match in play has no secrets, and the game that is torn off is none.
    games.extend(current.map(|game| game.whole(None)));
    games.retain(|game| only.is_none_or(|only| game.game == only));
    Ok(games)
}

struct GameInReplay {
    frames: Frames,
    plies: u32,
    /// None where the frames are left out; to make them costs most of a replay.
    shown: Option<Vec<RecordedFrame>>,
}

impl GameInReplay {
    /// Adds frames; one of the same ply takes the place of that before it.
    fn show(&mut self, frames: Vec<Frame>, thoughts: &mut Thoughts) {
        for frame in frames {
            self.plies = frame.ply;
            let Some(shown) = &mut self.shown else {
                continue;
            };
            let same = shown.pop_if(|last| last.frame.ply == frame.ply);
            let thought = match (same, frame.seat, &frame.mv) {
                (Some(same), ..) => same.thought,
                // What the referee played has no thought.
                (None, Some(seat), Some(mv)) if frame.fault.is_none() => {
                    let player = frame.players[seat.index()].number();
                    let thought = thoughts.take(frame.game, player, mv);
                    thought.map(|thought| FrameThought {
                        thought: thought.reasons,
                        value: thought.value,
                    })
                }
                _ => None,
            };
            shown.push(RecordedFrame { frame, thought });
        }
    }

    fn whole(self, result: Option<record::GameResult>) -> RecordedGame {
        RecordedGame {
            game: self.frames.number(),
            plies: self.plies,
            frames: self.shown,
            result,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read as _;

    use serde_json::{Value, json};

    use super::*;
    use crate::analysis::{Question, analyse};
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
        let shown = json!(show(folder.path(), "m", None).unwrap());
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
        let last = json!(show(folder.path(), "m", Some(400)).unwrap());
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
                analyse(folder, id, (1, 0), &Question::default())
                    .map(drop)
                    .unwrap_err(),
            ];
            assert!(!format!("{said:?}").contains("5ec7e7"), "{said:?}");
        }
        let mut sent = String::new();
        let mut file = whole(folder.path(), "a.league:1").unwrap();
        file.read_to_string(&mut sent).unwrap();
        assert_eq!(sent, record);
    }
}
