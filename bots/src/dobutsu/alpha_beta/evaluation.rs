//! What a position is worth that the search does not look beyond.

use games::dobutsu::{Board, PieceKind};

/// Hundredths of a chick on the board, by the number of the kind; the lion is beyond price.
const ON_BOARD: [i32; 5] = [0, 260, 230, 100, 330];
/// In hand, where a piece may come down anywhere.
const IN_HAND: [i32; 5] = [0, 300, 270, 140, 0];
/// A chick on the far rank never moves again.
const STUCK: i32 = -70;
const TEMPO: i32 = 60;
/// A square beside the enemy lion that is attacked, by the number of the attacking pieces' squares.
const BESIDE_LION: i32 = 22;
/// A square to which the lion can step without being caught.
const FLIGHT: i32 = 14;
const REACH: i32 = 4;
/// A rank of the lion's way to its try, by how far it has come.
const WAY: [i32; 4] = [0, 110, 45, 0];
/// The lion on the third rank, with a square ahead that nothing attacks.
const OPEN_TRY: i32 = 120;

/// The squares that the mover's pieces step to, whatever stands there.
fn reach(board: &Board) -> u16 {
    let mut all = 0;
    for kind in PieceKind::ALL {
        let mut from = board.own(kind);
        while from != 0 {
            all |= kind.steps(from.trailing_zeros() as usize);
            from &= from - 1;
        }
    }
    all
}

/// The same squares as the other side sees them.
const fn turned(mask: u16) -> u16 {
    mask.reverse_bits() >> 4
}

/// What the mover has, given what both sides reach as the mover sees it.
fn side(board: &Board, own: u16, enemy: u16) -> i32 {
    let mut sum = 0;
    for kind in [
        PieceKind::Giraffe,
        PieceKind::Elephant,
        PieceKind::Chick,
        PieceKind::Hen,
    ] {
        sum += ON_BOARD[kind as usize] * board.own(kind).count_ones() as i32;
        sum += IN_HAND[kind as usize] * i32::from(board.own_hand(kind));
    }
    sum += STUCK * (board.own(PieceKind::Chick) & 0b111).count_ones() as i32;
    sum += REACH * own.count_ones() as i32;
    let lion = board.own(PieceKind::Lion).trailing_zeros() as usize;
    let target = board.enemy(PieceKind::Lion).trailing_zeros() as usize;
    if lion < 12 && target < 12 {
        let beside = PieceKind::Lion.steps(target);
        sum += BESIDE_LION * (beside & own).count_ones() as i32;
        let taken = PieceKind::ALL
            .iter()
            .fold(0, |all, &kind| all | board.own(kind));
        let flights = PieceKind::Lion.steps(lion) & !taken & !enemy;
        sum += FLIGHT * flights.count_ones() as i32;
        sum += WAY[lion / 3];
        if lion / 3 == 1 && flights & 0b111 != 0 {
            sum += OPEN_TRY;
        }
    }
    sum
}

/// The value for the mover, in hundredths of a chick.
pub(super) fn evaluate(board: &Board) -> i32 {
    let other = board.turned();
    let (own, enemy) = (reach(board), reach(&other));
    side(board, own, turned(enemy)) - side(&other, enemy, turned(own)) + TEMPO
}

#[cfg(test)]
mod tests {
    use games::dobutsu::Position;

    use super::*;

    #[test]
    fn sides_and_mirror_images_are_worth_the_same() {
        for text in ["startpos", "gl1/1e1/3/ELG b Cc 1", "1lg/2+C/1Le/3 w GEc 1"] {
            let board = *text.parse::<Position>().expect(text).board();
            let value = evaluate(&board);
            assert_eq!(evaluate(&board.mirrored()), value, "{text}");
            assert_eq!(evaluate(&board.turned()) - TEMPO, TEMPO - value, "{text}");
        }
    }
}
