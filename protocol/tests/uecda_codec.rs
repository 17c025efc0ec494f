//! Bytes, profiles and submissions of the tournament protocol, against its specification.

use bytes::BytesMut;
use games::daihinmin::{Cards, Meld};
use proptest::prelude::*;
use taikyoku_protocol::uecda::{
    CardTable, Cell, FrameReader, GiftChoice, MalformedGift, MalformedTable, Scan, Submission,
    Version, WireError, cards_table, cell, check_values, decode_int, decode_table, encode_int,
    encode_table, joker_cell, meld_table, named_cards,
};

fn table(cells: &[(Cell, i32)]) -> CardTable {
    let mut table = CardTable::default();
    for &(at, value) in cells {
        table[at] = value;
    }
    table
}

fn bytes_of(version: Version, table: &CardTable) -> BytesMut {
    let mut out = BytesMut::new();
    encode_table(version, table, &mut out);
    out
}

fn meld(text: &str) -> Meld {
    text.parse().expect("a meld")
}

fn cards(text: &str) -> Cards {
    text.parse().expect("cards")
}

#[test]
fn version_20070_is_big_endian_and_has_no_negative_numbers() {
    let sent = table(&[
        ((0, 1), 1),
        ((4, 1), 2),
        ((5, 1), -2),
        ((7, 14), 0x0102_0304),
    ]);
    let bytes = bytes_of(Version::V20070, &sent);
    assert_eq!(bytes.len(), 480);
    assert_eq!(bytes[4..8], [0, 0, 0, 1]);
    assert_eq!(bytes[4 * 61..4 * 62], [0, 0, 0, 2]);
    assert_eq!(bytes[4 * 76..4 * 77], [0, 0, 0, 0]);
    assert_eq!(bytes[476..], [1, 2, 3, 4]);
    let mut int = BytesMut::new();
    encode_int(Version::V20070, 9, &mut int);
    encode_int(Version::V20070, -1, &mut int);
    assert_eq!(int[..], [0, 0, 0, 9, 0, 0, 0, 0]);
    assert_eq!(decode_int(Version::V20070, &[0xFF; 4]), Ok(-1));
}

#[test]
fn version_20060_keeps_negative_numbers_in_native_order() {
    let sent = table(&[((5, 1), -2)]);
    let bytes = bytes_of(Version::V20060, &sent);
    assert_eq!(bytes[4 * 76..4 * 77], (-2_i32).to_ne_bytes());
    assert_eq!(decode_table(Version::V20060, &bytes), Ok(sent));
}

#[test]
fn version_20140_is_33_digits() {
    let mut sent = cards_table(cards("S3H3D3C3SKD2J3"));
    sent[cell::DEAL] = 1;
    sent[cell::GIVE] = -1;
    sent[cell::TURN] = 6;
    sent[cell::REVOLUTION] = 1;
    sent.row_mut(6)
        .copy_from_slice(&[11, 11, 11, 10, 10, 0, 1, 2, 3, 4, 3, 0, 4, 2, 1]);
    let bytes = bytes_of(Version::V20140, &sent);
    //                 columns 1..=13, joker 61, deal and give, turn, flags, row 6
    assert_eq!(&bytes[..], b"F0000000001043D964BBBAA0123430421");
    assert_eq!(decode_table(Version::V20140, &bytes), Ok(sent));
    let none = bytes_of(Version::V20140, &CardTable::default());
    assert_eq!(&none[..], b"0000000000000FF200000000000000000");
    assert_eq!(
        decode_table(Version::V20140, b"0000000000000ff200000000000000000"),
        Ok(CardTable::default())
    );
    assert_eq!(
        decode_table(Version::V20140, b"0000000000000Fx200000000000000000"),
        Err(WireError::Digit { at: 14, byte: b'x' })
    );
    assert_eq!(
        decode_table(Version::V20140, b"00000000000004B200000000000000000"),
        Err(WireError::JokerCell(75))
    );
}

#[test]
fn lengths_and_limits_are_errors() {
    let short = Err(WireError::Length {
        want: 480,
        got: 479,
    });
    assert_eq!(decode_table(Version::V20070, &[0; 479]), short);
    let mut reader = FrameReader::new(8);
    reader.push(&[0; 6]).unwrap();
    assert_eq!(
        reader.push(&[0; 3]),
        Err(WireError::Overflow {
            waiting: 9,
            limit: 8
        })
    );
    assert_eq!(reader.waiting(), 6);
    reader.push(&[1, 2]).unwrap();
    assert_eq!(reader.take_int(Version::V20070), Some(0));
    assert_eq!(reader.take_int(Version::V20070), Some(0x0102));
    assert_eq!(reader.take_int(Version::V20070), None);
}

#[test]
fn a_bad_compact_table_does_not_stop_the_next() {
    let mut reader = FrameReader::default();
    reader.push(&[b'?'; 33]).unwrap();
    reader
        .push(&bytes_of(Version::V20140, &CardTable::default()))
        .unwrap();
    assert!(reader.take_table(Version::V20140).is_err());
    assert_eq!(
        reader.take_table(Version::V20140),
        Ok(Some(CardTable::default()))
    );
    assert_eq!(reader.take_table(Version::V20140), Ok(None));
}

#[test]
fn melds_stand_in_the_cells_of_the_specification() {
    for (text, cells) in [
        ("S3", &[((0, 1), 1)][..]),
        ("C2", &[((3, 13), 1)]),
        ("Kx", &[((0, 14), 2)]),
        ("H8M8", &[((1, 6), 1), ((2, 6), 2)]),
        (
            "S4H4D4C4J4",
            &[
                ((0, 2), 1),
                ((1, 2), 1),
                ((2, 2), 1),
                ((3, 2), 1),
                ((4, 2), 2),
            ],
        ),
        ("KxS3S4", &[((0, 0), 2), ((0, 1), 1), ((0, 2), 1)]),
        ("CAC2Nx", &[((3, 12), 1), ((3, 13), 1), ((3, 14), 2)]),
        ("D5M6D7", &[((2, 3), 1), ((2, 4), 2), ((2, 5), 1)]),
    ] {
        assert_eq!(meld_table(meld(text)), table(cells), "{text}");
        assert_eq!(
            Submission::parse(&table(cells)),
            Submission::Meld(meld(text))
        );
    }
    assert_eq!(Submission::parse(&CardTable::default()), Submission::Pass);
}

#[test]
fn the_lone_joker_may_stand_in_any_cell_of_the_suits() {
    for row in 0..4 {
        for column in 0..15 {
            let sent = table(&[((row, column), 2)]);
            assert_eq!(Submission::parse(&sent), Submission::Meld(Meld::LONE_JOKER));
            assert_eq!(joker_cell(&sent), Some((row, column)));
        }
    }
    for column in 0..15 {
        let sent = table(&[((4, column), 2)]);
        assert_eq!(
            Submission::parse(&sent),
            Submission::Malformed(MalformedTable::StrayFifth)
        );
    }
}

#[test]
fn malformed_tables_have_reasons() {
    for (cells, reason) in [
        (&[((0, 0), 1)][..], MalformedTable::Outside((0, 0))),
        (&[((3, 14), 1)], MalformedTable::Outside((3, 14))),
        (&[((4, 5), 1)], MalformedTable::Outside((4, 5))),
        (&[((0, 3), 2), ((0, 4), 2)], MalformedTable::TwoJokers),
        (
            &[((0, 3), 1), ((3, 9), 3)],
            MalformedTable::Value {
                cell: (3, 9),
                value: 3,
            },
        ),
        (
            &[((0, 3), 1), ((4, 9), -1)],
            MalformedTable::Value {
                cell: (4, 9),
                value: -1,
            },
        ),
        (&[((0, 3), 1), ((0, 4), 1)], MalformedTable::ShortSequence),
        (&[((0, 13), 1), ((0, 14), 2)], MalformedTable::ShortSequence),
        (&[((0, 3), 1), ((0, 5), 1)], MalformedTable::NoShape),
        (
            &[((0, 3), 1), ((1, 4), 1), ((2, 5), 1)],
            MalformedTable::NoShape,
        ),
        (
            &[((0, 3), 1), ((1, 3), 1), ((1, 4), 1)],
            MalformedTable::NoShape,
        ),
        (
            &[((0, 3), 1), ((0, 4), 1), ((0, 5), 1), ((4, 3), 2)],
            MalformedTable::NoShape,
        ),
        (&[((0, 3), 1), ((4, 3), 2)], MalformedTable::StrayFifth),
        (
            &[((0, 3), 1), ((1, 3), 1), ((2, 3), 1), ((4, 3), 2)],
            MalformedTable::StrayFifth,
        ),
        (&[((0, 0), 2), ((1, 0), 1)], MalformedTable::Outside((1, 0))),
    ] {
        assert_eq!(
            Submission::parse(&table(cells)),
            Submission::Malformed(reason),
            "{cells:?}"
        );
    }
}

#[test]
fn odd_values_alone_are_a_pass() {
    let sent = table(&[((0, 3), 7), ((4, 1), -1), ((5, 0), 1), ((7, 3), 2)]);
    assert_eq!(Submission::parse(&sent), Submission::Pass);
    assert_eq!(Scan::of(&sent).len, 0);
}

#[test]
fn the_scan_sees_what_the_official_server_sees() {
    // Section 2.13: only row 0 in column 1, and further cards: one card long.
    let scan = Scan::of(&table(&[((0, 1), 1), ((2, 9), 1), ((3, 9), 1)]));
    assert_eq!((scan.low, scan.len, scan.suits, scan.named), (1, 1, 1, 3));
    assert!(!scan.flawed);
    let scan = Scan::of(&table(&[((0, 1), 7), ((4, 9), 1)]));
    assert_eq!(
        (scan.low, scan.len, scan.suits, scan.named, scan.first),
        (1, 1, 1, 1, 7)
    );
    assert!(scan.flawed);
}

#[test]
fn gifts_are_read_as_the_official_server_reads_them() {
    let two = cards_table(cards("D3J3"));
    assert_eq!(GiftChoice::parse(&two).cards(2), Ok(cards("D3J3")));
    assert_eq!(two[cell::JOKER], 2);
    let number = MalformedGift::Number { got: 2, owed: 1 };
    assert_eq!(GiftChoice::parse(&two).cards(1), Err(number));
    let flawed = table(&[((0, 3), 1), ((1, 3), 5)]);
    assert_eq!(GiftChoice::parse(&flawed).cards(1), Ok(cards("S5")));
    let flawed = table(&[((0, 3), 1), ((1, 4), 1), ((1, 3), 5)]);
    let value = MalformedTable::Value {
        cell: (1, 3),
        value: 5,
    };
    assert_eq!(
        GiftChoice::parse(&flawed).cards(2),
        Err(MalformedGift::Flaw(value))
    );
    let outside = table(&[((0, 0), 1)]);
    assert!(GiftChoice::parse(&outside).cards(1).is_err());
    let elsewhere = GiftChoice::parse(&table(&[((2, 1), 2)]));
    assert_eq!(elsewhere.cards(1), Ok(Cards::JOKER));
    assert_eq!(elsewhere.joker_elsewhere, Some((2, 1)));
    let empty = MalformedGift::Number { got: 0, owed: 2 };
    assert_eq!(
        GiftChoice::parse(&CardTable::default()).cards(2),
        Err(empty)
    );
}

fn any_table() -> impl Strategy<Value = CardTable> {
    let cell = (0..8_usize, 0..15_usize);
    let value = prop_oneof![4 => 1..=2_i32, 1 => any::<i32>()];
    prop::collection::vec((cell, value), 0..8).prop_map(|cells| table(&cells))
}

/// Tables that put most of their marks near each other.
fn near_meld() -> impl Strategy<Value = CardTable> {
    let marks = prop::collection::vec((0..5_usize, 0..4_usize, 1..=2_i32), 1..6);
    (0..12_usize, marks).prop_map(|(base, marks)| {
        let cells: Vec<_> = marks
            .into_iter()
            .map(|(row, shift, value)| ((row, base + shift), value))
            .collect();
        table(&cells)
    })
}

proptest! {
    #[test]
    fn compact_tables_survive(
        bits in any::<u64>(),
        flags in prop::array::uniform4(0..=1_i32),
        head in (0..=1_i32, -2..=2_i32, 0..=1_i32, 0..=6_i32),
        row_6 in prop::array::uniform15(0..16_i32),
    ) {
        let mut sent = cards_table(Cards::from_bits(bits));
        (sent[cell::DEAL], sent[cell::GIVE], sent[cell::MY_TURN], sent[cell::TURN]) = head;
        sent.row_mut(5)[4..8].copy_from_slice(&flags);
        sent.row_mut(6).copy_from_slice(&row_6);
        // One digit holds 8 * [5][0] + [5][1] + 2 up to 15.
        let bytes = bytes_of(Version::V20140, &sent);
        prop_assert_eq!(bytes.len(), 33);
        prop_assert_eq!(decode_table(Version::V20140, &bytes).unwrap(), sent);
    }

    #[test]
    fn submissions_are_understood_or_refused(sent in prop_oneof![any_table(), near_meld()]) {
        let scan = Scan::of(&sent);
        match Submission::parse(&sent) {
            Submission::Pass => prop_assert_eq!(scan.named, 0),
            Submission::Meld(meld) => {
                prop_assert!(check_values(&sent).is_ok());
                prop_assert_eq!(u32::from(meld.len()), scan.named);
                prop_assert_eq!(meld.cards(), named_cards(&sent));
                prop_assert_eq!(Submission::parse(&meld_table(meld)), Submission::Meld(meld));
                if !meld.is_lone_joker() {
                    prop_assert_eq!(meld.low(), scan.low);
                    prop_assert_eq!(meld.suits(), scan.suits);
                    prop_assert_eq!(meld.kind(), scan.kind);
                    let rows: Vec<_> = sent.marked(0..5).collect();
                    prop_assert_eq!(meld_table(meld).marked(0..5).collect::<Vec<_>>(), rows);
                }
            }
            Submission::Malformed(_) => prop_assert!(scan.named > 0),
        }
        let _ = GiftChoice::parse(&sent).cards(1);
        let _ = GiftChoice::parse(&sent).cards(2);
    }
}
