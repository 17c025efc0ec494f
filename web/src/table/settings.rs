//! What a table is to be.

use bots::Level;
use games::GameName;
use protocol::native::Clocks;
use serde::{Deserialize, Deserializer, Serialize};

use crate::catalogue::{engines, has_draws};

const MOST_GAMES: u32 = 100;
/// Most time of a clock in milliseconds: a day.
const MOST_MS: u64 = 24 * 60 * 60 * 1000;
/// Most time of a bot for a move.
const MOST_MOVE_MS: u64 = 60_000;
/// What the programs of bots call a person at their terminal.
const PERSON: &str = "human";
/// The option of a bot's seed, which may be 0; all others are numbers from 1.
const SEED: &str = "seed";

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) game: GameName,
    pub(crate) seats: Vec<SeatSpec>,
    #[serde(default = "one")]
    pub(crate) games: u32,
    #[serde(default)]
    pub(crate) practice: bool,
    #[serde(default, deserialize_with = "clock")]
    pub(crate) clock: Option<Clocks>,
    /// Seed of deals and openings, for tests: it tells all hands.
    #[serde(default)]
    pub(crate) seed: Option<u64>,
    /// Whether the lobby lists the table for watchers; otherwise only its link leads to it while it is in play.
    #[serde(default)]
    pub(crate) listed: Option<bool>,
    /// Whether the lobby offers the open seats to everybody; otherwise only their links lead to them.
    #[serde(default)]
    pub(crate) anybody: bool,
    /// The position in which the game begins, as its record writes it: what is left of a game whose last moves were
    /// taken back. Empty is the first one.
    #[serde(skip)]
    pub(crate) position: String,
}

/// Reads the clock of a table. The protocol's `Clocks` has one more field, and ignores unknown fields.
fn clock<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Clocks>, D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Clock {
        #[serde(rename = "budget_ms")]
        budget: Option<u64>,
        #[serde(rename = "increment_ms")]
        increment: Option<u64>,
        #[serde(rename = "move_ms")]
        each_move: Option<u64>,
    }
    let clock = Option::<Clock>::deserialize(from)?;
    Ok(clock.map(|clock| Clocks {
        budget_ms: clock.budget,
        increment_ms: clock.increment,
        move_ms: clock.each_move,
        resume_ms: None,
    }))
}

const fn one() -> u32 {
    1
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum SeatSpec {
    // With braces, as serde ignores the fields of a variant without them.
    Person {},
    /// A seat for another person, who gets a link to it.
    Open {},
    /// The person at the terminal of this program, which no page can ask for.
    #[serde(skip)]
    Terminal,
    Bot {
        /// Engine and options, such as `best:playouts=100`.
        #[serde(default = "best")]
        spec: String,
        #[serde(default)]
        move_ms: Option<u64>,
    },
}

fn best() -> String {
    "best".to_owned()
}

/// A bot, as its command line wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BotSpec {
    pub(crate) engine: String,
    pub(crate) options: Vec<(String, String)>,
    pub(crate) move_ms: Option<u64>,
}

impl BotSpec {
    /// Whether a person plays in its place, at the terminal.
    pub(crate) fn is_person(&self) -> bool {
        self.engine == PERSON
    }
}

impl Settings {
    /// Whether a person plays at the terminal of this program.
    pub(crate) fn has_terminal(&self) -> bool {
        let mut seats = self.seats.iter();
        seats.any(|seat| matches!(seat, SeatSpec::Terminal))
    }

    /// Whether the lobby lists the table. A table with open seats is listed only if its maker says so.
    pub(crate) fn is_listed(&self) -> bool {
        let mut seats = self.seats.iter();
        let is_open = |seat| matches!(seat, &SeatSpec::Open {});
        self.listed.unwrap_or_else(|| !seats.any(is_open))
    }

    /// Whether moves are taken back: in practice of one game that hides nothing, against bots, without a clock.
    pub(crate) fn can_take_back(&self) -> bool {
        let bots = self.seats.iter();
        let bots = bots.filter(|seat| matches!(seat, SeatSpec::Bot { .. }));
        self.practice
            && self.games == 1
            && self.clock.is_none()
            && self.game.is_open()
            && bots.count() + 1 == self.seats.len()
    }

    /// Whether it is a table of two persons and no bot, with a game that hides nothing.
    fn is_of_two_persons(&self) -> bool {
        let mut seats = self.seats.iter();
        let is_person = |seat: &SeatSpec| matches!(seat, SeatSpec::Person {} | SeatSpec::Open {});
        self.seats.len() == 2 && self.game.is_open() && seats.all(is_person)
    }

    /// Whether a person may ask the other one to take a move back: in a single game without a budget of time, which would
    /// begin anew.
    pub(crate) fn asks_to_take_back(&self) -> bool {
        let budget = self.clock.and_then(|clock| clock.budget_ms);
        self.is_of_two_persons() && self.games == 1 && budget.unwrap_or(0) == 0
    }

    /// Whether two persons may agree on a draw. No bot accepts one.
    pub(crate) fn has_draws(&self) -> bool {
        self.is_of_two_persons() && has_draws(self.game)
    }

    /// Checks them; gives the bots by player.
    ///
    /// # Errors
    /// A sentence on what cannot be.
    pub(crate) fn bots(&self) -> Result<Vec<Option<BotSpec>>, String> {
        let due = self.game.seats();
        if self.seats.len() != due {
            return Err(format!("{} has {due} seats", self.game));
        }
        if !(1..=MOST_GAMES).contains(&self.games) {
            return Err(format!("a match has 1 to {MOST_GAMES} games"));
        }
        if let Some(clock) = self.clock {
            let times = [clock.budget_ms, clock.increment_ms, clock.move_ms];
            if times.into_iter().flatten().any(|ms| ms > MOST_MS) {
                return Err("a clock has at most a day".to_owned());
            }
            let has = |ms: Option<u64>| ms.is_some_and(|ms| ms > 0);
            if !has(clock.budget_ms) && !has(clock.move_ms) {
                return Err("a clock needs a budget or a time for the move".to_owned());
            }
        }
        if self
            .seats
            .iter()
            .all(|seat| matches!(seat, SeatSpec::Bot { .. }))
        {
            return Err("a table needs a person".to_owned());
        }
        let persons = self.seats.iter();
        let persons = persons.filter(|seat| !matches!(seat, SeatSpec::Bot { .. }));
        if self.seed.is_some() && persons.count() > 1 {
            return Err("a seed tells all deals: it is for a table with one person".to_owned());
        }
        if self.clock.is_some_and(|clock| clock.increment_ms > Some(0))
            && self.game.protocol() != "native"
        {
            return Err(format!("the protocol of {} has no increments", self.game));
        }
        let seats = self.seats.iter();
        seats
            .map(|seat| match seat {
                SeatSpec::Person {} | SeatSpec::Open {} => Ok(None),
                SeatSpec::Terminal => Ok(Some(BotSpec {
                    engine: PERSON.to_owned(),
                    options: Vec::new(),
                    move_ms: None,
                })),
                SeatSpec::Bot { spec, move_ms } => self.bot(spec, *move_ms).map(Some),
            })
            .collect()
    }

    /// What a bot of the game can be told beside its time; a level sets its own playouts.
    fn options(&self, engine: &str) -> &'static [&'static str] {
        if Level::named(engine).is_some() {
            return &[SEED];
        }
        match self.game {
            GameName::Daihinmin | GameName::ScoreFour => &["playouts", SEED],
            GameName::Geister => &["simulations", SEED],
            GameName::Blokus | GameName::Dobutsu => &["playouts", "simulations", SEED],
        }
    }

    fn bot(&self, spec: &str, move_ms: Option<u64>) -> Result<BotSpec, String> {
        let mut parts = spec.split(':');
        let engine = parts.next().unwrap_or_default();
        let level = Level::named(engine);
        if !engines(self.game).iter().any(|name| name == engine) && level.is_none() {
            let engine: String = engine.chars().take(20).collect();
            let names = engines(self.game).join(", ");
            return Err(format!(
                "no engine '{engine}'; one of {names}, or level-1 to level-9"
            ));
        }
        let engine = level.map_or(engine, |level| level.name());
        let known = self.options(engine);
        let mut options = Vec::new();
        for part in parts {
            match part.split_once('=') {
                Some((key, value))
                    if known.contains(&key)
                        && value.parse::<u32>().is_ok_and(|n| n > 0 || key == SEED) =>
                {
                    options.push((key.to_owned(), value.to_owned()));
                }
                _ => {
                    return Err(format!(
                        "options of {engine} of {} are {}, each with a number",
                        self.game,
                        known.join(", ")
                    ));
                }
            }
        }
        if move_ms.is_some_and(|ms| !(1..=MOST_MOVE_MS).contains(&ms)) {
            return Err(format!("a bot has 1 to {MOST_MOVE_MS} ms for a move"));
        }
        // The search ends with whichever is spent first: a huge number of playouts does not think for ever.
        let counts = options.iter().any(|(key, _)| key != SEED);
        Ok(BotSpec {
            engine: engine.to_owned(),
            options,
            move_ms: move_ms.or(counts.then_some(MOST_MOVE_MS)),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn bots(value: Value) -> Result<Vec<Option<BotSpec>>, String> {
        let settings: Settings = serde_json::from_value(value).map_err(|e| e.to_string())?;
        settings.bots()
    }

    #[test]
    fn moves_are_taken_back_in_practice_of_one_open_game_alone() {
        let can = |change: Value| {
            let seats = json!([{ "kind": "person" }, { "kind": "bot" }]);
            let mut value = json!({ "game": "dobutsu", "seats": seats, "practice": true });
            for (key, to) in change.as_object().expect("an object") {
                value[key] = to.clone();
            }
            let settings: Settings = serde_json::from_value(value).expect("settings");
            settings.can_take_back()
        };
        assert!(can(json!({})));
        for change in [
            json!({ "practice": false }),
            json!({ "games": 2 }),
            json!({ "clock": { "move_ms": 1000 } }),
            json!({ "game": "geister" }),
            json!({ "seats": [{ "kind": "person" }, { "kind": "open" }] }),
        ] {
            assert!(!can(change.clone()), "{change}");
        }
    }

    #[test]
    fn a_bot_that_is_told_its_playouts_has_a_time_too() {
        let time = |spec: &str, move_ms: Option<u64>| {
            let bot = json!({ "kind": "bot", "spec": spec, "move_ms": move_ms });
            let seats = json!([{ "kind": "person" }, bot]);
            let read = bots(json!({ "game": "dobutsu", "seats": seats })).expect("settings");
            read[1].as_ref().expect("a bot").move_ms
        };
        for spec in [
            "alphabeta:playouts=4294967295",
            "alphazero:simulations=9:seed=1",
        ] {
            assert_eq!(time(spec, None), Some(MOST_MOVE_MS), "{spec}");
            assert_eq!(time(spec, Some(100)), Some(100), "{spec}");
        }
        // Others have a time or a number of playouts of their own.
        for spec in ["best", "alphabeta:seed=1", "level-1"] {
            assert_eq!(time(spec, None), None, "{spec}");
        }
    }

    #[test]
    fn what_cannot_be_is_said() {
        let seats = json!([{ "kind": "person" }, { "kind": "bot", "spec": "best:playouts=9" }]);
        let read = bots(json!({ "game": "score-four", "seats": seats })).expect("settings");
        let bot = read[1].as_ref().expect("a bot");
        assert_eq!(bot.options, [("playouts".to_owned(), "9".to_owned())]);
        let level = json!([{ "kind": "person" }, { "kind": "bot", "spec": "Level-9:seed=1" }]);
        let read = bots(json!({ "game": "score-four", "seats": level })).expect("settings");
        assert_eq!(read[1].as_ref().expect("a bot").engine, "level-9");
        for (change, reason) in [
            (json!({ "games": 0 }), "1 to 100 games"),
            (
                json!({ "game": "geister" }),
                "options of best of geister are simulations, seed",
            ),
            (json!({ "game": "blokus" }), "blokus has 4 seats"),
            (json!({ "game": "go" }), "unknown variant"),
            (json!({ "practise": true }), "unknown field `practise`"),
            (
                json!({ "clock": { "move_ms": 9, "increment": 5 } }),
                "unknown field `increment`",
            ),
            (
                json!({ "seats": [{ "kind": "person", "spec": "x" }, { "kind": "bot" }] }),
                "unknown field `spec`",
            ),
            (
                json!({ "seats": [{ "kind": "open", "move_ms": 9 }, { "kind": "bot" }] }),
                "unknown field `move_ms`",
            ),
            (
                json!({ "seats": [{ "kind": "person" }, { "kind": "bot", "move-ms": 9 }] }),
                "unknown field `move-ms`",
            ),
            (json!({ "clock": { "budget_ms": 0 } }), "a clock needs"),
            (
                json!({ "seats": [{ "kind": "bot" }, { "kind": "bot" }] }),
                "needs a person",
            ),
            (
                json!({ "seats": [{ "kind": "open" }, { "kind": "bot", "spec": "x" }] }),
                "no engine",
            ),
            (
                json!({ "seats": [{ "kind": "person" }, { "kind": "open" }], "seed": 5 }),
                "a seed tells all deals",
            ),
            (
                json!({ "game": "geister", "clock": { "budget_ms": 9, "increment_ms": 1 } }),
                "no increments",
            ),
            (
                json!({ "seats": [{ "kind": "open" }, { "kind": "bot", "spec": "best:weights=/etc" }] }),
                "options of best",
            ),
            (
                json!({ "seats": [{ "kind": "person" }, { "kind": "bot", "spec": "level-3:playouts=9" }] }),
                "options of level-3 of score-four are seed,",
            ),
        ] {
            let mut value = json!({ "game": "score-four", "seats": seats });
            for (key, to) in change.as_object().expect("an object") {
                value[key] = to.clone();
            }
            let error = bots(value).expect_err(reason);
            assert!(error.contains(reason), "{error}");
        }
    }
}
