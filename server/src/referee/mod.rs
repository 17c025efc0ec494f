//! Referees: state machines of one table, without sockets and without clocks.
//!
//! A [`Referee`] takes messages with the time they came at, and gives out messages for the players
//! and events for the record in an [`Outbox`]. It says to whom it listens and when it wants to be
//! woken; time is a [`Duration`] since a moment that the shell chooses, whatever clock the shell
//! takes it from. A ten-minute time-out is thus tested in no time.

pub mod gat;
pub mod native;
#[cfg(test)]
mod testing;
pub mod uecda;

use std::time::Duration;

use games::{ByPlayer, Player};

use record::{EndKind, Event, What};

/// Bytes that may wait for a client to read them, beside what the system buffers. A client that is
/// further behind is cut off: it is several games behind.
pub(crate) const MOST_PENDING: usize = 256 * 1024;

/// Why a match ends that was told to stop.
pub(crate) const STOPPED: &str = "the server was stopped";

/// The state machine of one table. The shell empties the outbox after every call.
pub trait Referee: Send {
    /// What a player sends, a message or what came instead of one.
    type In: Send;
    type Out: Send;

    /// Whether a player that sends nothing any more is still told what happens: it may yet read.
    const TELLS_LOST: bool = false;

    /// Begins. The shell calls it once, before anything else.
    fn start(&mut self, out: &mut Outbox<Self::Out>);

    /// Takes what a player has sent, also when a deadline has passed: only [`Referee::wake`] ends
    /// somebody's time.
    fn receive(&mut self, player: Player, sent: Self::In, out: &mut Outbox<Self::Out>);

    /// A player will send nothing any more on its connection, for this reason: it is lost, or its program has ended.
    fn lose(&mut self, player: Player, kind: EndKind, reason: &str, out: &mut Outbox<Self::Out>);

    /// A player is back on a new connection; `last` is the number of the last event that it has.
    /// It is told what it has missed.
    fn rejoin(&mut self, player: Player, _last: Option<u64>, out: &mut Outbox<Self::Out>) {
        out.close.push(player);
    }

    /// Whether a player whose connection is lost may not come back.
    fn is_gone(&self, _player: Player) -> bool {
        true
    }

    /// Does everything whose time has come.
    fn wake(&mut self, out: &mut Outbox<Self::Out>);

    /// Ends the match at once: the game in play is void.
    fn stop(&mut self, out: &mut Outbox<Self::Out>);

    /// Ends the match early, but after what is in play.
    fn finish(&mut self) {}

    /// When [`Referee::wake`] is due; `None` without a limit of time.
    fn next_deadline(&self) -> Option<Duration>;

    /// Until when a message to a player is held back, if one is.
    fn holds_until(&self) -> Option<Duration> {
        None
    }

    /// Whether a message of a player would be taken now; else it is to be kept back.
    fn listens_to(&self, _player: Player) -> bool {
        true
    }

    fn is_over(&self) -> bool;
}

/// What a referee wants done at a moment.
#[derive(Clone, Debug)]
pub struct Outbox<M> {
    /// The present moment, on the clock of the shell.
    pub now: Duration,
    /// Messages with the player that each goes to, in order. A player that is gone may still have
    /// some.
    pub messages: Vec<(Player, M)>,
    /// Players whose connection is to be closed once their messages are sent.
    pub close: Vec<Player>,
    /// Whether it is left to these to close first, for a while.
    pub close_second: bool,
    /// Events for the record, in order.
    pub events: Vec<Event>,
}

impl<M> Outbox<M> {
    pub const fn at(now: Duration) -> Outbox<M> {
        Outbox {
            now,
            messages: Vec::new(),
            close: Vec::new(),
            close_second: false,
            events: Vec::new(),
        }
    }

    pub(crate) fn send(&mut self, player: Player, message: M) {
        self.messages.push((player, message));
    }

    pub(crate) fn event(&mut self, what: What) {
        self.events.push(what.at(self.now.as_millis() as u64));
    }
}

fn refused(player: Player, sent: impl Into<String>, reason: impl Into<String>) -> What {
    What::Refused {
        player: player.number(),
        sent: sent.into(),
        reason: reason.into(),
    }
}

fn forfeited(player: Player, kind: EndKind, reason: impl Into<String>) -> What {
    What::Forfeit {
        player: player.number(),
        kind,
        reason: reason.into(),
    }
}

/// The end of a game that does not count.
fn voided(game: u32, players: usize) -> What {
    What::End {
        game,
        places: Vec::new(),
        points: vec![0.0; players],
        game_points: Vec::new(),
        kinds: vec![EndKind::Void; players],
        rule: None,
    }
}

/// The games in a row in which each player of a table was late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeoutPolicy {
    /// Games in a row after which a player is set aside; 0 is any number.
    most: u32,
    in_a_row: ByPlayer<u32>,
}

impl TimeoutPolicy {
    /// That of so many players before their first game.
    pub fn new(most: u32, players: usize) -> TimeoutPolicy {
        TimeoutPolicy {
            most,
            in_a_row: ByPlayer::of(players, 0),
        }
    }

    /// Takes in a game that is over: whether each player was late in it.
    pub fn game(&mut self, late: impl IntoIterator<Item = bool>) {
        for (games, is_late) in self.in_a_row.iter_mut().zip(late) {
            *games = if is_late { *games + 1 } else { 0 };
        }
    }

    /// The players that are to be set aside: each was late in so many games in a row.
    pub fn due(&self) -> impl Iterator<Item = Player> {
        let most = self.most;
        let all = self.in_a_row.pairs();
        all.filter_map(move |(player, &games)| (most > 0 && games >= most).then_some(player))
    }

    /// Why such a player is set aside, for people.
    pub(crate) fn reason(&self) -> String {
        format!(
            "out of time in {} in a row",
            games::count_of_games(self.most)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_is_due_after_so_many_games_in_a_row() {
        let due = |most: u32, games: &[[bool; 2]]| -> Vec<u8> {
            let mut policy = TimeoutPolicy::new(most, 2);
            for game in games {
                policy.game(*game);
            }
            policy.due().map(Player::number).collect()
        };
        let (ana, bo, both, none) = ([true, false], [false, true], [true; 2], [false; 2]);
        assert_eq!(due(2, &[both, bo]), [1]);
        assert_eq!(due(2, &[ana, none, ana]), [0; 0]);
        assert_eq!(due(2, &[none, both, both]), [0, 1]);
        assert_eq!(due(0, &[both; 100]), [0; 0]);
    }

    #[test]
    fn the_reason_counts_games() {
        assert_eq!(
            TimeoutPolicy::new(1, 2).reason(),
            "out of time in 1 game in a row"
        );
    }
}
