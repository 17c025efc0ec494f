//! Kinds of threats on squares that cannot be played yet.
//!
//! On each peg the lowest threat of either seat decides what those above it are worth: nobody likes to play
//! just below a threat of the other seat. Levels are counted from 0.

/// Kinds of threats.
pub(crate) const THREATS: usize = 17;

const LEVEL: u64 = 0xffff;

/// How many threats of each kind there are, for threats of seats 0 and 1 and the squares with balls.
///
/// 0..3: pegs whose lowest threat is seat 0's, on level 1, 2, 3; 3..6: seat 1's; 6..9: a square both want;
/// 9 and 10: squares above one another that both win for seat 0 (1); 11..14 and 14..17: threats of seat
/// 0 (1) higher up, by level.
#[inline]
pub(crate) fn threat_counts(threats: [u64; 2], taken: u64) -> [i32; THREATS] {
    let [first, second] = threats.map(|squares| squares & !taken);
    let any = first | second;
    let lowest = any & !(any << 16 | any << 32 | any << 48);
    let by_level =
        |squares: u64| [1, 2, 3].map(|level| (squares >> (16 * level) & LEVEL).count_ones() as i32);
    let mut counts = [0; THREATS];
    counts[0..3].copy_from_slice(&by_level(lowest & first & !second));
    counts[3..6].copy_from_slice(&by_level(lowest & second & !first));
    counts[6..9].copy_from_slice(&by_level(lowest & first & second));
    counts[9] = (first & first << 16).count_ones() as i32;
    counts[10] = (second & second << 16).count_ones() as i32;
    counts[11..14].copy_from_slice(&by_level(first & !lowest));
    counts[14..17].copy_from_slice(&by_level(second & !lowest));
    counts
}
