//! `taikyoku demo`: five house bots play a match over TCP, with a live table of standings.

use std::io::{self, IsTerminal, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use clap::Args;
use games::count_of_games;
use games::daihinmin::SEATS;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use program::{Description, Failure};
use record::files::named;
use stats::Mean;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::bot::program_beside;
use super::serve::bind;
use super::signals::stop_when_asked;
use super::standings::uecda::rows_text;
use crate::config::Uecda;
use crate::lobby::{Progress, UecdaReport, UecdaSeats, drawn_key};
use crate::referee::uecda::MatchResult;

/// Watch five house bots play over TCP
///
/// The standings have 95 % intervals of the points a game. The server listens on a free port of this machine, and each
/// bot is a program of its own that connects to it, as a stranger's would.
#[derive(Clone, Debug, Args)]
pub struct DemoArgs {
    /// Games
    #[arg(short, long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    pub games: u32,
    /// Engines of the five bots; with fewer, they are repeated
    #[arg(short, long, value_name = "A,B,...", value_delimiter = ',', num_args = 1..=SEATS,
          default_values_t = ["best", "crow", "mc", "default", "random"].map(String::from))]
    pub engines: Vec<String>,
    /// Playouts of a decision, for engines that search [default: 200, a tenth of their own, or those of the level]
    #[arg(long, value_name = "N")]
    pub playouts: Option<u32>,
    /// Seed of the deals and the bots [default: drawn]
    #[arg(long)]
    pub seed: Option<u64>,
    /// Write a record of the match into this folder, or into this file if it ends in .jsonl
    #[arg(long, alias = "record", value_name = "PATH")]
    pub records: Option<PathBuf>,
}

const BOT: &str = "daihinmin";
/// Playouts of engines without a level: at their own default a match takes minutes.
const PLAYOUTS: u32 = 200;
/// Blocks of a match, as in `taikyoku report`: games depend on the ranks of the one before.
const BLOCKS: u32 = 10;
/// Fewest blocks with an interval.
const SOME_BLOCKS: usize = 5;
/// Its name for a person at its terminal; a demo has none.
const PERSON: &str = "human";
/// How often the bots are looked after.
const LOOK: Duration = Duration::from_millis(200);

/// Plays the match; gives whether it was played to its end.
pub fn run(args: &DemoArgs) -> Result<bool, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(demo(args))
}

/// Checks the engines before anything begins; otherwise up to five bots would report the same wrong one.
fn check_engines(engines: &[String]) -> Result<(), Failure> {
    let given = engines.len();
    if given > SEATS {
        let text = format!("--engines: {given} engines for {SEATS} bots");
        return Err(Failure::usage(text));
    }
    let program = program_beside(BOT)?;
    let described = Command::new(&program).env(program::DESCRIBE, "1").output();
    let described = described.map_err(|e| named(&program, &e))?;
    let bot: Description = serde_json::from_slice(&described.stdout).map_err(io::Error::other)?;
    let mut options = bot.arguments.into_iter();
    let engine = options.find(|option| option.long.as_deref() == Some("engine"));
    let known = engine.and_then(|engine| engine.values);
    let known = known.map_or_else(Vec::new, |values| values.possible);
    let known: Vec<String> = known.into_iter().map(|(name, _)| name).collect();
    let known: Vec<String> = known.into_iter().filter(|name| name != PERSON).collect();
    match engines.iter().find(|engine| !known.contains(engine)) {
        Some(engine) => Err(Failure::usage(format_args!(
            "--engines: no engine '{engine}'; the engines are {}, all without options",
            known.join(", ")
        ))),
        None => Ok(()),
    }
}

async fn demo(args: &DemoArgs) -> Result<bool, Failure> {
    check_engines(&args.engines)?;
    record::files::make_folders(args.records.as_deref(), None)?;
    let settings = Uecda {
        bind: "127.0.0.1".to_owned(),
        port: 0,
        games: args.games,
        records: args.records.clone(),
        ..Uecda::default()
    };
    let stop = CancellationToken::new();
    let (sender, mut reports) = mpsc::unbounded_channel();
    let seats = UecdaSeats::new(settings, args.seed);
    let lobby = bind(seats, Some(1), &stop, sender).await?;
    let address = lobby.addresses()?[0];
    let mut progress = lobby.progress();
    let games = count_of_games(args.games);
    let asked = CancellationToken::new();
    stop_when_asked(&asked);
    // The match is played, though nobody reads of it.
    let _ = writeln!(io::stdout(), "Five bots on {address}, {games}:");
    let mut bots = Bots::start(args, address)?;
    let served = tokio::spawn(lobby.run());
    let mut screen = Screen::new(args.games);
    let report = loop {
        tokio::select! {
            report = reports.recv() => break report,
            Ok(()) = progress.changed() => screen.show(&progress.borrow_and_update()),
            () = asked.cancelled(), if !stop.is_cancelled() => {
                // Otherwise each of them reports that the server has closed its connection.
                bots.end();
                stop.cancel();
            }
            () = tokio::time::sleep(LOOK), if !stop.is_cancelled() => {
                if progress.borrow().names.is_empty() {
                    bots.check()?;
                }
            }
        }
    };
    screen.clear();
    let Some(report) = report else {
        served.await.map_err(io::Error::other)?;
        return Ok(false);
    };
    screen.book(&report.result);
    let rows = screen.rows(&report.names, &report.result);
    let _ = writeln!(io::stdout(), "{}{rows}", report.heading());
    // The bots read the end of the match and leave.
    served.await.map_err(io::Error::other)?;
    Ok(whole(&report))
}

fn whole(report: &UecdaReport) -> bool {
    report.result.reason.is_none()
}

/// The bots; those that still run are ended with it.
struct Bots(Vec<(String, Child)>);

/// What the bots are told, except for their seeds.
fn arguments(args: &DemoArgs, address: SocketAddr, engine: &str, name: &str) -> Vec<String> {
    let mut told = vec![
        ("--host", address.ip().to_string()),
        ("--port", address.port().to_string()),
        ("--name", name.to_owned()),
        ("--engine", engine.to_owned()),
        ("--games", args.games.to_string()),
    ];
    // Each level has its own.
    let usual = (!engine.starts_with("level-")).then_some(PLAYOUTS);
    let playouts = args.playouts.or(usual);
    told.extend(playouts.map(|n| ("--playouts", n.to_string())));
    let words = told.into_iter();
    words
        .flat_map(|(option, value)| [option.to_owned(), value])
        .collect()
}

impl Bots {
    fn start(args: &DemoArgs, address: SocketAddr) -> Result<Bots, Failure> {
        let seed = args.seed.unwrap_or_else(|| drawn_key().seed());
        let program = program_beside(BOT)?;
        let mut bots = Bots(Vec::with_capacity(SEATS));
        for (i, engine) in args.engines.iter().cycle().take(SEATS).enumerate() {
            let twins = bots
                .0
                .iter()
                .filter(|(name, _)| name.starts_with(engine.as_str()));
            let name = match twins.count() {
                0 => engine.clone(),
                // Otherwise the second level-1 would be level-12.
                n if engine.ends_with(|c: char| c.is_ascii_digit()) => {
                    format!("{engine}-{}", n + 1)
                }
                n => format!("{engine}{}", n + 1),
            };
            let mut command = Command::new(&program);
            command.args(arguments(args, address, engine, &name));
            // Ctrl-C is for the demo alone, which ends the bots: one that ends before would look like a failure.
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            let child = command
                .args(["--seed", &seed.wrapping_add(i as u64).to_string()])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .spawn()
                .map_err(|e| named(&program, &e))?;
            bots.0.push((name, child));
        }
        Ok(bots)
    }

    fn end(&mut self) {
        for (_, child) in &mut self.0 {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    fn check(&mut self) -> Result<(), Failure> {
        for (name, child) in &mut self.0 {
            if let Some(status) = child.try_wait()? {
                return Err(Failure::failed(format_args!(
                    "the bot {name} ended before the match ({status}); its message is above"
                )));
            }
        }
        Ok(())
    }
}

impl Drop for Bots {
    fn drop(&mut self) {
        self.end();
    }
}

/// A live table on a terminal, now and then a line elsewhere.
struct Screen {
    bar: ProgressBar,
    live: bool,
    games: u32,
    /// Games and points at the end of each block.
    blocks: Vec<(u32, [u32; SEATS])>,
}

impl Screen {
    fn new(games: u32) -> Screen {
        let live = io::stdout().is_terminal();
        let target = if live {
            ProgressDrawTarget::stdout()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(u64::from(games)), target);
        let template = "{wide_bar} game {pos} of {len}, {elapsed}\n{msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Screen {
            bar,
            live,
            games,
            blocks: vec![(0, [0; SEATS])],
        }
    }

    /// Takes in the result so far. Some games may have been missed, which makes a block longer.
    fn book(&mut self, result: &MatchResult) {
        let block = (self.games / BLOCKS).clamp(5, 100);
        if result.games >= self.blocks[self.blocks.len() - 1].0 + block {
            self.blocks.push((result.games, result.points));
        }
    }

    /// The standings, with intervals once there are some blocks.
    fn rows(&self, names: &[String], result: &MatchResult) -> String {
        let half_width = |player: usize| {
            let blocks = self.blocks.windows(2).map(|ends| {
                let [(from, before), (to, after)] = [ends[0], ends[1]];
                let points = after[player] - before[player];
                (f64::from(points), f64::from(to - from))
            });
            Mean::ratio(blocks, [1.0, SEATS as f64]).half_width()
        };
        let is_known = self.blocks.len() > SOME_BLOCKS;
        let half_widths = is_known.then(|| std::array::from_fn(half_width));
        rows_text(names, result, half_widths)
    }

    fn show(&mut self, progress: &Progress) {
        let result = &progress.result;
        let played = result.games;
        self.book(result);
        if self.live {
            self.bar.set_position(u64::from(played));
            self.bar.set_message(self.rows(&progress.names, result));
            return;
        }
        let step = self.games.div_ceil(10);
        if played > 0 && played < self.games && played.is_multiple_of(step) {
            let points = progress.names.iter().zip(result.points);
            let points: Vec<String> = points.map(|(name, sum)| format!("{name} {sum}")).collect();
            let _ = writeln!(io::stdout(), "  game {played:>4}: {}", points.join(", "));
        }
    }

    fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Demo {
        #[command(flatten)]
        args: DemoArgs,
    }

    #[test]
    fn bots_keep_the_playouts_of_their_levels_unless_others_are_given() {
        let told = |engine: &str, words: &[&str]| {
            let demo = Demo::parse_from(["demo"].iter().chain(words));
            arguments(&demo.args, ([127, 0, 0, 1], 9).into(), engine, "a")
        };
        let set = told("level-3", &["--playouts", "70", "--games", "4"]);
        assert_eq!(set[8..], ["--games", "4", "--playouts", "70"]);
        assert_eq!(told("level-3", &["--games", "4"]), set[..10]);
        assert_eq!(told("best", &[])[10..], ["--playouts", "200"]);
    }

    #[test]
    fn standings_have_intervals_once_there_are_some_blocks() {
        let mut screen = Screen::new(60);
        let names = ["ana", "bo", "ci", "di", "eve"].map(str::to_owned);
        let mut result = MatchResult::default();
        for game in 0..60 {
            result.games += 1;
            for player in 0..SEATS {
                // Two of them change places now and then.
                let place = if player < 2 && game % 11 == 0 {
                    1 - player
                } else {
                    player
                };
                result.points[player] += (SEATS - place) as u32;
                result.placings[player][place] += 1;
            }
            // Not every game is seen.
            if game % 4 != 1 {
                screen.book(&result);
            }
            let rows = screen.rows(&names, &result);
            assert_eq!(rows.contains('±'), game >= 30, "{game}: {rows}");
        }
        let rows = screen.rows(&names, &result);
        let line = |name: &str| {
            rows.lines()
                .find(|line| line.contains(name))
                .expect("a row")
        };
        assert!(line("ana").contains("4.90 ± 0."), "{rows}");
        assert!(line("eve").contains("1.00 ± "), "{rows}");
    }
}
