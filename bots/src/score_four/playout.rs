//! Ways to play a game out: by important squares, and uniformly at random.

use games::score_four::{LINE_COUNT, LINES, Peg, Position, SQUARES, THROUGH};
use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::search::{Playout, Rewards, two_seats};

/// Rows for the lines, as many as a `u8` can name.
const ROWS: usize = 256;

/// Numbers and squares of the lines through each square, 4 or 7.
static AT: [[(u64, u8); 7]; SQUARES] = {
    let mut table = [[(0, 0); 7]; SQUARES];
    let mut square = 0;
    while square < SQUARES {
        let (mut n, mut line) = (0, 0);
        while line < LINE_COUNT {
            if LINES[line] >> square & 1 == 1 {
                table[square][n] = (LINES[line], line as u8);
                n += 1;
            }
            line += 1;
        }
        square += 1;
    }
    table
};

/// The squares with 7 lines.
const SEVEN: u64 = {
    let (mut set, mut square) = (0, 0);
    while square < SQUARES {
        if AT[square][6].0 != 0 {
            set |= 1 << square;
        }
        square += 1;
    }
    set
};

/// What a ball does to half the importance of a line's squares.
const NOTHING: u8 = 0;
const ADD_1: u8 = 1;
const ADD_2: u8 = 2;
const TAKE_1: u8 = 3;
const TAKE_2: u8 = 4;
const TAKE_4: u8 = 5;
const WIN: u8 = 6;

/// By seat and balls of both on the line, `seat 0 + 4 (seat 1)`.
static CHANGE: [[u8; 256]; 2] = {
    let mut table = [[NOTHING; 256]; 2];
    let mut own = 0;
    while own < 4 {
        let only = [NOTHING, ADD_1, ADD_2, WIN];
        let enemy = [NOTHING, TAKE_1, TAKE_2, TAKE_4];
        table[0][own] = only[own];
        table[1][4 * own] = only[own];
        if own > 0 {
            table[0][4 * own] = enemy[own];
            table[1][own] = enemy[own];
        }
        own += 1;
    }
    table
};

/// Importance of all squares, kept up to date ball by ball.
///
/// The importance of an empty square is the sum, over the lines through it, of the product of the values
/// of the line's squares: as Maker an own ball is worth 2, an empty square 1, an opponent's ball 0; as
/// Breaker an opponent's ball 2 and an own ball 0. The sum of both is the same for both seats: a line with
/// balls of one seat only counts 2^balls, an empty line 1 + 1, a line with balls of both 0.
///
/// All terms are even, so half of the importance is kept: up to 7 lines of 4, five bits. The bits are kept
/// across squares, the lowest ones of all 64 squares in one word and so on, so that a ball changes the
/// squares on all its lines at once and the largest is found in five steps.
#[derive(Clone, Copy, Debug)]
pub struct Importance {
    /// Bit `k` of half the importance of all squares. That of squares with a ball means nothing.
    bits: [u64; 5],
    /// Balls on each line, `seat 0 + 4 (seat 1)`.
    balls: [u8; ROWS],
}

impl Default for Importance {
    fn default() -> Self {
        let mut bits = [0; 5];
        for line in LINES {
            add(&mut bits, [line, 0, 0], [0; 3]);
        }
        Self {
            bits,
            balls: [0; ROWS],
        }
    }
}

/// Adds 1, 2, 4 to the numbers at the squares of `more` and takes the same from those of `less`. No square
/// is in two of the six sets.
#[inline]
fn add(bits: &mut [u64; 5], more: [u64; 3], less: [u64; 3]) {
    let (mut carry, mut borrow) = (0, 0);
    for (k, word) in bits.iter_mut().enumerate() {
        if k < 3 {
            carry |= more[k];
            borrow |= less[k];
        }
        let old = *word;
        *word ^= carry | borrow;
        carry &= old;
        borrow &= !old;
    }
}

impl Importance {
    pub fn of(position: &Position) -> Self {
        let mut importance = Self::default();
        importance.drop_all(position, &Position::START);
        importance
    }

    /// Drops the balls that `position` has more than `before`.
    fn drop_all(&mut self, position: &Position, before: &Position) {
        for seat in 0..2 {
            let mut balls = position.balls(seat) & !before.balls(seat);
            while balls != 0 {
                self.drop(usize::from(seat), balls.trailing_zeros());
                balls &= balls - 1;
            }
        }
    }

    /// Books a ball of `seat` on a square (the number of its bit); whether it completes a line.
    #[inline]
    fn drop(&mut self, seat: usize, square: u32) -> bool {
        let seat = seat & 1;
        let change = &CHANGE[seat];
        let step = 1 + 3 * seat as u8;
        let mut changed = [0_u64; 8];
        let mut through = |lines: &[(u64, u8)]| {
            for &(line, row) in lines {
                let balls = &mut self.balls[usize::from(row)];
                changed[usize::from(change[usize::from(*balls)] & 7)] |= line;
                *balls += step;
            }
        };
        let (four, three) = AT[square as usize & 63].split_at(4);
        through(four);
        if SEVEN >> (square & 63) & 1 == 1 {
            through(three);
        }
        let at = |change: u8| changed[usize::from(change)];
        add(
            &mut self.bits,
            [at(ADD_1), at(ADD_2), 0],
            [at(TAKE_1), at(TAKE_2), at(TAKE_4)],
        );
        at(WIN) != 0
    }

    /// Those of the squares that have the largest importance.
    #[inline]
    pub fn largest(&self, mut squares: u64) -> u64 {
        for word in self.bits.iter().rev() {
            let with = squares & word;
            squares = if with == 0 { squares } else { with };
        }
        squares
    }

    /// The importance of an empty square (the number of its bit, 0 to 63): Maker's and Breaker's
    /// together, 0 to 56.
    pub fn at(&self, square: u32) -> u32 {
        let bit = |k: usize| (self.bits[k] >> (square & 63) & 1) as u32;
        (0..5).map(|k| bit(k) << (k + 1)).sum()
    }
}

/// Playouts that prefer important squares: with probability 1/2 a seat plays the legal square with the
/// largest [`Importance`], otherwise a uniformly random one. That of the root of a search is kept ready.
///
/// Source of the weights: P. Erdős and J. L. Selfridge, "On a combinatorial game", Journal of Combinatorial
/// Theory A 14 (1973) 298-301.
#[derive(Clone, Debug, Default)]
pub struct ErdosSelfridge {
    root: Position,
    importance: Importance,
}

impl ErdosSelfridge {
    /// Plays to the end: the reward of seat 0, and the balls on the board then.
    #[inline]
    pub fn play(&self, position: &Position, rng: &mut impl Rng) -> (f64, u32) {
        let Some(first) = position.to_move() else {
            return (0.5, 64);
        };
        let follows = |seat| self.root.balls(seat) & !position.balls(seat) == 0;
        let mut importance = if follows(0) && follows(1) {
            let mut importance = self.importance;
            importance.drop_all(position, &self.root);
            importance
        } else {
            Importance::of(position)
        };
        let mut picks = Picks::new(rng);
        let mut seat = usize::from(first);
        let mut rests = position.rests();
        let mut plies = u32::from(position.ply());
        while rests != 0 {
            let any = picks.square(rests);
            let greedy = picks.among(importance.largest(rests));
            // No branch: it could not be foretold.
            let chosen = (picks.bits::<1>()).wrapping_neg();
            let ball = any & !chosen | greedy & chosen;
            rests ^= ball ^ ball << 16;
            plies += 1;
            if importance.drop(seat, ball.trailing_zeros()) {
                return (if seat == 0 { 1.0 } else { 0.0 }, plies);
            }
            seat ^= 1;
        }
        (0.5, 64)
    }
}

impl Playout<Position> for ErdosSelfridge {
    fn begin(&mut self, root: &Position) {
        self.root = *root;
        self.importance = Importance::of(root);
    }

    #[inline]
    fn run(&mut self, position: &Position, rng: &mut Xoshiro256PlusPlus) -> Rewards {
        two_seats(self.play(position, rng).0)
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

/// Whether the squares contain a line through the one square of `ball`.
#[inline]
fn completes(own: u64, ball: u64) -> bool {
    let missing = !own;
    let lines = &THROUGH[ball.trailing_zeros() as usize & 63];
    let mut complete = false;
    for line in lines {
        complete |= line & missing == 0;
    }
    complete
}

impl Uniform {
    /// Plays to the end: the reward of seat 0, and the balls on the board then.
    #[inline]
    pub fn play(position: &Position, rng: &mut impl Rng) -> (f64, u32) {
        let Some(first) = position.to_move() else {
            return (0.5, 64);
        };
        let mut picks = Picks::new(rng);
        let mut own = position.balls(first);
        let mut other = position.balls(1 - first);
        let mut rests = position.rests();
        loop {
            let ball = picks.square(rests);
            rests ^= ball ^ ball << 16;
            own |= ball;
            if completes(own, ball) {
                // Seat 0 drops the first ball, the third, ...
                let balls = (own | other).count_ones();
                return (f64::from(balls & 1), balls);
            }
            if rests == 0 {
                return (0.5, 64);
            }
            (own, other) = (other, own);
        }
    }
}

impl Playout<Position> for Uniform {
    #[inline]
    fn run(&mut self, position: &Position, rng: &mut Xoshiro256PlusPlus) -> Rewards {
        two_seats(Self::play(position, rng).0)
    }
}

/// Draws numbers of pegs from words of 64 random bits, sixteen bits at a time.
struct Picks<'a, R> {
    rng: &'a mut R,
    /// Random bits below a 1 that marks their end.
    bits: u64,
}

impl<'a, R: Rng> Picks<'a, R> {
    #[inline]
    fn new(rng: &'a mut R) -> Self {
        Self { rng, bits: 1 }
    }

    /// `N` random bits, `N` at most 60.
    #[inline]
    fn bits<const N: u32>(&mut self) -> u64 {
        if self.bits >> N == 0 {
            self.bits = self.rng.next_u64() >> 4 | 1 << 60;
        }
        let bits = self.bits & ((1 << N) - 1);
        self.bits >>= N;
        bits
    }

    /// One of the squares where a ball may rest, each with the same chance. There must be one, at most
    /// one to a peg.
    #[inline]
    fn square(&mut self, rests: u64) -> u64 {
        loop {
            let square = rests & Peg::under(self.bits::<4>() as u32).column();
            if square != 0 {
                return square;
            }
        }
    }

    /// One of the squares, of which there must be some: the first from a random square on. Squares after
    /// a long gap come more often.
    #[inline]
    fn among(&mut self, squares: u64) -> u64 {
        let turn = self.bits::<6>() as u32;
        let turned = squares.rotate_right(turn);
        (turned & turned.wrapping_neg()).rotate_left(turn)
    }
}
