//! Geister as viewers know it that were made for the official server: the latest position as a text frame.

use protocol::gat::{Label, Scoreboard, ViewerBoard, ViewerFrame, WinCounts};
use record::{Frame, GameResult};
use serde_json::Value;

/// A match of Geister as far as it was told.
pub(crate) struct Shown<'a> {
    pub(crate) names: &'a [String],
    /// The last frame of the game in play, or of the last.
    pub(crate) frame: &'a Frame,
    /// The result of the game, if it is over.
    pub(crate) result: Option<&'a GameResult>,
    /// Games of each player since the match is watched.
    pub(crate) tallies: &'a [WinCounts],
}

impl Shown<'_> {
    /// The frame; `None` before both players have set up. While a game goes on it shows what everybody knows.
    pub(crate) fn frame(&self, with_scoreboard: bool) -> Option<ViewerFrame> {
        let (label, board) = if let Some(result) = self.result {
            let own = |seat: usize| Some(&result.views.get(seat)?["own"]);
            let board = board(own(1)?, own(0)?)?;
            (label_of(&result.places)?, board)
        } else {
            let ghosts = &self.frame.views.first()?["ghosts"];
            let board = board(&ghosts[1], &ghosts[0])?;
            (Label::ToMove(self.frame.to_move?.number()), board)
        };
        let scoreboard = with_scoreboard.then(|| self.scoreboard());
        Some(ViewerFrame {
            label,
            board,
            scoreboard,
        })
    }

    fn scoreboard(&self) -> Scoreboard {
        let player = |seat: usize| Some(self.frame.players.get(seat)?.index());
        let name = |seat| Some(self.names.get(player(seat)?)?.clone());
        let tally = |seat| Some(*self.tallies.get(player(seat)?)?);
        let clocks = self.frame.clocks.as_deref().unwrap_or_default();
        let seconds = |seat: usize| clocks.get(seat).copied().flatten().unwrap_or(0) / 1000;
        Scoreboard {
            main_time: [0, 1].map(|seat| seconds(seat) as u32),
            names: [0, 1].map(|seat| name(seat).unwrap_or_default()),
            tallies: [0, 1].map(|seat| tally(seat).unwrap_or_default()),
            // The two set-ups are no moves there.
            turn: self.frame.ply.saturating_sub(2),
            ..Scoreboard::default()
        }
    }
}

/// The board of the ghosts of both seats, each in its own frame: in that of seat 1.
fn board(second: &Value, first: &Value) -> Option<ViewerBoard> {
    let mut text = String::new();
    for (ghosts, is_turned) in [(second, false), (first, true)] {
        for ghost in ghosts.as_array()? {
            let turned = |c: char| match c.to_digit(6).filter(|_| is_turned) {
                Some(digit) => char::from(b'5' - digit as u8),
                None => c.to_ascii_lowercase(),
            };
            text.extend(ghost.as_str()?.chars().map(turned));
        }
    }
    text.parse().ok()
}

/// The result by the places of the seats.
fn label_of(places: &[u8]) -> Option<Label> {
    let &[first, second] = places else {
        return None;
    };
    Some(match first.cmp(&second) {
        std::cmp::Ordering::Less => Label::Won(0),
        std::cmp::Ordering::Greater => Label::Won(1),
        std::cmp::Ordering::Equal => Label::Draw,
    })
}

/// Adds a game to the games of its players, by the places of its seats; a void game has none.
pub(crate) fn count(tallies: &mut Vec<WinCounts>, players: &[games::Player], places: &[u8]) {
    let (&[a, b], &[first, second]) = (players, places) else {
        return;
    };
    tallies.resize(2, WinCounts::default());
    for (player, own, other) in [(a, first, second), (b, second, first)] {
        if let Some(tally) = tallies.get_mut(player.index()) {
            tally.win += u32::from(own < other);
            tally.lose += u32::from(own > other);
            tally.draw += u32::from(own == other);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(
        (names, tallies): (&[String], &[WinCounts]),
        frame: &Frame,
        result: Option<&GameResult>,
        with_scoreboard: bool,
    ) -> Option<String> {
        let shown = Shown {
            names,
            frame,
            result,
            tallies,
        };
        Some(shown.frame(with_scoreboard)?.to_string())
    }

    #[test]
    fn a_frame_shows_what_everybody_knows_and_at_the_end_all() {
        let names = ["one,\u{65e5}", "two"].map(str::to_owned);
        let mut tallies = Vec::new();
        let players = [0, 1].map(games::Player::new);
        let turned = [1, 0].map(games::Player::new);
        count(&mut tallies, &players, &[1, 2]);
        count(&mut tallies, &turned, &[1, 1]);
        count(&mut tallies, &players, &[]);
        let ghosts = ["14u", "24u", "34u", "99R", "15u", "25u", "35u", "45u"];
        let now = |ply: u32, ghosts: &[&str]| Frame {
            game: 1,
            ply,
            seat: None,
            mv: None,
            used_ms: None,
            fault: None,
            to_move: Some(games::Seat::new(0)),
            views: vec![json!({ "to-move": 0, "ply": ply, "ghosts": [ghosts, ghosts] })],
            clocks: Some(vec![Some(600_000), Some(599_500)]),
            players: turned.to_vec(),
            outs: Vec::new(),
        };
        let playing = now(7, &ghosts);
        let about = (&names[..], &tallies[..]);
        let frame = text(about, &playing, None, false).unwrap();
        assert_eq!(
            frame,
            "MV0:14u24u34u99r15u25u35u45u41u31u21u99r40u30u20u10u"
        );
        let frame = text(about, &playing, None, true).unwrap();
        let fields = "MJ0:600,MJ1:599,BY0:0,BY1:0,Name0:two,Name1:one \u{65e5},win0:0,lose0:1,draw0:1,\
                      win1:1,lose1:0,draw1:1,Turn:5,ch:";
        assert_eq!(frame.split_once(',').unwrap().1, fields);
        // Of a side that has not set up nothing is known.
        assert_eq!(text(about, &now(1, &[]), None, false), None);
        let own = ["14R", "24R", "34R", "99R", "15B", "25B", "35B", "88B"];
        let other = ["14B", "24B", "34B", "99R", "15R", "25R", "35R", "45B"];
        for (places, label) in [([1, 2], "WI0:"), ([2, 1], "WI1:"), ([1, 1], "DRW:")] {
            let result = GameResult {
                game: 1,
                places: places.to_vec(),
                scores: Vec::new(),
                end: "escape".to_owned(),
                by: None,
                ends: Vec::new(),
                game_points: Vec::new(),
                reason: None,
                views: vec![json!({ "own": other }), json!({ "own": own })],
            };
            let text = text(about, &playing, Some(&result), false).unwrap();
            assert!(text.starts_with(label), "{text}");
            assert!(
                text.ends_with("14R24R34R99r15B25B35B88b41b31b21b99r40r30r20r10b"),
                "{text}"
            );
        }
    }
}
