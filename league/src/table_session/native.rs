//! Games in the native protocol: one connection for all, a game for each fixture.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use games::Game;
use protocol::native::{ErrorCode, name_of};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use super::admission::Admission;
use super::seat_port::SeatPort;
use super::{FixtureResult, SessionEnd, SessionOptions, TableSession};
use crate::remote::token_refusal;
use record::{Event, Header};
use server::lobby::native::connection::NativeConnection;
use server::lobby::native::files::NativeFiles;
use server::lobby::native::greeting::{greet, new_token};
use server::lobby::native::waiting::welcome;
use server::lobby::native::{self, PlayedMatch};
use server::referee::native::{GameSetup, MatchSettings, NativeReferee};
use server::table::socket::Socket;
use server::table::{Journal, Table};

/// A player that sits, and what its program calls itself.
type SeatedConnection = (NativeConnection, Option<String>);

/// Plays the session with the players that come to these ports.
pub(super) async fn play<G: Game>(
    session: &TableSession,
    ports: Vec<Arc<SeatPort>>,
    rules: G::Rules,
    options: &SessionOptions,
    on_done: &mut (dyn FnMut(FixtureResult) + Send),
) -> SessionEnd {
    let epoch = Instant::now();
    let tokens: Vec<Option<String>> = (0..ports.len())
        .map(|player| session.entrant(player).access.token.clone())
        .collect();
    let closing = session.closing.clone();
    let departures = options.departures.clone();
    let mut admission = Admission::open(ports, &session.closing, move |player, stream| {
        let (wanted, closing) = (tokens[player].clone(), closing.clone());
        let stream = stream.with_ending(departures.ending(player));
        sit::<G>(player, stream, wanted, epoch, closing)
    });
    let ended = match admission.all(&session.start_limits(), options).await {
        Ok(seated) => play_games::<G>(session, rules, seated, options, on_done).await,
        Err((missing, seated)) => {
            for (guest, _) in seated {
                let reason = "the game does not take place";
                let turned_away = guest.turn_away(ErrorCode::Stopped, reason);
                session.closing.spawn(turned_away);
            }
            session.not_full(&missing, options)
        }
    };
    admission.close().await;
    ended
}

async fn play_games<G: Game>(
    session: &TableSession,
    rules: G::Rules,
    seated: Vec<SeatedConnection>,
    options: &SessionOptions,
    on_done: &mut (dyn FnMut(FixtureResult) + Send),
) -> SessionEnd {
    let (guests, clients): (Vec<_>, _) = seated
        .into_iter()
        .map(|(guest, client)| (Some(guest), client))
        .unzip();
    let settings = settings(session, rules);
    let header = session.header(clients);
    let public = session.public(&header);
    let mut files = match files::<G>(session, &settings.rules, header, options).await {
        Ok(files) => files,
        Err(ended) => return ended,
    };
    let mut collector = session.collector();
    let games = settings.games as usize;
    let mut ended = 0;
    let table = Table {
        referee: NativeReferee::<G>::new(settings, &session.names()),
        connections: guests.into(),
        // Nobody comes back to a seat.
        returns: None,
        epoch: Instant::now(),
        names: session.names(),
        closing: session.closing.clone(),
        finish: options.finish.clone(),
        stop: options.stop.clone(),
        public,
        journal: Journal::default(),
    };
    let mut audience = |_: &NativeReferee<G>, event: &Event| {
        files.event(event);
        if let Some(done) = collector.event(event) {
            ended += 1;
            on_done(done);
        }
    };
    let PlayedMatch { reason, gone, .. } = native::play(table, &mut audience).await;
    match reason {
        _ if !gone.is_empty() => SessionEnd::Gone,
        _ if ended == games || options.finish.is_cancelled() => SessionEnd::Whole,
        _ if options.stop.is_cancelled() => SessionEnd::stopped(),
        reason => SessionEnd::Void(reason.unwrap_or_else(|| "the match broke off".to_owned())),
    }
}

fn settings<R>(session: &TableSession, rules: R) -> MatchSettings<R> {
    let given = |(number, fixture): (usize, &super::Fixture)| GameSetup {
        seating: session.seating(number),
        seed: fixture.deal.seed(),
    };
    let fixtures = session.plan.fixtures.iter().enumerate();
    MatchSettings {
        games: session.plan.fixtures.len() as u32,
        swap: false,
        draw: false,
        rules,
        clocks: session.clocks(),
        resume: Duration::ZERO,
        ready: session.start_limits().into_iter().max().unwrap_or_default(),
        retries: 0,
        timeouts: session.settings.run.timeouts,
        // The programs that are left begin anew with others.
        goes_on: false,
        draws: false,
        opening: session.settings.random_plies,
        position: String::new(),
        seed: 0,
        given: fixtures.map(given).collect(),
    }
}

async fn files<G: Game>(
    session: &TableSession,
    rules: &G::Rules,
    header: Header,
    options: &SessionOptions,
) -> Result<NativeFiles<G>, SessionEnd> {
    let record = session.record(&header, options).await?;
    let game_files = G::SHEET.and(session.plan.record.as_deref());
    let game_files = game_files.and_then(Path::parent);
    Ok(NativeFiles::with(record, game_files, rules, header))
}

/// Greets a client and gives it its seat, if it has the token that is wanted.
async fn sit<G: Game>(
    player: usize,
    stream: Socket,
    wanted: Option<String>,
    epoch: Instant,
    closing: TaskTracker,
) -> Option<SeatedConnection> {
    let (mut guest, hello) = greet(stream, G::NAME.as_str(), epoch).await?;
    if let Some(reason) = token_refusal(&hello, wanted.as_deref()) {
        closing.spawn(guest.turn_away(ErrorCode::Token, reason));
        return None;
    }
    // Nobody comes back to a seat: the token opens nothing.
    guest.tell(&welcome::<G>(
        1,
        games::Player::at(player),
        &new_token(),
        false,
    ));
    Some((
        guest,
        hello.client.map(|client| name_of(&client, "unknown")),
    ))
}
