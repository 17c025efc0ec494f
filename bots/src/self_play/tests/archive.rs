//! Files of games.

use proptest::prelude::*;

use crate::self_play::{Archive, ArchiveError, Ply, Record};

fn plies() -> impl Strategy<Value = Vec<Ply>> {
    let policy = prop::collection::vec((any::<u16>(), any::<u16>()), 0..9);
    let values = prop::option::of(prop::array::uniform4(0.0_f32..1.0));
    let ply = (any::<u16>(), any::<bool>(), values, policy);
    let ply = ply.prop_map(|(mv, is_lesson, values, policy)| Ply {
        mv,
        is_lesson,
        values,
        policy,
    });
    prop::collection::vec(ply, 0..12)
}

prop_compose! {
    fn record()(
        id in any::<u64>(),
        rewards in prop::array::uniform4(0.0_f32..1.0),
        scores in prop::array::uniform4(any::<i16>()),
        plies in plies(),
    ) -> Record {
        Record { id, rewards, scores, plies }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(record in record()) {
        let mut bytes = Vec::new();
        record.write(&mut bytes);
        prop_assert_eq!(Record::read(&bytes), Some(record));
        for end in 0..bytes.len() {
            prop_assert_eq!(Record::read(&bytes[..end]), None);
        }
    }

    /// Wherever a file is cut, the games before the cut are there, and games can be added.
    #[test]
    fn a_cut_loses_one_game_at_most(records in prop::collection::vec(record(), 1..5), cut in 0.0..1.0) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.tkg");
        let mut ends = Vec::new();
        let mut archive = Archive::open(&path, "blokus").expect("a new file");
        for record in &records {
            archive.add(record).expect("room on the disk");
            ends.push(std::fs::metadata(&path).expect("the file").len());
        }
        drop(archive);
        let bytes = std::fs::read(&path).expect("the file");
        let length = (cut * bytes.len() as f64) as usize;
        std::fs::write(&path, &bytes[..length]).expect("room on the disk");
        let whole = ends.iter().filter(|&&end| end <= length as u64).count();
        let mut archive = Archive::open(&path, "blokus").expect("a file that was cut");
        for record in &records[..whole] {
            prop_assert!(archive.contains(record.id));
        }
        archive.add(&records[0]).expect("room on the disk");
        drop(archive);
        let mut expected = records[..whole].to_vec();
        expected.push(records[0].clone());
        prop_assert_eq!(Archive::read(&path, "blokus").expect("a whole file"), expected);
    }
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("text");
    std::fs::write(&path, "not games, but somebody's text").expect("room on the disk");
    assert!(matches!(
        Archive::open(&path, "blokus"),
        Err(ArchiveError::Other(_))
    ));
    assert_eq!(
        std::fs::read(&path).expect("the file"),
        b"not games, but somebody's text"
    );
    let games = folder.path().join("games.tkg");
    drop(Archive::open(&games, "score-four").expect("a new file"));
    let error = Archive::open(&games, "blokus").expect_err("of another game");
    assert!(error.to_string().contains("score-four"), "{error}");
    assert_eq!(
        Archive::game_of(&games).expect("a file of games"),
        "score-four"
    );
}

#[test]
fn two_programs_do_not_write_to_one_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.tkg");
    let first = Archive::open(&path, "blokus").expect("a new file");
    assert!(matches!(
        Archive::open(&path, "blokus"),
        Err(ArchiveError::Busy(_))
    ));
    drop(first);
    assert!(Archive::open(&path, "blokus").is_ok());
}
