//! What is told of a table, as the page shows it: the events of a match become frames.

use std::time::Instant;

use games::GameName;
use protocol::native::{Clocks, ServerMessage};
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Participant {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) player: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// A person at a page of this gateway.
    Person,
    Bot,
    Guest,
}

/// What a page may ask for at a table.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Can {
    pub(crate) resign: bool,
    pub(crate) takeback: bool,
    pub(crate) hint: bool,
    /// Whether the table offers another match after this one.
    pub(crate) again: bool,
    /// Whether `/w/ID` shows the table.
    pub(crate) watch: bool,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct About {
    pub(crate) id: String,
    pub(crate) game: GameName,
    #[serde(rename = "match")]
    pub(crate) number: u64,
    pub(crate) games: Option<u32>,
    /// Empty until they are known.
    pub(crate) players: Vec<Participant>,
    pub(crate) you: Option<u8>,
    pub(crate) rules: Value,
    pub(crate) clocks: Option<Clocks>,
    pub(crate) practice: bool,
    pub(crate) protocol: &'static str,
    /// The name of the record, where there will be one.
    pub(crate) record: Option<String>,
    pub(crate) can: Can,
}

impl About {
    /// The message `table`.
    pub(crate) fn message(&self) -> Value {
        let mut message = json!(self);
        message["type"] = json!("table");
        message
    }
}

/// A move whose frame waits for the view.
struct Pending {
    /// The ply after it.
    ply: u32,
    seat: u8,
    mv: String,
    used_ms: u64,
}

/// The end of a match, as the server tells it.
struct Over {
    /// Why it is over before its last game.
    reason: Option<String>,
}

pub(crate) struct Reel {
    about: About,
    /// Whether the table is one of this gateway, whose players and clocks are known.
    is_made: bool,
    /// The number that the table's protocol gives to the own player; 0 until it tells one, as GAT never does.
    own: u8,
    /// Number of the game; 0 before the first.
    game: u32,
    ply: u32,
    players: Vec<u8>,
    /// Time of each seat at its last figure, where it is known.
    left: Vec<Option<u64>>,
    /// The seat whose time runs, and since when.
    running: Option<(usize, Instant)>,
    pending: Option<Pending>,
    note: Option<String>,
    /// Points by player; `None` once those of a game are not told.
    scores: Option<Vec<f64>>,
    played: u32,
    over: Option<Over>,
}

impl Reel {
    pub(crate) fn new(about: About) -> Reel {
        Reel {
            own: 0,
            is_made: !about.players.is_empty(),
            about,
            game: 0,
            ply: 0,
            players: Vec::new(),
            left: Vec::new(),
            running: None,
            pending: None,
            note: None,
            scores: Some(Vec::new()),
            played: 0,
            over: None,
        }
    }

    pub(crate) fn about(&self) -> &About {
        &self.about
    }

    /// Names the players; returns whether a name has changed.
    pub(crate) fn call(&mut self, names: &[String]) -> bool {
        let mut is_new = false;
        for (player, name) in self.about.players.iter_mut().zip(names) {
            is_new |= player.name != *name;
            player.name.clone_from(name);
        }
        is_new
    }

    /// Goes on with a game from one of its frames.
    pub(crate) fn go_on(&mut self, frame: &Value) {
        let number = |name: &str| frame[name].as_u64().and_then(|n| n.try_into().ok());
        self.game = number("game").unwrap_or(1);
        self.ply = number("ply").unwrap_or(0);
        self.pending = frame["move"].as_str().map(|mv| Pending {
            ply: self.ply,
            seat: frame["seat"].as_u64().unwrap_or(0) as u8,
            mv: mv.to_owned(),
            used_ms: frame["used_ms"].as_u64().unwrap_or(0),
        });
    }

    pub(crate) fn at(&self) -> (u32, u32) {
        (self.game, self.ply)
    }

    /// The own seat's time at this moment, while it runs.
    pub(crate) fn left_ms(&self) -> Option<u64> {
        let (running, _) = self.running?;
        let own = self.own_seat().filter(|own| *own == running)?;
        *self.left_now().get(own)?
    }

    /// The message `clock`, where a time runs.
    pub(crate) fn clock(&self) -> Option<Value> {
        let (seat, _) = self.running?;
        let left = self.left_now();
        left.get(seat)?
            .map(|_| json!({ "type": "clock", "left_ms": left, "running": seat }))
    }

    pub(crate) fn own_seat(&self) -> Option<usize> {
        let you = self.about.you?;
        self.players.iter().position(|player| *player == you)
    }

    /// The time of each seat at this moment.
    fn left_now(&self) -> Vec<Option<u64>> {
        let mut left = self.left.clone();
        if let Some((seat, since)) = self.running
            && let Some(own) = left.get_mut(seat)
        {
            if !self.knows_time() {
                *own = self.allowed(*own);
            }
            *own = own.map(|ms| ms.saturating_sub(since.elapsed().as_millis() as u64));
        }
        left
    }

    /// Whether the protocol tells of times. Where it does not, those of the tables of this gateway are counted here.
    fn knows_time(&self) -> bool {
        self.about.protocol == "native"
    }

    /// What a budget leaves for the move that is due, where the times are counted here.
    fn allowed(&self, budget: Option<u64>) -> Option<u64> {
        let move_ms = self.about.clocks.and_then(|clocks| clocks.move_ms);
        match (budget, move_ms) {
            // In Geister the time for the move follows the budget; in Daihinmin neither may be used up.
            (Some(budget), Some(ms)) if self.about.protocol == "gat" => Some(budget + ms),
            (Some(budget), Some(ms)) => Some(budget.min(ms)),
            (budget, move_ms) => budget.or(move_ms),
        }
    }

    /// Takes an event; gives what the page is told, and whether what was told of an earlier game is of no more use.
    pub(crate) fn take(&mut self, message: &ServerMessage) -> (Vec<Value>, bool) {
        let mut told = Vec::new();
        let mut is_new = false;
        match message {
            ServerMessage::Welcome { player, .. } => {
                self.own = *player;
                self.about.you.get_or_insert(*player);
            }
            ServerMessage::Match {
                players,
                games,
                rules,
                clocks,
            } => {
                self.enter(players);
                self.about.games = (*games > 0).then_some(*games);
                self.about.rules = rules.clone();
                // A server has a limit even where the table has no clock.
                if !self.is_made {
                    self.about.clocks = Some(*clocks);
                }
                told.push(self.about.message());
            }
            ServerMessage::Game {
                game, players, ply, ..
            } => {
                is_new = *game != self.game;
                self.game = *game;
                self.ply = *ply;
                self.players = players.iter().map(|player| self.named(*player)).collect();
                let budget = self.about.clocks.and_then(|clocks| clocks.budget_ms);
                self.left = vec![budget.filter(|ms| *ms > 0); players.len()];
                self.running = None;
                let led = self.pending.take();
                self.pending = led.filter(|led| !is_new && led.ply == *ply);
                self.note = None;
            }
            ServerMessage::Moved {
                ply,
                seat,
                mv,
                used_ms,
                budget_ms,
                ..
            } => {
                let ran = self.running.take();
                let ran = ran.filter(|(running, _)| *running == usize::from(*seat));
                let knows_time = self.knows_time();
                if let Some(left) = self.left.get_mut(usize::from(*seat)) {
                    if knows_time {
                        *left = *budget_ms;
                    } else if let (Some(left), Some((_, since))) = (left, ran) {
                        *left = left.saturating_sub(since.elapsed().as_millis() as u64);
                    }
                }
                self.pending = Some(Pending {
                    ply: ply + 1,
                    seat: *seat,
                    mv: mv.clone(),
                    used_ms: *used_ms,
                });
            }
            ServerMessage::Out {
                seat, end, reason, ..
            } => {
                let reason = reason
                    .as_deref()
                    .map_or(String::new(), |r| format!(": {r}"));
                self.note = Some(format!("seat {seat} is out ({end}{reason})"));
            }
            ServerMessage::View {
                game,
                ply,
                to_move,
                view,
                ..
            } => {
                // In Daihinmin a player that has given cards may lead next. The client tells no move of a gift, so the time of
                // the lead begins here.
                if (*game, *ply) != self.at() {
                    self.running = None;
                }
                self.game = *game;
                self.ply = *ply;
                told.push(self.frame(*to_move, view));
            }
            ServerMessage::Request { left_ms, .. } => {
                if self.about.clocks.is_none() {
                    return (told, is_new);
                }
                if let Some(own) = self.own_seat().filter(|_| self.knows_time()) {
                    if let Some(left) = self.left.get_mut(own) {
                        *left = *left_ms;
                    }
                    self.running = Some((own, Instant::now()));
                    told.extend(self.clock());
                }
            }
            ServerMessage::Presence { player, here, .. } => told.push(json!({
                "type": "presence", "player": self.named(*player), "here": here,
            })),
            ServerMessage::Result { places, scores, .. } => {
                self.running = None;
                if !places.is_empty() {
                    self.played += 1;
                }
                // In Daihinmin places that are drawn are told with the next deal.
                if scores.is_empty() && !places.is_empty() {
                    self.scores = None;
                }
                if let Some(sums) = &mut self.scores {
                    sums.resize(self.players.len(), 0.0);
                    for (player, score) in self.players.iter().zip(scores) {
                        if let Some(sum) = sums.get_mut(usize::from(*player)) {
                            *sum += score;
                        }
                    }
                }
                let mut result = json!(message);
                result
                    .as_object_mut()
                    .and_then(|fields| fields.remove("event"));
                result["reason"] = result["reason"].take();
                result["by"] = result["by"].take();
                result["match_scores"] = json!(self.scores);
                told.push(result);
            }
            ServerMessage::Over { scores, reason, .. } => {
                if !scores.is_empty() {
                    self.scores = Some(scores.clone());
                }
                self.over = Some(Over {
                    reason: reason.clone(),
                });
            }
            ServerMessage::Error { code, message, .. } => told.push(json!({
                "type": "error", "code": code.as_str(), "message": message,
            })),
            // Legal moves, and messages of later versions.
            _ => {}
        }
        (told, is_new)
    }

    /// The message `over`; a reason of the gateway comes before that of the server.
    pub(crate) fn over(
        &self,
        reason: Option<&str>,
        record: Option<&str>,
        note: Option<&str>,
    ) -> Value {
        let told = self.over.as_ref().and_then(|over| over.reason.as_deref());
        json!({
            "type": "over",
            "games": self.played,
            "scores": self.scores,
            "reason": reason.or(told),
            "record": record,
            "note": note,
        })
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.is_some()
    }

    /// The names of a table whose players were not known. A protocol without names counts them from 0; people are not
    /// called so.
    fn enter(&mut self, names: &[String]) {
        if self.is_made {
            return;
        }
        let you = self.about.you;
        let named = |name: &String, player: u8| {
            if *name == format!("player {player}") {
                format!("guest{}", player + 1)
            } else {
                name.clone()
            }
        };
        let players = names.iter().zip(0..).map(|(name, player)| Participant {
            name: named(name, player),
            kind: if Some(player) == you {
                Kind::Person
            } else {
                Kind::Guest
            },
            player,
        });
        self.about.players = players.collect();
    }

    /// The number of a player here. A protocol without numbers calls the own player 0.
    fn named(&self, player: u8) -> u8 {
        match self.about.you {
            Some(you) if player == self.own => you,
            Some(you) if player == you => self.own,
            _ => player,
        }
    }

    fn frame(&mut self, to_move: Option<u8>, view: &Value) -> Value {
        let led = self
            .pending
            .take()
            .filter(|pending| pending.ply == self.ply);
        // No time runs while the ghosts of Geister are placed: such a view has no ply.
        let is_timed = self.about.game != GameName::Geister || !view["ply"].is_null();
        let to_run = to_move.map(usize::from).filter(|_| is_timed);
        if self.running.map(|(seat, _)| seat) != to_run {
            self.running = to_run.map(|seat| (seat, Instant::now()));
        }
        let knows_time = self.knows_time();
        let left = self.left_now();
        let mut frame = json!({
            "type": "frame",
            "game": self.game,
            "ply": self.ply,
            "seat": led.as_ref().map(|led| led.seat),
            "move": led.as_ref().map(|led| &led.mv),
            "used_ms": led.as_ref().filter(|_| knows_time).map(|led| led.used_ms),
            "to_move": to_move,
            "views": [view],
            "clocks": (is_timed && left.iter().any(Option::is_some)).then_some(left),
            "players": self.players,
        });
        if let Some(note) = self.note.take() {
            frame["note"] = json!(note);
        }
        frame
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_protocol_without_numbers_calls_the_own_player_0() {
        let player = |name: &str, kind, player| Participant {
            name: name.to_owned(),
            kind,
            player,
        };
        let mut reel = Reel::new(About {
            id: "1".to_owned(),
            game: GameName::Geister,
            number: 1,
            games: Some(1),
            players: vec![player("bot", Kind::Bot, 0), player("you", Kind::Person, 1)],
            you: Some(1),
            rules: json!({}),
            clocks: None,
            practice: true,
            protocol: "gat",
            record: None,
            can: Can::default(),
        });
        let mut begin = |players| {
            let (event, game, ply) = (0, 1, 0);
            reel.take(&ServerMessage::Game {
                event,
                game,
                players,
                ply,
            });
            reel.players.clone()
        };
        assert_eq!(begin(vec![1, 0]), [0, 1], "the own seat is the second");
        assert_eq!(begin(vec![0, 1]), [1, 0], "the own seat is the first");
    }

    /// A game of two begins, in which the own seat is the first.
    fn begun(protocol: &'static str, clocks: Clocks) -> Reel {
        let mut reel = Reel::new(About {
            id: "1".to_owned(),
            game: GameName::Geister,
            number: 1,
            games: Some(1),
            players: [0, 1]
                .map(|player| Participant {
                    name: player.to_string(),
                    kind: Kind::Person,
                    player,
                })
                .to_vec(),
            you: Some(0),
            rules: json!({}),
            clocks: Some(clocks),
            practice: false,
            protocol,
            record: None,
            can: Can::default(),
        });
        let players = vec![0, 1];
        reel.take(&ServerMessage::Game {
            event: 0,
            game: 1,
            players,
            ply: 0,
        });
        reel
    }

    /// The clocks of the frames of such a game: at its beginning, after a move of the first seat, and of the second.
    fn clocks(protocol: &'static str, clocks: Clocks) -> Vec<Value> {
        let mut reel = begun(protocol, clocks);
        let mut frames = Vec::new();
        for ply in 0..3 {
            let view = reel.frame(Some((ply % 2) as u8), &json!({ "ply": ply }));
            // Time has passed meanwhile, but not so much.
            let coarse = |ms: &Value| json!(ms.as_u64().map(|ms| ms.div_ceil(1000)));
            let seats = view["clocks"]
                .as_array()
                .map(|seats| seats.iter().map(coarse));
            frames.push(json!(seats.map(Iterator::collect::<Vec<_>>)));
            reel.take(&ServerMessage::Moved {
                event: 0,
                game: 1,
                ply,
                seat: (ply % 2) as u8,
                mv: String::new(),
                used_ms: 0,
                budget_ms: None,
            });
        }
        frames
    }

    #[test]
    fn times_are_counted_where_the_protocol_tells_none() {
        let budget_ms = Some(180_000);
        let move_ms = Some(10_000);
        let of = |budget_ms, move_ms| Clocks {
            budget_ms,
            move_ms,
            ..Clocks::default()
        };
        let both = json!([[190, 180], [180, 190], [190, 180]]);
        assert_eq!(json!(clocks("gat", of(budget_ms, move_ms))), both);
        let move_alone = json!([[10, null], [null, 10], [10, null]]);
        assert_eq!(json!(clocks("uecda", of(None, move_ms))), move_alone);
        let least = json!([[10, 180], [180, 10], [10, 180]]);
        assert_eq!(json!(clocks("uecda", of(budget_ms, move_ms))), least);
        // A native server tells them.
        let told = json!([[180, 180], [null, 180], null]);
        assert_eq!(json!(clocks("native", of(budget_ms, None))), told);
    }

    #[test]
    fn no_time_runs_while_ghosts_are_placed() {
        let clocks = Clocks {
            move_ms: Some(10_000),
            ..Clocks::default()
        };
        let mut reel = begun("gat", clocks);
        let frame = reel.frame(Some(0), &json!({ "seat": 0, "to-move": 0, "own": null }));
        assert_eq!(frame["clocks"], Value::Null);
        assert_eq!((reel.left_ms(), reel.clock()), (None, None));
        let frame = reel.frame(Some(0), &json!({ "ply": 0 }));
        assert!(frame["clocks"][0].is_u64(), "{frame}");
        assert!(reel.left_ms().is_some() && reel.clock().is_some());
    }

    #[test]
    fn who_leads_after_a_gift_has_the_whole_time_of_a_move() {
        let clocks = Clocks {
            move_ms: Some(10_000),
            ..Clocks::default()
        };
        let mut reel = begun("uecda", clocks);
        let mut shown = |ply: u32| {
            let view = json!({ "type": "view", "event": 0, "game": 1, "seat": 0, "ply": ply,
                "to_move": 0, "view": { "ply": ply } });
            reel.take(&serde_json::from_value(view).unwrap());
            let (_, since) = reel.running.as_mut().expect("a time runs");
            // So long ago that none is left.
            let began = *since;
            *since = began.checked_sub(Duration::from_secs(20)).unwrap();
            (began, reel.left_ms())
        };
        let gift = shown(0);
        assert_eq!(gift.1, Some(0));
        assert!(shown(0).0 < gift.0, "the same question goes on");
        assert!(shown(2).0 >= gift.0, "another begins");
    }

    #[test]
    fn a_result_has_the_points_of_the_match_so_far_by_player() {
        let player = |player: u8| Participant {
            name: player.to_string(),
            kind: Kind::Person,
            player,
        };
        let mut reel = Reel::new(About {
            id: "1".to_owned(),
            game: GameName::ScoreFour,
            number: 1,
            games: Some(2),
            players: vec![player(0), player(1)],
            you: Some(0),
            rules: json!({}),
            clocks: None,
            practice: false,
            protocol: "native",
            record: None,
            can: Can::default(),
        });
        // The seats change, and the second seat wins the first two games. The points of the next are not told.
        let mut sums = Vec::new();
        for (game, players, scores) in [
            (1, [0, 1], json!([0.0, 1.0])),
            (2, [1, 0], json!([0.0, 1.0])),
            (3, [0, 1], json!([])),
            (4, [0, 1], json!([0.0, 1.0])),
        ] {
            for message in [
                json!({ "type": "game", "event": 0, "game": game, "players": players, "ply": 0 }),
                json!({ "type": "result", "event": 1, "game": game, "places": [2, 1],
                    "scores": scores, "end": "line" }),
            ] {
                let (told, _) = reel.take(&serde_json::from_value(message).unwrap());
                sums.extend(told.iter().map(|result| result["match_scores"].clone()));
            }
        }
        assert_eq!(json!(sums), json!([[0.0, 1.0], [1.0, 1.0], null, null]));
        assert!(reel.over(None, None, None)["scores"].is_null());
    }
}
