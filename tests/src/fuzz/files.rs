//! The readers of files.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Instant;

use bots::daihinmin::DaihinminNetworks;
use bots::geister::Weights as GeisterWeights;
use games::blokus::blksgf;
use lab::self_play::{Archive, ArchiveError, Lessons, Record as SelfPlayRecord};
use league::journal::Journal;
use models::{Network, NnEngine};
use record::import::import;
use record::official_log::{DebugDat, OfficialLog, game_log};
use record::{Record, RecordReader, RecordWriter, What, replay};
use server::config::{read_tndhms, read_toml};
use server::replay::{ReplayArgs, show};
use tempfile::TempDir;

use crate::patience::PATIENCE;

thread_local! {
    /// Where files of readers lie that take a path.
    static FOLDER: TempDir = tempfile::tempdir().expect("a folder");
}

/// Gives the bytes as a file of this name.
fn with_file<T>(name: &str, data: &[u8], then: impl FnOnce(&Path) -> T) -> T {
    FOLDER.with(|folder| {
        let path = folder.path().join(name);
        fs::write(&path, data).expect("room for the file");
        then(&path)
    })
}

/// Records: reading, writing again, replay, the viewer and the official logs.
pub(super) fn records(data: &[u8]) {
    let Ok(record) = Record::read(data, "fuzz") else {
        return;
    };
    // What was read is what was written.
    let mut bytes = Vec::new();
    let mut writer = RecordWriter::new(&mut bytes, &record.header).expect("memory");
    for event in &record.events {
        writer.event(event).expect("memory");
    }
    drop(writer);
    let again = Record::read(&bytes[..], "fuzz").expect("what was written can be read");
    assert_eq!(
        (&again.header, &again.events),
        (&record.header, &record.events)
    );
    let replayed = RecordReader::new(&bytes[..], "fuzz").and_then(replay);
    if let Ok(replayed) = &replayed {
        let ends = |event: &&record::Event| matches!(event.what, What::End { .. });
        let games = record.events.iter().filter(ends).count();
        assert_eq!((replayed.games + replayed.void) as usize, games);
    }
    with_file("fuzz.jsonl", data, |path| {
        let mut args = ReplayArgs {
            records: vec![path.to_owned()],
            game: None,
            all: true,
            json: false,
            sheet: false,
            statistics: false,
            official_log: None,
            check: false,
        };
        for json in [false, true] {
            args.json = json;
            let shown = show(&args, false, &mut io::empty(), &mut io::sink());
            assert!(shown.is_ok() || replayed.is_err(), "{shown:?}");
        }
        for statistics in [false, true] {
            (args.sheet, args.statistics) = (!statistics, statistics);
            let shown = show(&args, false, &mut io::empty(), &mut io::sink());
            // A game without sheets or statistics.
            let none = matches!(&shown, Err(e) if e.code() == 2);
            assert!(shown.is_ok() || none || replayed.is_err(), "{shown:?}");
        }
    });
    let _ = game_log(&record.events);
    let rules = serde_json::from_value(record.header.rules.clone()).unwrap_or_default();
    if let Ok(mut log) = OfficialLog::new(io::sink(), &rules, 42485, &record.header) {
        for event in &record.events {
            let _ = log.event(event);
        }
    }
    let mut dat = DebugDat::new(io::sink(), io::sink());
    for event in &record.events {
        let _ = dat.event(event);
    }
}

/// Settings: of a league, `taikyoku.toml`, `tndhms.cfg`. A league that was read is one that its journal can hold.
pub(super) fn settings(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(league) = league::settings::parse(&text, "fuzz.toml") {
        let line = serde_json::to_string(&league).expect("settings can be written");
        let again: league::settings::Settings =
            serde_json::from_str(&line).expect("what was written can be read");
        assert_eq!(serde_json::to_string(&again).ok(), Some(line));
    }
    let _ = read_toml(&text, "taikyoku.toml");
    let _ = read_tndhms(&text, "tndhms.cfg");
}

/// Journals of leagues. Every beginning of a journal is a journal.
pub(super) fn journals(data: &[u8]) {
    let path = Path::new("journal.jsonl");
    if let Ok(journal) = Journal::parse(path, data) {
        let whole = usize::try_from(journal.whole).expect("a length");
        assert_eq!(data[..whole].last(), Some(&b'\n'));
        let again = Journal::parse(path, &data[..whole]).expect("the whole lines are a journal");
        assert_eq!(again.entries.len(), journal.entries.len());
    }
}

/// Files of Blokus games. What was written is what was read.
pub(super) fn sheets(data: &[u8]) {
    for tree in blksgf::Tree::read_all(data).unwrap_or_default() {
        sheet(tree);
    }
}

fn sheet(tree: blksgf::Tree) {
    let text = tree.to_string();
    let again: blksgf::Tree = text.parse().expect("what was written can be read");
    assert_eq!(again.to_string(), text);
    let Ok(line) = blksgf::MainLine::of(tree) else {
        return;
    };
    let game = line.game();
    let _ = game.board();
    for moves in [&game.moves[..], &game.moves[..game.moves.len() / 2], &[]] {
        let kept = blksgf::MainLine::of(line.with_moves(moves)).expect("the same tree");
        assert!(kept.game().moves.starts_with(moves));
    }
    // The pieces of a set-up are written colour by colour.
    let text = game.to_string();
    let again: blksgf::Game = text.parse().expect("what was written can be read");
    assert_eq!(again.to_string(), text);
}

/// Texts that become records. Each is a record that stays as it is.
pub(super) fn imports(data: &[u8]) {
    if let Ok(made) = import(data) {
        let again = import(&made.bytes).expect("it is a record");
        assert_eq!((again.games, again.bytes), (made.games, made.bytes));
    }
}

/// Weights: of the Daihinmin networks and of the Geister policy.
pub(super) fn weights(data: &[u8]) {
    if let Ok(networks) = DaihinminNetworks::from_bytes(data) {
        assert_eq!(networks.to_bytes(), data);
    }
    with_file("fuzz.npy", data, |path| {
        if let Ok(weights) = GeisterWeights::read(path) {
            weights.write(path).expect("room for the file");
            GeisterWeights::read(path).expect("what was written can be read");
        }
    });
}

/// Games of self-play: files of them, and one game as learners take it.
pub(super) fn self_play(data: &[u8]) {
    if let Some(record) = SelfPlayRecord::read(data) {
        let mut bytes = Vec::new();
        record.write(&mut bytes);
        // Some bits of a game's bytes mean nothing.
        let again = SelfPlayRecord::read(&bytes).expect("what was written can be read");
        let mut bytes_again = Vec::new();
        again.write(&mut bytes_again);
        assert_eq!(bytes_again, bytes);
    }
    with_file("fuzz.tkg", data, |path| {
        let games = ["blokus", "score-four", "dobutsu"];
        let read = |game| Some((game, Archive::read(path, game).ok()?));
        let Some((game, records)) = games.into_iter().find_map(read) else {
            return;
        };
        if let Ok(lessons) = Lessons::of(game) {
            for record in &records {
                let _ = lessons.write(record, &mut Vec::new());
            }
        }
        // Opening it cuts off a torn end, and keeps what can be read.
        let archive = opened(path, game);
        assert!(archive.len() <= records.len());
        drop(archive);
        let kept = Archive::read(path, game).expect("it can still be read");
        assert_eq!(kept.len(), records.len());
    });
}

/// Opens an archive that can be read. A process that another test is starting has the files of this one for a moment, and with
/// them the lock of the archive that was here before.
fn opened(path: &Path, game: &str) -> Archive {
    let began = Instant::now();
    loop {
        match Archive::open(path, game) {
            Err(ArchiveError::Busy(_)) if began.elapsed() < PATIENCE => std::thread::yield_now(),
            opened => return opened.expect("what can be read can be opened"),
        }
    }
}

/// Networks: what a file says about itself, and the engine that takes it.
pub(super) fn networks(data: &[u8]) {
    with_file("fuzz.onnx", data, |path| {
        let _ = Network::open_any(path, NnEngine::Rten);
    });
}
