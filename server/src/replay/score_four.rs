//! Positions of 3D four-in-a-row.

use std::fmt::Write as _;

use games::{Game as _, ScoreFour};
use serde_json::{Value, json};

use super::frame::{Frame, Show};
use crate::replay::NativeReplay;

impl Show for NativeReplay<ScoreFour> {
    fn text(frame: &Frame<'_, Self>) -> String {
        let replay = frame.replay;
        let mut text = frame.heading(replay.number, replay.game.ply());
        let to_move = replay.mover();
        for (&player, ball) in replay.player_at.iter().zip(["x", "o"]) {
            let mark = if to_move == Some(player) { '>' } else { ' ' };
            let out = if replay.has_forfeited(player) {
                ", forfeits"
            } else {
                ""
            };
            let _ = writeln!(text, "{mark} {ball} {}{out}", frame.name(player));
        }
        for line in format!("{:#}", replay.game.board()).lines() {
            let _ = writeln!(text, "    {}", line.trim_end());
        }
        text
    }

    fn json(frame: &Frame<'_, Self>) -> Value {
        let replay = frame.replay;
        json!({
            "game": replay.number,
            "ply": replay.game.ply(),
            "what": frame.what,
            "seats": replay.player_at,
            "to-move": replay.mover(),
            "moves": replay.game.position(),
            "board": replay.game.board().to_string(),
            "places": replay.outcome().map(|outcome| replay.by_player(&outcome.places)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::GameName;
    use games::score_four::Rules as ScoreFourRules;
    use record::{Header, Player, Rebuild, What};

    #[test]
    fn the_four_levels_are_drawn_side_by_side() {
        let players = ["ana", "bo"].map(|name| Player {
            name: name.to_owned(),
            client: None,
        });
        let header = Header::new(GameName::ScoreFour, "m", "native", players.to_vec(), 2);
        let header = header.with_rules(&ScoreFourRules {});
        let rules = NativeReplay::<ScoreFour>::rules(&header).unwrap();
        let begin = What::Begin {
            game: 2,
            seats: vec![1, 0],
            ranks: None,
            hands: Vec::new(),
            position: None,
        };
        let mut replay = NativeReplay::<ScoreFour>::begin(&begin, &rules)
            .unwrap()
            .unwrap();
        replay.apply(&What::play(1, "b3")).unwrap();
        let what = What::play(0, "b3");
        replay.apply(&what).unwrap();
        let frame = Frame {
            header: &header,
            replay: &replay,
            what: &what,
        };
        let due = "\
game 2 of 2, ply 2: 0 ana plays b3
> x 1 bo
  o 0 ana
       level 1   level 2   level 3   level 4
    4  . . . .   . . . .   . . . .   . . . .
    3  . x . .   . o . .   . . . .   . . . .
    2  . . . .   . . . .   . . . .   . . . .
    1  . . . .   . . . .   . . . .   . . . .
       a b c d   a b c d   a b c d   a b c d
";
        assert_eq!(<NativeReplay<ScoreFour> as Show>::text(&frame), due);
        let json = <NativeReplay<ScoreFour> as Show>::json(&frame);
        assert_eq!(
            (&json["moves"], &json["to-move"]),
            (&json!("b3b3"), &json!(1))
        );
    }
}
