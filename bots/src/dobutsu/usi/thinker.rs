//! The thread on which an engine searches, so that `stop` is heard meanwhile.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use games::Game as _;
use games::dobutsu::{Dobutsu, Move};
use protocol::usi::{CheckMate, Info, Score as UsiScore};

use crate::dobutsu::{DobutsuEngine, Limits, Report, Score};
use crate::search::StopFlag;

pub(super) enum SessionInput {
    Bytes(Vec<u8>),
    Closed(Option<io::Error>),
    Info(Info),
    /// The engine's move; `None` if it failed.
    Found(Option<Move>),
    /// What came of the search for a win.
    Proved(CheckMate),
}

enum Task {
    Engine(Box<dyn DobutsuEngine>),
    Forget,
    Think(Box<Dobutsu>, Limits),
    Prove(Box<Dobutsu>, Limits, Box<dyn DobutsuEngine>),
}

/// An engine on a thread of its own, which sends what it finds.
pub(super) struct Thinker {
    tasks: Option<Sender<Task>>,
    thread: Option<JoinHandle<()>>,
    stop: StopFlag,
}

impl Thinker {
    pub(super) fn new(found: Sender<SessionInput>) -> Self {
        let (tasks, due) = channel();
        let stop = StopFlag::default();
        let flag = stop.clone();
        let thread = thread::spawn(move || {
            let mut engine: Option<Box<dyn DobutsuEngine>> = None;
            for task in due {
                match (task, &mut engine) {
                    (Task::Engine(other), engine) => *engine = Some(other),
                    (Task::Forget, Some(engine)) => engine.new_game(),
                    (Task::Forget, None) => {}
                    (Task::Think(game, limits), engine) => {
                        let engine = engine.as_mut().expect("an engine comes first");
                        let mv = flag.guard(|| think(engine.as_mut(), &game, &limits, &found));
                        // A session that is over reads no more.
                        let _ = found.send(SessionInput::Found(mv));
                    }
                    (Task::Prove(game, limits, mut prover), _) => {
                        let prove = || prove(prover.as_mut(), *game, &limits);
                        let mate = catch_unwind(AssertUnwindSafe(|| flag.guard(prove)));
                        let _ =
                            found.send(SessionInput::Proved(mate.unwrap_or(CheckMate::TimeOut)));
                    }
                }
            }
        });
        Self {
            tasks: Some(tasks),
            thread: Some(thread),
            stop,
        }
    }

    fn send(&self, task: Task) {
        let tasks = self.tasks.as_ref().expect("tasks are taken until the end");
        tasks.send(task).expect("the thread goes on until the end");
    }

    pub(super) fn seat(&self, engine: Box<dyn DobutsuEngine>) {
        self.send(Task::Engine(engine));
    }

    pub(super) fn forget(&self) {
        self.send(Task::Forget);
    }

    pub(super) fn think(&self, game: Dobutsu, limits: Limits) {
        self.stop.lower();
        self.send(Task::Think(Box::new(game), limits));
    }

    /// Looks for a win with this engine alone, in a game that is not over.
    pub(super) fn prove(&self, game: Dobutsu, limits: Limits, prover: Box<dyn DobutsuEngine>) {
        self.stop.lower();
        self.send(Task::Prove(Box::new(game), limits, prover));
    }

    pub(super) fn stop(&self) {
        self.stop.raise();
    }
}

impl Drop for Thinker {
    fn drop(&mut self) {
        self.stop();
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            // A search that panicked has been answered for.
            let _ = thread.join();
        }
    }
}

/// The move of an engine; `None` when it panicked.
fn think(
    engine: &mut dyn DobutsuEngine,
    game: &Dobutsu,
    limits: &Limits,
    found: &Sender<SessionInput>,
) -> Option<Move> {
    let begin = Instant::now();
    let mut tell = |report: &Report<'_>| {
        let spent = begin.elapsed();
        let nps = report.nodes as f64 / spent.as_secs_f64().max(1e-6);
        let info = Info {
            depth: (report.depth > 0).then_some(report.depth.into()),
            score: Some(match report.score {
                Score::Chicks(score) => UsiScore::Cp(score.into()),
                Score::Win(plies) => UsiScore::Mate(plies.into()),
                Score::Loss(plies) => UsiScore::Mate(-i64::from(plies)),
                Score::Draw => UsiScore::Cp(0),
            }),
            nodes: Some(report.nodes),
            nps: Some(nps as u64),
            time: Some(spent.as_millis() as u64),
            pv: report.line.iter().map(Move::to_string).collect(),
            ..Info::default()
        };
        // A session that is over reads no more.
        let _ = found.send(SessionInput::Info(info));
    };
    catch_unwind(AssertUnwindSafe(|| engine.think(game, limits, &mut tell))).ok()
}

/// The line of a win that the seat to move forces, in which the other seat holds out for as long as it can.
fn prove(prover: &mut dyn DobutsuEngine, mut game: Dobutsu, limits: &Limits) -> CheckMate {
    let begin = Instant::now();
    let mut line = Vec::new();
    while game.to_move().is_some() {
        let mut score = None;
        let time = limits.time.map(|time| time.saturating_sub(begin.elapsed()));
        let mv = prover.think(&game, &Limits { time, ..*limits }, &mut |report| {
            score = Some(report.score);
        });
        match (score, line.len() % 2) {
            (Some(Score::Win(_)), 0) | (Some(Score::Loss(_)), 1) => {}
            (Some(Score::Loss(_) | Score::Draw), _) if line.is_empty() => return CheckMate::NoMate,
            _ => return CheckMate::TimeOut,
        }
        line.push(mv.to_string());
        game.play(mv).expect("a move of the search is legal");
    }
    CheckMate::Moves(line)
}
