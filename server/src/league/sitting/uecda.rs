//! Daihinmin: one connection for all, a session for each fixture.

use games::ByPlayer;
use games::daihinmin::{DealerKind, SEATS, SessionRules};
use protocol::uecda::CardTable;
use tokio::time::Instant;

use super::record::SittingRecord;
use super::{Done, Ended, Entrance, Table, Wishes, stopped};
use crate::config::Compat;
use crate::lobby::uecda::{Greeting, NoPlayer, Seated, seat};
use crate::referee::uecda::{MatchSettings, SessionSettings, UecdaReferee};
use crate::table::link::close_cleanly;
use crate::table::{self, Connection as _};
use record::{Clocks, EndKind, Event};

impl Table {
    pub(super) async fn play_uecda(
        mut self,
        rules: SessionRules,
        wishes: &Wishes,
        on_done: &mut (dyn FnMut(Done) + Send),
    ) -> Ended {
        let names = self.names();
        let closing = self.closing.clone();
        let doors = std::mem::take(&mut self.doors);
        let mut entrance = Entrance::open(doors, &closing, {
            let (names, closing) = (names.clone(), closing.clone());
            move |player, stream| {
                let (name, closing) = (names[player].clone(), closing.clone());
                async move {
                    match seat(stream, Greeting::patient(), player, &name).await {
                        Ok(seated) => Some(seated),
                        Err(NoPlayer::Failed(_)) => None,
                        Err(NoPlayer::Refused(stream, reason)) => {
                            log::warn!("player {player}: {reason}");
                            closing.spawn(close_cleanly(stream));
                            None
                        }
                    }
                }
            }
        });
        let ended = match entrance.all(&self.start_limits(), wishes).await {
            Ok(seated) => self.play_match(rules, seated, wishes, on_done).await,
            Err((missing, seated)) => {
                for client in seated {
                    closing.spawn(client.connection.close(false));
                }
                self.not_full(&missing, wishes)
            }
        };
        entrance.close().await;
        ended
    }

    async fn play_match(
        &self,
        rules: SessionRules,
        seated: Vec<Seated>,
        wishes: &Wishes,
        on_done: &mut (dyn FnMut(Done) + Send),
    ) -> Ended {
        let settings = self.match_settings(rules);
        let clients = seated.iter().map(|client| client.player.client.clone());
        let header = self
            .header("uecda", clients.collect(), settings.games())
            .with_rules(&settings.rules)
            .with_option("dealer", serde_json::json!(settings.dealer))
            .with_option("session", self.session());
        let mut record = match SittingRecord::create(self.record_path(&header).as_deref(), &header)
        {
            Ok(record) => record,
            Err(e) => return Ended::Void(e.to_string()),
        };
        // The official server reads all profiles into one table; the order in which they come is left to chance.
        let mut last_profile = CardTable::default();
        let mut connections = Vec::with_capacity(SEATS);
        for client in seated {
            if let Some(profile) = client.profile {
                last_profile = *profile;
            }
            connections.push(Some(client.connection));
        }
        let table = table::Table {
            referee: UecdaReferee::new(settings, &last_profile),
            connections: ByPlayer::from(connections),
            returns: None,
            epoch: Instant::now(),
            closing: self.closing.clone(),
            finish: wishes.finish.clone(),
            stop: wishes.stop.clone(),
        };
        let mut collector = self.collector();
        let mut audience = |_: &UecdaReferee, event: &Event| {
            record.event(event);
            if let Some(done) = collector.event(event) {
                on_done(done);
            }
        };
        let result = table.play(&mut audience).await.result();
        let is_gone = |kind: &EndKind| matches!(kind, EndKind::Disconnect | EndKind::Stall);
        match result.reason {
            Some(_) if wishes.stop.is_cancelled() => stopped(),
            Some(reason) => Ended::Void(reason),
            None if result.kinds.iter().any(is_gone) => Ended::Gone,
            None => Ended::Whole,
        }
    }

    fn match_settings(&self, rules: SessionRules) -> MatchSettings {
        let session = |(seating, fixture): (&Vec<u8>, &crate::league::schedule::Fixture)| {
            let mut order = [0; SEATS];
            for (place, player) in order.iter_mut().zip(seating) {
                *place = *player;
            }
            SessionSettings {
                games: self.session(),
                seed: fixture.deal,
                order,
                duplicate: self.settings.duplicate,
            }
        };
        let fixtures = self.seatings.iter().zip(&self.sitting.fixtures);
        MatchSettings {
            sessions: fixtures.map(session).collect(),
            rules,
            dealer: DealerKind::Modern,
            compat: Compat::Safe,
            clocks: Clocks {
                move_ms: self.settings.clocks.move_ms,
                game_ms: self.settings.clocks.game_ms,
                increment_ms: None,
            },
        }
    }
}
