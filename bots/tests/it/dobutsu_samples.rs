//! Positions of the solved game, for networks to learn from.

use games::dobutsu::{MoveList, Position};
use models::Encoding as _;
use models::dobutsu::Dobutsu;
use taikyoku_bots::dobutsu::{Draw, Table, Value, solve, write_samples};

/// The table of a game with one giraffe.
fn table() -> Table {
    let start: Position = "gl1/3/3/1LG w - 1".parse().unwrap();
    let solution = solve(start.board(), 1, &mut |_| ());
    let folder = tempfile::tempdir().unwrap();
    Table::write(folder.path(), &solution.index, &solution.values, 1).unwrap();
    Table::open(folder.path()).unwrap()
}

#[test]
fn positions_are_drawn_with_their_values_and_both_mirror_images() {
    let table = table();
    let mut mirrored = 0;
    for (board, value) in Draw::new(&table, 1).take(2000) {
        assert_eq!(Value::at_once(&board), None);
        assert_eq!(table.board_value(&board), Some(value));
        let index = table.index();
        mirrored += usize::from(index.unrank(index.rank(&board)) != board);
    }
    assert!((800..=1200).contains(&mirrored), "{mirrored}");
    let again: Vec<_> = Draw::new(&table, 1).take(9).collect();
    assert_eq!(again, Draw::new(&table, 1).take(9).collect::<Vec<_>>());
    assert_ne!(again, Draw::new(&table, 2).take(9).collect::<Vec<_>>());
}

#[test]
fn samples_have_the_good_moves_and_the_result() {
    let table = table();
    let mut bytes = Vec::new();
    let mut told = Vec::new();
    write_samples(&table, 7, 5000, &mut bytes, |written| told.push(written)).unwrap();
    assert_eq!(told, [4096, 5000]);

    let word = |at: usize| u32::from_le_bytes(*bytes[at..].first_chunk().unwrap());
    let mut drawn = Draw::new(&table, 7);
    let (mut at, mut legal) = (0, MoveList::new());
    for samples in [4096_usize, 904] {
        let layout = Dobutsu::LAYOUT;
        let moves = word(at + 8) as usize;
        assert_eq!(word(at + 4) as usize, samples);
        let padded = |bytes: usize| bytes.next_multiple_of(4);
        let packed = at + 40;
        let logits = packed + padded(samples * layout.bytes());
        let weights = logits + padded(2 * moves);
        let ends = weights + padded(2 * moves);
        let values = ends + 4 * samples;
        let half = |at: usize| u16::from_le_bytes(*bytes[at..].first_chunk().unwrap());
        let mut first = 0;
        for (i, (board, value)) in drawn.by_ref().take(samples).enumerate() {
            let mut expected = vec![0; layout.bytes()];
            Dobutsu::pack(&board, &mut expected);
            assert_eq!(
                bytes[packed + i * layout.bytes()..][..layout.bytes()],
                expected
            );
            legal.clear();
            board.moves(false, &mut legal);
            let end = word(ends + 4 * i) as usize;
            assert_eq!(end - first, legal.len());
            let mut best = 0;
            for (number, &mv) in (first..end).zip(legal.iter()) {
                assert_eq!(half(logits + 2 * number), Dobutsu::logit(&board, mv));
                let after = table.board_value(&board.after(mv)).unwrap().before();
                let is_good = half(weights + 2 * number) > 0;
                assert!(after <= value);
                match value {
                    Value::Loss(_) => assert_eq!(is_good, after == value),
                    _ => assert_eq!(is_good, after.sign() == value.sign()),
                }
                best += usize::from(is_good);
            }
            assert!(best > 0);
            first = end;
            let share = f32::from_bits(word(values + 8 * i));
            assert!((share * 2.0 - 1.0 - f32::from(value.sign())).abs() < 1e-6);
        }
        // Score, the search's value, and plies.
        at = values + 3 * 8 * samples + padded(2 * samples);
    }
    assert_eq!(at, bytes.len());
}
