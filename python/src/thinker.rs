//! Engines behind a trait object without the type of their game, for the class `Engine` of Python.

use std::fmt::Display;
use std::iter;

use bots::client::ClientGame;
use bots::client::spec::{self, SpecificationError, Specified};
use bots::{blokus, daihinmin, dobutsu, geister, score_four};
use games::daihinmin::Turn;
use games::geister::{Colour, Direction, GameView, Ghost, Move, View};
use games::{Blokus, Daihinmin, Dobutsu, Game as _, GameName, Geister, ScoreFour, Seat};

use crate::encoded::Encoded;
use crate::play::{Play, Playing};

/// An engine, with its memory of the game in play.
pub(crate) trait Thinker: Send {
    /// Chooses a legal move for the seat to move, from what this seat may know; gives the number of the move.
    fn choose(&mut self, play: &dyn Play, seat: Seat) -> Result<usize, String>;

    /// Begins a game.
    fn begin(&mut self, play: &dyn Play, seat: Seat);

    /// Takes a move of any seat, with the position after it.
    fn observe(&mut self, play: &dyn Play, seat: Seat, text: &str);

    /// The reasons for the last choice, as JSON.
    fn reasons(&self) -> Option<String>;
}

/// The view type of a game's engines.
type Sight<G> = <<G as Seated>::Client as ClientGame>::View;
/// The move type of a game's engines.
type Choice<G> = <<G as Seated>::Client as ClientGame>::Move;
/// The engine type of a game.
type Engine<G> = <<G as Seated>::Client as ClientGame>::Engine;

/// A game whose client has engines.
pub(crate) trait Seated: Encoded {
    /// The game as players at a server see it.
    type Client: ClientGame<View: Send, Move: Send, Engine: Send>;
    /// Its engines with their options.
    type Options: Specified;

    /// Makes an engine.
    fn built(options: &Self::Options, seed: u64) -> Result<Box<Engine<Self>>, String>;

    /// The view of the seat to move.
    fn sight(&self, seat: Seat) -> Sight<Self>;

    /// A choice as a move of the rules.
    fn turn(choice: Choice<Self>) -> String {
        choice.to_string()
    }

    /// Tells an engine, before it chooses, what follows from the moves since its last choice.
    fn catch_up(
        _engine: &mut Engine<Self>,
        _last: Option<&(Sight<Self>, Choice<Self>)>,
        _now: &Sight<Self>,
    ) {
    }

    /// Tells an engine a move, with the view of its seat before the move.
    fn tell(_engine: &mut Engine<Self>, _before: &Sight<Self>, _text: &str) {}
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

fn made<E: ?Sized, R: Display>(engine: Result<Box<E>, R>) -> Result<Box<E>, String> {
    engine.map_err(|reason| reason.to_string())
}

struct Thinking<G: Seated> {
    engine: Box<Engine<G>>,
    /// Number of moves played in the last position seen.
    ply: u32,
    seen: Option<Sight<G>>,
    last: Option<(Sight<G>, Choice<G>)>,
}

impl<G: Seated> Thinking<G> {
    fn boxed(text: &str, more: &[(String, String)], seed: u64) -> Result<Box<dyn Thinker>, String> {
        let options: Result<G::Options, SpecificationError> = spec::read_with(text, more);
        let options = options.map_err(|reason| reason.to_string())?;
        Ok(Box::new(Self {
            engine: G::built(&options, seed)?,
            ply: 0,
            seen: None,
            last: None,
        }))
    }

    /// Begins a new game if the position has fewer moves than the one before.
    fn renew_if_earlier(&mut self, play: &dyn Play, sight: &Sight<G>) {
        if play.ply() < self.ply {
            self.renew(sight);
        }
        self.ply = play.ply();
    }

    /// Begins a new game with its first view.
    fn renew(&mut self, sight: &Sight<G>) {
        G::Client::new_game(&mut self.engine);
        G::Client::begin(&mut self.engine, sight);
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
        let choice = G::Client::choose(&mut self.engine, &sight, None);
        self.seen = Some(sight.clone());
        self.last = Some((sight, choice));
        let text = G::turn(choice);
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
        G::Client::explain(&self.engine).map(|reasons| reasons.to_string())
    }
}

impl Seated for ScoreFour {
    type Client = Self;
    type Options = score_four::EngineOptions;

    fn built(options: &Self::Options, seed: u64) -> Result<Box<Engine<Self>>, String> {
        Ok(options.build(seed))
    }

    fn sight(&self, _: Seat) -> Sight<Self> {
        *self.board()
    }
}

impl Seated for Dobutsu {
    type Client = Self;
    type Options = dobutsu::EngineOptions;

    fn built(options: &Self::Options, seed: u64) -> Result<Box<Engine<Self>>, String> {
        made(options.build(seed))
    }

    fn sight(&self, _: Seat) -> Sight<Self> {
        self.clone()
    }
}

impl Seated for Blokus {
    type Client = Self;
    type Options = blokus::EngineOptions;

    fn built(options: &Self::Options, seed: u64) -> Result<Box<Engine<Self>>, String> {
        made(options.build(seed))
    }

    fn sight(&self, _: Seat) -> Sight<Self> {
        *self.board()
    }
}

impl Seated for Geister {
    type Client = geister::client::Geister;
    type Options = geister::EngineOptions;

    fn built(options: &Self::Options, seed: u64) -> Result<Box<Engine<Self>>, String> {
        made(options.build(seed))
    }

    fn sight(&self, seat: Seat) -> Sight<Self> {
        match self.view(seat) {
            GameView::Placing { .. } => geister::client::Sight::Placing,
            GameView::Playing(view) => geister::client::Sight::Playing(view),
        }
    }

    /// The engine infers colours from the moves of the other side, which follow from its own choice and two views of its
    /// seat. Where no move leads from one view to the other, as in a position from elsewhere, the inference begins anew. The
    /// same view again changes nothing.
    fn catch_up(
        engine: &mut Engine<Self>,
        last: Option<&(Sight<Self>, Choice<Self>)>,
        now: &Sight<Self>,
    ) {
        use geister::client::{Choice, Sight};

        let Sight::Playing(now) = now else { return };
        if let Some((Sight::Playing(view), Choice::Go(chosen))) = last {
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
    let mv = geister::tracker::enemy_move(&before.into(), &now.into())?;
    let mut ways = followed(before, mv);
    ways.find_map(|(captured, after)| (after == *now).then_some((mv, captured)))
}

impl Seated for Daihinmin {
    type Client = daihinmin::client::Daihinmin;
    type Options = daihinmin::EngineOptions;

    fn built(options: &Self::Options, seed: u64) -> Result<Box<Engine<Self>>, String> {
        made(options.build(seed))
    }

    fn sight(&self, seat: Seat) -> Sight<Self> {
        let found = self.view(seat);
        daihinmin::client::Sight {
            view: found.view,
            owes: found.owed[seat.index()],
            player_at: std::array::from_fn(|seat| seat as u8),
        }
    }

    fn turn(choice: Choice<Self>) -> String {
        use daihinmin::client::Choice;

        match choice {
            Choice::Give(cards) => Turn::Give(cards).to_string(),
            Choice::Play(meld) => Turn::Lay(meld).to_string(),
        }
    }

    fn tell(engine: &mut Engine<Self>, before: &Sight<Self>, text: &str) {
        if let Ok(meld) = text.parse() {
            engine.observe(&before.view, meld);
        }
    }
}
