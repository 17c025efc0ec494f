//! `taikyoku-lab tune`: the options of an engine, tuned by games.

mod journal;
mod settings;
mod spsa;

use std::path::{Path, PathBuf};

use clap::Args;
use games::count_of_games;
use serde_json::json;
use taikyoku_lab::arena::{Results, Workers};

use self::journal::{Journal, StepLine};
use self::settings::{Settings, Values};
use self::spsa::Spsa;
use crate::contest::{Match, PlaceOptions, Prepared};
use crate::meter::Meter;
use crate::{Failure, Refused};

/// Tune numeric options of an engine by games (SPSA); the same command goes on with what was interrupted.
///
/// Each step changes all options at once, up or down at random, plays the changed engine against the one with the opposite
/// changes, and moves the options towards the better one. The result is the mean of the second half of the steps; at the end it
/// plays against the start.
#[derive(Args)]
#[command(after_help = "\
FILE.toml:
  game = \"score-four\"               # as in `taikyoku-lab match`
  engine = \"uct:playouts=2000\"      # the options that are tuned follow
  steps = 200
  games = 20                        # of a step [20]
  verify = 200                      # games of what was found against the start, 0 for none [200]
  opponent = \"flat:playouts=2000\"   # both sides of a step play against it [they play each other]
  options = [\"--random-plies\", \"2\"] # more words for `taikyoku-lab match` [none]
  seed = 1                          # [1]
  rate = 2.0                        # how far a step goes [2]

  [parameters.exploration]          # an option of the engine
  start = 1.0
  min = 0.1
  max = 4.0
  step = 0.4                        # change of the first step [a tenth of the range]
  scale = \"linear\"                  # or \"log\": changes are factors, and step is one [linear]
  whole = false                     # whole numbers only; counts need true [false]

Options have a visible effect if a change by `step` costs at least 2 % of the score; take more games or a larger step if the
values only wander. With a budget in playouts the same file gives the same result on any machines.

Examples:
  taikyoku-lab tune uct.toml --threads 8
  python -m taikyoku.cluster tune uct.toml --ray-address auto")]
pub(crate) struct TuneOptions {
    /// The settings.
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,
    /// The journal: a line of JSON for each step [default: FILE.jsonl].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    players: PlaceOptions,
    /// Print the result as JSON (schema: docs/schema/lab-tune.json).
    #[arg(long)]
    json: bool,
}

struct TuningMatches<'a> {
    settings: &'a Settings,
    players: &'a PlaceOptions,
    workers: Option<Workers>,
}

impl TuningMatches<'_> {
    /// The result of a match of two engines from the block `block` on; shows how far it is if it has a title.
    fn play(
        &mut self,
        engines: [String; 2],
        block: u64,
        games: u32,
        title: Option<&str>,
    ) -> Result<Results, Failure> {
        let seed = u64::from(self.settings.seed) + block;
        let words = self.settings.words(engines, seed, games);
        let prepared = Match::of(&words).map_err(Refused::because)?.prepare()?;
        let words = [vec!["match".to_owned()], words].concat();
        let place = self.players.place(self.workers.as_mut(), &words);
        let Some(title) = title else {
            return prepared.play(place, &|_| ());
        };
        let meter = Meter::new(prepared.sittings(), 0, prepared.contest.unit)?;
        let watch = |results: &Results| {
            let text = format!("{title}: {}", results.progress());
            meter.show(results.sittings().0, text);
        };
        let results = prepared.play(place, &watch)?;
        meter.finish();
        Ok(results)
    }

    /// The match of a step, with the values of the start on one side or both.
    fn step_of_start(&self, file: &Path) -> Result<Prepared, Failure> {
        let engine = self.settings.engine(&self.settings.start());
        let opponent = self.settings.opponent.clone();
        let opponent = opponent.unwrap_or_else(|| engine.clone());
        let words = self
            .settings
            .words([engine, opponent], 1, self.settings.games);
        let step = Match::of(&words).map_err(|error| {
            // Only the sentence on the engine: clap's usage lines are about a command line that nobody wrote.
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            let line = line.trim_start_matches("error: ");
            let from = line.find("engine specification").unwrap_or(0);
            Refused::because(format!("{}: {}", file.display(), &line[from..]))
        })?;
        for (name, engine) in self.settings.samples() {
            if let Some((error, takes_whole)) = step.fault(&engine, name) {
                let hint = if takes_whole && !self.settings.parameters[name].whole {
                    "set `whole = true`"
                } else {
                    "change min or max"
                };
                let text = format!("{}: [parameters.{name}]: {hint}: {error}", file.display());
                return Err(Refused::because(text));
            }
        }
        step.prepare()
    }

    /// Plays a step; gives the games and the lead of `plus`.
    fn step(&mut self, plus: &Values, minus: &Values, block: u64) -> Result<(u64, f64), Failure> {
        let games = self.settings.games;
        let [plus, minus] = [plus, minus].map(|values| self.settings.engine(values));
        if let Some(opponent) = self.settings.opponent.clone() {
            let plus = self.play([plus, opponent.clone()], block, games, None)?;
            let minus = self.play([minus, opponent], block, games, None)?;
            let played = plus.games().chain(minus.games()).count();
            return Ok((played as u64, plus.scores()[0] - minus.scores()[0]));
        }
        let results = self.play([plus, minus], block, games, None)?;
        let scores = results.scores();
        Ok((results.games().count() as u64, scores[0] - scores[1]))
    }
}

pub(crate) fn run(options: &TuneOptions) -> Result<(), Failure> {
    let settings = Settings::read(&options.file)?;
    let mut tables = TuningMatches {
        settings: &settings,
        players: &options.players,
        workers: None,
    };
    // Faults of the engine or of the options show before a journal begins.
    let step = tables.step_of_start(&options.file)?;
    let blocks = step.blocks();
    let out = options.out.clone();
    let out = out.unwrap_or_else(|| options.file.with_extension("jsonl"));
    let (mut journal, steps) = Journal::open(&out, &settings)?;
    let mut spsa = Spsa::new(&settings);
    let mut games = 0;
    for step in &steps {
        let pair = spsa.pair();
        if (step.step, &step.plus, &step.minus) != (spsa.done(), &pair.plus, &pair.minus) {
            let text = format!(
                "{}: step {} does not follow from those before it: name another journal with --out",
                out.display(),
                step.step
            );
            return Err(Refused::because(text));
        }
        spsa.learn(&pair, step.lead);
        games += step.games;
    }
    tables.workers = options.players.workers(&step)?;
    let meter = Meter::new(settings.steps.into(), spsa.done().into(), "step")?;
    while spsa.done() < settings.steps {
        let (step, pair) = (spsa.done(), spsa.pair());
        let (played, lead) = tables.step(&pair.plus, &pair.minus, u64::from(step) * blocks)?;
        spsa.learn(&pair, lead);
        games += played;
        journal.add(&StepLine {
            step,
            plus: pair.plus,
            minus: pair.minus,
            games: played,
            lead,
            values: spsa.values(),
        })?;
        meter.show(spsa.done().into(), count_of_games(games));
    }
    meter.finish();
    let [start, found] = [settings.start(), spsa.found()];
    let engines = [&found, &start].map(|values| settings.engine(values));
    let mut verified = None;
    if settings.verify > 0 {
        let after = u64::from(settings.steps) * blocks;
        let title = Some("found against start");
        verified = Some(tables.play(engines.clone(), after, settings.verify, title)?);
    }
    if options.json {
        let verified = verified.map(|results| {
            let all = results.json();
            let entrant = &all["entrants"][0];
            json!({
                "games": all["games"],
                "blocks": all["blocks"],
                "score": entrant["score"],
                "interval": entrant["score_interval"],
            })
        });
        let result = json!({
            "game": settings.game,
            "engine": engines[0],
            "steps": settings.steps,
            "games": games,
            "start": start,
            "found": found,
            "verified": verified,
        });
        println!("{result}");
        return Ok(());
    }
    for (name, value) in &found {
        println!("{name}: {} -> {value}", start[name]);
    }
    println!("{}", engines[0]);
    if let Some(results) = verified {
        print!("found (A) against start: {}", results.text());
    }
    Ok(())
}
