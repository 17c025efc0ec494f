//! Geister: what a seat may know as planes of its board, and actions by square and direction.

use games::geister::{Colour, GameView, Geister, Ghost, Placement, SQUARES, Square, Turn};
use games::{Game as _, Hidden as _, Seat};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::encoded::{Encoded, Tensor};

/// Planes: the own blue and red ghosts, those of the other side, and each of those, A to H.
const ENEMIES: usize = 2;
const ENEMY: usize = 3;
/// Then planes with one number everywhere: captured ghosts (own blue and red, the enemy's blue and red) / 4,
/// moves / the limit, and whether ghosts are being placed.
const CAPTURED: usize = 11;
const MOVES: usize = 15;
const PLACING: usize = 16;
const PLANES: usize = 17;

/// Steps are numbered before placements: by direction and square.
const STEPS: usize = 4 * SQUARES;

/// The square in a plane: rows count from the own back row.
const fn cell(square: Square) -> usize {
    square.x() as usize + 6 * (5 - square.y() as usize)
}

impl Encoded for Geister {
    const TENSORS: &'static [Tensor] = &[Tensor {
        name: "x",
        shape: &[PLANES, 6, 6],
    }];
    const ACTIONS: usize = STEPS + Placement::ALL.len();
    const MOST_POINTS: f64 = 1.0;

    fn action(&self, turn: Turn) -> usize {
        match turn {
            Turn::Place(placement) => {
                let number = Placement::ALL.binary_search(&placement);
                STEPS + number.expect("all placements are listed, by mask")
            }
            Turn::Step(mv) => {
                let mover = self.to_move().expect("a game with a legal move goes on");
                let position = self.state().expect("ghosts step when all are placed");
                let place = position.place(mover.number(), mv.ghost).square();
                SQUARES * mv.direction as usize + cell(place.expect("a ghost that steps is there"))
            }
        }
    }

    fn observe(&self, seat: Seat, out: &mut [f32]) {
        out.fill(0.0);
        let (planes, _) = out.as_chunks_mut::<SQUARES>();
        match self.view(seat) {
            GameView::Placing { own, .. } => {
                for ghost in own.iter().flat_map(|_| Ghost::ALL) {
                    let red = own.is_some_and(|own| own.is_red(ghost));
                    planes[usize::from(red)][cell(ghost.home())] = 1.0;
                }
                planes[PLACING].fill(1.0);
            }
            GameView::Playing(view) => {
                for ghost in Ghost::ALL {
                    let (place, colour) = view.own(ghost);
                    if let Some(square) = place.square() {
                        planes[colour as usize][cell(square)] = 1.0;
                    }
                    if let Some(square) = view.enemy(ghost).0.square() {
                        planes[ENEMIES][cell(square)] = 1.0;
                        planes[ENEMY + ghost.index()][cell(square)] = 1.0;
                    }
                }
                for (i, colour) in [Colour::Blue, Colour::Red].into_iter().enumerate() {
                    planes[CAPTURED + i].fill(f32::from(view.own_captured(colour)) / 4.0);
                    planes[CAPTURED + 2 + i].fill(f32::from(view.enemy_captured(colour)) / 4.0);
                }
                let limit = view.rules().ply_limit.max(1);
                planes[MOVES].fill((f32::from(view.ply()) / f32::from(limit)).min(1.0));
            }
        }
    }

    fn determinized(&self, seat: Seat, rng: &mut Xoshiro256PlusPlus) -> Self {
        Geister::determinize(&self.view(seat), rng)
    }

    fn drawing(&self) -> String {
        if let Some(position) = self.state() {
            return position.to_string();
        }
        let first = self.position();
        let placed = match first.as_str() {
            "" => String::new(),
            red => format!("seat 0 has placed its red ghosts, {red}; "),
        };
        let seat = usize::from(!first.is_empty());
        format!("{placed}seat {seat} places its ghosts\n")
    }
}
