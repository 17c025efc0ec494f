//! Engines as a line of text, `NAME[:key=value]...`, for matches and experiments.
//!
//! A game lists its keys once, as [`Specified::KEYS`]; [`read`] and the texts of errors and help follow from them. The name
//! of a [`Level`] stands for the specification of its engine.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::ValueEnum;
use games::GameName;

use super::Level;
use crate::search::MOST_THREADS;
use crate::search::network::ModelOptions;

/// Engines and options that have a specification.
pub trait Specified: Sized + 'static {
    /// Names of engines.
    type Name: ValueEnum + Copy + PartialEq;
    /// The game.
    const GAME: GameName;
    /// All keys. Of two with the same name, the first that the engine has is meant.
    const KEYS: &'static [Key<Self>];

    /// An engine with the defaults.
    fn named(name: Self::Name) -> Self;

    /// Whether a limit of time may end its searches: then its moves depend on the speed of the machine.
    fn is_timed(&self) -> bool;
}

/// An option of engines.
pub struct Key<O: Specified> {
    /// Its names; all mean the same.
    pub names: &'static [&'static str],
    /// What it is.
    pub help: &'static str,
    /// The engines that have it; empty for all.
    pub engines: &'static [O::Name],
    /// What is set.
    pub value: Value<O>,
}

impl<O: Specified> Key<O> {
    /// A key of every engine.
    pub const fn new(
        names: &'static [&'static str],
        help: &'static str,
        value: Value<O>,
    ) -> Key<O> {
        Key {
            names,
            help,
            engines: &[],
            value,
        }
    }

    /// The key for these engines alone.
    #[must_use]
    pub const fn of(self, engines: &'static [O::Name]) -> Key<O> {
        Key { engines, ..self }
    }

    /// How many threads search: 1 to [`MOST_THREADS`].
    pub(crate) const fn threads(of: fn(&mut O) -> &mut usize) -> Key<O> {
        Key::new(&["threads"], "threads of the search", Value::Threads(of))
    }

    fn is_of(&self, name: O::Name) -> bool {
        self.engines.is_empty() || self.engines.contains(&name)
    }

    /// Its names and the form of its value, such as `playouts (nodes)=N`.
    fn form(&self) -> String {
        let (first, others) = self.names.split_first().expect("a key has a name");
        let others = match others {
            [] => String::new(),
            others => format!(" ({})", others.join(", ")),
        };
        format!("{first}{others}={}", self.value.form())
    }
}

/// Engines of which some ask a network.
pub trait WithNetwork: Specified {
    /// Which network.
    fn network(&mut self) -> &mut ModelOptions;
}

impl<O: WithNetwork> Key<O> {
    /// The file of the network of these engines.
    pub(crate) const fn model(engines: &'static [O::Name]) -> Key<O> {
        let set = |o: &mut O, path| o.network().model = Some(path);
        Key::new(&["model"], "the network, an .onnx file", Value::File(set)).of(engines)
    }

    /// What runs it.
    pub(crate) const fn nn_engine(engines: &'static [O::Name]) -> Key<O> {
        let set = |o: &mut O, word: &str| {
            o.network().nn_engine = ValueEnum::from_str(word, true).expect("a listed engine");
        };
        let value = Value::Word(&["auto", "ort", "rten"], set);
        Key::new(&["nn"], "what runs the network", value).of(engines)
    }

    /// Which of its files.
    pub(crate) const fn precision(engines: &'static [O::Name]) -> Key<O> {
        let set = |o: &mut O, word: &str| {
            o.network().precision = ValueEnum::from_str(word, true).expect("a listed precision");
        };
        let value = Value::Word(&["auto", "fp32", "int8"], set);
        Key::new(&["precision"], "which file of the network is taken", value).of(engines)
    }
}

/// The kind of value that a key has, and what setting it does.
pub enum Value<O> {
    /// A number of 0 or more.
    Number(fn(&mut O, f64)),
    /// Any number.
    Real(fn(&mut O, f64)),
    /// A number of threads, 0 or more, of which 1 to [`MOST_THREADS`] are taken.
    Threads(fn(&mut O) -> &mut usize),
    /// `on` or `off`; a number above 0 is `on`, 0 is `off`.
    Switch(fn(&mut O, bool)),
    /// A file.
    File(fn(&mut O, PathBuf)),
    /// One of these words, in either case.
    Word(&'static [&'static str], fn(&mut O, &str)),
}

impl<O> Value<O> {
    fn form(&self) -> String {
        match self {
            Value::Number(_) | Value::Real(_) | Value::Threads(_) => "N".to_owned(),
            Value::Switch(_) => "on|off".to_owned(),
            Value::File(_) => "FILE".to_owned(),
            Value::Word(words, _) => words.join("|"),
        }
    }

    /// Sets it; an error is what the value is not.
    fn set(&self, options: &mut O, text: &str) -> Result<(), String> {
        let number = || text.parse().ok().filter(|n: &f64| n.is_finite());
        let positive = || number().filter(|n| *n >= 0.0);
        match self {
            Value::Number(set) => set(options, positive().ok_or("a number of 0 or more")?),
            Value::Real(set) => set(options, number().ok_or("a number")?),
            Value::Threads(of) => {
                let threads = positive().ok_or("a number of 0 or more")? as usize;
                *of(options) = threads.clamp(1, MOST_THREADS);
            }
            Value::Switch(set) => {
                let is_on = match text {
                    "on" => true,
                    "off" => false,
                    _ => positive().ok_or("on or off")? > 0.0,
                };
                set(options, is_on);
            }
            Value::File(set) => set(options, text.into()),
            Value::Word(words, set) => {
                let word = words.iter().find(|word| word.eq_ignore_ascii_case(text));
                set(options, word.ok_or_else(|| words.join(", "))?);
            }
        }
        Ok(())
    }
}

/// Why a specification cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("engine specification '{text}': {reason}")]
pub struct SpecificationError {
    /// The specification.
    text: String,
    /// What is wrong.
    reason: String,
}

/// Reads a specification.
///
/// # Errors
/// When an engine or a key does not exist, or a value does not fit; the error lists what exists.
pub fn read<O: Specified>(text: &str) -> Result<O, SpecificationError> {
    read_with(text, &[])
}

/// Reads a specification and then more options, keys and values, which may have a `:`.
///
/// # Errors
/// As [`read`].
pub fn read_with<O: Specified>(
    text: &str,
    more: &[(String, String)],
) -> Result<O, SpecificationError> {
    parsed(text, more).map_err(|reason| SpecificationError {
        text: joined(text, more),
        reason,
    })
}

/// A specification with more options, as people read it.
pub fn joined(text: &str, more: &[(String, String)]) -> String {
    let more = more.iter().map(|(key, value)| format!(":{key}={value}"));
    text.to_owned() + &more.collect::<String>()
}

/// The options of a level.
pub(super) fn of_level<O: Specified>(level: Level) -> O {
    let options = parsed(level.specification(O::GAME), &[]);
    options.expect("tests read every level of every game")
}

/// The specification with that of its engine in place of a level.
fn resolved(game: GameName, text: &str) -> Cow<'_, str> {
    let (name, parts) = text.split_at(text.find(':').unwrap_or(text.len()));
    match Level::named(name) {
        Some(level) => (level.specification(game).to_owned() + parts).into(),
        None => text.into(),
    }
}

fn parsed<O: Specified>(text: &str, more: &[(String, String)]) -> Result<O, String> {
    let text = resolved(O::GAME, text);
    let (name, parts) = match text.split_once(':') {
        Some((name, parts)) => (name, Some(parts)),
        None => (&*text, None),
    };
    let engine = O::Name::from_str(name, true).map_err(|_| {
        format!(
            "no engine '{name}'; one of {}, or level-1 to level-9",
            names::<O>(O::Name::value_variants())
        )
    })?;
    let mut options = O::named(engine);
    let pair = |part: &'_ str| -> Result<_, String> {
        let (key, value) = part
            .split_once('=')
            .ok_or_else(|| format!("'{part}' is not option=value"))?;
        Ok((key.to_owned(), value.to_owned()))
    };
    let parts = parts.into_iter().flat_map(|parts| parts.split(':'));
    let more = more.iter().cloned().map(Ok);
    for pair in parts.map(pair).chain(more) {
        let (key, value) = pair?;
        let (key, value) = (&key[..], &value[..]);
        let has_name = |entry: &&Key<O>| entry.names.contains(&key);
        let named = O::KEYS.iter().filter(has_name);
        if let Some(entry) = named.clone().find(|entry| entry.is_of(engine)) {
            let set = entry.value.set(&mut options, value);
            set.map_err(|due| format!("{key}={value} is not {due}"))?;
            continue;
        }
        let others = O::Name::value_variants().iter().copied();
        let others: Vec<O::Name> = others
            .filter(|&other| named.clone().any(|entry| entry.is_of(other)))
            .collect();
        let keys = O::KEYS.iter().filter(|entry| entry.is_of(engine));
        let keys = keys.map(Key::form).collect::<Vec<_>>().join(", ");
        return Err(if others.is_empty() {
            format!("no option '{key}'; {name} has {keys}")
        } else {
            let others = names::<O>(&others);
            format!("'{key}' is an option of {others}; {name} has {keys}")
        });
    }
    Ok(options)
}

fn names<O: Specified>(engines: &[O::Name]) -> String {
    listed::<O>(engines).join(", ")
}

fn listed<O: Specified>(engines: &[O::Name]) -> Vec<String> {
    let names = engines.iter().filter_map(ValueEnum::to_possible_value);
    names.map(|name| name.get_name().to_owned()).collect()
}

/// The names of all engines.
pub fn engines<O: Specified>() -> Vec<String> {
    listed::<O>(O::Name::value_variants())
}

/// The names of all engines and all keys, a line each, for the help of programs.
pub fn help<O: Specified>() -> String {
    let mut text = "Engines are NAME[:option=value]... with these names:\n".to_owned();
    for engine in O::Name::value_variants() {
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
            engines => format!(" ({})", names::<O>(engines)),
        };
        let _ = writeln!(text, "  {:<24} {}{of}", key.form(), key.help);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{blokus, daihinmin, dobutsu, geister, score_four};

    fn error<O: Specified>(text: &str) -> String {
        read::<O>(text).err().expect("a bad one").to_string()
    }

    #[test]
    fn errors_say_what_there_is() {
        let text = error::<score_four::EngineOptions>("uct:depth=3");
        assert!(
            text.contains("no option 'depth'; uct has playouts (nodes)=N, ms=N"),
            "{text}"
        );
        let text = error::<blokus::EngineOptions>("best:model=x");
        assert!(
            text.contains("'model' is an option of blokus-zero"),
            "{text}"
        );
        let text = error::<blokus::EngineOptions>("blokus-zero:nn=gpu");
        assert!(text.contains("nn=gpu is not auto, ort, rten"), "{text}");
        let text = error::<daihinmin::EngineOptions>("worst");
        assert!(
            text.contains("no engine 'worst'; one of random, default, mc, crow, policy, best"),
            "{text}"
        );
        let text = error::<daihinmin::EngineOptions>("best:endgame=maybe");
        assert!(text.contains("endgame=maybe is not on or off"), "{text}");
    }

    #[test]
    fn a_key_may_mean_something_else_to_another_engine() {
        let zero: blokus::EngineOptions = read("Blokus-Zero:exploration=2:packing=0").unwrap();
        assert!((zero.zero.exploration - 2.0).abs() < f64::EPSILON);
        assert!(zero.zero.is_eager && !zero.zero.packing);
        let mcts: blokus::EngineOptions = read("mcts-brs:exploration=2:nodes=7").unwrap();
        assert!((mcts.exploration - 2.0).abs() < f64::EPSILON && mcts.playouts == Some(7));
    }

    #[test]
    fn an_engine_refuses_what_it_does_not_read() {
        let blokus = error::<blokus::EngineOptions>;
        let text = blokus("best:playouts=9:exploration=0.2");
        let due = "'exploration' is an option of mcts-maxn, mcts-paranoid, mcts-brs, blokus-zero; best has ";
        let at = text.find(due).expect(&text);
        assert!(text[at..].contains("trust=N"), "{text}");
        for text in ["best:epsilon=0", "greedy:history=1", "maxn:exact=on"] {
            assert!(blokus(text).contains("is an option of"), "{text}");
        }
        for text in ["best:exploration=1", "ucb1:threshold=4"] {
            let text = error::<score_four::EngineOptions>(text);
            assert!(text.contains("is an option of uct, uct-es;"), "{text}");
        }
        for text in ["policy:learn=off", "crow:weights=x", "mc:alpha=0.5"] {
            let text = error::<daihinmin::EngineOptions>(text);
            assert!(text.contains("is an option of"), "{text}");
        }
        for text in ["policy:draw=0", "best:temperature=1", "paper:spread=1"] {
            let text = error::<geister::EngineOptions>(text);
            assert!(text.contains("is an option of"), "{text}");
        }
        for text in ["alphazero:hash=1", "alphabeta:table=x"] {
            let text = error::<dobutsu::EngineOptions>(text);
            assert!(text.contains("is an option of"), "{text}");
        }
        // What a league gives to all engines does no harm where there is no search.
        for budget in ["ms", "playouts", "threads"] {
            read::<blokus::EngineOptions>(&format!("random:{budget}=3")).expect("a budget");
        }
    }

    #[test]
    fn options_beside_the_text_may_have_a_colon() {
        let more = [("model", "C:/my networks/a=b.onnx"), ("batch", "3")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()));
        let mut zero: blokus::EngineOptions = read_with("blokus-zero:batch=2", &more).unwrap();
        let model = zero.network().model.clone();
        assert_eq!(model, Some("C:/my networks/a=b.onnx".into()));
        assert_eq!(zero.zero.batch, 3);
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
        for name in ["level-0", "level-10", "level", "level-"] {
            let text = error::<geister::EngineOptions>(name);
            assert!(text.contains("or level-1 to level-9"), "{text}");
        }
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
