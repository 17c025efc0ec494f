//! What has a specification: names of engines, their keys, and the values that keys take.

use std::fmt::{self, Display, Formatter};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use games::GameName;
use models::{NnEngine, Precision};

use crate::BuildError;
use crate::search::MOST_THREADS;
use crate::search::network::ModelOptions;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Span {
    From(f64),
    Within(f64, f64),
    /// Above the first and up to the second.
    Above(f64, f64),
}

impl Span {
    pub const SHARE: Span = Span::Within(0.0, 1.0);
    pub(crate) const NON_NEGATIVE: Span = Span::From(0.0);

    fn contains(self, n: f64) -> bool {
        match self {
            Span::From(least) => n >= least,
            Span::Within(least, most) => (least..=most).contains(&n),
            Span::Above(limit, most) => n > limit && n <= most,
        }
    }

    /// Reads a number.
    ///
    /// # Errors
    /// Says what it should be.
    pub fn read(self, text: &str) -> Result<f64, String> {
        let number = text.parse().ok().filter(|n: &f64| n.is_finite());
        let number = number.filter(|n| self.contains(*n));
        number.ok_or_else(|| self.to_string())
    }
}

impl Display for Span {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Span::From(least) => write!(f, "a number of {least} or more"),
            Span::Within(least, most) => write!(f, "a number from {least} to {most}"),
            Span::Above(limit, most) => write!(f, "a number above {limit} and up to {most}"),
        }
    }
}

pub trait Names: Copy + PartialEq + 'static {
    const ALL: &'static [Self];

    fn name(self) -> &'static str;

    fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|engine| engine.name().eq_ignore_ascii_case(name))
    }
}

pub trait Specified: From<Self::Name> + 'static {
    type Name: Names;
    type Engine: ?Sized;
    const GAME: GameName;
    /// All keys. A name that several keys share means the first of them that the engine has.
    const KEYS: &'static [Key<Self>];
    /// Groups of keys, by their first names, that set the same thing: a specification has at most one key of each group.
    const ONE_OF: &'static [&'static [&'static str]] = &[];

    /// Makes the engine.
    ///
    /// # Errors
    /// A file that the engine needs, such as one of weights, a network or a table, is not there or cannot be used.
    fn build(&self, seed: u64) -> Result<Box<Self::Engine>, BuildError>;

    /// Whether a time limit may end its searches, so that its moves depend on the speed of the machine.
    fn is_timed(&self) -> bool;

    /// Refuses keys that have no effect in combination with the others. `given` has the first names of the keys that were given
    /// explicitly, without those that a level sets.
    ///
    /// # Errors
    /// Says which key has no effect, and what it needs.
    fn check(&self, _given: &[&str]) -> Result<(), String> {
        Ok(())
    }
}

pub struct Key<O: Specified> {
    /// Its names; all mean the same.
    pub names: &'static [&'static str],
    pub help: &'static str,
    /// The engines that have it; empty for all.
    pub engines: &'static [O::Name],
    /// The kind of its value, and how it is set.
    pub value: KeyValue<O>,
}

impl<O: Specified> Key<O> {
    pub const fn new(
        names: &'static [&'static str],
        help: &'static str,
        value: KeyValue<O>,
    ) -> Key<O> {
        Key {
            names,
            help,
            engines: &[],
            value,
        }
    }

    #[must_use]
    pub const fn of(self, engines: &'static [O::Name]) -> Key<O> {
        Key { engines, ..self }
    }

    /// How many threads search in these engines: 1 to [`MOST_THREADS`]. Every other engine plays with one, and takes that number.
    pub(crate) const fn threads(
        engines: &'static [O::Name],
        of: fn(&mut O) -> &mut usize,
    ) -> Key<O> {
        Key::new(&["threads"], "threads of the search", KeyValue::Threads(of)).of(engines)
    }

    pub(crate) const fn time(of: fn(&mut O) -> &mut Option<Duration>) -> Key<O> {
        Key::new(&["ms"], "most milliseconds a move", KeyValue::Time(of))
    }

    pub(super) fn is_of(&self, name: O::Name) -> bool {
        self.engines.is_empty() || self.engines.contains(&name)
    }

    /// Its names and the form of its value, such as `playouts (nodes)=N`.
    pub(super) fn form(&self) -> String {
        let (first, others) = self.names.split_first().expect("a key has a name");
        let others = match others {
            [] => String::new(),
            others => format!(" ({})", others.join(", ")),
        };
        format!("{first}{others}={}", self.value.form())
    }
}

pub trait WithNetwork: Specified {
    fn network(&mut self) -> &mut ModelOptions;
}

impl<O: WithNetwork> Key<O> {
    pub(crate) const fn model(engines: &'static [O::Name]) -> Key<O> {
        let set = |o: &mut O, path| o.network().model = Some(path);
        Key::new(
            &["model"],
            "the network, an .onnx file",
            KeyValue::File(set),
        )
        .of(engines)
    }

    pub(crate) const fn nn_engine(engines: &'static [O::Name]) -> Key<O> {
        let set = |o: &mut O, word: &str| {
            o.network().nn_engine = match word {
                "ort" => NnEngine::Ort,
                "rten" => NnEngine::Rten,
                _ => NnEngine::Auto,
            };
        };
        let value = KeyValue::Word(&["auto", "ort", "rten"], set);
        Key::new(&["nn"], "what runs the network", value).of(engines)
    }

    pub(crate) const fn precision(engines: &'static [O::Name]) -> Key<O> {
        let set = |o: &mut O, word: &str| {
            o.network().precision = match word {
                "fp32" => Precision::Fp32,
                "int8" => Precision::Int8,
                _ => Precision::Auto,
            };
        };
        let value = KeyValue::Word(&["auto", "fp32", "int8"], set);
        Key::new(&["precision"], "which file of the network is taken", value).of(engines)
    }
}

/// The kind of value that a key has, and what setting it does.
pub enum KeyValue<O> {
    Number(Span, fn(&mut O, f64)),
    Whole(RangeInclusive<u64>, fn(&mut O, u64)),
    Threads(fn(&mut O) -> &mut usize),
    /// A time in milliseconds, up to eleven days.
    Time(fn(&mut O) -> &mut Option<Duration>),
    /// `on` or `off`; a number above 0 is `on`, 0 is `off`.
    Switch(fn(&mut O, bool)),
    File(fn(&mut O, PathBuf)),
    /// One of these words, in either case.
    Word(&'static [&'static str], fn(&mut O, &str)),
}

impl<O> KeyValue<O> {
    pub(super) fn form(&self) -> String {
        match self {
            KeyValue::Number(..)
            | KeyValue::Whole(..)
            | KeyValue::Threads(_)
            | KeyValue::Time(_) => "N".to_owned(),
            KeyValue::Switch(_) => "on|off".to_owned(),
            KeyValue::File(_) => "FILE".to_owned(),
            KeyValue::Word(words, _) => words.join("|"),
        }
    }

    /// Sets the value; the error says what the value should be.
    pub(super) fn set(&self, options: &mut O, text: &str) -> Result<(), String> {
        match self {
            KeyValue::Number(span, set) => set(options, span.read(text)?),
            KeyValue::Time(of) => {
                let ms = Span::Within(0.0, 1e9).read(text)?;
                *of(options) = Some(Duration::from_secs_f64(ms / 1000.0));
            }
            KeyValue::Whole(range, set) => set(options, whole(text, range)?),
            KeyValue::Threads(of) => {
                let threads = whole(text, &(1..=MOST_THREADS as u64))?;
                *of(options) = threads as usize;
            }
            KeyValue::Switch(set) => {
                let is_on = match text {
                    "on" => true,
                    "off" => false,
                    _ => {
                        let number = text.parse().ok().filter(|n: &f64| n.is_finite());
                        number.filter(|n| *n >= 0.0).ok_or("on or off")? > 0.0
                    }
                };
                set(options, is_on);
            }
            KeyValue::File(set) => set(options, text.into()),
            KeyValue::Word(words, set) => {
                let word = words.iter().find(|word| word.eq_ignore_ascii_case(text));
                set(options, word.ok_or_else(|| words.join(", "))?);
            }
        }
        Ok(())
    }
}

/// Reads a whole number, which may have the form `2e4`; the error says what it should be.
pub(super) fn whole(text: &str, range: &RangeInclusive<u64>) -> Result<u64, String> {
    const END: f64 = u64::MAX as f64;
    let float = || {
        let number = text.parse().ok();
        let whole = number.filter(|n: &f64| n.fract() == 0.0 && (0.0..END).contains(n));
        whole.map(|n| n as u64)
    };
    let number = text.parse().ok().or_else(float);
    let number = number.filter(|n| range.contains(n));
    number.ok_or_else(|| format!("a whole number from {} to {}", range.start(), range.end()))
}
