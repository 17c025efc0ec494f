//! One position of a game of Daihinmin as text or as JSON.

use std::fmt::Write as _;

use games::daihinmin::{NO_PLACE, SEATS, Suit};
use serde_json::{Value, json};

use crate::record::{EndKind, GameReplay, Header, What};

const PLACES: [&str; SEATS] = ["daifugo", "fugo", "heimin", "hinmin", "daihinmin"];

/// A position and what led to it.
pub(super) struct Frame<'a> {
    pub(super) header: &'a Header,
    pub(super) replay: &'a GameReplay,
    /// The event that led here.
    pub(super) what: &'a What,
}

impl Frame<'_> {
    fn name(&self, player: u8) -> String {
        let name = self.header.players.get(usize::from(player));
        // Names come from outside: keep control letters off the terminal.
        let name: String = name
            .map(|p| p.name.chars().filter(|c| !c.is_control()).collect())
            .unwrap_or_default();
        format!("{player} {name}").trim_end().to_owned()
    }

    /// The position in several lines.
    pub(super) fn text(&self) -> String {
        let replay = self.replay;
        let table = &replay.position.table;
        let mut text = String::new();
        let over = replay.ended || table.is_over();
        let _ = writeln!(
            text,
            "game {} of {}, ply {}: {}",
            replay.game,
            self.header.games,
            replay.plies,
            self.event_text()
        );
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

    /// The event in one line.
    fn event_text(&self) -> String {
        let by_fault = |fault: &Option<EndKind>| match fault {
            Some(kind) => format!(" (played by the referee: {kind})"),
            None => String::new(),
        };
        let clock = |used: &Option<u64>| match used {
            Some(used) => format!(" in {used} ms"),
            None => String::new(),
        };
        match self.what {
            What::Begin { .. } => "dealt".to_owned(),
            What::Give {
                from,
                to,
                cards,
                forced,
                fault,
                used,
                ..
            } => format!(
                "{} gives {cards} to {}{}{}{}",
                self.name(*from),
                self.name(*to),
                if *forced { " by the rules" } else { "" },
                by_fault(fault),
                clock(used)
            ),
            What::Move {
                player,
                mv,
                fault,
                used,
                ..
            } => {
                let verb = if mv == "pass" { "passes" } else { "plays " };
                let mv = if mv == "pass" { "" } else { mv };
                let name = self.name(*player);
                format!("{name} {verb}{mv}{}{}", by_fault(fault), clock(used))
            }
            What::Refused {
                player,
                sent,
                reason,
            } => format!("{} sent {sent}, refused: {reason}", self.name(*player)),
            What::Forfeit {
                player,
                kind,
                reason,
            } => format!("{} is out by {kind}: {reason}", self.name(*player)),
            What::Lot { order } => {
                let names: Vec<String> = order.iter().map(|&p| self.name(p)).collect();
                format!(
                    "twenty passes in a row; ranked by lot: {}",
                    names.join(", ")
                )
            }
            What::End { kinds, .. } => {
                let faults: Vec<String> = (0..)
                    .zip(kinds)
                    .filter(|(_, kind)| **kind != EndKind::Normal)
                    .map(|(player, kind)| format!("{} {kind}", self.name(player)))
                    .collect();
                if faults.is_empty() {
                    "end".to_owned()
                } else {
                    format!("end; {}", faults.join(", "))
                }
            }
            What::Setup { .. } | What::Result { .. } => String::new(),
        }
    }

    /// The position and the event as JSON, by player.
    pub(super) fn json(&self) -> Value {
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
