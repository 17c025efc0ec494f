//! What the journal says of games, from the events that a referee gives out.

use std::collections::BTreeMap;

use crate::journal::{Game, InRecord};
use crate::settings::{Rules, Settings};
use record::{Event, What};
use sha2::{Digest as _, Sha256};

use super::FixtureResult;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Counting {
    pub(crate) session: usize,
    /// Points of a win, a draw and a loss of two seats, where they are not those of the game.
    pub(crate) points: Option<[f64; 3]>,
    pub(crate) drawn: bool,
}

impl Counting {
    pub(crate) fn of(settings: &Settings) -> Counting {
        let is_daihinmin = matches!(settings.rules, Rules::Daihinmin(_));
        Counting {
            session: if is_daihinmin {
                settings.session.max(1) as usize
            } else {
                1
            },
            points: settings.points,
            drawn: is_daihinmin,
        }
    }
}

/// Takes the events of a session and gives its fixtures as they end.
#[derive(Debug)]
pub(crate) struct FixtureCollector {
    counting: Counting,
    seatings: Vec<Vec<u8>>,
    number: usize,
    began: Option<u64>,
    games: Vec<Game>,
    /// The game in play; its lists go by player.
    game: Game,
    /// A hash of its first position and its moves; unused in Daihinmin, whose deals make each game different.
    played: Sha256,
    /// The set-ups of Geister by player: they come in any order.
    setups: BTreeMap<u8, String>,
    /// Its number in the record, and that of the first of the fixture.
    number_in_record: u32,
    first_in_record: u32,
    /// Name of the record's file, if one is kept.
    record: Option<String>,
}

impl FixtureCollector {
    pub(crate) fn new(counting: Counting, seatings: Vec<Vec<u8>>) -> FixtureCollector {
        FixtureCollector {
            counting,
            seatings,
            number: 0,
            began: None,
            games: Vec::new(),
            game: Game::default(),
            played: Sha256::new(),
            setups: BTreeMap::new(),
            number_in_record: 0,
            first_in_record: 0,
            record: None,
        }
    }

    /// The same collector of games that are recorded in the file of this name.
    pub(crate) fn recorded_in(mut self, record: Option<String>) -> FixtureCollector {
        self.record = record;
        self
    }

    /// Number of the fixture in play or of the next one, from 0.
    pub(crate) const fn number(&self) -> usize {
        self.number
    }

    /// Takes the next event. Games that are void leave no trace.
    pub(crate) fn event(&mut self, event: &Event) -> Option<FixtureResult> {
        let refused = event.what.refused();
        if let Some(count) = refused.and_then(|p| self.game.refused.get_mut(usize::from(p))) {
            *count += 1;
        }
        match &event.what {
            What::Begin {
                game,
                seats,
                position,
                ..
            } => {
                self.played = Sha256::new();
                self.setups.clear();
                self.note(position.as_deref().unwrap_or_default());
                self.began.get_or_insert(event.ms);
                self.number_in_record = *game;
                self.game = Game {
                    moves: vec![0; seats.len()],
                    used: vec![0; seats.len()],
                    slowest: vec![0; seats.len()],
                    refused: vec![0; seats.len()],
                    ..Game::default()
                };
                if self.counting.drawn {
                    self.game.at = vec![0; seats.len()];
                    for (at, &player) in (0..).zip(seats) {
                        set(&mut self.game.at, player, at);
                    }
                }
            }
            What::Setup { player, setup, .. } => {
                self.setups.insert(*player, setup.clone());
            }
            What::Move {
                player, mv, used, ..
            } => {
                self.note(mv);
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
                    digest: self.digest(),
                    ..std::mem::take(&mut self.game)
                };
                return self.end(&by_player, event.ms);
            }
            _ => {}
        }
        None
    }

    /// The fixture in play is over without a game that counts.
    pub(super) fn give_up(&mut self, games: Vec<Game>) -> FixtureResult {
        self.number += 1;
        (self.began, self.games) = (None, Vec::new());
        FixtureResult {
            number: self.number - 1,
            ms: 0,
            games,
            record: None,
            host: None,
        }
    }

    /// Takes note of something that makes the game another one.
    fn note(&mut self, text: &str) {
        if !self.counting.drawn {
            self.played.update(text);
            self.played.update("\n");
        }
    }

    /// The digest of the game in play; none where its deal makes it another one than all others.
    fn digest(&self) -> String {
        if self.counting.drawn {
            return String::new();
        }
        let mut played = self.played.clone();
        for setup in self.setups.values() {
            played.update(setup);
            played.update("\n");
        }
        let digest = played.finalize();
        let first: [u8; 8] = std::array::from_fn(|byte| digest[byte]);
        format!("{:016x}", u64::from_be_bytes(first))
    }

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
    fn end(&mut self, by_player: &Game, ms: u64) -> Option<FixtureResult> {
        let seating = self.seatings.get(self.number)?;
        if self.games.is_empty() {
            self.first_in_record = self.number_in_record;
        }
        self.games.push(by_seat(by_player, seating));
        if self.games.len() < self.counting.session {
            return None;
        }
        self.number += 1;
        Some(FixtureResult {
            number: self.number - 1,
            ms: ms.saturating_sub(self.began.take().unwrap_or(ms)),
            games: std::mem::take(&mut self.games),
            record: self.record.clone().map(|file| InRecord {
                file,
                game: self.first_in_record,
            }),
            host: None,
        })
    }
}

fn set(list: &mut [u8], player: u8, value: u8) {
    if let Some(place) = list.get_mut(usize::from(player)) {
        *place = value;
    }
}

fn by_seat(game: &Game, seating: &[u8]) -> Game {
    fn pick<T: Clone>(list: &[T], seating: &[u8]) -> Vec<T> {
        let of = |&player: &u8| list.get(usize::from(player)).cloned();
        seating.iter().filter_map(of).collect()
    }
    /// The same; empty where there is nothing to tell.
    fn marked<T: Clone + Default + PartialEq>(list: &[T], seating: &[u8]) -> Vec<T> {
        if list.iter().all(|item| *item == T::default()) {
            return Vec::new();
        }
        pick(list, seating)
    }
    Game {
        places: pick(&game.places, seating),
        points: pick(&game.points, seating),
        counts: pick(&game.counts, seating),
        kinds: marked(&game.kinds, seating),
        refused: marked(&game.refused, seating),
        rule: game.rule.clone(),
        at: pick(&game.at, seating),
        plies: game.plies,
        moves: pick(&game.moves, seating),
        used: pick(&game.used, seating),
        slowest: pick(&game.slowest, seating),
        digest: game.digest.clone(),
    }
}

#[cfg(test)]
mod tests {
    use record::EndKind;

    use super::*;

    fn at(ms: u64, what: What) -> Event {
        what.at(ms)
    }

    fn begin(game: u32, seats: &[u8]) -> What {
        What::Begin {
            game,
            seats: seats.to_vec(),
            ranks: None,
            hands: Vec::new(),
            position: None,
        }
    }

    fn played(player: u8, used: u64) -> What {
        What::Move {
            player,
            mv: "pass".to_owned(),
            fault: None,
            spent: None,
            used: Some(used),
            left: None,
        }
    }

    /// The pass in the place of a meld that was refused.
    fn refused(player: u8) -> What {
        let mut what = played(player, 0);
        if let What::Move { fault, .. } = &mut what {
            *fault = Some(EndKind::Illegal);
        }
        what
    }

    fn given(from: u8, used: Option<u64>) -> What {
        What::Give {
            from,
            to: 0,
            cards: String::new(),
            forced: used.is_none(),
            fault: None,
            lost: None,
            used,
            left: None,
        }
    }

    fn end(game: u32, places: &[u8], kinds: &[EndKind]) -> What {
        What::End {
            game,
            places: places.to_vec(),
            points: places.iter().map(|&p| f64::from(10 - p)).collect(),
            game_points: places.iter().map(|&p| -i32::from(p)).collect(),
            kinds: kinds.to_vec(),
            rule: Some("rule".to_owned()),
        }
    }

    const NORMAL: EndKind = EndKind::Normal;

    #[test]
    fn lists_go_by_the_seats_of_the_fixture_and_times_by_the_moves() {
        let counting = Counting {
            session: 2,
            points: None,
            drawn: true,
        };
        // Player 2 has seat 0 of the fixture, player 0 seat 1, player 1 seat 2.
        let collector = FixtureCollector::new(counting, vec![vec![2, 0, 1]]);
        let mut collector = collector.recorded_in(Some("0.4.0-2.jsonl".to_owned()));
        let first = [
            at(5, begin(1, &[1, 2, 0])),
            at(6, given(1, None)),
            at(7, given(1, Some(30))),
            at(8, played(1, 10)),
            at(9, played(2, 4)),
            at(9, played(2, 7)),
            at(9, refused(1)),
            at(12, end(1, &[0, 1, 2], &[NORMAL, EndKind::Illegal, NORMAL])),
        ];
        assert!(first.iter().all(|event| collector.event(event).is_none()));
        let second = [
            // A void game between them has a number, too.
            at(12, begin(2, &[1, 2, 0])),
            at(12, end(2, &[], &[EndKind::Void; 3])),
            at(12, begin(3, &[1, 2, 0])),
            at(13, played(0, 1)),
            at(45, end(3, &[2, 1, 0], &[NORMAL; 3])),
        ];
        let mut done: Vec<FixtureResult> = second
            .iter()
            .filter_map(|event| collector.event(event))
            .collect();
        let done = done.pop().unwrap();
        assert_eq!((done.number, done.ms, done.games.len()), (0, 40, 2));
        let at = done.record.as_ref().unwrap();
        assert_eq!((&at.file[..], at.game), ("0.4.0-2.jsonl", 1));
        let expected = Game {
            places: vec![2, 0, 1],
            points: vec![8.0, 10.0, 9.0],
            counts: vec![-2, 0, -1],
            kinds: vec![NORMAL, NORMAL, EndKind::Illegal],
            refused: vec![0, 0, 1],
            rule: Some("rule".to_owned()),
            at: vec![1, 2, 0],
            plies: 4,
            moves: vec![2, 0, 2],
            used: vec![11, 0, 40],
            slowest: vec![7, 0, 30],
            digest: String::new(),
        };
        assert_eq!(done.games[0], expected);
        let second = &done.games[1];
        assert!(second.kinds.is_empty() && second.refused.is_empty());
        assert_eq!((second.plies, &second.used[..]), (1, &[0, 1, 0][..]));
    }

    #[test]
    fn void_games_leave_no_trace() {
        let counting = Counting {
            session: 1,
            points: Some([3.0, 1.0, 0.5]),
            drawn: false,
        };
        let mut collector = FixtureCollector::new(counting, vec![vec![0, 1], vec![1, 0]]);
        let void = [
            at(0, begin(1, &[0, 1])),
            at(1, played(0, 9)),
            at(2, end(1, &[], &[EndKind::Void; 2])),
        ];
        assert!(void.iter().all(|event| collector.event(event).is_none()));
        let mut digests = Vec::new();
        for (number, places, points) in [(0, [1, 0], vec![0.5, 3.0]), (1, [0, 0], vec![1.0, 1.0])] {
            assert_eq!(collector.event(&at(3, begin(2, &[0, 1]))), None);
            let done = collector
                .event(&at(9, end(2, &places, &[NORMAL; 2])))
                .unwrap();
            assert_eq!((done.number, done.games.len()), (number, 1));
            let game = &done.games[0];
            assert_eq!((&game.points, game.plies, game.at.len()), (&points, 0, 0));
            assert_eq!(game.used, [0, 0]);
            // The void game before has other moves.
            digests.push(game.digest.clone());
        }
        assert_eq!((digests[0].len(), &digests[0]), (16, &digests[1]));
        // More than the session has are not counted.
        assert_eq!(collector.event(&at(10, begin(3, &[0, 1]))), None);
        assert_eq!(
            collector.event(&at(11, end(3, &[0, 1], &[NORMAL; 2]))),
            None
        );
    }
}
