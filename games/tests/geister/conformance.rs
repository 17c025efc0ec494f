//! The suite that every game passes.

use taikyoku_games::conformance::{Game, check};
use taikyoku_games::geister::{Color, Move, MoveList, Placement, Position, SEATS, View};

use super::{drawn, rng};

/// One game with the views of both seats, each following only what it is told.
#[derive(Clone, Debug, PartialEq)]
struct Geister {
    position: Position,
    views: [View; SEATS],
}

impl Game for Geister {
    type Move = Move;
    type View = View;

    const SEATS: u8 = 2;

    fn fresh(seed: u64) -> Geister {
        let limit = if seed.is_multiple_of(2) { 200 } else { 300 };
        let position = drawn(&mut rng(seed), limit);
        Geister {
            position,
            views: [0, 1].map(|seat| View::start(seat, position.placement(seat), position.rules())),
        }
    }

    fn to_move(&self) -> Option<u8> {
        self.position.to_move()
    }

    fn legal_moves(&self, out: &mut Vec<Move>) {
        let mut moves = MoveList::new();
        self.position.legal_moves(&mut moves);
        out.clear();
        out.extend_from_slice(&moves);
    }

    fn play(&mut self, mv: Move) -> Result<(), String> {
        let mover = self.position.to_move();
        let played = self.position.play(mv).map_err(|e| e.to_string())?;
        for view in &mut self.views {
            let told: Option<Color> = played
                .captured
                .filter(|_| mover == Some(view.seat()))
                .map(|(_, color)| color);
            view.follow(mv, told)
                .map_err(|e| format!("a view refuses: {e}"))?;
            if self.position.end().is_some() {
                let enemy: Placement = self.position.placement(1 - view.seat());
                view.reveal(enemy).map_err(|e| e.to_string())?;
            }
        }
        Ok(())
    }

    fn view(&self, seat: u8) -> View {
        let view = self.views[usize::from(seat)];
        assert_eq!(view, self.position.view(seat));
        view
    }

    fn outcome(&self) -> Option<Vec<f64>> {
        let end = self.position.end()?;
        Some(match end.winner {
            Some(winner) => (0..2).map(|s| f64::from(u8::from(s == winner))).collect(),
            None => vec![0.5; 2],
        })
    }

    fn max_plies() -> u32 {
        300
    }
}

#[test]
fn geister_conforms() {
    check::<Geister>(1_000);
}
