//! A position of a record as text or as JSON.

use games::{Player, Printable};
use record::{EndKind, Header, Recorded, Replay, What};
use serde_json::{Value, json};

pub(super) struct Frame<'a, G> {
    pub(super) header: &'a Header,
    pub(super) replay: &'a Replay<G>,
    pub(super) what: &'a What,
}

pub(super) trait Show: Recorded {
    /// The players and the board in several lines.
    fn board(frame: &Frame<'_, Self>) -> String;

    /// What JSON says of a position beside what it says in all games.
    fn fields(frame: &Frame<'_, Self>) -> Value;
}

impl<G: Show> Frame<'_, G> {
    /// The position in several lines. The first one says which game this is, how many moves have been
    /// played, and what has just happened.
    pub(super) fn text(&self) -> String {
        let (number, ply) = (self.replay.number, self.replay.game.plies());
        let games = self.header.games;
        let event = Printable(self.event_text());
        format!(
            "game {number} of {games}, ply {ply}: {event}\n{}",
            G::board(self)
        )
    }

    /// The position and the event as JSON; lists go by player.
    pub(super) fn json(&self) -> Value {
        let mut json = json!({
            "game": self.replay.number,
            "ply": self.replay.game.plies(),
            "what": self.what,
            "seats": self.replay.seating.players(),
            "to_move": self.replay.mover(),
            "places": self.replay.places(),
        });
        if let (Value::Object(all), Value::Object(fields)) = (&mut json, G::fields(self)) {
            all.extend(fields);
        }
        json
    }
}

impl<G> Frame<'_, G> {
    pub(super) fn name(&self, player: Player) -> String {
        let name = self.header.players.get(player.index());
        let name = name.map_or("", |player| &player.name);
        Printable(format!("{player} {name}").trim_end()).to_string()
    }

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
            What::Begin { hands, .. } if hands.is_empty() => "begins".to_owned(),
            What::Begin { .. } => "dealt".to_owned(),
            What::Setup {
                player,
                setup,
                name,
            } => {
                let named = name
                    .as_ref()
                    .map_or(String::new(), |name| format!(" as {name}"));
                format!("{} sets up {setup}{named}", self.name(Player::new(*player)))
            }
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
                self.name(Player::new(*from)),
                self.name(Player::new(*to)),
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
                let name = self.name(Player::new(*player));
                format!("{name} {verb}{mv}{}{}", by_fault(fault), clock(used))
            }
            What::Refused {
                player,
                sent,
                reason,
            } => format!(
                "{} sent {sent}, refused: {reason}",
                self.name(Player::new(*player))
            ),
            What::Forfeit {
                player,
                kind,
                reason,
            } => format!(
                "{} is out by {kind}: {reason}",
                self.name(Player::new(*player))
            ),
            What::Lot { order } => {
                let names: Vec<String> = order.iter().map(|&p| self.name(Player::new(p))).collect();
                format!(
                    "twenty passes in a row; ranked by lot: {}",
                    names.join(", ")
                )
            }
            What::End { kinds, rule, .. } => {
                let faults: Vec<String> = (0..)
                    .zip(kinds)
                    .filter(|(_, kind)| **kind != EndKind::Normal)
                    .map(|(player, kind)| format!("{} {kind}", self.name(Player::new(player))))
                    .collect();
                if faults.is_empty() {
                    let rule = rule
                        .as_ref()
                        .map_or(String::new(), |rule| format!(" by {rule}"));
                    format!("end{rule}")
                } else {
                    format!("end; {}", faults.join(", "))
                }
            }
            _ => String::new(),
        }
    }
}
