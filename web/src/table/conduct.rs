//! How the match of a table goes: its programs start, its persons sit, and it ends.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io, thread};

use games::GameName;
use log::{info, warn};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::names::names;
use super::programs::{Bot, TableServer};
use super::settings::{BotSpec, Settings};
use super::{Ended, Folders, Origin, RecordState, STOPPED, Table};
use crate::join::{self, ServerAddress};
use crate::seat::{Seat, Stage, Wish};
use crate::thoughts::{self, Thought, ThoughtWriter};

/// How long no page may show a table before it ends.
const ABANDONED: Duration = Duration::from_mins(1);
/// The same for a table that was made again, until a page comes back to it. It has no programs until then.
const FORGOTTEN: Duration = Duration::from_hours(24);
const LOOK: Duration = Duration::from_secs(5);
/// The same where a person at the terminal may end its program.
const LOOK_AT_PERSON: Duration = Duration::from_millis(200);
/// How long a person's client may take until it sits.
const SEAT_LIMIT: Duration = Duration::from_mins(1);
/// How long a server may take to end once its match is over, and its bots after it, on a machine that does much else.
const END_LIMIT: Duration = Duration::from_secs(15);
/// What is said while the disk has not taken a record, and when it is lost.
const LATE: &str = "the disk does not take the record of this match; it is tried for a minute";
const LOST: &str = "the record of this match is lost: the disk has not taken it";

impl Table {
    /// Plays the match once every seat has been claimed, and tells every seat of its end. Nothing that it has started
    /// outlasts it.
    pub(crate) async fn conduct(&self, folders: Folders<'_>) {
        let played = tokio::select! {
            () = self.stop.cancelled() => Err(match self.ended.get() {
                Some(Ended::ByMaker) => "the table was ended by the person that made it",
                Some(Ended::ByGuest) => "a person has left",
                Some(Ended::TakenBack) | None => "the gateway ends",
            }.to_owned()),
            () = self.abandoned() => Err("nobody was at the table any more".to_owned()),
            played = self.play(folders) => played,
        };
        if let Err(reason) = &played {
            info!("table {}: {reason}", self.id);
            // The clients of persons have threads of their own.
            for (_, seat) in &self.seats {
                seat.wish(Wish::Leave);
            }
        }
        let name = self.record();
        let record = folders.records.join(format!("{name}.jsonl"));
        if self.ended.get() == Some(&Ended::TakenBack) {
            for file in [&record, &thoughts::file(folders.records, &name)] {
                match fs::remove_file(file) {
                    Err(e) if e.kind() != io::ErrorKind::NotFound => {
                        warn!("{}: {e}", file.display());
                    }
                    _ => {}
                }
            }
        }
        // The next gateway continues a table whose programs were stopped.
        let was_stopped = played.as_ref().is_err_and(|reason| reason == STOPPED)
            || self.stop.is_cancelled() && self.ended.get().is_none();
        if let Some(kept) = folders.kept.filter(|_| !was_stopped) {
            let mut is_over = self.is_over.lock().expect("nothing panics with the file");
            *is_over = true;
            kept.forget(&name);
        }
        let is_lost = matches!(played, Ok(RecordState::No));
        if is_lost {
            warn!("table {}: {LOST}", self.id);
        }
        let id = (record.is_file() && !is_lost).then_some(&name[..]);
        let reason = played.as_ref().err().map(String::as_str);
        self.finish(reason, id, is_lost.then_some(LOST));
    }

    fn finish(&self, reason: Option<&str>, record: Option<&str>, note: Option<&str>) {
        for (_, seat) in &self.seats {
            seat.finish(reason, record, note);
        }
    }

    /// Waits until no page has been there for long.
    async fn abandoned(&self) {
        if self.waits
            && let [(_, seat)] = &self.seats[..]
        {
            seat.reaches(Stage::Claimed).await;
        }
        if self.past.is_some() {
            let _ = timeout(FORGOTTEN, self.comes_back()).await;
        }
        let mut empty = Duration::ZERO;
        while empty < ABANDONED {
            sleep(LOOK).await;
            empty = if self.is_shown() {
                Duration::ZERO
            } else {
                empty + LOOK
            };
        }
    }

    /// Waits until a page is there.
    async fn comes_back(&self) {
        while !self.is_shown() {
            sleep(LOOK).await;
        }
    }

    /// Plays the match; gives whether its record is kept.
    ///
    /// # Errors
    /// A sentence on why it was not played to its end.
    pub(crate) async fn play(&self, folders: Folders<'_>) -> Result<RecordState, String> {
        match &self.origin {
            Origin::Made { settings, bots } => {
                for (player, seat) in &self.seats {
                    let past = self.past.as_ref();
                    if past.is_none_or(|past| !past.left.contains(player)) {
                        seat.reaches(Stage::Claimed).await;
                    }
                }
                let names = names(settings, bots, &self.called());
                for (_, seat) in &self.seats {
                    seat.call(&names);
                }
                self.play_here(settings, bots, &names, folders)
                    .await
                    .map_err(|e| e.to_string())
            }
            Origin::Joined(way) => {
                let (_, seat) = &self.seats[0];
                seat.reaches(Stage::Claimed).await;
                let ended = self.sit(way.clone(), seat).await;
                let ended = ended.unwrap_or_else(|_| Err("the player has ended".to_owned()));
                ended.map(|()| RecordState::Elsewhere)
            }
        }
    }

    /// Plays with a server and bots of its own.
    async fn play_here(
        &self,
        settings: &Settings,
        bots: &[Option<BotSpec>],
        names: &[String],
        folders: Folders<'_>,
    ) -> io::Result<RecordState> {
        let record = folders.records.join(format!("{}.jsonl", self.record()));
        let files = folders.own.folder()?;
        let journal = folders.kept.map(|kept| kept.journal(&self.record()));
        if self.past.is_some() && record.exists() {
            // The server before may have ended after this gateway began.
            fs::remove_file(&record)?;
        }
        let server = TableServer::start(folders.programs, settings, names, &record, journal);
        let mut server = server.await?;
        if let Some(port) = server.watched {
            folders.watched.follow_table(&self.id, port);
        }
        let mut running: Vec<Bot> = Vec::new();
        let mut persons = Vec::new();
        let by_arrival = self.game != GameName::Geister;
        let writer = Arc::new(ThoughtWriter::new(folders.records, &self.record()));
        let script = |player: usize| {
            let past = self.past.as_ref();
            past.map_or_else(Vec::new, |past| past.script(player as u8))
        };
        for (player, (bot, name)) in bots.iter().zip(names).enumerate() {
            let port = server.ports[if by_arrival { 0 } else { player }];
            if let Some(spec) = bot {
                let lines = script(player);
                if !lines.is_empty() {
                    fs::write(Bot::script(files.path(), name), lines.join("\n"))?;
                }
                let hear = self.thinker(player as u8, writer.clone());
                let mut bot = Bot::start(
                    folders.programs,
                    settings,
                    spec,
                    name,
                    port,
                    files.path(),
                    hear,
                )?;
                let sat = bot.sits().await;
                sat.map_err(|e| io::Error::new(e.kind(), format!("the bot {name}: {e}")))?;
                running.push(bot);
            } else {
                let seats = &mut self.seats.iter();
                let seat = seats.find(|(at, _)| usize::from(*at) == player);
                let (_, seat) = seat.expect("a player that is no bot has a seat");
                let way = ServerAddress {
                    host: "127.0.0.1".to_owned(),
                    port,
                    trust: None,
                    games: Some(settings.games),
                    name: name.clone(),
                    script: script(player),
                };
                let ended = self.sit(way, seat);
                if by_arrival {
                    // Later its end shows in that of the server.
                    tokio::select! {
                        () = seat.reaches(Stage::Seated) => {}
                        Ok(Err(reason)) = ended => return Err(io::Error::other(reason)),
                        status = server.child.wait() => {
                            let text = format!("the server has ended ({})", status?);
                            return Err(io::Error::other(text));
                        }
                        () = sleep(SEAT_LIMIT) => return Err(io::ErrorKind::TimedOut.into()),
                    }
                } else {
                    persons.push(ended);
                }
            }
            if self.game == GameName::Daihinmin {
                server.has_let_in(player + 1).await?;
            }
        }
        let look = if running.iter().any(|bot| bot.is_person) {
            LOOK_AT_PERSON
        } else {
            LOOK
        };
        let mut is_late = false;
        let mut lacks_record = pin!(server.lacks_record());
        let mut goes_on = pin!(server.goes_on());
        let mut is_muted = self.past.as_ref().is_some_and(|past| !past.is_empty());
        let status = loop {
            tokio::select! {
                status = server.child.wait() => break status?,
                () = &mut goes_on, if is_muted => {
                    is_muted = false;
                    let left = self.past.as_ref().map(|past| past.left_ms(bots.len()));
                    for (_, seat) in &self.seats {
                        seat.unmute(left.as_deref().unwrap_or_default());
                    }
                }
                () = &mut lacks_record, if !is_late => {
                    // The page learns it now: the server tries for a minute before it ends.
                    is_late = true;
                    warn!("table {}: {LATE}", self.id);
                    self.finish(None, None, Some(LATE));
                }
                () = sleep(look) => {
                    // The server of Geister would wait for the next game of a person that has gone.
                    let has_left = persons.iter_mut().any(|ended| ended.try_recv().is_ok());
                    if has_left && timeout(END_LIMIT, server.child.wait()).await.is_err() {
                        return Err(io::Error::other("a person has left"));
                    }
                    for bot in &mut running {
                        let Some(status) = bot.child.try_wait()? else {
                            continue;
                        };
                        if bot.is_person {
                            // Without a person nobody waits for the server's end but for a match that is over.
                            let limit = if status.success() { END_LIMIT } else { Duration::ZERO };
                            if timeout(limit, server.child.wait()).await.is_err() {
                                return Ok(RecordState::Yes);
                            }
                        } else if !status.success()
                            && timeout(END_LIMIT, server.child.wait()).await.is_err()
                        {
                            let text = format!("the bot {} has ended ({status})", bot.name);
                            return Err(io::Error::other(text));
                        }
                    }
                }
            }
        };
        for bot in &mut running {
            if timeout(END_LIMIT, bot.ends()).await.is_err() {
                warn!("table {}: the bot {} is ended", self.id, bot.name);
            }
        }
        match status {
            status if status.success() => Ok(RecordState::Yes),
            // Its exit code tells of the record as well.
            _ if server.has_played() => Ok(RecordState::No),
            _ if server.was_stopped().await => Err(io::Error::other(STOPPED)),
            _ => Err(io::Error::other("the match was not played to its end")),
        }
    }

    /// Takes the lines of a bot: what it thought is kept, and shown where the game hides nothing.
    fn thinker(
        &self,
        player: u8,
        writer: Arc<ThoughtWriter>,
    ) -> impl FnMut(&[u8]) + Send + 'static {
        let game = self.game;
        let seats: Vec<Arc<Seat>> = self.seats.iter().map(|(_, seat)| seat.clone()).collect();
        move |line| {
            if let Some(thought) = Thought::read(game, player, line) {
                writer.keep(&thought);
                for seat in &seats {
                    seat.think(&thought);
                }
            }
        }
    }

    /// A person sits down; the client has a thread of its own. Gives how it ends.
    fn sit(&self, way: ServerAddress, seat: &Arc<Seat>) -> oneshot::Receiver<Result<(), String>> {
        let (game, seat) = (self.game, seat.clone());
        let (sender, ended) = oneshot::channel();
        thread::spawn(move || {
            let played = join::play(game, &way, seat);
            if let Err(reason) = &played {
                info!("a person's client: {reason}");
            }
            // The table may have ended.
            let _ = sender.send(played);
        });
        ended
    }
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::super::tests::place;
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_table_that_no_page_shows_ends_after_a_minute() {
        let settings: Settings = serde_json::from_value(serde_json::json!({
            "game": "dobutsu",
            "seats": [{ "kind": "person" }, { "kind": "open" }],
        }))
        .expect("settings");
        let made = || {
            Table::made(
                place(),
                0,
                settings.clone(),
                vec![None, None],
                CancellationToken::new(),
            )
        };
        let limit = ABANDONED * 5;
        let table = made();
        let begun = tokio::time::Instant::now();
        let ended = timeout(limit, table.abandoned()).await;
        ended.expect("it ends");
        assert!(begun.elapsed() <= ABANDONED + LOOK);
        let page = table.seats[1].1.attach();
        assert!(timeout(limit, table.abandoned()).await.is_err());
        table.seats[1].1.detach(page.number);
        assert!(timeout(limit, table.abandoned()).await.is_ok());
        // That of the person that has started the program waits for its first page.
        let Table { seats, .. } = made();
        let waiting = Table {
            seats: seats[..1].to_vec(),
            ..made()
        }
        .waiting();
        assert!(timeout(limit, waiting.abandoned()).await.is_err());
        let page = waiting.seats[0].1.attach();
        waiting.seats[0].1.detach(page.number);
        assert!(timeout(limit, waiting.abandoned()).await.is_ok());
    }
}
