//! Solves Dobutsu shogi, writes its table, and looks positions up in it.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Args, Parser, Subcommand};
use games::dobutsu::{Move, MoveList, Position, Variant};
use serde_json::{Value as Json, json};
use taikyoku_bots::dobutsu::{Statistics, Table, TableError, Value, default_folder, solve, verify};

/// Solves Dobutsu shogi: finds all 246,803,167 positions, their values and distances, and writes them as a table.
///
/// The table takes about 40 MB in DIR/dobutsu.table, the work about half a gigabyte of memory and about a minute.
/// Counts go to standard output, progress messages to standard error.
///
/// Exit status: 0 the table is written, and is right where --verify asks; 1 it is not; 2 the command line.
#[derive(Parser)]
#[command(
    name = "dobutsu-solve",
    version = program::version!(),
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  dobutsu-solve                                            the table in the user's folder for data
  dobutsu-solve --table DIR --distribution FILE.tsv --verify
      the table in DIR, each value compared with those of its successors; a line of FILE is a
      distance in plies, `win` or `lose`, and how many positions that are no end have it,
      separated by tabs, by distance (wins have odd distances, losses even ones)
  dobutsu-solve probe startpos                             value, distance and moves of a position
  dobutsu-solve probe 'gl1/1e1/3/ELG b Cc 1' --json"
)]
struct SolverArguments {
    #[command(subcommand)]
    command: Option<SolverCommand>,
    #[command(flatten)]
    solve: Solve,
}

#[derive(Subcommand)]
enum SolverCommand {
    /// Look a position up: its value, its distance in plies, every move with its value, the line of best play.
    ///
    /// A capture of the lion and a try that cannot be answered are wins in 1. Where the lion can be captured, other moves
    /// may lead to positions that no game comes to: their values are unknown (`null`). Exit status: 0 the position is known; 1
    /// there is no table, or no game comes to the position; 2 the command line.
    Probe(Probe),
}

#[derive(Args)]
struct Solve {
    /// The folder of the table [default: taikyoku/dobutsu in the user's folder for data]
    #[arg(long, value_name = "DIR")]
    table: Option<PathBuf>,
    /// Write the numbers of positions by distance into this file
    #[arg(long, value_name = "FILE")]
    distribution: Option<PathBuf>,
    /// Threads [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
    /// Read the table again, and compare every value with those of its successors
    #[arg(long)]
    verify: bool,
    /// Print the counts as one object (schema: docs/schema/solve.json)
    #[arg(long)]
    json: bool,
    /// Say nothing of what is being done
    #[arg(long)]
    quiet: bool,
}

#[derive(Args)]
struct Probe {
    /// The position in SFEN, or `startpos`
    position: Position,
    /// The folder of the table [default: taikyoku/dobutsu in the user's folder for data]
    #[arg(long, value_name = "DIR")]
    table: Option<PathBuf>,
    /// Print one object (schema: docs/schema/probe.json)
    #[arg(long)]
    json: bool,
}

fn main() -> ExitCode {
    let arguments = program::options::<SolverArguments>();
    let done = match &arguments.command {
        Some(SolverCommand::Probe(options)) => probe(options),
        None => make(&arguments.solve),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => program::fail("dobutsu-solve", &reason, program::FAILED),
    }
}

fn folder(given: Option<&Path>) -> Result<PathBuf, TableError> {
    given.map_or_else(default_folder, |folder| Ok(folder.to_owned()))
}

fn make(options: &Solve) -> Result<(), String> {
    let folder = folder(options.table.as_deref()).map_err(|e| e.to_string())?;
    Table::try_folder(&folder).map_err(|e| e.to_string())?;
    // Before the work: a file that cannot be written is to be known now.
    let distribution = options.distribution.as_ref().map(|path| {
        let file = File::create(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok::<_, String>((file, path))
    });
    let distribution = distribution.transpose()?;
    let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = options.threads.map_or_else(cores, NonZero::get);
    let begun = Instant::now();
    let mut say = |what: &str| {
        if !options.quiet {
            let seconds = begun.elapsed().as_secs_f64();
            // Nobody reads standard error: the table is made all the same.
            let _ = writeln!(std::io::stderr(), "{seconds:6.1} s  {what}");
        }
    };
    let start = *Position::START.board();
    let solution = solve(&start, threads, &mut say);
    let length = Table::write(&folder, &solution.index, &solution.values, threads);
    let length = length.map_err(|e| e.to_string())?;
    say(&format!("{length} bytes in {}", folder.display()));
    if let Some((mut file, path)) = distribution {
        file.write_all(solution.statistics.distribution().as_bytes())
            .map_err(|e| format!("{}: {e}", path.display()))?;
    }
    let statistics = solution.statistics;
    drop(solution.values);
    let verified = options.verify.then(|| check(&folder, threads, &statistics));
    let verified = verified.transpose()?;
    if let Some(count) = verified {
        say(&format!(
            "{count} values agree with those of their successors"
        ));
    }
    if options.json {
        let object = json_of(&statistics, length, verified);
        program::write_out(format_args!("{object}\n"));
    } else {
        program::write_out(format_args!(
            "{statistics}\npositions that are no end by distance in plies\n{}",
            statistics.distribution()
        ));
    }
    Ok(())
}

/// The counts, the bytes of the table, and how many of its values agree, where that was looked at.
fn json_of(statistics: &Statistics, bytes: u64, verified: Option<u64>) -> Json {
    let mut object = json!(statistics);
    object["longest_win"] = json!(statistics.longest_win());
    object["bytes"] = json!(bytes);
    object["verified"] = json!(verified);
    object
}

/// Reads the table that was written, and compares each of its values with those of its successors.
fn check(folder: &Path, threads: usize, statistics: &Statistics) -> Result<u64, String> {
    let table = Table::open(folder).map_err(|e| e.to_string())?;
    let values = table.values(threads);
    let count = verify(table.index(), values, threads).map_err(|breach| {
        let position = Position::new(breach.board, 0, Variant::default());
        let (stated, due) = (breach.stated, breach.due);
        format!("{position}: the table has {stated} where {due} follows from the successors")
    })?;
    // The table keeps no distance of a slow win: it follows from the successors.
    let mut counted = statistics.clone();
    counted.count(values);
    if counted != *statistics {
        return Err(format!(
            "the table has other values than were found:\n{counted}\n{}",
            counted.distribution()
        ));
    }
    Ok(count)
}

fn probe(options: &Probe) -> Result<(), String> {
    let folder = folder(options.table.as_deref()).map_err(|e| e.to_string())?;
    let table = Table::open(&folder).map_err(|e| e.to_string())?;
    let position = options.position;
    let mut moves = Vec::new();
    let value = table.value(&position);
    let (Some(value), true) = (value, table.moves(&position, &mut moves)) else {
        return Err(format!("no game comes to {position}"));
    };
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    let is_known = |mv: &Move| moves.iter().any(|(known, _)| known == mv);
    let unknown: Vec<Move> = legal.iter().copied().filter(|mv| !is_known(mv)).collect();
    let moves = moves.into_iter().map(|(mv, value)| (mv, Some(value)));
    let mut moves: Vec<(Move, Option<Value>)> = moves
        .chain(unknown.into_iter().map(|mv| (mv, None)))
        .collect();
    // The best first, equal ones in the order of the generator.
    moves.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
    let line = table.line(&position);
    let line: Vec<String> = line.iter().map(ToString::to_string).collect();
    if options.json {
        let moves: Vec<Json> = moves
            .iter()
            .map(|(mv, value)| {
                json!({
                    "move": mv.to_string(),
                    "value": value.map(Value::word),
                    "distance": value.and_then(Value::distance),
                })
            })
            .collect();
        let object = json!({
            "position": position.to_string(),
            "value": value.word(),
            "distance": value.distance(),
            "moves": moves,
            "line": line,
        });
        program::write_out(format_args!("{object}\n"));
        return Ok(());
    }
    let mut text = format!("{position:#}\n{value}\n");
    for (mv, value) in &moves {
        let value = value.map_or("unknown".to_owned(), |value| value.to_string());
        let _ = writeln!(text, "  {:<6}{value}", mv.to_string());
    }
    let _ = writeln!(text, "line: {}", line.join(" "));
    program::write_out(format_args!("{text}"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_counts_have_the_fields_of_their_schema() {
        let schema = include_str!("../../../docs/schema/solve.json");
        let schema: Json = serde_json::from_str(schema).unwrap();
        let start: Position = "1l1/3/3/1LG b - 1".parse().unwrap();
        let solution = solve(start.board(), 1, &mut |_| {});
        let object = json_of(&solution.statistics, 7, Some(9));
        let names = |object: &Json| -> BTreeSet<String> {
            object.as_object().unwrap().keys().cloned().collect()
        };
        assert_eq!(names(&object), names(&schema["properties"]));
        for (name, value) in object.as_object().unwrap() {
            let types = &schema["properties"][name]["type"];
            let kind = match value {
                Json::Number(number) if number.is_u64() => "integer",
                Json::Array(_) => "array",
                Json::String(_) => "string",
                other => panic!("{name}: {other}"),
            };
            let allows = |one: &Json| one == kind;
            let is_allowed =
                allows(types) || types.as_array().is_some_and(|t| t.iter().any(allows));
            assert!(is_allowed, "{name}: {value} is no {types}");
        }
    }
}
