//! Names that watchers see in place of those of the players.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use record::watch::League;
use record::{Event, Header, What};

/// What stands for a name that has no alias.
const UNKNOWN: &str = "?";

/// Aliases of players, until they are revealed.
#[derive(Debug)]
pub(super) struct Aliases {
    names: BTreeMap<String, String>,
    are_revealed: AtomicBool,
}

impl Aliases {
    pub(super) const fn new(names: BTreeMap<String, String>) -> Aliases {
        Aliases {
            names,
            are_revealed: AtomicBool::new(false),
        }
    }

    pub(super) fn reveal(&self) {
        self.are_revealed.store(true, Ordering::Relaxed);
    }

    pub(super) fn are_revealed(&self) -> bool {
        self.are_revealed.load(Ordering::Relaxed)
    }

    fn of(&self, name: &str) -> String {
        let alias = self.names.get(name).map_or(UNKNOWN, |alias| alias);
        alias.to_owned()
    }

    /// The header of a match under aliases. What programs say of themselves is left out.
    pub(super) fn header(&self, header: &Header) -> Header {
        let mut header = header.clone();
        for player in &mut header.players {
            player.name = self.of(&player.name);
            player.client = None;
        }
        header
    }

    /// A league under aliases. Entrants that are level come in the order of their aliases, because the order of the
    /// league's file would reveal their names.
    pub(super) fn league(&self, mut league: League) -> League {
        let rename = |name: &mut String| *name = self.of(name);
        league.entrants.iter_mut().for_each(|e| rename(&mut e.name));
        let mut order: Vec<usize> = (0..league.entrants.len()).collect();
        let all = &league.entrants;
        let is_level = |&a: &usize, &b: &usize| all[a].rating == all[b].rating;
        for level in order.chunk_by_mut(is_level) {
            level.sort_by(|&a, &b| all[a].name.cmp(&all[b].name));
        }
        league.entrants = order.iter().map(|&e| all[e].clone()).collect();
        if league.cross.len() == order.len() {
            let row = |&e: &usize| order.iter().map(|&other| league.cross[e][other]).collect();
            league.cross = order.iter().map(row).collect();
        }
        for group in &mut league.groups {
            group.entrants.iter_mut().for_each(|e| rename(&mut e.name));
            let level = group
                .entrants
                .chunk_by_mut(|a, b| a.points.total_cmp(&b.points).is_eq());
            level.for_each(|level| level.sort_by(|a, b| a.name.cmp(&b.name)));
        }
        for next in &mut league.next {
            next.iter_mut().for_each(rename);
            next.sort_unstable();
        }
        league.next.sort_unstable();
        for played in &mut league.played {
            played.entrants.iter_mut().for_each(rename);
        }
        // The organiser may name an entrant in it.
        if let Some(reason) = &mut league.paused {
            let lower = reason.to_lowercase();
            if self
                .names
                .keys()
                .any(|name| lower.contains(&name.to_lowercase()))
            {
                reason.clear();
            }
        }
        league
    }

    /// An event under aliases: no player has a name of its own.
    pub(super) fn event(event: &Event) -> Event {
        let mut event = event.clone();
        if let What::Setup { name, .. } = &mut event.what {
            *name = None;
        }
        event
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::watch::{Entrant, Group, Standing};

    fn aliases() -> Aliases {
        let all = [("ana", "C"), ("bo", "A"), ("cy", "B")];
        let owned = |(name, alias): (&str, &str)| (name.to_owned(), alias.to_owned());
        Aliases::new(all.map(owned).into())
    }

    fn league(ratings: [f64; 3]) -> League {
        let names = ["ana", "bo", "cy"];
        let entrant = |(name, rating): (&str, f64)| Entrant {
            name: name.to_owned(),
            games: 2,
            faults: 0,
            rating: Some(rating),
            half_width: None,
            disqualified: false,
            set_aside: false,
            state: None,
        };
        let standing = |name: &str| Standing {
            name: name.to_owned(),
            games: 1,
            points: 1.0,
        };
        League {
            title: String::new(),
            game: String::new(),
            fixtures: 3,
            scheduled: None,
            entrants: names.into_iter().zip(ratings).map(entrant).collect(),
            cross: vec![
                vec![None, Some(0.1), Some(0.2)],
                vec![Some(0.3), None, Some(0.4)],
                vec![Some(0.5), Some(0.6), None],
            ],
            next: vec![vec!["ana".to_owned(), "bo".to_owned()]],
            paused: Some("Cy is late".to_owned()),
            played: Vec::new(),
            groups: vec![Group {
                name: String::new(),
                entrants: names.map(standing).into(),
            }],
        }
    }

    #[test]
    fn the_level_come_by_their_aliases_and_the_table_with_them() {
        let names = |league: &League| -> Vec<String> {
            league.entrants.iter().map(|e| e.name.clone()).collect()
        };
        let level = aliases().league(league([0.0; 3]));
        assert_eq!(names(&level), ["A", "B", "C"]);
        let due = [
            [None, Some(0.4), Some(0.3)],
            [Some(0.6), None, Some(0.5)],
            [Some(0.1), Some(0.2), None],
        ];
        assert_eq!(level.cross, due);
        let group: Vec<&str> = level.groups[0]
            .entrants
            .iter()
            .map(|e| &e.name[..])
            .collect();
        assert_eq!(group, ["A", "B", "C"]);
        assert_eq!(level.next, [["A", "C"]]);
        assert_eq!(level.paused.as_deref(), Some(""), "the reason had a name");
        let apart = aliases().league(league([9.0, 1.0, 1.0]));
        assert_eq!(names(&apart), ["C", "A", "B"]);
        let mut lunch = league([0.0; 3]);
        lunch.paused = Some("lunch".to_owned());
        assert_eq!(aliases().league(lunch).paused.as_deref(), Some("lunch"));
    }
}
