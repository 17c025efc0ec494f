//! From a league's file to its settings.

use std::collections::HashSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::check::fault;
use super::file::{EntrantFile, File, FormatName, ProcessName, SprtFile};
use super::preset::plain;
use super::{Entrant, Format, ProcessLife, Rules, Settings, Sprt, Start};
use crate::config::{self, ConfigError};
use games::GameName;
use stats::Hypotheses;

/// Most characters of an entrant's name.
const LONGEST_NAME: usize = 40;

/// KiB of standard error that are kept unless the file says otherwise.
const STDERR_KIB: u32 = 64;

/// Deals of a sitting unless the file says otherwise.
const SITTING_DEALS: u32 = 10;

/// Reads the file of a league.
///
/// # Errors
/// The first mistake, with its line.
pub fn read(path: &Path) -> Result<Settings, ConfigError> {
    let (text, name) = config::text_of(path)?;
    let mut settings = parse(&text, &name)?;
    settings.folder = path.parent().map_or_else(PathBuf::new, Path::to_owned);
    Ok(settings)
}

/// Reads the text of a league's file; `name` is its name in errors.
///
/// # Errors
/// The first mistake, with its line.
pub fn parse(text: &str, name: &str) -> Result<Settings, ConfigError> {
    let file: File = config::parse(text, name)?;
    let reader = Reader { text, name };
    reader.settings(&file)
}

/// Knows the text, to say where a mistake is.
#[derive(Clone, Copy)]
struct Reader<'a> {
    text: &'a str,
    name: &'a str,
}

impl Reader<'_> {
    fn settings(self, file: &File) -> Result<Settings, ConfigError> {
        let game = match (file.game, file.preset) {
            (None, None) => {
                return Err(self.error(
                    "",
                    "say what is played: `game = \"daihinmin\"`, `\"geister\"`, `\"blokus\"` or `\"score-four\"`, or a `preset`",
                ));
            }
            (Some(game), Some(preset)) if game != preset.game() => {
                let reason = format!("this preset is one of {}, not of {game}", preset.game());
                return Err(self.error("preset", reason));
            }
            (game, preset) => game.or(preset.map(super::Preset::game)),
        }
        .unwrap_or(GameName::Daihinmin);
        let mut settings = plain(game);
        if let Some(preset) = file.preset {
            preset.apply(&mut settings);
        }
        let s = &mut settings;
        s.entrants = self.entrants(&file.entrants, game)?;
        s.rules = self.rules(&s.rules, file.rules.clone())?;
        set(&mut s.title, file.title.clone());
        set(&mut s.seed, file.seed);
        set(&mut s.deals, file.deals);
        set(&mut s.duplicate, file.duplicate);
        set(&mut s.session, file.session);
        set(&mut s.at_once, file.at_once);
        set(&mut s.random_plies, file.random_plies);
        set(&mut s.margin, file.margin);
        set(&mut s.records, file.records);
        s.points = file.points.or(s.points);
        set(&mut s.clocks.start_ms, file.clocks.start_ms);
        limit(&mut s.clocks.move_ms, file.clocks.move_ms);
        limit(&mut s.clocks.game_ms, file.clocks.game_ms);
        limit(&mut s.clocks.increment_ms, file.clocks.increment_ms);
        match (file.process, file.sitting_deals) {
            (Some(ProcessName::Fixture), Some(_)) => {
                let reason = "has no meaning with `process = \"fixture\"`";
                return Err(self.error("sitting-deals", reason));
            }
            (Some(ProcessName::Fixture), None) => s.process = ProcessLife::Fixture,
            (Some(ProcessName::Sitting), deals) => {
                s.process = ProcessLife::Deals(deals.unwrap_or(SITTING_DEALS));
            }
            (None, Some(deals)) => s.process = ProcessLife::Deals(deals),
            (None, None) => {}
        }
        if let Some(anchor) = &file.anchor {
            s.anchor = self.entrant("anchor", anchor, s)?;
        }
        s.format = self.format(file, s)?;
        if let Some(sprt) = &file.sprt {
            s.sprt = Some(self.sprt(sprt, s)?);
        }
        if let Some((key, reason)) = fault(s) {
            return Err(self.error(key, reason));
        }
        Ok(settings)
    }

    /// The rules, with what the file says laid over them.
    fn rules(self, base: &Rules, given: toml::Table) -> Result<Rules, ConfigError> {
        if given.is_empty() {
            return Ok(base.clone());
        }
        Ok(match base {
            Rules::Daihinmin(rules) => Rules::Daihinmin(self.laid_over(rules, given)?),
            Rules::Geister(rules) => Rules::Geister(self.laid_over(rules, given)?),
            Rules::Blokus(rules) => Rules::Blokus(self.laid_over(rules, given)?),
            Rules::ScoreFour(rules) => Rules::ScoreFour(self.laid_over(rules, given)?),
        })
    }

    fn laid_over<R: Serialize + DeserializeOwned>(
        self,
        base: &R,
        given: toml::Table,
    ) -> Result<R, ConfigError> {
        let error = |reason: String| self.error("[rules]", reason);
        let mut table = toml::Table::try_from(base).map_err(|e| error(e.to_string()))?;
        for (key, value) in given {
            match (table.get_mut(&key), value) {
                (Some(toml::Value::Table(under)), toml::Value::Table(over)) => under.extend(over),
                (_, value) => {
                    table.insert(key, value);
                }
            }
        }
        table
            .try_into()
            .map_err(|e: toml::de::Error| error(e.message().replace('\n', " ")))
    }

    fn entrants(self, given: &[EntrantFile], game: GameName) -> Result<Vec<Entrant>, ConfigError> {
        let mut entrants: Vec<Entrant> = Vec::with_capacity(given.len());
        let mut names = HashSet::new();
        for (number, one) in given.iter().enumerate() {
            let error = |reason: String| self.error_of_entrant(number, reason);
            let start = start(one, game).map_err(error)?;
            let name = match (&one.name, &start) {
                (Some(name), _) => name.clone(),
                (None, Start::House { engine, .. }) => engine.clone(),
                (None, _) => return Err(error("the entrant needs a `name`".to_owned())),
            };
            let is_plain = !name.trim().is_empty() && !name.chars().any(char::is_control);
            if !is_plain || name.chars().count() > LONGEST_NAME {
                return Err(error(format!(
                    "a name has 1 to {LONGEST_NAME} characters, all of them printable"
                )));
            }
            if !names.insert(name.clone()) {
                return Err(error(format!(
                    "another entrant is called `{name}` too: give each a `name` of its own"
                )));
            }
            entrants.push(Entrant {
                name,
                start,
                directory: one.directory.clone(),
                environment: one.environment.clone(),
                cpus: one.cpus.clone(),
                start_ms: one.start_ms,
                stderr_kib: one.stderr_kib.unwrap_or(STDERR_KIB),
            });
        }
        Ok(entrants)
    }

    fn format(self, file: &File, settings: &Settings) -> Result<Format, ConfigError> {
        let name = file.format.unwrap_or(match settings.format {
            Format::Copies { .. } => FormatName::Copies,
            _ => FormatName::RoundRobin,
        });
        let has_one = matches!(name, FormatName::Gauntlet | FormatName::Copies);
        if file.challenger.is_some() && !has_one {
            let reason = "only the formats `gauntlet` and `copies` have a challenger";
            return Err(self.error("challenger", reason));
        }
        if file.rounds.is_some() && name != FormatName::Swiss {
            return Err(self.error("rounds", "only the format `swiss` has a number of rounds"));
        }
        let challenger = match &file.challenger {
            Some(name) => self.entrant("challenger", name, settings)?,
            None => 0,
        };
        Ok(match name {
            FormatName::RoundRobin => Format::RoundRobin,
            FormatName::Gauntlet => Format::Gauntlet { challenger },
            FormatName::Copies => Format::Copies { challenger },
            FormatName::Swiss => Format::Swiss {
                rounds: file
                    .rounds
                    .unwrap_or_else(|| rounds(settings.entrants.len(), settings.seats())),
            },
            FormatName::Ladder => Format::Ladder,
        })
    }

    fn sprt(self, file: &SprtFile, settings: &Settings) -> Result<Sprt, ConfigError> {
        let entrant = match &file.entrant {
            Some(name) => self.entrant("entrant", name, settings)?,
            None => 0,
        };
        let (alpha, beta) = (file.alpha.unwrap_or(0.05), file.beta.unwrap_or(0.05));
        let is_chance = |p: f64| p > 0.0 && p < 0.5;
        if !is_chance(alpha) || !is_chance(beta) {
            return Err(self.error("[sprt]", "alpha and beta lie between 0 and 0.5"));
        }
        let hypotheses = match (file.elo0, file.elo1, file.score0, file.score1) {
            (Some(elo0), Some(elo1), None, None) => {
                if settings.seats() != 2 {
                    let reason = "elo0 and elo1 are for two seats: give score0 and score1, the share of the others \
                                  in a game that it beats";
                    return Err(self.error("elo0", reason));
                }
                Hypotheses::of_ratings(elo0, elo1, alpha, beta)
            }
            (None, None, Some(s0), Some(s1)) => Hypotheses {
                s0,
                s1,
                alpha,
                beta,
            },
            _ => {
                let reason =
                    "give elo0 and elo1 (logistic Elo of the mean score), or score0 and score1";
                return Err(self.error("[sprt]", reason));
            }
        };
        if !(0.0 < hypotheses.s0 && hypotheses.s0 < hypotheses.s1 && hypotheses.s1 < 1.0) {
            let reason =
                "the second hypothesis must be above the first, and both scores between 0 and 1";
            return Err(self.error("[sprt]", reason));
        }
        Ok(Sprt {
            entrant,
            hypotheses,
        })
    }

    /// The number of an entrant.
    fn entrant(self, key: &str, name: &str, settings: &Settings) -> Result<usize, ConfigError> {
        let names = settings.names();
        names.iter().position(|&one| one == name).ok_or_else(|| {
            let reason = format!(
                "no entrant is called `{name}`; there are {}",
                names.join(", ")
            );
            self.error(key, reason)
        })
    }

    /// An error at the first line that begins with `key`, or at the first line of all.
    fn error(self, key: &str, reason: impl Display) -> ConfigError {
        let begins = |line: &str| {
            let rest = line.trim_start().strip_prefix(key);
            rest.is_some_and(|rest| {
                key.starts_with('[') || rest.trim_start().starts_with(['=', '.'])
            })
        };
        let line = self.text.lines().position(begins);
        self.at(line.map_or(1, |line| line + 1), reason)
    }

    fn error_of_entrant(self, number: usize, reason: impl Display) -> ConfigError {
        let lines = self.text.lines().enumerate();
        let mut sections = lines.filter(|(_, line)| line.trim_start().starts_with("[[entrants]]"));
        self.at(sections.nth(number).map_or(1, |(line, _)| line + 1), reason)
    }

    fn at(self, line: usize, reason: impl Display) -> ConfigError {
        ConfigError {
            file: self.name.to_owned(),
            line,
            reason: reason.to_string(),
        }
    }
}

/// What an entrant's section starts.
fn start(one: &EntrantFile, game: GameName) -> Result<Start, String> {
    if !one.options.is_empty() && one.engine.is_none() {
        return Err(
            "`options` are those of an `engine` of this project: put a command's into `command`"
                .to_owned(),
        );
    }
    let start = match (&one.engine, &one.command, &one.gtp) {
        (Some(engine), None, None) => Start::House {
            engine: engine.clone(),
            options: one.options.clone(),
        },
        (None, Some(words), None) => Start::Command(words.clone()),
        (None, None, Some(_)) if game != GameName::Blokus => {
            return Err(format!(
                "GTP engines play Blokus, not {game}: give a `command`"
            ));
        }
        (None, None, Some(words)) => Start::Gtp(words.clone()),
        _ => {
            return Err(
                "an entrant has one of `engine` (a bot of this project), `command` (a client program) and `gtp` (an \
                 engine on its standard input and output)"
                    .to_owned(),
            );
        }
    };
    match &start {
        Start::Command(words) | Start::Gtp(words) if words.first().is_none_or(String::is_empty) => {
            Err("the command names no program".to_owned())
        }
        Start::Command(words) if !words.iter().any(|word| word.contains("{port}")) => Err(
            "the command does not say where to connect: put {host} and {port} where its address belongs".to_owned(),
        ),
        _ => Ok(start),
    }
}

/// Rounds after which a Swiss tournament has one winner, if the better one always wins.
fn rounds(entrants: usize, seats: usize) -> u32 {
    let (mut rounds, mut left) = (1, entrants.div_ceil(seats.max(2)));
    while left > 1 {
        rounds += 1;
        left = left.div_ceil(seats.max(2));
    }
    rounds
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// 0 takes a limit away.
fn limit(place: &mut Option<u64>, value: Option<u64>) {
    if let Some(value) = value {
        *place = (value > 0).then_some(value);
    }
}
