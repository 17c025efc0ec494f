//! Daihinmin: one connection for all, a session for each fixture.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use games::ByPlayer;
use games::daihinmin::{Chance, SEATS, SessionRules};
use protocol::uecda::CardTable;
use tokio::time::Instant;

use super::admission::Admission;
use super::seat_port::SeatPort;
use super::{FixtureResult, SessionEnd, SessionOptions, TableSession};
use crate::settings::Entrant;
use record::{Event, What};
use server::config::Compat;
use server::lobby::uecda::{Greeting, SeatedClient, greet};
use server::referee::uecda::{SessionSettings, UecdaMatchSettings, UecdaReferee};
use server::table::link::Writes;
use server::table::{Connection as _, Journal, Table};

/// Plays the session with the players that come to these ports.
pub(super) async fn play(
    session: &TableSession,
    ports: Vec<Arc<SeatPort>>,
    rules: SessionRules,
    options: &SessionOptions,
    on_done: &mut (dyn FnMut(FixtureResult) + Send),
) -> SessionEnd {
    let (names, closing) = (session.names(), session.closing.clone());
    let habits: Vec<_> = (0..ports.len())
        .map(|player| session.entrant(player))
        .map(|entrant| (greeting(entrant), writes(entrant)))
        .collect();
    let departures = options.departures.clone();
    let mut admission = Admission::open(ports, &session.closing, move |player, stream| {
        let (name, closing) = (names[player].clone(), closing.clone());
        let (greeting, writes) = habits[player];
        let stream = stream.with_ending(departures.ending(player));
        async move {
            let candidate = greet(stream, greeting(), format!("player {player}"), closing).await?;
            Some(candidate.sit(writes, player, &name))
        }
    });
    let ended = match admission.all(&session.start_limits(), options).await {
        Ok(seated) => play_match(session, rules, seated, options, on_done).await,
        Err((missing, seated)) => {
            for client in seated {
                session.closing.spawn(client.connection.close(false));
            }
            session.not_full(&missing, options)
        }
    };
    admission.close().await;
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
    session: &TableSession,
    rules: SessionRules,
    seated: Vec<SeatedClient>,
    options: &SessionOptions,
    on_done: &mut (dyn FnMut(FixtureResult) + Send),
) -> SessionEnd {
    let settings = settings(session, rules);
    let clients = seated.iter().map(|client| client.player.client.clone());
    let header = session.header(clients.collect());
    let mut record = match session.record(&header, options).await {
        Ok(record) => record,
        Err(ended) => return ended,
    };
    // The official server reads all profiles into one table; the order in which they come is left to chance.
    let mut last_profile = CardTable::default();
    let mut connections = Vec::with_capacity(SEATS);
    for (player, client) in seated.into_iter().enumerate() {
        // Other players are sent what is left of it, and a token is none of their business.
        if let Some(profile) = client.profile
            && session.entrant(player).access.token.is_none()
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
        names: session.names(),
        closing: session.closing.clone(),
        finish: options.finish.clone(),
        stop: options.stop.clone(),
        public: session.public(&header),
        journal: Journal::default(),
    };
    let mut collector = session.collector();
    let mut audience = |_: &UecdaReferee, event: &Event| {
        record.event(&without_seed(event));
        if let Some(done) = collector.event(event) {
            on_done(done);
        }
    };
    let referee = table.play(&mut audience).await;
    match referee.result().reason {
        Some(_) if options.stop.is_cancelled() => SessionEnd::stopped(),
        Some(reason) => SessionEnd::Void(reason),
        None if !referee.is_complete() => SessionEnd::Gone,
        None => SessionEnd::Whole,
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

fn settings(session: &TableSession, rules: SessionRules) -> UecdaMatchSettings {
    let of_fixture = |(seating, fixture): (&Vec<u8>, &super::Fixture)| {
        let mut order = [0; SEATS];
        for (place, player) in order.iter_mut().zip(seating) {
            *place = *player;
        }
        SessionSettings {
            games: session.session(),
            chance: Chance::Key(fixture.deal),
            order,
            duplicate: session.settings.duplicate,
        }
    };
    let fixtures = session.seatings.iter().zip(&session.plan.fixtures);
    UecdaMatchSettings {
        sessions: fixtures.map(of_fixture).collect(),
        rules,
        compat: Compat::Safe,
        clocks: session.clocks(),
        timeouts: session.settings.run.timeouts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Start;
    use crate::testing;

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
