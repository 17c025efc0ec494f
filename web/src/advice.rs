//! What an engine would play, for practice.

use std::sync::LazyLock;
use std::time::Duration;

use bots::spec::{self, Specified};
use bots::{EngineGame, Level, Supervised, blokus, daihinmin, dobutsu, geister, score_four};
use client::gat::Geister;
use client::uecda::Daihinmin;
use client::{MoveRequest, Notification, Player as _};
use games::{Blokus, Dobutsu, GameName, ScoreFour};
use log::warn;
use serde::Deserialize;
use serde_json::Value;

use crate::calibration::Curve;
use crate::messages::{Hint, MoveValue, MoveValues};

const LIMIT: Duration = Duration::from_millis(500);
/// Empty squares up to which every peg of 3D four-in-a-row is solved, with the nodes and the time for each of them, and
/// the table of the searches.
const SOLVED_FROM: u8 = 20;
const SOLVER_NODES: u64 = 50_000;
const SOLVER_LIMIT: Duration = Duration::from_millis(60);
const SOLVER_BITS: u32 = 16;
/// Seed of the engines: the same question gets the same answer as far as time allows.
const SEED: u64 = 1;

/// The engines of Dobutsu shogi have its table and their networks in common.
static DOBUTSU: LazyLock<dobutsu::EngineOptions> =
    LazyLock::new(|| dobutsu::EngineOptions::named(dobutsu::EngineName::Best));

pub(crate) trait Advised: EngineGame {
    type Options: Specified<Engine = Self::Engine>;
    /// Whether the engine has to see the whole game, because something is hidden in it.
    const FOLLOWS: bool = false;

    /// The engine of a name or a level; `None` if it cannot be made.
    fn engine(name: &str) -> Option<Box<Self::Engine>> {
        options::<Self::Options>(name)?.build(SEED).ok()
    }

    /// The value of a position for the seat to move, by the reasons of one of its engines for this move: from -1, a loss,
    /// to 1, a win.
    fn value(_reasons: &Reasons, _mv: &str) -> Option<f64> {
        None
    }

    /// What an engine is sure of, in words.
    fn certain(_reasons: &Reasons) -> Option<String> {
        None
    }

    /// Exact values of the legal moves, as far as they are known.
    fn exact(_view: &Self::View) -> Exact {
        Exact::default()
    }
}

#[derive(Default)]
pub(crate) struct Exact {
    /// The moves with what they lead to in words, such as `win in 5`.
    moves: Vec<(String, String)>,
    /// Whether the table of the solved game is missing, which has them.
    lacks_table: bool,
}

impl Exact {
    /// The moves, but for `but`.
    fn others(&self, but: &str) -> impl Iterator<Item = MoveValue> {
        let others = self.moves.iter().filter(move |(mv, _)| mv != but);
        others.map(|(mv, word)| MoveValue {
            mv: mv.clone(),
            value: None,
            exact: Some(word.clone()),
            visits: None,
        })
    }

    /// The values without an engine's hint.
    pub(crate) fn hint(&self, (game, ply): (u32, u32)) -> Hint {
        Hint {
            game,
            ply,
            engine: None,
            reasons: Value::Null,
            values: self.values_with(None),
        }
    }

    /// All values, of which these come first.
    fn values_with(&self, best: Option<MoveValue>) -> MoveValues {
        let but = best.as_ref().map_or(String::new(), |best| best.mv.clone());
        MoveValues {
            moves: best.into_iter().chain(self.others(&but)).collect(),
            missing: self.lacks_table.then_some("table"),
        }
    }
}

/// The reasons of an engine for its move, as far as a value is in them. `docs/schema/reasons.json` has all that each engine
/// tells.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Reasons {
    #[serde(alias = "candidates")]
    moves: Vec<Candidate>,
    tried: Option<u64>,
    /// A value of the position, or of the chosen move.
    value: Option<Estimate>,
    /// Plies to the end that a value in words tells of.
    distance: Option<u32>,
    score: Option<f64>,
    /// What a search has proved for the seat to move: 1, 0 or -1.
    solved: Option<i32>,
    /// Plies to a win or a loss that was found.
    win: Option<u32>,
    loss: Option<u32>,
    reason: Option<String>,
    /// The name that the engine gives itself.
    engine: Option<String>,
}

/// A move that an engine tried, in the words of any of them.
#[derive(Debug, Deserialize)]
struct Candidate {
    #[serde(rename = "move", alias = "peg")]
    mv: String,
    #[serde(alias = "playouts")]
    visits: Option<f64>,
    #[serde(alias = "rate")]
    value: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Estimate {
    Share(f64),
    Word(Outcome),
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Outcome {
    Win,
    Draw,
    Lose,
}

impl Reasons {
    /// Those of an engine. Without any, or where they are none of this project's engines, nothing is in them.
    pub(crate) fn read(reasons: &Value) -> Reasons {
        let read = Option::<Reasons>::deserialize(reasons);
        read.unwrap_or_else(|e| {
            warn!("reasons of an engine cannot be read: {e}");
            None
        })
        .unwrap_or_default()
    }

    fn of(&self, mv: &str) -> Option<&Candidate> {
        self.moves.iter().find(|one| one.mv == mv)
    }

    /// A value that is a share in the win.
    fn share(&self) -> Option<f64> {
        match self.value {
            Some(Estimate::Share(share)) => Some(of_share(share)),
            _ => None,
        }
    }

    /// An estimate as a value of the game, if results bear its engine out.
    fn on_curve(&self, game: GameName, estimate: Option<f64>) -> Option<f64> {
        Some(Curve::of(game, self.engine.as_deref())?.value(estimate?))
    }

    fn visits(&self, mv: &str) -> Option<u64> {
        let counted = || Some(self.of(mv)?.visits?.round() as u64);
        self.tried.or_else(counted)
    }
}

/// The value in the reasons of an engine of a game for a move, see [`Advised::value`].
pub(crate) fn value(game: GameName, reasons: &Value, mv: &str) -> Option<f64> {
    let reasons = &Reasons::read(reasons);
    match game {
        GameName::Daihinmin => Daihinmin::value(reasons, mv),
        GameName::Geister => Geister::value(reasons, mv),
        GameName::Blokus => Blokus::value(reasons, mv),
        GameName::ScoreFour => ScoreFour::value(reasons, mv),
        GameName::Dobutsu => Dobutsu::value(reasons, mv),
    }
}

/// Puts the estimates of the moves in reasons on the curve of their engine, or takes them away where it has none.
pub(crate) fn calibrate(game: GameName, reasons: &mut Value) {
    let curve = Curve::of(game, reasons["engine"].as_str());
    let (least, most) = match game {
        GameName::Daihinmin => (1.0, 5.0),
        _ => (0.0, 1.0),
    };
    for list in ["moves", "candidates"] {
        let moves = reasons.get_mut(list).and_then(Value::as_array_mut);
        for one in moves.into_iter().flatten().filter_map(Value::as_object_mut) {
            for name in ["value", "rate"] {
                let Some(told) = one.get(name).and_then(Value::as_f64) else {
                    continue;
                };
                match curve {
                    Some(curve) => {
                        let share = (told - least) / (most - least);
                        let share = f64::midpoint(curve.value(of_share(share)), 1.0);
                        one.insert(name.to_owned(), (least + share * (most - least)).into());
                    }
                    None => drop(one.remove(name)),
                }
            }
        }
    }
}

/// A share in the win, 0 to 1, as a value.
fn of_share(share: f64) -> f64 {
    2.0 * share - 1.0
}

/// A score in logits as a value.
fn of_logit(logit: f64) -> f64 {
    (logit / 2.0).tanh()
}

/// The options of an engine, which thinks no longer than [`LIMIT`]; those of a level limit its playouts.
fn options<O: Specified>(name: &str) -> Option<O> {
    let is_level = Level::named(name).is_some();
    let limit = format!("{name}:ms={}", LIMIT.as_millis());
    spec::read(if is_level { name } else { &limit }).ok()
}

/// What is asked for a hint at a table.
const STRONGEST: &str = "best";

pub(crate) struct Adviser<G: EngineGame> {
    name: String,
    engine: Option<Supervised<G>>,
}

impl<G: Advised> Adviser<G> {
    /// The strongest engine. Where it need not follow the game it is made when it is asked.
    pub(crate) fn new() -> Adviser<G> {
        if G::FOLLOWS {
            return Adviser::named(STRONGEST);
        }
        Adviser {
            name: STRONGEST.to_owned(),
            engine: None,
        }
    }

    /// The engine of a name or a level.
    pub(crate) fn named(name: &str) -> Adviser<G> {
        Adviser {
            name: name.to_owned(),
            engine: G::engine(name).map(Supervised::new),
        }
    }

    pub(crate) fn tell(&mut self, news: Notification<'_, G>) {
        if let Some(engine) = &mut self.engine {
            engine.tell(news, &mut std::io::sink());
        }
    }

    /// What it would play at this ply of a game; `None` if it cannot be made.
    pub(crate) fn advise(
        &mut self,
        view: &G::View,
        asked: &MoveRequest<'_, G>,
        (game, ply): (u32, u32),
    ) -> Option<Hint> {
        if self.engine.is_none() {
            self.engine = G::engine(&self.name).map(Supervised::new);
        }
        let limit = Some(asked.limit.map_or(LIMIT, |limit| limit.min(LIMIT)));
        let asked = MoveRequest {
            limit,
            refused: asked.refused,
        };
        let decision = self.engine.as_mut()?.choose(view, &asked)?;
        let (best, mut told) = (decision.mv.to_string(), decision.log["reason"].clone());
        let reasons = &Reasons::read(&told);
        calibrate(G::Options::GAME, &mut told);
        let exact = G::exact(view);
        let mut known = exact.moves.iter();
        let word = known.find(|(mv, _)| *mv == best).map(|(_, word)| word);
        let best = MoveValue {
            value: G::value(reasons, &best),
            exact: word.cloned().or_else(|| G::certain(reasons)),
            visits: reasons.visits(&best),
            mv: best,
        };
        Some(Hint {
            game,
            ply,
            engine: Some(self.name.clone()),
            reasons: told,
            values: exact.values_with(Some(best)),
        })
    }
}

impl Advised for ScoreFour {
    type Options = score_four::EngineOptions;

    /// A score is in thousandths of a logit, a rate that of won playouts.
    fn value(reasons: &Reasons, mv: &str) -> Option<f64> {
        let score = || Some(of_logit(reasons.score? / 1000.0));
        let rate = || Some(of_share(reasons.of(mv)?.value?));
        let estimate = || reasons.on_curve(Self::Options::GAME, score().or_else(rate));
        reasons.solved.map(f64::from).or_else(estimate)
    }

    fn certain(reasons: &Reasons) -> Option<String> {
        reasons.solved.map(solved)
    }

    fn exact(view: &Self::View) -> Exact {
        if 64 - view.ply() > SOLVED_FROM {
            return Exact::default();
        }
        let mut solver = score_four::best::Solver::new(SOLVER_BITS).with_nodes(SOLVER_NODES);
        let values = view.legal_pegs().filter_map(|peg| {
            let value = solver.value_of(view, peg, Some(SOLVER_LIMIT))?;
            Some((peg.to_string(), solved(value)))
        });
        Exact {
            moves: values.collect(),
            ..Exact::default()
        }
    }
}

/// A value of the solver of 3D four-in-a-row in words.
fn solved(value: i32) -> String {
    match value {
        1 => "win",
        0 => "draw",
        _ => "loss",
    }
    .to_owned()
}

impl Advised for Blokus {
    type Options = blokus::EngineOptions;

    fn value(reasons: &Reasons, _mv: &str) -> Option<f64> {
        reasons.on_curve(Self::Options::GAME, reasons.share())
    }
}

impl Advised for Dobutsu {
    type Options = dobutsu::EngineOptions;

    fn engine(name: &str) -> Option<Box<Self::Engine>> {
        let named: dobutsu::EngineOptions = options(name)?;
        let shared = DOBUTSU.clone();
        let options = dobutsu::EngineOptions {
            models: shared.models,
            opened: shared.opened,
            ..named
        };
        options.build(SEED).ok()
    }

    /// A value of the table in words, a win or loss that was found, a share in the win, or a score in hundredths of a
    /// chick, of which 400 make a win ten times as likely.
    fn value(reasons: &Reasons, _mv: &str) -> Option<f64> {
        match reasons {
            Reasons {
                value: Some(Estimate::Word(word)),
                ..
            } => Some(match word {
                Outcome::Win => 1.0,
                Outcome::Draw => 0.0,
                Outcome::Lose => -1.0,
            }),
            Reasons { win: Some(_), .. } => Some(1.0),
            Reasons { loss: Some(_), .. } => Some(-1.0),
            _ => {
                let of_score = |score| of_logit(score / 400.0 * std::f64::consts::LN_10);
                let estimate = reasons.share().or_else(|| reasons.score.map(of_score));
                reasons.on_curve(Self::Options::GAME, estimate)
            }
        }
    }

    fn certain(reasons: &Reasons) -> Option<String> {
        let plies = reasons.distance;
        match (&reasons.value, reasons.win, reasons.loss) {
            (Some(Estimate::Word(Outcome::Win)), ..) => Some(format!("win in {}", plies?)),
            (Some(Estimate::Word(Outcome::Lose)), ..) => Some(format!("loss in {}", plies?)),
            (Some(Estimate::Word(Outcome::Draw)), ..) => Some("draw".to_owned()),
            (_, Some(plies), _) => Some(format!("win in {plies}")),
            (.., plies) => Some(format!("loss in {}", plies?)),
        }
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

impl Advised for Geister {
    type Options = geister::EngineOptions;
    const FOLLOWS: bool = true;

    /// Values are shares of the win; an escape is a win.
    fn value(reasons: &Reasons, mv: &str) -> Option<f64> {
        if escapes(reasons) {
            return Some(1.0);
        }
        let of_move = || Some(of_share(reasons.of(mv)?.value?));
        reasons.on_curve(Self::Options::GAME, reasons.share().or_else(of_move))
    }

    fn certain(reasons: &Reasons) -> Option<String> {
        escapes(reasons).then(|| "win in 1".to_owned())
    }
}

/// Whether an engine of Geister leaves the board.
fn escapes(reasons: &Reasons) -> bool {
    reasons.reason.as_deref() == Some("escape")
}

impl Advised for Daihinmin {
    type Options = daihinmin::EngineOptions;
    const FOLLOWS: bool = true;

    /// Values are points, from 1 to 5.
    fn value(reasons: &Reasons, mv: &str) -> Option<f64> {
        let points = reasons.of(mv)?.value?;
        reasons.on_curve(Self::Options::GAME, Some((points - 3.0) / 2.0))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use std::ops::RangeInclusive;

    use clap::ValueEnum;
    use client::native::NativeGame;
    use client::{gat, uecda};
    use games::{Game, daihinmin as cards, geister as ghosts};

    use super::*;
    use crate::catalogue::find_files;

    const DECISIONS: usize = 8;
    /// Playouts, simulations or nodes of each.
    const PLAYOUTS: u32 = 60;

    /// Lets an engine decide, and checks what it tells of each decision, whose candidates have values in this range; gives
    /// whether it tells anything. `play` makes a move, and gives the next view to decide on.
    fn tells<G: Advised>(
        name: &str,
        engine: Box<G::Engine>,
        range: &RangeInclusive<f64>,
        mut play: impl FnMut(Option<G::Move>) -> Option<G::View>,
    ) -> bool {
        let mut engine = Supervised::<G>::new(engine);
        let (mut told, mut valued) = (0, 0);
        let mut view = play(None);
        for _ in 0..DECISIONS {
            let Some(now) = view else { break };
            let asked = MoveRequest {
                limit: None,
                refused: &[],
            };
            let decision = engine.choose(&now, &asked).expect("a move");
            if let Some(reasons) = decision.log.get("reason") {
                let mv = decision.mv.to_string();
                let value = check::<G>(reasons, &mv, range).unwrap_or_else(|wrong| {
                    panic!("{name} plays {mv}: {wrong}: {reasons}");
                });
                told += 1;
                valued += usize::from(value.is_some());
            }
            view = play(Some(decision.mv));
        }
        // Depth-first searches count squares, the policy of the paper has preferences, and the others have no curve.
        let has_none = matches!(name, "maxn" | "paranoid" | "brs" | "paper" | "alphazero")
            || name.starts_with("mcts-");
        let has_values = told > 0 && !has_none;
        assert_eq!(valued > 0, has_values, "{name}: {valued} of {told}");
        told > 0
    }

    /// Checks the reasons for a move; gives its value.
    fn check<G: Advised>(
        reasons: &Value,
        mv: &str,
        range: &RangeInclusive<f64>,
    ) -> Result<Option<f64>, String> {
        let read = Reasons::deserialize(reasons).map_err(|e| e.to_string())?;
        let all = || read.moves.iter();
        if all()
            .filter_map(|one| one.value)
            .any(|value| !range.contains(&value))
        {
            return Err("a value out of its range".to_owned());
        }
        if !read.moves.is_empty() {
            let chosen = read.of(mv).ok_or("it is no candidate")?;
            let is_most = |of: fn(&Candidate) -> Option<f64>| {
                all().all(|one| of(one).is_none_or(|n| of(chosen).is_some_and(|own| own >= n)))
            };
            if !is_most(|one| one.visits) && !is_most(|one| one.value) {
                return Err("it is neither the best nor tried most".to_owned());
            }
        }
        let value = G::value(&read, mv);
        if value.is_some_and(|value| !(-1.0..=1.0).contains(&value)) {
            return Err(format!("the value {value:?}"));
        }
        Ok(value)
    }

    /// The engines of a game that tell their reasons.
    fn all<E: ValueEnum + Copy>(game: GameName, tells: impl Fn(&str, E) -> bool) -> Vec<String> {
        let engines = E::value_variants().iter().filter_map(|engine| {
            let name = engine.to_possible_value()?.get_name().to_owned();
            if find_files(game, &name).is_err() {
                // The table of the solved game takes minutes to make.
                assert_eq!(name, "perfect");
                return None;
            }
            tells(&name, *engine).then_some(name)
        });
        engines.collect()
    }

    fn native<G>(name: &str, engine: Box<G::Engine>) -> bool
    where
        G: NativeGame + Advised<View = <G as NativeGame>::Board>,
    {
        let mut game = <G as Game>::begin(&G::Rules::default(), 0);
        tells::<G>(name, engine, &(0.0..=1.0), |mv| {
            if let Some(mv) = mv {
                game.play_text(&mv.to_string()).expect("a legal move");
            }
            game.to_move().map(|_| game.board().clone())
        })
    }

    #[test]
    fn the_reasons_of_each_engine_are_read_as_it_tells_them() {
        let score_four = all(GameName::ScoreFour, |name, engine| {
            let options = score_four::EngineOptions {
                playouts: Some(PLAYOUTS.into()),
                ..score_four::EngineOptions::named(engine)
            };
            native::<ScoreFour>(name, options.build(SEED).expect("an engine"))
        });
        assert_eq!(score_four, ["flat", "ucb1", "uct", "uct-es", "best"]);
        let blokus = all(GameName::Blokus, |name, engine| {
            let options = blokus::EngineOptions {
                playouts: Some(PLAYOUTS.into()),
                ..blokus::EngineOptions::named(engine)
            };
            native::<Blokus>(name, options.build(SEED).expect("an engine"))
        });
        let tree = ["mcts-maxn", "mcts-paranoid", "mcts-brs"];
        let searches = ["maxn", "paranoid", "brs"].into_iter().chain(tree);
        let searches = searches.chain(["blokus-zero", "best"]);
        assert_eq!(blokus, searches.collect::<Vec<_>>());
        let dobutsu = all(GameName::Dobutsu, |name, engine| {
            let options = dobutsu::EngineOptions {
                nodes: Some(PLAYOUTS.into()),
                ..dobutsu::EngineOptions::named(engine)
            };
            native::<Dobutsu>(name, options.build(SEED).expect("an engine"))
        });
        assert!(dobutsu.starts_with(&["alphabeta".to_owned(), "alphazero".to_owned()]));
        assert!(dobutsu.ends_with(&["best".to_owned()]), "{dobutsu:?}");
    }

    #[test]
    fn the_reasons_of_each_engine_of_geister_are_read_as_it_tells_them() {
        let told = all(GameName::Geister, |name, engine| {
            let options = geister::EngineOptions {
                engine,
                simulations: Some(PLAYOUTS),
                ..geister::EngineOptions::default()
            };
            let mut game = games::Geister::begin(&ghosts::Rules::default(), 0);
            for placement in ghosts::Placement::ALL.into_iter().take(2) {
                game.play(ghosts::Turn::Place(placement))
                    .expect("a placement");
            }
            let engine = options.build(SEED).expect("an engine");
            tells::<Geister>(name, engine, &(0.0..=1.0), |choice| {
                if let Some(gat::GeisterChoice::Go(mv)) = choice {
                    game.play(ghosts::Turn::Step(mv)).expect("a legal move");
                }
                match game.view(game.to_move()?) {
                    ghosts::GameView::Playing(view) => Some(gat::GeisterSight::Playing(view)),
                    ghosts::GameView::Placing { .. } => None,
                }
            })
        });
        assert_eq!(told, ["paper", "policy", "best"]);
        let escape = json!({ "engine": "policy", "move": "A,N", "reason": "escape" });
        let value = check::<Geister>(&escape, "A,N", &(0.0..=1.0));
        assert_eq!(value, Ok(Some(1.0)));
    }

    #[test]
    fn the_reasons_of_each_engine_of_daihinmin_are_read_as_it_tells_them() {
        let told = all(GameName::Daihinmin, |name, engine| {
            let options = daihinmin::EngineOptions {
                engine,
                playouts: PLAYOUTS,
                ..daihinmin::EngineOptions::default()
            };
            let mut game = games::Daihinmin::begin(&cards::Rules::default(), SEED);
            let engine = options.build(SEED).expect("an engine");
            tells::<Daihinmin>(name, engine, &(1.0..=5.0), |choice| {
                if let Some(uecda::DaihinminChoice::Play(meld)) = choice {
                    game.play(cards::Turn::Lay(meld)).expect("a legal move");
                }
                Some(uecda::DaihinminSight {
                    view: game.view(game.to_move()?).view,
                    owes: 0,
                    player_at: [0, 1, 2, 3, 4],
                })
            })
        });
        assert_eq!(told, ["mc", "crow", "best"]);
        // Points are told as an engine sums them up; the last of the list was never tried.
        let told = json!({ "candidates": [
            { "move": "D8", "playouts": 1999.0, "value": 4.12 },
            { "move": "S3S4S5", "playouts": 1.0, "value": 1.0 },
        ] });
        let value = value(GameName::Daihinmin, &told, "D8").expect("a value");
        let curve = Curve::of(GameName::Daihinmin, None).expect("a curve");
        assert!((value - curve.value(0.56)).abs() < 1e-9, "{value}");
        // The moves of a list are on the same curve, in points.
        let mut shown = told.clone();
        calibrate(GameName::Daihinmin, &mut shown);
        let points = |at: usize| shown["candidates"][at]["value"].as_f64().expect("points");
        assert!((points(0) - (3.0 + 2.0 * value)).abs() < 1e-9, "{shown}");
        assert!((points(1) - 1.0).abs() < 1e-9, "{shown}");
        let mut none = json!({ "engine": "mcts-maxn", "moves": [{ "move": "a20", "visits": 3, "value": 1.0 }] });
        calibrate(GameName::Blokus, &mut none);
        assert_eq!(none["moves"][0], json!({ "move": "a20", "visits": 3 }));
        assert_eq!(Reasons::read(&told).visits("D8"), Some(1999));
    }

    #[test]
    fn the_values_of_a_solved_game_are_certain() {
        let perfect = |value: &str, distance: Option<u32>| {
            let told = json!({ "engine": "perfect", "move": "2c2b", "value": value, "distance": distance });
            let read = Reasons::read(&told);
            (Dobutsu::value(&read, "2c2b"), Dobutsu::certain(&read))
        };
        let certain = |word: &str| Some(word.to_owned());
        assert_eq!(perfect("win", Some(3)), (Some(1.0), certain("win in 3")));
        assert_eq!(
            perfect("lose", Some(78)),
            (Some(-1.0), certain("loss in 78"))
        );
        assert_eq!(perfect("draw", None), (Some(0.0), certain("draw")));
    }
}
