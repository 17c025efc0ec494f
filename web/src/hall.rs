//! Tables of servers that show theirs to watchers: a lobby of all, and each of them as frames.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures_util::StreamExt as _;
use log::{debug, info};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::{Notify, broadcast, watch};
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tokio_util::codec::{FramedRead, LinesCodec};
use tokio_util::sync::CancellationToken;

use crate::seat::line;

/// Most bytes of a line of a server: the views of a finished game are several at once.
const MOST_LINE: usize = 256 << 10;
/// Pause before a lost connection is opened again.
const AGAIN: Duration = Duration::from_secs(1);
/// The least time between two lobbies.
const LOBBY_EVERY: Duration = Duration::from_millis(250);
/// Lines that wait for a page; one that reads no more is cut off.
const MOST_WAITING: usize = 1024;
/// Matches of a source that are kept; of those that are over the oldest go first.
const MOST_MATCHES: usize = 512;
/// Lines of a game that are kept.
const MOST_KEPT: usize = 4096;

/// The number of a match, and a line about it.
pub(crate) type News = (u64, Utf8Bytes);

/// All sources.
pub(crate) struct Hall {
    sources: Vec<Source>,
    lobby: watch::Sender<Utf8Bytes>,
    changed: Notify,
}

/// A server's port of watchers.
struct Source {
    host: String,
    port: u16,
    matches: Mutex<BTreeMap<u64, Match>>,
    /// How its league stands, if it has told of one.
    league: Mutex<Option<Value>>,
    news: broadcast::Sender<News>,
}

/// A match as far as it was told.
#[derive(Default)]
struct Match {
    /// The server's `table`.
    told: Value,
    /// The page's `table`.
    table: Option<Utf8Bytes>,
    game: u64,
    ply: u64,
    /// The player in each seat.
    players: Value,
    /// Budget of each seat.
    left: Vec<Option<u64>>,
    to_move: Value,
    view: Value,
    /// Lines of the game in play, or of the last.
    kept: Vec<Utf8Bytes>,
    over: Option<Utf8Bytes>,
}

impl Hall {
    /// Watches servers until `stop`. Must be called within a tokio runtime.
    pub(crate) fn new(sources: Vec<(String, u16)>, stop: &CancellationToken) -> Arc<Hall> {
        let sources = sources.into_iter().map(|(host, port)| Source {
            host,
            port,
            matches: Mutex::default(),
            league: Mutex::default(),
            news: broadcast::Sender::new(MOST_WAITING),
        });
        let hall = Arc::new(Hall {
            sources: sources.collect(),
            lobby: watch::Sender::new(Utf8Bytes::default()),
            changed: Notify::new(),
        });
        hall.lobby.send_replace(hall.whole_lobby());
        for at in 0..hall.sources.len() {
            let (hall, stop) = (hall.clone(), stop.clone());
            tokio::spawn(async move {
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = hall.follow(at) => {}
                }
            });
        }
        let (tending, stop) = (hall.clone(), stop.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = tending.tend() => {}
            }
        });
        hall
    }

    /// The lobby, whenever it changes.
    pub(crate) fn lobby(&self) -> watch::Receiver<Utf8Bytes> {
        self.lobby.subscribe()
    }

    /// What was told of a match, and what will be; `None` if there is none.
    pub(crate) fn watch(
        &self,
        source: &str,
        number: u64,
    ) -> Option<(Vec<Utf8Bytes>, broadcast::Receiver<News>)> {
        let source = self.sources.get(source.parse::<usize>().ok()?)?;
        let matches = source.matches();
        let known = matches.get(&number)?;
        let mut missed: Vec<Utf8Bytes> = known.table.iter().cloned().collect();
        missed.extend(known.kept.iter().cloned());
        missed.extend(known.over.clone());
        Some((missed, source.news.subscribe()))
    }

    /// Builds lobbies, not too often.
    async fn tend(&self) {
        loop {
            self.changed.notified().await;
            self.lobby.send_replace(self.whole_lobby());
            sleep(LOBBY_EVERY).await;
        }
    }

    fn whole_lobby(&self) -> Utf8Bytes {
        let (mut tables, mut leagues) = (Vec::new(), Vec::new());
        for (at, source) in self.sources.iter().enumerate() {
            tables.extend(source.matches().iter().map(|(number, known)| {
                let told = &known.told;
                json!({
                    "source": at.to_string(),
                    "match": number,
                    "game": told["game"],
                    "players": told["players"],
                    "seats": known.players,
                    "games": told["games"],
                    "scores": told["scores"],
                    "state": told["state"],
                    "game_no": known.game.max(1),
                    "to_move": known.to_move,
                    "views": if known.view.is_null() { json!([]) } else { json!([known.view]) },
                })
            }));
            if let Some(mut league) = source.league().clone() {
                league["source"] = json!(at.to_string());
                leagues.push(league);
            }
        }
        line(&json!({ "type": "lobby", "tables": tables, "leagues": leagues }))
    }

    /// Follows a source, also when its connection is lost.
    async fn follow(&self, at: usize) {
        let source = &self.sources[at];
        loop {
            match self.listen(source).await {
                Ok(()) => debug!("{}:{} has closed", source.host, source.port),
                Err(e) => debug!("{}:{}: {e}", source.host, source.port),
            }
            // What it has told may be over when it is back.
            for known in source.matches().values_mut() {
                known.told["state"] = json!("over");
            }
            self.changed.notify_one();
            sleep(AGAIN).await;
        }
    }

    async fn listen(
        &self,
        source: &Source,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let mut stream = TcpStream::connect((&source.host[..], source.port)).await?;
        let hello = json!({ "type": "hello", "versions": [1], "name": "", "watch": true });
        stream.write_all(format!("{hello}\n").as_bytes()).await?;
        let mut lines = FramedRead::new(stream, LinesCodec::new_with_max_length(MOST_LINE));
        info!("watching {}:{}", source.host, source.port);
        while let Some(text) = lines.next().await {
            let message: Value = serde_json::from_str(&text?)?;
            source.take(&message);
            self.changed.notify_one();
        }
        Ok(())
    }
}

impl Source {
    fn matches(&self) -> MutexGuard<'_, BTreeMap<u64, Match>> {
        self.matches.lock().expect("nothing panics in the hall")
    }

    fn league(&self) -> MutexGuard<'_, Option<Value>> {
        self.league.lock().expect("nothing panics in the hall")
    }

    /// Takes a message of the server.
    fn take(&self, message: &Value) {
        if message["type"] == "league" {
            *self.league() = Some(league(message));
            return;
        }
        let Some(number) = message["match"].as_u64() else {
            return;
        };
        let mut matches = self.matches();
        if !matches.contains_key(&number) && matches.len() >= MOST_MATCHES {
            let over = matches
                .iter()
                .find(|(_, known)| known.told["state"] == "over");
            let oldest = over.or(matches.iter().next()).map(|(number, _)| *number);
            if let Some(oldest) = oldest {
                matches.remove(&oldest);
            }
        }
        let known = matches.entry(number).or_default();
        if let Some(line) = known.take(number, message) {
            // There may be no page.
            let _ = self.news.send((number, line));
        }
    }
}

impl Match {
    /// Takes a message of the server; gives a line for pages.
    fn take(&mut self, number: u64, message: &Value) -> Option<Utf8Bytes> {
        let kind = message["type"].as_str()?;
        let game = message["game"].as_u64();
        match kind {
            "table" => {
                self.told = message.clone();
                return None;
            }
            "match" => {
                let table = line(&self.table(number, message));
                self.table = Some(table.clone());
                return Some(table);
            }
            "game" => {
                if game != Some(self.game) {
                    self.kept.clear();
                }
                self.game = game?;
                self.players = message["players"].clone();
                let seats = self.players.as_array().map_or(0, Vec::len);
                self.left = vec![None; seats];
                self.ply = message["ply"].as_u64()?;
            }
            // Another game that is played at the same time is told of, and not shown.
            _ if game.is_some_and(|game| game != self.game) => return None,
            "moved" => {
                self.ply = message["ply"].as_u64()? + 1;
                let seat = message["seat"].as_u64()? as usize;
                if let Some(left) = self.left.get_mut(seat) {
                    *left = message["budget_ms"].as_u64();
                }
            }
            "view" => self.ply = message["ply"].as_u64()?,
            "out" => {}
            "presence" => return Some(line(&without_numbers(message))),
            "missed" => {
                let text = "The server could not keep up: this game is told no further.";
                return Some(line(&json!({ "type": "said", "text": text })));
            }
            "result" => {
                let result = line(&without_numbers(message));
                self.kept.push(result.clone());
                return Some(result);
            }
            "over" => {
                let mut over = without_numbers(message);
                over["record"] = Value::Null;
                let over = line(&over);
                self.over = Some(over.clone());
                return Some(over);
            }
            _ => return None,
        }
        self.to_move = message["to_move"].clone();
        self.view = message["view"].clone();
        let frame = line(&self.frame(kind, message));
        if self.kept.len() < MOST_KEPT {
            self.kept.push(frame.clone());
        }
        Some(frame)
    }

    fn table(&self, number: u64, message: &Value) -> Value {
        let names = message["players"].as_array().into_iter().flatten();
        let players = (0..).zip(names).map(
            |(player, name): (u8, _)| json!({ "name": name, "kind": "guest", "player": player }),
        );
        json!({
            "type": "table",
            "id": self.told["id"],
            "game": message["game"],
            "match": number,
            "games": message["games"],
            "players": players.collect::<Vec<_>>(),
            "you": null,
            "rules": message["rules"],
            "clocks": message["clocks"],
            "practice": false,
            "protocol": message["protocol"],
            "can": { "resign": false, "takeback": false, "hint": false },
        })
    }

    fn frame(&self, kind: &str, message: &Value) -> Value {
        let is_move = kind == "moved";
        let of_move = |name: &str| {
            if is_move {
                &message[name]
            } else {
                &Value::Null
            }
        };
        let mut frame = json!({
            "type": "frame",
            "game": self.game,
            "ply": self.ply,
            "seat": of_move("seat"),
            "move": of_move("move"),
            "used_ms": of_move("used_ms"),
            "to_move": self.to_move,
            "views": [self.view],
            "clocks": self.left.iter().any(Option::is_some).then_some(&self.left),
            "players": self.players,
        });
        if kind == "out" {
            frame["note"] = json!(format!(
                "seat {} is out ({})",
                message["seat"], message["end"]
            ));
        } else if let Some(fault) = message["fault"].as_str() {
            frame["note"] = json!(format!("the server has played: {fault}"));
        }
        frame
    }
}

/// How a league stands, with the ends of the intervals of its ratings.
fn league(message: &Value) -> Value {
    let mut league = without_numbers(message);
    for entrant in league["entrants"].as_array_mut().into_iter().flatten() {
        if let (Some(rating), Some(width)) =
            (entrant["rating"].as_f64(), entrant["half_width"].as_f64())
        {
            entrant["low"] = json!(rating - width);
            entrant["high"] = json!(rating + width);
        }
    }
    league
}

/// A message without the numbers of match and event.
fn without_numbers(message: &Value) -> Value {
    let mut message = message.clone();
    if let Some(fields) = message.as_object_mut() {
        fields.remove("match");
        fields.remove("event");
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &[Utf8Bytes]) -> Vec<Value> {
        let values = lines.iter().map(|line| serde_json::from_str(line));
        values.map(|value| value.expect("JSON")).collect()
    }

    #[tokio::test]
    async fn a_match_is_told_as_frames() {
        let stop = CancellationToken::new();
        stop.cancel();
        let hall = Hall::new(vec![("localhost".to_owned(), 1)], &stop);
        let take = |message: Value| hall.sources[0].take(&message);
        assert!(hall.watch("0", 3).is_none());
        take(
            json!({ "type": "table", "match": 3, "game": "score-four", "id": "m", "players": ["a", "b"],
            "games": 2, "scores": [0.0, 0.0], "state": "playing" }),
        );
        take(
            json!({ "type": "match", "match": 3, "game": "score-four", "protocol": "native",
            "players": ["a", "b"], "games": 2, "rules": {}, "clocks": { "move_ms": 9 } }),
        );
        take(
            json!({ "type": "game", "match": 3, "event": 1, "game": 1, "players": [0, 1], "ply": 0,
            "to_move": 0, "view": { "moves": "" } }),
        );
        take(
            json!({ "type": "moved", "match": 3, "event": 2, "game": 1, "ply": 0, "seat": 0, "move": "b3",
            "used_ms": 4, "to_move": 1, "view": { "moves": "b3" } }),
        );
        let (missed, mut news) = hall.watch("0", 3).expect("a match");
        let missed = text(&missed);
        assert_eq!(missed.len(), 3);
        assert_eq!(
            (&missed[0]["type"], &missed[0]["id"]),
            (&json!("table"), &json!("m"))
        );
        assert_eq!(
            (&missed[2]["ply"], &missed[2]["move"]),
            (&json!(1), &json!("b3"))
        );
        assert_eq!(missed[2]["views"], json!([{ "moves": "b3" }]));
        take(
            json!({ "type": "result", "match": 3, "event": 3, "game": 1, "places": [1, 2],
            "scores": [1.0, 0.0], "end": "line", "views": [{}, {}] }),
        );
        let (number, result) = news.try_recv().expect("news");
        let result = text(&[result]).remove(0);
        assert_eq!(
            (number, &result["views"], &result["event"]),
            (3, &json!([{}, {}]), &Value::Null)
        );
        take(
            json!({ "type": "league", "title": "Spring", "entrants": [{ "name": "a", "rating": 5.0,
            "half_width": 2.0 }, { "name": "b", "rating": null, "half_width": null }], "cross": [], "next": [] }),
        );
        let lobby = text(&[hall.whole_lobby()]).remove(0);
        let league = &lobby["leagues"][0];
        assert_eq!(
            (&league["source"], &league["title"]),
            (&json!("0"), &json!("Spring"))
        );
        assert_eq!(
            (&league["entrants"][0]["low"], &league["entrants"][1]["low"]),
            (&json!(3.0), &Value::Null)
        );
        assert_eq!(lobby["tables"][0]["views"], json!([{ "moves": "b3" }]));
        assert_eq!(lobby["tables"][0]["seats"], json!([0, 1]));
        // The next game begins anew.
        take(
            json!({ "type": "game", "match": 3, "event": 4, "game": 2, "players": [1, 0], "ply": 0,
            "to_move": 0, "view": { "moves": "" } }),
        );
        assert_eq!(hall.watch("0", 3).expect("a match").0.len(), 2);
    }
}
