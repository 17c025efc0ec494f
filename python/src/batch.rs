//! The class `Batch`.

use std::mem;
use std::sync::Mutex;

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::arrays::{array, cleared, no_memory, whole_numbers};
use crate::game::{Game, IllegalMove, Position};
use crate::numbers::{Seed, Whole};
use crate::play::Play;

/// Many positions of one game that are played at the same time, without a loop in Python. Arrays have a row for each.
/// Other Python threads run during `observations`, `masks`, `play` and `random_actions`. They may read the same batch
/// meanwhile, but not change it. A copy, pickled or not, continues exactly as the original: its positions keep their
/// history, and its random numbers continue from the same state.
///
/// >>> import taikyoku
/// >>> batch = taikyoku.Batch(taikyoku.game("dobutsu"), 1000, seed=1)
/// >>> batch.observations().shape, batch.masks().shape
/// ((1000, 16, 4, 3), (1000, 144))
/// >>> while not batch.over().all():
/// ...     batch.play(batch.random_actions())
/// >>> batch.returns().sum()
/// np.float32(0.0)
/// >>> batch.restart()
/// 1000
#[pyclass(module = "taikyoku")]
pub(crate) struct Batch {
    /// The game.
    #[pyo3(get)]
    game: Game,
    plays: Vec<Box<dyn Play>>,
    /// The seed of all random numbers, and the number of calls that have drawn.
    seed: u64,
    draws: u64,
    /// The buffer of the last call; empty while another thread uses it.
    numbers: Mutex<Vec<f32>>,
    flags: Mutex<Vec<u8>>,
}

/// Restores a batch from the texts of its positions, its seed and the number of its draws.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python passes a list")]
pub(crate) fn batch(game: &Game, texts: Vec<String>, seed: Seed, draws: Seed) -> PyResult<Batch> {
    let plays: Result<Vec<_>, String> = texts.iter().map(|text| game.rules.read(text)).collect();
    let plays = plays.map_err(PyValueError::new_err)?;
    Ok(Batch::with(game, plays, seed.0, draws.0))
}

/// Takes a buffer for one call, because several threads may read the same batch.
fn take<T>(buffer: &Mutex<Vec<T>>) -> Vec<T> {
    buffer
        .lock()
        .map(|mut buffer| mem::take(&mut *buffer))
        .unwrap_or_default()
}

fn put_back<T>(buffer: &Mutex<Vec<T>>, taken: Vec<T>) {
    if let Ok(mut buffer) = buffer.lock() {
        *buffer = taken;
    }
}

impl Batch {
    fn with(game: &Game, plays: Vec<Box<dyn Play>>, seed: u64, draws: u64) -> Batch {
        Batch {
            game: game.clone(),
            plays,
            seed,
            draws,
            numbers: Mutex::default(),
            flags: Mutex::default(),
        }
    }

    /// The generator of the next call that draws. Each call has its own, so the seed and the number of draws are the whole
    /// state.
    fn rng(&mut self) -> Xoshiro256PlusPlus {
        self.draws = self.draws.wrapping_add(1);
        Xoshiro256PlusPlus::seed_from_u64(self.seed.wrapping_add(self.draws))
    }

    /// The index of a row; negative ones count from the end.
    fn index(&self, Whole(at): Whole) -> PyResult<usize> {
        let size = self.plays.len();
        let index = if at < 0 { at + size as i128 } else { at };
        let index = usize::try_from(index).ok().filter(|index| *index < size);
        index.ok_or_else(|| PyIndexError::new_err(format!("there is no position {at} of {size}")))
    }
}

#[pymethods]
impl Batch {
    /// A batch of so many games that begin; chance is drawn from the seed.
    #[new]
    #[pyo3(signature = (game, size, seed=Seed(0)), text_signature = "(game, size, seed=0)")]
    fn new(game: &Game, size: Whole, seed: Seed) -> PyResult<Batch> {
        let Whole(size) = size;
        if size < 0 {
            let text = format!("the size of a batch is 0 or more, not {size}");
            return Err(PyValueError::new_err(text));
        }
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed.0);
        let mut plays = Vec::new();
        plays.try_reserve_exact(size).map_err(|_| no_memory(size))?;
        plays.extend((0..size).map(|_| game.rules.begin(rng.next_u64())));
        Ok(Batch::with(game, plays, rng.next_u64(), 0))
    }

    fn __len__(&self) -> usize {
        self.plays.len()
    }

    /// The seats to move, int8; -1 where the game is over.
    fn to_move<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let movers = self.plays.iter().map(|play| play.to_move());
        let movers: Vec<i8> = movers
            .map(|mover| mover.map_or(-1, |seat| seat.number() as i8))
            .collect();
        array(py, &[movers.len()], &movers, None)
    }

    /// Flags: where the game is over.
    fn over<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let movers = self.plays.iter().map(|play| play.to_move());
        let over: Vec<u8> = movers.map(|mover| mover.is_none().into()).collect();
        array(py, &[over.len()], &over, None)
    }

    /// The observations of a seat, or of those to move (seat 0 where the game is over): float32, a row for each
    /// position. They are written into `out`, where it is given.
    #[pyo3(signature = (seat=None, out=None))]
    fn observations<'py>(
        &self,
        py: Python<'py>,
        seat: Option<Whole>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let seat = seat.map(|seat| self.game.seat(seat)).transpose()?;
        let shape = self.game.rules.shape();
        let size = shape.size();
        let plays = &self.plays;
        let mut numbers = take(&self.numbers);
        if numbers.len() != plays.len() * size {
            cleared(&mut numbers, plays.len(), size)?;
        }
        py.detach(|| {
            for (play, row) in plays.iter().zip(numbers.chunks_exact_mut(size)) {
                let mover = || play.to_move().unwrap_or_default();
                play.observe(seat.unwrap_or_else(mover), row);
            }
        });
        let rows = [&[plays.len()][..], &shape.observation()].concat();
        let made = array(py, &rows, &numbers, out);
        put_back(&self.numbers, numbers);
        made
    }

    /// The legal actions of the seats to move: flags, a row for each position. They are written into `out`, where it is
    /// given.
    #[pyo3(signature = (out=None))]
    fn masks<'py>(
        &self,
        py: Python<'py>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let actions = self.game.rules.shape().actions;
        let plays = &self.plays;
        let mut flags = take(&self.flags);
        cleared(&mut flags, plays.len(), actions)?;
        py.detach(|| {
            for (play, row) in plays.iter().zip(flags.chunks_exact_mut(actions)) {
                play.actions().iter().for_each(|&legal| row[legal] = 1);
            }
        });
        let made = array(py, &[plays.len(), actions], &flags, out);
        put_back(&self.flags, flags);
        made
    }

    /// Plays an action in each position; -1 leaves it as it is. After an `IllegalMove`, which says where the first one is,
    /// nothing has changed.
    fn play(&mut self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let actions = whole_numbers(actions)?;
        let plays = &mut self.plays;
        if actions.len() != plays.len() {
            return Err(PyValueError::new_err(format!(
                "{} actions for {} positions",
                actions.len(),
                plays.len()
            )));
        }
        let illegal = py.detach(|| {
            let illegal = plays.iter().zip(&actions).position(|(play, &action)| {
                match usize::try_from(action) {
                    Ok(action) => !play.actions().contains(&action),
                    Err(_) => action != -1,
                }
            });
            if illegal.is_some() {
                return illegal;
            }
            plays.iter_mut().zip(&actions).position(|(play, &action)| {
                usize::try_from(action).is_ok_and(|action| play.play_action(action).is_err())
            })
        });
        illegal.map_or(Ok(()), |at| {
            Err(IllegalMove::new_err(format!(
                "position {at}: action {} is not legal",
                actions[at]
            )))
        })
    }

    /// A legal action for each position, drawn uniformly, int64; -1 where the game is over.
    fn random_actions<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut rng = self.rng();
        let plays = &self.plays;
        let actions: Vec<i64> = py.detach(|| {
            let legal = plays.iter().map(|play| play.actions());
            let drawn = legal.map(|legal| match legal {
                [] => -1,
                legal => legal[rng.random_range(0..legal.len())] as i64,
            });
            drawn.collect()
        });
        array(py, &[actions.len()], &actions, None)
    }

    /// What the games are worth to each seat, as `Position.returns`: float32, a row for each position.
    #[pyo3(signature = (out=None))]
    fn returns<'py>(
        &self,
        py: Python<'py>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let seats = self.game.rules.shape().seats;
        let mut returns = vec![0.0; self.plays.len() * seats];
        for (play, row) in self.plays.iter().zip(returns.chunks_exact_mut(seats)) {
            play.returns(row);
        }
        array(py, &[self.plays.len(), seats], &returns, out)
    }

    /// Begins anew where the game is over; the number of games that begin.
    fn restart(&mut self) -> usize {
        let mut rng = self.rng();
        let mut begun = 0;
        for play in &mut self.plays {
            if play.to_move().is_none() {
                *play = self.game.rules.begin(rng.next_u64());
                begun += 1;
            }
        }
        begun
    }

    /// A copy of one of the positions.
    fn __getitem__(&self, at: Whole) -> PyResult<Position> {
        let play = self.plays[self.index(at)?].copied();
        Ok(Position::new(self.game.clone(), play))
    }

    /// Puts a copy of a position of the same game into the batch.
    fn __setitem__(&mut self, at: Whole, position: &Position) -> PyResult<()> {
        if position.game != self.game {
            return Err(PyValueError::new_err(
                "a batch has positions of one game with one set of rules",
            ));
        }
        let at = self.index(at)?;
        self.plays[at] = position.play.copied();
        Ok(())
    }

    /// Returns a batch that continues exactly as this one.
    fn copy(&self) -> Batch {
        let plays = self.plays.iter().map(|play| play.copied()).collect();
        Batch::with(&self.game, plays, self.seed, self.draws)
    }

    fn __copy__(&self) -> Batch {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Batch {
        self.copy()
    }

    #[expect(clippy::type_complexity, reason = "a function and its arguments")]
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Game, Vec<String>, u64, u64))> {
        let native = py.import("taikyoku._native")?;
        let texts = self.plays.iter().map(|play| play.text()).collect();
        let arguments = (self.game.clone(), texts, self.seed, self.draws);
        Ok((native.getattr("batch")?, arguments))
    }

    fn __repr__(&self) -> String {
        format!("<{} positions of {}>", self.plays.len(), self.game.name())
    }
}
