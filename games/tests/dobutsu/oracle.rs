//! The rules once more, slowly: ranks of letters as seat 0 sees them, `L G E C H` of seat 0 and `l g e c h` of seat 1
//! (`H` is a hen), and hands as strings.

use taikyoku_games::dobutsu::{PieceKind, Position, Square};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Oracle {
    pub(super) ranks: Vec<Vec<char>>,
    pub(super) hands: [String; 2],
    pub(super) seat: usize,
    pub(super) any_try: bool,
    pub(super) free_promotion: bool,
}

/// Steps of a piece of seat 0: to the right and down.
fn ways(piece: char) -> &'static [(i32, i32)] {
    match piece {
        'L' => &[
            (-1, -1),
            (0, -1),
            (1, -1),
            (-1, 0),
            (1, 0),
            (-1, 1),
            (0, 1),
            (1, 1),
        ],
        'G' => &[(0, -1), (-1, 0), (1, 0), (0, 1)],
        'E' => &[(-1, -1), (1, -1), (-1, 1), (1, 1)],
        'C' => &[(0, -1)],
        'H' => &[(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (0, 1)],
        _ => panic!("no piece {piece}"),
    }
}

fn is_of(piece: char, seat: usize) -> bool {
    piece != '.' && piece.is_ascii_uppercase() == (seat == 0)
}

/// A letter as a piece of a seat.
fn of(piece: char, seat: usize) -> char {
    if seat == 0 {
        piece.to_ascii_uppercase()
    } else {
        piece.to_ascii_lowercase()
    }
}

fn named(x: usize, y: usize) -> String {
    format!("{}{}", 3 - x, ["a", "b", "c", "d"][y])
}

impl Oracle {
    pub(super) fn start() -> Oracle {
        let ranks = ["gle", ".c.", ".C.", "ELG"].map(|rank| rank.chars().collect());
        Oracle {
            ranks: ranks.to_vec(),
            hands: [String::new(), String::new()],
            seat: 0,
            any_try: false,
            free_promotion: false,
        }
    }

    pub(super) fn of(position: &Position) -> Oracle {
        let mut ranks = vec![vec!['.'; 3]; 4];
        for square in Square::ALL {
            if let Some((kind, seat)) = position.piece(square) {
                let letter = if kind == PieceKind::Hen {
                    'H'
                } else {
                    kind.letter()
                };
                ranks[usize::from(square.y())][usize::from(square.x())] = of(letter, seat.into());
            }
        }
        let hand = |seat: u8| {
            let pieces = PieceKind::HELD.into_iter();
            pieces
                .flat_map(|kind| (0..position.hand(seat, kind)).map(move |_| kind.letter()))
                .collect()
        };
        Oracle {
            ranks,
            hands: [hand(0), hand(1)],
            seat: position.turn().into(),
            any_try: position.variant().any_try,
            free_promotion: position.variant().free_promotion,
        }
    }

    fn squares_with(&self, piece: char) -> Vec<(usize, usize)> {
        let all = (0..4).flat_map(|y| (0..3).map(move |x| (x, y)));
        all.filter(|&(x, y)| self.ranks[y][x] == piece).collect()
    }

    fn steps(&self, seat: usize) -> Vec<((usize, usize), (usize, usize))> {
        let mut steps = Vec::new();
        for y in 0..4 {
            for x in 0..3 {
                let piece = self.ranks[y][x];
                if !is_of(piece, seat) {
                    continue;
                }
                for (right, down) in ways(piece.to_ascii_uppercase()) {
                    let down = if seat == 0 { *down } else { -down };
                    let (to_x, to_y) = (x as i32 + right, y as i32 + down);
                    if (0..3).contains(&to_x) && (0..4).contains(&to_y) {
                        let to = (to_x as usize, to_y as usize);
                        if !is_of(self.ranks[to.1][to.0], seat) {
                            steps.push(((x, y), to));
                        }
                    }
                }
            }
        }
        steps
    }

    /// Whether a seat could capture the other's lion if it were to move.
    pub(super) fn can_catch(&self, seat: usize) -> bool {
        let lion = of('L', 1 - seat);
        let mut steps = self.steps(seat).into_iter();
        steps.any(|(_, (x, y))| self.ranks[y][x] == lion)
    }

    pub(super) fn end(&self) -> Option<(usize, &'static str)> {
        let (me, other) = (self.seat, 1 - self.seat);
        let far = |seat: usize| if seat == 0 { 0 } else { 3 };
        let tried = |seat: usize| {
            let lions = self.squares_with(of('L', seat));
            lions.iter().any(|&(_, y)| y == far(seat))
        };
        if self.squares_with(of('L', me)).is_empty() {
            return Some((other, "catch"));
        }
        if tried(me) {
            return Some((me, "try"));
        }
        if tried(other) && (self.any_try || !self.can_catch(me)) {
            return Some((other, "try"));
        }
        self.all_moves().is_empty().then_some((other, "no-moves"))
    }

    /// Legal moves in USI, sorted.
    pub(super) fn moves(&self) -> Vec<String> {
        if self.end().is_some() {
            return Vec::new();
        }
        let mut moves = self.all_moves();
        moves.sort();
        moves
    }

    fn all_moves(&self) -> Vec<String> {
        let far = if self.seat == 0 { 0 } else { 3 };
        let mut moves = Vec::new();
        for ((x, y), (to_x, to_y)) in self.steps(self.seat) {
            let step = named(x, y) + &named(to_x, to_y);
            let promotes = self.ranks[y][x] == of('C', self.seat) && to_y == far;
            if promotes {
                moves.push(step.clone() + "+");
            }
            if !promotes || self.free_promotion {
                moves.push(step);
            }
        }
        for (x, y) in self.squares_with('.') {
            for piece in ['G', 'E', 'C'] {
                if self.hands[self.seat].contains(piece) {
                    moves.push(format!("{piece}*{}", named(x, y)));
                }
            }
        }
        moves
    }

    pub(super) fn after(&self, mv: &str) -> Oracle {
        let at = |text: &str| {
            let letters: Vec<char> = text.chars().collect();
            let x = 3 - letters[0].to_digit(10).unwrap() as usize;
            (x, letters[1] as usize - 'a' as usize)
        };
        let mut next = self.clone();
        let seat = self.seat;
        if let Some((piece, to)) = mv.split_once('*') {
            let (x, y) = at(to);
            next.hands[seat] = self.hands[seat].replacen(piece, "", 1);
            next.ranks[y][x] = of(piece.chars().next().unwrap(), seat);
        } else {
            let ((x, y), (to_x, to_y)) = (at(&mv[..2]), at(&mv[2..4]));
            let mut piece = self.ranks[y][x];
            if mv.ends_with('+') {
                piece = of('H', seat);
            }
            match self.ranks[to_y][to_x].to_ascii_uppercase() {
                '.' | 'L' => {}
                'H' => next.hands[seat].push('C'),
                taken => next.hands[seat].push(taken),
            }
            next.ranks[y][x] = '.';
            next.ranks[to_y][to_x] = piece;
        }
        next.seat = 1 - seat;
        next
    }

    /// Number of sequences of `depth` moves.
    pub(super) fn perft(&self, depth: usize) -> u64 {
        if depth == 0 {
            return 1;
        }
        let moves = self.moves();
        moves.iter().map(|mv| self.after(mv).perft(depth - 1)).sum()
    }
}
