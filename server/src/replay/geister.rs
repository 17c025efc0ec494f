//! Positions of Geister.

use std::fmt::Write as _;

use games::geister::{Color, Ghost, Place, Position, SEATS};
use serde_json::{Value, json};

use super::frame::{Frame, Show};
use record::GeisterReplay;

impl Show for GeisterReplay {
    fn text(frame: &Frame<'_, GeisterReplay>) -> String {
        let replay = frame.replay;
        let mut text = frame.heading(replay.game, replay.plies);
        let to_move = to_move(replay);
        let [bottom, top] = replay.player_at;
        let _ = writeln!(text, "{}", side(frame, 1, top, to_move));
        match &replay.position {
            Some(position) => {
                for row in drawing(position) {
                    let _ = writeln!(text, "    {}", row.join(" ").trim_end());
                }
            }
            None => text.push_str("    (not set up)\n"),
        }
        let _ = writeln!(text, "{}", side(frame, 0, bottom, to_move));
        text
    }

    fn json(frame: &Frame<'_, GeisterReplay>) -> Value {
        let replay = frame.replay;
        let board = replay
            .position
            .as_ref()
            .map(|position| drawing(position).map(|row| row.concat().trim_end().to_owned()));
        let mut setups: [Option<String>; SEATS] = [None, None];
        for (seat, placement) in replay.placements.iter().enumerate() {
            let player = usize::from(replay.player_at[seat]);
            setups[player] = placement.map(|p| p.to_string());
        }
        json!({
            "game": replay.game,
            "ply": replay.plies,
            "what": frame.what,
            "seats": replay.player_at,
            "to-move": to_move(replay),
            "setups": setups,
            "board": board,
            "places": replay.places(),
        })
    }
}

/// The player to move; none before the set-up and after the end.
fn to_move(replay: &GeisterReplay) -> Option<u8> {
    let seat = replay.position.as_ref()?.to_move()?;
    let over = replay.ended || replay.forfeit.is_some();
    (!over).then(|| replay.player_at[usize::from(seat)])
}

/// One side in a line: who, what it has lost, what it has set up.
fn side(frame: &Frame<'_, GeisterReplay>, seat: u8, player: u8, to_move: Option<u8>) -> String {
    let replay = frame.replay;
    let mut line = format!(
        "{} {}",
        if to_move == Some(player) { '>' } else { ' ' },
        frame.name(player)
    );
    if let Some(placement) = replay.placements[usize::from(seat)] {
        let _ = write!(line, ", red {placement}");
    }
    if let Some(position) = &replay.position {
        let lost = |color| position.captured(seat, color);
        let (blue, red) = (lost(Color::Blue), lost(Color::Red));
        let _ = write!(line, ", lost {blue} blue and {red} red");
    }
    if replay.forfeit == Some(player) {
        line += ", forfeits";
    }
    line
}

/// Six rows as seat 0 sees them, two characters a square: its ghosts in capitals, the other's in
/// small letters, red ones with `*` behind the letter.
fn drawing(position: &Position) -> [[String; 6]; 6] {
    let mut rows: [[String; 6]; 6] = std::array::from_fn(|_| std::array::from_fn(|_| ". ".into()));
    for seat in 0..SEATS as u8 {
        for ghost in Ghost::ALL {
            let Place::On(square) = position.place(seat, ghost) else {
                continue;
            };
            let (square, letter) = match seat {
                0 => (square, ghost.letter()),
                _ => (square.turned(), ghost.letter().to_ascii_lowercase()),
            };
            let mark = match position.color(seat, ghost) {
                Color::Red => '*',
                Color::Blue => ' ',
            };
            rows[usize::from(square.y())][usize::from(square.x())] = format!("{letter}{mark}");
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::GameName;
    use record::{GeisterRules, Header, Player, Rebuild, What};

    #[test]
    fn a_position_is_drawn_as_the_first_seat_sees_it() {
        let players = ["ana", "bo"].map(|name| Player {
            name: name.to_owned(),
            client: None,
        });
        let header = Header::new(GameName::Geister, "m", "gat", players.to_vec(), 3);
        let header = header.with_rules(&GeisterRules { ply_limit: 200 });
        let rules = GeisterReplay::rules(&header).unwrap();
        let begin = What::Begin {
            game: 2,
            seats: vec![1, 0],
            ranks: None,
            hands: Vec::new(),
            position: None,
        };
        let mut replay = GeisterReplay::begin(&begin, &rules).unwrap().unwrap();
        for (player, setup) in [(0, "ABCD"), (1, "EFGH")] {
            let setup = setup.to_owned();
            let name = None;
            let what = What::Setup {
                player,
                setup,
                name,
            };
            replay.apply(&what).unwrap();
        }
        let what = What::play(1, "A,W");
        replay.apply(&what).unwrap();
        let frame = Frame {
            header: &header,
            replay: &replay,
            what: &what,
        };
        let text = GeisterReplay::text(&frame);
        let due = "\
game 2 of 3, ply 1: 1 bo plays A,W
> 0 ana, red ABCD, lost 0 blue and 0 red
    .  h  g  f  e  .
    .  d* c* b* a* .
    .  .  .  .  .  .
    .  .  .  .  .  .
    A  .  B  C  D  .
    .  E* F* G* H* .
  1 bo, red EFGH, lost 0 blue and 0 red
";
        assert_eq!(text, due);
        let json = GeisterReplay::json(&frame);
        assert_eq!(json["board"][4], "A . B C D .");
        assert_eq!(json["setups"], json!(["ABCD", "EFGH"]));
        assert_eq!(json["to-move"], 0);
    }
}
