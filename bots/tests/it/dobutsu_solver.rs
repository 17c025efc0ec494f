//! The solver of Dobutsu shogi against a slow one, on games with fewer pieces: all positions by the rules alone, and
//! their values by going over them again and again.

use std::collections::HashMap;

use games::dobutsu::{Board, EndKind, Move, MoveList, Position};
use taikyoku_bots::dobutsu::{Solution, Statistics, Table, TableError, Value, solve, verify};

/// Games of two to six pieces. Both lions stand in the file in the middle in most of them, so that positions are their own
/// mirror images.
const STARTS: [&str; 8] = [
    "1l1/1c1/1C1/1L1 b - 1",
    "1l1/3/3/1L1 b GC 1",
    "gl1/3/3/1LG w - 1",
    "1l1/3/3/L2 b - 1",
    "2l/3/1+C1/L2 b c 1",
    "1le/3/3/EL1 b - 1",
    "1le/3/3/1LG b - 1",
    "1l1/1c1/3/1LG b - 1",
];

/// A position and its mirror image, as the mover sees them.
fn canonical(position: &Position) -> Board {
    let board = position.board();
    (*board).min(board.mirrored())
}

struct Slow {
    values: HashMap<Board, Option<Value>>,
    /// Successors of positions that are no end.
    successors: HashMap<Board, Vec<Board>>,
    statistics: Statistics,
}

fn end(position: &Position, moves: &[Move]) -> Option<Value> {
    if position.end().is_some() {
        return Some(Value::Loss(0));
    }
    let catches = moves.iter().any(|&mv| {
        let mut next = *position;
        next.play(mv).unwrap();
        next.end().is_some_and(|end| end.kind == EndKind::Catch)
    });
    catches.then_some(Value::Win(1))
}

fn slow(start: &Position) -> Slow {
    let mut slow = Slow {
        values: HashMap::new(),
        successors: HashMap::new(),
        statistics: Statistics::default(),
    };
    let mut list = MoveList::new();
    let mut open = vec![*start];
    while let Some(position) = open.pop() {
        let key = canonical(&position);
        if slow.values.contains_key(&key) {
            continue;
        }
        position.legal_moves(&mut list);
        let value = end(&position, &list);
        slow.values.insert(key, value);
        let statistics = &mut slow.statistics;
        statistics.reachable += 1;
        match value {
            Some(Value::Loss(_)) => statistics.tried += 1,
            Some(_) => statistics.catch += 1,
            None => {
                statistics.non_terminal += 1;
                statistics.moves += list.len() as u64;
                if list.len() > statistics.most_moves {
                    (statistics.most_moves, statistics.with_most_moves) = (list.len(), 0);
                }
                statistics.with_most_moves += u64::from(list.len() == statistics.most_moves);
                let mut after = Vec::new();
                for &mv in &list {
                    let mut next = position;
                    next.play(mv).unwrap();
                    after.push(canonical(&next));
                    open.push(next);
                }
                slow.successors.insert(key, after);
            }
        }
    }
    let mut idle = 0;
    for distance in 1..=250 {
        let mut decided = Vec::new();
        for (board, after) in &slow.successors {
            if slow.values[board].is_some() {
                continue;
            }
            let after: Vec<Option<Value>> = after.iter().map(|board| slow.values[board]).collect();
            if after.contains(&Some(Value::Loss(distance - 1))) {
                decided.push((*board, Value::Win(distance)));
            } else if after
                .iter()
                .all(|value| matches!(value, Some(Value::Win(plies)) if *plies < distance))
            {
                decided.push((*board, Value::Loss(distance)));
            }
        }
        idle = if decided.is_empty() { idle + 1 } else { 0 };
        if idle == 3 {
            break;
        }
        slow.values.extend(
            decided
                .into_iter()
                .map(|(board, value)| (board, Some(value))),
        );
    }
    slow
}

fn solved(start: &Position) -> Solution {
    solve(start.board(), 2, &mut |_| {})
}

#[test]
fn games_with_fewer_pieces_are_solved_as_slowly() {
    let (mut draws, mut far) = (0, 0);
    for text in STARTS {
        let start: Position = text.parse().unwrap();
        let (slow, solution) = (slow(&start), solved(&start));
        let (index, values) = (&solution.index, &solution.values);
        let mut by_distance = Vec::new();
        for board in slow.successors.keys() {
            let value = slow.values[board].unwrap_or(Value::Draw);
            let byte = values[index.rank(board) as usize];
            assert_eq!(Value::from_byte(byte), Some(value), "{text}: {board:?}");
            if let Some(distance) = value.distance().map(usize::from) {
                by_distance.resize(by_distance.len().max(distance + 1), 0);
                by_distance[distance] += 1;
            }
        }
        let s = &solution.statistics;
        let of_byte = |byte: u8| {
            values
                .iter()
                .map(|&value| usize::from(value == byte))
                .sum::<usize>()
        };
        assert_eq!(values.len() - of_byte(255), slow.successors.len(), "{text}");
        let counts = |s: &Statistics| {
            let ends = [s.reachable, s.catch, s.tried, s.non_terminal];
            (ends, s.moves, s.most_moves, s.with_most_moves)
        };
        assert_eq!(counts(s), counts(&slow.statistics), "{text}");
        assert_eq!(s.by_distance, by_distance, "{text}");
        assert_eq!(s.draw, of_byte(Value::Draw.byte()) as u64);
        assert_eq!(s.win + s.loss + s.draw, s.reachable);
        assert_eq!(
            s.start,
            slow.values[&canonical(&start)].or(Some(Value::Draw))
        );
        assert_eq!(verify(index, values, 2), Ok(s.non_terminal), "{text}");
        draws += s.draw;
        far += s.by_distance.iter().skip(20).sum::<u64>();
    }
    assert!(
        draws > 0 && far > 0,
        "{draws} draws, {far} far from the end"
    );
}

#[test]
fn a_wrong_value_is_found() {
    let start: Position = STARTS[0].parse().unwrap();
    let mut solution = solved(&start);
    let number = solution.index.rank(start.board()) as usize;
    let right = solution.values[number];
    for wrong in [right ^ 1, right + 2, 254, 255] {
        if wrong != right {
            solution.values[number] = wrong;
            let breach = verify(&solution.index, &solution.values, 1).unwrap_err();
            assert_ne!(breach.stated, breach.due);
        }
    }
}

#[test]
fn a_table_is_written_and_looked_up() {
    let folder = tempfile::tempdir().unwrap();
    let absent = Table::open(folder.path());
    assert!(matches!(absent, Err(TableError::Absent { .. })));
    let start: Position = STARTS[1].parse().unwrap();
    let solution = solved(&start);
    let (index, values) = (&solution.index, &solution.values);
    let length = Table::write(folder.path(), index, values, 2).unwrap();
    let path = folder.path().join("dobutsu.table");
    assert_eq!(std::fs::metadata(&path).unwrap().len(), length);
    let table = Table::open(folder.path()).unwrap();
    for (number, &byte) in (0..).zip(values).step_by(101) {
        assert_eq!(table.byte(number), byte);
    }
    // The moves lead to their values, and the best of them to that of the position.
    let (mut moves, mut position) = (Vec::new(), start);
    let value = table.value(&start).unwrap();
    let line = table.line(&start);
    for &mv in &line {
        assert!(table.moves(&position, &mut moves));
        let best = moves.iter().map(|&(_, value)| value).max();
        assert_eq!(table.value(&position), best);
        let chosen = moves.iter().find(|(other, _)| *other == mv).unwrap();
        assert_eq!(Some(chosen.1), best);
        position.play(mv).unwrap();
    }
    if let Some(distance) = value.distance() {
        assert_eq!(line.len(), usize::from(distance));
        assert!(position.end().is_some());
    }
    // Other moves than the capture may lead to positions that no game comes to.
    let catch: Position = "3/1l1/1L1/3 b GC 1".parse().unwrap();
    assert_eq!(table.value(&catch), Some(Value::Win(1)));
    assert!(table.moves(&catch, &mut moves));
    let capture = ("2c2b".parse().unwrap(), Value::Win(1));
    assert!(moves.contains(&capture), "{moves:?}");
    assert_eq!(table.line(&catch), [capture.0]);
    // Of other pieces, other rules or another seat.
    assert_eq!(table.value(&Position::START), None);
    assert!(!table.moves(&Position::START, &mut moves));
    assert_eq!(table.line(&Position::START), []);
    let second = Position::new(*start.board(), 1, start.variant());
    assert_eq!(table.value(&second), Some(value));
    let free = start.with_variant(games::dobutsu::Variant {
        free_promotion: true,
        ..start.variant()
    });
    assert_eq!(table.value(&free), None);
    // All at once, as one by one.
    assert_eq!(table.values(2), *values);
    assert_eq!(table.value(&start), Some(value));
    // Any byte that is damaged is noticed.
    let whole = std::fs::read(&path).unwrap();
    for at in [0, 17, 21, 26, 30, 33, whole.len() / 2, whole.len() - 1] {
        let mut damaged = whole.clone();
        damaged[at] ^= 4;
        std::fs::write(&path, damaged).unwrap();
        let read = Table::open(folder.path());
        assert!(matches!(read, Err(TableError::Broken { .. })), "byte {at}");
    }
    for length in [0, 10, 31, 40, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        let read = Table::open(folder.path());
        assert!(
            matches!(read, Err(TableError::Broken { .. })),
            "{length} bytes"
        );
    }
}

/// The whole game, as published: an hour of work in a debug build, so only if `TAIKYOKU_SOLVE` is set.
#[test]
fn the_whole_game_has_the_published_counts() {
    if std::env::var_os("TAIKYOKU_SOLVE").is_none() {
        return;
    }
    let solution = solved(&Position::START);
    let s = &solution.statistics;
    assert_eq!(s.reachable, 246_803_167);
    assert_eq!((s.catch, s.tried), (140_298_614, 7_018_985));
    assert_eq!((s.non_terminal, s.draw), (99_485_568, 2_682_700));
    assert_eq!((s.win, s.loss), (196_773_087, 47_347_380));
    assert_eq!(s.moves, 938_671_869);
    assert_eq!((s.most_moves, s.with_most_moves), (38, 34));
    assert_eq!(s.longest_win(), Some(173));
    assert_eq!(s.start, Some(Value::Loss(78)));
    let verified = verify(&solution.index, &solution.values, 2);
    assert_eq!(verified, Ok(s.non_terminal));
}
