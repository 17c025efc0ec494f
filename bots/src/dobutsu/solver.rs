//! Solves the game: finds all positions that it comes to, then their values, backward from its ends.

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use games::dobutsu::{Board, MOST_MOVES};

use super::bits::Bits;
use super::value::{DRAW, UNREACHED, Value};
use super::{Index, Material, Statistics};

/// A byte from here on, below a draw, is the number of successors that are not known to be won.
const OPEN: u8 = 180;

pub struct Solution {
    pub index: Index,
    /// By number a byte, see [`Value::from_byte`].
    pub values: Vec<u8>,
    pub statistics: Statistics,
}

/// What is counted while it looks for positions.
#[derive(Default)]
struct Settled {
    catch: u64,
    tried: u64,
    moves: u64,
    by_moves: Vec<u64>,
    children: Vec<u32>,
}

/// Solves the game that begins from a board, on so many threads. `progress` is told what is done.
///
/// # Panics
/// If the game is over at the board, or it has more than two of an animal.
pub fn solve(start: &Board, threads: usize, progress: &mut dyn FnMut(&str)) -> Solution {
    assert!(
        Value::at_once(start).is_none(),
        "the game goes on at its start"
    );
    let index = Index::new(Material::of(start));
    let values: Vec<AtomicU8> = (0..index.len()).map(|_| AtomicU8::new(UNREACHED)).collect();
    let levels = [Bits::new(index.len()), Bits::new(index.len())];
    let mut statistics = explore(&index, start, &values, &levels, threads, progress);
    for distance in 1.. {
        let (level, next) = {
            let [odd, even] = &levels;
            if distance % 2 == 1 {
                (odd, even)
            } else {
                (even, odd)
            }
        };
        let decided = step_back(&index, &values, level, next, distance, threads);
        progress(&format!("distance {distance}: {decided} positions"));
        let is_last = decided == 0 && next.is_empty();
        if is_last {
            break;
        }
        assert!(distance + 2 < OPEN, "distances fit in a byte");
    }
    drop(levels);
    let values: Vec<u8> = values
        .into_iter()
        .map(|value| match value.into_inner() {
            byte @ OPEN..DRAW if byte > OPEN => DRAW,
            byte => byte,
        })
        .collect();
    statistics.count(&values);
    statistics.start = Value::from_byte(values[index.rank(start) as usize]);
    Solution {
        index,
        values,
        statistics,
    }
}

/// Finds all positions. Those that are no end get the number of their successors that are none either, or are decided
/// at once: won in 1 by a try (in the first level), lost in 2 where every move leaves the lion to be
/// captured (in the second one).
fn explore(
    index: &Index,
    start: &Board,
    values: &[AtomicU8],
    levels: &[Bits; 2],
    threads: usize,
    progress: &mut dyn FnMut(&str),
) -> Statistics {
    let (seen, open) = (Bits::new(index.all()), Bits::new(index.len()));
    let first = index.rank(start);
    seen.insert(first);
    open.insert(first);
    let mut statistics = Statistics::default();
    let mut by_moves = [0; MOST_MOVES];
    let mut all = 0;
    for round in 1.. {
        let (parts, count) = open.drain(threads, |found: &mut Settled, number| {
            let board = index.unrank(number);
            let mut children = std::mem::take(&mut found.children);
            let decided = children_of(index, &board, found, &seen, &mut children);
            for &child in &children {
                if seen.insert(child) {
                    open.insert(child);
                }
            }
            let value = match decided {
                Some(value) => {
                    levels[usize::from(value) - 1].insert(number);
                    value
                }
                None => OPEN + children.len() as u8,
            };
            values[number as usize].store(value, Relaxed);
            found.children = children;
        });
        for part in parts {
            statistics.catch += part.catch;
            statistics.tried += part.tried;
            statistics.moves += part.moves;
            for (sum, count) in by_moves.iter_mut().zip(part.by_moves) {
                *sum += count;
            }
        }
        if count == 0 {
            break;
        }
        all += count;
        progress(&format!("round {round}: {all} positions found"));
    }
    let most = by_moves.iter().rposition(|&count| count > 0);
    statistics.most_moves = most.unwrap_or(0);
    statistics.with_most_moves = by_moves[statistics.most_moves];
    statistics
}

/// Fills `children` with the numbers of the successors that are no end, each once, and counts the others that were not
/// seen; gives the value of a board that is decided by its moves alone.
#[inline]
fn children_of(
    index: &Index,
    board: &Board,
    found: &mut Settled,
    seen: &Bits,
    children: &mut Vec<u32>,
) -> Option<u8> {
    children.clear();
    let (mut moves, mut wins) = (0, false);
    board.each_after(|child| {
        moves += 1;
        let number = index.rank(&child);
        if child.can_catch() {
            found.catch += u64::from(seen.insert(number));
        } else if child.is_tried() {
            wins = true;
            found.tried += u64::from(seen.insert(number));
        } else {
            children.push(number);
        }
    });
    found.moves += moves as u64;
    if found.by_moves.is_empty() {
        found.by_moves = vec![0; MOST_MOVES];
    }
    found.by_moves[moves] += 1;
    if Index::is_central(board) {
        children.sort_unstable();
        children.dedup();
    }
    if wins {
        Some(1)
    } else {
        children.is_empty().then_some(2)
    }
}

/// Tells the boards before all those of a level that these are decided: before a lost one stands a won one, and
/// before a won one one with a move less to hope for. Returns how many boards the level has.
fn step_back(
    index: &Index,
    values: &[AtomicU8],
    level: &Bits,
    next: &Bits,
    distance: u8,
    threads: usize,
) -> u64 {
    let is_won = distance % 2 == 1;
    let (_, count) = level.drain(threads, |before: &mut Vec<u32>, number| {
        let board = index.unrank(number);
        before.clear();
        board.each_before(|board| before.push(index.rank(&board)));
        if Index::is_central(&board) {
            before.sort_unstable();
            before.dedup();
        }
        for &number in before.iter() {
            let value = &values[number as usize];
            let byte = value.load(Relaxed);
            if byte <= OPEN || byte >= DRAW {
                continue;
            }
            if is_won {
                if value.fetch_sub(1, Relaxed) == OPEN + 1 {
                    value.store(distance + 1, Relaxed);
                    next.insert(number);
                }
            } else {
                value.store(distance + 1, Relaxed);
                next.insert(number);
            }
        }
    });
    count
}
