//! What watchers are told, for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use games::{GameName, Printable, count_of_games};
use protocol::native::{League, Now, WatchMessage, name_of};
use serde_json::Value;

use super::board::{board, notes};
use crate::league::result::number;

/// What is known of the matches in play.
#[derive(Debug, Default)]
pub(super) struct Story(BTreeMap<u64, Match>);

#[derive(Debug, Default)]
struct Match {
    game: String,
    players: Vec<String>,
    games: u32,
    /// By game in play, the player in each seat.
    seats: BTreeMap<u32, Vec<u8>>,
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

impl Match {
    /// Number and name of the player in a seat.
    fn in_seat(&self, game: u32, seat: u8) -> String {
        let player = self
            .seats
            .get(&game)
            .and_then(|seats| seats.get(usize::from(seat)));
        player.map_or_else(|| format!("seat {seat}"), |&player| self.named(player))
    }

    fn named(&self, player: u8) -> String {
        let name = self
            .players
            .get(usize::from(player))
            .map_or("", |name| name);
        format!("{player} {name}")
    }

    /// A position, below a line that says what has happened.
    fn position(&self, number: u64, (game, ply): (u32, u32), what: &str, now: &Now) -> String {
        let games = self.games;
        let mut text = format!("match {number}, game {game} of {games}, ply {ply}: {what}\n");
        let seats = self.seats.get(&game).map_or(0, Vec::len);
        let name = GameName::ALL
            .into_iter()
            .find(|name| name.as_str() == self.game);
        let notes = notes(name, &now.view);
        for seat in 0..seats as u8 {
            let mark = if now.to_move == Some(seat) { '>' } else { ' ' };
            let note = notes.get(usize::from(seat));
            let note = note.map_or(String::new(), |note| format!(": {note}"));
            let _ = writeln!(text, "{mark} {}{note}", self.in_seat(game, seat));
        }
        for line in board(name, &now.view).lines() {
            let _ = writeln!(text, "    {}", line.trim_end());
        }
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

impl Story {
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
        if let WatchMessage::Match {
            game,
            players,
            games,
            ..
        } = message
        {
            let players: Vec<String> = players.iter().map(|name| name_of(name, "?")).collect();
            let (shown, count) = (players.join(" against "), count_of_games(*games));
            let known = self.0.entry(number).or_default();
            (known.game, known.players, known.games) =
                (Printable(game).to_string(), players, *games);
            return format!("match {number}: {}, {shown}, {count}\n", known.game);
        }
        let Some(known) = self.0.get_mut(&number) else {
            return String::new();
        };
        match message {
            WatchMessage::Game {
                game,
                players,
                ply,
                now,
                ..
            } => {
                known.seats.insert(*game, players.clone());
                let what = if *ply == 0 { "begins" } else { "is in play" };
                known.position(number, (*game, *ply), what, now)
            }
            WatchMessage::View { game, ply, now, .. } => {
                known.position(number, (*game, *ply), "changes", now)
            }
            WatchMessage::Moved {
                game,
                ply,
                seat,
                mv,
                used_ms,
                fault,
                now,
                ..
            } => {
                let does = match mv.as_str() {
                    "pass" => "passes".to_owned(),
                    "placed" => "has set up".to_owned(),
                    "give" => "gives cards".to_owned(),
                    mv => format!("plays {}", Printable(mv)),
                };
                let mut what = format!("{} {does}", known.in_seat(*game, *seat));
                if let Some(used) = used_ms {
                    let _ = write!(what, " in {used} ms");
                }
                if let Some(fault) = fault {
                    let _ = write!(what, " (played by the referee: {})", Printable(fault));
                }
                known.position(number, (*game, ply.saturating_add(1)), &what, now)
            }
            WatchMessage::Out {
                game, seat, end, ..
            } => {
                let seat = known.in_seat(*game, *seat);
                format!(
                    "match {number}, game {game}: {seat} is out by {}\n",
                    Printable(end)
                )
            }
            WatchMessage::Presence { player, here, .. } => {
                let what = if *here { "is back" } else { "is not there" };
                format!("match {number}: {} {what}\n", known.named(*player))
            }
            WatchMessage::Result {
                game,
                scores,
                end,
                by,
                reason,
                views,
                ..
            } => {
                let mut text = format!("match {number}, game {game}: over by {}", Printable(end));
                if let Some(by) = by {
                    let _ = write!(text, " of {}", known.in_seat(*game, *by));
                }
                if let Some(reason) = reason {
                    let _ = write!(text, " ({})", Printable(reason));
                }
                let scores = (0..).zip(scores);
                let scores =
                    scores.map(|(seat, score)| format!("{} {score}", known.in_seat(*game, seat)));
                let _ = writeln!(text, ": {}", scores.collect::<Vec<_>>().join(", "));
                // Of games without secrets the last position has it all.
                if ["geister", "daihinmin"].contains(&known.game.as_str()) {
                    for (seat, view) in (0..).zip(views) {
                        let held = Printable(held(seat, view));
                        let _ = writeln!(text, "    {} had {held}", known.in_seat(*game, seat));
                    }
                }
                known.seats.remove(game);
                text
            }
            WatchMessage::Missed { game, .. } => {
                known.seats.remove(game);
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
