//! `taikyoku replay RECORD`: a viewer for records on the terminal.

mod blksgf;
mod official;
mod statistics;
mod steps;
mod viewer;

use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};

use games::{Blokus, Dobutsu, Game, GameName, count_of_games};
use indicatif::{ProgressBar, ProgressFinish};
use program::{Failure, PrintableWriter};
use record::files::records_at;
use record::{
    Event, ReadError, Record, RecordReader, Recorded, Replay, ReplayError, Replayed, What,
    open_file, replay,
};

use viewer::RecordViewer;

/// Look at a record
///
/// Steps through its games on a terminal, prints them elsewhere.
#[derive(Clone, Debug, clap::Args)]
pub struct ReplayArgs {
    /// The record, or a blksgf file of games of Blokus; of --statistics and --official-log also several records, and folders
    /// of them
    #[arg(value_name = "RECORD", required = true)]
    pub records: Vec<PathBuf>,
    /// Begin with this game; without a terminal, print only this game [default: the first, or all]
    #[arg(long, value_name = "N")]
    pub game: Option<u32>,
    /// Print whole games even on a terminal
    #[arg(long)]
    pub all: bool,
    /// Print every position as a line of JSON (schema: docs/schema/position.json)
    #[arg(long)]
    pub json: bool,
    /// Print the games that are over in the format of their field: blksgf of Blokus, CSA-like text of Dobutsu shogi
    #[arg(long, visible_aliases = ["csa", "blksgf"], conflicts_with_all = ["all", "json", "check"])]
    pub sheet: bool,
    /// Of Daihinmin, print the points, places and plays of each player, as the official server does with `FLAG_STATISTICS`
    ///
    /// Rates are per game, or per turn at which there was a chance; turns are the player's own, from 1. Of several records,
    /// such as those of a group or of a contest, players of the same name are one. With `--json` a line of JSON for each player
    /// (schema: docs/schema/statistics.json).
    #[arg(long, conflicts_with_all = ["all", "game", "sheet", "check"])]
    pub statistics: bool,
    /// Write the files of the official server into this folder: of Daihinmin the log, debug.dat and debug2.dat, of Geister a log
    /// of each game
    ///
    /// Of several records each has a folder of its own there, with its name. Files that are there already are kept.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["all", "game", "json", "sheet", "check", "statistics"])]
    pub official_log: Option<PathBuf>,
    /// Only play the record again, and say whether it leads to the result that it states
    ///
    /// Its moves are those of the players, passes included. Random first plies do not count, though the server's result
    /// counts them among its plies.
    #[arg(long, conflicts_with_all = ["all", "game", "json"])]
    pub check: bool,
}

fn no_game(game: u32, last: u32) -> Failure {
    let which = match last {
        0 => "it has no whole one".to_owned(),
        last => format!("its last is {last}"),
    };
    Failure::usage(format_args!("the record has no game {game}: {which}"))
}

pub fn run(args: &ReplayArgs) -> Result<(), Failure> {
    let stdin = io::stdin();
    let stdout = io::stdout();
    let step = stdin.is_terminal() && stdout.is_terminal();
    match show(
        args,
        step,
        &mut stdin.lock(),
        &mut PrintableWriter(stdout.lock()),
    ) {
        // `taikyoku replay R | head` is no failure.
        Err(e) if e.is_unread() => Ok(()),
        other => other,
    }
}

/// A reader of a record, which shows on a terminal how much of the file it has read.
pub fn reader(path: &Path) -> Result<RecordReader<impl BufRead>, ReadError> {
    let name = path.display().to_string();
    let failed = |e: io::Error| ReadError {
        file: name.clone(),
        line: 0,
        reason: e.to_string(),
    };
    let file = open_file(path)?;
    let bytes = file.metadata().map_err(failed)?.len();
    let bar = ProgressBar::new(bytes).with_finish(ProgressFinish::AndClear);
    RecordReader::new(BufReader::new(bar.wrap_read(file)), &name)
}

/// As [`run`]; `step` waits for a key between positions.
pub fn show(
    args: &ReplayArgs,
    step: bool,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> Result<(), Failure> {
    if args.statistics {
        return statistics::print(&records_at(&args.records)?, args.json, output);
    }
    if let Some(folder) = &args.official_log {
        return official::write(&records_at(&args.records)?, folder, output);
    }
    let [file] = &args.records[..] else {
        let records = args.records.len();
        return Err(Failure::usage(format_args!(
            "{records} records: only --statistics and --official-log take several"
        )));
    };
    if let Some(sheets) = blksgf::read(file)? {
        return blksgf::show(&sheets, args, step, input, output);
    }
    if args.check {
        let sum = replay(reader(file)?)?;
        return Ok(check_line(&sum, output)?);
    }
    let record = Record::open(file)?;
    if args.sheet {
        return match record.header.game {
            GameName::Blokus => sheets::<Blokus>(&record, file, args, output),
            GameName::Dobutsu => sheets::<Dobutsu>(&record, file, args, output),
            game => Err(Failure::usage(format_args!(
                "--sheet writes games of blokus and dobutsu, and the record is of {game}; --official-log writes the logs of daihinmin and geister"
            ))),
        };
    }
    let viewer = RecordViewer::new(record, file);
    if step && !args.all && !args.json {
        viewer.step_through(args.game, input, output)
    } else {
        viewer.print(args.game, args.json, output)
    }
}

/// Plays the games of a record again, and shows each after each of its events.
fn follow<G: Recorded>(
    record: &Record,
    file: &Path,
    mut see: impl FnMut(&Replay<G>, &What) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let error = |line, reason: ReplayError| ReadError {
        file: file.display().to_string(),
        line,
        reason: reason.to_string(),
    };
    let rules = Replay::<G>::rules(&record.header).map_err(|e| error(1, e))?;
    let mut replay: Option<Replay<G>> = None;
    for (line, Event { what, .. }) in (2..).zip(&record.events) {
        let applied = match &mut replay {
            None => Replay::begin(what, &rules).map(|begun| replay = begun),
            Some(replay) => replay.apply(what),
        };
        applied.map_err(|e| error(line, e))?;
        if let Some(replay) = &replay {
            see(replay, what)?;
        }
        replay.take_if(|replay| replay.ended);
    }
    Ok(())
}

/// Prints the games that are over and count in the format of their field.
fn sheets<G: Game>(
    record: &Record,
    file: &Path,
    args: &ReplayArgs,
    output: &mut dyn Write,
) -> Result<(), Failure> {
    let (mut is_found, mut last) = (args.game.is_none(), 0);
    follow(record, file, |replay: &Replay<G>, what| {
        let is_wanted = args.game.is_none_or(|game| game == replay.number);
        let counts = matches!(what, What::End { places, .. } if !places.is_empty());
        if counts {
            last = replay.number;
        }
        if is_wanted && counts {
            write!(output, "{}", replay.sheet(&record.header))?;
            is_found = true;
        }
        Ok(())
    })?;
    match args.game {
        Some(game) if !is_found => Err(no_game(game, last)),
        _ => Ok(()),
    }
}

fn check_line(sum: &Replayed, out: &mut dyn Write) -> io::Result<()> {
    let points: Vec<String> = sum.points.iter().map(ToString::to_string).collect();
    write!(
        out,
        "{}, {} moves, points {}",
        count_of_games(sum.games),
        sum.plies,
        points.join(" ")
    )?;
    if sum.void > 0 {
        write!(out, ", {} void", sum.void)?;
    }
    if sum.unfinished {
        write!(out, ", the last game has no end")?;
    }
    if sum.closed {
        writeln!(out, ": as the record states")
    } else {
        writeln!(out, ": the record has no result yet")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two games of Dobutsu shogi: a catch, and one that does not count.
    const RECORD: &str = r#"
{"ms":0,"event":"begin","game":1,"seats":[1,0]}
{"ms":1,"event":"move","player":1,"move":"2c2b"}
{"ms":2,"event":"move","player":0,"move":"3a3b"}
{"ms":3,"event":"move","player":1,"move":"2b2a+"}
{"ms":4,"event":"end","game":1,"places":[1,0],"points":[0.0,1.0],"kinds":["normal","normal"],"rule":"catch"}
{"ms":5,"event":"begin","game":2,"seats":[0,1]}
{"ms":6,"event":"end","game":2,"places":[],"points":[0.0,0.0],"kinds":["void","void"]}
"#;

    #[test]
    fn a_check_is_of_the_whole_record() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            args: ReplayArgs,
        }
        let read = |words: &[&str]| <Line as clap::Parser>::try_parse_from(words);
        assert!(read(&["x", "m.jsonl", "--check"]).is_ok_and(|line| line.args.check));
        for other in ["--json", "--game=1", "--all", "--sheet", "--official-log=x"] {
            let error = read(&["x", "m.jsonl", "--check", other]).err();
            let text = error.expect(other).to_string();
            assert!(text.contains("cannot be used with"), "{text}");
        }
    }

    fn shown(game: GameName, number: Option<u32>) -> Result<String, String> {
        let players = ["ana", "bo"].map(|name| record::Player {
            name: name.to_owned(),
            client: None,
        });
        let rules = games::dobutsu::Rules::default();
        let header = record::Header::new(game, "m", "native", players.to_vec(), 2);
        let header = serde_json::to_string(&header.with_rules(&rules)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.jsonl");
        std::fs::write(&path, header + RECORD).unwrap();
        let args = ReplayArgs {
            records: vec![path],
            game: number,
            all: false,
            json: false,
            sheet: true,
            statistics: false,
            official_log: None,
            check: false,
        };
        let mut output = Vec::new();
        match show(&args, false, &mut io::empty(), &mut output) {
            Ok(()) => Ok(String::from_utf8(output).unwrap()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn games_are_printed_in_the_format_of_their_field() {
        let text = shown(GameName::Dobutsu, None).unwrap();
        assert!(text.contains("N+bo\nN-ana\n"), "{text}");
        assert!(text.contains("+B3B2HI\n-A1A2KI\n+B2B1NI\n"), "{text}");
        assert_eq!(text.matches("N+").count(), 1);
        assert_eq!(shown(GameName::Dobutsu, Some(1)), Ok(text));
        let none = shown(GameName::Dobutsu, Some(2)).unwrap_err();
        assert!(none.contains("no game 2"), "{none}");
        let none = shown(GameName::ScoreFour, None).unwrap_err();
        assert!(none.contains("score-four"), "{none}");
    }
}
