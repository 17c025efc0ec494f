//! The classes `Game` and `Position`.

use std::sync::Arc;

use games::{GameName, Seat};
use pyo3::create_exception;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

use crate::arrays::array;
use crate::encoded::Tensor;
use crate::numbers::{Seed, Whole};
use crate::play::{Play, RuleSet, rule_set};
use crate::thinker::engines;

/// A game with its rules, which positions begin from.
///
/// >>> import taikyoku
/// >>> game = taikyoku.game("geister", ply_limit=100)
/// >>> game
/// taikyoku.game("geister", ply_limit=100)
/// >>> game.seats, game.actions, game.observation_shape
/// (2, 214, (17, 6, 6))
#[pyclass(module = "taikyoku", frozen, eq)]
#[derive(Clone)]
pub(crate) struct Game {
    pub(crate) rules: Arc<dyn RuleSet>,
}

impl PartialEq for Game {
    fn eq(&self, other: &Game) -> bool {
        self.rules.shape().game == other.rules.shape().game
            && self.rules.rules() == other.rules.rules()
    }
}

impl Game {
    pub(crate) fn named(name: &str, options: &str) -> PyResult<Game> {
        let game: GameName = name
            .parse()
            .map_err(|e: games::UnknownGame| PyValueError::new_err(e.to_string()))?;
        let rules = rule_set(game, options).map_err(PyValueError::new_err)?;
        Ok(Game {
            rules: rules.into(),
        })
    }

    pub(crate) fn name(&self) -> &'static str {
        self.rules.shape().game.as_str()
    }

    pub(crate) fn seat(&self, Whole(number): Whole) -> PyResult<Seat> {
        let seats = self.rules.shape().seats;
        let seat = usize::try_from(number).ok().filter(|seat| *seat < seats);
        seat.map(Seat::at).ok_or_else(|| {
            PyIndexError::new_err(format!(
                "there is no seat {number}: {} has the seats 0 to {}",
                self.name(),
                seats - 1
            ))
        })
    }
}

/// A game by its name, with options of its rules as JSON.
#[pyfunction]
pub(crate) fn game(name: &str, options: &str) -> PyResult<Game> {
    Game::named(name, options)
}

/// A text of JSON as the value that Python makes of it.
pub(crate) fn loads<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}

#[pymethods]
impl Game {
    /// The name: daihinmin, geister, blokus, score-four or dobutsu.
    #[getter(name)]
    fn name_of_game(&self) -> &'static str {
        self.name()
    }

    /// The number of seats. Seat 0 begins.
    #[getter]
    fn seats(&self) -> usize {
        self.rules.shape().seats
    }

    /// The rules, with the names that records have for them.
    ///
    /// >>> import taikyoku
    /// >>> taikyoku.game("geister").rules
    /// {'ply-limit': 200}
    #[getter]
    fn rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, &self.rules.rules())
    }

    /// The names of the engines, for `taikyoku.engine`.
    ///
    /// >>> import taikyoku
    /// >>> taikyoku.game("geister").engines
    /// ['random', 'paper', 'policy', 'best']
    #[getter(engines)]
    fn names_of_engines(&self) -> Vec<String> {
        engines(self.rules.shape().game)
    }

    /// The number of actions. Every legal move of a position has a number below it, which no other one of them has.
    #[getter]
    fn actions(&self) -> usize {
        self.rules.shape().actions
    }

    /// The shape of an observation: that of its tensor, or flat where it has more than one.
    #[getter]
    fn observation_shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.rules.shape().observation())
    }

    /// The tensors that an observation consists of, one after the other, with their shapes.
    ///
    /// >>> import taikyoku
    /// >>> taikyoku.game("blokus").tensors
    /// {'x': (17, 20, 20), 'g': (88,)}
    #[getter]
    fn tensors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tensors = PyDict::new(py);
        for Tensor { name, shape } in self.rules.shape().tensors {
            tensors.set_item(name, PyTuple::new(py, shape.iter())?)?;
        }
        Ok(tensors)
    }

    /// The tensors of one observation or many, by name: views of the array where its rows lie one after the other in
    /// memory, and copies where they do not.
    ///
    /// >>> import taikyoku
    /// >>> game = taikyoku.game("blokus")
    /// >>> batch = taikyoku.Batch(game, 3)
    /// >>> tensors = game.split(batch.observations())
    /// >>> tensors["x"].shape, tensors["g"].shape
    /// ((3, 17, 20, 20), (3, 88))
    fn split<'py>(&self, observations: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let py = observations.py();
        let shape = self.rules.shape();
        let found: Vec<usize> = observations.getattr("shape")?.extract()?;
        let one = shape.observation();
        let Some(many) = found.strip_suffix(one.as_slice()) else {
            return Err(PyValueError::new_err(format!(
                "an observation has the shape {one:?}, and these have {found:?}"
            )));
        };
        let rows: usize = many.iter().product();
        let flat = observations.call_method1("reshape", ((rows, shape.size()),))?;
        let tensors = PyDict::new(py);
        let mut start = 0;
        for tensor in shape.tensors {
            let end = start + tensor.size();
            let all = pyo3::types::PySlice::full(py);
            let columns = pyo3::types::PySlice::new(py, start as isize, end as isize, 1);
            let part = flat.get_item((all, columns))?;
            let form = [many, tensor.shape].concat();
            tensors.set_item(tensor.name, part.call_method1("reshape", (form,))?)?;
            start = end;
        }
        Ok(tensors)
    }

    /// A position before the first move. Chance is drawn from the seed: the cards of Daihinmin. With the places of the
    /// seats in a last game (0 is the best) Daihinmin begins with the exchange: the poor have given, the rich are to.
    ///
    /// >>> import taikyoku
    /// >>> position = taikyoku.game("daihinmin").initial(seed=1, places=[4, 0, 2, 1, 3])
    /// >>> position.to_move, position.view(1)["owed"]
    /// (1, [0, 2, 0, 1, 0])
    #[pyo3(signature = (seed=Seed(0), places=None), text_signature = "($self, seed=0, places=None)")]
    fn initial(&self, seed: Seed, places: Option<Vec<Whole>>) -> PyResult<Position> {
        let Seed(seed) = seed;
        let play = match places {
            None => self.rules.begin(seed),
            Some(places) => {
                let places: Result<Vec<u8>, _> = places
                    .into_iter()
                    .map(|Whole(place)| place.try_into())
                    .collect();
                let play = places
                    .ok()
                    .and_then(|places| self.rules.begin_after(&places, seed));
                play.ok_or_else(|| {
                    PyValueError::new_err(
                        "`places` is for daihinmin only: 0 to 4 in some order, the place of each seat in the last game",
                    )
                })?
            }
        };
        Ok(Position::new(self.clone(), play))
    }

    /// Reads the text of a position, as `str(position)` writes it.
    ///
    /// >>> import taikyoku
    /// >>> taikyoku.game("score-four").read("a1b2").to_move
    /// 0
    fn read(&self, text: &str) -> PyResult<Position> {
        let play = self.rules.read(text).map_err(PyValueError::new_err)?;
        Ok(Position::new(self.clone(), play))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String, String))> {
        let native = slf.py().import("taikyoku._native")?;
        let game = slf.get();
        let rules = game.rules.rules();
        Ok((native.getattr("game")?, (game.name().to_owned(), rules)))
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};

        let mut hasher = DefaultHasher::new();
        (self.name(), self.rules.rules()).hash(&mut hasher);
        hasher.finish()
    }

    pub(crate) fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let usual = Game::named(self.name(), "{}")?.rules(py)?;
        let mut text = format!("taikyoku.game(\"{}\"", self.name());
        for (name, value) in self.rules(py)?.cast::<PyDict>()? {
            if !usual.get_item(&name)?.eq(&value)? {
                let name = name.to_string().replace('-', "_");
                text += &[", ", &name, "=", &value.repr()?.to_string()].concat();
            }
        }
        Ok(text + ")")
    }
}

create_exception!(
    taikyoku,
    IllegalMove,
    PyValueError,
    "A text or a number that is no legal move, with the rule that forbids it."
);

/// A game in play, with all its secrets. What one seat may know of it is in `view`, `observation` and `shown`.
///
/// >>> import taikyoku
/// >>> position = taikyoku.game("dobutsu").initial()
/// >>> position.legal_moves()
/// ['2d3c', '2d1c', '1d1c', '2c2b']
/// >>> position.play("2c2b")
/// >>> position.to_move
/// 1
/// >>> print(position.drawing(), end="")
///    3  2  1
/// a  g  l  e   hand -
/// b  .  C  .
/// c  .  .  .
/// d  E  L  G   hand C
/// >>> str(position)
/// '2c2b'
#[pyclass(module = "taikyoku")]
pub(crate) struct Position {
    /// The game with its rules.
    #[pyo3(get)]
    pub(crate) game: Game,
    pub(crate) play: Box<dyn Play>,
}

/// A position by the name of its game, its rules as JSON, and its text.
#[pyfunction]
pub(crate) fn position(name: &str, rules: &str, text: &str) -> PyResult<Position> {
    let game = Game::named(name, rules)?;
    let play = game.rules.read(text).map_err(PyValueError::new_err)?;
    Ok(Position::new(game, play))
}

/// A move, by its text or its number.
enum Spelling {
    Text(String),
    Number(Whole),
}

impl FromPyObject<'_, '_> for Spelling {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> PyResult<Spelling> {
        match value.cast::<PyString>() {
            Ok(text) => Ok(Spelling::Text(text.extract()?)),
            Err(_) => value.extract().map(Spelling::Number),
        }
    }
}

/// A number of an action; negative ones are none.
fn number(Whole(action): Whole) -> PyResult<usize> {
    let not_legal = |_| IllegalMove::new_err(format!("action {action} is not legal"));
    usize::try_from(action).map_err(not_legal)
}

impl Position {
    pub(crate) fn new(game: Game, play: Box<dyn Play>) -> Position {
        Position { game, play }
    }

    /// The seat that is asked for, or the one to move, or seat 0 when the game is over.
    fn seat_or_mover(&self, seat: Option<Whole>) -> PyResult<games::Seat> {
        match seat {
            Some(seat) => self.game.seat(seat),
            None => Ok(self.play.to_move().unwrap_or_default()),
        }
    }
}

#[pymethods]
impl Position {
    /// The seat to move; None when the game is over.
    #[getter]
    fn to_move(&self) -> Option<usize> {
        self.play.to_move().map(games::Seat::index)
    }

    /// Whether the game is over.
    #[getter]
    fn is_over(&self) -> bool {
        self.play.to_move().is_none()
    }

    /// The number of moves played.
    #[getter]
    fn ply(&self) -> u32 {
        self.play.ply()
    }

    /// The legal moves as texts, always in the same order; none when the game is over.
    fn legal_moves(&self) -> Vec<String> {
        self.play.legal_texts()
    }

    /// The numbers of the legal moves, in the order of `legal_moves`.
    ///
    /// >>> import taikyoku
    /// >>> taikyoku.game("dobutsu").initial().legal_actions()
    /// [85, 13, 2, 4]
    fn legal_actions(&self) -> Vec<usize> {
        self.play.actions().to_vec()
    }

    /// A flag for each action: whether it is legal. None is legal for a seat that is not to move.
    ///
    /// >>> import taikyoku
    /// >>> position = taikyoku.game("score-four").initial()
    /// >>> mask = position.legal_mask()
    /// >>> mask.shape, mask.dtype, int(mask.sum())
    /// ((16,), dtype('bool'), 16)
    #[pyo3(signature = (seat=None, out=None))]
    fn legal_mask<'py>(
        &self,
        py: Python<'py>,
        seat: Option<Whole>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let actions = self.game.rules.shape().actions;
        let mut mask = vec![0_u8; actions];
        if Some(self.seat_or_mover(seat)?) == self.play.to_move() {
            self.play
                .actions()
                .iter()
                .for_each(|&legal| mask[legal] = 1);
        }
        array(py, &[actions], &mask, out)
    }

    /// The text of the legal move with this number.
    fn move_of(&self, action: Whole) -> PyResult<String> {
        let action = number(action)?;
        let text = self.play.move_of(action);
        text.ok_or_else(|| IllegalMove::new_err(format!("action {action} is not legal")))
    }

    /// The number of the legal move with this text.
    fn action_of(&self, text: &str) -> PyResult<usize> {
        self.play.action_of(text).map_err(IllegalMove::new_err)
    }

    /// Plays a legal move of the seat to move, by its text or its number. After an `IllegalMove` nothing has changed.
    ///
    /// >>> import taikyoku
    /// >>> position = taikyoku.game("score-four").initial()
    /// >>> position.play("b3")
    /// >>> position.play(0)
    /// >>> str(position)
    /// 'b3a1'
    /// >>> position.play("e1")
    /// Traceback (most recent call last):
    /// ...
    /// taikyoku.IllegalMove: `e1` is no peg: a letter from a to d and a number from 1 to 4
    fn play(&mut self, action: Spelling) -> PyResult<()> {
        let played = match action {
            Spelling::Text(text) => self.play.play_text(&text),
            Spelling::Number(action) => self.play.play_action(number(action)?),
        };
        played.map_err(IllegalMove::new_err)
    }

    /// What a seat may know, in the form in which it is sent to players and written in records; without a seat, what
    /// everybody may know.
    ///
    /// >>> import taikyoku
    /// >>> position = taikyoku.game("geister").initial()
    /// >>> position.play("ABCD")
    /// >>> position.view(0)["own"], position.view(1)["own"]
    /// ('ABCD', None)
    #[pyo3(signature = (seat=None))]
    fn view<'py>(&self, py: Python<'py>, seat: Option<Whole>) -> PyResult<Bound<'py, PyAny>> {
        let seat = seat.map(|seat| self.game.seat(seat)).transpose()?;
        loads(py, &self.play.view(seat))
    }

    /// What a seat sees of a legal move that is about to be played, as text.
    ///
    /// >>> import taikyoku
    /// >>> position = taikyoku.game("geister").initial()
    /// >>> position.shown("ABCD", 0), position.shown("ABCD", 1)
    /// ('ABCD', 'placed')
    #[pyo3(signature = (r#move, seat))]
    fn shown(&self, r#move: &str, seat: Whole) -> PyResult<String> {
        let seat = self.game.seat(seat)?;
        self.play.shown(r#move, seat).map_err(IllegalMove::new_err)
    }

    /// What a seat may know as an array of float32, numbers from 0 to 1. The seat is the one to move unless it is given,
    /// and seat 0 when the game is over. The package's README has the layouts.
    #[pyo3(signature = (seat=None, out=None))]
    fn observation<'py>(
        &self,
        py: Python<'py>,
        seat: Option<Whole>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let shape = self.game.rules.shape();
        let mut numbers = vec![0.0; shape.size()];
        self.play.observe(self.seat_or_mover(seat)?, &mut numbers);
        array(py, &shape.observation(), &numbers, out)
    }

    /// What the game has come to by the rules; None while it goes on. `places` (0 is the best) and `points` go by seat,
    /// `game_points` are those of the game's own count where it has one, `rule` has ended it, `reason` says more.
    ///
    /// >>> import taikyoku
    /// >>> position = taikyoku.game("score-four").read("a1b1a2b2a3b3a4")
    /// >>> position.outcome()["places"], position.outcome()["rule"]
    /// ([0, 1], 'line')
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(found) = self.play.outcome() else {
            return Ok(None);
        };
        let outcome = PyDict::new(py);
        let places: Vec<u32> = found.places.iter().map(|&place| place.into()).collect();
        outcome.set_item("places", places)?;
        outcome.set_item("points", found.points.into_vec())?;
        outcome.set_item("game_points", found.game_points.into_vec())?;
        outcome.set_item("rule", found.rule)?;
        outcome.set_item("reason", found.reason)?;
        Ok(Some(outcome))
    }

    /// What the game is worth to each seat: 1 for the first place alone, less behind it, 0 in sum; 0 while it goes on.
    ///
    /// >>> import taikyoku
    /// >>> taikyoku.game("score-four").read("a1b1a2b2a3b3a4").returns()
    /// [1.0, -1.0]
    fn returns(&self) -> Vec<f32> {
        let mut returns = vec![0.0; self.game.rules.shape().seats];
        self.play.returns(&mut returns);
        returns
    }

    /// A position that a seat cannot tell from this one, drawn at random by the seed: hidden cards and colours are others.
    /// In open games it is a copy. In Daihinmin its `ply` begins at 0.
    #[pyo3(signature = (seat, seed=Seed(0)), text_signature = "($self, seat, seed=0)")]
    fn determinized(&self, seat: Whole, seed: Seed) -> PyResult<Position> {
        let play = self.play.determinized(self.game.seat(seat)?, seed.0);
        Ok(Position::new(self.game.clone(), play))
    }

    /// Bytes for a transposition table: equal for positions that the rules treat as the same, whatever moves have led to
    /// them, and different for all others. In games without hidden information they contain the board, the hands and the
    /// seat to move; in Geister each ghost with its colour, and the ply, which the rules limit; in Daihinmin the whole table,
    /// the hands, the cards laid down, the exchange and the lots. In Dobutsu shogi the number of occurrences of the position
    /// counts, but not the occurrences of other positions; with a `ply_limit` the ply counts. Keys contain hidden
    /// information. Compare only keys of the same game, the same rules and the same version of the package.
    ///
    /// >>> import taikyoku
    /// >>> game = taikyoku.game("score-four")
    /// >>> game.read("a1b1c1d1").key() == game.read("c1d1a1b1").key()
    /// True
    /// >>> game.read("a1b1c1d1").key() == game.read("b1a1c1d1").key()
    /// False
    fn key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.play.key())
    }

    /// The board or the hands in lines of text, with all secrets.
    fn drawing(&self) -> String {
        self.play.drawing()
    }

    /// Another position that is equal to this one.
    fn copy(&self) -> Position {
        Position::new(self.game.clone(), self.play.copied())
    }

    fn __copy__(&self) -> Position {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Position {
        self.copy()
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (String, String, String))> {
        let native = slf.py().import("taikyoku._native")?;
        let position = slf.borrow();
        let (name, rules) = (position.game.name(), position.game.rules.rules());
        let arguments = (name.to_owned(), rules, position.play.text());
        Ok((native.getattr("position")?, arguments))
    }

    fn __eq__(&self, other: &Position) -> bool {
        self.game == other.game && self.play.text() == other.play.text()
    }

    /// The text of the position, which `Game.read` reads; it has all secrets.
    fn __str__(&self) -> String {
        self.play.text()
    }

    fn __repr__(&self) -> String {
        format!("<{} \"{}\">", self.game.name(), self.play.text())
    }
}
