//! The suite that every game passes.

use taikyoku_games::conformance::{Game, check};
use taikyoku_games::score_four::{Peg, Position, View};

#[derive(Clone, Debug, PartialEq)]
struct ScoreFour(Position);

impl Game for ScoreFour {
    type Move = Peg;
    type View = View;

    const SEATS: u8 = 2;

    fn fresh(_seed: u64) -> ScoreFour {
        ScoreFour(Position::START)
    }

    fn to_move(&self) -> Option<u8> {
        self.0.to_move()
    }

    fn legal_moves(&self, out: &mut Vec<Peg>) {
        out.clear();
        out.extend(self.0.legal_pegs());
    }

    fn play(&mut self, mv: Peg) -> Result<(), String> {
        self.0.play(mv).map_err(|e| e.to_string())
    }

    fn view(&self, _seat: u8) -> View {
        self.0
    }

    fn outcome(&self) -> Option<Vec<f64>> {
        let end = self.0.end()?;
        Some(match end.winner {
            Some(winner) => (0..2).map(|s| f64::from(u8::from(s == winner))).collect(),
            None => vec![0.5; 2],
        })
    }

    fn max_plies() -> u32 {
        64
    }
}

#[test]
fn score_four_conforms() {
    check::<ScoreFour>(2_000);
}
