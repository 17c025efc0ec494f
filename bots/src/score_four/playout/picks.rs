//! Random pegs, sixteen bits of randomness at a time.

use games::score_four::Peg;
use rand::Rng;

/// Draws numbers of pegs from words of 64 random bits.
pub(super) struct Picks<'a, R> {
    rng: &'a mut R,
    /// Random bits below a 1 that marks their end.
    bits: u64,
}

impl<'a, R: Rng> Picks<'a, R> {
    #[inline]
    pub(super) fn new(rng: &'a mut R) -> Self {
        Self { rng, bits: 1 }
    }

    /// `N` random bits, `N` at most 60.
    #[inline]
    pub(super) fn bits<const N: u32>(&mut self) -> u64 {
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
    pub(super) fn square(&mut self, rests: u64) -> u64 {
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
    pub(super) fn among(&mut self, squares: u64) -> u64 {
        let turn = self.bits::<6>() as u32;
        let turned = squares.rotate_right(turn);
        (turned & turned.wrapping_neg()).rotate_left(turn)
    }
}
