//! Positions of Blokus.

use std::fmt::Write as _;

use games::blokus::{Colour, Piece};
use games::{Blokus, Game as _};
use serde_json::{Value, json};

use super::frame::{Frame, Show};
use crate::replay::NativeReplay;

impl Show for NativeReplay<Blokus> {
    fn text(frame: &Frame<'_, Self>) -> String {
        let replay = frame.replay;
        let mut text = frame.heading(replay.number, replay.game.ply());
        let scores = replay.game.scores();
        for (&player, colour) in replay.player_at.iter().zip(Colour::ALL) {
            let mark = if replay.mover() == Some(player) {
                '>'
            } else {
                ' '
            };
            let _ = write!(
                text,
                "{mark} {:<6} {:>3}  {}",
                colour.name(),
                scores[colour.index()],
                frame.name(player)
            );
            match out(replay, colour) {
                Some(end) => writeln!(text, ", out: {end}"),
                None => writeln!(text),
            }
            .unwrap_or_default();
        }
        let board = replay.game.board();
        for line in board.to_string().lines() {
            let _ = writeln!(text, "    {line}");
        }
        for colour in Colour::ALL {
            let left: Vec<&str> = board.pieces_left(colour).iter().map(Piece::name).collect();
            let _ = writeln!(text, "    {:<6} left: {}", colour.name(), left.join(" "));
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
            "position": replay.game.position(),
            "board": json!(replay.game)["board"],
            "scores": replay.by_player(&replay.game.scores()),
            "out": Colour::ALL.map(|colour| out(replay, colour)),
            "places": replay.outcome().map(|outcome| replay.by_player(&outcome.places)),
        })
    }
}

/// Why a colour plays no more.
fn out(replay: &NativeReplay<Blokus>, colour: Colour) -> Option<&'static str> {
    let player = replay.player_at[colour.index()];
    if replay.has_forfeited(player) {
        return Some(replay.kinds[usize::from(player)].as_str());
    }
    replay.game.out(colour.at())
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::GameName;
    use games::blokus::Rules as BlokusRules;
    use record::{EndKind, Header, Player, Rebuild, What};

    #[test]
    fn board_scores_and_pieces_are_shown() {
        let players = ["ana", "bo", "cho", "dan"].map(|name| Player {
            name: name.to_owned(),
            client: None,
        });
        let header = Header::new(GameName::Blokus, "m", "native", players.to_vec(), 2);
        let header = header.with_rules(&BlokusRules::default());
        let rules = NativeReplay::<Blokus>::rules(&header).unwrap();
        let begin = What::Begin {
            game: 1,
            seats: vec![1, 2, 3, 0],
            ranks: None,
            hands: Vec::new(),
            position: Some("a20,b20".to_owned()),
        };
        let mut replay = NativeReplay::<Blokus>::begin(&begin, &rules)
            .unwrap()
            .unwrap();
        let what = What::Forfeit {
            player: 2,
            kind: EndKind::Timeout,
            reason: "its time is up".to_owned(),
        };
        replay.apply(&what).unwrap();
        let frame = Frame {
            header: &header,
            replay: &replay,
            what: &what,
        };
        let text = <NativeReplay<Blokus> as Show>::text(&frame);
        let mut lines = text.lines();
        for due in [
            "game 1 of 2, ply 1: 2 cho is out by timeout: its time is up",
            "  blue   -87  1 bo",
            "  yellow -89  2 cho, out: timeout",
            "> red    -89  3 dan",
            "  green  -89  0 ana",
            "    20  B B . . . . . . . . . . . . . . . . . .",
        ] {
            assert_eq!(lines.next(), Some(due), "{text}");
        }
        assert!(text.contains("    blue   left: 1 I3 V3 I4"), "{text}");
        let json = <NativeReplay<Blokus> as Show>::json(&frame);
        assert_eq!(json["position"], "a20,b20;-yellow");
        assert_eq!(json["scores"], json!([-89, -87, -89, -89]));
        assert_eq!(json["out"], json!([null, "timeout", null, null]));
        assert_eq!(json["to-move"], 3);
    }
}
