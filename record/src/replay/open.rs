//! Playing a record of an open game again, one whose moves are all that happens in it.

use games::{BySeat, Game, GameName, Outcome, Player, Seat, Seating, Sheet};
use serde_json::{Value, json};

use super::game::{Recorded, Replay, ReplayError};
use crate::event::{EndKind, What};
use crate::header::Header;

impl<G: Game> Recorded for G {
    type Rules = G::Rules;
    const NAME: GameName = G::NAME;
    const SEATS: usize = G::SEATS;
    const SETUPS: u32 = match G::NAME {
        GameName::Geister => 2,
        _ => 0,
    };
    const HIDES_MOVES: bool = G::HAS_SECRETS;

    fn deal(begin: &What, _: &Seating, rules: &G::Rules) -> Result<G, ReplayError> {
        let What::Begin { position, .. } = begin else {
            unreachable!("a game is begun from its beginning");
        };
        G::read(rules, position.as_deref().unwrap_or_default()).map_err(ReplayError::notation)
    }

    fn follow(&mut self, mv: &str, _: Option<&str>) -> Result<(), ReplayError> {
        match self.play_text(mv) {
            Ok(_) => Ok(()),
            Err(reason) => Err(ReplayError::Illegal(reason.to_string())),
        }
    }

    fn check_setup(setup: &str) -> Result<(), ReplayError> {
        setup
            .parse::<G::Move>()
            .map(|_| ())
            .map_err(ReplayError::notation)
    }

    fn turn(&self) -> Option<Seat> {
        self.to_move()
    }

    fn plies(&self) -> u32 {
        self.ply()
    }

    fn seen(&self, seat: Seat) -> Value {
        json!(self.view(seat))
    }

    fn seen_by_all(&self) -> Value {
        json!(self.public_view())
    }

    fn move_seen_by_all(&self, mv: &str) -> String {
        let Ok(known) = mv.parse::<G::Move>() else {
            return String::new();
        };
        match self.to_move() {
            Some(mover) => self.shown(known, Seat::at((mover.index() + 1) % G::SEATS)),
            None => String::new(),
        }
    }

    fn game_points(&self) -> BySeat<i32> {
        Game::game_points(self)
    }

    fn result(&self) -> Option<Outcome> {
        self.outcome()
    }

    fn out(&self, seat: Seat) -> Option<&'static str> {
        Game::out(self, seat)
    }

    fn lose(&mut self, seat: Seat) -> Option<Outcome> {
        (!self.withdraw(seat)).then(|| self.forfeited(seat))
    }

    fn agreed() -> Option<Outcome> {
        <G as Game>::agreed()
    }
}

impl<G: Game> Replay<G> {
    /// The text of a file of the game in the format of its field, see [`Game::SHEET`]; the header is that of its match.
    pub fn sheet(&self, header: &Header) -> String {
        let players = &header.players;
        let name = |&player: &Player| players.get(player.index()).map_or("", |p| &p.name[..]);
        let names: Vec<&str> = self.seating.players().iter().map(name).collect();
        let fault = |&player: &Player| match self.kinds[player] {
            EndKind::Normal => None,
            kind => Some(kind.as_str()),
        };
        let faults: Vec<Option<&str>> = self.seating.players().iter().map(fault).collect();
        self.game.sheet(&Sheet {
            names: &names,
            event: &header.id,
            game: self.number,
            date: header.started.get(..10).unwrap_or_default(),
            faults: &faults,
        })
    }
}

#[cfg(test)]
mod tests {
    use games::score_four::Rules as ScoreFourRules;
    use games::{Game, GameName, ScoreFour};

    use crate::replay::{Replay, Replayed, replay};
    use crate::{Event, Header, RecordReader};

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
        assert_eq!(
            (sum.games, sum.plies, sum.points),
            (1, 3, [0.0, 1.0].into())
        );
        assert!(sum.closed);
        let rules = ScoreFourRules {};
        let begin: Event = serde_json::from_str(BEGIN).unwrap();
        let game = Replay::<ScoreFour>::begin(&begin.what, &rules)
            .unwrap()
            .unwrap();
        assert_eq!((Game::ply(&game.game), game.outcome()), (4, None));
    }

    const OFFER: &str = r#"{"ms":1,"event":"draw","player":0,"act":"offer"}"#;
    const ACCEPT: &str = r#"{"ms":1,"event":"draw","player":1,"act":"accept"}"#;
    const AGREED: &str = r#"{"ms":2,"event":"end","game":1,"places":[0,0],"points":[0.5,0.5],"kinds":["agreed","agreed"]}"#;

    #[test]
    fn a_draw_is_one_that_a_player_offers_and_the_other_accepts() {
        let result =
            r#"{"ms":3,"event":"result","games":1,"points":[0.5,0.5],"kinds":["agreed","agreed"]}"#;
        let sum = check(&[BEGIN, C1, OFFER, ACCEPT, AGREED, result]).unwrap();
        assert_eq!((sum.games, sum.points), (1, [0.5, 0.5].into()));
        let own = ACCEPT.replace("\"player\":1", "\"player\":0");
        let won = AGREED.replace("[0.5,0.5]", "[1.0,0.0]");
        for (lines, reason) in [
            (&[BEGIN, C1, ACCEPT][..], "offers nothing"),
            (&[BEGIN, C1, OFFER, &own], "offers nothing"),
            (&[BEGIN, C1, OFFER, C2, ACCEPT], "offers nothing"),
            (&[BEGIN, C1, OFFER, OFFER], "open already"),
            (&[BEGIN, C1, OFFER, ACCEPT, C2], "after the end"),
            (&[BEGIN, C1, OFFER, ACCEPT, OFFER], "after the end"),
            (&[BEGIN, C1, OFFER, AGREED], "still played"),
            (&[BEGIN, C1, OFFER, ACCEPT, &won], "points"),
            (&[BEGIN, C1, OFFER, ACCEPT, END], "places"),
            (
                &[
                    BEGIN,
                    C1,
                    OFFER,
                    ACCEPT,
                    &AGREED.replace("agreed", "normal"),
                ],
                "its lines by agreed",
            ),
            (
                &[BEGIN, C1, C2, D1, &END.replace("normal", "agreed")],
                "its lines by normal",
            ),
        ] {
            let error = check(lines).unwrap_err();
            assert!(error.contains(reason), "{reason}: {error}");
        }
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
            (&[BEGIN, C1, C2, D1, &resigned], "its lines by"),
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
