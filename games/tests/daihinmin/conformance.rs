//! The suite that every game passes.

use taikyoku_games::conformance::{Game, check};
use taikyoku_games::daihinmin::{Meld, Position, Rules, SEATS, View};

use super::dealt;

/// One game with the views of all seats, each following only what it is told.
#[derive(Clone, Debug, PartialEq)]
struct Daihinmin {
    position: Position,
    views: [View; SEATS],
}

impl Daihinmin {
    fn settle(&mut self) {
        if self.position.table.is_stalled() {
            self.position.table.rank_rest(&[]);
            for view in &mut self.views {
                view.table.rank_rest(&[]);
            }
        }
    }
}

impl Game for Daihinmin {
    type Move = Meld;
    type View = View;

    const SEATS: u8 = 5;

    fn fresh(seed: u64) -> Daihinmin {
        let position = dealt(seed, Rules::default());
        Daihinmin {
            position,
            views: std::array::from_fn(|seat| View::at_start(&position, seat as u8)),
        }
    }

    fn to_move(&self) -> Option<u8> {
        (!self.position.table.is_over()).then_some(self.position.table.turn)
    }

    fn legal_moves(&self, out: &mut Vec<Meld>) {
        self.position.legal_moves(out);
    }

    fn play(&mut self, mv: Meld) -> Result<(), String> {
        self.position.play(mv).map_err(|e| e.to_string())?;
        for view in &mut self.views {
            view.follow(mv)
                .map_err(|e| format!("a view refuses: {e}"))?;
        }
        self.settle();
        Ok(())
    }

    fn view(&self, seat: u8) -> View {
        let view = self.views[usize::from(seat)];
        assert_eq!(view.table, self.position.table);
        assert_eq!(view.counts, self.position.counts());
        assert_eq!(view.hand, self.position.hands[usize::from(seat)]);
        view
    }

    fn outcome(&self) -> Option<Vec<f64>> {
        let places = self.position.table.places;
        self.to_move()
            .is_none()
            .then(|| places.iter().map(|&p| 5.0 - f64::from(p)).collect())
    }

    fn max_plies() -> u32 {
        // At most 19 passes between melds, and no more melds than cards.
        54 * 20
    }
}

#[test]
fn daihinmin_conforms() {
    check::<Daihinmin>(1_000);
}
