//! From a league's file to its settings.

use std::collections::HashSet;
use std::fmt::Display;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use unicode_normalization::UnicodeNormalization as _;

use super::file::{ClocksFile, EntrantFile, File, FormatName, ProcessName, SprtFile, set};
use super::house;
use super::{
    Absent, Clocks, Contest, Disqualified, Entrant, ExclusionRule, Format, Limits, ProcessLife,
    Rules, SandboxName, Settings, Sprt, Stage, Start, plain,
};
use crate::sections::fault_of_stages;
use games::{GameName, is_printable};
use server::config;
use server::config::ConfigError;
use server::config::limits::most_random_plies;
use stats::Hypotheses;

const LONGEST_NAME: usize = 40;

/// Deals of a sitting unless the file says otherwise.
const SITTING_DEALS: u32 = 10;

/// Most deals of a sitting: the header of its record names all of their fixtures, in a line that has a greatest length.
const MOST_SITTING_DEALS: u32 = 2000;

pub fn read(path: &Path) -> Result<Settings, ConfigError> {
    let (text, name) = config::text_of(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let reader = Reader {
        text: &text,
        name: &name,
        folder,
    };
    let mut settings = reader.settings(&config::parse(&text, &name)?)?;
    folder.clone_into(&mut settings.run.folder);
    let game = settings.game();
    for (number, entrant) in settings.entrants.iter_mut().enumerate() {
        let read = entrant.access.read_token(&settings.run.folder, game);
        read.map_err(|reason| reader.error_of_entrant(number, reason))?;
    }
    Ok(settings)
}

/// An error in the section of an entrant, by its number. If the file is gone by now, it has no text.
pub fn error_of_entrant(path: &Path, number: usize, reason: impl Display) -> ConfigError {
    let (text, name) =
        config::text_of(path).unwrap_or_else(|_| (String::new(), path.display().to_string()));
    let reader = Reader {
        text: &text,
        name: &name,
        folder: Path::new(""),
    };
    reader.error_of_entrant(number, reason)
}

/// Reads the text of a league's file; `name` is its name in errors. Other files that it names are sought in the working
/// folder.
pub fn parse(text: &str, name: &str) -> Result<Settings, ConfigError> {
    let file: File = config::parse(text, name)?;
    let folder = Path::new("");
    let reader = Reader { text, name, folder };
    reader.settings(&file)
}

/// Whether an entrant may have this name.
///
/// # Errors
/// The rule of names.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let is_plain = name.trim() == name && name.chars().all(is_printable);
    if is_plain && !name.is_empty() && name.chars().count() <= LONGEST_NAME {
        return Ok(());
    }
    Err(format!(
        "a name has 1 to {LONGEST_NAME} characters, all of them printable, and no blank at its ends"
    ))
}

/// Knows the text, to say where a mistake is.
#[derive(Clone, Copy)]
struct Reader<'a> {
    text: &'a str,
    name: &'a str,
    /// Where other files lie that the file names.
    folder: &'a Path,
}

impl Reader<'_> {
    fn settings(self, file: &File) -> Result<Settings, ConfigError> {
        let game = match (file.game, file.preset) {
            (None, None) => {
                return Err(self.error(
                    "",
                    "say what is played: `game = \"daihinmin\"`, `\"geister\"`, `\"blokus\"`, `\"score-four\"` or `\"dobutsu\"`, or a `preset`",
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
        s.entrants = self.entrants(file, game)?;
        s.run.contest = self.contest(file, &mut s.entrants)?;
        s.run.ladder.clone_from(&file.ladder);
        if file.ladder.is_some() {
            s.title = format!("Ladder of {game}");
        }
        s.rules = self.rules(&s.rules, file.rules.clone())?;
        set(&mut s.title, file.title.clone());
        if !s.title.chars().all(is_printable) {
            return Err(self.error("title", "a title is one line of printable characters"));
        }
        set(&mut s.seed, file.seed);
        s.run.has_seed = file.seed.is_some();
        set(&mut s.deals, file.deals);
        set(&mut s.duplicate, file.duplicate);
        set(&mut s.session, file.session);
        set(&mut s.run.at_once, file.at_once);
        set(&mut s.random_plies, file.random_plies);
        set(&mut s.margin, file.margin);
        set(&mut s.records, file.records);
        set(&mut s.run.archive, file.archive);
        set(&mut s.run.names, file.names);
        set(&mut s.run.timeouts, file.timeouts);
        if s.run.archive && !s.records {
            let reason = "an archive is there to play every game again: it needs `records = true`";
            return Err(self.error("archive", reason));
        }
        s.points = file.points.or(s.points);
        s.clocks = file.clocks.over(s.clocks);
        for (number, (entrant, one)) in s.entrants.iter_mut().zip(&file.entrants).enumerate() {
            let own = ClocksFile {
                start_ms: None,
                move_ms: one.move_ms,
                game_ms: one.game_ms,
                increment_ms: one.increment_ms,
                wait_ms: one.wait_ms,
            };
            let own = own.over(s.clocks);
            entrant.clocks = (own != s.clocks).then_some(own);
            if entrant.clocks.is_some()
                && let Some((key, reason)) = fault_of_clocks(&own, game)
            {
                return Err(self.error_of_entrant(number, format!("`{key}`: {reason}")));
            }
        }
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
        self.stages(file, s)?;
        s.run.set_aside = file.set_aside;
        if let Some(sprt) = &file.sprt {
            s.sprt = Some(self.sprt(sprt, s)?);
        }
        if let Some((key, reason)) = fault(s).or_else(|| fault_of_stages(s)) {
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
            Rules::ScoreFour(_) => {
                return Err(self.error("[rules]", "3D four-in-a-row has no rules to choose"));
            }
            Rules::Dobutsu(rules) => Rules::Dobutsu(self.laid_over(rules, given)?),
        })
    }

    fn laid_over<R: Serialize + DeserializeOwned>(
        self,
        base: &R,
        given: toml::Table,
    ) -> Result<R, ConfigError> {
        let error = |reason: String| self.error("[rules]", reason);
        let mut table = toml::Table::try_from(base).map_err(|e| error(e.to_string()))?;
        // One key at a time, so that the one that is wrong is known.
        let wrong = |table: &toml::Table, key: &str| {
            let read = table.clone().try_into::<R>();
            read.map_err(|e| self.error_of_rule(key, config::plain(e.message())))
        };
        for (key, value) in given {
            match (table.get_mut(&key), value) {
                (Some(toml::Value::Table(_)), toml::Value::Table(over)) => {
                    for (part, value) in over {
                        if let Some(toml::Value::Table(under)) = table.get_mut(&key) {
                            under.insert(part.clone(), value);
                        }
                        wrong(&table, &part)?;
                    }
                }
                (_, value) => {
                    table.insert(key.clone(), value);
                    wrong(&table, &key)?;
                }
            }
        }
        table
            .try_into()
            .map_err(|e: toml::de::Error| error(config::plain(e.message())))
    }

    fn entrants(self, file: &File, game: GameName) -> Result<Vec<Entrant>, ConfigError> {
        let given = &file.entrants[..];
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
            check_name(&name).map_err(error)?;
            // Two that are drawn in the same way are one.
            if !names.insert(name.nfc().collect::<String>()) {
                return Err(error(format!(
                    "another entrant is called `{name}` too: give each a `name` of its own"
                )));
            }
            let access = one.access(&start, game).map_err(error)?;
            let usual = Entrant::new(name, start);
            entrants.push(Entrant {
                directory: one.directory.clone(),
                environment: one.environment.clone(),
                cpus: one.cpus.clone(),
                start_ms: one.start_ms,
                stderr_kib: one.stderr_kib.unwrap_or(usual.stderr_kib),
                remote: one.remote,
                access,
                limits: one.limits.over(file.limits.over(Limits::default())),
                sandbox: sandbox(one, file.sandbox.as_ref()).map_err(error)?,
                reads: one.reads.clone(),
                ..usual
            });
        }
        Ok(entrants)
    }

    /// The contest of remote entrants; gives each its port.
    fn contest(self, file: &File, entrants: &mut [Entrant]) -> Result<Contest, ConfigError> {
        let contest = file.contest.clone().unwrap_or_default();
        let mut ports = HashSet::new();
        let remote = entrants.iter_mut().enumerate();
        let remote = remote.filter(|(_, entrant)| entrant.comes_itself());
        for (place, (number, entrant)) in remote.enumerate() {
            let access = &mut entrant.access;
            if access.port == 0 && contest.port > 0 {
                let port = usize::from(contest.port) + place;
                access.port = u16::try_from(port).map_err(|_| {
                    let reason = "from this port on there are not enough for all remote entrants";
                    self.error("port", reason)
                })?;
            }
            if access.port > 0 && !ports.insert(access.port) {
                let reason = format!(
                    "port {} is that of another entrant: each has one of its own",
                    access.port
                );
                return Err(self.error_of_entrant(number, reason));
            }
        }
        let is_empty = !entrants.iter().any(Entrant::comes_itself);
        if file.contest.is_some() && is_empty && file.ladder.is_none() {
            let reason = "there is no entrant with `start = \"remote\"`";
            return Err(self.error("[contest]", reason));
        }
        Ok(contest)
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

    fn stages(self, file: &File, s: &mut Settings) -> Result<(), ConfigError> {
        set(&mut s.groups.count, file.groups);
        let order = file.order.names(self.folder, &s.names());
        let order = order.map_err(|reason| self.error("order", reason))?;
        let order = order.iter().map(|name| self.entrant("order", name, s));
        s.groups.order = order.collect::<Result<_, _>>()?;
        s.run.has_ranking = file.pairing_points.is_some() || file.tie_breaks.is_some();
        s.ranking.pairing_points = file.pairing_points.or(s.ranking.pairing_points);
        set(&mut s.ranking.tie_breaks, file.tie_breaks.clone());
        for (number, one) in file.stages.iter().enumerate() {
            let groups = one.groups.unwrap_or(1);
            let before = match number.checked_sub(1).map(|last| &s.stages[last]) {
                Some(last) => last.groups,
                None => s.groups.count,
            };
            let entrants =
                (before as usize).saturating_mul(one.advance as usize) + one.wild_cards as usize;
            let size = entrants / groups.max(1) as usize;
            let format = match one.format.unwrap_or(FormatName::RoundRobin) {
                FormatName::RoundRobin if one.rounds.is_none() => Format::RoundRobin,
                FormatName::Swiss => Format::Swiss {
                    rounds: one.rounds.unwrap_or_else(|| rounds(size, s.seats())),
                },
                _ => {
                    let reason = "a stage has the format `round-robin`, or `swiss` with `rounds`";
                    return Err(self.error("[[stages]]", reason));
                }
            };
            s.stages.push(Stage {
                name: one.name.clone().unwrap_or_else(|| "final".to_owned()),
                advance: one.advance,
                wild_cards: one.wild_cards,
                groups,
                format,
                deals: one.deals.unwrap_or(s.deals),
            });
        }
        let paces = [file.pace]
            .into_iter()
            .chain(file.stages.iter().map(|stage| stage.pace));
        for (stage, pace) in paces.enumerate() {
            let Some(pace) = pace else { continue };
            if let Some(reason) = pace.fault() {
                return Err(self.error_of_pace(stage, reason));
            }
            s.run.paces.insert(stage, pace);
        }
        Ok(())
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
        let line = self.text.lines().position(|line| begins(line, key));
        self.at(line.map_or(1, |line| line + 1), reason)
    }

    /// At the line of a key in the sections of the rules, or of the first of these sections.
    fn error_of_rule(self, key: &str, reason: String) -> ConfigError {
        let mut is_rules = false;
        let found = self.text.lines().position(|line| {
            if line.trim_start().starts_with('[') {
                is_rules = begins(line, "[rules");
            }
            is_rules && begins(line, key)
        });
        match found {
            Some(line) => self.at(line + 1, reason),
            None => self.error("[rules", reason),
        }
    }

    /// At the pace of a stage, or else at its section; stage 0 is the head of the file.
    fn error_of_pace(self, stage: usize, reason: String) -> ConfigError {
        let lines = || (1..).zip(self.text.lines());
        let begin = match stage.checked_sub(1) {
            None => 1,
            Some(number) => lines()
                .filter(|(_, line)| line.trim_start().starts_with("[[stages]]"))
                .nth(number)
                .map_or(1, |(at, _)| at),
        };
        let is_pace = |line: &str| {
            begins(line, "pace")
                || ["[pace]", "[stages.pace]"]
                    .iter()
                    .any(|key| begins(line, key))
        };
        let found = lines().find(|&(at, line)| at >= begin && is_pace(line));
        self.at(found.map_or(begin, |(at, _)| at), reason)
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

/// Whether a line begins a section, or sets a key.
fn begins(line: &str, key: &str) -> bool {
    let rest = line.trim_start().strip_prefix(key);
    rest.is_some_and(|rest| key.starts_with('[') || rest.trim_start().starts_with(['=', '.']))
}

/// The sandbox of an entrant: its own, or that of all. The bots of this project need none.
fn sandbox(one: &EntrantFile, of_all: Option<&toml::Value>) -> Result<Option<SandboxName>, String> {
    let is_house = one.engine.is_some();
    let name = one.sandbox.as_ref().or(of_all.filter(|_| !is_house));
    let name = name.cloned().map(|value| {
        if value.as_str() == Some("landlock") {
            return Err("`landlock` left ways out and is no more: write `bubblewrap`, or leave `sandbox` out".to_owned());
        }
        let read = value.try_into();
        read.map_err(|e: toml::de::Error| format!("`sandbox`: {}", config::plain(e.message())))
    });
    match name.transpose()? {
        Some(SandboxName::Bubblewrap) if is_house => {
            Err("the bots of this project run without a sandbox".to_owned())
        }
        Some(SandboxName::None) if !one.reads.is_empty() => {
            Err("`reads` has a meaning in the sandbox only".to_owned())
        }
        name => Ok(name),
    }
}

/// What is said of an entrant that is started in no way, or in several.
const ONE_WAY: &str = "an entrant has one of `engine` (a bot of this project), `command` (a client program), `gtp` and `usi` (engines \
    on their standard input and output), and `start = \"remote\"` (a program on another machine, which connects by itself)";

fn start(one: &EntrantFile, game: GameName) -> Result<Start, String> {
    if !one.options.is_empty() && one.engine.is_none() && one.usi.is_none() {
        return Err(
            "`options` are those of an `engine` of this project or of `usi`: put a command's into `command`"
                .to_owned(),
        );
    }
    let words = [
        one.engine.is_some(),
        one.command.is_some(),
        one.gtp.is_some(),
        one.usi.is_some(),
    ];
    let start = match (&one.engine, &one.command, &one.gtp, &one.usi) {
        _ if one.start.is_some() && words.iter().any(|given| *given) => {
            return Err(ONE_WAY.to_owned());
        }
        (None, None, None, None) if one.start.is_some() => Start::Remote,
        (Some(engine), None, None, None) if engine == "human" => {
            return Err(
                "`human` is a person at a terminal, and a league plays by itself: choose another engine"
                    .to_owned(),
            );
        }
        (Some(engine), None, None, None) => {
            house::check(game, &one.options)?;
            Start::House {
                engine: engine.clone(),
                options: one.options.clone(),
            }
        }
        (None, Some(words), None, None) => Start::Command(words.clone()),
        (None, None, Some(_), None) if game != GameName::Blokus => {
            return Err(format!(
                "GTP engines play Blokus, not {game}: give a `command`"
            ));
        }
        (None, None, Some(words), None) => Start::Gtp(words.clone()),
        (None, None, None, Some(_)) if game != GameName::Dobutsu => {
            return Err(format!(
                "USI engines play dobutsu here, not {game}: give a `command`"
            ));
        }
        (None, None, None, Some(words)) => Start::Usi {
            command: words.clone(),
            options: one.options.clone(),
        },
        _ => {
            return Err(ONE_WAY.to_owned());
        }
    };
    match &start {
        Start::Command(words) | Start::Gtp(words) | Start::Usi { command: words, .. } if words.first().is_none_or(String::is_empty) => {
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

/// Whether the protocol of the game has its own clocks.
const fn has_own_clock(game: GameName) -> bool {
    matches!(game, GameName::Daihinmin | GameName::Geister)
}

/// Returns the first invalid time limit: its key and the reason.
fn fault_of_clocks(clocks: &Clocks, game: GameName) -> Option<(&'static str, String)> {
    let increment = clocks.increment_ms.is_some();
    let (key, reason) = if clocks.start_ms == 0 {
        ("start-ms", "a program needs time to start")
    } else if clocks.move_ms.is_none() && clocks.game_ms.is_none() {
        let reason = "without a time limit one silent program would stop the league: \
                      give move-ms or game-ms";
        ("move-ms", reason)
    } else if increment && clocks.game_ms.is_none() {
        (
            "increment-ms",
            "increment-ms adds to a budget: give game-ms too",
        )
    } else if increment && has_own_clock(game) {
        let reason = format!("the clocks of {game} have no increment");
        return Some(("increment-ms", reason));
    } else if clocks.wait_ms.is_some() && game != GameName::Geister {
        let reason =
            format!("a pause between messages is for GAT clients in Geister, not for {game}");
        return Some(("wait-ms", reason));
    } else {
        return None;
    };
    Some((key, reason.to_owned()))
}

/// Returns the first setting that cannot be, wherever it comes from: its key, and why.
fn fault(s: &Settings) -> Option<(&'static str, String)> {
    let (game, seats) = (s.game(), s.seats());
    let (key, reason) = if s.deals == 0 {
        ("deals", "at least one deal is played")
    } else if s.session == 0 {
        ("session", "a session has at least one game")
    } else if s.run.at_once == 0 {
        ("at-once", "at least one table is played")
    } else if matches!(s.process, ProcessLife::Deals(deals) if deals > MOST_SITTING_DEALS) {
        let reason = format!("a sitting has at most {MOST_SITTING_DEALS} deals");
        return Some(("sitting-deals", reason));
    } else if s.process == ProcessLife::Deals(0) {
        ("sitting-deals", "at least one deal is played")
    } else if let Some(fault) = fault_of_clocks(&s.clocks, game) {
        return Some(fault);
    } else if s.session != 1 && game != GameName::Daihinmin {
        let reason = format!("no ranks carry over in {game}: a session is one game");
        return Some(("session", reason));
    } else if s.random_plies > 0 && has_own_clock(game) {
        return Some(("random-plies", format!("{game} has no random first plies")));
    } else if s.random_plies > most_random_plies(game) {
        let most = most_random_plies(game);
        let reason =
            format!("at most {most} random plies are possible: the game may be over after more");
        return Some(("random-plies", reason));
    } else if s.points.is_some() && seats != 2 {
        (
            "points",
            "points of a win, a draw and a loss are for two seats",
        )
    } else if s.points.is_some_and(|p| p.iter().any(|p| !p.is_finite())) {
        ("points", "points are numbers")
    } else if !(s.margin.is_finite() && s.margin > 0.0) {
        ("margin", "the margin is a number of rating points above 0")
    } else if s.entrants.len() < 2 && s.run.ladder.is_none() {
        let reason = "a league has two or more entrants: add sections `[[entrants]]`";
        ("[[entrants]]", reason)
    } else if s.run.contest.wait_s == 0 && s.run.contest.absent != Absent::Wait {
        let reason = "an entrant that connects again for its next game is missing for a moment: take 1 or more";
        ("wait-s", reason)
    } else if s.run.contest.absent == Absent::Skip && s.pairs_rounds() {
        let reason = "a round is paired from all games of the rounds before: `skip` would end the league; \
                      take `wait` or `forfeit`";
        ("absent", reason)
    } else if s.run.contest.disqualified == Disqualified::NotPlayed && s.pairs_rounds() {
        let reason = "a round is paired from all games of the rounds before: take `lost`";
        ("disqualified", reason)
    } else if s.run.set_aside == Some(ExclusionRule::Later) && s.pairs_rounds() {
        let reason = "a round is paired from all games of the rounds before: take `lost`";
        ("set-aside", reason)
    } else if matches!(s.format, Format::Swiss { rounds: 0 }) {
        ("rounds", "at least one round is played")
    } else if s.format.pairs_rounds() && s.entrants.len() < seats {
        let reason = format!("this format needs as many entrants as there are seats, {seats}");
        return Some(("format", reason));
    } else {
        return None;
    };
    Some((key, reason.to_owned()))
}
