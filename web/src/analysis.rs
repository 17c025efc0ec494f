//! Positions of recorded games, and of variations that a reader makes of them: their moves, what an engine would play
//! there, and exact values. An engine knows what the seat to move knows, and nothing more.

use std::io;
use std::marker::PhantomData;
use std::path::Path;

use client::gat::{Followed, Geister, GeisterSight};
use client::native::NativeGame;
use client::uecda::{Daihinmin, DaihinminChoice, DaihinminSight};
use client::{ClientGame, MoveRequest, Notification};
use games::geister::{GameView, Turn, TurnView};
use games::{Blokus, Dobutsu, Game as _, GameName, Hidden, ScoreFour, Seat, Seating};
use record::{
    DaihinminGame, Frame, GameResult, Header, RecordWriter, Recorded, Replay, ReplayError, What,
};
use serde::Deserialize;

use crate::advice::{Advised, Adviser};
use crate::catalogue;
use crate::messages::{AnalysisAnswer, Ask, FileAnswer, Hint};
use crate::records::{Missing, file};
use crate::replay::{Reader, open};

const MOST_MOVES: usize = 200;

/// What a reader asks of a position.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Question {
    /// Moves that are played on from a ply of the record.
    moves: Vec<String>,
    /// The engine or level whose hint is wanted for the last position.
    engine: Option<String>,
    /// Whether the exact values of its moves are wanted without a hint.
    exact: bool,
    /// Whether the variation is wanted in the format of its field.
    sheet: bool,
    /// Whether it is wanted as a record.
    record: bool,
}

impl Question {
    pub(crate) fn searches(&self) -> bool {
        self.exact || self.engine.is_some()
    }
}

/// Answers a question about the position after so many plies of a game, or after further moves.
///
/// # Errors
/// There is no such position, a move is not legal, or the engine cannot play.
pub(crate) fn analyse(
    folder: &Path,
    id: &str,
    at: (u32, u32),
    question: &Question,
) -> Result<AnalysisAnswer, Missing> {
    let path = file(folder, id).ok_or(Missing::Absent)?;
    let reader = open(&path)?;
    let game = reader.header().game;
    if question.moves.len() > MOST_MOVES {
        let reason = format!("a variation has at most {MOST_MOVES} moves");
        return Err(Missing::Broken(reason));
    }
    if let Some(engine) = &question.engine {
        catalogue::check_engine(game, engine).map_err(Missing::Broken)?;
    }
    match game {
        GameName::Daihinmin => answer::<Daihinmin>(reader, at, question),
        GameName::Geister => answer::<Geister>(reader, at, question),
        GameName::Blokus => answer::<Open<Blokus>>(reader, at, question),
        GameName::Dobutsu => answer::<Open<Dobutsu>>(reader, at, question),
        GameName::ScoreFour => answer::<Open<ScoreFour>>(reader, at, question),
    }
}

/// A game of records whose seats see it as players at a table do.
trait Analysed {
    type Game: Recorded;
    type Player: Advised;

    /// What the seat to move sees; `None` before a game has begun.
    fn sight(game: &Self::Game, seating: &Seating, seat: Seat) -> Option<Sight<Self>>;

    /// A move that is about to be played as a seat is told of it, where engines follow the game.
    fn told(
        _game: &Self::Game,
        _mv: &str,
        _seat: Seat,
    ) -> Option<<Self::Player as ClientGame>::Played> {
        None
    }

    /// A move of the seat to move as a record has it.
    fn event(
        _game: &Self::Game,
        seating: &Seating,
        seat: Seat,
        mv: <Self::Player as ClientGame>::Move,
    ) -> What {
        What::play(seating.player_at(seat).number(), mv)
    }

    fn sheet(_replay: &Replay<Self::Game>, _header: &Header) -> Option<FileAnswer> {
        None
    }
}

type Sight<A> = <<A as Analysed>::Player as ClientGame>::View;

/// A game that hides nothing.
struct Open<G>(PhantomData<G>);

impl<G: NativeGame + Advised<View = <G as NativeGame>::Board>> Analysed for Open<G> {
    type Game = G;
    type Player = G;

    fn sight(game: &G, _: &Seating, _: Seat) -> Option<<G as NativeGame>::Board> {
        Some(game.board().clone())
    }

    fn sheet(replay: &Replay<G>, header: &Header) -> Option<FileAnswer> {
        G::SHEET.map(|ending| FileAnswer {
            ending,
            text: replay.sheet(header),
        })
    }
}

impl Analysed for Geister {
    type Game = games::Geister;
    type Player = Geister;

    fn sight(game: &games::Geister, _: &Seating, seat: Seat) -> Option<GeisterSight> {
        match game.view(seat) {
            GameView::Playing(view) => Some(GeisterSight::Playing(view)),
            GameView::Placing { .. } => None,
        }
    }

    fn told(game: &games::Geister, mv: &str, seat: Seat) -> Option<Followed> {
        let GameView::Playing(before) = game.view(seat) else {
            return None;
        };
        let turn: Turn = mv.parse().ok()?;
        match Hidden::seen(game, turn, seat) {
            TurnView::Moved { mv, captured, .. } => Some(Followed {
                before,
                mv,
                captured,
            }),
            TurnView::Placed(_) => None,
        }
    }
}

impl Analysed for Daihinmin {
    type Game = DaihinminGame;
    type Player = Daihinmin;

    fn sight(game: &DaihinminGame, seating: &Seating, seat: Seat) -> Option<DaihinminSight> {
        let mut player_at = [0; DaihinminGame::SEATS];
        for (player, at) in seating.players().iter().zip(&mut player_at) {
            *at = player.number();
        }
        Some(DaihinminSight {
            view: game.view(seat),
            owes: game.owed()[seat.index()],
            player_at,
        })
    }

    fn told(
        game: &DaihinminGame,
        mv: &str,
        seat: Seat,
    ) -> Option<<Daihinmin as ClientGame>::Played> {
        Some((game.view(seat), mv.parse().ok()?))
    }

    fn event(game: &DaihinminGame, seating: &Seating, seat: Seat, mv: DaihinminChoice) -> What {
        let player = |seat: Seat| seating.player_at(seat).number();
        match mv {
            DaihinminChoice::Play(meld) => What::play(player(seat), meld),
            DaihinminChoice::Give(cards) => {
                let partner = game.view(seat).exchanged.partner;
                let partner = partner.expect("a seat that owes cards has a partner");
                What::give(player(seat), player(Seat::new(partner)), cards)
            }
        }
    }
}

/// A game up to a position.
struct Line<A: Analysed> {
    replay: Replay<A::Game>,
    /// Gifts of the exchange, which are plies.
    gifts: u32,
    /// The game before each move, with the move.
    before: Vec<(A::Game, String)>,
    /// The events that lead here.
    events: Vec<What>,
}

impl<A: Analysed> Line<A> {
    /// Begins a game; a position that tells the moves which led there is played from the beginning, up to the ply.
    fn begin(header: &Header, what: &What, ply: u32) -> Result<Option<Line<A>>, ReplayError> {
        let rules = Replay::<A::Game>::rules(header)?;
        let begin = |what: &What| {
            let begun = Replay::begin(what, &rules)?;
            Ok(begun.map(|replay| Line {
                replay,
                gifts: 0,
                before: Vec::new(),
                events: vec![what.clone()],
            }))
        };
        let mut first = what.clone();
        if let What::Begin { position, .. } = &mut first
            && let Some(moves) = position
                .take()
                .and_then(|at| catalogue::moves(header.game, &at))
            && let Some(mut line) = begin(&first)?
        {
            let led = moves.iter().take(ply as usize).try_for_each(|mv| {
                let player = line.replay.mover()?;
                line.apply(&What::play(player.number(), mv)).ok()
            });
            if led.is_some() {
                return Ok(Some(line));
            }
        }
        begin(what)
    }

    fn ply(&self) -> u32 {
        self.replay.game.plies() + self.gifts
    }

    /// Applies an event that does not lead beyond a ply; gives whether it was applied.
    fn take(&mut self, what: &What, ply: u32) -> Result<bool, ReplayError> {
        let is_here = self.ply() >= ply;
        match what {
            What::Setup { .. } | What::Move { .. } | What::Give { forced: false, .. }
                if is_here =>
            {
                return Ok(false);
            }
            What::End { .. } | What::Begin { .. } | What::Result { .. } => return Ok(false),
            // A fault ends most games, which are looked at before it.
            What::Forfeit { .. } if is_here => {
                let mut next = self.replay.clone();
                next.apply(what)?;
                if next.outcome().is_some() {
                    return Ok(false);
                }
                self.replay = next;
                self.events.push(what.clone());
            }
            _ => self.apply(what)?,
        }
        Ok(true)
    }

    fn apply(&mut self, what: &What) -> Result<(), ReplayError> {
        let before = match what {
            What::Move { mv, .. } => Some((self.replay.game.clone(), mv.clone())),
            _ => None,
        };
        self.replay.apply(what)?;
        self.before.extend(before);
        self.events.push(what.clone());
        self.gifts += u32::from(matches!(what, What::Give { forced: false, .. }));
        Ok(())
    }

    /// The seat whose move is due, and what it sees.
    fn due(&self) -> Option<(Seat, Sight<A>)> {
        self.replay.mover()?;
        let seat = self.replay.game.due()?;
        let sight = A::sight(&self.replay.game, &self.replay.seating, seat)?;
        Some((seat, sight))
    }

    /// Plays a move of a variation; gives the frame after it.
    fn play(&mut self, text: &str) -> Result<Frame, String> {
        let Some((seat, sight)) = self.due() else {
            return Err(format!("no move is due where {text} is played"));
        };
        let mv = A::Player::read_move(&sight, text)?;
        let what = A::event(&self.replay.game, &self.replay.seating, seat, mv);
        self.apply(&what).map_err(|e| e.to_string())?;
        let game = &self.replay.game;
        let mv = match what {
            What::Give { cards, .. } => format!("give {cards}"),
            _ => mv.to_string(),
        };
        Ok(Frame {
            ply: self.ply(),
            seat: Some(seat),
            mv: Some(mv),
            to_move: self.replay.mover().and(game.due()),
            views: Seat::all(A::Game::SEATS)
                .map(|seat| game.seen(seat))
                .collect(),
            ..Frame::begin(self.replay.number, self.replay.seating.players().to_vec())
        })
    }

    /// The record of the game up to here, the only one of its match.
    fn record(&self, header: &Header) -> io::Result<FileAnswer> {
        let header = Header {
            id: format!("{}-variation", header.id),
            games: 1,
            commitment: None,
            ..header.clone()
        };
        let mut bytes = Vec::new();
        let mut writer = RecordWriter::new(&mut bytes, &header)?;
        let events = self.events.iter().filter_map(plain::<A::Game>);
        for what in events.chain(self.replay.ending()) {
            writer.event(&what.at(0))?;
        }
        drop(writer);
        Ok(FileAnswer {
            ending: "jsonl",
            text: String::from_utf8(bytes).map_err(io::Error::other)?,
        })
    }

    fn result(&self) -> Option<GameResult> {
        let outcome = self.replay.outcome()?;
        let places = outcome.places.iter().map(|place| place + 1).collect();
        let scores = outcome.points.to_vec();
        let rule = self.replay.game.rule().unwrap_or_default();
        Some(GameResult {
            game_points: outcome.game_points.to_vec(),
            reason: outcome.reason,
            ..GameResult::new(self.replay.number, places, scores, rule)
        })
    }

    /// What an engine would play, once it is told what the seat has seen of the game.
    fn hint(&self, engine: &str, seat: Seat, sight: &Sight<A>) -> Option<Hint> {
        let mut adviser = Adviser::<A::Player>::named(engine);
        if A::Player::FOLLOWS {
            let view = |game| A::sight(game, &self.replay.seating, seat);
            adviser.tell(Notification::NewGame);
            let first = self.before.first().map(|(game, _)| game);
            let begun = first.map_or_else(|| Some(sight.clone()), view)?;
            if first.is_some() || A::Player::due(sight) == "move" {
                adviser.tell(Notification::Begun(&begun));
            }
            for (game, mv) in &self.before {
                adviser.tell(Notification::Played(&A::told(game, mv, seat)?));
            }
        }
        let asked = MoveRequest {
            limit: None,
            refused: &[],
        };
        adviser.advise(sight, &asked, (self.replay.number, self.ply()))
    }
}

/// An event for the record of a variation, without times, as nobody played it. What a referee plays in place of a
/// player is a move like any other.
fn plain<G: Recorded>(what: &What) -> Option<What> {
    let mut what = what.clone();
    match &mut what {
        What::Forfeit { .. } | What::Refused { .. } if !G::FORFEITS => return None,
        What::Move {
            fault, used, left, ..
        }
        | What::Give {
            fault, used, left, ..
        } => (*fault, *used, *left) = (None, None, None),
        _ => {}
    }
    Some(what)
}

fn answer<A: Analysed>(
    reader: Reader,
    (game, ply): (u32, u32),
    question: &Question,
) -> Result<AnalysisAnswer, Missing> {
    let header = reader.header().clone();
    let mut line = find::<A>(reader, game, ply)?;
    let mut frames = Vec::new();
    for mv in &question.moves {
        frames.push(line.play(mv).map_err(Missing::Broken)?);
    }
    let due = line.due();
    let at = (game, line.ply());
    let ask = due.as_ref().map(|(_, sight)| Ask {
        game,
        ply: at.1,
        moves: A::Player::legal_moves(sight)
            .iter()
            .map(ToString::to_string)
            .collect(),
        kind: A::Player::due(sight).to_owned(),
        left_ms: None,
    });
    let hint = match (&due, &question.engine) {
        (Some((seat, sight)), Some(engine)) => line.hint(engine, *seat, sight),
        (Some((_, sight)), None) if question.exact => Some(A::Player::exact(sight).hint(at)),
        _ => None,
    };
    let sheet = question.sheet.then(|| A::sheet(&line.replay, &header));
    let record = question.record.then(|| line.record(&header)).transpose();
    let record = record.map_err(|e| Missing::Broken(e.to_string()))?;
    Ok(AnalysisAnswer {
        frames,
        result: line.result(),
        ask,
        hint,
        sheet: sheet.flatten(),
        record,
    })
}

/// The position after so many plies of a game.
fn find<A: Analysed>(mut reader: Reader, game: u32, ply: u32) -> Result<Line<A>, Missing> {
    let header = reader.header().clone();
    let mut found: Option<Line<A>> = None;
    while let Some(event) = reader.next() {
        let what = event?.what;
        if let Some(line) = &mut found {
            if !line.take(&what, ply).map_err(|e| reader.error(e))? {
                break;
            }
        } else if matches!(what, What::Begin { game: number, .. } if number == game) {
            found = Line::begin(&header, &what, ply).map_err(|e| reader.error(e))?;
        }
    }
    found
        .filter(|line| line.ply() == ply)
        .ok_or(Missing::Absent)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use games::daihinmin::{self as cards, Cards, Chance, Dealer, DealerKind, Session};
    use games::{Game, geister as ghosts};
    use record::EndKind;
    use record::import::import;

    use super::*;

    /// A folder with a record of these events as `m`.
    fn recorded(game: GameName, rules: &serde_json::Value, events: Vec<What>) -> tempfile::TempDir {
        let players = vec![record::Player::default(); game.seats()];
        let mut header = Header::new(game, "m", "native", players, 2);
        header.rules = rules.clone();
        let folder = tempfile::tempdir().expect("a folder");
        let mut bytes = Vec::new();
        let mut writer = RecordWriter::new(&mut bytes, &header).expect("a record");
        for what in events {
            writer.event(&what.at(0)).expect("an event");
        }
        drop(writer);
        fs::write(folder.path().join("m.jsonl"), bytes).expect("written");
        folder
    }

    fn begun(position: Option<&str>) -> What {
        What::Begin {
            game: 1,
            seats: vec![1, 0],
            ranks: None,
            hands: Vec::new(),
            position: position.map(str::to_owned),
        }
    }

    fn ask(moves: &[&str], engine: Option<&str>) -> Question {
        Question {
            moves: moves.iter().map(|mv| (*mv).to_owned()).collect(),
            engine: engine.map(str::to_owned),
            ..Question::default()
        }
    }

    /// Asks for a hint at every position of a game, and plays it on.
    fn look_at_all(folder: &Path, first: u32, plies: u32, engine: &str) {
        for ply in first..plies {
            let hint = analyse(folder, "m", (1, ply), &ask(&[], Some(engine)));
            let hint = hint.expect("an answer").hint.expect("a hint");
            let best = &hint.values.moves[0].mv;
            let on = analyse(folder, "m", (1, ply), &ask(&[best], None)).expect("it is legal");
            assert_eq!(on.frames[0].ply, ply + 1);
            assert!(on.ask.is_some() || on.result.is_some() || on.frames[0].to_move.is_none());
        }
    }

    #[test]
    fn moves_are_played_on_from_any_position_of_a_record() {
        let game = GameName::ScoreFour;
        let moves = ["a1", "b1", "a1", "b1", "a1", "b1", "a1"];
        let played = (0..)
            .zip(moves)
            .map(|(ply, mv)| What::play(1 - ply % 2, mv));
        for begin in [begun(None), begun(Some("d4d4"))] {
            let skip = matches!(
                &begin,
                What::Begin {
                    position: Some(_),
                    ..
                }
            );
            let plies = if skip { 9 } else { 7 };
            let events = [begin].into_iter().chain(played.clone()).collect();
            let folder = recorded(game, &catalogue::rules(game), events);
            let at = |ply, question: &Question| analyse(folder.path(), "m", (1, ply), question);
            let won = at(plies - 1, &ask(&["a1"], None)).expect("it is legal");
            let result = won.result.expect("four in a row");
            assert_eq!((&result.places[..], &result.end[..]), (&[1, 2][..], "line"));
            assert!(won.ask.is_none());
            let kept = Question {
                record: true,
                ..ask(&["a1"], None)
            };
            let kept = at(plies - 1, &kept).expect("it is legal").record;
            let made = import(kept.expect("a record").text.as_bytes()).expect("it plays again");
            assert_eq!((made.games, made.is_unfinished), (1, false));
            let other = at(1, &ask(&["c2", "d1"], None)).expect("legal moves");
            let plies: Vec<u32> = other.frames.iter().map(|frame| frame.ply).collect();
            assert_eq!((plies, other.result.is_none()), (vec![2, 3], true));
            assert_eq!(other.ask.expect("a move is due").moves.len(), 16);
            for (ply, question) in [
                (1, ask(&["c2", "e1"], None)),
                (1, ask(&[], Some("best:ms=60000"))),
                (1, ask(&[], Some("nobody"))),
                (99, ask(&[], None)),
                (1, ask(&["a1"; MOST_MOVES + 1], None)),
            ] {
                assert!(at(ply, &question).is_err(), "{question:?}");
            }
            let hint = at(2, &ask(&["a1"], Some("level-1")))
                .expect("an answer")
                .hint;
            let hint = hint.expect("a hint");
            assert_eq!((hint.engine.as_deref(), hint.ply), (Some("level-1"), 3));
        }
    }

    #[test]
    fn hints_in_geister_follow_what_the_seat_has_seen() {
        let mut game = games::Geister::begin(&ghosts::Rules::default(), 0);
        let mut events = vec![begun(None)];
        for (player, setup) in [(1, "ABCD"), (0, "EFGH")] {
            game.play_text(setup).expect("a placement");
            events.push(What::Setup {
                player,
                setup: setup.to_owned(),
                name: None,
            });
        }
        for ply in 0..20 {
            let legal = game.legal_texts();
            let mv = &legal[ply * 7 % legal.len()];
            let player = 1 - game.to_move().expect("it goes on").number();
            game.play_text(mv).expect("a legal move");
            events.push(What::play(player, mv));
            if game.to_move().is_none() {
                break;
            }
        }
        let rules = catalogue::rules(GameName::Geister);
        let folder = recorded(GameName::Geister, &rules, events);
        look_at_all(folder.path(), 2, Game::ply(&game), "level-4");
        let best = analyse(folder.path(), "m", (1, 6), &ask(&[], Some("best")));
        let value = best.expect("an answer").hint.expect("a hint").values.moves[0].value;
        assert!(value.is_some_and(|value| (-1.0..=1.0).contains(&value)));
        // The placements were made without knowing each other.
        let placing = analyse(folder.path(), "m", (1, 0), &ask(&[], None));
        assert!(placing.expect("an answer").ask.is_none());
    }

    #[test]
    fn hints_in_daihinmin_follow_the_exchange_and_the_melds() {
        let rules = cards::SessionRules::default();
        let chance = Chance::Seed(DealerKind::Modern, 3);
        let mut session = Session::new(rules, Dealer::of(chance));
        let mut events = Vec::new();
        let mut plies = 0;
        // The second game has an exchange.
        for game in [9, 1] {
            let mut deal = session.deal();
            let mut begin = What::begin(&deal);
            if let What::Begin { game: number, .. } = &mut begin {
                *number = game;
            }
            let mut told = vec![begin];
            told.extend(What::tributes(&deal));
            let givers: &[u8] = if deal.ranked { &[0, 1] } else { &[] };
            for &rank in givers {
                let (from, to) = (deal.seat_of_rank(rank), deal.seat_of_rank(4 - rank));
                let gift = deal.give(from, Cards::EMPTY);
                let player = |seat: u8| deal.player_at[usize::from(seat)];
                told.push(What::give(player(from), player(to), gift));
                plies += 1;
            }
            let mut position = deal.start();
            let mut moves = Vec::new();
            while !position.table.is_over() {
                position.legal_moves(&mut moves);
                let meld = *moves.last().expect("a move");
                let player = deal.player_at[usize::from(position.table.turn)];
                told.push(What::play(player, meld));
                position.play(meld).expect("a legal move");
                plies += u32::from(game == 1);
            }
            session.finish(position.table.places);
            let places = session.places();
            let points = places.iter().map(|&place| 5.0 - f64::from(place)).collect();
            told.push(What::End {
                game,
                places: places.to_vec(),
                points,
                game_points: Vec::new(),
                kinds: vec![EndKind::Normal; 5],
                rule: None,
            });
            events.extend(told);
        }
        let folder = recorded(GameName::Daihinmin, &serde_json::json!(rules), events);
        look_at_all(folder.path(), 0, plies, "level-1");
        let first = analyse(folder.path(), "m", (1, 0), &ask(&[], Some("best")));
        let first = first.expect("an answer");
        assert_eq!(first.ask.expect("a gift is due").kind, "give");
        let gift = &first.hint.expect("a hint").values.moves[0].mv;
        let question = Question {
            record: true,
            ..ask(&[gift], None)
        };
        let given = analyse(folder.path(), "m", (1, 0), &question).expect("a gift");
        assert_eq!(given.frames[0].mv, Some(format!("give {gift}")));
        let kept = given.record.expect("a record").text;
        let made = import(kept.as_bytes()).expect("it plays again");
        assert!(made.is_unfinished && kept.contains(r#""game":1"#), "{kept}");
    }
}
