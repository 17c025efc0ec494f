//! Daihinmin: one connection for all, a session for each fixture.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use games::ByPlayer;
use games::daihinmin::{Chance, DealerKind, SEATS, SessionRules};
use protocol::uecda::CardTable;
use tokio::time::Instant;

use super::door::SeatDoor;
use super::entrance::Entrance;
use super::{Done, Ended, Sitting, Wishes};
use crate::config::Compat;
use crate::league::settings::Entrant;
use crate::lobby::uecda::{Greeting, NoPlayer, Seated, seat};
use crate::referee::uecda::{MatchSettings, SessionSettings, UecdaReferee};
use crate::table::link::{Writes, close_cleanly};
use crate::table::{Connection as _, Table};
use record::{Event, What};

/// Plays the sitting with the players that come to these doors.
pub(super) async fn play(
    sitting: &Sitting,
    doors: Vec<Arc<SeatDoor>>,
    rules: SessionRules,
    wishes: &Wishes,
    on_done: &mut (dyn FnMut(Done) + Send),
) -> Ended {
    let (names, closing) = (sitting.names(), sitting.closing.clone());
    let habits: Vec<_> = (0..doors.len())
        .map(|player| sitting.entrant(player))
        .map(|entrant| (greeting(entrant), writes(entrant)))
        .collect();
    let departures = wishes.departures.clone();
    let mut entrance = Entrance::open(doors, &sitting.closing, move |player, stream| {
        let (name, closing) = (names[player].clone(), closing.clone());
        let (greeting, writes) = habits[player];
        let stream = stream.with_ending(departures.ending(player));
        async move {
            match seat(stream, greeting(), writes, player, &name).await {
                Ok(seated) => Some(seated),
                Err(NoPlayer::Failed(e)) => {
                    log::debug!("player {player}: {e}");
                    None
                }
                Err(NoPlayer::Refused(stream, reason)) => {
                    log::warn!("player {player}: {reason}");
                    closing.spawn(close_cleanly(stream));
                    None
                }
            }
        }
    });
    let ended = match entrance.all(&sitting.start_limits(), wishes).await {
        Ok(seated) => play_match(sitting, rules, seated, wishes, on_done).await,
        Err((missing, seated)) => {
            for client in seated {
                sitting.closing.spawn(client.connection.close(false));
            }
            sitting.not_full(&missing, wishes)
        }
    };
    entrance.close().await;
    ended
}

/// How the client of an entrant is greeted. A program that the league has started may take its time; a silent client of an
/// entrant that comes itself is a player of version 20060, unless it has to tell its name.
fn greeting(entrant: &Entrant) -> fn() -> Greeting {
    match (entrant.comes_itself(), &entrant.access.token) {
        (false, _) => Greeting::patient,
        (true, None) => || Greeting::new(Duration::ZERO),
        (true, Some(_)) => || Greeting::new(Duration::ZERO).with_profile(),
    }
}

/// How messages to the client of an entrant are written. A program that the league has started is on this machine;
/// between the league and an entrant that comes itself there may be a relay, also where it connects from this machine.
fn writes(entrant: &Entrant) -> Writes {
    if entrant.comes_itself() {
        Writes::OneMessage
    } else {
        Writes::OneSegment
    }
}

async fn play_match(
    sitting: &Sitting,
    rules: SessionRules,
    seated: Vec<Seated>,
    wishes: &Wishes,
    on_done: &mut (dyn FnMut(Done) + Send),
) -> Ended {
    let settings = settings(sitting, rules);
    let clients = seated.iter().map(|client| client.player.client.clone());
    let header = sitting
        .header("uecda", clients.collect(), settings.games())
        .with_rules(&settings.rules)
        .with_option("dealer", serde_json::json!(DealerKind::Modern))
        .with_option("session", sitting.session())
        // With the seed of the league and the fixtures it says what was dealt.
        .with_option("duplicate", sitting.settings.duplicate);
    let mut record = match sitting.record(&header, wishes).await {
        Ok(record) => record,
        Err(ended) => return ended,
    };
    // The official server reads all profiles into one table; the order in which they come is left to chance.
    let mut last_profile = CardTable::default();
    let mut connections = Vec::with_capacity(SEATS);
    for (player, client) in seated.into_iter().enumerate() {
        // Other players are sent what is left of it, and a token is none of their business.
        if let Some(profile) = client.profile
            && sitting.entrant(player).access.token.is_none()
        {
            last_profile = *profile;
        }
        connections.push(Some(client.connection));
    }
    let table = Table {
        referee: UecdaReferee::new(settings, &last_profile),
        connections: ByPlayer::from(connections),
        returns: None,
        epoch: Instant::now(),
        names: sitting.names(),
        closing: sitting.closing.clone(),
        finish: wishes.finish.clone(),
        stop: wishes.stop.clone(),
        public: sitting.watching.table(&header),
    };
    let mut collector = sitting.collector();
    let mut audience = |_: &UecdaReferee, event: &Event| {
        record.event(&without_seed(event));
        if let Some(done) = collector.event(event) {
            on_done(done);
        }
    };
    let referee = table.play(&mut audience).await;
    match referee.result().reason {
        Some(_) if wishes.stop.is_cancelled() => Ended::stopped(),
        Some(reason) => Ended::Void(reason),
        None if !referee.is_complete() => Ended::Gone,
        None => Ended::Whole,
    }
}

/// An event as the record has it: without seed and key, as the deals may be played again by others.
fn without_seed(event: &Event) -> Cow<'_, Event> {
    let mut event = Cow::Borrowed(event);
    if matches!(event.what, What::Result { .. })
        && let What::Result { seed, key, .. } = &mut event.to_mut().what
    {
        (*seed, *key) = (None, None);
    }
    event
}

fn settings(sitting: &Sitting, rules: SessionRules) -> MatchSettings {
    let session = |(seating, fixture): (&Vec<u8>, &super::Fixture)| {
        let mut order = [0; SEATS];
        for (place, player) in order.iter_mut().zip(seating) {
            *place = *player;
        }
        SessionSettings {
            games: sitting.session(),
            chance: Chance::Key(fixture.deal),
            order,
            duplicate: sitting.settings.duplicate,
        }
    };
    let fixtures = sitting.seatings.iter().zip(&sitting.plan.fixtures);
    MatchSettings {
        sessions: fixtures.map(session).collect(),
        rules,
        compat: Compat::Safe,
        clocks: sitting.clocks(),
        timeouts: sitting.settings.run.timeouts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::league::settings::Start;
    use crate::league::testing;

    #[test]
    fn one_that_comes_itself_has_a_message_to_a_write() {
        let mut settings = testing::settings();
        let entrant = &mut settings.entrants[0];
        entrant.start = Start::Remote;
        assert!(matches!(writes(entrant), Writes::OneMessage));
        entrant.start = Start::Command(vec!["./client".to_owned()]);
        assert!(matches!(writes(entrant), Writes::OneSegment));
    }
}
