//! The class `Engine`.

use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, TryLockError};
use std::thread;
use std::time::Duration;

use bots::search::StopFlag;
use bots::spec::joined;
use games::Seat;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::game::{Game, Position, loads};
use crate::numbers::{Seed, Whole};
use crate::play::Play;
use crate::thinker::{Thinker, thinker};

/// How often signals are looked for while an engine thinks.
const LOOK: Duration = Duration::from_millis(50);

/// An engine of the server's own bots, which `taikyoku.engine` makes.
///
/// It is a bot for `taikyoku.play`, and a player in any loop. Of a game with hidden information it sees what the seat to
/// move may know, and nothing else. It remembers the game that it plays, so each seat has an engine of its own. Other
/// threads of Python run while it thinks. Ctrl+C ends `choose` and its search. If the engine was thinking during a fork, the
/// child process needs a new engine.
///
/// A copy, pickled or not, has the game, name, options and seed of this engine, and nothing else: it has seen no game, its
/// random numbers start again from the seed, and it reads the file of its network or table again.
///
/// >>> import taikyoku
/// >>> position = taikyoku.game("dobutsu").initial()
/// >>> sides = [taikyoku.engine("alphabeta", "dobutsu", playouts=500, seed=seat) for seat in range(2)]
/// >>> while not position.is_over:
/// ...     position.play(sides[position.to_move].choose(position))
/// >>> position.outcome()["rule"] in ("catch", "try", "no-moves", "repetition")
/// True
#[pyclass(module = "taikyoku", frozen)]
pub(crate) struct Engine {
    /// The game.
    #[pyo3(get)]
    game: Game,
    /// The name and the options, as the caller gave them.
    specification: (String, Vec<(String, String)>),
    /// The seed.
    #[pyo3(get)]
    seed: u64,
    /// The process that made the engine.
    process: AtomicU32,
    thinker: Arc<Mutex<Box<dyn Thinker>>>,
}

/// The argument of `choose`: a position, of which the engine sees the view of the seat to move, or a `taikyoku.View`.
struct EngineInput<'py> {
    position: PyRef<'py, Position>,
    seat: Option<Whole>,
}

impl<'py> FromPyObject<'_, 'py> for EngineInput<'py> {
    type Error = PyErr;

    fn extract(asked: Borrowed<'_, 'py, PyAny>) -> PyResult<EngineInput<'py>> {
        if let Ok(position) = asked.extract() {
            let seat = None;
            return Ok(EngineInput { position, seat });
        }
        let part = |name| asked.getattr(name).ok();
        let position = part("_position").and_then(|position| position.extract().ok());
        let seat = part("seat").and_then(|seat| seat.extract().ok());
        match position {
            Some(position) if seat.is_some() => Ok(EngineInput { position, seat }),
            _ => Err(PyTypeError::new_err(format!(
                "a Position or a View is required, not {}",
                asked.get_type().name()?
            ))),
        }
    }
}

impl Engine {
    /// Runs a task of the thinker in another thread and checks for signals meanwhile. An interrupt ends the search and
    /// discards its result.
    fn with_thinker<T: Send + 'static>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut dyn Thinker) -> T + Send + 'static,
    ) -> PyResult<T> {
        // A fork copies the lock but not the thread that holds it.
        if self.process.load(Ordering::Relaxed) != process::id()
            && matches!(self.thinker.try_lock(), Err(TryLockError::WouldBlock))
        {
            let text = "the engine was thinking when this process was forked: make a new engine in this process";
            return Err(PyRuntimeError::new_err(text));
        }
        self.process.store(process::id(), Ordering::Relaxed);
        let (sender, receiver) = mpsc::sync_channel(1);
        let thinker = Arc::clone(&self.thinker);
        let stop = StopFlag::default();
        let flag = stop.clone();
        thread::Builder::new().spawn(move || {
            // A thinker that has panicked drops the sender.
            if let Ok(mut thinker) = thinker.lock() {
                // After an interrupt there is no receiver.
                let _ = sender.send(flag.guard(|| act(&mut **thinker)));
            }
        })?;
        let receiver = Mutex::new(receiver);
        loop {
            let got = py.detach(|| {
                let receiver = receiver.lock();
                receiver.map_or(Err(RecvTimeoutError::Disconnected), |receiver| {
                    receiver.recv_timeout(LOOK)
                })
            });
            match got {
                Ok(done) => return Ok(done),
                Err(RecvTimeoutError::Timeout) => {
                    py.check_signals().inspect_err(|_| stop.raise())?;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let text = "the engine has panicked: make another one";
                    return Err(PyRuntimeError::new_err(text));
                }
            }
        }
    }

    /// A copy of what is asked about, and the seat: that of the view, or the one to move.
    fn asked(&self, asked: EngineInput<'_>) -> PyResult<(Box<dyn Play>, Seat)> {
        let EngineInput { position, seat } = asked;
        let seat = match seat {
            None => position.play.to_move().unwrap_or_default(),
            Some(seat) => self.game.seat(seat)?,
        };
        if position.game.name() != self.game.name() {
            let (own, other) = (self.game.name(), position.game.name());
            return Err(PyValueError::new_err(format!(
                "the engine plays {own}, and this is {other}"
            )));
        }
        Ok((position.play.copied(), seat))
    }

    /// The position, and the number of the move that the engine chooses in it.
    fn chosen(&self, py: Python<'_>, asked: EngineInput<'_>) -> PyResult<(Box<dyn Play>, usize)> {
        let (play, seat) = self.asked(asked)?;
        if play.to_move() != Some(seat) {
            return Err(PyValueError::new_err(match play.to_move() {
                None => "the game is over".to_owned(),
                Some(mover) => format!(
                    "seat {} is to move, not seat {}",
                    mover.index(),
                    seat.index()
                ),
            }));
        }
        let asked = play.copied();
        let found = self.with_thinker(py, move |thinker| thinker.choose(&*asked, seat))?;
        Ok((play, found.map_err(PyRuntimeError::new_err)?))
    }
}

#[pymethods]
impl Engine {
    /// An engine of a game by its specification, a seed, and more options, which may have a `:`.
    #[new]
    #[pyo3(signature = (game, name, seed, options=Vec::new()))]
    fn new(
        py: Python<'_>,
        game: &Game,
        name: &str,
        seed: Seed,
        options: Vec<(String, String)>,
    ) -> PyResult<Engine> {
        let (game, Seed(seed)) = (game.clone(), seed);
        let of_game = game.rules.shape().game;
        let thinker = py.detach(|| thinker(of_game, name, &options, seed));
        Ok(Engine {
            game,
            specification: (name.to_owned(), options),
            seed,
            process: AtomicU32::new(process::id()),
            thinker: Arc::new(Mutex::new(thinker.map_err(PyValueError::new_err)?)),
        })
    }

    /// The specification, `NAME[:option=value]...`.
    #[getter]
    fn name(&self) -> String {
        let (name, options) = &self.specification;
        joined(name, options)
    }

    /// A move in a position, or in a `View` of the seat to move, as text. The legal moves are not looked at: bots on servers
    /// are given them.
    ///
    /// >>> import taikyoku
    /// >>> engine = taikyoku.engine("best", "score-four", playouts=1000)
    /// >>> engine.choose(taikyoku.game("score-four").read("a1b2a1b3a1c4"))
    /// 'a1'
    #[pyo3(signature = (position, moves=None))]
    fn choose(
        &self,
        py: Python<'_>,
        position: EngineInput<'_>,
        moves: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let _ = moves;
        let (play, action) = self.chosen(py, position)?;
        let text = play.move_of(action);
        Ok(text.expect("the number of a legal move"))
    }

    /// The number of the move of `choose`: a policy for an environment.
    ///
    /// >>> import taikyoku
    /// >>> environment = taikyoku.env("score-four")
    /// >>> environment.reset(seed=1)
    /// >>> engine = taikyoku.engine("uct", "score-four", playouts=200, seed=1)
    /// >>> environment.step(engine.action(environment.unwrapped.position))
    fn action(&self, py: Python<'_>, position: EngineInput<'_>) -> PyResult<usize> {
        Ok(self.chosen(py, position)?.1)
    }

    /// Tells it that a game begins. Without this it takes a position with fewer moves than the one before for a new game.
    fn game_begins(&self, py: Python<'_>, view: EngineInput<'_>) -> PyResult<()> {
        let (play, seat) = self.asked(view)?;
        self.with_thinker(py, move |thinker| thinker.begin(&*play, seat))
    }

    /// Tells it a move of any seat, with the view after it. Only `best` of Daihinmin learns anything from it, unless
    /// `learn` is off and `trust` is 0; that of Geister compares what it sees from choice to choice.
    fn observe(
        &self,
        py: Python<'_>,
        view: EngineInput<'_>,
        seat: Whole,
        r#move: &str,
    ) -> PyResult<()> {
        let (play, own) = self.asked(view)?;
        self.game.seat(seat)?;
        let mv = r#move.to_owned();
        self.with_thinker(py, move |thinker| thinker.observe(&*play, own, &mv))
    }

    /// The reasons for the last choice, with values and visits where the engine has them, as the bots write them with
    /// `--json`; None before the first choice, and for an engine without reasons.
    ///
    /// >>> import taikyoku
    /// >>> engine = taikyoku.engine("flat", "score-four", playouts=160, seed=1)
    /// >>> move = engine.choose(taikyoku.game("score-four").initial())
    /// >>> engine.reasons["playouts"], len(engine.reasons["candidates"])
    /// (160, 16)
    #[getter]
    fn reasons<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let reasons = self.with_thinker(py, |thinker| thinker.reasons())?;
        reasons.map(|text| loads(py, &text)).transpose()
    }

    /// `copy` and `deepcopy` use it too.
    #[expect(clippy::type_complexity, reason = "a class and its arguments")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> (
        Bound<'py, PyType>,
        (Game, String, u64, Vec<(String, String)>),
    ) {
        let Engine {
            game,
            specification: (name, options),
            seed,
            ..
        } = slf.get();
        let arguments = (game.clone(), name.clone(), *seed, options.clone());
        (slf.get_type(), arguments)
    }

    /// With usual rules the game has its name, else its own text.
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (game, name, seed) = (&self.game, self.name(), self.seed);
        let named = format!("\"{}\"", game.name());
        let text = game.__repr__(py)?;
        let is_usual = text == format!("taikyoku.game({named})");
        let shown = if is_usual { named } else { text };
        Ok(format!("taikyoku.engine(\"{name}\", {shown}, seed={seed})"))
    }
}
