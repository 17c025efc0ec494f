//! What the journal says of games, from the events that a referee gives out.

#[cfg(test)]
mod tests;

use crate::league::journal::Game;
use record::{EndKind, Event, What};

use super::Done;

/// How the games of a fixture are counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counting {
    /// Games of a fixture.
    pub(super) session: usize,
    /// Points of a win, a draw and a loss of two seats, where they are not those of the game.
    pub(super) points: Option<[f64; 3]>,
    /// Whether the dealer draws who sits where.
    pub(super) drawn: bool,
}

/// Takes the events of a sitting and gives its fixtures as they end.
#[derive(Debug)]
pub(super) struct Collector {
    counting: Counting,
    /// The player in each seat, by fixture.
    seatings: Vec<Vec<u8>>,
    /// Number of the fixture in play.
    number: usize,
    /// When it began.
    began: Option<u64>,
    games: Vec<Game>,
    /// The game in play; its lists go by player.
    game: Game,
}

impl Collector {
    /// Before the first event.
    pub(super) fn new(counting: Counting, seatings: Vec<Vec<u8>>) -> Collector {
        Collector {
            counting,
            seatings,
            number: 0,
            began: None,
            games: Vec::new(),
            game: Game::default(),
        }
    }

    /// Takes the next event. Games that are void leave no trace.
    pub(super) fn event(&mut self, event: &Event) -> Option<Done> {
        match &event.what {
            What::Begin { seats, .. } => {
                self.began.get_or_insert(event.ms);
                self.game = Game {
                    moves: vec![0; seats.len()],
                    used: vec![0; seats.len()],
                    slowest: vec![0; seats.len()],
                    ..Game::default()
                };
                if self.counting.drawn {
                    self.game.at = vec![0; seats.len()];
                    for (at, &player) in (0..).zip(seats) {
                        set(&mut self.game.at, player, at);
                    }
                }
            }
            What::Move { player, used, .. } => {
                self.game.plies += 1;
                if let Some(moves) = self.game.moves.get_mut(usize::from(*player)) {
                    *moves += 1;
                }
                self.spend(*player, *used);
            }
            What::Give { from, used, .. } => self.spend(*from, *used),
            What::End {
                places,
                points,
                game_points,
                kinds,
                rule,
                ..
            } if !places.is_empty() => {
                let by_player = Game {
                    places: places.clone(),
                    points: self.points(places, points),
                    counts: game_points.clone(),
                    kinds: kinds.clone(),
                    rule: rule.clone(),
                    ..std::mem::take(&mut self.game)
                };
                return self.end(&by_player, event.ms);
            }
            _ => {}
        }
        None
    }

    /// Books the time of a decision.
    fn spend(&mut self, player: u8, used: Option<u64>) {
        let (player, used) = (usize::from(player), used.unwrap_or_default());
        if let (Some(sum), Some(slowest)) = (
            self.game.used.get_mut(player),
            self.game.slowest.get_mut(player),
        ) {
            *sum += used;
            *slowest = used.max(*slowest);
        }
    }

    /// The points as the league counts them.
    fn points(&self, places: &[u8], points: &[f64]) -> Vec<f64> {
        let (Some([win, draw, loss]), &[a, b]) = (self.counting.points, places) else {
            return points.to_vec();
        };
        let of = |own: u8, other: u8| match own.cmp(&other) {
            std::cmp::Ordering::Less => win,
            std::cmp::Ordering::Equal => draw,
            std::cmp::Ordering::Greater => loss,
        };
        vec![of(a, b), of(b, a)]
    }

    /// Books a game; the fixture is over with its last.
    fn end(&mut self, by_player: &Game, ms: u64) -> Option<Done> {
        let seating = self.seatings.get(self.number)?;
        self.games.push(by_seat(by_player, seating));
        if self.games.len() < self.counting.session {
            return None;
        }
        self.number += 1;
        Some(Done {
            number: self.number - 1,
            ms: ms.saturating_sub(self.began.take().unwrap_or(ms)),
            games: std::mem::take(&mut self.games),
        })
    }
}

fn set(list: &mut [u8], player: u8, value: u8) {
    if let Some(place) = list.get_mut(usize::from(player)) {
        *place = value;
    }
}

/// A game whose lists went by player.
fn by_seat(game: &Game, seating: &[u8]) -> Game {
    fn pick<T: Clone>(list: &[T], seating: &[u8]) -> Vec<T> {
        let of = |&player: &u8| list.get(usize::from(player)).cloned();
        seating.iter().filter_map(of).collect()
    }
    let has_fault = game.kinds.iter().any(|kind| *kind != EndKind::Normal);
    Game {
        places: pick(&game.places, seating),
        points: pick(&game.points, seating),
        counts: pick(&game.counts, seating),
        kinds: if has_fault {
            pick(&game.kinds, seating)
        } else {
            Vec::new()
        },
        rule: game.rule.clone(),
        at: pick(&game.at, seating),
        plies: game.plies,
        moves: pick(&game.moves, seating),
        used: pick(&game.used, seating),
        slowest: pick(&game.slowest, seating),
    }
}
