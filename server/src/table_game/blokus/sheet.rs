//! A game of Blokus as a blksgf file.

use games::blokus::blksgf::{Game, score_comment};
use games::blokus::{Colour, Scoring};

use super::super::{Sheet, TableGame as _};
use super::Blokus;
use record::EndKind;

impl Blokus {
    /// The game with the names of its players; the comment tells what it came to: the format has no
    /// property for that.
    pub(super) fn blksgf(&self, about: &Sheet<'_>) -> Game {
        let mut comment = vec![match self.rules.scoring {
            Scoring::Advanced => score_comment(self.board()),
            Scoring::Squares => {
                let scores = self.scores();
                let squares =
                    Colour::ALL.map(|colour| format!("{colour} {}", scores[colour.index()]));
                format!("Squares: {}", squares.join(", "))
            }
        }];
        if let Some(outcome) = self.outcome() {
            let places = Colour::ALL.map(|colour| {
                let seat = games::Seat::new(colour.seat());
                let (place, points) = (outcome.places[seat] + 1, outcome.points[seat]);
                format!("{colour} {place} ({points:.2})")
            });
            comment.push(format!("Places (points): {}", places.join(", ")));
        }
        let faults = Colour::ALL.into_iter().zip(about.kinds);
        let faults = faults.filter(|(_, kind)| **kind != EndKind::Normal);
        comment.extend(faults.map(|(colour, kind)| format!("{colour} forfeits: {kind}")));
        let text = |text: &str| text.to_owned();
        let mut players = [const { String::new() }; 4];
        for (player, name) in players.iter_mut().zip(about.names) {
            (*name).clone_into(player);
        }
        Game {
            players,
            info: vec![
                (
                    text("AP"),
                    text(concat!("taikyoku:", env!("CARGO_PKG_VERSION"))),
                ),
                (text("EV"), text(about.event)),
                (text("RO"), about.game.to_string()),
                (text("DT"), text(about.date)),
            ],
            comment: comment.join("\n"),
            moves: self.moves().collect(),
            ..Game::default()
        }
    }
}
