//! What may change in the settings of a league that has begun.

use serde_json::Value;

use crate::settings::{Format, Settings};

/// Settings that are not those of the journal, where they have to be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the league has begun with other settings: {difference}{why}. Put it back, or play the new league elsewhere (--out DIR) or \
     from the beginning (--fresh)"
)]
pub struct SettingsChanged {
    pub difference: Difference,
    /// Why it may not change, where that is not plain.
    pub why: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` was {before} and is {now}")]
pub struct Difference {
    pub field: String,
    /// Its value in the journal.
    pub before: String,
    /// Its value in the file.
    pub now: String,
}

const LONGEST_VALUE: usize = 120;

/// Whether a league that has begun with the settings `before` may go on with `now`.
///
/// # Errors
/// A setting that may not change while games of the league are kept: they would be games of another one.
pub fn check_change(before: &Settings, now: &Settings) -> Result<(), SettingsChanged> {
    let fault = |field: &str, before: u32, now: u32, why| {
        let difference = Difference {
            field: field.to_owned(),
            before: before.to_string(),
            now: now.to_string(),
        };
        Err(SettingsChanged { difference, why })
    };
    let deals = [before.deals, now.deals];
    if deals[0] != deals[1] && now.pairs_rounds() {
        let why = ", and later rounds follow from the games of those before";
        return fault("deals", deals[0], deals[1], why);
    }
    if deals[1] < deals[0] {
        return fault("deals", deals[0], deals[1], ", and it may only grow");
    }
    let mut allowed = Settings {
        title: now.title.clone(),
        deals: now.deals,
        margin: now.margin,
        records: now.records,
        ..before.clone()
    };
    if let (Format::Swiss { rounds: was }, Format::Swiss { rounds }) = (before.format, now.format) {
        if rounds < was {
            return fault("rounds", was, rounds, ", and it may only grow");
        }
        if rounds > was && !now.stages.is_empty() {
            let why = ", and the next stage follows from the games of all rounds";
            return fault("rounds", was, rounds, why);
        }
        allowed.format = now.format;
    }
    if now.format == Format::Ladder && now.entrants.starts_with(&before.entrants) {
        // New ones come to a ladder after those that are there.
        allowed.entrants.clone_from(&now.entrants);
    }
    if !now.pairs_rounds() {
        // Nothing that is played depends on it.
        allowed.ranking = now.ranking.clone();
    }
    match difference(&allowed, now) {
        Some(difference) => Err(SettingsChanged {
            difference,
            why: "",
        }),
        None => Ok(()),
    }
}

/// The first difference of what the journal has of two leagues.
#[expect(clippy::missing_panics_doc, reason = "settings are plain data")]
pub fn difference(before: &Settings, now: &Settings) -> Option<Difference> {
    let value = |settings| serde_json::to_value(settings).expect("settings are plain data");
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

fn first_difference(path: &str, before: &Value, now: &Value) -> Option<Difference> {
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
    Some(Difference {
        field: path.to_owned(),
        before: text(before),
        now: text(now),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Stage, Start};
    use crate::testing::settings;

    #[test]
    fn what_may_change_changes_and_nothing_else() {
        let before = settings();
        assert_eq!(difference(&before, &before), None);
        let mut now = before.clone();
        now.title = "other".to_owned();
        now.deals += 5;
        now.margin = 3.5;
        now.records = true;
        assert_eq!(check_change(&before, &now), Ok(()));
        assert_eq!(difference(&before, &now).unwrap().field, "deals");
        let after = now.clone();
        // What is secret is no part of the journal, so it is not compared; nor is the folder.
        let variable = ("KEY".to_owned(), "x".to_owned());
        now.entrants[0].environment.extend([variable]);
        now.run.folder = "elsewhere".into();
        assert_eq!(difference(&after, &now), None);
    }

    #[test]
    fn what_may_not_change_is_named() {
        let before = settings();
        let refused = |change: &dyn Fn(&mut Settings)| {
            let mut now = before.clone();
            change(&mut now);
            check_change(&before, &now).unwrap_err()
        };
        let seed = refused(&|s| s.seed = 77.into());
        assert!(
            seed.to_string().contains("`seed` was 1 and is 77"),
            "{seed}"
        );
        assert!(seed.to_string().contains("--fresh"), "{seed}");
        let start = refused(&|s| s.entrants[1].start = Start::Gtp(vec!["x".repeat(500)]));
        assert!(
            start.difference.field.starts_with("entrant.bo.start"),
            "{start}"
        );
        assert!(start.to_string().len() < 500);
        let name = refused(&|s| s.entrants[1].name = "cy".to_owned());
        assert!(name.difference.field.starts_with("entrant"), "{name}");
        let order = refused(&|s| s.entrants.swap(0, 1));
        assert_eq!(order.difference.field, "entrants");
        assert_eq!(refused(&|s| s.deals = 0).difference.field, "deals");
        let format = refused(&|s| s.format = Format::Ladder);
        assert_eq!(format.difference.field, "format");
    }

    #[test]
    fn rounds_may_grow_but_their_deals_may_not() {
        let mut before = settings();
        before.format = Format::Swiss { rounds: 3 };
        let mut now = before.clone();
        now.format = Format::Swiss { rounds: 5 };
        assert_eq!(check_change(&before, &now), Ok(()));
        let refused = |before: &Settings, now: &Settings| {
            check_change(before, now).unwrap_err().difference.field
        };
        assert_eq!(refused(&now, &before), "rounds");
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
        assert_eq!(refused(shorter, longer), "rounds");
        now.deals += 1;
        assert_eq!(refused(&before, &now), "deals");
    }
}
