//! The shape of what a network takes and gives, and how positions and moves come into it.

/// How positions of a game are given to a network, and what it answers.
///
/// A *packed position* is a row of bytes: the bits of the planes, `(plane * height + y) * width + x`, with y = 0 the
/// bottom row, the least significant bit of a byte first and the last byte filled up with zeros; then a byte for each
/// of the constants; then the bits of the globals, in the same way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    /// Its name, as files and command lines have it.
    pub name: &'static str,
    pub game: &'static str,
    /// Counted up when the meaning of anything changes.
    pub version: u32,
    /// Planes of bits.
    pub planes: usize,
    /// Planes after those that hold one number everywhere: a byte of the packed position times this.
    pub constants: &'static [f32],
    /// Bits beside the planes.
    pub globals: usize,
    /// Rows of a plane.
    pub height: usize,
    /// Columns of a plane.
    pub width: usize,
    /// Logits of the policy.
    pub policy: usize,
    /// Seats of the game, each with a value; seat 0 is the one to move, the others follow in turn order.
    pub seats: usize,
    /// Planes of bits that are told of the end of a game, to learn from.
    pub outcomes: usize,
}

impl Layout {
    /// Planes of the input `x`.
    pub const fn channels(&self) -> usize {
        self.planes + self.constants.len()
    }

    /// Legal moves of a position for which frames of self-play have room: all of them, or about as many as a position of
    /// Blokus has in the plies with the most.
    pub const fn moves(&self) -> usize {
        if self.policy < 448 { self.policy } else { 448 }
    }

    pub const fn squares(&self) -> usize {
        self.height * self.width
    }

    /// Bytes of the bits of the planes.
    pub const fn plane_bytes(&self) -> usize {
        (self.planes * self.squares()).div_ceil(8)
    }

    /// Bytes of a packed position.
    pub const fn bytes(&self) -> usize {
        self.plane_bytes() + self.constants.len() + self.globals.div_ceil(8)
    }

    /// Bytes of the outcome of a game.
    pub const fn outcome_bytes(&self) -> usize {
        (self.outcomes * self.squares()).div_ceil(8)
    }

    /// Writes the inputs of one packed position: `x`, channels x height x width numbers, and `g`, one for each
    /// global.
    ///
    /// # Panics
    /// When a length is not that of this layout.
    pub fn expand(&self, packed: &[u8], x: &mut [f32], g: &mut [f32]) {
        assert_eq!(packed.len(), self.bytes(), "bytes of a packed position");
        assert_eq!(x.len(), self.channels() * self.squares(), "length of x");
        assert_eq!(g.len(), self.globals, "length of g");
        let (planes, rest) = packed.split_at(self.plane_bytes());
        let (constants, globals) = rest.split_at(self.constants.len());
        let (bits, levels) = x.split_at_mut(self.planes * self.squares());
        unpack(planes, bits);
        let levels = levels.chunks_exact_mut(self.squares());
        for ((plane, &byte), scale) in levels.zip(constants).zip(self.constants) {
            plane.fill(f32::from(byte) * scale);
        }
        unpack(globals, g);
    }
}

/// The bits of bytes as numbers, 0 or 1.
fn unpack(bytes: &[u8], out: &mut [f32]) {
    for (eight, &byte) in out.chunks_mut(8).zip(bytes) {
        for (i, number) in eight.iter_mut().enumerate() {
            *number = f32::from(byte >> i & 1);
        }
    }
}

#[inline]
pub(crate) fn set(bytes: &mut [u8], bit: usize) {
    bytes[bit / 8] |= 1 << (bit % 8);
}

/// One way to give the positions of a game to a network.
pub trait Encoding {
    type Position;
    type Move: Copy;

    const LAYOUT: Layout;

    /// Writes a position whose game is not over, as the seat to move sees it.
    ///
    /// # Panics
    /// When `packed` does not have [`Layout::bytes`] bytes.
    fn pack(position: &Self::Position, packed: &mut [u8]);

    /// The logit of a move of the seat to move, below [`Layout::policy`].
    fn logit(position: &Self::Position, mv: Self::Move) -> u16;

    /// Writes what became of the game, in the frame of an earlier position of it: [`Layout::outcome_bytes`] bytes,
    /// for layouts that have any.
    fn outcome(_position: &Self::Position, _end: &Self::Position, _packed: &mut [u8]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Layout = Layout {
        name: "small",
        game: "none",
        version: 1,
        planes: 3,
        constants: &[0.5],
        globals: 3,
        height: 1,
        width: 3,
        policy: 1,
        seats: 2,
        outcomes: 0,
    };

    #[test]
    fn bits_constants_and_globals_come_out_in_order() {
        assert_eq!(SMALL.bytes(), 2 + 1 + 1);
        let (mut x, mut g) = ([9.0; 12], [9.0; 3]);
        SMALL.expand(&[0b1010_0001, 1, 3, 0b100], &mut x, &mut g);
        let planes = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0];
        let found = [&x[..], &g].concat();
        let expected = [&planes[..], &[1.5; 3], &[0.0, 0.0, 1.0]].concat();
        let pairs = found.iter().zip(&expected);
        assert!(
            pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-6),
            "{found:?}"
        );
        assert_eq!(found.len(), expected.len());
    }
}
