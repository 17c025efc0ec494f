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

proptest! {
    /// Wherever a bit is flipped, no game but the last is ever cut off: the file is refused and left as it is.
    #[test]
    fn a_flipped_bit_does_not_cost_the_games_after_it(
        records in prop::collection::vec(record(), 2..5),
        place in 0.0..1.0,
        bit in 0..8,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.tkg");
        let mut archive = Archive::open(&path, "blokus").expect("a new file");
        let mut ends = vec![24];
        for record in &records {
            archive.add(record).expect("room on the disk");
            ends.push(std::fs::metadata(&path).expect("the file").len() as usize);
        }
        drop(archive);
        let mut bytes = std::fs::read(&path).expect("the file");
        let at = 24 + (place * (bytes.len() - 24) as f64) as usize;
        bytes[at] ^= 1_u8 << bit;
        std::fs::write(&path, &bytes).expect("room on the disk");
        let before = ends.iter().filter(|&&end| end <= at).count() - 1;
        let opened = Archive::open(&path, "blokus");
        let left = std::fs::read(&path).expect("the file");
        if before + 1 < records.len() {
            let error = opened.expect_err("damaged").to_string();
            let offset = format!("byte {},", ends[before]);
            prop_assert!(error.contains("games.tkg") && error.contains(&offset), "{}", error);
            prop_assert!(Archive::read(&path, "blokus").is_err());
            prop_assert_eq!(left, bytes);
        } else if opened.is_ok() {
            // The last may look like one that was not written to its end.
            prop_assert_eq!(left.len(), ends[before]);
        } else {
            prop_assert_eq!(left, bytes);
        }
    }
}

#[test]
fn zeros_at_the_end_are_cut_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.tkg");
    let mut archive = Archive::open(&path, "blokus").expect("a new file");
    archive.add(&Record::default()).expect("room on the disk");
    drop(archive);
    let whole = std::fs::read(&path).expect("the file");
    std::fs::write(&path, [whole.as_slice(), &[0; 5000]].concat()).expect("room on the disk");
    assert_eq!(Archive::open(&path, "blokus").expect("a tail").len(), 1);
    assert_eq!(std::fs::read(&path).expect("the file"), whole);
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
