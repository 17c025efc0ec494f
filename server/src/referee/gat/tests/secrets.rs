//! A seat is told the same whatever it cannot know.

use games::geister::MoveList;
use proptest::prelude::*;

use super::*;

/// The lines of a random game up to so many moves, with the position that they lead to.
fn game(placements: [Placement; 2], plies: usize, mut seed: u64) -> (Vec<(u8, Move)>, Position) {
    let mut position = Position::new(placements, Rules { ply_limit: 200 });
    let (mut played, mut moves) = (Vec::new(), MoveList::new());
    while let Some(seat) = position.to_move()
        && played.len() < plies
    {
        position.legal_moves(&mut moves);
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let mv = moves[(seed >> 33) as usize % moves.len()];
        let mut next = position;
        next.play_unchecked(mv);
        if next.end().is_some() {
            break;
        }
        played.push((seat, mv));
        position = next;
    }
    (played, position)
}

/// All that `seat` is sent in a game of these moves.
fn sent_to(seat: u8, placements: [Placement; 2], moves: &[(u8, Move)]) -> Vec<String> {
    let mut bench = Bench::new(settings());
    let mut lines = Vec::new();
    for other in [0, 1] {
        lines.extend(bench.says(
            other,
            &format!("SET:{}\r\n", placements[usize::from(other)]),
        ));
    }
    for &(mover, mv) in moves {
        lines.extend(bench.says(mover, &format!("MOV:{mv}\r\n")));
    }
    lines.retain(|line| line.starts_with(char::from(b'0' + seat)));
    lines
}

proptest! {
    #[test]
    fn colours_that_a_seat_cannot_know_change_no_byte_sent_to_it(
        (first, second) in (0_usize..70, 0_usize..70),
        plies in 0_usize..120,
        seed: u64,
        seat in 0_u8..2,
    ) {
        let placements = [Placement::ALL[first], Placement::ALL[second]];
        let (moves, position) = game(placements, plies, seed);
        let lines = sent_to(seat, placements, &moves);
        prop_assert!(lines.iter().all(|line| !line.contains("NG")));
        let view = position.view(seat);
        let mut others = 0;
        for placement in view.placements() {
            let mut permuted = placements;
            permuted[usize::from(1 - seat)] = placement;
            prop_assert_eq!(&sent_to(seat, permuted, &moves), &lines);
            others += 1;
        }
        prop_assert!(others >= 1);
    }
}
