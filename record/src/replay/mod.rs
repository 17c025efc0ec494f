//! Playing a record again: rebuilding its games event by event, and comparing what it states with what
//! its moves lead to.

mod daihinmin;
mod faults;
mod game;
mod highlight;
mod open;
mod verify;

use std::io::BufRead;

use games::{Blokus, ByPlayer, Dobutsu, GameName, Geister, ScoreFour};

pub use daihinmin::DaihinminGame;
#[cfg(test)]
pub(crate) use daihinmin::tests::record as record_of_daihinmin;
pub use game::{Recorded, Replay, ReplayError};
pub use highlight::{Deficit, Deficits, HighlightKind};
pub use verify::{DealtSession, Verified, verify, verify_events, verify_sessions};

use crate::event::{Event, What};
use crate::reader::{ReadError, RecordReader};
use faults::Faults;
use game::contradiction;

/// What a whole record comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replayed {
    /// Games that counted.
    pub games: u32,
    /// Games that were void.
    pub void: u32,
    /// Moves in all, passes included.
    pub plies: u64,
    /// Points by player.
    pub points: ByPlayer<f64>,
    /// Whether the record has its last line, so that the result was compared too.
    pub closed: bool,
    /// Whether the last game in it has no end.
    pub unfinished: bool,
}

impl Replayed {
    /// A record without events, of a game with so many seats.
    fn of(seats: usize) -> Replayed {
        Replayed {
            points: ByPlayer::of(seats, 0.0),
            ..Replayed::default()
        }
    }
}

/// Plays a record again from its deals or set-ups and its moves, checks every move against the
/// rules, and compares the places, the points and the result that it states with those it leads
/// to.
///
/// # Errors
/// The first line that cannot be read or that contradicts the lines before it.
pub fn replay<R: BufRead>(mut reader: RecordReader<R>) -> Result<Replayed, ReadError> {
    replay_all(&mut reader, &mut |_, _| Ok(()))
}

/// What else is to agree with an event, whose line has this number: an error says what does not.
type Check<'a> = &'a mut dyn FnMut(u64, &Event) -> Result<(), String>;

fn replay_all<R: BufRead>(
    reader: &mut RecordReader<R>,
    check: Check<'_>,
) -> Result<Replayed, ReadError> {
    match reader.header().game {
        GameName::Daihinmin => replay_games::<DaihinminGame, R>(reader, check),
        GameName::Geister => replay_games::<Geister, R>(reader, check),
        GameName::ScoreFour => replay_games::<ScoreFour, R>(reader, check),
        GameName::Blokus => replay_games::<Blokus, R>(reader, check),
        GameName::Dobutsu => replay_games::<Dobutsu, R>(reader, check),
    }
}

fn replay_games<G: Recorded, R: BufRead>(
    reader: &mut RecordReader<R>,
    check: Check<'_>,
) -> Result<Replayed, ReadError> {
    let rules = Replay::<G>::rules(reader.header()).map_err(|e| reader.error(e))?;
    let mut state = RecordState::<G>::new();
    while let Some(event) = reader.next() {
        let event = event?;
        state.step(&event, &rules).map_err(|e| reader.error(e))?;
        check(reader.line(), &event).map_err(|reason| reader.error(reason))?;
    }
    Ok(state.end())
}

struct RecordState<G> {
    sum: Replayed,
    game: Option<Replay<G>>,
    faults: Faults,
    /// When that game began, and its last event was.
    times: [u64; 2],
}

impl<G: Recorded> RecordState<G> {
    fn new() -> RecordState<G> {
        RecordState {
            sum: Replayed::of(G::SEATS),
            game: None,
            faults: Faults::of(G::SEATS, G::FORFEITS),
            times: [0; 2],
        }
    }

    fn step(&mut self, event: &Event, rules: &G::Rules) -> Result<(), ReplayError> {
        let what = &event.what;
        if self.sum.closed {
            return contradiction("there is a line after the result");
        }
        self.watch(event)?;
        self.play(what, rules)?;
        self.faults.take(what)
    }

    /// Whether the times of an event can be.
    fn watch(&mut self, event: &Event) -> Result<(), ReplayError> {
        if self.game.is_none() {
            self.times = [event.ms; 2];
            return Ok(());
        }
        let [began, last] = self.times;
        if event.ms < last {
            return contradiction(format!(
                "this happens {} ms before the line above",
                last - event.ms
            ));
        }
        if let What::Move { used, .. } | What::Give { used, .. } = event.what
            && let Some(used) = used.filter(|&used| used > event.ms - began)
        {
            let played = event.ms - began;
            return contradiction(format!(
                "this took {used} ms, and the game began {played} ms before"
            ));
        }
        self.times[1] = event.ms;
        Ok(())
    }

    fn play(&mut self, what: &What, rules: &G::Rules) -> Result<(), ReplayError> {
        let sum = &mut self.sum;
        let Some(game) = &mut self.game else {
            self.game = Replay::begin(what, rules)?;
            return match what {
                What::Begin { .. } | What::Refused { .. } | What::Forfeit { .. } => Ok(()),
                What::Result { games, points, .. } => {
                    sum.closed = true;
                    if *games != sum.games || **points != *sum.points {
                        return contradiction(format!(
                            "the result says {games} games and points {points:?}; \
                             its games are {} and give {:?}",
                            sum.games, &*sum.points
                        ));
                    }
                    Ok(())
                }
                _ => contradiction("this belongs into a game"),
            };
        };
        if let What::Result { .. } = what {
            let number = game.number;
            return contradiction(format!("the match ends while game {number} is played"));
        }
        game.apply(what)?;
        match what {
            What::Move { .. } => sum.plies += 1,
            What::End { points, places, .. } => {
                if places.is_empty() {
                    sum.void += 1;
                } else {
                    sum.games += 1;
                    for (total, point) in sum.points.iter_mut().zip(points) {
                        *total += point;
                    }
                }
                self.game = None;
            }
            _ => {}
        }
        Ok(())
    }

    fn end(self) -> Replayed {
        Replayed {
            unfinished: self.game.is_some(),
            ..self.sum
        }
    }
}
