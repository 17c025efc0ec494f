//! Which entrants are out of time again and again, and are set aside: the others wait for them no longer.

use std::collections::{BTreeMap, BTreeSet};

use crate::league::journal::{Entry, Game, Journal, Played, WALKOVER};
use crate::league::settings::{SetAside, Settings};
use record::EndKind;

/// How often each entrant was out of time, and those that are set aside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patience {
    /// Games in a row after which an entrant is set aside; 0 is any number.
    most: u32,
    /// Games in a row in which each entrant was out of time.
    in_a_row: BTreeMap<usize, u32>,
    /// Those that are set aside, and what becomes of their games.
    aside: BTreeMap<usize, SetAside>,
}

impl Patience {
    /// What a journal comes to. An entrant whose games are lost stays set aside; others are tried again each time that the
    /// league goes on.
    pub fn of(settings: &Settings, journal: &Journal) -> Patience {
        let mut patience = Patience {
            most: settings.timeouts,
            ..Patience::default()
        };
        let names = settings.names();
        for entry in &journal.entries {
            match entry {
                Entry::SetAside { set_aside, .. } => {
                    let entrant = names.iter().position(|name| *name == set_aside.entrant);
                    let games = set_aside.games;
                    patience
                        .aside
                        .extend(entrant.map(|entrant| (entrant, games)));
                }
                Entry::Begun { .. } => patience.go_on(),
                entry => {
                    if let Some(played) = entry.played() {
                        patience.take(played);
                    }
                }
            }
        }
        patience
    }

    /// The league goes on: those whose games were left are tried again.
    pub(super) fn go_on(&mut self) {
        let later = |_: &usize, games: &mut SetAside| *games == SetAside::Later;
        for (entrant, _) in self.aside.extract_if(.., later) {
            self.in_a_row.remove(&entrant);
        }
    }

    /// Takes a result in; gives the entrants that are to be set aside now.
    pub(super) fn take(&mut self, played: &Played) -> Vec<usize> {
        let mut due = BTreeSet::new();
        for game in played.games.iter().filter(|game| !is_walkover(game)) {
            for (seat, &entrant) in played.seats.iter().enumerate() {
                // An entrant with several seats is late when one of them is.
                let own = |other: &usize| played.seats[*other] == entrant;
                if played.seats[..seat].contains(&entrant) {
                    continue;
                }
                let mut seats = (0..played.seats.len()).filter(own);
                let is_late = seats.any(|seat| is_late(game.kind(seat)));
                let count = self.in_a_row.entry(entrant).or_default();
                *count = if is_late { *count + 1 } else { 0 };
                if self.most > 0 && *count >= self.most && !self.aside.contains_key(&entrant) {
                    due.insert(entrant);
                }
            }
        }
        due.into_iter().collect()
    }

    /// Sets an entrant aside; gives whether it was not yet.
    pub(super) fn set_aside(&mut self, entrant: usize, games: SetAside) -> bool {
        self.aside.insert(entrant, games).is_none()
    }

    /// The entrants that are set aside, and what becomes of their games.
    pub const fn aside(&self) -> &BTreeMap<usize, SetAside> {
        &self.aside
    }

    /// The entrants that are set aside, whose games come to this.
    pub(super) fn whose_games_are(&self, games: SetAside) -> impl Iterator<Item = usize> {
        let aside = self.aside.iter();
        aside.filter_map(move |(&entrant, rule)| (*rule == games).then_some(entrant))
    }
}

/// Whether a player has lost on time, or was given up as it has not answered.
const fn is_late(kind: EndKind) -> bool {
    matches!(kind, EndKind::Timeout | EndKind::Stall)
}

/// Whether a game was lost by all, as none of them was there.
fn is_walkover(game: &Game) -> bool {
    game.rule.as_deref() == Some(WALKOVER)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::league::journal::Aside;
    use crate::league::journal::testing::{played, settings, text};

    /// Fixtures in which the entrants of these numbers are late.
    fn late(settings: &Settings, number: usize, late: &[usize]) -> Played {
        let mut played = played(settings).swap_remove(number);
        let kind = |entrant: &usize| {
            if late.contains(entrant) {
                EndKind::Timeout
            } else {
                EndKind::Normal
            }
        };
        let kinds: Vec<EndKind> = played.seats.iter().map(kind).collect();
        for game in &mut played.games {
            game.kinds.clone_from(&kinds);
        }
        played
    }

    #[test]
    fn an_entrant_is_set_aside_after_so_many_games_in_a_row() {
        let mut settings = settings(&["a", "b", "c", "d", "e"], 3);
        settings.timeouts = 3;
        let all = |late_ones: &[&[usize]]| -> Vec<Played> {
            let numbered = late_ones.iter().enumerate();
            numbered.map(|(n, who)| late(&settings, n, who)).collect()
        };
        let results = all(&[&[1], &[1, 2], &[2], &[1, 2], &[1], &[1], &[1]]);
        let mut patience = Patience {
            most: 3,
            ..Patience::default()
        };
        let due: Vec<Vec<usize>> = results.iter().map(|played| patience.take(played)).collect();
        assert_eq!(due[..5], [vec![], vec![], vec![], vec![2], vec![]]);
        assert_eq!(due[5], [1]);
        assert!(patience.set_aside(1, SetAside::Lost) && !patience.set_aside(1, SetAside::Lost));
        assert_eq!(due[6], [1], "until it is set aside");
        assert_eq!(
            patience.take(&late(&settings, 7, &[1])),
            Vec::<usize>::new()
        );
        // 0 is any number, and a fixture that nobody has begun says nothing of time.
        let mut never = Patience::default();
        assert!(results.iter().all(|played| never.take(played).is_empty()));
        let plan = settings.plan().block(0, &[0, 1, 2, 3, 4], 0);
        let mut walkovers = Patience {
            most: 1,
            ..Patience::default()
        };
        let lost = Played::lost_by_all(&settings, &plan[0]);
        assert!(walkovers.take(&lost).is_empty());
    }

    #[test]
    fn who_is_set_aside_follows_from_the_journal() {
        let settings = settings(&["a", "b", "c", "d", "e"], 3);
        let begun = || "2026-11-23T10:00:00Z".to_owned();
        let aside = |games| Entry::SetAside {
            begun: begun(),
            set_aside: Aside {
                entrant: "b".to_owned(),
                reason: "late".to_owned(),
                games,
            },
        };
        let again = Entry::Begun {
            begun: begun(),
            changed: None,
            by: None,
        };
        for (games, after) in [(SetAside::Lost, vec![1]), (SetAside::Later, vec![])] {
            let late = Entry::Played(late(&settings, 0, &[1]));
            let entries = [late, aside(games), again.clone()];
            let aside = |entries: &[Entry]| {
                let text = text(&settings, entries);
                let journal = Journal::parse(Path::new("j"), text.as_bytes()).unwrap();
                assert_eq!(journal.entries, entries);
                let patience = Patience::of(&settings, &journal);
                patience.aside().keys().copied().collect::<Vec<_>>()
            };
            assert_eq!(aside(&entries[..2]), [1]);
            assert_eq!(aside(&entries), after);
        }
    }
}
