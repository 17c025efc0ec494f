//! `taikyoku check`: the compliance check of a stranger's bot.

use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use program::{Failure, PrintableWriter};
use tokio_util::sync::CancellationToken;

use crate::check::{self, CheckPlan, Verdict};
use crate::settings::{Clocks, SandboxName};
use games::GameName;
use server::commands::signals::{INTERRUPTED, Signals};

/// Exit status of one whose output nobody reads, as shells have it.
const UNREAD: u8 = 141;

/// Check a bot before a tournament
///
/// It starts, greets, plays, reads what comes in pieces, bears an opponent that vanishes, keeps to its time, and leaves.
/// The bot meets random house bots. Each thing that is looked at has a line with PASS, WARN (a remark: the bot may come all
/// the same) or FAIL, what was seen, and what to do. Exit status: 0 nothing failed; 1 something failed; 2 the command cannot
/// be checked; 130 interrupted.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  taikyoku check ./mybot -h {host} -p {port} -n {name}
  taikyoku check --game geister 'java -jar bot.jar {host} {port}'
  taikyoku check --game score-four --move-ms 1000 python3 bot.py {host} {port}
  taikyoku check --gtp --move-ms 1000 -- pentobi-gtp --quiet --nobook")]
pub struct CheckArgs {
    /// The game [default: daihinmin; with --gtp blokus]
    #[arg(long, value_name = "GAME", value_parser = game_parser())]
    game: Option<GameName>,
    /// The command is an engine that speaks GTP on standard input and output (Blokus)
    #[arg(long)]
    gtp: bool,
    /// Milliseconds for each move
    #[arg(long, value_name = "MS", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(10..=3_600_000))]
    move_ms: u64,
    /// Milliseconds in which the bot has to connect and greet
    #[arg(long, value_name = "MS", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(10..=3_600_000))]
    start_ms: u64,
    /// Milliseconds in which the bot has to end after a match
    #[arg(long, value_name = "MS", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(10..=3_600_000))]
    leave_ms: u64,
    /// Games of the long match
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    games: u32,
    /// Value of {name}
    #[arg(
        long,
        value_name = "NAME",
        default_value = "check",
        allow_hyphen_values = true
    )]
    name: String,
    /// Seed of deals and openings, and value of {seed}
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Whether the bot runs in the sandbox of leagues, in which it sees the folder where the check runs, the files that its command
    /// names, and the system's own [default: bubblewrap, where it is installed]
    #[arg(long, value_name = "SANDBOX")]
    sandbox: Option<SandboxName>,
    /// A further path that the bot may read in the sandbox
    #[arg(long, value_name = "PATH")]
    reads: Vec<PathBuf>,
    /// Print one object of JSON at the end instead of a line for each check (schema: docs/schema/check.json)
    #[arg(long)]
    json: bool,
    /// The command that starts the bot, as separate words or in one quoted string; {host}, {port}, {name}, {games}, {seed}
    /// and {move-ms} are filled in
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND"
    )]
    command: Vec<String>,
}

/// Reads the name of a game; the help says in which protocol it is played.
pub(super) fn game_parser() -> impl TypedValueParser<Value = GameName> {
    let values = GameName::ALL.map(|game| {
        let value = PossibleValue::new(game.as_str());
        match game.protocol() {
            "uecda" => value.alias("uecda").help("The protocol of `UECda`"),
            "gat" => value.alias("gat").help("The protocol of GAT"),
            _ => value.help("The native protocol"),
        }
    });
    PossibleValuesParser::new(values).map(|name| name.parse().expect("a game's name or alias"))
}

/// Checks a bot; gives whether nothing has failed.
pub fn run(args: &CheckArgs) -> Result<bool, Failure> {
    let clocks = Clocks {
        start_ms: args.start_ms,
        move_ms: Some(args.move_ms),
        ..Clocks::default()
    };
    let mut plan = CheckPlan::new(args.game, args.gtp, &args.command, &args.name, clocks)?;
    plan.games = args.games;
    plan.leave = Duration::from_millis(args.leave_ms);
    plan.seed = args.seed;
    for line in plan.confine(args.sandbox, args.reads.clone())? {
        log::warn!("{line}");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let is_silent = args.json;
    // Nobody reads any more.
    let closed = CancellationToken::new();
    let report = runtime.block_on(async {
        let mut signals = Signals::listen();
        let mut say = |verdict: &Verdict| {
            if !is_silent && !written(verdict) {
                closed.cancel();
            }
        };
        tokio::select! {
            biased;
            // The programs end with their match.
            () = signals.next() => Err(INTERRUPTED),
            () = closed.cancelled() => Err(UNREAD),
            report = check::run(&plan, &mut say) => Ok(report),
        }
    });
    let report = match report {
        Ok(report) => {
            report.map_err(|e| Failure::failed(format_args!("the check cannot go on: {e}")))?
        }
        Err(status) => {
            drop(runtime);
            std::process::exit(i32::from(status));
        }
    };
    if args.json {
        written(&report.to_json());
    } else {
        written(&report);
    }
    Ok(report.failures() == 0)
}

/// Writes a line at once, for the next takes a while; gives whether somebody reads it.
fn written(line: &dyn Display) -> bool {
    let mut stdout = PrintableWriter(io::stdout().lock());
    writeln!(stdout, "{line}")
        .and_then(|()| stdout.flush())
        .is_ok()
}
