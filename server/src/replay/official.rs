//! The files of the official servers, from records.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use games::GameName;
use jiff::{SignedDuration, Zoned};
use program::Failure;
use record::files::{create_new, named};
use record::official_log::{DebugDat, OfficialLog, create_game_log, create_log, game_log};
use record::{DaihinminGame, ReadError, Record, Replay, What};

/// Writes the files of records into a folder, and a line for each record. Of several records each has a folder of its own,
/// with its name.
pub(super) fn write(
    files: &[PathBuf],
    folder: &Path,
    output: &mut dyn Write,
) -> Result<(), Failure> {
    let folders: Vec<PathBuf> = match files {
        [_] => vec![folder.to_owned()],
        _ => files
            .iter()
            .map(|file| folder.join(file.file_stem().unwrap_or_default()))
            .collect(),
    };
    for (number, place) in folders.iter().enumerate() {
        if let Some(same) = folders[..number].iter().position(|other| other == place) {
            return Err(Failure::usage(format_args!(
                "{} and {} would write into the same folder: give each a name of its own",
                files[same].display(),
                files[number].display()
            )));
        }
    }
    for (file, folder) in files.iter().zip(folders) {
        let record = Record::open(file)?;
        match record.header.game {
            GameName::Daihinmin => daihinmin(&record, file, &folder)?,
            GameName::Geister => geister(&record, &folder)?,
            game => {
                return Err(Failure::usage(format_args!(
                    "there are official logs of daihinmin and geister, and the record is of {game}"
                )));
            }
        }
        writeln!(output, "{}: {}", file.display(), folder.display())?;
    }
    Ok(())
}

/// The log below `logs`, and `debug.dat` and `debug2.dat`.
fn daihinmin(record: &Record, file: &Path, folder: &Path) -> Result<(), Failure> {
    let header = &record.header;
    let rules = Replay::<DaihinminGame>::rules(header).map_err(|e| ReadError {
        file: file.display().to_string(),
        line: 1,
        reason: e.to_string(),
    })?;
    let new = |name: &str| create_new(&folder.join(name)).map(BufWriter::new);
    let mut dat = DebugDat::new(new("debug.dat")?, new("debug2.dat")?);
    let (log, _) = create_log(folder, header).map_err(|e| named(folder, &e))?;
    // A record does not say at which port its server was.
    let mut log = OfficialLog::new(BufWriter::new(log), &rules, 0, header)?;
    for event in &record.events {
        log.event(event)?;
        dat.event(event)?;
    }
    Ok(())
}

/// A log of each game that is over and counts.
fn geister(record: &Record, folder: &Path) -> Result<(), Failure> {
    let started = record.header.began().unwrap_or_else(Zoned::now);
    let games = record
        .events
        .split_inclusive(|event| matches!(event.what, What::End { .. }));
    for events in games {
        let [first, .., last] = events else { continue };
        let counts = matches!(&last.what, What::End { places, .. } if !places.is_empty());
        let Some(log) = game_log(events).filter(|_| counts) else {
            continue;
        };
        let after = SignedDuration::from_millis(i64::try_from(first.ms).unwrap_or_default());
        let began = started
            .checked_add(after)
            .unwrap_or_else(|_| started.clone());
        let (mut file, _): (File, _) =
            create_game_log(folder, &began).map_err(|e| named(folder, &e))?;
        file.write_all(log.as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use games::daihinmin::SessionRules;
    use record::{EndKind, Header, Player};
    use serde_json::json;

    use super::*;

    const BEGAN: &str = "2024-03-09T10:11:12+09:00";

    /// The record of a game of these players, with these moves.
    fn record(game: GameName, players: usize, moves: &[(u8, &str)]) -> String {
        let names = (0..players).map(|player| Player {
            name: format!("p{player}"),
            client: None,
        });
        let mut header = Header::new(game, "m", "t", names.collect(), 1);
        header.started = BEGAN.to_owned();
        if game == GameName::Daihinmin {
            header = header.with_rules(&SessionRules::default());
        }
        let begin = What::Begin {
            game: 1,
            seats: (0..players as u8).collect(),
            ranks: None,
            hands: vec!["D3".to_owned(); players],
            position: None,
        };
        let end = What::End {
            game: 1,
            places: (0..players as u8).collect(),
            points: (1..=players).rev().map(|points| points as f64).collect(),
            game_points: Vec::new(),
            kinds: vec![EndKind::Normal; players],
            rule: Some("escape".to_owned()),
        };
        let moves = moves.iter().map(|&(player, mv)| What::play(player, mv));
        let mut text = json!(header).to_string();
        for what in std::iter::once(begin).chain(moves).chain([end]) {
            text = text + "\n" + &json!(what.at(40)).to_string();
        }
        text + "\n"
    }

    #[test]
    fn each_of_several_records_has_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let text = record(GameName::Daihinmin, 5, &[(0, "D3")]);
        let files = ["a.jsonl", "b.jsonl"].map(at);
        for file in &files {
            fs::write(file, &text).unwrap();
        }
        let mut output = Vec::new();
        write(&files, &at("out"), &mut output).unwrap();
        assert_eq!(String::from_utf8(output).unwrap().lines().count(), 2);
        for name in ["a", "b"] {
            let file = |name: &str| fs::read_to_string(at("out").join(name)).unwrap();
            let log = file(&format!("{name}/logs/20240309101112.log"));
            assert!(
                log.contains("%-----%TIME_START% 2024/03/09 10:11:12\n"),
                "{log}"
            );
            assert!(
                log.contains("%-----%palyer_name% p0 p1 p2 p3 p4\n"),
                "{log}"
            );
            assert!(log.contains("%00000%play%  0D3EE\n"), "{log}");
            assert_eq!(file(&format!("{name}/debug.dat")), "5 4 3 2 1\n");
            assert_eq!(file(&format!("{name}/debug2.dat")), "0 1 2 3 4\n");
        }
        // Nothing is written over, and one record has no folder of its own.
        assert!(write(&files, &at("out"), &mut Vec::new()).is_err());
        write(&files[..1], &at("one"), &mut Vec::new()).unwrap();
        assert!(at("one/debug.dat").is_file());
    }

    #[test]
    fn games_of_geister_have_a_log_each_and_other_games_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("m.jsonl");
        fs::write(
            &file,
            record(GameName::Geister, 2, &[(0, "A,N"), (1, "B,N")]),
        )
        .unwrap();
        let out = folder.path().join("out");
        write(std::slice::from_ref(&file), &out, &mut Vec::new()).unwrap();
        let log = fs::read_to_string(out.join("log-2024-03-09-10-11-12-040.txt")).unwrap();
        assert_eq!(log, "player=0,MOV:A,N\nplayer=1,MOV:B,N\nwinner=0\n");
        fs::write(&file, record(GameName::Dobutsu, 2, &[])).unwrap();
        let error = write(&[file], &out, &mut Vec::new()).unwrap_err();
        assert!(
            error.code() == 2 && error.to_string().contains("dobutsu"),
            "{error}"
        );
    }
}
