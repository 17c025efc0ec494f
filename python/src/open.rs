//! The open games, in the layouts of the networks (`models/LAYOUTS.md`), as any seat sees them.

use games::blokus::Colour;
use games::{Blokus, Dobutsu, Game as _, ScoreFour, Seat};
use models::{Encoding, Layout, blokus, dobutsu, score_four};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::encoded::{Encoded, Tensor};

const SCORE_FOUR: Layout = <score_four::ScoreFour as Encoding>::LAYOUT;
const DOBUTSU: Layout = <dobutsu::Dobutsu as Encoding>::LAYOUT;
const BLOKUS: Layout = <blokus::Fast as Encoding>::LAYOUT;

const fn planes(layout: &Layout) -> [usize; 3] {
    [layout.channels(), layout.height, layout.width]
}

impl Encoded for ScoreFour {
    const TENSORS: &'static [Tensor] = &[Tensor {
        name: "x",
        shape: &planes(&SCORE_FOUR),
    }];
    const ACTIONS: usize = SCORE_FOUR.policy;
    const MOST_POINTS: f64 = 1.0;

    fn action(&self, mv: Self::Move) -> usize {
        score_four::ScoreFour::logit(self.board(), mv).into()
    }

    fn observe(&self, seat: Seat, out: &mut [f32]) {
        let mut packed = [0; SCORE_FOUR.bytes()];
        score_four::ScoreFour::pack(self.board(), &mut packed);
        SCORE_FOUR.expand(&packed, out, &mut []);
        // The layout shows the seat to move first, and seat 0 when the game is over.
        if self.to_move().unwrap_or_default() != seat {
            out.rotate_left(out.len() / 2);
        }
    }

    fn determinized(&self, _: Seat, _: &mut Xoshiro256PlusPlus) -> Self {
        self.clone()
    }

    fn drawing(&self) -> String {
        format!("{:#}", self.board())
    }
}

impl Encoded for Dobutsu {
    const TENSORS: &'static [Tensor] = &[Tensor {
        name: "x",
        shape: &planes(&DOBUTSU),
    }];
    const ACTIONS: usize = DOBUTSU.policy;
    const MOST_POINTS: f64 = 1.0;

    fn action(&self, mv: Self::Move) -> usize {
        let position = self.board();
        dobutsu::Dobutsu::logit(position.board(), position.framed(mv)).into()
    }

    fn observe(&self, seat: Seat, out: &mut [f32]) {
        let position = self.board();
        let mut packed = [0; DOBUTSU.bytes()];
        dobutsu::Dobutsu::pack(position.board(), &mut packed);
        DOBUTSU.expand(&packed, out, &mut []);
        if position.turn() != seat.number() {
            let (pieces, hands) = out.split_at_mut(DOBUTSU.planes * DOBUTSU.squares());
            pieces.rotate_left(DOBUTSU.planes / 2 * DOBUTSU.squares());
            for plane in pieces.chunks_exact_mut(DOBUTSU.squares()) {
                plane.reverse();
            }
            hands.rotate_left(hands.len() / 2);
        }
    }

    fn determinized(&self, _: Seat, _: &mut Xoshiro256PlusPlus) -> Self {
        self.clone()
    }

    fn drawing(&self) -> String {
        format!("{:#}", self.board())
    }
}

impl Encoded for Blokus {
    const TENSORS: &'static [Tensor] = &[
        Tensor {
            name: "x",
            shape: &planes(&BLOKUS),
        },
        Tensor {
            name: "g",
            shape: &[BLOKUS.globals],
        },
    ];
    const ACTIONS: usize = BLOKUS.policy;
    const MOST_POINTS: f64 = 1.0;

    fn action(&self, mv: Self::Move) -> usize {
        let mover = self.board().to_move().unwrap_or(Colour::BLUE);
        blokus::Fast::logit_for(mover, mv).into()
    }

    fn observe(&self, seat: Seat, out: &mut [f32]) {
        let mut packed = [0; BLOKUS.bytes()];
        blokus::Fast::pack_for(self.board(), Colour::ALL[seat.index()], &mut packed);
        let (x, g) = out.split_at_mut(BLOKUS.channels() * BLOKUS.squares());
        BLOKUS.expand(&packed, x, g);
    }

    fn determinized(&self, _: Seat, _: &mut Xoshiro256PlusPlus) -> Self {
        self.clone()
    }

    fn drawing(&self) -> String {
        format!("{}\n", self.board())
    }
}
