//! What is checked, and the league that a match of it is.

use std::path::PathBuf;
use std::time::Duration;

use crate::process;
use crate::schedule::{Fixture, Key};
use crate::settings::{Clocks, Entrant, Run, SandboxName, Settings, Start, plain};
use games::{DealKey, GameName};
use program::Failure;

#[derive(Clone, Debug)]
pub struct CheckPlan {
    settings: Settings,
    command: Vec<String>,
    /// Games of the long match, from 1.
    pub games: u32,
    /// How long the bot may take to end after a match.
    pub leave: Duration,
    /// The seed of deals and openings.
    pub seed: u64,
}

/// KiB of the bot's standard error that are kept.
const STDERR_KIB: u32 = 256;

impl CheckPlan {
    /// The check of a bot that is started by these words, or by one word that is split as a shell would; `gtp` if it
    /// is an engine that speaks GTP. `move_ms` is its time for each move, `start_ms` that to connect, `leave_ms` that
    /// to end after a match.
    pub fn new(
        game: Option<GameName>,
        gtp: bool,
        words: &[String],
        name: &str,
        clocks: Clocks,
    ) -> Result<CheckPlan, Failure> {
        let command = split(words)?;
        if command.is_empty() {
            let text = "no command: give the words that start your bot, such as `./mybot -h {host} -p {port}`";
            return Err(Failure::usage(text));
        }
        let game = match game {
            Some(game) if gtp && game != GameName::Blokus => {
                return Err(Failure::usage(format_args!(
                    "--gtp is for engines of Blokus: leave --game away, or check a client of {game} without --gtp"
                )));
            }
            Some(game) => game,
            None if gtp => GameName::Blokus,
            None => GameName::Daihinmin,
        };
        if !gtp && !command.iter().any(|word| word.contains("{port}")) {
            let command = command.join(" ");
            return Err(Failure::usage(format_args!(
                "`{command}` does not say where to connect: write `{{port}}` where your bot takes the server's port, and \
                 `{{host}}` where it takes the host, such as `./mybot -h {{host}} -p {{port}}` ({{name}}, {{games}}, {{seed}} \
                 and {{move-ms}} are filled in, too). An engine that speaks GTP is checked with --gtp"
            )));
        }
        let start = if gtp {
            Start::Gtp(command.clone())
        } else {
            Start::Command(command.clone())
        };
        Ok(CheckPlan {
            settings: settings(game, name, start, clocks),
            command,
            games: 10,
            leave: Duration::from_secs(5),
            seed: 1,
        })
    }

    /// Puts the bot into the sandbox of leagues, in which it may read and write the folder where it runs, and may read these
    /// paths; gives a line for each promise that is not kept here.
    pub fn confine(
        &mut self,
        sandbox: Option<SandboxName>,
        reads: Vec<PathBuf>,
    ) -> Result<Vec<String>, Failure> {
        let bot = &mut self.settings.entrants[0];
        bot.directory = Some(PathBuf::from("."));
        (bot.sandbox, bot.reads) = (sandbox, reads);
        process::confine(&mut self.settings, &[]).map_err(Failure::usage)
    }

    pub const fn game(&self) -> GameName {
        self.settings.game()
    }

    /// The words that start the bot.
    pub fn command(&self) -> &[String] {
        &self.command
    }

    pub(super) fn move_limit(&self) -> Duration {
        Duration::from_millis(self.settings.clocks.move_ms.unwrap_or_default())
    }

    pub(super) fn start_limit(&self) -> Duration {
        Duration::from_millis(self.settings.clocks.start_ms)
    }

    /// The league of a match of so many games, in which the bot is entrant 0, and its fixtures. `more` is added to
    /// the limit of moves.
    pub(super) fn league(&self, games: u32, more: Duration) -> (Settings, Vec<Fixture>) {
        let mut settings = self.settings.clone();
        let own = settings.clocks.move_ms.unwrap_or_default();
        settings.clocks.move_ms = Some(own + more.as_millis() as u64);
        let mut fixtures = games;
        if self.game() == GameName::Daihinmin {
            // Ranks carry over, so that cards are exchanged.
            settings.session = games;
            fixtures = 1;
        }
        let seats = settings.seats();
        let fixture = |number: u32| {
            let mut order: Vec<usize> = (0..seats).collect();
            order.rotate_right(number as usize % seats);
            Fixture {
                key: Key {
                    matchup: 0,
                    deal: number,
                    rotation: 0,
                },
                seats: order,
                deal: DealKey::of_seed(self.seed.wrapping_add(u64::from(number))),
            }
        };
        (settings, (0..fixtures).map(fixture).collect())
    }
}

/// The words of a command; a single one that has blanks in it is split.
fn split(words: &[String]) -> Result<Vec<String>, Failure> {
    match words {
        [line] if line.contains(char::is_whitespace) => shlex::split(line).ok_or_else(|| {
            Failure::usage(format_args!(
                "`{line}` has a quote without an end: a shell could not split it into words"
            ))
        }),
        words => Ok(words.to_vec()),
    }
}

fn settings(game: GameName, name: &str, start: Start, clocks: Clocks) -> Settings {
    let usual = plain(game);
    let house = (1..usual.seats()).map(|number| {
        let start = Start::House {
            engine: "random".to_owned(),
            options: Vec::new(),
        };
        Entrant::new(format!("house{number}"), start)
    });
    let mut entrants = vec![Entrant::new(name, start)];
    entrants.extend(house);
    for entrant in &mut entrants {
        entrant.stderr_kib = STDERR_KIB;
    }
    Settings {
        title: "check".to_owned(),
        deals: 1,
        duplicate: false,
        random_plies: usual.random_plies.min(2),
        clocks,
        records: true,
        entrants,
        run: Run {
            at_once: 1,
            timeouts: 0,
            ..Run::default()
        },
        ..usual
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clocks() -> Clocks {
        Clocks {
            move_ms: Some(100),
            ..Clocks::default()
        }
    }

    fn plan(game: Option<GameName>, gtp: bool, words: &[&str]) -> Result<CheckPlan, Failure> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        CheckPlan::new(game, gtp, &words, "bot", clocks())
    }

    #[test]
    fn one_quoted_word_is_split_as_a_shell_would() {
        let whole = plan(None, false, &["'my bot' -p {port} --title \"a b\""]).unwrap();
        assert_eq!(
            whole.command(),
            ["my bot", "-p", "{port}", "--title", "a b"]
        );
        let words = plan(None, false, &["my bot", "{port}"]).unwrap();
        assert_eq!(words.command(), ["my bot", "{port}"]);
        for (words, fault) in [("bot 'x", "a quote without an end"), (" ", "no command")] {
            let error = plan(None, false, &[words]).unwrap_err().to_string();
            assert!(error.contains(fault), "{error}");
        }
    }

    #[test]
    fn a_command_that_finds_no_port_is_told_how() {
        let error = plan(None, false, &["./mybot", "-v"])
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("write `{port}`") && error.contains("./mybot -v"),
            "{error}"
        );
        assert_eq!(
            plan(None, true, &["engine"]).unwrap().game(),
            GameName::Blokus
        );
        let error = plan(Some(GameName::Geister), true, &["engine"]);
        let error = error.unwrap_err().to_string();
        assert!(error.contains("engines of Blokus"), "{error}");
    }

    #[test]
    fn the_bot_has_every_seat_in_turn_and_ranks_carry_over() {
        let plan = plan(Some(GameName::Geister), false, &["b {port}"]).unwrap();
        let (_, fixtures) = plan.league(4, Duration::ZERO);
        let seats = fixtures
            .iter()
            .map(|f| f.seats.iter().position(|e| *e == 0).unwrap());
        assert_eq!(seats.collect::<Vec<_>>(), [0, 1, 0, 1]);
        let (settings, _) = plan.league(1, Duration::from_millis(50));
        assert_eq!(settings.clocks.move_ms, Some(150));
        let daihinmin =
            CheckPlan::new(None, false, &["b {port}".to_owned()], "b", clocks()).unwrap();
        let (settings, fixtures) = daihinmin.league(10, Duration::ZERO);
        assert_eq!((settings.session, fixtures.len()), (10, 1));
    }
}
