//! What an engine would play, for practice.

use std::sync::LazyLock;
use std::time::Duration;

use bots::client::{Asked, ClientGame, News, Player as _, Supervised};
use bots::{blokus, daihinmin, dobutsu, geister, score_four};
use games::{Blokus, Dobutsu, GameName, ScoreFour};
use serde_json::{Value, json};

/// Time for an answer.
const LIMIT: Duration = Duration::from_millis(500);
/// Empty squares up to which every peg of 3D four-in-a-row is solved, with the nodes and the time for each of them, and
/// the table of the searches.
const SOLVED_FROM: u8 = 20;
const SOLVER_NODES: u64 = 50_000;
const SOLVER_LIMIT: Duration = Duration::from_millis(60);
const SOLVER_BITS: u32 = 16;
/// Seed of the engines: the same question gets the same answer as far as time allows.
const SEED: u64 = 1;

/// The engine of Dobutsu shogi; what is asked for has its table in common.
static DOBUTSU: LazyLock<dobutsu::EngineOptions> = LazyLock::new(|| dobutsu::EngineOptions {
    time: Some(LIMIT),
    ..dobutsu::EngineOptions::named(dobutsu::EngineName::Best)
});

/// Games with an engine to ask.
pub(crate) trait Advised: ClientGame {
    /// Whether the engine has to see the whole game, because something is hidden in it.
    const FOLLOWS: bool;

    /// The strongest engine; `None` if it cannot be made.
    fn adviser() -> Option<Supervised<Self>>;

    /// The value of a position for the seat to move, by the reasons of one of its engines: from -1, a loss, to 1, a win.
    fn value(reasons: &Value) -> Option<f64>;

    /// What an engine is sure of, in words.
    fn certain(_reasons: &Value) -> Option<String> {
        None
    }

    /// Exact values of the legal moves, as far as they are known.
    fn exact(_view: &Self::View) -> Exact {
        Exact::default()
    }
}

/// Exact values of moves.
#[derive(Default)]
pub(crate) struct Exact {
    /// The moves with what they lead to in words, such as `win in 5`.
    moves: Vec<(String, String)>,
    /// Whether the table of the solved game is missing, which has them.
    lacks_table: bool,
}

impl Exact {
    /// The moves as a hint has them, but for `but`.
    fn others(&self, but: &str) -> impl Iterator<Item = Value> {
        let others = self.moves.iter().filter(move |(mv, _)| mv != but);
        others.map(|(mv, word)| json!({ "move": mv, "value": null, "exact": word, "visits": null }))
    }

    /// The answer to a question for them.
    pub(crate) fn answer(&self) -> Value {
        json!({
            "moves": self.others("").collect::<Vec<_>>(),
            "missing": self.missing(),
        })
    }

    /// What has to be got before there are any.
    fn missing(&self) -> Option<&'static str> {
        self.lacks_table.then_some("table")
    }
}

/// The value in the reasons of an engine of a game, see [`Advised::value`].
pub(crate) fn value(game: GameName, reasons: &Value) -> Option<f64> {
    match game {
        GameName::Daihinmin => daihinmin::client::Daihinmin::value(reasons),
        GameName::Geister => geister::client::Geister::value(reasons),
        GameName::Blokus => Blokus::value(reasons),
        GameName::ScoreFour => ScoreFour::value(reasons),
        GameName::Dobutsu => Dobutsu::value(reasons),
    }
}

/// A share in the win, 0 to 1, as a value.
fn of_share(share: f64) -> f64 {
    (2.0 * share - 1.0).clamp(-1.0, 1.0)
}

/// A score in logits as a value.
fn of_logit(logit: f64) -> f64 {
    (logit / 2.0).tanh()
}

/// The entry of the move that was chosen in a list of the reasons; of the one that was tried most often where they do not
/// tell the choice.
fn chosen<'a>(reasons: &'a Value, list: &str, trials: &str) -> Option<&'a Value> {
    let list = reasons[list].as_array()?;
    let is_chosen = |one: &&Value| {
        let mv = one.get("move").or_else(|| one.get("peg"));
        mv.is_some() && mv == reasons.get("move")
    };
    let most_tried = || list.iter().max_by_key(|one| one[trials].as_u64());
    list.iter().find(is_chosen).or_else(most_tried)
}

/// An engine that is asked for advice.
pub(crate) struct Adviser<G: ClientGame>(Option<Supervised<G>>);

impl<G: Advised> Adviser<G> {
    pub(crate) fn new() -> Adviser<G> {
        Adviser(if G::FOLLOWS { G::adviser() } else { None })
    }

    /// The engine follows the game.
    pub(crate) fn tell(&mut self, news: News<'_, G>) {
        if let Some(engine) = &mut self.0 {
            engine.tell(news, &mut std::io::sink());
        }
    }

    /// What it would play, as the message `hint` without the place in the match.
    pub(crate) fn advise(&mut self, view: &G::View, asked: &Asked<'_, G>) -> Option<Value> {
        if self.0.is_none() {
            self.0 = G::adviser();
        }
        let limit = Some(asked.limit.map_or(LIMIT, |limit| limit.min(LIMIT)));
        let asked = Asked {
            limit,
            refused: asked.refused,
        };
        let decision = self.0.as_mut()?.choose(view, &asked)?;
        let (best, reasons) = (decision.mv.to_string(), &decision.log["reason"]);
        let exact = G::exact(view);
        let mut known = exact.moves.iter();
        let word = known.find(|(mv, _)| *mv == best).map(|(_, word)| word);
        let mut moves = vec![json!({
            "move": best,
            "value": G::value(reasons),
            "exact": word.or(G::certain(reasons).as_ref()),
            "visits": reasons["tried"].as_u64(),
        })];
        moves.extend(exact.others(&best));
        Some(json!({
            "type": "hint",
            "moves": moves,
            "engine": "best",
            "reasons": reasons,
            "missing": exact.missing(),
        }))
    }
}

impl Advised for ScoreFour {
    const FOLLOWS: bool = false;

    fn adviser() -> Option<Supervised<ScoreFour>> {
        let options = score_four::EngineOptions {
            time: Some(LIMIT),
            ..score_four::EngineOptions::named(score_four::EngineName::Best)
        };
        Some(Supervised::new(options.build(SEED)))
    }

    /// A score is in thousandths of a logit, a rate that of won playouts.
    fn value(reasons: &Value) -> Option<f64> {
        if let Some(solved) = reasons["solved"].as_f64() {
            return Some(solved);
        }
        let score = || Some(of_logit(reasons["score"].as_f64()? / 1000.0));
        let rate = || chosen(reasons, "candidates", "playouts")?["rate"].as_f64();
        score().or_else(|| rate().map(of_share))
    }

    fn certain(reasons: &Value) -> Option<String> {
        reasons["solved"].as_i64().map(solved)
    }

    fn exact(view: &Self::View) -> Exact {
        if 64 - view.ply() > SOLVED_FROM {
            return Exact::default();
        }
        let mut solver = score_four::best::Solver::new(SOLVER_BITS).with_nodes(SOLVER_NODES);
        let values = view.legal_pegs().filter_map(|peg| {
            let value = solver.value_of(view, peg, Some(SOLVER_LIMIT))?;
            Some((peg.to_string(), solved(value.into())))
        });
        Exact {
            moves: values.collect(),
            ..Exact::default()
        }
    }
}

/// A value of the solver of 3D four-in-a-row in words.
fn solved(value: i64) -> String {
    match value {
        1 => "win",
        0 => "draw",
        _ => "loss",
    }
    .to_owned()
}

impl Advised for Blokus {
    const FOLLOWS: bool = false;

    fn adviser() -> Option<Supervised<Blokus>> {
        let options = blokus::EngineOptions {
            time: Some(LIMIT),
            ..blokus::EngineOptions::named(blokus::EngineName::Best)
        };
        options.build(SEED).ok().map(Supervised::new)
    }

    /// Its rate is that of won playouts.
    fn value(reasons: &Value) -> Option<f64> {
        reasons["value"].as_f64().map(of_share)
    }
}

impl Advised for Dobutsu {
    const FOLLOWS: bool = false;

    fn adviser() -> Option<Supervised<Dobutsu>> {
        DOBUTSU.build(SEED).ok().map(Supervised::new)
    }

    /// A value of the table in words, a win or loss that was found, a share in the win, or a score in hundredths of a
    /// chick, of which 400 make a win ten times as likely.
    fn value(reasons: &Value) -> Option<f64> {
        match (&reasons["value"], &reasons["win"], &reasons["loss"]) {
            (Value::String(word), ..) => Some(match &word[..] {
                "win" => 1.0,
                "lose" => -1.0,
                _ => 0.0,
            }),
            (_, Value::Number(_), _) => Some(1.0),
            (_, _, Value::Number(_)) => Some(-1.0),
            (share, ..) => share.as_f64().map(of_share).or_else(|| {
                let score = reasons["score"].as_f64()?;
                Some(of_logit(score / 400.0 * std::f64::consts::LN_10))
            }),
        }
    }

    fn certain(reasons: &Value) -> Option<String> {
        let wins = reasons["win"]
            .as_u64()
            .map(|plies| format!("win in {plies}"));
        wins.or_else(|| Some(format!("loss in {}", reasons["loss"].as_u64()?)))
    }

    fn exact(game: &Self::View) -> Exact {
        let Ok(table) = DOBUTSU.table() else {
            return Exact {
                lacks_table: true,
                ..Exact::default()
            };
        };
        let values = dobutsu::values_of_moves(&table, game);
        let values = values.into_iter().map(|(mv, value)| {
            let word = match value {
                dobutsu::Value::Win(plies) => format!("win in {plies}"),
                dobutsu::Value::Loss(plies) => format!("loss in {plies}"),
                dobutsu::Value::Draw => "draw".to_owned(),
            };
            (mv.to_string(), word)
        });
        Exact {
            moves: values.collect(),
            lacks_table: false,
        }
    }
}

impl Advised for geister::client::Geister {
    const FOLLOWS: bool = true;

    fn adviser() -> Option<Supervised<Self>> {
        let options = geister::EngineOptions {
            plan: geister::Plan {
                time: Some(LIMIT),
                ..geister::Plan::default()
            },
            ..geister::EngineOptions::default()
        };
        options.build(SEED).ok().map(Supervised::new)
    }

    /// Values are shares in the win.
    fn value(reasons: &Value) -> Option<f64> {
        let best = chosen(reasons, "moves", "visits")?;
        best["value"].as_f64().map(of_share)
    }
}

impl Advised for daihinmin::client::Daihinmin {
    const FOLLOWS: bool = true;

    fn adviser() -> Option<Supervised<Self>> {
        let options = daihinmin::EngineOptions {
            time: Some(LIMIT),
            ..daihinmin::EngineOptions::default()
        };
        options.build(SEED).ok().map(Supervised::new)
    }

    /// Values are points, from 1 to 5.
    fn value(reasons: &Value) -> Option<f64> {
        let points = chosen(reasons, "candidates", "playouts")?["value"].as_f64()?;
        Some(((points - 3.0) / 2.0).clamp(-1.0, 1.0))
    }
}
