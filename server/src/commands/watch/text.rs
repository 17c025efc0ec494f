//! What watchers are told, for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use games::{GameName, Player, Printable, Seat, count_of_games};
use protocol::native::name_of;
use record::watch::{League, WatchMessage};
use record::{Frame, GameResult};
use serde_json::Value;

use crate::drawing::drawn;
use crate::number;

/// What is known of the matches in play.
#[derive(Debug, Default)]
pub(super) struct WatchText(BTreeMap<u64, MatchText>);

#[derive(Debug)]
struct MatchText {
    game: GameName,
    players: Vec<String>,
    games: u32,
    /// By game in play, the player in each seat and the last ply that was shown.
    playing: BTreeMap<u32, (Vec<Player>, u32)>,
}

/// What a seat had at the end: its cards, or which of its ghosts are red, by the letters of the drawing; the view where it has
/// neither.
fn held(seat: u8, view: &Value) -> String {
    match view.get("hand").and_then(Value::as_str) {
        Some("") => return "no cards".to_owned(),
        Some(hand) => return hand.to_owned(),
        None => {}
    }
    let red = match view.get("own") {
        Some(Value::Array(ghosts)) => {
            let is_red = |ghost: &Value| ghost.as_str().is_some_and(|ghost| ghost.ends_with('R'));
            let red = ('A'..).zip(ghosts).filter(|(_, ghost)| is_red(ghost));
            red.map(|(letter, _)| letter).collect()
        }
        // The game has ended before both had set up.
        Some(Value::String(red)) => red.clone(),
        Some(Value::Null) => return "not set up".to_owned(),
        _ => return view.to_string(),
    };
    match seat {
        0 => format!("red {red}"),
        _ => format!("red {}", red.to_lowercase()),
    }
}

impl MatchText {
    /// Number and name of the player in a seat.
    fn in_seat(&self, game: u32, seat: Seat) -> String {
        let players = self.playing.get(&game);
        let player = players.and_then(|(players, _)| players.get(seat.index()));
        player.map_or_else(|| format!("seat {seat}"), |player| self.named(*player))
    }

    fn named(&self, player: Player) -> String {
        let name = self.players.get(player.index()).map_or("", |name| name);
        format!("{player} {name}")
    }

    /// What a frame shows, below lines that say what has happened.
    fn frame(&mut self, number: u64, frame: &Frame) -> String {
        let (game, ply) = (frame.game, frame.ply);
        let before = self.playing.insert(game, (frame.players.clone(), ply));
        let shown = before.map(|(_, ply)| ply);
        let mut text = String::new();
        for out in &frame.outs {
            let (seat, end) = (self.in_seat(game, out.seat), Printable(&out.end));
            let _ = writeln!(text, "match {number}, game {game}: {seat} is out by {end}");
        }
        let what = match (frame.seat, &frame.mv) {
            _ if shown == Some(ply) && !frame.outs.is_empty() => return text,
            _ if shown == Some(ply) => "changes".to_owned(),
            _ if shown.is_none() && ply > 0 => "is in play".to_owned(),
            (Some(seat), Some(mv)) => self.played(frame, seat, mv),
            _ => "begins".to_owned(),
        };
        let games = self.games;
        let _ = writeln!(
            text,
            "match {number}, game {game} of {games}, ply {ply}: {what}"
        );
        text + &drawn(self.game, frame, |seat| self.in_seat(game, seat))
    }

    fn played(&self, frame: &Frame, seat: Seat, mv: &str) -> String {
        let does = match mv {
            "pass" => "passes".to_owned(),
            "placed" => "has set up".to_owned(),
            "give" => "gives cards".to_owned(),
            mv => format!("plays {}", Printable(mv)),
        };
        let mut what = format!("{} {does}", self.in_seat(frame.game, seat));
        if let Some(used) = frame.used_ms {
            let _ = write!(what, " in {used} ms");
        }
        if let Some(fault) = frame.fault {
            let _ = write!(what, " (played by the referee: {fault})");
        }
        what
    }

    fn result(&mut self, number: u64, result: &GameResult) -> String {
        let game = result.game;
        let end = Printable(&result.end);
        let mut text = format!("match {number}, game {game}: over by {end}");
        if let Some(by) = result.by {
            let _ = write!(text, " of {}", self.in_seat(game, by));
        }
        if let Some(reason) = &result.reason {
            let _ = write!(text, " ({})", Printable(reason));
        }
        let scores = (0..).map(Seat::new).zip(&result.scores);
        let scores = scores.map(|(seat, score)| format!("{} {score}", self.in_seat(game, seat)));
        let _ = writeln!(text, ": {}", scores.collect::<Vec<_>>().join(", "));
        // Of games without secrets the last position has it all.
        if !self.game.is_open() {
            for (seat, view) in (0..).zip(&result.views) {
                let name = self.in_seat(game, Seat::new(seat));
                let _ = writeln!(text, "    {name} had {}", Printable(held(seat, view)));
            }
        }
        self.playing.remove(&game);
        text
    }
}

fn standing(league: &League) -> String {
    let of = league
        .scheduled
        .map_or(String::new(), |all| format!(" of {all}"));
    let mut text = format!(
        "league {}: {}{of} fixtures",
        Printable(&league.title),
        league.fixtures
    );
    for entrant in &league.entrants {
        let Some(rating) = entrant.rating else {
            continue;
        };
        let width = entrant.half_width.filter(|width| *width > 0.0);
        let width = width.map_or(String::new(), |width| {
            format!(" {}", number::rating_interval(width))
        });
        let _ = write!(
            text,
            ", {} {}{width}",
            Printable(&entrant.name),
            number::signed(rating, 0)
        );
    }
    text.push('\n');
    text
}

impl WatchText {
    /// Whether a match that was told of is in play.
    pub(super) fn is_open(&self) -> bool {
        !self.0.is_empty()
    }

    /// Takes in a message; gives what people are told of it.
    pub(super) fn take(&mut self, message: &WatchMessage) -> String {
        if let WatchMessage::League(league) = message {
            return standing(league);
        }
        let Some(number) = message.number() else {
            return String::new();
        };
        if let WatchMessage::Match { header, .. } = message {
            let players = header.players.iter();
            let players: Vec<String> = players.map(|player| name_of(&player.name, "?")).collect();
            let (shown, games) = (players.join(" against "), header.games);
            let before = self.0.remove(&number);
            let known = MatchText {
                game: header.game,
                players,
                games,
                playing: before.map(|before| before.playing).unwrap_or_default(),
            };
            self.0.insert(number, known);
            return format!(
                "match {number}: {}, {shown}, {}\n",
                header.game,
                count_of_games(games)
            );
        }
        let Some(known) = self.0.get_mut(&number) else {
            return String::new();
        };
        match message {
            WatchMessage::Frame { frame, .. } => known.frame(number, frame),
            WatchMessage::Presence { player, here, .. } => {
                let what = if *here { "is back" } else { "is not there" };
                let player = known.named(Player::new(*player));
                format!("match {number}: {player} {what}\n")
            }
            WatchMessage::Result { result, .. } => known.result(number, result),
            WatchMessage::Missed { game, .. } => {
                known.playing.remove(game);
                format!("match {number}, game {game}: the server could not keep up\n")
            }
            WatchMessage::Over { scores, reason, .. } => {
                let names = known.players.iter().zip(scores);
                let scores: Vec<String> = names
                    .map(|(name, score)| format!("{name} {score}"))
                    .collect();
                let reason = reason
                    .as_ref()
                    .map_or_else(String::new, |reason| format!(" ({})", Printable(reason)));
                let text = format!("match {number}: over, {}{reason}\n", scores.join(", "));
                self.0.remove(&number);
                text
            }
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_seat_had_cards_or_red_ghosts() {
        for (seat, view, due) in [
            (2, json!({"hand": "S3JO"}), "S3JO"),
            (2, json!({"hand": ""}), "no cards"),
            (0, json!({"own": ["14R", "24B", "99R"]}), "red AC"),
            (1, json!({"own": ["14B", "24R"]}), "red b"),
            (1, json!({"own": "ABCH"}), "red abch"),
            (1, json!({"own": null}), "not set up"),
            (1, json!({"else": 1}), r#"{"else":1}"#),
        ] {
            assert_eq!(held(seat, &view), due);
        }
    }
}
