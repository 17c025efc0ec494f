//! Aliases of entrants, under which watchers see them while the league is played.

use std::collections::{BTreeMap, BTreeSet};

use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Deserialize;

use super::Settings;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NameRule {
    /// Watchers see the names.
    #[default]
    Shown,
    /// Watchers see aliases until all fixtures are played.
    Hidden,
}

impl Settings {
    /// The alias of each entrant by its name, where names are hidden: letters, drawn from the seed, of which none is the name
    /// of an entrant.
    pub(crate) fn aliases(&self) -> Option<BTreeMap<String, String>> {
        if self.run.names == NameRule::Shown {
            return None;
        }
        let names: BTreeSet<&str> = self.names().into_iter().collect();
        let free = (0..).map(letters).filter(|one| !names.contains(&one[..]));
        let mut aliases: Vec<String> = free.take(names.len()).collect();
        let seed = self.seed.key().part("aliases", &[]).seed();
        aliases.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        Some(
            self.entrants
                .iter()
                .map(|e| e.name.clone())
                .zip(aliases)
                .collect(),
        )
    }
}

/// `A` to `Z`, then `AA`, `AB`, ...
fn letters(number: usize) -> String {
    let last = char::from(b'A' + (number % 26) as u8);
    match number / 26 {
        0 => last.to_string(),
        before => format!("{}{last}", letters(before - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::settings;

    #[test]
    fn aliases_are_drawn_from_the_seed_and_are_no_names() {
        let mut settings = settings();
        assert_eq!(settings.aliases(), None);
        settings.run.names = NameRule::Hidden;
        let one = settings.entrants[0].clone();
        settings.entrants = (0..30)
            .map(|number| super::super::Entrant {
                name: letters(2 * number),
                ..one.clone()
            })
            .collect();
        let names: BTreeSet<String> = settings.entrants.iter().map(|e| e.name.clone()).collect();
        let drawn = |seed: u64| {
            let mut settings = settings.clone();
            settings.seed = seed.into();
            let all = settings.aliases().unwrap();
            let aliases: BTreeSet<String> = all.values().cloned().collect();
            assert_eq!((all.len(), aliases.len()), (30, 30));
            assert!(names.is_disjoint(&aliases));
            all
        };
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        assert_eq!(
            [25, 26, 27, 701, 702].map(letters),
            ["Z", "AA", "AB", "ZZ", "AAA"]
        );
    }
}
