//! Games without their types: what a position and a batch of Python have inside.

use std::any::Any;
use std::fmt::Display;
use std::sync::OnceLock;

use games::{
    Blokus, Daihinmin, Dobutsu, Game, GameName, Geister, Outcome, ScoreFour, Seat, Written,
};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng as _;
use serde_json::Value;

use crate::encoded::{Encoded, Shape};

/// A game with its rules, from which games begin.
pub(crate) trait RuleSet: Send + Sync {
    fn shape(&self) -> Shape;

    fn rules(&self) -> String;

    fn begin(&self, seed: u64) -> Box<dyn Play>;

    /// See [`Encoded::begin_after`].
    fn begin_after(&self, places: &[u8], seed: u64) -> Option<Box<dyn Play>>;

    /// Reads what [`Play::text`] writes.
    fn read(&self, text: &str) -> Result<Box<dyn Play>, String>;
}

pub(crate) trait Play: Send + Sync {
    fn to_move(&self) -> Option<Seat>;
    fn ply(&self) -> u32;
    fn text(&self) -> String;

    /// See [`Game::key`].
    fn key(&self) -> Vec<u8>;

    fn drawing(&self) -> String;
    fn legal_texts(&self) -> Vec<String>;

    /// The numbers of the legal moves, in the order of [`Play::legal_texts`].
    fn actions(&self) -> &[usize];

    /// The text of the legal move with a number.
    fn move_of(&self, action: usize) -> Option<String>;

    /// The number of a legal move, in any spelling.
    fn action_of(&self, text: &str) -> Result<usize, String>;

    fn play_action(&mut self, action: usize) -> Result<(), String>;
    fn play_text(&mut self, text: &str) -> Result<(), String>;

    /// What a seat sees of a legal move that is about to be played.
    fn shown(&self, text: &str, seat: Seat) -> Result<String, String>;

    /// What a seat may know, or everybody, as JSON.
    fn view(&self, seat: Option<Seat>) -> String;

    /// Writes an observation of [`Shape::size`] numbers.
    fn observe(&self, seat: Seat, out: &mut [f32]);

    fn outcome(&self) -> Option<Outcome>;

    /// Writes what the game is worth to each seat: 1 for the first place alone, 0 in sum; 0 while it goes on.
    fn returns(&self, out: &mut [f32]);

    fn copied(&self) -> Box<dyn Play>;

    /// It, as [`Playing`] of its game.
    fn as_any(&self) -> &dyn Any;

    /// A game that a seat cannot tell from this one.
    fn determinized(&self, seat: Seat, seed: u64) -> Box<dyn Play>;
}

/// The rules of a game from their options, an object in JSON; those that it leaves out are the usual ones.
pub(crate) fn rule_set(game: GameName, options: &str) -> Result<Box<dyn RuleSet>, String> {
    match game {
        GameName::Daihinmin => of_game::<Daihinmin>(options),
        GameName::Geister => of_game::<Geister>(options),
        GameName::Blokus => of_game::<Blokus>(options),
        GameName::ScoreFour => of_game::<ScoreFour>(options),
        GameName::Dobutsu => of_game::<Dobutsu>(options),
    }
}

fn of_game<G: Encoded>(options: &str) -> Result<Box<dyn RuleSet>, String> {
    let error = |reason: serde_json::Error| format!("the rules of {}: {reason}", G::NAME);
    let mut rules = serde_json::to_value(G::Rules::default()).map_err(error)?;
    let options: Value = serde_json::from_str(options).map_err(error)?;
    if let (Value::Object(rules), Value::Object(options)) = (&mut rules, options) {
        rules.extend(options);
    }
    let rules = serde_json::from_value(rules).map_err(error)?;
    Ok(Box::new(RulesOf::<G>(rules)))
}

struct RulesOf<G: Game>(G::Rules);

impl<G: Encoded> RuleSet for RulesOf<G> {
    fn shape(&self) -> Shape {
        Shape::of::<G>()
    }

    fn rules(&self) -> String {
        json(&self.0)
    }

    fn begin(&self, seed: u64) -> Box<dyn Play> {
        Box::new(Playing::new(G::begin(&self.0, seed)))
    }

    fn begin_after(&self, places: &[u8], seed: u64) -> Option<Box<dyn Play>> {
        let game = G::begin_after(&self.0, places, seed)?;
        Some(Box::new(Playing::new(game)))
    }

    fn read(&self, text: &str) -> Result<Box<dyn Play>, String> {
        let game = G::read(&self.0, text).map_err(display)?;
        Ok(Box::new(Playing::new(game)))
    }
}

fn json(value: &impl Written) -> String {
    serde_json::to_string(value).expect("rules and views have texts for keys")
}

fn display(reason: impl Display) -> String {
    reason.to_string()
}

/// A game in play, and its legal moves.
#[derive(Clone)]
pub(crate) struct Playing<G: Game> {
    game: G,
    /// The legal moves, once they are asked for.
    legal: OnceLock<Legal<G::Move>>,
}

#[derive(Clone)]
struct Legal<M> {
    moves: Vec<M>,
    actions: Vec<usize>,
}

impl<G: Encoded> Playing<G> {
    fn new(game: G) -> Self {
        Self {
            game,
            legal: OnceLock::new(),
        }
    }

    pub(crate) fn game(&self) -> &G {
        &self.game
    }

    /// A game of Blokus is over when one colour is left, which could still move.
    fn is_over(&self) -> bool {
        self.game.to_move().is_none() || self.game.outcome().is_some()
    }

    fn legal(&self) -> &Legal<G::Move> {
        self.legal.get_or_init(|| {
            let mut moves = Vec::new();
            if !self.is_over() {
                self.game.legal_moves(&mut moves);
            }
            let actions = moves.iter().map(|&mv| self.game.action(mv)).collect();
            Legal { moves, actions }
        })
    }

    /// What the rules of Blokus leave to the server: nobody moves behind the end. Elsewhere they refuse it themselves.
    fn goes_on(&self) -> Result<(), String> {
        if self.game.to_move().is_some() && self.is_over() {
            return Err("the game is over".to_owned());
        }
        Ok(())
    }

    fn numbered(&self, action: usize) -> Option<G::Move> {
        let legal = self.legal();
        let at = legal.actions.iter().position(|&legal| legal == action)?;
        Some(legal.moves[at])
    }

    /// The legal move that a text spells: the same one, or one that leads to the same position.
    fn spelt(&self, text: &str) -> Result<G::Move, String> {
        self.goes_on()?;
        let mut tried = self.game.clone();
        let mv = tried.play_text(text).map_err(display)?;
        let moves = &self.legal().moves;
        let leads_there = |&listed: &G::Move| {
            let mut game = self.game.clone();
            game.play(listed).is_ok() && game == tried
        };
        let listed = moves.contains(&mv).then_some(mv);
        listed
            .or_else(|| moves.iter().copied().find(leads_there))
            .ok_or_else(|| format!("{mv} is not listed"))
    }
}

impl<G: Encoded> Play for Playing<G> {
    fn to_move(&self) -> Option<Seat> {
        self.game.to_move().filter(|_| !self.is_over())
    }

    fn ply(&self) -> u32 {
        self.game.ply()
    }

    fn text(&self) -> String {
        self.game.position()
    }

    fn key(&self) -> Vec<u8> {
        self.game.key()
    }

    fn drawing(&self) -> String {
        self.game.drawing()
    }

    fn legal_texts(&self) -> Vec<String> {
        self.legal().moves.iter().map(ToString::to_string).collect()
    }

    fn actions(&self) -> &[usize] {
        &self.legal().actions
    }

    fn move_of(&self, action: usize) -> Option<String> {
        self.numbered(action).map(|mv| mv.to_string())
    }

    fn action_of(&self, text: &str) -> Result<usize, String> {
        Ok(self.game.action(self.spelt(text)?))
    }

    fn play_action(&mut self, action: usize) -> Result<(), String> {
        let mv = self
            .numbered(action)
            .ok_or_else(|| format!("action {action} is not legal"))?;
        self.game.play(mv).map_err(display)?;
        self.legal.take();
        Ok(())
    }

    fn play_text(&mut self, text: &str) -> Result<(), String> {
        self.goes_on()?;
        self.game.play_text(text).map_err(display)?;
        self.legal.take();
        Ok(())
    }

    fn shown(&self, text: &str, seat: Seat) -> Result<String, String> {
        Ok(self.game.shown(self.spelt(text)?, seat))
    }

    fn view(&self, seat: Option<Seat>) -> String {
        match seat {
            Some(seat) => json(&self.game.view(seat)),
            None => json(&self.game.public_view()),
        }
    }

    fn observe(&self, seat: Seat, out: &mut [f32]) {
        self.game.observe(seat, out);
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn returns(&self, out: &mut [f32]) {
        let Some(outcome) = self.game.outcome() else {
            out.fill(0.0);
            return;
        };
        let mean = outcome.points.iter().sum::<f64>() / G::SEATS as f64;
        for (value, points) in out.iter_mut().zip(outcome.points.iter()) {
            *value = ((points - mean) / (G::MOST_POINTS - mean)) as f32;
        }
    }

    fn copied(&self) -> Box<dyn Play> {
        Box::new(Self::new(self.game.clone()))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn determinized(&self, seat: Seat, seed: u64) -> Box<dyn Play> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Box::new(Self::new(self.game.determinized(seat, &mut rng)))
    }
}
