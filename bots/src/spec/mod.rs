//! Specifications of engines, `NAME[:key=value]...`: engines with options in a line of text, for matches and experiments.
//!
//! A game lists its keys once, as [`Specified::KEYS`]; [`read`] and the texts of errors and help are made from this list. The name
//! of a [`Level`] stands for the specification of its engine.

mod key;

use crate::Level;
use key::whole;

pub use key::{Key, KeyValue, Names, Span, Specified, WithNetwork};

/// Defines an enumeration of engines and their names. Command lines take these names and show the doc comments as help. The options
/// of the engines can be read from a specification.
macro_rules! engine_names {
    (
        $(#[$about:meta])*
        pub enum $Name:ident of $Options:ident {
            $(#[doc = $help:tt] $Engine:ident = $name:literal,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "programs", derive(clap::ValueEnum))]
        pub enum $Name {
            $(
                #[doc = $help]
                #[cfg_attr(feature = "programs", value(name = $name))]
                $Engine,
            )+
        }

        impl $Name {
            /// All engines, in the order in which lists show them.
            pub const ALL: &'static [$Name] = &[$($Name::$Engine),+];

            pub const fn name(self) -> &'static str {
                match self {
                    $($Name::$Engine => $name,)+
                }
            }
        }

        impl $crate::spec::Names for $Name {
            const ALL: &'static [$Name] = $Name::ALL;

            fn name(self) -> &'static str {
                self.name()
            }
        }

        impl $Options {
            pub fn named(engine: $Name) -> Self {
                Self {
                    engine,
                    ..Self::default()
                }
            }
        }

        impl From<$Name> for $Options {
            fn from(engine: $Name) -> Self {
                Self::named(engine)
            }
        }

        /// Reads a specification, `NAME[:option=value]...`.
        impl std::str::FromStr for $Options {
            type Err = $crate::spec::SpecificationError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $crate::spec::read(text)
            }
        }
    };
}
pub(crate) use engine_names;

/// Whether a key of the engine of a specification takes whole numbers alone.
pub fn takes_whole<O: Specified>(text: &str, key: &str) -> bool {
    let (name, _) = parts_of(text);
    let level = Level::named(name).map(|level| engine_of_level::<O>(level));
    let engine = level.or_else(|| O::Name::named(name));
    let is_it = |entry: &&Key<O>| {
        entry.names.contains(&key) && engine.is_some_and(|engine| entry.is_of(engine))
    };
    let entry = O::KEYS.iter().find(is_it);
    entry.is_some_and(|entry| matches!(entry.value, KeyValue::Whole(..) | KeyValue::Threads(_)))
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("engine specification '{text}': {reason}")]
pub struct SpecificationError {
    text: String,
    reason: String,
}

/// Reads a specification.
///
/// # Errors
/// If an engine or a key does not exist, or a value is not allowed; the error lists what is.
pub fn read<O: Specified>(text: &str) -> Result<O, SpecificationError> {
    read_with(text, &[])
}

/// Reads a specification and then more options, as keys and values, which may contain a `:`.
pub fn read_with<O: Specified>(
    text: &str,
    more: &[(String, String)],
) -> Result<O, SpecificationError> {
    parsed(text, more).map_err(|reason| SpecificationError {
        text: joined(text, more),
        reason,
    })
}

/// A specification with more options, for people to read.
pub fn joined(text: &str, more: &[(String, String)]) -> String {
    let more = more.iter().map(|(key, value)| format!(":{key}={value}"));
    text.to_owned() + &more.collect::<String>()
}

#[cfg(feature = "programs")]
pub(crate) fn of_level<O: Specified>(level: Level) -> O {
    let options = parsed(level.specification(O::GAME), &[]);
    options.expect("tests read every level of every game")
}

pub(crate) fn engine_of_level<O: Specified>(level: Level) -> O::Name {
    let (name, _) = parts_of(level.specification(O::GAME));
    O::Name::named(name).expect("tests read every level of every game")
}

fn parsed<O: Specified>(text: &str, more: &[(String, String)]) -> Result<O, String> {
    let (name, own) = parts_of(text);
    let level = Level::named(name).map(|level| level.specification(O::GAME));
    let (name, of_level) = level.map_or((name, None), parts_of);
    let engine = O::Name::named(name).ok_or_else(|| {
        format!(
            "no engine '{name}'; one of {}, or level-1 to level-9",
            engines::<O>().join(", ")
        )
    })?;
    let mut options = O::from(engine);
    let pair = |part: &'_ str| -> Result<_, String> {
        let (key, value) = part
            .split_once('=')
            .ok_or_else(|| format!("'{part}' is not option=value"))?;
        Ok((key.to_owned(), value.to_owned()))
    };
    let split = |parts: Option<&'_ str>| {
        let parts = parts.into_iter().flat_map(|parts| parts.split(':'));
        parts.map(pair).collect::<Vec<_>>()
    };
    for pair in split(of_level) {
        let (key, value) = pair?;
        set(&mut options, engine, name, &key, &value)?;
    }
    let more = more.iter().cloned().map(Ok);
    // The first name of each key, and the name under which it was given.
    let mut given: Vec<(&'static str, String)> = Vec::new();
    for pair in split(own).into_iter().chain(more) {
        let (key, value) = pair?;
        let first = set(&mut options, engine, name, &key, &value)?;
        let is_same = |other: &str| {
            let mut groups = O::ONE_OF.iter();
            other == first || groups.any(|group| group.contains(&other) && group.contains(&first))
        };
        if let Some((_, other)) = given.iter().find(|(other, _)| is_same(other)) {
            return Err(if *other == key {
                format!("'{key}' is given twice")
            } else {
                format!("'{other}' and '{key}' set the same thing; leave one of them out")
            });
        }
        given.push((first, key));
    }
    let given: Vec<&str> = given.iter().map(|(first, _)| *first).collect();
    options.check(&given)?;
    Ok(options)
}

/// The name of an engine or level, and the options after it.
fn parts_of(text: &str) -> (&str, Option<&str>) {
    match text.split_once(':') {
        Some((name, parts)) => (name, Some(parts)),
        None => (text, None),
    }
}

/// Sets a key of an engine, whose name for errors is `name`; returns the first name of the key.
fn set<O: Specified>(
    options: &mut O,
    engine: O::Name,
    name: &str,
    key: &str,
    value: &str,
) -> Result<&'static str, String> {
    let has_name = |entry: &&Key<O>| entry.names.contains(&key);
    let named = O::KEYS.iter().filter(has_name);
    if let Some(entry) = named.clone().find(|entry| entry.is_of(engine)) {
        let set = entry.value.set(options, value);
        set.map_err(|due| format!("{key}={value} is not {due}"))?;
        return Ok(entry.names[0]);
    }
    let mut named = named;
    let is_threads = named.any(|entry| matches!(entry.value, KeyValue::Threads(_)));
    if is_threads && whole(value, &(1..=1)).is_ok() {
        return Ok("threads");
    }
    let others = engines_with::<O>(key);
    let keys = O::KEYS.iter().filter(|entry| entry.is_of(engine));
    let keys = keys.map(Key::form).collect::<Vec<_>>().join(", ");
    Err(if others.is_empty() {
        format!("no option '{key}'; {name} has {keys}")
    } else {
        let others = names::<O>(&others);
        if is_threads {
            return Err(format!(
                "leave out '{key}': {name} plays with one thread, and several are for {others}"
            ));
        }
        format!("'{key}' is an option of {others}; {name} has {keys}")
    })
}

/// Sets a key that an engine has; the error says what the value should be.
#[cfg(feature = "programs")]
pub(crate) fn assign<O: Specified>(
    options: &mut O,
    engine: O::Name,
    key: &str,
    value: &str,
) -> Result<(), String> {
    let mut keys = O::KEYS.iter();
    let entry = keys.find(|entry| entry.names.contains(&key) && entry.is_of(engine));
    let entry = entry.expect("the engine has the key");
    entry.value.set(options, value)
}

pub(crate) fn engines_with<O: Specified>(key: &str) -> Vec<O::Name> {
    let has = |&engine: &O::Name| {
        let mut keys = O::KEYS.iter();
        keys.any(|entry| entry.names.contains(&key) && entry.is_of(engine))
    };
    O::Name::ALL.iter().copied().filter(has).collect()
}

/// The names of engines, as a list of alternatives in a sentence.
pub(crate) fn names<O: Specified>(engines: &[O::Name]) -> String {
    let names = listed::<O>(engines);
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

fn listed<O: Specified>(engines: &[O::Name]) -> Vec<String> {
    let names = engines.iter().map(|engine| engine.name().to_owned());
    names.collect()
}

pub fn engines<O: Specified>() -> Vec<String> {
    listed::<O>(O::Name::ALL)
}

/// The names of all engines and all keys, a line each, for the help of programs.
#[cfg(feature = "programs")]
pub fn help<O: Specified<Name: clap::ValueEnum>>() -> String {
    use std::fmt::Write as _;

    use clap::ValueEnum as _;

    let mut text = "Engines are NAME[:option=value]... with these names:\n".to_owned();
    for engine in O::Name::ALL {
        let Some(value) = engine.to_possible_value() else {
            continue;
        };
        let help = value.get_help().map(ToString::to_string);
        let help = help.unwrap_or_default();
        let _ = writeln!(text, "  {:<16} {help}", value.get_name());
    }
    let _ = writeln!(
        text,
        "  {:<16} engines for people, from beginners to the strongest",
        "level-1 to -9"
    );
    text += "and these options:\n";
    for key in O::KEYS {
        let of = match key.engines {
            [] => String::new(),
            engines => format!(" ({})", listed::<O>(engines).join(", ")),
        };
        let _ = writeln!(text, "  {:<24} {}{of}", key.form(), key.help);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use games::GameName;

    use super::*;
    use crate::{blokus, daihinmin, dobutsu, geister, score_four};

    /// A game, a specification, and its error.
    const REFUSED: &str = "\
score-four uct:depth=3 => no option 'depth'; uct has playouts (nodes)=N, ms=N
score-four best:exploration=1 => is an option of uct or uct-es;
score-four ucb1:exploration=4 => is an option of uct or uct-es;
score-four uct:ms=5:playouts=3:ms=6 => 'ms' is given twice
score-four uct:playouts=3:nodes=3 => 'playouts' and 'nodes' set the same thing
blokus best:model=x => 'model' is an option of blokus-zero
blokus blokus-zero:nn=gpu => nn=gpu is not auto, ort, rten
blokus best:playouts=9:exploration=0.2 => 'exploration' is an option of mcts-maxn, mcts-paranoid, mcts-brs or blokus-zero; best has
blokus best:epsilon=0 => is an option of
blokus greedy:history=1 => is an option of
blokus maxn:history=1 => is an option of
blokus best:trust=1.5 => a number from 0 to 1
blokus greedy:epsilon=-0.1 => a number from 0 to 1
blokus blokus-zero:nodes=3:simulations=2 => set the same thing
daihinmin worst => no engine 'worst'; one of random, default, mc, crow, policy, best
daihinmin best:learn=maybe => learn=maybe is not on or off
daihinmin policy:learn=off => is an option of
daihinmin crow:weights=x => is an option of
daihinmin mc:alpha=0.5 => is an option of
daihinmin mc:playouts=1e12 => a whole number from
daihinmin mc:playouts=0 => a whole number from
daihinmin crow:alpha=0 => is not a number above 0 and up to 1
daihinmin crow:alpha=1.01 => is not a number above 0 and up to 1
daihinmin crow:alpha=NaN => is not a number above 0 and up to 1
daihinmin best:learn=off:field=x => 'field' needs learn=on
geister policy:draw=0 => is an option of
geister best:temperature=1 => is an option of
geister paper:learn=on => is an option of
geister best:threads=0 => is not a whole number from 1 to 256
geister best:threads=257 => is not a whole number from 1 to 256
geister best:threads=2.5 => is not a whole number from 1 to 256
geister level-0 => or level-1 to level-9
geister level-10 => or level-1 to level-9
geister level => or level-1 to level-9
geister level- => or level-1 to level-9
dobutsu alphazero:hash=1 => is an option of
dobutsu alphabeta:table=x => is an option of
dobutsu alphabeta:blunders=30 => blunders=30 is not a number from 0 to 1
dobutsu alphabeta:nodes=1.5 => nodes=1.5 is not a whole number from 1 to 18446744073709551615
dobutsu alphazero:batch=1e12 => batch=1e12 is not a whole number from 1 to 1024
dobutsu alphazero:c=1:log=on => set the same thing";

    #[test]
    fn errors_say_what_is_wrong() {
        fn error<O: Specified>(text: &str) -> String {
            read::<O>(text).err().expect(text).to_string()
        }
        for case in REFUSED.lines() {
            let (text, due) = case.split_once(" => ").expect(case);
            let (game, text) = text.split_once(' ').expect(case);
            let said = match game.parse().expect(game) {
                GameName::Daihinmin => error::<daihinmin::EngineOptions>(text),
                GameName::Geister => error::<geister::EngineOptions>(text),
                GameName::Blokus => error::<blokus::EngineOptions>(text),
                GameName::Dobutsu => error::<dobutsu::EngineOptions>(text),
                GameName::ScoreFour => error::<score_four::EngineOptions>(text),
            };
            assert!(said.contains(due), "{case}: {said}");
        }
    }

    #[test]
    fn a_key_may_mean_something_else_to_another_engine() {
        let zero: blokus::EngineOptions = read("Blokus-Zero:exploration=2").unwrap();
        assert!((zero.zero.exploration - 2.0).abs() < f64::EPSILON);
        assert!(zero.zero.is_eager);
        let mcts: blokus::EngineOptions = read("mcts-brs:exploration=2:nodes=7").unwrap();
        assert!((mcts.exploration - 2.0).abs() < f64::EPSILON && mcts.playouts == Some(7));
    }

    #[test]
    fn numbers_are_read_in_any_notation() {
        let options: dobutsu::EngineOptions = read("alphabeta:nodes=1e16").unwrap();
        assert_eq!(options.nodes, Some(10_000_000_000_000_000));
        let options: daihinmin::EngineOptions = read("best:ms=2.5").unwrap();
        assert_eq!(options.time, Some(Duration::from_micros(2500)));
        let options: blokus::EngineOptions = read("mcts-maxn:playouts=2e4:threads=256").unwrap();
        assert_eq!((options.playouts, options.threads), (Some(20_000), 256));
    }

    #[test]
    fn what_a_level_sets_may_be_given() {
        // So may a budget, which is given to all engines, where there is no search.
        for text in ["random:ms=3", "random:playouts=3"] {
            read::<blokus::EngineOptions>(text).expect(text);
        }
        for text in ["best:field=x", "level-7:threads=2", "level-7:learn=on"] {
            read::<daihinmin::EngineOptions>(text).expect(text);
        }
        let other: score_four::EngineOptions = read("level-3:playouts=9").unwrap();
        assert_eq!(other.playouts, Some(9));
    }

    #[test]
    fn counts_take_whole_numbers_alone() {
        let takes = takes_whole::<blokus::EngineOptions>;
        for (text, key) in [
            ("best:trust=0", "nodes"),
            ("Best", "threads"),
            ("level-3", "ms"),
        ] {
            assert_eq!(takes(text, key), key != "ms", "{text} {key}");
        }
        assert!(takes("blokus-zero", "lazy") && !takes("best", "lazy") && !takes("none", "nodes"));
    }

    #[test]
    fn several_threads_are_for_engines_that_have_them() {
        fn check<O: Specified>(due: &str) {
            let with = engines_with::<O>("threads");
            assert_eq!(names::<O>(&with), due);
            for &engine in O::Name::ALL {
                let name = names::<O>(&[engine]);
                read::<O>(&format!("{name}:threads=1")).unwrap_or_else(|e| panic!("{e}"));
                let two = read::<O>(&format!("{name}:threads=2"));
                if with.contains(&engine) {
                    two.unwrap_or_else(|e| panic!("{e}"));
                    continue;
                }
                let text = two.err().expect(&name).to_string();
                let rest = format!(
                    "leave out 'threads': {name} plays with one thread, and several are for {due}"
                );
                assert!(text.ends_with(&rest), "{text}");
            }
        }
        check::<daihinmin::EngineOptions>("mc, crow or best");
        check::<geister::EngineOptions>("best");
        check::<blokus::EngineOptions>("mcts-maxn, mcts-paranoid, mcts-brs, blokus-zero or best");
        check::<score_four::EngineOptions>("flat, ucb1, uct, uct-es or best");
        check::<dobutsu::EngineOptions>("alphazero");
    }

    #[test]
    fn options_beside_the_text_may_have_a_colon() {
        let more = [("model", "C:/my networks/a=b.onnx"), ("batch", "3")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()));
        let mut zero: blokus::EngineOptions = read_with("blokus-zero:leaf=1", &more).unwrap();
        let model = zero.network().model.clone();
        assert_eq!(model, Some("C:/my networks/a=b.onnx".into()));
        assert_eq!(zero.zero.batch, 3);
        let more = [("ms".to_owned(), "5".to_owned())];
        let twice = read_with::<score_four::EngineOptions>("uct:ms=5", &more);
        assert!(twice.is_err_and(|e| e.to_string().contains("given twice")));
        let more = [("depth".to_owned(), "3".to_owned())];
        let error = read_with::<score_four::EngineOptions>("uct:ms=5", &more);
        let error = error.expect_err("a bad one").to_string();
        assert!(
            error.starts_with("engine specification 'uct:ms=5:depth=3': no option"),
            "{error}"
        );
    }

    #[test]
    fn a_level_stands_for_its_specification() {
        let level = Level::named("LEVEL-9").expect("a level");
        let due = read::<geister::EngineOptions>(level.specification(GameName::Geister));
        let named = read::<geister::EngineOptions>("level-9");
        assert_eq!(named, due);
        let other = read::<geister::EngineOptions>("level-9:threads=3").expect("more options");
        let due = due.expect("a level");
        assert_eq!(other, geister::EngineOptions { threads: 3, ..due });
    }

    #[test]
    fn the_help_has_all_names_and_keys() {
        let text = help::<blokus::EngineOptions>() + &help::<geister::EngineOptions>();
        for due in [
            "blokus-zero ",
            "paper ",
            "precision=auto|fp32|int8 ",
            "playouts (nodes)=N ",
        ] {
            assert!(text.contains(due), "{due} is not in\n{text}");
        }
    }
}
