//! A position of a record as text or as JSON.

use serde_json::Value;

use record::{EndKind, Header, Rebuild, What};

/// A position and what led to it.
pub(super) struct Frame<'a, G> {
    pub(super) header: &'a Header,
    pub(super) replay: &'a G,
    /// The event that led here.
    pub(super) what: &'a What,
}

/// A game whose positions can be shown.
pub(super) trait Show: Rebuild {
    /// The position in several lines.
    fn text(frame: &Frame<'_, Self>) -> String;

    /// The position and the event as JSON, by player.
    fn json(frame: &Frame<'_, Self>) -> Value;
}

impl<G> Frame<'_, G> {
    pub(super) fn name(&self, player: u8) -> String {
        let name = self.header.players.get(usize::from(player));
        // Names come from outside: keep control letters off the terminal.
        let name: String = name
            .map(|p| p.name.chars().filter(|c| !c.is_control()).collect())
            .unwrap_or_default();
        format!("{player} {name}").trim_end().to_owned()
    }

    /// The first line of a position: which game, how many plies, and the event.
    pub(super) fn heading(&self, game: u32, ply: u32) -> String {
        let games = self.header.games;
        format!("game {game} of {games}, ply {ply}: {}\n", self.event_text())
    }

    /// The event in one line.
    pub(super) fn event_text(&self) -> String {
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
                format!("{} sets up {setup}{named}", self.name(*player))
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
            What::End { kinds, rule, .. } => {
                let faults: Vec<String> = (0..)
                    .zip(kinds)
                    .filter(|(_, kind)| **kind != EndKind::Normal)
                    .map(|(player, kind)| format!("{} {kind}", self.name(player)))
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
            What::Result { .. } => String::new(),
        }
    }
}
