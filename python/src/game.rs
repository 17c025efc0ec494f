//! The class `Game`.

use std::sync::Arc;

use games::{GameName, Seat};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::encoded::Tensor;
use crate::numbers::{Seed, Whole};
use crate::play::{RuleSet, rule_set};
use crate::position::Position;
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
