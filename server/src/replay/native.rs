//! Playing a record of a game of the native protocol again.

use std::io::BufRead;

use games::{Blokus, Game, GameName, Outcome, ScoreFour, Seat};
use record::{
    EndKind, GameReplay, GeisterReplay, Header, ReadError, Rebuild, RecordReader, ReplayError,
    Replayed, What, contradiction, rebuild,
};

/// One game of a record, rebuilt event by event.
#[derive(Clone, Debug)]
pub struct NativeReplay<G> {
    /// Number of the game.
    pub number: u32,
    /// The player in each seat; seat 0 moves first.
    pub player_at: Vec<u8>,
    /// The position.
    pub game: G,
    /// The last move of the record.
    pub last: Option<String>,
    /// By player, the fault by which it has lost.
    pub kinds: Vec<EndKind>,
    /// The seat whose fault has ended the game.
    lost: Option<Seat>,
    /// Whether the game has ended.
    pub ended: bool,
}

impl<G: Game> NativeReplay<G> {
    fn seat_of(&self, player: u8) -> Result<Seat, ReplayError> {
        match self.player_at.iter().position(|&p| p == player) {
            Some(seat) => Ok(Seat::at(seat)),
            None => contradiction(format!("there is no player {player}")),
        }
    }

    fn play(&mut self, player: u8, mv: &str) -> Result<(), ReplayError> {
        let seat = self.seat_of(player)?;
        if self.outcome().is_some() {
            return contradiction(format!("player {player} plays {mv} after the end"));
        }
        match self.game.to_move() {
            Some(turn) if turn == seat => {}
            Some(_) => return contradiction(format!("player {player} plays {mv} out of turn")),
            None => return contradiction(format!("player {player} plays {mv} after the end")),
        }
        let played = self.game.play_text(mv);
        let played = played.map_err(|reason| ReplayError::Illegal(reason.to_string()))?;
        self.last = Some(played.to_string());
        Ok(())
    }

    /// What the events lead to, by seat; `None` while the game is undecided.
    pub fn outcome(&self) -> Option<Outcome> {
        let by_rule = self.game.outcome();
        by_rule.or_else(|| self.lost.map(|seat| self.game.forfeited(seat)))
    }

    /// Whether a player has lost by a fault.
    pub fn has_forfeited(&self, player: u8) -> bool {
        let kind = self.kinds.get(usize::from(player));
        kind.is_some_and(|kind| *kind != EndKind::Normal)
    }

    /// The player to move; none once the game is decided.
    pub fn mover(&self) -> Option<u8> {
        let seat = self.game.to_move()?;
        let over = self.ended || self.outcome().is_some();
        (!over).then(|| self.player_at[seat.index()])
    }

    fn forfeit(&mut self, player: u8, kind: EndKind) -> Result<(), ReplayError> {
        let seat = self.seat_of(player)?;
        if self.outcome().is_some() {
            return contradiction("a forfeit after the end");
        }
        if self.has_forfeited(player) || self.game.out(seat).is_some() {
            return contradiction(format!("player {player} forfeits, but is out already"));
        }
        self.kinds[usize::from(player)] = kind;
        if !self.game.withdraw(seat) {
            self.lost = Some(seat);
        }
        Ok(())
    }

    /// A list by seat as a list by player.
    pub fn by_player<T: Copy + Default>(&self, of_seats: &[T]) -> Vec<T> {
        let mut list = vec![T::default(); of_seats.len()];
        for (&player, &value) in self.player_at.iter().zip(of_seats) {
            list[usize::from(player)] = value;
        }
        list
    }

    fn end(&mut self, what: &What) -> Result<(), ReplayError> {
        let What::End {
            game: number,
            places,
            points,
            game_points,
            kinds,
            rule,
        } = what
        else {
            return contradiction("this is no end");
        };
        let number = *number;
        self.ended = true;
        if number != self.number {
            return contradiction(format!(
                "game {number} ends while game {} runs",
                self.number
            ));
        }
        if kinds.contains(&EndKind::Void) {
            return if places.is_empty() && points.iter().all(|&p| p == 0.0) {
                Ok(())
            } else {
                contradiction(format!("game {number} is void, but has places or points"))
            };
        }
        let Some(outcome) = self.outcome() else {
            return contradiction(format!("game {number} ends while it is still played"));
        };
        let due = self.by_player(&outcome.places);
        if *places != due {
            return contradiction(format!(
                "game {number}: the record says places {places:?}, its moves lead to {due:?}"
            ));
        }
        let due = self.by_player(&outcome.points);
        if *points != due {
            return contradiction(format!(
                "game {number}: the record says points {points:?}, its moves give {due:?}"
            ));
        }
        let due = self.by_player(&outcome.game_points);
        if *game_points != due {
            return contradiction(format!(
                "game {number}: the record says {game_points:?} by the game's own count, \
                 its moves give {due:?}"
            ));
        }
        if rule.as_deref() != outcome.rule {
            return contradiction(format!(
                "game {number}: the record says that it ended by {rule:?}, its moves by {:?}",
                outcome.rule
            ));
        }
        if *kinds != self.kinds {
            return contradiction(format!(
                "game {number}: kinds {kinds:?} do not go with its forfeits"
            ));
        }
        Ok(())
    }
}

impl<G: Game> Rebuild for NativeReplay<G> {
    type Rules = G::Rules;
    const PLAYERS: usize = G::SEATS;

    fn rules(header: &Header) -> Result<G::Rules, ReplayError> {
        if header.game != G::NAME {
            return Err(ReplayError::OtherGame(header.game));
        }
        serde_json::from_value(header.rules.clone()).map_err(|e| ReplayError::Rules(e.to_string()))
    }

    fn begin(what: &What, rules: &G::Rules) -> Result<Option<NativeReplay<G>>, ReplayError> {
        let What::Begin {
            game,
            seats,
            position,
            ..
        } = what
        else {
            return Ok(None);
        };
        let mut sorted = seats.clone();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..G::SEATS as u8) {
            return contradiction(format!(
                "seats {seats:?} are not the {} players in some order",
                G::SEATS
            ));
        }
        Ok(Some(NativeReplay {
            number: *game,
            player_at: seats.clone(),
            game: G::read(rules, position.as_deref().unwrap_or_default())
                .map_err(|reason| ReplayError::Notation(reason.to_string()))?,
            last: None,
            kinds: vec![EndKind::Normal; G::SEATS],
            lost: None,
            ended: false,
        }))
    }

    fn apply(&mut self, what: &What) -> Result<(), ReplayError> {
        match what {
            What::Move { player, mv, .. } => self.play(*player, mv),
            What::Forfeit { player, kind, .. } => self.forfeit(*player, *kind),
            What::End { .. } => self.end(what),
            What::Begin { game, .. } => contradiction(format!(
                "game {game} begins while game {} is played",
                self.number
            )),
            What::Setup { .. } | What::Give { .. } | What::Lot { .. } => {
                contradiction(format!("there is no such event in {}", G::NAME))
            }
            What::Result { .. } | What::Refused { .. } => Ok(()),
        }
    }

    fn number(&self) -> u32 {
        self.number
    }
}

/// Plays a record again from its deals or set-ups and its moves, checks every move against the
/// rules, and compares the places, the points and the result that it states with those it leads
/// to.
///
/// # Errors
/// The first line that cannot be read or that contradicts the lines before it.
pub fn replay<R: BufRead>(reader: RecordReader<R>) -> Result<Replayed, ReadError> {
    match reader.header().game {
        GameName::Daihinmin => rebuild::<GameReplay, R>(reader),
        GameName::Geister => rebuild::<GeisterReplay, R>(reader),
        GameName::ScoreFour => rebuild::<NativeReplay<ScoreFour>, R>(reader),
        GameName::Blokus => rebuild::<NativeReplay<Blokus>, R>(reader),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::replay;
    use games::GameName;
    use games::ScoreFour;
    use games::score_four::Rules as ScoreFourRules;
    use record::{RecordReader, Replayed};

    fn check(lines: &[&str]) -> Result<Replayed, String> {
        let header = Header::new(GameName::ScoreFour, "m", "native", Vec::new(), 1)
            .with_rules(&ScoreFourRules {});
        let mut text = serde_json::to_string(&header).unwrap();
        for line in lines {
            text += "\n";
            text += line;
        }
        let reader = RecordReader::new(text.as_bytes(), "r").map_err(|e| e.to_string())?;
        replay(reader).map_err(|e| e.to_string())
    }

    const BEGIN: &str = r#"{"ms":0,"event":"begin","game":1,"seats":[1,0],"position":"a1a2b1b2"}"#;
    const C1: &str = r#"{"ms":1,"event":"move","player":1,"move":"c1"}"#;
    const C2: &str = r#"{"ms":1,"event":"move","player":0,"move":"c2"}"#;
    const D1: &str = r#"{"ms":1,"event":"move","player":1,"move":"d1"}"#;
    const END: &str = r#"{"ms":2,"event":"end","game":1,"places":[1,0],"points":[0.0,1.0],"kinds":["normal","normal"],"rule":"line"}"#;

    #[test]
    fn a_record_plays_again() {
        let result =
            r#"{"ms":3,"event":"result","games":1,"points":[0.0,1.0],"kinds":["normal","normal"]}"#;
        let sum = check(&[BEGIN, C1, C2, D1, END, result]).unwrap();
        assert_eq!((sum.games, sum.plies, sum.points), (1, 3, vec![0.0, 1.0]));
        assert!(sum.closed);
        let rules = ScoreFourRules {};
        let begin: record::Event = serde_json::from_str(BEGIN).unwrap();
        let game = NativeReplay::<ScoreFour>::begin(&begin.what, &rules)
            .unwrap()
            .unwrap();
        assert_eq!((game.game.ply(), game.outcome()), (4, None));
    }

    #[test]
    fn what_cannot_be_is_found() {
        let resigned = END.replace("\"normal\"]", "\"resign\"]");
        for (lines, reason) in [
            (&[BEGIN, C2][..], "out of turn"),
            (&[BEGIN, C1, C2, D1, C2], "after the end"),
            (&[BEGIN, C1, C2, END], "still played"),
            (
                &[BEGIN, C1, C2, D1, &END.replace("[1,0]", "[0,1]")],
                "places",
            ),
            (
                &[BEGIN, C1, C2, D1, &END.replace("[0.0,1.0]", "[0.5,0.5]")],
                "points",
            ),
            (
                &[BEGIN, C1, C2, D1, &END.replace("line", "full-board")],
                "ended by",
            ),
            (&[BEGIN, C1, C2, D1, &resigned], "kinds"),
            (&[BEGIN, &C1.replace("c1", "e9")], "not a peg"),
            (&[&BEGIN.replace("[1,0]", "[1,1]")], "in some order"),
            (&[&BEGIN.replace("a1a2", "a9a2")], "not a peg"),
            (
                &[
                    BEGIN,
                    r#"{"ms":1,"event":"setup","player":0,"setup":"ABCD"}"#,
                ],
                "no such event",
            ),
        ] {
            let error = check(lines).unwrap_err();
            assert!(error.contains(reason), "{reason}: {error}");
        }
    }
}
