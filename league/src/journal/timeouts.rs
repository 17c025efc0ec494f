//! Which entrants are out of time again and again, and are set aside: the others wait for them no longer.

use std::collections::{BTreeMap, BTreeSet};

use super::{CommandAction, Exclusion, Played};
use crate::settings::{ExclusionRule, Settings};
use record::EndKind;

/// How often each entrant was out of time, and those that are set aside, by results that count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimeoutPolicy {
    /// Fixtures in a row after which an entrant is set aside; 0 is any number.
    most: u32,
    /// Fixtures in a row in which each entrant was out of time.
    in_a_row: BTreeMap<usize, u32>,
    /// Results that were taken in, and how many it were when an entrant was counted as late last.
    pub(crate) taken: u64,
    late_at: BTreeMap<usize, u64>,
    due: BTreeSet<usize>,
    /// Those that are set aside, and what becomes of their games.
    pub(crate) aside: BTreeMap<usize, ExclusionRule>,
}

impl TimeoutPolicy {
    pub fn new(settings: &Settings) -> TimeoutPolicy {
        TimeoutPolicy {
            most: settings.run.timeouts,
            ..TimeoutPolicy::default()
        }
    }

    /// The league goes on: those whose games were left are tried again. An entrant whose games are lost stays set aside until
    /// the organiser takes it back.
    pub(crate) fn go_on(&mut self) {
        let later = |_: &usize, games: &mut ExclusionRule| *games == ExclusionRule::Later;
        for (entrant, _) in self.aside.extract_if(.., later) {
            self.in_a_row.remove(&entrant);
        }
    }

    /// An entrant that is disqualified or taken back begins anew.
    pub(crate) fn obey(&mut self, action: &CommandAction, settings: &Settings) {
        let (CommandAction::Disqualify { entrant } | CommandAction::Reinstate { entrant }) = action
        else {
            return;
        };
        let names = settings.names();
        let number = names.iter().position(|name| name == entrant);
        self.in_a_row.retain(|&other, _| Some(other) != number);
        if matches!(action, CommandAction::Reinstate { .. }) {
            self.aside.retain(|&other, _| Some(other) != number);
        }
    }

    /// Takes a result, as [`TimeoutPolicy::take`] does, and keeps the entrants to exclude until they are taken.
    pub(crate) fn note(&mut self, played: &Played, since: u64) {
        let due = self.take(played, since);
        self.due.extend(due);
    }

    pub(crate) fn take_due(&mut self) -> BTreeSet<usize> {
        std::mem::take(&mut self.due)
    }

    /// Takes a result in; gives the entrants that are to be set aside now. Of a session its last game tells how an entrant
    /// has come out of it. The fixture began when `since` results were taken in: of those that an entrant plays at the same
    /// time one is counted, as the machine may have stood still for all of them. The journal does not say which these are.
    pub(crate) fn take(&mut self, played: &Played, since: u64) -> Vec<usize> {
        let mut due = BTreeSet::new();
        self.taken += 1;
        if let Some(game) = played.games.last().filter(|game| !game.is_walkover()) {
            for (seat, &entrant) in played.seats.iter().enumerate() {
                // An entrant with several seats is late when one of them is.
                let own = |other: &usize| played.seats[*other] == entrant;
                if played.seats[..seat].contains(&entrant) {
                    continue;
                }
                let mut seats = (0..played.seats.len()).filter(own);
                let is_late =
                    seats.any(|seat| matches!(game.kind(seat), EndKind::Timeout | EndKind::Stall));
                let count = self.in_a_row.entry(entrant).or_default();
                let last = self.late_at.entry(entrant).or_default();
                if !is_late {
                    *count = 0;
                } else if since >= *last {
                    (*count, *last) = (*count + 1, self.taken);
                }
                if self.most > 0 && *count >= self.most && !self.aside.contains_key(&entrant) {
                    due.insert(entrant);
                }
            }
        }
        due.into_iter().collect()
    }

    pub(crate) fn set_aside(&mut self, exclusion: &Exclusion, settings: &Settings) {
        let names = settings.names();
        let entrant = names.iter().position(|name| *name == exclusion.entrant);
        let aside = entrant.map(|entrant| (entrant, exclusion.games));
        self.aside.extend(aside);
    }

    /// The entrants that are set aside, whose games come to this.
    pub(crate) fn whose_games_are(&self, games: ExclusionRule) -> impl Iterator<Item = usize> {
        let aside = self.aside.iter();
        aside.filter_map(move |(&entrant, rule)| (*rule == games).then_some(entrant))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::tests::{played, read, settings};
    use crate::journal::{Entry, OrganiserCommand};

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
        settings.run.timeouts = 3;
        let all = |late_ones: &[&[usize]]| -> Vec<Played> {
            let numbered = late_ones.iter().enumerate();
            numbered.map(|(n, who)| late(&settings, n, who)).collect()
        };
        let results = all(&[&[1], &[1, 2], &[2], &[1, 2], &[1], &[1], &[1]]);
        let mut timeouts = TimeoutPolicy {
            most: 3,
            ..TimeoutPolicy::default()
        };
        let due = (0..).zip(&results);
        let due: Vec<Vec<usize>> = due.map(|(n, played)| timeouts.take(played, n)).collect();
        assert_eq!(due[..5], [vec![], vec![], vec![], vec![2], vec![]]);
        assert_eq!(due[5], [1]);
        let aside = Exclusion {
            entrant: "b".to_owned(),
            reason: "late".to_owned(),
            games: ExclusionRule::Lost,
        };
        timeouts.set_aside(&aside, &settings);
        assert_eq!(due[6], [1], "until it is set aside");
        assert_eq!(
            timeouts.take(&late(&settings, 7, &[1]), 7),
            Vec::<usize>::new()
        );
        // 0 is any number, and a fixture that nobody has begun says nothing of time.
        let mut never = TimeoutPolicy::default();
        assert!(
            (0..)
                .zip(&results)
                .all(|(n, played)| never.take(played, n).is_empty())
        );
        let plan = settings.plan().block(0, &[0, 1, 2, 3, 4], 0);
        let mut walkovers = TimeoutPolicy {
            most: 1,
            ..TimeoutPolicy::default()
        };
        let lost = Played::lost_by_all(&settings, &plan[0]);
        assert!(walkovers.take(&lost, 0).is_empty());
    }

    #[test]
    fn who_is_set_aside_follows_from_the_journal() {
        let settings = settings(&["a", "b", "c", "d", "e"], 3);
        let begun = || "2026-11-23T10:00:00Z".to_owned();
        let aside = |games| Entry::Excluded {
            begun: begun(),
            set_aside: Exclusion {
                entrant: "b".to_owned(),
                reason: "late".to_owned(),
                games,
            },
        };
        let again = Entry::Begun {
            begun: begun(),
            settings: None,
            by: None,
        };
        for (games, after) in [
            (ExclusionRule::Lost, vec![1]),
            (ExclusionRule::Later, vec![]),
        ] {
            let late = Entry::Played(late(&settings, 0, &[1]));
            let entries = [late, aside(games), again.clone()];
            let aside = |entries: &[Entry]| {
                let timeouts = read(&settings, entries).timeouts;
                timeouts.aside.keys().copied().collect::<Vec<_>>()
            };
            assert_eq!(aside(&entries[..2]), [1]);
            assert_eq!(aside(&entries), after);
        }
    }

    #[test]
    fn one_that_is_taken_back_or_whose_results_are_struck_begins_anew() {
        let mut settings = settings(&["a", "b", "c", "d", "e"], 3);
        (settings.run.timeouts, settings.run.at_once) = (3, 1);
        let act = |number: u32, action: CommandAction| Entry::Command {
            begun: "2026-11-23T10:00:00Z".to_owned(),
            act: OrganiserCommand {
                number,
                at: "2026-11-23T10:00:00Z".to_owned(),
                action,
                reason: String::new(),
            },
        };
        let late_ones: Vec<Entry> = (0..3)
            .map(|number| Entry::Played(late(&settings, number, &[1])))
            .collect();
        let key = late(&settings, 1, &[1]).key;
        let back = CommandAction::Reinstate {
            entrant: "b".to_owned(),
        };
        let of = |more: Entry| {
            let mut entries = late_ones.clone();
            entries.push(more);
            let timeouts = read(&settings, &entries).timeouts;
            timeouts.in_a_row.get(&1).copied()
        };
        assert_eq!(of(act(0, back)), None);
        assert_eq!(of(act(0, CommandAction::Pause)), Some(3));
        assert_eq!(of(act(0, CommandAction::Replay { key })), Some(2));
    }

    #[test]
    fn one_that_says_nothing_is_late_and_one_that_is_not_there_is_not() {
        let mut played = late(&settings(&["a", "b", "c", "d", "e"], 3), 0, &[1]);
        let seat = played.seats.iter().position(|&entrant| entrant == 1);
        for (kind, due) in [(EndKind::Stall, vec![1]), (EndKind::Disconnect, vec![])] {
            played.games[0].kinds[seat.unwrap()] = kind;
            let mut timeouts = TimeoutPolicy {
                most: 1,
                ..TimeoutPolicy::default()
            };
            assert_eq!(timeouts.take(&played, 0), due);
        }
    }

    #[test]
    fn of_fixtures_at_the_same_time_one_counts() {
        let settings = settings(&["a", "b", "c", "d", "e"], 3);
        let mut timeouts = TimeoutPolicy {
            most: 2,
            ..TimeoutPolicy::default()
        };
        let mut take = |number: usize, who: &[usize], since: u64| {
            timeouts.take(&late(&settings, number, who), since)
        };
        // All three have begun before the first was over.
        assert!(take(0, &[1, 2], 0).is_empty());
        assert!(take(1, &[1, 2], 0).is_empty() && take(2, &[1], 0).is_empty());
        // One that begins after them is the second.
        assert_eq!(take(3, &[1], 1), [1]);
    }

    #[test]
    fn of_a_session_its_last_game_counts() {
        let settings = settings(&["a", "b", "c", "d", "e"], 3);
        let mut played = late(&settings, 0, &[1]);
        let mut timeouts = TimeoutPolicy {
            most: 1,
            ..TimeoutPolicy::default()
        };
        let mut good = played.games[0].clone();
        good.kinds.fill(EndKind::Normal);
        played.games.push(good);
        assert!(timeouts.take(&played, 0).is_empty());
        played.games.reverse();
        assert_eq!(timeouts.take(&played, 1), [1]);
    }
}
