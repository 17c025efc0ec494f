use games::daihinmin::{Cards, Dealer, DealerKind, Session};

use super::*;
use crate::{EndKind, Player, ReadError, RecordReader, RecordWriter, Replayed, rebuild};

/// Plays a match of random moves and records it.
fn record(games: u32, seed: u64) -> Vec<u8> {
    let rules = SessionRules::default();
    let mut session = Session::new(rules, Dealer::new(DealerKind::Modern, seed));
    let players = vec![Player::default(); 5];
    let header = Header::new(GameName::Daihinmin, "m", "uecda", players, games);
    let mut out = Vec::new();
    let mut writer = RecordWriter::new(&mut out, &header.with_rules(&rules)).unwrap();
    let mut moves = Vec::new();
    let mut pick = seed;
    for game in 1..=games {
        let mut deal = session.deal();
        writer.event(&What::begin(&deal).at(0)).unwrap();
        for what in What::tributes(&deal) {
            writer.event(&what.at(0)).unwrap();
        }
        for (rich, poor) in [(0, 4), (1, 3)] {
            let (from, to) = (deal.seat_of_rank(rich), deal.seat_of_rank(poor));
            if deal.owes[usize::from(from)] > 0 {
                let cards = deal.give(from, Cards::EMPTY);
                let player = |seat: u8| deal.player_at[usize::from(seat)];
                let what = What::give(player(from), player(to), cards);
                writer.event(&what.at(0)).unwrap();
            }
        }
        let mut position = deal.start();
        while !position.table.is_over() {
            if position.table.is_stalled() {
                session.settle_stall(&mut position);
                continue;
            }
            position.legal_moves(&mut moves);
            pick = pick.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let meld = moves[(pick >> 33) as usize % moves.len()];
            let player = deal.player_at[usize::from(position.table.turn)];
            writer.event(&What::play(player, meld).at(0)).unwrap();
            position.play(meld).unwrap();
        }
        session.finish(position.table.places);
        let places = session.places();
        let end = What::End {
            game,
            places: places.to_vec(),
            points: places.iter().map(|&p| 5.0 - f64::from(p)).collect(),
            game_points: Vec::new(),
            kinds: vec![EndKind::Normal; 5],
            rule: None,
        };
        writer.event(&end.at(0)).unwrap();
    }
    let result = What::Result {
        games,
        points: session.points().iter().map(|&p| f64::from(p)).collect(),
        kinds: vec![EndKind::Normal; 5],
        seed: Some(seed),
        reason: None,
    };
    writer.event(&result.at(0)).unwrap();
    drop(writer);
    out
}

fn replay_text(text: &str) -> Result<Replayed, ReadError> {
    rebuild::<GameReplay, _>(RecordReader::new(text.as_bytes(), "r")?)
}

#[test]
fn a_record_plays_again_to_its_result() {
    let text = String::from_utf8(record(30, 4)).unwrap();
    let sum = replay_text(&text).unwrap();
    assert!(sum.closed && !sum.unfinished);
    assert_eq!((sum.games, sum.void), (30, 0));
    assert!((sum.points.iter().sum::<f64>() - 450.0).abs() < 1e-9);
}

#[test]
fn a_wrong_player_or_a_missing_end_is_noticed() {
    let text = String::from_utf8(record(2, 5)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mut tried = 0;
    for (i, line) in lines.iter().enumerate() {
        let mut other = lines.clone();
        let changed = line.replace("\"player\":1", "\"player\":2");
        if changed != *line {
            other[i] = &changed;
        } else if line.contains("\"event\":\"end\"") {
            other.remove(i);
        } else {
            continue;
        }
        let error = replay_text(&other.join("\n")).unwrap_err();
        assert!(error.line as usize > i, "{error}");
        tried += 1;
    }
    assert!(tried > 20, "{tried}");
}
