//! Positions of Geister.

use std::fmt::Write as _;

use games::geister::{Color, Ghost, Place, Position, SEATS};
use serde_json::{Value, json};

use super::frame::{Frame, Show};
use crate::record::GeisterReplay;

impl Show for GeisterReplay {
    fn text(frame: &Frame<'_, GeisterReplay>) -> String {
        let replay = frame.replay;
        let mut text = String::new();
        let _ = writeln!(
            text,
            "game {} of {}, ply {}: {}",
            replay.game,
            frame.header.games,
            replay.plies,
            frame.event_text()
        );
        let to_move = to_move(replay);
        let [bottom, top] = replay.player_at;
        let _ = writeln!(text, "{}", side(frame, 1, top, to_move));
        match &replay.position {
            Some(position) => {
                for row in drawing(position) {
                    let _ = writeln!(text, "    {}", row.join(" "));
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
            .map(|position| drawing(position).map(|row| row.concat()));
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

/// Six rows as seat 0 sees them: its ghosts in capitals, red ones with `*` behind the letter.
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
