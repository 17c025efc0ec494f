//! Games of a watched server that are worth a look, by simple measures. They are few, and each keeps its frames.

use std::collections::BTreeMap;

use games::{Blokus, GameName, Player};
use record::watch::League;
use record::{
    DaihinminGame, Deficit, Deficits, EndKind, Event, GameResult, Header, HighlightKind, Recorded,
    ReplayError, What,
};
use serde::Serialize;
use serde_json::Value;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::matches::Match;
use crate::messages::{Message, Over};

const MOST: usize = 2;
/// Most events of a game; a longer one is none.
const MOST_EVENTS: usize = 20_000;

/// A game that is worth a look, with the position to look at.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Highlight {
    /// The server, as its pages name it.
    source: String,
    #[serde(rename = "match")]
    pub(super) number: u64,
    pub(super) game_no: u32,
    kind: HighlightKind,
    measure: f64,
    game: GameName,
    players: Vec<String>,
    seats: Vec<Player>,
    /// Place of each seat, from 1.
    places: Vec<u8>,
    ply: u32,
    to_move: Value,
    views: Value,
    /// All that a page of the game is told.
    #[serde(skip)]
    lines: Vec<Utf8Bytes>,
}

impl Highlight {
    /// The same, of the server with this number.
    pub(super) fn at(&self, source: usize) -> Highlight {
        Highlight {
            source: source.to_string(),
            ..self.clone()
        }
    }
}

/// The highlights of a server, and the record that has come in part.
#[derive(Debug, Default)]
pub(super) struct Highlights {
    title: String,
    /// Of each kind the first comes first.
    all: BTreeMap<HighlightKind, Vec<Highlight>>,
    /// The record that comes in pieces, one behind the other: its match, its game and its events.
    part: ((u64, u32), Vec<Event>),
}

impl Highlights {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Highlight> {
        self.all.values().flatten()
    }

    /// Forgets those of a league with another title.
    pub(super) fn begin(&mut self, title: &str) {
        if self.title != title {
            *self = Highlights {
                title: title.to_owned(),
                ..Highlights::default()
            };
        }
    }

    /// What a page of the game is told.
    pub(super) fn lines(&self, number: u64, game: u32) -> Option<Vec<Utf8Bytes>> {
        let mut all = self.iter();
        let found = all.find(|one| one.number == number && one.game_no == game);
        found.map(|one| one.lines.clone())
    }

    /// Takes a piece of the record of a game that is over, the last that its match has shown. After the last piece the game
    /// is measured.
    pub(super) fn take(
        &mut self,
        (number, game): (u64, u32),
        (events, more): (&[Event], bool),
        known: &Match,
        league: Option<&League>,
    ) {
        if self.part.0 != (number, game) {
            self.part = ((number, game), Vec::new());
        }
        let part = &mut self.part.1;
        if part.len() + events.len() <= MOST_EVENTS {
            part.extend_from_slice(events);
        }
        if more {
            return;
        }
        let events = std::mem::take(part);
        let played = Played::of(&events, known).filter(|played| played.result.game == game);
        let Some(played) = played else { return };
        for (kind, measure, ply) in played.measures(league) {
            let all = self.all.entry(kind).or_default();
            let place = all.partition_point(|one| kind.order(one.measure, measure).is_le());
            if place < MOST
                && let Some(highlight) = played.highlight(number, kind, measure, ply)
            {
                all.insert(place, highlight);
                all.truncate(MOST);
            }
        }
    }
}

/// A game that was played by the rules from its beginning to its end.
struct Played<'a> {
    known: &'a Match,
    header: &'a Header,
    events: &'a [Event],
    result: &'a GameResult,
    names: Vec<String>,
    seats: &'a [Player],
    plies: u32,
}

impl<'a> Played<'a> {
    fn of(events: &'a [Event], known: &'a Match) -> Option<Played<'a>> {
        let (frame, result) = (known.frame.as_ref()?, known.result.as_ref()?);
        let is_sound = match &events.last()?.what {
            What::End { kinds, .. } => kinds.iter().all(|kind| *kind == EndKind::Normal),
            _ => false,
        };
        if !is_sound || frame.game != result.game {
            return None;
        }
        Some(Played {
            known,
            header: known.header.as_ref()?,
            events,
            result,
            names: known.told.as_ref()?.players.clone(),
            seats: &frame.players,
            plies: frame.ply,
        })
    }

    /// The seat that alone has the first place.
    fn winner(&self) -> Option<usize> {
        let mut first = (0..self.result.places.len()).filter(|&seat| self.result.places[seat] == 1);
        first.next().filter(|_| first.next().is_none())
    }

    fn name(&self, seat: usize) -> Option<&String> {
        self.names.get(self.seats.get(seat)?.index())
    }

    /// The measures of the game, each with the ply to look at.
    fn measures(&self, league: Option<&League>) -> Vec<(HighlightKind, f64, u32)> {
        let plies = f64::from(self.plies);
        let mut all = vec![
            (HighlightKind::Longest, plies, self.plies),
            (HighlightKind::Shortest, plies, self.plies),
        ];
        let upset = league.and_then(|league| self.upset(league));
        all.extend(upset.map(|below| (HighlightKind::Upset, below, self.plies)));
        let mut counts = self.result.game_points.clone();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        if let [first, second, ..] = counts[..] {
            let apart = f64::from(first - second);
            all.push((HighlightKind::Closest, apart, self.plies));
        }
        let comeback = self.deficit();
        all.extend(comeback.map(|d| (HighlightKind::Comeback, f64::from(d.points), d.ply)));
        all
    }

    /// How far the winner is rated below the best of its opponents, by more than chance explains.
    fn upset(&self, league: &League) -> Option<f64> {
        let winner = self.winner()?;
        let entrant = |seat: usize| {
            let name = self.name(seat)?;
            let one = league.entrants.iter().find(|one| one.name == *name)?;
            Some((one.rating?, one.half_width?))
        };
        let (own, _) = entrant(winner)?;
        let others = (0..self.seats.len()).filter(|&seat| seat != winner);
        let best = others
            .filter_map(entrant)
            .max_by(|(a, _), (b, _)| a.total_cmp(b));
        let (best, width) = best?;
        (best - own > width).then_some(best - own)
    }

    /// The largest deficit of the winner, if it is more than that of a seat whose turn comes later.
    fn deficit(&self) -> Option<Deficit> {
        let (found, least) = match self.header.game {
            GameName::Blokus => (self.deficit_of::<Blokus>(), 6),
            GameName::Daihinmin => (self.deficit_of::<DaihinminGame>(), 3),
            // These have no count in which a player is ahead.
            GameName::Geister | GameName::Dobutsu | GameName::ScoreFour => return None,
        };
        let found = found.inspect_err(|e| log::debug!("a watched game: {e}"));
        found.ok()?.filter(|deficit| deficit.points >= least)
    }

    fn deficit_of<G: Recorded>(&self) -> Result<Option<Deficit>, ReplayError> {
        let mut deficits = Deficits::<G>::new(self.header)?;
        for event in self.events {
            if let Some((_, deficit)) = deficits.take(&event.what)? {
                return Ok(Some(deficit));
            }
        }
        Ok(None)
    }

    fn highlight(
        &self,
        number: u64,
        kind: HighlightKind,
        measure: f64,
        ply: u32,
    ) -> Option<Highlight> {
        let frames = self.known.kept.iter().rev();
        let mut frames = frames.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let frame = frames.find(|one| one["type"] == "frame" && one["ply"] == ply)?;
        let info = self.known.info.clone().map(|mut info| {
            info.missed = Some(self.known.kept.len());
            Message::Table(info).line()
        });
        let over = Message::Over(Over {
            games: None,
            scores: self.known.told.as_ref().map(|told| told.scores.clone()),
            reason: None,
            record: None,
            note: None,
        });
        let lines = info.into_iter().chain(self.known.kept.iter().cloned());
        Some(Highlight {
            source: String::new(),
            number,
            game_no: self.result.game,
            kind,
            measure,
            game: self.header.game,
            players: self.names.clone(),
            seats: self.seats.to_vec(),
            places: self.result.places.clone(),
            ply,
            to_move: frame["to_move"].clone(),
            views: frame["views"].clone(),
            lines: lines.chain([over.line()]).collect(),
        })
    }
}
