//! Geister: a connection and a game for each fixture, for which the players come again.

use std::sync::Arc;
use std::time::Duration;

use games::geister::{Rules, SEATS};
use protocol::gat::Names;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};

use super::record::SittingRecord;
use super::{Collector, Done, Ended, Missing, Table, Wishes, seating_of, stopped};
use crate::lobby::door::Door;
use crate::lobby::gat::play_game;
use crate::lobby::gat::queue::{Guest, Queue};
use crate::referee::gat::{GameResult, GameSettings};
use record::{EndKind, Event, GeisterRules, What};

/// Time of a player that has no limit: about a hundred years.
const UNLIMITED: Duration = Duration::from_secs(u32::MAX as u64);

/// The ports, and who waits there. A player waits only while the next game is not begun.
struct Gate {
    doors: [Arc<Door>; SEATS],
    queues: [Queue; SEATS],
    /// The zero of the clock.
    epoch: Instant,
}

/// What the sitting has come to.
struct Match<'a> {
    record: SittingRecord,
    collector: Collector,
    on_done: &'a mut (dyn FnMut(Done) + Send),
    games: u32,
    points: [f64; SEATS],
    kinds: [EndKind; SEATS],
}

impl Table {
    pub(super) async fn play_gat(
        mut self,
        rules: GeisterRules,
        wishes: &Wishes,
        on_done: &mut (dyn FnMut(Done) + Send),
    ) -> Ended {
        let games = self.sitting.fixtures.len() as u32;
        let header = self
            .header("gat", vec![None; SEATS], games)
            .with_rules(&rules);
        let record = match SittingRecord::create(self.record_path(&header).as_deref(), &header) {
            Ok(record) => record,
            Err(e) => return Ended::Void(e.to_string()),
        };
        let Ok(doors) = <[Arc<Door>; SEATS]>::try_from(std::mem::take(&mut self.doors)) else {
            return Ended::Void("a port is missing".to_owned());
        };
        let mut gate = Gate {
            doors,
            queues: Default::default(),
            epoch: Instant::now(),
        };
        let mut current = Match {
            record,
            collector: self.collector(),
            on_done,
            games: 0,
            points: [0.0; SEATS],
            kinds: [EndKind::Normal; SEATS],
        };
        let mut began = None;
        let mut ended = Ended::Whole;
        for number in 0..self.sitting.fixtures.len() {
            let guests = match self.both(&mut gate, wishes).await {
                Ok(guests) => guests,
                Err(Missing::Late(_) | Missing::Departed(_)) if number > 0 => {
                    ended = Ended::Gone;
                    break;
                }
                Err(missing) => {
                    ended = self.not_full(&missing, wishes);
                    break;
                }
            };
            let began = *began.get_or_insert_with(|| gate.epoch.elapsed());
            let settings = self.game_settings(rules, number, began);
            let (result, events) = self.play_game(&gate, settings, guests, wishes).await;
            current.game(result.as_ref(), &events);
            if let Some(end) = ends(result.as_ref(), wishes) {
                ended = end;
                break;
            }
        }
        let ms = gate
            .epoch
            .elapsed()
            .saturating_sub(began.unwrap_or_default());
        current.close(&ended, ms.as_millis() as u64);
        for queue in &mut gate.queues {
            while let Some(guest) = queue.pop().await {
                self.closing.spawn(guest.link.close(false));
            }
        }
        ended
    }

    /// Waits until both players are there for the next game.
    async fn both(&self, gate: &mut Gate, wishes: &Wishes) -> Result<[Guest; SEATS], Missing> {
        let began = Instant::now();
        let limits = self.start_limits();
        loop {
            let mut next: Option<(Instant, usize)> = None;
            for (player, (queue, limit)) in gate.queues.iter_mut().zip(&limits).enumerate() {
                let at = began.checked_add(*limit).unwrap_or(began);
                if queue.len() == 0 && next.is_none_or(|(earlier, _)| at < earlier) {
                    next = Some((at, player));
                }
            }
            let Some((at, late)) = next else {
                let [first, second] = &mut gate.queues;
                match (first.pop().await, second.pop().await) {
                    (Some(one), Some(two)) => return Ok([one, two]),
                    // One has left meanwhile.
                    (Some(one), None) => first.push_back(one, gate.epoch),
                    (None, Some(two)) => second.push_back(two, gate.epoch),
                    (None, None) => {}
                }
                continue;
            };
            let absent: Vec<usize> = (0..SEATS)
                .filter(|&player| gate.queues[player].len() == 0)
                .collect();
            let departed = wishes.departures.of(&absent);
            tokio::select! {
                biased;
                () = wishes.stop.cancelled() => return Err(Missing::Stop),
                () = wishes.finish.cancelled() => return Err(Missing::Finish),
                (stream, _) = gate.doors[0].accept() => self.admit(gate, 0, stream),
                (stream, _) = gate.doors[1].accept() => self.admit(gate, 1, stream),
                () = sleep_until(at) => return Err(Missing::Late(late)),
                player = departed => return Err(Missing::Departed(player)),
            }
        }
    }

    fn admit(&self, gate: &mut Gate, player: usize, stream: TcpStream) {
        if gate.queues[player].len() > 0 {
            log::warn!("turned away, player {player} is there");
            gate.doors[player].turn_away(stream, &self.closing);
        } else {
            let guest = Guest::greet(stream, Names::Refused);
            gate.queues[player].push_back(guest, gate.epoch);
        }
    }

    async fn play_game(
        &self,
        gate: &Gate,
        settings: GameSettings,
        guests: [Guest; SEATS],
        wishes: &Wishes,
    ) -> (Option<GameResult>, Vec<Event>) {
        let game = play_game(settings, guests, gate.epoch, &self.closing, &wishes.stop);
        let turn_away = async |player: usize| -> std::convert::Infallible {
            loop {
                let (stream, from) = gate.doors[player].accept().await;
                log::warn!("{from}: turned away, player {player} is playing");
                gate.doors[player].turn_away(stream, &self.closing);
            }
        };
        // The game comes first: who comes again after its end comes for the next.
        let (referee, events) = tokio::select! {
            biased;
            played = game => played,
            never = turn_away(0) => match never {},
            never = turn_away(1) => match never {},
        };
        (referee.result().cloned(), events)
    }

    fn game_settings(&self, rules: GeisterRules, number: usize, began: Duration) -> GameSettings {
        let (clocks, ms) = (self.settings.clocks, Duration::from_millis);
        let has_limit = clocks.game_ms.is_some() || clocks.move_ms.is_some();
        let seating = &self.seatings[number];
        GameSettings {
            game: number as u32 + 1,
            began,
            seating: seating_of(seating),
            rules: Rules {
                ply_limit: rules.ply_limit,
            },
            budget: match clocks.game_ms {
                Some(budget) => ms(budget),
                None if has_limit => Duration::ZERO,
                None => UNLIMITED,
            },
            per_move: ms(clocks.move_ms.unwrap_or_default()),
            set_up: self.start_limits().into_iter().max(),
            wait: [Duration::ZERO; SEATS],
            ng_terminates: true,
            closes_second: false,
        }
    }
}

/// Whether the sitting ends with this game.
fn ends(result: Option<&GameResult>, wishes: &Wishes) -> Option<Ended> {
    let is_gone = |kind: &EndKind| matches!(kind, EndKind::Disconnect | EndKind::Stall);
    match result {
        None => Some(Ended::Void("the game broke off".to_owned())),
        Some(result) if result.is_void() && wishes.stop.is_cancelled() => Some(stopped()),
        Some(result) if result.is_void() => {
            let reason = "both players were gone or silent before the first move";
            Some(Ended::Void(reason.to_owned()))
        }
        Some(result) if result.kinds.iter().any(is_gone) => Some(Ended::Gone),
        Some(_) => None,
    }
}

impl Match<'_> {
    /// Takes in a game.
    fn game(&mut self, result: Option<&GameResult>, events: &[Event]) {
        for event in events {
            self.record.event(event);
            if let What::End { places, points, .. } = &event.what
                && !places.is_empty()
            {
                self.games += 1;
                for (sum, points) in self.points.iter_mut().zip(points) {
                    *sum += points;
                }
            }
            if let Some(done) = self.collector.event(event) {
                (self.on_done)(done);
            }
        }
        if let Some(result) = result.filter(|result| !result.is_void()) {
            for (first, kind) in self.kinds.iter_mut().zip(result.kinds) {
                if *first == EndKind::Normal {
                    *first = kind;
                }
            }
        }
    }

    /// Writes the last line of the record.
    fn close(&mut self, ended: &Ended, ms: u64) {
        let what = What::Result {
            games: self.games,
            points: self.points.to_vec(),
            kinds: self.kinds.to_vec(),
            seed: None,
            reason: match ended {
                Ended::Whole => None,
                Ended::Gone => Some("a player is gone".to_owned()),
                Ended::Void(reason) => Some(reason.clone()),
            },
        };
        self.record.event(&what.at(ms));
    }
}
