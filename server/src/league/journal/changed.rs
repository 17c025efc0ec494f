//! What may change in the settings of a league that has begun.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::league::settings::{Format, Settings};

/// New values of settings that may change when a league is taken up again; `None` where nothing has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Changed {
    /// Name of the league.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Deals of each matchup.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deals: Option<u32>,
    /// Rounds of a Swiss tournament.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// Tables at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_once: Option<usize>,
    /// Wanted half width of the interval of a rating.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Whether records are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<bool>,
}

/// Settings that are not those of the journal, where they have to be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the league has begun with other settings: `{field}` was {before} and is {now}{why}. Put it back, or play the new \
     league elsewhere (--out DIR) or from the beginning (--fresh)"
)]
pub struct SettingsChanged {
    /// Name of the setting.
    pub field: String,
    /// Its value in the journal.
    pub before: String,
    /// Its value in the file.
    pub now: String,
    /// Why it may not change, where that is not plain.
    pub why: &'static str,
}

/// Longest text of a value in an error.
const LONGEST_VALUE: usize = 120;

impl Changed {
    /// What is different in `now`; `None` if nothing is.
    ///
    /// # Errors
    /// A setting that may not change while games of the league are kept: they would be games of another one.
    pub fn between(before: &Settings, now: &Settings) -> Result<Option<Changed>, SettingsChanged> {
        fn new<T: PartialEq + Clone>(before: &T, now: &T) -> Option<T> {
            (before != now).then(|| now.clone())
        }
        let changed = Changed {
            title: new(&before.title, &now.title),
            deals: new(&before.deals, &now.deals),
            rounds: match (rounds(before), rounds(now)) {
                (Some(before), Some(now)) => new(&before, &now),
                _ => None,
            },
            at_once: new(&before.at_once, &now.at_once),
            margin: new(&before.margin, &now.margin),
            records: new(&before.records, &now.records),
        };
        let mut before = before.clone();
        let fault = |field: &str, before: u32, now: u32, why| SettingsChanged {
            field: field.to_owned(),
            before: before.to_string(),
            now: now.to_string(),
            why,
        };
        if let Some(deals) = changed.deals {
            if now.pairs_rounds() {
                let why = ", and later rounds follow from the games of those before";
                return Err(fault("deals", before.deals, deals, why));
            }
            if deals < before.deals {
                let why = ", and it may only grow";
                return Err(fault("deals", before.deals, deals, why));
            }
        }
        if let (Some(was), Some(rounds)) = (rounds(&before), changed.rounds)
            && rounds < was
        {
            return Err(fault("rounds", was, rounds, ", and it may only grow"));
        }
        if let (Some(was), Some(rounds)) = (rounds(&before), changed.rounds)
            && !now.stages.is_empty()
        {
            let why = ", and the next stage follows from the games of all rounds";
            return Err(fault("rounds", was, rounds, why));
        }
        changed.apply(&mut before);
        if !now.pairs_rounds() {
            // Nothing that is played depends on it.
            before.ranking = now.ranking.clone();
        }
        match difference(&before, now) {
            Some(fault) => Err(fault),
            None if changed == Changed::default() => Ok(None),
            None => Ok(Some(changed)),
        }
    }

    /// Puts the new values in.
    pub fn apply(&self, settings: &mut Settings) {
        fn put<T: Clone>(new: Option<&T>, into: &mut T) {
            if let Some(new) = new {
                *into = new.clone();
            }
        }
        put(self.title.as_ref(), &mut settings.title);
        put(self.deals.as_ref(), &mut settings.deals);
        put(self.at_once.as_ref(), &mut settings.at_once);
        put(self.margin.as_ref(), &mut settings.margin);
        put(self.records.as_ref(), &mut settings.records);
        if let (Some(new), Format::Swiss { rounds }) = (self.rounds, &mut settings.format) {
            *rounds = new;
        }
    }
}

const fn rounds(settings: &Settings) -> Option<u32> {
    match settings.format {
        Format::Swiss { rounds } => Some(rounds),
        _ => None,
    }
}

/// The first difference of what is written of two leagues.
fn difference(before: &Settings, now: &Settings) -> Option<SettingsChanged> {
    let value = |settings| serde_json::to_value(settings).unwrap_or_default();
    let (mut before, mut now) = (value(before), value(now));
    name_entrants(&mut before);
    name_entrants(&mut now);
    first_difference("", &before, &now)
}

/// Entrants by name, so that an error says whose setting it is; if the names or their order differ, that is the error.
fn name_entrants(settings: &mut Value) {
    let Some(entrants) = settings.get_mut("entrants").and_then(Value::as_array_mut) else {
        return;
    };
    let entrants = std::mem::take(entrants);
    let name = |entrant: &Value| entrant["name"].as_str().unwrap_or_default().to_owned();
    let names: Vec<Value> = entrants.iter().map(|e| Value::from(name(e))).collect();
    let all = entrants.into_iter().map(|e| (name(&e), e)).collect();
    settings["entrants"] = Value::from(names);
    settings["entrant"] = Value::Object(all);
}

fn first_difference(path: &str, before: &Value, now: &Value) -> Option<SettingsChanged> {
    if before == now {
        return None;
    }
    if let (Value::Object(before), Value::Object(now)) = (before, now) {
        let names = before.keys().chain(now.keys());
        let below = |name: &String| {
            let path = if path.is_empty() {
                name.clone()
            } else {
                format!("{path}.{name}")
            };
            let of = |map: &serde_json::Map<String, Value>| map.get(name).cloned();
            first_difference(
                &path,
                &of(before).unwrap_or_default(),
                &of(now).unwrap_or_default(),
            )
        };
        return names.into_iter().find_map(below);
    }
    let text = |value: &Value| match value {
        Value::Null => "not given".to_owned(),
        value => {
            let text = value.to_string();
            match text.char_indices().nth(LONGEST_VALUE) {
                Some((end, _)) => format!("{}...", &text[..end]),
                None => text,
            }
        }
    };
    Some(SettingsChanged {
        field: path.to_owned(),
        before: text(before),
        now: text(now),
        why: "",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::league::settings::{Stage, Start};
    use crate::league::testing::settings;

    #[test]
    fn what_may_change_changes_and_nothing_else() {
        let before = settings();
        assert_eq!(Changed::between(&before, &before), Ok(None));
        let mut now = before.clone();
        now.title = "other".to_owned();
        now.deals += 5;
        now.at_once = 9;
        now.margin = 3.5;
        now.records = true;
        let changed = Changed::between(&before, &now).unwrap().unwrap();
        let text = serde_json::to_string(&changed).unwrap();
        let read: Changed = serde_json::from_str(&text).unwrap();
        let mut after = before.clone();
        read.apply(&mut after);
        assert_eq!(after, now);
        // What is secret is no part of the journal, so it is not compared; nor is the folder.
        let variable = ("KEY".to_owned(), "x".to_owned());
        now.entrants[0].environment.extend([variable]);
        now.folder = "elsewhere".into();
        assert_eq!(Changed::between(&after, &now), Ok(None));
    }

    #[test]
    fn what_may_not_change_is_named() {
        let before = settings();
        let refused = |change: &dyn Fn(&mut Settings)| {
            let mut now = before.clone();
            change(&mut now);
            Changed::between(&before, &now).unwrap_err()
        };
        let seed = refused(&|s| s.seed = 77.into());
        assert_eq!((&seed.field[..], &seed.now[..]), ("seed", "77"));
        assert!(seed.to_string().contains("--fresh"), "{seed}");
        let start = refused(&|s| s.entrants[1].start = Start::Gtp(vec!["x".repeat(500)]));
        assert!(start.field.starts_with("entrant.bo.start"), "{start}");
        assert!(start.to_string().len() < 500);
        let name = refused(&|s| s.entrants[1].name = "cy".to_owned());
        assert!(name.field.starts_with("entrant"), "{name}");
        let order = refused(&|s| s.entrants.swap(0, 1));
        assert_eq!(order.field, "entrants");
        assert_eq!(refused(&|s| s.deals = 0).field, "deals");
        let format = refused(&|s| s.format = Format::Ladder);
        assert_eq!(format.field, "format");
    }

    #[test]
    fn rounds_may_grow_but_their_deals_may_not() {
        let mut before = settings();
        before.format = Format::Swiss { rounds: 3 };
        let mut now = before.clone();
        now.format = Format::Swiss { rounds: 5 };
        let changed = Changed::between(&before, &now).unwrap().unwrap();
        let mut after = before.clone();
        changed.apply(&mut after);
        assert_eq!(after, now);
        assert_eq!(Changed::between(&now, &before).unwrap_err().field, "rounds");
        // The fixtures of a later stage would have other keys.
        let mut staged = [before.clone(), now.clone()];
        for settings in &mut staged {
            settings.stages = vec![Stage {
                name: "final".to_owned(),
                advance: 2,
                wild_cards: 0,
                groups: 1,
                format: Format::RoundRobin,
                deals: 1,
            }];
        }
        let [shorter, longer] = &staged;
        let error = Changed::between(shorter, longer).unwrap_err();
        assert_eq!(error.field, "rounds");
        now.deals += 1;
        assert_eq!(Changed::between(&before, &now).unwrap_err().field, "deals");
    }
}
