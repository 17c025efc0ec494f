//! Engines behind a trait object without the type of their game, for the class `Engine` of Python.

use std::iter;

use bots::engine::Engine;
use bots::spec::{self, SpecificationError, Specified};
use bots::{blokus, daihinmin, dobutsu, geister, score_four};
use games::geister::{Colour, Direction, GameView, Ghost, Move, Turn, View};
use games::{Blokus, Daihinmin, Dobutsu, Game, GameName, Geister, ScoreFour, Seat};
use serde_json::Value;

use crate::encoded::Encoded;
use crate::play::{Play, Playing};

/// An engine, with its memory of the game in play.
pub(crate) trait Thinker: Send {
    /// Chooses a legal move for the seat to move, from what this seat may know; gives the number of the move.
    fn choose(&mut self, play: &dyn Play, seat: Seat) -> Result<usize, String>;

    fn begin(&mut self, play: &dyn Play, seat: Seat);

    /// Takes a move of any seat, with the position after it.
    fn observe(&mut self, play: &dyn Play, seat: Seat, text: &str);

    /// The reasons for the last choice, as JSON.
    fn reasons(&self) -> Option<String>;
}

pub(crate) trait Seated: Encoded {
    type Engine: ?Sized + Send;
    type Sight: Clone + Send;
    type Options: Specified<Engine = Self::Engine>;

    /// The view of the engine in a seat.
    fn sight(&self, seat: Seat) -> Self::Sight;

    /// Chooses a move for the seat to move.
    fn choose(engine: &mut Self::Engine, sight: &Self::Sight) -> Self::Move;

    /// Forgets the last game, because another game begins.
    fn renew(_engine: &mut Self::Engine, _sight: &Self::Sight) {}

    /// Tells an engine, before it chooses, what follows from the moves since its last choice.
    fn catch_up(
        _engine: &mut Self::Engine,
        _last: Option<&(Self::Sight, Self::Move)>,
        _now: &Self::Sight,
    ) {
    }

    /// Tells an engine a move, with its view before the move.
    fn tell(_engine: &mut Self::Engine, _before: &Self::Sight, _text: &str) {}

    /// The reasons for the last choice.
    fn explain(engine: &Self::Engine) -> Option<Value>;
}

/// The engine of a specification, `NAME[:option=value]...`, with more options, keys and values.
pub(crate) fn thinker(
    game: GameName,
    text: &str,
    more: &[(String, String)],
    seed: u64,
) -> Result<Box<dyn Thinker>, String> {
    match game {
        GameName::Daihinmin => Thinking::<Daihinmin>::boxed(text, more, seed),
        GameName::Geister => Thinking::<Geister>::boxed(text, more, seed),
        GameName::Blokus => Thinking::<Blokus>::boxed(text, more, seed),
        GameName::ScoreFour => Thinking::<ScoreFour>::boxed(text, more, seed),
        GameName::Dobutsu => Thinking::<Dobutsu>::boxed(text, more, seed),
    }
}

/// The names of the engines of a game.
pub(crate) fn engines(game: GameName) -> Vec<String> {
    match game {
        GameName::Daihinmin => spec::engines::<<Daihinmin as Seated>::Options>(),
        GameName::Geister => spec::engines::<<Geister as Seated>::Options>(),
        GameName::Blokus => spec::engines::<<Blokus as Seated>::Options>(),
        GameName::ScoreFour => spec::engines::<<ScoreFour as Seated>::Options>(),
        GameName::Dobutsu => spec::engines::<<Dobutsu as Seated>::Options>(),
    }
}

struct Thinking<G: Seated> {
    engine: Box<G::Engine>,
    /// Number of moves played in the last position seen.
    ply: u32,
    seen: Option<G::Sight>,
    last: Option<(G::Sight, G::Move)>,
}

impl<G: Seated> Thinking<G> {
    fn boxed(text: &str, more: &[(String, String)], seed: u64) -> Result<Box<dyn Thinker>, String> {
        let options: Result<G::Options, SpecificationError> = spec::read_with(text, more);
        let options = options.map_err(|reason| reason.to_string())?;
        Ok(Box::new(Self {
            engine: options.build(seed).map_err(|reason| reason.to_string())?,
            ply: 0,
            seen: None,
            last: None,
        }))
    }

    /// Begins a new game if the position has fewer moves than the one before.
    fn renew_if_earlier(&mut self, play: &dyn Play, sight: &G::Sight) {
        if play.ply() < self.ply {
            self.renew(sight);
        }
        self.ply = play.ply();
    }

    /// Begins a new game with its first view.
    fn renew(&mut self, sight: &G::Sight) {
        G::renew(&mut self.engine, sight);
        self.seen = None;
        self.last = None;
    }

    fn game(play: &dyn Play) -> &G {
        let play = play.as_any().downcast_ref::<Playing<G>>();
        play.expect("an engine is asked for positions of its game")
            .game()
    }
}

impl<G: Seated> Thinker for Thinking<G> {
    fn choose(&mut self, play: &dyn Play, seat: Seat) -> Result<usize, String> {
        let sight = Self::game(play).sight(seat);
        self.renew_if_earlier(play, &sight);
        G::catch_up(&mut self.engine, self.last.as_ref(), &sight);
        let choice = G::choose(&mut self.engine, &sight);
        self.seen = Some(sight.clone());
        self.last = Some((sight, choice));
        let text = choice.to_string();
        let action = play.action_of(&text);
        action.map_err(|reason| format!("the engine wants `{text}`, which is illegal: {reason}"))
    }

    fn begin(&mut self, play: &dyn Play, seat: Seat) {
        let sight = Self::game(play).sight(seat);
        self.renew(&sight);
        self.ply = play.ply();
        self.seen = Some(sight);
    }

    fn observe(&mut self, play: &dyn Play, seat: Seat, text: &str) {
        let sight = Self::game(play).sight(seat);
        self.renew_if_earlier(play, &sight);
        if let Some(before) = &self.seen {
            G::tell(&mut self.engine, before, text);
        }
        self.seen = Some(sight);
    }

    fn reasons(&self) -> Option<String> {
        self.last.as_ref()?;
        G::explain(&self.engine).map(|reasons| reasons.to_string())
    }
}

impl Seated for ScoreFour {
    type Engine = dyn Engine<games::score_four::Position>;
    type Sight = games::score_four::Position;
    type Options = score_four::EngineOptions;

    fn sight(&self, _: Seat) -> Self::Sight {
        *self.board()
    }

    fn choose(engine: &mut Self::Engine, sight: &Self::Sight) -> Self::Move {
        engine.choose(sight, None)
    }

    fn explain(engine: &Self::Engine) -> Option<Value> {
        engine.explain()
    }
}

impl Seated for Dobutsu {
    type Engine = dyn dobutsu::DobutsuEngine;
    type Sight = Dobutsu;
    type Options = dobutsu::EngineOptions;

    fn sight(&self, _: Seat) -> Dobutsu {
        self.clone()
    }

    fn choose(engine: &mut Self::Engine, sight: &Dobutsu) -> Self::Move {
        engine.choose(sight, None)
    }

    fn renew(engine: &mut Self::Engine, _: &Dobutsu) {
        engine.new_game();
    }

    fn explain(engine: &Self::Engine) -> Option<Value> {
        engine.explain()
    }
}

impl Seated for Blokus {
    type Engine = dyn Engine<games::blokus::Board>;
    type Sight = games::blokus::Board;
    type Options = blokus::EngineOptions;

    fn sight(&self, _: Seat) -> Self::Sight {
        *self.board()
    }

    fn choose(engine: &mut Self::Engine, sight: &Self::Sight) -> Self::Move {
        engine.choose(sight, None)
    }

    fn renew(engine: &mut Self::Engine, _: &Self::Sight) {
        engine.new_game();
    }

    fn explain(engine: &Self::Engine) -> Option<Value> {
        engine.reasons()
    }
}

impl Seated for Geister {
    type Engine = dyn geister::Engine;
    type Sight = GameView;
    type Options = geister::EngineOptions;

    fn sight(&self, seat: Seat) -> GameView {
        self.view(seat)
    }

    fn choose(engine: &mut Self::Engine, sight: &GameView) -> Turn {
        match sight {
            GameView::Placing { .. } => Turn::Place(engine.placement()),
            GameView::Playing(view) => Turn::Step(engine.choose(view, None)),
        }
    }

    fn renew(engine: &mut Self::Engine, sight: &GameView) {
        if let GameView::Playing(view) = sight {
            engine.begin(view);
        }
    }

    /// The engine infers colours from the moves of the other side, which follow from its own choice and two views of its
    /// seat. Where no move leads from one view to the other, as in a position from elsewhere, the inference begins anew. The
    /// same view again changes nothing.
    fn catch_up(engine: &mut Self::Engine, last: Option<&(GameView, Turn)>, now: &GameView) {
        let GameView::Playing(now) = now else { return };
        if let Some((GameView::Playing(view), Turn::Step(chosen))) = last {
            if view == now {
                return;
            }
            // The last choice, or an earlier one for the same view.
            let others = Ghost::ALL
                .into_iter()
                .flat_map(|ghost| Direction::ALL.map(|direction| Move { ghost, direction }));
            let both = iter::once(*chosen).chain(others).find_map(|mv| {
                followed(view, mv).find_map(|(captured, after)| {
                    let (theirs, taken) = answer(&after, now)?;
                    Some((mv, captured, after, theirs, taken))
                })
            });
            if let Some((mv, captured, after, theirs, taken)) = both {
                engine.observe(view, mv, captured);
                engine.observe(&after, theirs, taken);
                return;
            }
        }
        let start = View::start(now.seat(), now.placement(), now.rules());
        engine.begin(&start);
        if let Some((theirs, taken)) = answer(&start, now) {
            engine.observe(&start, theirs, taken);
        }
    }

    fn explain(engine: &Self::Engine) -> Option<Value> {
        engine.explain()
    }
}

/// The captures that a move can have made according to the view, each with the view after it.
fn followed(view: &View, mv: Move) -> impl Iterator<Item = (Option<Colour>, View)> {
    let captures = [Some(Colour::Blue), Some(Colour::Red), None];
    captures.into_iter().filter_map(move |captured| {
        let mut after = *view;
        after.follow(mv, captured).ok()?;
        Some((captured, after))
    })
}

/// The move of the other side, and what it captured, that leads from one view to another.
fn answer(before: &View, now: &View) -> Option<(Move, Option<Colour>)> {
    let mv = protocol::gat::enemy_move(&before.into(), &now.into())?;
    let mut ways = followed(before, mv);
    ways.find_map(|(captured, after)| (after == *now).then_some((mv, captured)))
}

/// The players of a single game are its seats.
const PLAYER_AT: [u8; games::daihinmin::SEATS] = [0, 1, 2, 3, 4];

impl Seated for Daihinmin {
    type Engine = dyn daihinmin::Engine;
    type Sight = games::daihinmin::GameView;
    type Options = daihinmin::EngineOptions;

    fn sight(&self, seat: Seat) -> Self::Sight {
        self.view(seat)
    }

    fn choose(engine: &mut Self::Engine, sight: &Self::Sight) -> Self::Move {
        use games::daihinmin::Turn;

        match sight.owed[usize::from(sight.view.seat)] {
            0 => Turn::Lay(engine.choose(&sight.view, None)),
            owes => {
                engine.seated(PLAYER_AT);
                Turn::Give(engine.gift(&sight.view, owes, None))
            }
        }
    }

    fn renew(engine: &mut Self::Engine, sight: &Self::Sight) {
        engine.seated(PLAYER_AT);
        engine.game_begins(&sight.view);
    }

    fn tell(engine: &mut Self::Engine, before: &Self::Sight, text: &str) {
        if let Ok(meld) = text.parse() {
            engine.observe(&before.view, meld);
        }
    }

    fn explain(engine: &Self::Engine) -> Option<Value> {
        engine.explain()
    }
}
