//! Positions of Daihinmin.

use std::fmt::Write as _;

use games::daihinmin::{NO_PLACE, SEATS, Suit};
use serde_json::{Value, json};

use super::frame::{Frame, Show};
use record::GameReplay;

const PLACES: [&str; SEATS] = ["daifugo", "fugo", "heimin", "hinmin", "daihinmin"];

impl Show for GameReplay {
    fn text(frame: &Frame<'_, GameReplay>) -> String {
        frame.text()
    }

    fn json(frame: &Frame<'_, GameReplay>) -> Value {
        frame.json()
    }
}

impl Frame<'_, GameReplay> {
    fn text(&self) -> String {
        let replay = self.replay;
        let table = &replay.position.table;
        let mut text = self.heading(replay.game, replay.plies);
        let over = replay.ended || table.is_over();
        for (seat, &player) in replay.player_at.iter().enumerate() {
            let turn = !over && usize::from(table.turn) == seat;
            let place = match table.places[seat] {
                NO_PLACE => "",
                place => PLACES[usize::from(place)],
            };
            let was = replay
                .ranks
                .map_or("", |ranks| PLACES[usize::from(ranks[usize::from(player)])]);
            let hand = replay.position.hands[seat];
            let passed = if table.has_passed(seat as u8) {
                "passed"
            } else {
                ""
            };
            let line = format!(
                "{} {:<16} {:>9} {:>2} {:<6} {:<9} {}",
                if turn { '>' } else { ' ' },
                self.name(player),
                was,
                hand.len(),
                passed,
                place,
                hand
            );
            let _ = writeln!(text, "{}", line.trim_end());
        }
        if !over {
            let _ = writeln!(text, "{}", self.field_text());
        }
        text
    }

    fn field_text(&self) -> String {
        let table = &self.replay.position.table;
        let mut line = if table.field.is_pass() {
            "field: empty".to_owned()
        } else {
            let owner = self.replay.player_at[usize::from(table.owner)];
            format!("field: {} by {}", table.field, self.name(owner))
        };
        if table.lock {
            let suits: String = Suit::ALL
                .iter()
                .zip("SHDC".chars())
                .filter(|&(&suit, _)| table.field.suits() >> suit as u8 & 1 != 0)
                .map(|(_, letter)| letter)
                .collect();
            let _ = write!(line, ", locked to {suits}");
        }
        if table.revolution {
            line += ", revolution";
        }
        line
    }

    fn json(&self) -> Value {
        let replay = self.replay;
        let table = &replay.position.table;
        let mut hands = vec![String::new(); SEATS];
        for (seat, &player) in replay.player_at.iter().enumerate() {
            hands[usize::from(player)] = replay.position.hands[seat].to_string();
        }
        let places: Vec<Option<u8>> = replay
            .places()
            .iter()
            .map(|&place| (place != NO_PLACE).then_some(place))
            .collect();
        let field = (!table.field.is_pass()).then(|| table.field.to_string());
        let over = replay.ended || table.is_over();
        json!({
            "game": replay.game,
            "ply": replay.plies,
            "what": self.what,
            "seats": replay.player_at,
            "to-move": (!over).then(|| replay.player_at[usize::from(table.turn)]),
            "hands": hands,
            "field": field,
            "lock": table.lock,
            "revolution": table.revolution,
            "places": places,
        })
    }
}
