//! Frames: what is shown of a game after each of its events. This is the only way from events to what is shown: watchers, the
//! page, the terminal and replays all draw frames. [`Frames`] makes them of events, and a client that sees one seat alone of
//! the messages of its server.

use std::fmt::Debug;

use games::{Blokus, Dobutsu, GameName, Geister, Outcome, Player, ScoreFour, Seat, Seating};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::{EndKind, What};
use crate::header::Header;
use crate::replay::{DaihinminGame, Recorded, Replay, ReplayError};

/// What is shown of a game after an event. It replaces an earlier frame of the same game and ply.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Frame {
    /// Number of the game, from 1.
    pub game: u32,
    /// Plies played; set-ups of Geister and gifts of Daihinmin are plies.
    pub ply: u32,
    /// The seat that made the last ply; none before the first.
    pub seat: Option<Seat>,
    /// The last ply in the notation of the game, as far as the viewer may know it.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// Time that it took in milliseconds, where that is known.
    pub used_ms: Option<u64>,
    /// Why the referee has played it in the player's stead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<EndKind>,
    /// The seat to move.
    pub to_move: Option<Seat>,
    /// The views that the viewer has: one [`games::Game::PublicView`] for everybody, its own [`games::Game::View`] for a
    /// seat, and those of all seats for a reader of a finished game.
    pub views: Vec<Value>,
    /// Time left of each seat in milliseconds; none without clocks.
    pub clocks: Option<Vec<Option<u64>>>,
    /// The player in each seat.
    pub players: Vec<Player>,
    /// Seats that went out of the game since the last frame.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outs: Vec<Out>,
}

impl Frame {
    /// The frame of a game before its first ply, without views.
    pub fn begin(game: u32, players: Vec<Player>) -> Frame {
        Frame {
            game,
            ply: 0,
            seat: None,
            mv: None,
            used_ms: None,
            fault: None,
            to_move: None,
            views: Vec::new(),
            clocks: None,
            players,
            outs: Vec::new(),
        }
    }

    /// A seat makes a move, after which so many plies are played.
    pub fn play(&mut self, ply: u32, seat: Seat, mv: String, used_ms: Option<u64>) {
        self.ply = ply;
        (self.seat, self.mv) = (Some(seat), Some(mv));
        (self.used_ms, self.fault) = (used_ms, None);
    }

    /// Shows a view after so many plies. A move that does not lead there is no longer the last.
    pub fn show(&mut self, ply: u32, to_move: Option<Seat>, view: Value) {
        if ply != self.ply {
            self.ply = ply;
            (self.seat, self.mv) = (None, None);
            (self.used_ms, self.fault) = (None, None);
        }
        self.to_move = to_move;
        self.views = vec![view];
    }
}

/// A seat that plays no more in a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Out {
    /// The seat.
    pub seat: Seat,
    /// Why: a rule of the game, or a fault.
    pub end: String,
    /// More for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a game has come to; lists go by seat.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameResult {
    /// Number of the game.
    pub game: u32,
    /// Place of each seat, 1 is the best; empty in a void game.
    pub places: Vec<u8>,
    /// Points of each seat.
    pub scores: Vec<f64>,
    /// How it ended: a rule, a fault, `agreed` for a draw by agreement, or `void`.
    pub end: String,
    /// The seat whose fault ended it.
    pub by: Option<Seat>,
    /// How it ended for each seat, in games for more than two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<String>,
    /// What each seat has by the game's own count, in games that have one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub game_points: Vec<i32>,
    /// More for people.
    pub reason: Option<String>,
    /// The view of each seat, in which nothing is hidden any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<Value>,
}

impl GameResult {
    /// The result of a game of which only the places, the points and the end are known.
    pub fn new(game: u32, places: Vec<u8>, scores: Vec<f64>, end: &str) -> GameResult {
        GameResult {
            game,
            places,
            scores,
            end: end.to_owned(),
            by: None,
            ends: Vec::new(),
            game_points: Vec::new(),
            reason: None,
            views: Vec::new(),
        }
    }
}

/// Who looks at a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Viewer {
    /// Everybody: frames have nothing that is hidden in the game.
    Public,
    /// A reader of a finished game, who sees what every seat saw.
    All,
}

/// The fold of the events of one game to its frames.
#[derive(Debug)]
pub struct Frames {
    game: Box<dyn Followed>,
    viewer: Viewer,
    /// The latest frame, without its views.
    last: Frame,
    /// Why each seat plays no more.
    ends: Vec<Option<String>>,
    /// The last fault that cost a seat the game.
    fault: Option<Out>,
}

trait Followed: Debug + Send + Sync {
    /// Applies an event, without set-ups; gives what everybody may know of the move, if it is one.
    fn take(&mut self, what: &What) -> Result<Option<String>, ReplayError>;
    /// Plays the set-up that is due, if it was told: its seat, its text, and what everybody may know of it.
    fn set_up(&mut self) -> Result<Option<(Seat, String, String)>, ReplayError>;
    fn seating(&self) -> &Seating;
    fn plies(&self) -> u32;
    fn is_dealt(&self) -> bool;
    fn to_move(&self) -> Option<Seat>;
    fn seen_by_all(&self) -> Value;
    fn seen(&self, seat: Seat) -> Value;
    fn out(&self, seat: Seat) -> Option<&'static str>;
    fn outcome(&self) -> Option<Outcome>;
    fn rule(&self) -> Option<&'static str>;
}

impl<G: Recorded> Followed for Replay<G> {
    fn take(&mut self, what: &What) -> Result<Option<String>, ReplayError> {
        let What::Move { mv, .. } = what else {
            return self.step(what).map(|()| None);
        };
        let before = G::HIDES_MOVES.then(|| self.game.clone());
        self.step(what)?;
        let seen = before.map_or_else(|| mv.clone(), |before| before.move_seen_by_all(mv));
        Ok(Some(seen))
    }

    fn set_up(&mut self) -> Result<Option<(Seat, String, String)>, ReplayError> {
        if self.game.plies() >= G::SETUPS {
            return Ok(None);
        }
        let before = self.game.clone();
        let played = Replay::set_up(self)?;
        Ok(played.map(|(seat, setup)| {
            let seen = before.move_seen_by_all(&setup);
            (seat, setup, seen)
        }))
    }

    fn seating(&self) -> &Seating {
        &self.seating
    }

    fn plies(&self) -> u32 {
        self.game.plies()
    }

    fn is_dealt(&self) -> bool {
        self.game.is_dealt()
    }

    fn to_move(&self) -> Option<Seat> {
        self.mover().and(self.game.due())
    }

    fn seen_by_all(&self) -> Value {
        self.game.seen_by_all()
    }

    fn seen(&self, seat: Seat) -> Value {
        self.game.seen(seat)
    }

    fn out(&self, seat: Seat) -> Option<&'static str> {
        self.game.out(seat)
    }

    fn outcome(&self) -> Option<Outcome> {
        Replay::outcome(self)
    }

    fn rule(&self) -> Option<&'static str> {
        self.game.rule()
    }
}

fn followed<G: Recorded>(
    header: &Header,
    what: &What,
) -> Result<Option<Box<dyn Followed>>, ReplayError> {
    let begun = Replay::<G>::begin(what, &Replay::<G>::rules(header)?)?;
    Ok(begun.map(|replay| Box::new(replay) as Box<dyn Followed>))
}

impl Frames {
    /// Begins the frames of a game of this match; `None` when the event is no beginning.
    ///
    /// # Errors
    /// When the rules of the header or the event are not those of the game.
    pub fn begin(
        header: &Header,
        what: &What,
        viewer: Viewer,
    ) -> Result<Option<Frames>, ReplayError> {
        let What::Begin { game: number, .. } = what else {
            return Ok(None);
        };
        let begun = match header.game {
            GameName::Daihinmin => followed::<DaihinminGame>(header, what),
            GameName::Geister => followed::<Geister>(header, what),
            GameName::ScoreFour => followed::<ScoreFour>(header, what),
            GameName::Blokus => followed::<Blokus>(header, what),
            GameName::Dobutsu => followed::<Dobutsu>(header, what),
        };
        Ok(begun?.map(|game| {
            let players = game.seating().players();
            // Some servers write that there is no budget as one of nothing.
            let budget = |player: &Player| {
                let budget = header.clocks_of(player.index()).game_ms;
                budget.filter(|ms| *ms > 0)
            };
            let clocks: Vec<Option<u64>> = players.iter().map(budget).collect();
            let has_clocks = clocks.iter().any(Option::is_some);
            let mut frames = Frames {
                viewer,
                last: Frame {
                    ply: game.plies(),
                    clocks: has_clocks.then_some(clocks),
                    ..Frame::begin(*number, players.to_vec())
                },
                ends: vec![None; players.len()],
                fault: None,
                game,
            };
            frames.show(Vec::new());
            frames
        }))
    }

    /// The number of the game.
    pub const fn number(&self) -> u32 {
        self.last.game
    }

    /// The latest frame; none for everybody until all is dealt.
    pub fn latest(&self) -> Option<Frame> {
        self.is_shown().then(|| Frame {
            views: self.views(),
            ..self.last.clone()
        })
    }

    /// Takes the next event of the game; gives the frames to which it leads.
    ///
    /// # Errors
    /// When the event cannot have happened now: the fold is then of no further use.
    pub fn take(&mut self, what: &What) -> Result<Vec<Frame>, ReplayError> {
        self.fold(what, true)
    }

    /// As [`Frames::take`], for events that nobody looks at: the frames have no views, which cost most of it.
    ///
    /// # Errors
    /// As [`Frames::take`].
    pub fn pass(&mut self, what: &What) -> Result<Vec<Frame>, ReplayError> {
        self.fold(what, false)
    }

    fn fold(&mut self, what: &What, with_views: bool) -> Result<Vec<Frame>, ReplayError> {
        let seen = self.game.take(what)?;
        let mut frames = Vec::new();
        match what {
            What::Move {
                player: by,
                used,
                left,
                fault,
                ..
            }
            | What::Give {
                from: by,
                forced: false,
                used,
                left,
                fault,
                ..
            } => {
                let mv = match what {
                    What::Give { cards, .. } => self.text(&format!("give {cards}"), "give"),
                    What::Move { mv, .. } => self.text(mv, &seen.unwrap_or_default()),
                    _ => unreachable!("it is one of them"),
                };
                if let Some(seat) = self.seat_of(*by) {
                    let clocks = self.last.clocks.as_mut();
                    let clock = clocks.and_then(|clocks| clocks[seat.index()].as_mut());
                    if let (Some(clock), Some(left)) = (clock, left) {
                        *clock = *left;
                    }
                    self.last.play(self.last.ply + 1, seat, mv, *used);
                    self.last.fault = *fault;
                    frames.push(self.show(Vec::new()));
                }
            }
            What::Give { .. } if self.is_shown() => frames.push(self.show(Vec::new())),
            What::Lot { .. } => frames.push(self.show(Vec::new())),
            What::Forfeit {
                player,
                kind,
                reason,
            } => {
                if let Some(seat) = self.seat_of(*player) {
                    let out = Out {
                        seat,
                        end: kind.to_string(),
                        reason: Some(reason.clone()),
                    };
                    self.ends[seat.index()] = Some(out.end.clone());
                    self.fault = Some(out.clone());
                    let frame = self.show(vec![out]);
                    frames.extend(self.is_shown().then_some(frame));
                }
            }
            _ => {}
        }
        self.fill(&mut frames, with_views);
        while let Some((seat, setup, seen)) = self.game.set_up()? {
            let mv = self.text(&setup, &seen);
            self.last.play(self.last.ply + 1, seat, mv, None);
            frames.push(self.show(Vec::new()));
            self.fill(&mut frames, with_views);
        }
        Ok(frames)
    }

    /// Gives the last frame its views.
    fn fill(&self, frames: &mut [Frame], with_views: bool) {
        if let Some(frame) = frames.last_mut().filter(|_| with_views) {
            frame.views = self.views();
        }
    }

    fn views(&self) -> Vec<Value> {
        match self.viewer {
            Viewer::Public => vec![self.game.seen_by_all()],
            Viewer::All => self.seat_views(),
        }
    }

    /// What the game has come to, once it has taken its end, which is this event.
    pub fn result(&self, end: &What) -> Option<GameResult> {
        let What::End {
            places,
            points,
            game_points,
            kinds,
            rule,
            ..
        } = end
        else {
            return None;
        };
        let players = self.game.seating().players();
        let is_void = places.is_empty();
        let outcome = self.game.outcome().filter(|_| !is_void);
        let rule = (rule.as_deref())
            .or_else(|| self.game.rule())
            .filter(|_| !is_void);
        // Where a rule has ended the game, a fault has only put its own seat out. No seat is at fault in a void game.
        let kind_of = |seat: Seat| {
            let kind = kinds.get(players[seat].index()).copied();
            kind.filter(|kind| *kind != EndKind::Normal)
        };
        let first = || {
            Seat::all(players.len()).find_map(|seat| {
                let end = kind_of(seat)?.to_string();
                let reason = None;
                Some(Out { seat, end, reason })
            })
        };
        let is_agreed = kinds.contains(&EndKind::Agreed);
        let fault = match rule {
            None if !is_void && !is_agreed => self.fault.clone().or_else(first),
            _ => None,
        };
        let end = match (rule, &fault) {
            _ if is_void => EndKind::Void.as_str(),
            (Some(rule), _) => rule,
            (None, Some(fault)) => &fault.end,
            (None, None) if is_agreed => EndKind::Agreed.as_str(),
            (None, None) => EndKind::Normal.as_str(),
        };
        let end_of = |seat: Seat| {
            let own = self.ends[seat.index()].as_deref();
            let kind = || kind_of(seat).map(EndKind::as_str);
            let end = own.or_else(kind).or(rule);
            end.unwrap_or("unopposed").to_owned()
        };
        let ends = if players.len() > 2 && !is_void {
            Seat::all(players.len()).map(end_of).collect()
        } else {
            Vec::new()
        };
        Some(GameResult {
            game: self.last.game,
            places: by_seat(places, players).map(|place| place + 1).collect(),
            scores: by_seat(points, players).collect(),
            end: end.to_owned(),
            by: fault.as_ref().map(|fault| fault.seat),
            ends,
            game_points: by_seat(game_points, players).collect(),
            reason: (fault.and_then(|fault| fault.reason))
                .or_else(|| outcome.and_then(|outcome| outcome.reason)),
            views: self.seat_views(),
        })
    }

    /// Nobody knows who leads until all is dealt.
    fn is_shown(&self) -> bool {
        self.viewer == Viewer::All || self.game.is_dealt()
    }

    fn seat_of(&self, player: u8) -> Option<Seat> {
        let seats = self.game.seating().seats();
        seats.get(Player::new(player)).copied()
    }

    fn seat_views(&self) -> Vec<Value> {
        let seats = Seat::all(self.ends.len());
        seats.map(|seat| self.game.seen(seat)).collect()
    }

    /// The text of a ply for the viewer.
    fn text(&self, whole: &str, seen: &str) -> String {
        match self.viewer {
            Viewer::Public => seen.to_owned(),
            Viewer::All => whole.to_owned(),
        }
    }

    /// The latest frame after what has happened, with the seats that are out since the one before it.
    fn show(&mut self, mut outs: Vec<Out>) -> Frame {
        for seat in Seat::all(self.ends.len()) {
            let end = &mut self.ends[seat.index()];
            if let (None, Some(rule)) = (&end, self.game.out(seat)) {
                *end = Some(rule.to_owned());
                let (end, reason) = (rule.to_owned(), None);
                outs.push(Out { seat, end, reason });
            }
        }
        self.last.outs = outs;
        self.last.to_move = self.game.to_move();
        self.last.players = self.game.seating().players().to_vec();
        self.last.clone()
    }
}

/// A list by player, by seat.
fn by_seat<T: Copy>(list: &[T], players: &[Player]) -> impl Iterator<Item = T> {
    let of = |player: &Player| list.get(player.index()).copied();
    players.iter().filter_map(of)
}

#[cfg(test)]
mod tests {
    use games::daihinmin::SessionRules;
    use games::{blokus, geister};
    use serde_json::json;

    use super::*;

    fn header(game: GameName, players: usize, rules: &impl Serialize) -> Header {
        let players = vec![crate::Player::default(); players];
        Header::new(game, "m", "native", players, 1).with_rules(rules)
    }

    fn begin(seats: &[u8], hands: &[&str]) -> What {
        What::Begin {
            game: 1,
            seats: seats.to_vec(),
            ranks: None,
            hands: hands.iter().map(|&hand| hand.to_owned()).collect(),
            position: None,
        }
    }

    fn end(places: &[u8], kinds: Vec<EndKind>, rule: Option<&str>) -> What {
        What::End {
            game: 1,
            places: places.to_vec(),
            points: vec![0.0; kinds.len()],
            game_points: Vec::new(),
            kinds,
            rule: rule.map(str::to_owned),
        }
    }

    #[test]
    fn a_game_that_ends_by_a_rule_is_nobodys_fault() {
        let header = header(GameName::Blokus, 4, &blokus::Rules::default());
        let frames = Frames::begin(&header, &begin(&[1, 0, 2, 3], &[]), Viewer::All);
        let frames = frames.unwrap().unwrap();
        let mut kinds = vec![EndKind::Normal; 4];
        kinds[0] = EndKind::Timeout;
        let ended = |rule| {
            let end = end(&[3, 0, 1, 2], kinds.clone(), rule);
            frames.result(&end).unwrap()
        };
        let result = ended(Some("no-moves"));
        assert_eq!((&result.end[..], result.by), ("no-moves", None));
        // Player 0 has seat 1.
        assert_eq!(result.ends, ["no-moves", "timeout", "no-moves", "no-moves"]);
        let result = ended(None);
        assert_eq!(
            (&result.end[..], result.by),
            ("timeout", Some(Seat::new(1)))
        );
        let void = end(&[], vec![EndKind::Void; 4], None);
        let result = frames.result(&void).unwrap();
        assert_eq!((&result.end[..], result.by), ("void", None));
    }

    #[test]
    fn a_game_of_daihinmin_ends_by_its_places_whoever_was_late() {
        let header = header(GameName::Daihinmin, 5, &SessionRules::default());
        let begin = begin(&[1, 0, 2, 3, 4], &["D3", "D4", "D5", "D6", "D7"]);
        let frames = Frames::begin(&header, &begin, Viewer::All);
        let mut frames = frames.unwrap().unwrap();
        // The holder of the diamond 3 leads.
        for player in [0, 2, 3, 4, 1].into_iter().cycle().take(20) {
            frames.take(&What::play(player, "pass")).unwrap();
        }
        let order = vec![1, 2, 3, 0, 4];
        let shown = frames.take(&What::Lot { order }).unwrap();
        assert_eq!((shown.len(), shown[0].ply, shown[0].to_move), (1, 20, None));
        let mut kinds = vec![EndKind::Normal; 5];
        kinds[1] = EndKind::Timeout;
        let result = frames.result(&end(&[3, 0, 1, 2, 4], kinds, None)).unwrap();
        assert_eq!((&result.end[..], result.by), ("stalled", None));
        // Player 1 has seat 0.
        assert_eq!(&result.ends[..2], ["timeout", "stalled"]);
    }

    #[test]
    fn set_ups_are_shown_in_turn_and_to_those_who_may_know_them() {
        let header = header(GameName::Geister, 2, &geister::Rules::default());
        let setup = |player, setup: &str| What::Setup {
            player,
            setup: setup.to_owned(),
            name: None,
        };
        for (viewer, texts) in [
            (Viewer::Public, ["placed", "placed"]),
            (Viewer::All, ["ABCD", "EFGH"]),
        ] {
            let frames = Frames::begin(&header, &begin(&[0, 1], &[]), viewer);
            let mut frames = frames.unwrap().unwrap();
            assert!(frames.take(&setup(1, "EFGH")).unwrap().is_empty());
            let shown = frames.take(&setup(0, "ABCD")).unwrap();
            let plies = shown
                .iter()
                .map(|frame| (frame.ply, frame.seat, frame.mv.clone()));
            let due = [0, 1].map(|seat| {
                let text = texts[usize::from(seat)].to_owned();
                (u32::from(seat) + 1, Some(Seat::new(seat)), Some(text))
            });
            assert_eq!(plies.collect::<Vec<_>>(), due);
            let mut other = Frames::begin(&header, &begin(&[0, 1], &[]), viewer)
                .unwrap()
                .unwrap();
            assert!(other.take(&setup(1, "ZZZZ")).is_err());
            let again = frames.take(&setup(0, "ABCD")).unwrap_err();
            assert!(again.to_string().contains("sets up twice"));
        }
    }

    #[test]
    fn a_game_without_a_budget_has_no_clocks() {
        let mut header = header(GameName::ScoreFour, 2, &games::score_four::Rules {});
        header.clocks.game_ms = Some(0);
        let frames = Frames::begin(&header, &begin(&[0, 1], &[]), Viewer::Public);
        let mut frames = frames.unwrap().unwrap();
        let moved = What::Move {
            player: 0,
            mv: "a1".to_owned(),
            fault: None,
            spent: None,
            used: Some(3),
            left: Some(0),
        };
        let shown = frames.take(&moved).unwrap().remove(0);
        assert_eq!(shown.clocks, None);
    }

    #[test]
    fn a_frame_is_replaced_by_what_happens_after_the_same_ply() {
        let mut header = header(GameName::Blokus, 4, &blokus::Rules::default());
        header.clocks.game_ms = Some(9000);
        let frames = Frames::begin(&header, &begin(&[0, 1, 2, 3], &[]), Viewer::Public);
        let mut frames = frames.unwrap().unwrap();
        let first = frames.latest().unwrap();
        assert_eq!(
            (first.ply, first.seat, first.to_move),
            (0, None, Some(Seat::new(0)))
        );
        let moved = What::Move {
            player: 0,
            mv: "a20".to_owned(),
            fault: None,
            spent: None,
            used: Some(3),
            left: Some(8997),
        };
        frames.take(&moved).unwrap();
        let out = What::Forfeit {
            player: 1,
            kind: EndKind::Timeout,
            reason: "too slow".to_owned(),
        };
        let shown = frames.take(&out).unwrap().remove(0);
        assert_eq!(
            (shown.ply, shown.mv.as_deref(), shown.used_ms),
            (1, Some("a20"), Some(3))
        );
        assert_eq!(shown.to_move, Some(Seat::new(2)));
        assert_eq!(
            shown.clocks.as_ref().unwrap()[..2],
            [Some(8997), Some(9000)]
        );
        let due = json!([{ "seat": 1, "end": "timeout", "reason": "too slow" }]);
        assert_eq!(json!(shown)["outs"], due);
    }
}
