//! Geister as viewers know it that were made for the official server: the latest position as a text frame.

use protocol::gat::{Label, Scoreboard, Tally, ViewerBoard, ViewerFrame};
use protocol::native::Now;
use serde_json::Value;

/// A match of Geister as far as it was told.
pub(crate) struct Shown<'a> {
    pub(crate) names: &'a [String],
    /// The player in each seat of the game in play, or of the last.
    pub(crate) players: &'a [u8],
    /// What each seat's clock has left, in milliseconds.
    pub(crate) left: &'a [Option<u64>],
    pub(crate) now: &'a Now,
    /// The `result` of the game, if it is over.
    pub(crate) result: Option<&'a Value>,
    /// Games of each player since the match is watched.
    pub(crate) tallies: &'a [Tally],
}

impl Shown<'_> {
    /// The frame; `None` before both players have set up. While a game goes on it shows what everybody knows.
    pub(crate) fn frame(&self, with_scoreboard: bool) -> Option<ViewerFrame> {
        let (label, board) = if let Some(result) = self.result {
            let views = &result["views"];
            let board = board(&views[1]["own"], &views[0]["own"])?;
            (label_of(&result["places"])?, board)
        } else {
            let ghosts = &self.now.view["ghosts"];
            let board = board(&ghosts[1], &ghosts[0])?;
            (Label::ToMove(self.now.to_move?), board)
        };
        let scoreboard = with_scoreboard.then(|| self.scoreboard());
        Some(ViewerFrame {
            label,
            board,
            scoreboard,
        })
    }

    fn scoreboard(&self) -> Scoreboard {
        let player = |seat: usize| self.players.get(seat).map(|&player| usize::from(player));
        let name = |seat| Some(self.names.get(player(seat)?)?.clone());
        let tally = |seat| Some(*self.tallies.get(player(seat)?)?);
        let seconds = |seat: usize| self.left.get(seat).copied().flatten().unwrap_or(0) / 1000;
        let plies = self.now.view["ply"].as_u64().unwrap_or(0);
        Scoreboard {
            main_time: [0, 1].map(|seat| seconds(seat) as u32),
            names: [0, 1].map(|seat| name(seat).unwrap_or_default()),
            tallies: [0, 1].map(|seat| tally(seat).unwrap_or_default()),
            // The two set-ups are no moves there.
            turn: plies.saturating_sub(2) as u32,
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
fn label_of(places: &Value) -> Option<Label> {
    let place = |seat: usize| places[seat].as_u64();
    let (first, second) = (place(0)?, place(1)?);
    Some(match first.cmp(&second) {
        std::cmp::Ordering::Less => Label::Won(0),
        std::cmp::Ordering::Greater => Label::Won(1),
        std::cmp::Ordering::Equal => Label::Draw,
    })
}

/// Adds a game to the games of its players, by the places of its seats; a void game has none.
pub(crate) fn count(tallies: &mut Vec<Tally>, players: &[u8], places: &[u8]) {
    let (&[a, b], &[first, second]) = (players, places) else {
        return;
    };
    tallies.resize(2, Tally::default());
    for (player, own, other) in [(a, first, second), (b, second, first)] {
        if let Some(tally) = tallies.get_mut(usize::from(player)) {
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

    fn shown<'a>(
        now: &'a Now,
        result: Option<&'a Value>,
        tallies: &'a [Tally],
        names: &'a [String],
    ) -> Shown<'a> {
        Shown {
            names,
            players: &[1, 0],
            left: &[Some(600_000), Some(599_500)],
            now,
            result,
            tallies,
        }
    }

    #[test]
    fn a_frame_shows_what_everybody_knows_and_at_the_end_all() {
        let names = ["one,\u{65e5}", "two"].map(str::to_owned);
        let mut tallies = Vec::new();
        count(&mut tallies, &[0, 1], &[1, 2]);
        count(&mut tallies, &[1, 0], &[1, 1]);
        count(&mut tallies, &[0, 1], &[]);
        let ghosts = ["14u", "24u", "34u", "99R", "15u", "25u", "35u", "45u"];
        let now = |ply: u32, ghosts: &[&str]| Now {
            to_move: Some(0),
            view: json!({ "to-move": 0, "ply": ply, "ghosts": [ghosts, ghosts] }),
        };
        let playing = now(7, &ghosts);
        let shown_now = shown(&playing, None, &tallies, &names);
        let frame = shown_now.frame(false).unwrap().to_string();
        assert_eq!(
            frame,
            "MV0:14u24u34u99r15u25u35u45u41u31u21u99r40u30u20u10u"
        );
        let frame = shown_now.frame(true).unwrap().to_string();
        let fields = "MJ0:600,MJ1:599,BY0:0,BY1:0,Name0:two,Name1:one \u{65e5},win0:0,lose0:1,draw0:1,\
                      win1:1,lose1:0,draw1:1,Turn:5,ch:";
        assert_eq!(frame.split_once(',').unwrap().1, fields);
        // Of a side that has not set up nothing is known.
        assert_eq!(
            shown(&now(1, &[]), None, &tallies, &names).frame(false),
            None
        );
        let own = ["14R", "24R", "34R", "99R", "15B", "25B", "35B", "88B"];
        let other = ["14B", "24B", "34B", "99R", "15R", "25R", "35R", "45B"];
        for (places, label) in [([1, 2], "WI0:"), ([2, 1], "WI1:"), ([1, 1], "DRW:")] {
            let result = json!({ "places": places, "views": [{ "own": other }, { "own": own }] });
            let frame = shown(&playing, Some(&result), &tallies, &names)
                .frame(false)
                .unwrap();
            let text = frame.to_string();
            assert!(text.starts_with(label), "{text}");
            assert!(
                text.ends_with("14R24R34R99r15B25B35B88b41b31b21b99r40r30r20r10b"),
                "{text}"
            );
        }
    }
}
