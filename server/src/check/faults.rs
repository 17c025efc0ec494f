//! The referee's words on what the bot did wrong.

use record::{EndKind, Event, Record, What};

/// What was refused, or ended the game for the bot, and why.
#[derive(Clone, Debug)]
struct Fault {
    /// `None` of a message that was refused, which is an illegal move or no message at all.
    kind: Option<EndKind>,
    reason: String,
}

/// Faults of player 0, game by game. What comes behind the end of a game belongs to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Faults(Vec<Vec<Fault>>);

impl Faults {
    pub(super) fn of(record: &Record) -> Faults {
        Faults::of_events(&record.events)
    }

    fn of_events(events: &[Event]) -> Faults {
        let games = events.split_inclusive(|event| matches!(event.what, What::End { .. }));
        let faults = games.map(|events| events.iter().filter_map(fault).collect());
        Faults(faults.collect())
    }

    /// The words on a fault of this kind in a game from 0: those on the first of that kind, or on a message that was
    /// refused.
    pub(super) fn reason(&self, game: usize, kind: EndKind) -> Option<String> {
        let faults = self.0.get(game)?;
        let of = |due| faults.iter().find(|fault| fault.kind == due);
        let fault = of(Some(kind)).or_else(|| match kind {
            EndKind::Illegal | EndKind::ProtocolError => of(None),
            _ => None,
        })?;
        Some(fault.reason.clone())
    }

    /// The first fault behind so many games that have ended.
    pub(super) fn unfinished(&self, games: usize) -> Option<(EndKind, String)> {
        let fault = self.0.get(games)?.first()?;
        Some((fault.kind.unwrap_or(EndKind::Illegal), fault.reason.clone()))
    }
}

fn fault(event: &Event) -> Option<Fault> {
    match &event.what {
        What::Forfeit {
            player: 0,
            kind,
            reason,
        } => Some(Fault {
            kind: Some(*kind),
            reason: reason.clone(),
        }),
        What::Refused {
            player: 0,
            sent,
            reason,
        } => Some(Fault {
            kind: None,
            reason: format!("{reason} (sent: {sent})"),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(what: What) -> Event {
        Event { ms: 0, what }
    }

    fn refused(player: u8, reason: &str) -> Event {
        let (sent, reason) = ("x".to_owned(), reason.to_owned());
        event(What::Refused {
            player,
            sent,
            reason,
        })
    }

    fn forfeit(kind: EndKind, reason: &str) -> Event {
        let reason = reason.to_owned();
        event(What::Forfeit {
            player: 0,
            kind,
            reason,
        })
    }

    fn end(game: u32) -> Event {
        event(What::End {
            game,
            places: Vec::new(),
            points: Vec::new(),
            game_points: Vec::new(),
            kinds: Vec::new(),
            rule: None,
        })
    }

    #[test]
    fn each_game_has_its_own_faults() {
        let events = [
            refused(0, "granted a retry"),
            end(1),
            refused(1, "another player"),
            forfeit(EndKind::Timeout, "too late"),
            forfeit(EndKind::Disconnect, "gone"),
            end(2),
            refused(0, "nonsense"),
            end(3),
            forfeit(EndKind::Stall, "silent"),
        ];
        let faults = Faults::of_events(&events);
        let reason = |game, kind| faults.reason(game, kind);
        assert_eq!(reason(0, EndKind::Timeout), None);
        assert_eq!(reason(1, EndKind::Disconnect).unwrap(), "gone");
        assert_eq!(reason(1, EndKind::Timeout).unwrap(), "too late");
        assert_eq!(
            reason(2, EndKind::ProtocolError).unwrap(),
            "nonsense (sent: x)"
        );
        assert_eq!(reason(4, EndKind::Stall), None);
        let silent = (EndKind::Stall, "silent".to_owned());
        assert_eq!(faults.unfinished(3), Some(silent));
        assert_eq!(faults.unfinished(4), None);
    }
}
