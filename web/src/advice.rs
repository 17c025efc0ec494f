//! What an engine would play, for practice.

use std::time::Duration;

use bots::client::{Asked, ClientGame, News, Player as _, Supervised};
use bots::{blokus, daihinmin, dobutsu, geister, score_four};
use games::{Blokus, Dobutsu, ScoreFour};
use serde_json::{Value, json};

/// Time for an answer.
const LIMIT: Duration = Duration::from_millis(500);
/// Empty squares up to which every peg of 3D four-in-a-row gets its exact value, and the table of that search.
const SOLVED_FROM: u8 = 16;
const SOLVER_BITS: u32 = 16;
/// Seed of the engines: the same question gets the same answer as far as time allows.
const SEED: u64 = 1;

/// Games with an engine to ask.
pub(crate) trait Advised: ClientGame {
    /// Whether the engine has to see the whole game, because something is hidden in it.
    const FOLLOWS: bool;

    /// The strongest engine; `None` if it cannot be made.
    fn adviser() -> Option<Supervised<Self>>;

    /// A value of the engine's reasons from -1, a loss, to 1, a win.
    fn value(_reasons: &Value) -> Option<f64> {
        None
    }

    /// Exact values of moves, in words, as far as they are known.
    fn exact(_view: &Self::View, _reasons: &Value) -> Vec<(String, String)> {
        Vec::new()
    }
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
        let exact = G::exact(view, reasons);
        let word = |mv: &str| exact.iter().find(|(of, _)| of == mv).map(|(_, word)| word);
        let mut moves = vec![json!({
            "move": best,
            "value": G::value(reasons),
            "exact": word(&best),
            "visits": reasons["tried"].as_u64(),
        })];
        let others = exact.iter().filter(|(mv, _)| *mv != best);
        moves.extend(
            others.map(
                |(mv, word)| json!({ "move": mv, "value": null, "exact": word, "visits": null }),
            ),
        );
        Some(json!({ "type": "hint", "moves": moves, "engine": "best", "reasons": reasons }))
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

    fn exact(view: &Self::View, reasons: &Value) -> Vec<(String, String)> {
        let word = |value: i64| match value {
            1 => "win".to_owned(),
            0 => "draw".to_owned(),
            _ => "loss".to_owned(),
        };
        if 64 - view.ply() > SOLVED_FROM {
            let best = reasons["peg"].as_str().zip(reasons["solved"].as_i64());
            return best
                .map(|(peg, value)| (peg.to_owned(), word(value)))
                .into_iter()
                .collect();
        }
        let mut solver = score_four::best::Solver::new(SOLVER_BITS);
        let pegs = view.legal_pegs();
        let values = pegs.filter_map(|peg| {
            let value = solver.value_of(view, peg, Some(LIMIT / 16))?;
            Some((peg.to_string(), word(value.into())))
        });
        values.collect()
    }
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
        Some((2.0 * reasons["value"].as_f64()? - 1.0).clamp(-1.0, 1.0))
    }
}

impl Advised for Dobutsu {
    const FOLLOWS: bool = false;

    fn adviser() -> Option<Supervised<Dobutsu>> {
        let options = dobutsu::EngineOptions {
            time: Some(LIMIT),
            ..dobutsu::EngineOptions::named(dobutsu::EngineName::Best)
        };
        options.build(SEED).ok().map(Supervised::new)
    }

    /// With the table of the solved game `best` knows the value of its move.
    fn exact(_: &Self::View, reasons: &Value) -> Vec<(String, String)> {
        let (Some(mv), Some(value)) = (reasons["move"].as_str(), reasons["value"].as_str()) else {
            return Vec::new();
        };
        let word = match reasons["distance"].as_u64() {
            Some(plies) => format!("{value} in {plies}"),
            None => value.to_owned(),
        };
        vec![(mv.to_owned(), word)]
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
}

impl Advised for daihinmin::client::Daihinmin {
    const FOLLOWS: bool = true;

    fn adviser() -> Option<Supervised<Self>> {
        let options = daihinmin::EngineOptions {
            move_ms: Some(LIMIT.as_millis() as u64),
            ..daihinmin::EngineOptions::default()
        };
        options.build(SEED).ok().map(Supervised::new)
    }

    /// Values are points, from 1 to 5.
    fn value(reasons: &Value) -> Option<f64> {
        let points = reasons["candidates"][0]["value"].as_f64()?;
        Some(((points - 3.0) / 2.0).clamp(-1.0, 1.0))
    }
}
